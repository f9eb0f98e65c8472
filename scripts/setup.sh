#!/usr/bin/env bash
# Installs what building and testing Tenon needs and this machine lacks (Debian 12; as root or with sudo).
# SPDX-License-Identifier: MIT
# usage: setup.sh [--format] [--clang]     --format: also clang-format, --clang: also the clang 19 compiler and its sanitizers
# Fast when nothing is missing. Python packages go into build/release/venv, Highway's sources into build/deps/highway.
set -euo pipefail
. "$(dirname "$0")/steps.sh"

packages=(cmake ninja-build g++ ccache mold nlohmann-json3-dev libcli11-dev zlib1g-dev libpng-dev libjpeg-dev libgtest-dev libbenchmark-dev binutils)
for a in "$@"; do
  case $a in
    --format) packages+=(clang-format-19) ;;
    --clang) packages+=(clang-19 libclang-rt-19-dev) ;;
    *) die "setup.sh knows --format and --clang, not $a" ;;
  esac
done
python=${PYTHON:-python3}
has_headers() { "$1" -c 'import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'; }
command -v "$python" >/dev/null || packages+=(python3)
"$python" -c 'import ensurepip, venv' 2>/dev/null || packages+=(python3-venv)
has_headers "$python" 2>/dev/null || packages+=(python3-dev)

missing=()
for p in "${packages[@]}"; do
  [ "$(dpkg-query -W -f '${Status}' "$p" 2>/dev/null)" = "install ok installed" ] || missing+=("$p")
done
if [ ${#missing[@]} != 0 ]; then
  command -v apt-get >/dev/null || die "please install: ${missing[*]}"
  echo "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  step apt-update as_root apt-get update
  step apt-install as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
fi
if ! has_headers "$python"; then  # a Python that is not Debian's and came without headers
  python=/usr/bin/python3
  has_headers "$python" || die "no Python with headers; set PYTHON to one"
fi

venv=build/release/venv
stamp=$venv/.installed
wanted=$(sha256sum scripts/requirements.txt)
if [ "$(cat $stamp 2>/dev/null)" != "$wanted" ]; then
  step venv "$python" -m venv $venv
  step pip-install $venv/bin/python -m pip install --disable-pip-version-check --quiet -r scripts/requirements.txt
  echo "$wanted" >$stamp
fi
if [ ! -e build/deps/highway/hwy/highway.h ]; then
  step highway env PY="$ROOT/$venv/bin/python" scripts/get_highway.sh build/deps/highway
fi
