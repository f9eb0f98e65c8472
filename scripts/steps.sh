# Shared shell functions of the scripts: quiet steps with a log file, a count of test results. Sourced, never run.
# SPDX-License-Identifier: MIT
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
LOGS=$ROOT/build/log
mkdir -p "$LOGS"
PASSED=0 FAILED=0 SKIPPED=0
BAD_STEPS=()

die() { echo "error: $*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else die "this needs root or sudo: $*"; fi
}

# step NAME COMMAND...: runs it with its output in build/log/NAME.log; one line with the time; on failure the end of the log and exit.
step() {
  local name=$1 log=$LOGS/$1.log start=$SECONDS
  shift
  if "$@" >"$log" 2>&1; then
    printf '  %-28s ok    %4d s\n' "$name" $((SECONDS - start))
  else
    local rc=$?
    printf '  %-28s FAIL  %4d s   (%s)\n' "$name" $((SECONDS - start)) "$log"
    tail -n 40 "$log" >&2
    exit $rc
  fi
}

# count_results LOG: adds the closing lines that ctest and the project's own tests print to THIS_PASSED, THIS_FAILED, THIS_SKIPPED.
count_results() {
  THIS_PASSED=0 THIS_FAILED=0 THIS_SKIPPED=0
  local p f s
  while read -r p f s; do
    THIS_PASSED=$((THIS_PASSED + p)) THIS_FAILED=$((THIS_FAILED + f)) THIS_SKIPPED=$((THIS_SKIPPED + s))
  done < <(sed -nE -e 's/^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p' \
    -e 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)$/\2 \1/p' "$1" |
    awk '{ if (NF == 3) print; else print $1 - $2, $2, 0 }')
  local off
  off=$(grep -cE '^[[:space:]]*[0-9]+/[0-9]+ Test .*\*\*\*(Skipped|Not Run)' "$1" || true)  # ctest counts these as passed
  THIS_PASSED=$((THIS_PASSED - off)) THIS_SKIPPED=$((THIS_SKIPPED + off))
}

# check NAME COMMAND...: like step, but goes on after a failure and counts the results it printed (one when it printed none).
check() {
  local name=$1 log=$LOGS/$1.log start=$SECONDS rc=0
  shift
  "$@" >"$log" 2>&1 || rc=$?
  count_results "$log"
  if [ $rc != 0 ] && [ $THIS_FAILED = 0 ]; then THIS_FAILED=1; fi
  if [ $rc = 0 ] && [ $((THIS_PASSED + THIS_FAILED + THIS_SKIPPED)) = 0 ]; then THIS_PASSED=1; fi
  PASSED=$((PASSED + THIS_PASSED)) FAILED=$((FAILED + THIS_FAILED)) SKIPPED=$((SKIPPED + THIS_SKIPPED))
  printf '  %-28s %-5s %4d s   %d passed, %d failed, %d skipped here\n' "$name" "$([ $rc = 0 ] && [ $THIS_FAILED = 0 ] && echo ok || echo FAIL)" \
    $((SECONDS - start)) $THIS_PASSED $THIS_FAILED $THIS_SKIPPED
  if [ $rc != 0 ] || [ $THIS_FAILED != 0 ]; then
    BAD_STEPS+=("$name")
    grep -E '^FAIL|^FAILED|\*\*\*Failed|\*\*\*Timeout|\*\*\*Exception|[Ee]rror:' "$log" | head -n 20 | sed 's/^/    /' || true
    echo "    whole output: $log"
    if [ -n "${CI:-}" ]; then tail -n 30 "$log" | sed 's/^/    | /'; fi
  fi
}

# verdict: prints the closing line and ends the script.
verdict() {
  [ ${#BAD_STEPS[@]} = 0 ] || echo "failed: ${BAD_STEPS[*]}"
  echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
  [ "$FAILED" = 0 ] && [ ${#BAD_STEPS[@]} = 0 ] || exit 1
  [ "$PASSED" != 0 ] || exit 1
}

# with_progress LOG COMMAND...: runs ninja; on a terminal its own moving line, elsewhere a line every tenth of the way.
with_progress() {
  local log=$1
  shift
  if [ -t 1 ]; then "$@"; return; fi
  NINJA_STATUS='[%f/%t] ' "$@" 2>&1 | tee "$log" | awk '
    /^\[[0-9]+\/[0-9]+\] / { split(substr($1, 2, length($1) - 2), n, "/"); tenth = int(10 * n[1] / n[2]);
                             if (tenth > shown || n[1] == n[2]) { print "  " $0; shown = tenth; fflush() } next }
    { print; fflush() }'
}
