#!/usr/bin/env bash
# shellcheck disable=SC2154
# One failed allocation gives the right output or exit code 4 with one line: some of all those that
# bench/allocations/sweep.py lets fail, every one in long runs (BERTH_TEST_ROUNDS).
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
is_sanitized && { echo "skipped: the sanitizers have an allocator of their own"; exit 77; }
every=211
all_rounds || every=503
rounds_above 1 && every=1
check "one of $every allocations" "$BERTH_SOURCE_DIR/bench/allocations/sweep.py" --build "$BERTH_BUILD_DIR" \
  --every $every
finish
