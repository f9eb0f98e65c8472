#!/usr/bin/env bash
# Configures and builds one preset (release unless named): release, dev, asan, tsan, clang.
# SPDX-License-Identifier: MIT
# usage: build.sh [PRESET] [NINJA TARGET ...]
# Leaves build/PRESET/bin/tenon, build/PRESET/lib/libtenon.so, build/PRESET/lib/libonnxruntime.so.1 and, for release,
# build/release/python (module tenon) and build/release/python_onnxruntime (Tenon under the name onnxruntime).
set -euo pipefail
. "$(dirname "$0")/steps.sh"
preset=${1:-release}
[ $# = 0 ] || shift
if [ "$preset" = clang ]; then scripts/setup.sh --clang; else scripts/setup.sh; fi
out=build/$preset
python=$ROOT/build/release/venv/bin/python
step "configure-$preset" cmake --preset "$preset" -DPython_EXECUTABLE="$python" -DPython3_EXECUTABLE="$python"
echo "building $preset with $(nproc) cores"
start=$SECONDS fresh=no
[ -e $out/.ninja_log ] || fresh=yes
before=$(wc -l 2>/dev/null <$out/.ninja_log || echo 0)
with_progress "$LOGS/build-$preset.log" ninja -C $out "$@"
took=$((SECONDS - start))
if [ $# = 0 ]; then  # CMake leaves out what it finds no libraries for: here nothing may be missing
  made=(bin/tenon lib/libtenon.so lib/libonnxruntime.so.1)
  [ "$preset" != release ] || made+=(python/tenon/__init__.py python_onnxruntime/onnxruntime/__init__.py)
  for f in "${made[@]}"; do [ -e "$out/$f" ] || die "the build made no $out/$f (see $LOGS/configure-$preset.log)"; done
fi
after=$(wc -l <$out/.ninja_log)
size=-
if [ -e $out/lib/libtenon.so ]; then
  strip -o $out/lib/.stripped $out/lib/libtenon.so && size=$(stat -c %s $out/lib/.stripped) && rm $out/lib/.stripped
fi
# The ledger: when, preset, seconds, steps that ran, from nothing or not, stripped size of libtenon.so in bytes.
[ -e build/ledger.tsv ] || printf 'time\tpreset\tseconds\tsteps\tfresh\tlibtenon_bytes\n' >build/ledger.tsv
[ $after = $before ] || printf '%s\t%s\t%d\t%d\t%s\t%s\n' "$(date -u +%FT%TZ)" "$preset" $took $((after - before)) $fresh "$size" >>build/ledger.tsv
echo "built $preset in $took s; libtenon.so stripped: $size bytes"
