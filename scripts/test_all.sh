#!/usr/bin/env bash
# Runs every test there is, without a time limit: test.sh, then clang 19, the thread sanitizer, programs by others, benchmarks.
# SPDX-License-Identifier: MIT
set -euo pipefail
. "$(dirname "$0")/steps.sh"
check test scripts/test.sh
check clang-build scripts/build.sh clang
check clang-unit ctest --test-dir build/clang -j2 --output-on-failure --no-tests=error
check tsan-build scripts/build.sh tsan test_threads test_session test_stress  # the tests that have several threads
check tsan-unit env TSAN_OPTIONS=halt_on_error=1 ctest --test-dir build/tsan -R '^(threads|session|stress)\.' --output-on-failure --no-tests=error
check clients build/release/venv/bin/python tests/clients/run_clients.py
check bench env PYTHONPATH="$ROOT/build/release/python" build/release/venv/bin/python bench/bench_models.py build/models
grep -hE '^(ocr|gpt2|silero|nakdimon|mobilenet|geometric|worst)' "$LOGS/bench.log" | sed 's/^/  /' || true
verdict
