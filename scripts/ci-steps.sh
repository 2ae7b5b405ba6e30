# The kinds of steps of .ci/run, which counts in `passed` and `failed`, and names the failures in
# `$scratch/failures`.
passed=0
failed=0

# check NAME COMMAND…: a check that counts as one.
check() {
  local name=$1
  shift
  echo "== $name"
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$name" >>"$scratch/failures"
  fi
}

# tests NAME COMMAND…: runs vitest, and counts its tests.
tests() {
  local name=$1 report tests_passed=0 tests_failed=1
  report="$scratch/report-${name// /-}.json"
  shift
  echo "== $name"
  "$@" --reporter=default --reporter=./test/hostile/reporter.ts \
    --reporter=json --outputFile.json="$report"
  read -r tests_passed tests_failed < <(
    node scripts/ci-report.js "$name" "$report" $? "$scratch/failures"
  )
  passed=$((passed + tests_passed))
  failed=$((failed + tests_failed))
}

# on NODE_FOLDER COMMAND…: runs a command with another Node first in the path.
on() {
  local folder=$1
  shift
  PATH="$folder:$PATH" "$@"
}

# Ends with the failures once more: of a long log often only the end is kept.
finish() {
  [ ! -s "$scratch/failures" ] || { echo "== failed" && cat "$scratch/failures"; }
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
  exit
}
