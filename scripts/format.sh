#!/usr/bin/env bash
# Brings every C and C++ file into the project's form (.clang-format, clang-format 19).
# SPDX-License-Identifier: MIT
# usage: format.sh [--check]     --check changes nothing and fails where something would change
set -euo pipefail
. "$(dirname "$0")/steps.sh"
command -v clang-format-19 >/dev/null || scripts/setup.sh --format
files() { find src include tools bindings tests bench -name '*.h' -o -name '*.cc' -o -name '*.c' | sort; }
if [ "${1:-}" = --check ]; then
  files | xargs -r clang-format-19 --dry-run -Werror
else
  files | xargs -r clang-format-19 -i
fi
