# Finds the polynomials of vector_math-inl.h: weighted minimax fits, coefficients rounded to f32 one after another.
# SPDX-License-Identifier: MIT
import math
import numpy as np

erf = np.vectorize(math.erf)
erfc = np.vectorize(math.erfc)


def fit(name, g, weight, lo, hi, terms, as_f32=True):
    """Minimises max |weight(x) (p(x) - g(x))| over [lo, hi] by reweighted least squares on a dense grid."""
    k = np.arange(4000)
    x = (lo + hi) / 2 + (hi - lo) / 2 * np.cos(np.pi * (k + 0.5) / len(k))
    target, w0 = g(x), weight(x)
    fixed = []
    error = 0.0
    for done in range(terms + 1):
        rest = target - sum((c * x**i for i, c in enumerate(fixed)), np.zeros_like(x))
        if done == terms:
            error = np.max(np.abs(w0 * rest))
            break
        powers = np.stack([x**i for i in range(done, terms)], 1)
        w = np.ones_like(x)
        for _ in range(60):
            a = powers * (w0 * np.sqrt(w))[:, None]
            scale = np.linalg.norm(a, axis=0)
            c, *_ = np.linalg.lstsq(a / scale, rest * w0 * np.sqrt(w), rcond=None)
            c = c / scale
            e = np.abs(w0 * (powers @ c - rest))
            w = w * (e / e.max() + 1e-3)
            w /= w.sum() / len(w)
        fixed.append(float(np.float32(c[0])) if as_f32 else float(c[0]))
    print(f"{name}: error {error:.3g} (2^{math.log2(error):.1f})")
    print("   ", ", ".join((f"{c:.9g}f" if as_f32 else f"{c!r}") for c in fixed))


one = np.ones_like
half_ln2 = math.log(2) / 2 * 1.01
small = lambda f, x, s: np.where(np.abs(x) < 1e-4, s, f(np.where(np.abs(x) < 1e-4, 1.0, x)))
fit("exp: (e^r - 1 - r) / r^2", lambda x: small(lambda t: (np.expm1(t) - t) / t**2, x, 0.5 + x / 6), lambda x: x**2, -half_ln2, half_ln2, 5)
fit("log: R(z)/z", lambda z: small(lambda t: (2 * np.arctanh(np.sqrt(t)) / np.sqrt(t) - 2) / t, z, 2 / 3 + 0.4 * z), lambda z: z, 1e-9, 0.0296, 3)
fit("sin: (sin r - r) / r^3", lambda z: small(lambda t: (np.sin(np.sqrt(t)) / np.sqrt(t) - 1) / t, z, -1 / 6 + z / 120), lambda z: z, 1e-9, 0.63, 4)
fit("cos: (cos r - 1 + r^2/2) / r^4", lambda z: np.where(z < 1e-2, 1 / 24 - z / 720 + z**2 / 40320, (np.cos(np.sqrt(z)) - 1 + z / 2) / np.maximum(z, 1e-2)**2), lambda z: z**2, 1e-9, 0.63, 3)
fit("tanh: (tanh x - x) / x^3", lambda z: small(lambda t: (np.tanh(np.sqrt(t)) / np.sqrt(t) - 1) / t, z, -1 / 3 + 2 * z / 15), lambda z: z, 1e-9, 0.64**2, 5)
fit("erf small: erf(x)/x - 1", lambda z: small(lambda t: erf(np.sqrt(t)) / np.sqrt(t) - 1, z, 2 / math.sqrt(math.pi) * (1 - z / 3) - 1), one, 1e-9, 0.93**2, 7)
fit("erf large: log erfc(x)", lambda x: np.log(erfc(x)), lambda x: erfc(x) + 3e-7, 0.92, 4.0, 9)
fit("atan: (atan x - x) / x^3", lambda z: small(lambda t: (np.arctan(np.sqrt(t)) / np.sqrt(t) - 1) / t, z, -1 / 3 + z / 5), lambda z: z, 1e-9, 1.0, 9)
fit("asin: (asin x - x) / x^3", lambda z: small(lambda t: (np.arcsin(np.sqrt(t)) / np.sqrt(t) - 1) / t, z, 1 / 6 + 3 * z / 40), lambda z: z, 1e-9, 0.2501, 5)
fit("tan: (tan r - r) / r^3", lambda z: small(lambda t: (np.tan(np.sqrt(t)) / np.sqrt(t) - 1) / t, z, 1 / 3 + 2 * z / 15), lambda z: z, 1e-9, 0.63, 7)
fit("pow log2: R(z)/z, f64", lambda z: small(lambda t: (2 * np.arctanh(np.sqrt(t)) / np.sqrt(t) - 2) / t, z, 2 / 3 + 0.4 * z), lambda z: z, 1e-9, 0.0296, 6, False)
fit("pow exp2: (2^r - 1) / r, f64", lambda x: small(lambda t: np.expm1(t * math.log(2)) / t, x, math.log(2) + math.log(2)**2 / 2 * x), lambda x: x, -0.5001, 0.5001, 7, False)
