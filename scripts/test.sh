#!/usr/bin/env bash
# Builds Tenon and runs the tests that every change must pass: at most 45 minutes on two cores with an empty cache.
# SPDX-License-Identifier: MIT
# usage: test.sh [--fast]     --fast leaves out the tests that take times and the sanitizers
# One line per step, its output in build/log/STEP.log. The last line is "N passed, N failed, N skipped".
set -euo pipefail
. "$(dirname "$0")/steps.sh"
fast=no
for a in "$@"; do [ "$a" = --fast ] && fast=yes || die "test.sh knows --fast, not $a"; done

scripts/setup.sh --format
scripts/build.sh release
python=build/release/venv/bin/python
models=build/models
export PYTHONPATH=$ROOT/build/release/python
export PYTHONDONTWRITEBYTECODE=1
export LC_ALL=C.UTF-8

# A release build from nothing takes at most 15 minutes, the stripped library at most 12 MB.
ledger_limits() {
  awk -F '\t' '$2 == "release" { size = $6; if ($5 == "yes") seconds = $3 }
                END { print "last build from nothing:", seconds, "s; library:", size, "bytes"; exit !(seconds <= 900 && size > 0 && size <= 12e6) }' build/ledger.tsv
}

echo "tests"
check format scripts/format.sh --check
check unit ctest --test-dir build/release -j2 --output-on-failure --no-tests=error
check fetch-models $python tests/models/fetch.py $models
check models $python tests/models/run_refs.py $models --bits-threads 2
check models-noopt $python tests/models/run_refs.py $models --noopt ocr_cls_v2 silero_vad nakdimon mobilenet_v3_large
check models-exact $python tests/models/exact_test.py $models tashkeel_rawi_v3_i8 tashkeel_bilstm_i8
check models-renamed $python tests/models/rename_test.py $models
check python $python tests/run.py tests/python
check python-onnxruntime env PYTHONPATH="$ROOT/build/release/python_onnxruntime" TENON_MODULE=onnxruntime $python tests/run.py tests/python
check cli $python tests/run.py tests/cli
check same-everywhere $python tests/same/same_test.py $models
check bad-models $python tests/bad/bad_models.py
check bad-calls $python tests/run.py tests/bad
check isolation env -u PYTHONPATH $python tests/isolation/isolation_test.py $models
check demo scripts/demo.sh
if [ $fast = no ]; then
  check gpt2-cache $python tests/gpt2_cache_test.py $models
  check two-threads $python tests/speed/two_threads.py $models
  check rebuild scripts/rebuild_time.sh
  # Address and undefined-behaviour sanitizers: every unit test and operator case, the malformed models, the real models.
  check asan-build scripts/build.sh asan
  export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
  check asan-unit ctest --test-dir build/asan -j2 --output-on-failure --no-tests=error
  check asan-bad-models $python tests/bad/bad_models.py --cli build/asan/bin/tenon
  check asan-models $python tests/models/run_refs.py $models --cli build/asan/bin/tenon
fi
check ledger ledger_limits
echo "ledger (build/ledger.tsv)"
head -n 1 build/ledger.tsv | expand -t 24,34,44,54,64
grep -v '^time' build/ledger.tsv | tail -n 4 | expand -t 24,34,44,54,64
verdict
