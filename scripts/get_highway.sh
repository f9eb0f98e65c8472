#!/usr/bin/env bash
# Fetches the sources of Highway 1.3.0: numpy's source package carries the complete library.
# SPDX-License-Identifier: MIT
# pip insists on running a package's build hook before it hands out the sources; a five-line stand-in answers it, else numpy would be
# configured first (more than ten minutes).
# Usage: get_highway.sh <dest>     leaves <dest>/hwy/... and <dest>/LICENSE*
set -euo pipefail
v=${NUMPY_VERSION:-2.4.6}
dest=${1:?}; tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/stub"; cat >"$tmp/stub/mesonpy.py" <<PY
import os
def get_requires_for_build_wheel(config_settings=None): return []
def prepare_metadata_for_build_wheel(d, config_settings=None):
    n = "numpy-$v.dist-info"; os.makedirs(os.path.join(d, n))
    open(os.path.join(d, n, "METADATA"), "w").write("Metadata-Version: 2.1\nName: numpy\nVersion: $v\n"); return n
PY
echo "numpy==$v ${HWY_SDIST_HASH:+--hash=sha256:$HWY_SDIST_HASH}" >"$tmp/req.txt"
PYTHONPATH="$tmp/stub" ${PY:-python3} -m pip download -q --no-deps --no-binary :all: --no-build-isolation -r "$tmp/req.txt" -d "$tmp"
tar xzf "$tmp"/numpy-$v.tar.gz -C "$tmp" numpy-$v/numpy/_core/src/highway
mkdir -p "$dest"; cp -r "$tmp"/numpy-$v/numpy/_core/src/highway/{hwy,LICENSE} "$dest"/
rm -rf "$dest"/hwy/*_test.cc "$dest"/hwy/tests "$dest"/hwy/examples
