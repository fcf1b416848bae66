#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2154
# What the hosts of a testbed are to each other: own names, shared memory and temporary folders, one
# network with every port shaped. And two testbeds side by side know nothing of each other.
. "$BERTH_SOURCE_DIR/tests/testbed/lib.sh"
other="$testbed --name other-$$"
trap '$other down; "$testbed" down; rm -rf "$work"' EXIT
up_or_skip
on() { "$testbed" exec "$@"; }

for i in 0 4 5 7; do
  check "h$i: name" [ "$(on h$i hostname)" = h$i ]
  check "h$i: address" eval "on h$i ip -4 -o addr show dev e0 | grep -q 'inet 10.77.0.1$i/24 '"
  check "h$i: only its own devices" [ "$(on h$i ip -o link | wc -l)" = 2 ]
  check "h$i: knows the others" [ "$(on h$i awk '$2 == "h6" { print $1 }' /etc/hosts)" = 10.77.0.16 ]
  check "h$i: its port is shaped" eval "on h$i tc class show dev e0 | grep -q 'htb 1:1 root rate 25Mbit'"
  check "h$i: congestion control" [ "$(on h$i cat /proc/sys/net/ipv4/tcp_congestion_control)" = reno ]
done
check "the folder is kept" [ "$(cd "$work" && on h3 pwd)" = "$work" ]
check "arguments are kept" [ "$(on h3 printf '%s|' 'a b' '$c' '')" = 'a b|$c||' ]
check "the exit code is passed on" eval 'on h3 sh -c "exit 77"; [ $? -eq 77 ]'

on h1 sh -c 'echo 1 >/dev/shm/mark && echo 1 >"$TMPDIR/mark"'
check "shared memory is the host's own" eval 'on h1 [ -e /dev/shm/mark ] && ! on h2 [ -e /dev/shm/mark ]'
check "TMPDIR is the host's own" eval 'on h1 sh -c "[ -e \$TMPDIR/mark ]" && ! on h2 sh -c "[ -e \$TMPDIR/mark ]"'
check "nothing of it is outside" [ ! -e /dev/shm/mark ]

ports_shaped() {
  for device in $(ip -br link | sed 's/[@ ].*//'); do tc class show dev "$device"; done |
    grep -c 'htb 1:1 root rate 25Mbit'
}
# Every port of the switches: five and three hosts, and both ends of both trunks.
keeper=$(cut -d ' ' -f 1 "$state/keeper")
check "twelve shaped ports on the switches" \
  [ "$(nsenter --target "$keeper" --net bash -c "$(declare -f ports_shaped); ports_shaped")" = 12 ]

# A listener on one host, reached from a host behind the other switch, in this testbed only.
on h0 python3 -c '
import socket
s = socket.create_server(("10.77.0.10", 7000))
while True: s.accept()[0].sendall(b"hello\n")' &
greet() { [ "$("${@}" exec h6 bash -c 'exec 3<>/dev/tcp/h0/7000 && head -n 1 <&3' 2>/dev/null)" = hello ]; }
check "h6 reaches h0" await greet "$testbed"
check "another testbed comes up beside it" eval '$other --rate 50 up >/dev/null'
check "with its own rate" eval "$other exec h0 tc class show dev e0 | grep -q 'htb 1:1 root rate 50Mbit'"
check "it does not reach this one" eval '! greet $other'
check "it goes down" "$testbed" --name other-$$ down
check "this one is still up" greet "$testbed"

check "a second up is refused" eval '! "$testbed" up 2>/dev/null'
check "another rate is refused" eval '"$testbed" --rate 50 run --linear 2 true 2>/dev/null; [ $? -eq 2 ]'
finish
