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

# What a version of Node changes: HTTP, streams, signals, files, the addon of SQLite.
on_each_node=(
  hostile/{answers,process,streams,interrupted,together,emulator-data}
  e2e/compile-cache
)

# node_folder MAJOR: where install_node puts the binary of a major version of Node.
node_folder() {
  echo "$scratch/node-$1/node_modules/node-$(node -p 'process.platform + "-" + process.arch')/bin"
}

# install_node MAJOR: from the npm registry, whose packages of Node have the binary alone.
install_node() {
  mkdir "$scratch/node-$1"
  npm install --prefix "$scratch/node-$1" --no-save --ignore-scripts --silent \
    "node-$(node -p 'process.platform + "-" + process.arch')@$1" || echo "Node $1 cannot be installed"
}

# tests_on_node MAJOR: the tests that depend on Node, on one that install_node has installed.
tests_on_node() {
  local folder
  folder=$(node_folder "$1")
  check "Node $1" "$folder/node" --version
  tests "tests on Node $1" on "$folder" node node_modules/vitest/vitest.mjs run \
    --project binary "${on_each_node[@]/#/test/}"
}

# Ends with the failures once more: of a long log often only the end is kept.
finish() {
  [ ! -s "$scratch/failures" ] || { echo "== failed" && cat "$scratch/failures"; }
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
  exit
}
