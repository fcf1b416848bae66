#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2154
# Wrong usage and bad rankfiles: the line and the exit code of each, and nothing is built.
. "$BERTH_SOURCE_DIR/tests/testbed/lib.sh"
[ "$(id -u)" -eq 0 ] || skip "needs root"
cd "$work" || exit 1
help="; see testbed --help"

expect 2 "testbed: no command$help" "$testbed"
expect 2 "testbed: unknown command 'fly'$help" "$testbed" fly
expect 2 "testbed: unknown option '--fly'$help" "$testbed" --fly up
expect 2 "testbed: --rate needs a value$help" "$testbed" --rate
for rate in 0 101 1e3 -5 25mbit; do
  expect 2 "testbed: rate '$rate', expected a whole number of Mbit/s from 1 to 100$help" \
    "$testbed" --rate "$rate" up
done
for name in .. a/b '' 'a b' "$(printf 'x%.0s' {1..41})"; do
  expect 2 "testbed: name '$name', expected 1 to 40 letters, digits, - or _$help" \
    "$testbed" --name "$name" down
done
expect 2 "testbed: up takes no argument$help" "$testbed" up now
expect 2 "testbed: exec needs a host and a command$help" "$testbed" exec h0
expect 2 "testbed: host 'h8', expected h0 to h7$help" "$testbed" exec h8 true
expect 1 "testbed: testbed '$BERTH_TESTBED' is not up" "$testbed" exec h0 true
form="limit needs a host or switch, up, a direction and a rate, or a switch, all and a rate"
for words in "" "h3" "h3 up in" "h3 down in 5" "A all" "A all 40 50"; do
  # shellcheck disable=SC2086
  expect 2 "testbed: $form$help" "$testbed" limit $words
done
for element in h8 C x; do
  expect 2 "testbed: limit of '$element' up, expected h0 to h7, A or B$help" \
    "$testbed" limit $element up in 5
done
expect 2 "testbed: direction 'up', expected out, in or both$help" "$testbed" limit h3 up up 5
expect 2 "testbed: limit of 'h3' in all, expected A, B or C$help" "$testbed" limit h3 all 5
for rate in 0 1001 -5 4O 40mbit; do
  expect 2 "testbed: limit '$rate', expected off or whole Mbit/s from 1 to 1000$help" \
    "$testbed" limit A all "$rate"
done
expect 1 "testbed: testbed '$BERTH_TESTBED' is not up" "$testbed" limit h3 up in 5
expect 1 "testbed: testbed '$BERTH_TESTBED' is not up" "$testbed" limit A all 40
expect 2 "testbed: run needs a rankfile and a program$help" "$testbed" run rankfile
for ranks in 0 17 x; do
  expect 2 "testbed: --linear '$ranks', expected a number of ranks from 1 to 16$help" \
    "$testbed" run --linear $ranks true
done
expect 4 "testbed: nowhere: cannot be read, expected a rankfile" "$testbed" run nowhere true

form="expected 'rank N=hH slot=S' with H from 0 to 7, S 0 or 1"
bad() { # LINES MESSAGE
  printf '%b' "$1" >rankfile
  expect 3 "testbed: rankfile$2" "$testbed" run rankfile true
}
bad '' ": no rank, expected lines 'rank N=hH slot=S'"
bad '# nothing\n\n' ": no rank, expected lines 'rank N=hH slot=S'"
bad 'rank 0=h8 slot=0\n' ":1: 'rank 0=h8 slot=0', $form"
bad 'rank 0=node0 slot=0\n' ":1: 'rank 0=node0 slot=0', $form"
bad 'rank 0=h0 slot=2\n' ":1: 'rank 0=h0 slot=2', $form"
bad 'rank 0=h0 slot=0-1\n' ":1: 'rank 0=h0 slot=0-1', $form"
bad 'rank 0=h0 slot=0\nrank -1=h0 slot=1\n' ":2: 'rank -1=h0 slot=1', $form"
bad 'rank 0=h0 slot=0\n\nrank 00=h1 slot=0\n' ":3: rank 0 again, expected each rank once"
bad 'rank 0=h0 slot=0\nrank 2=h1 slot=0\n' ": no rank 1, expected ranks 0 to 1"
check "nothing was built" [ ! -e "$state" ]
finish
