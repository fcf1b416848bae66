#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2154
# Limits of a testbed that is up: each acts on its own device alone, what a switch's limit counts is
# what enters that switch, and `off` leaves nothing of it.
. "$BERTH_SOURCE_DIR/tests/testbed/lib.sh"
up_or_skip
keeper=$(cut -d ' ' -f 1 "$state/keeper")
switches() { nsenter --target "$keeper" --net "$@"; }

# The rate of every direction shaped at the switches, by device, and of what h2 and h3 send.
rates() {
  for device in $(switches ip -br link | sed 's/[@ ].*//'); do
    switches tc class show dev "$device" | sed -n "s/^class htb 1:1 root rate \([0-9]*\)Mbit.*/$device=\1/p"
  done
  for i in 2 3; do
    "$testbed" exec h$i tc class show dev e0 | sed -n "s/^class htb 1:1 root rate \([0-9]*\)Mbit.*/h$i=\1/p"
  done
}
rates >"$work/before"
check "fourteen directions" [ "$(grep -c '=25$' "$work/before")" = 14 ]

# limited EXPECTED ARGUMENT…: what then differs from a testbed without limits.
limited() {
  local expected=$1; shift
  check "limit $*" "$testbed" limit "$@"
  rates | diff "$work/before" - | sed -n 's/^> //p' | sort >"$work/found"
  check "limit $*: expected $expected, found" [ "$(tr '\n' ' ' <"$work/found")" = "${expected:+$expected }" ]
}
limited "port3=10" h3 up in 10
limited "h3=9 port3=9" h3 up both 09
limited "h3=9" h3 up in off
limited "" h3 up out 25
limited "upA=5" A up out 5
limited "downB=7 upA=5" B up in 7
limited "downB=7" A up both off
limited "" B up both off

# The bytes that went through a switch's limit.
passed() { switches tc -s class show dev "all$1" classid 1:1 | sed -n 's/^ Sent \([0-9]*\) bytes.*/\1/p'; }

# h0 and h7 send 300,000 bytes to whoever connects.
for i in 0 7; do
  "$testbed" exec h$i python3 -c '
import socket
s = socket.create_server(("", 7000))
while True:
    with s.accept()[0] as connection: connection.sendall(bytes(300000))' &
done
send() { # FROM TO
  [ "$("$testbed" exec "$2" bash -c "cat </dev/tcp/$1/7000 | wc -c" 2>/dev/null)" = 300000 ]
}
check "h0 sends" await send h0 h1
check "h7 sends" await send h7 h6

# counts SWITCH FROM TO yes|no: whether what goes from host to host passes the switch's limit: once,
# and with headers and acknowledgements.
counts() {
  local before after
  before=$(passed "$1")
  check "$2 sends to $3" send "$2" "$3"
  after=$(passed "$1")
  case $4 in
    yes) check "from $2 to $3 counts at $1, once: $before, $after" \
      [ $((after - before)) -gt 310000 -a $((after - before)) -lt 400000 ] ;;
    no) check "from $2 to $3 does not count at $1: $before, $after" \
      [ $((after - before)) -lt 1000 ] ;;
  esac
}
limited "allA=40" A all 40
counts A h0 h1 yes
counts A h0 h5 yes
counts A h7 h1 yes
counts A h7 h6 no
limited "allA=40 allC=30" C all 30
counts C h0 h1 no
counts C h7 h1 yes
limited "allA=800 allC=30" A all 0800
limited "allA=800 allB=20 allC=30" B all 20
counts B h7 h6 yes
counts B h0 h1 no
limited "allB=20 allC=30" A all off
limited "allC=30" B all off
limited "" C all off
check "no filter is left" [ -z "$(switches tc qdisc show | grep clsact)" ]
check "limit again lifted" "$testbed" limit C all off
check "h0 reaches h5 as before" send h0 h5

help="; see testbed --help"
expect 2 "testbed: limit '26', expected off or whole Mbit/s from 1 to 25, the rate of the ports$help" \
  "$testbed" limit h3 up in 26
(exec 9>"$state/lock" && flock 9 && expect 1 "testbed: testbed '$BERTH_TESTBED' is busy with another run" \
  "$testbed" limit A all 40; exit "$failures")
check "not during a run" [ $? -eq 0 ]
finish
