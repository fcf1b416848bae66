# shellcheck shell=bash disable=SC1091,SC2034,SC2154
# Sourced by the testbed's tests: a testbed of this test's own, which ends with it.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
testbed=$BERTH_SOURCE_DIR/testbed/testbed
export BERTH_TESTBED=test-$$
state=/run/berth-testbed-$BERTH_TESTBED
trap '[ "$BASHPID" != $$ ] || { "$testbed" down; rm -rf "$work"; }' EXIT

skip() {
  echo "skipped: $1"
  exit 77
}

# Builds the testbed, or skips the test where this machine does not let it.
up_or_skip() {
  local line code=0
  line=$("$testbed" up 2>&1) || code=$?
  [ $code -ne 4 ] || skip "$line"
  check "the testbed comes up: $line" [ $code -eq 0 ]
}

# Builds the ladder example as $work/ladder.
make_ladder() {
  local mpicc
  mpicc=$(command -v mpicc.openmpi || command -v mpicc) || skip "no mpicc"
  "$mpicc" -O2 -o "$work/ladder" "$BERTH_SOURCE_DIR/examples/ladder/ladder.c" ||
    { echo "FAILED: the ladder example does not compile"; exit 1; }
}
