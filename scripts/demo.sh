#!/usr/bin/env bash
# Reads the text in a picture with the unchanged package rapidocr-onnxruntime: once on Tenon, once on the peer, side by side.
# SPDX-License-Identifier: MIT
# usage: demo.sh [RUNS]      (default 5 timed runs of each)
# Builds Tenon first where needed. The runtimes live in two virtual environments: the one for Tenon holds no other runtime.
set -euo pipefail
. "$(dirname "$0")/steps.sh"
runs=${1:-5}
scripts/build.sh release
shim=${DEMO_MODULE_PATH:-$ROOT/build/release/python_onnxruntime}
[ -e "$shim/onnxruntime/__init__.py" ] || die "no $shim/onnxruntime: the build made no Python package"

demo=build/demo
mkdir -p $demo
wanted=$(sha256sum scripts/demo/requirements.txt scripts/requirements.txt)
if [ "$(cat $demo/.installed 2>/dev/null)" != "$wanted" ]; then
  base=$(build/release/venv/bin/python -c 'import sys; print(sys._base_executable)')
  for side in tenon peer; do
    rm -rf $demo/$side
    step demo-venv-$side "$base" -m venv $demo/$side
    numpy=$(grep '^numpy' scripts/requirements.txt)
    step demo-pip-$side $demo/$side/bin/python -m pip install --disable-pip-version-check --quiet "$numpy" -r scripts/demo/requirements.txt
    step demo-package-$side $demo/$side/bin/python -m pip install --disable-pip-version-check --quiet --no-deps rapidocr-onnxruntime==1.4.4
  done
  step demo-peer $demo/peer/bin/python -m pip install --disable-pip-version-check --quiet "$(grep '^onnxruntime' scripts/requirements.txt)"
  echo "$wanted" >$demo/.installed
fi
$demo/tenon/bin/python -c 'import importlib.util as u, sys; sys.exit(u.find_spec("onnxruntime") is not None)' ||
  die "the environment for Tenon has another runtime"

$demo/tenon/bin/python scripts/demo/picture.py $demo/picture.png
echo "reading $demo/picture.png"
step demo-on-tenon env PYTHONPATH="$shim" $demo/tenon/bin/python scripts/demo/read_picture.py $demo/picture.png $demo/tenon.json "$runs"
step demo-on-peer env -u PYTHONPATH $demo/peer/bin/python scripts/demo/read_picture.py $demo/picture.png $demo/peer.json "$runs"
PYTHONDONTWRITEBYTECODE=1 $demo/tenon/bin/python scripts/demo/compare.py $demo/tenon.json $demo/peer.json
