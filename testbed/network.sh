#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# network.sh STATE MBIT up|run: the first process of a testbed. `testbed` starts it in new
# namespaces of every kind; it is process 1 there, so the kernel ends everything inside when it
# ends, and takes the network, the mounts and the shared memory away with it.
# Builds the network and the hosts, writes STATE/ready, then waits: for ever ("up"), or until
# standard input is closed, which means that the one who started it is gone ("run").
set -euo pipefail
state=$1 mbit=$2 life=$3
# shellcheck source=testbed/shape.sh disable=SC1091
. "$(dirname "$0")/shape.sh"

hosts="0 1 2 3 4 5 6 7"
switch_of() { if [ "$1" -lt 5 ]; then echo A; else echo B; fi; } # five hosts and three

# bbr, many kernels' default, paces flows by its own estimate of the rate, which takes it seconds.
congestion=reno
# What one connection may have on its way. With no bound it fills the deep queues with seconds of
# data. Cluster networks hold senders back (credits, lossless Ethernet), which this bound does. It is
# large enough for a connection to fill its lanes on a path where others share each port.
window=262144

# Switches A and B, and C which joins them. Each trunk is a pair of devices, one per direction.
make_switches() {
  ip link set lo up
  for s in A B C; do
    ip link add "switch$s" type bridge forward_delay 0 mcast_snooping 0
    ip link set "switch$s" up
  done
  # Where the kernel passes bridged packets through its firewall, it shall not do so here.
  for f in /proc/sys/net/bridge/bridge-nf-call-*; do
    [ ! -w "$f" ] || echo 0 >"$f"
  done
  for s in A B; do
    ip link add "up$s" type veth peer name "down$s"
    ip link set "up$s" master "switch$s" up
    ip link set "down$s" master switchC up
    shape "$mbit" tc "up$s"
    shape "$mbit" tc "down$s"
  done
}

# What a host's first process does: a name, shared memory, a TMPDIR and an /etc/hosts of its own,
# then it says that it is there and keeps the host's namespaces alive.
# shellcheck disable=SC2016
host_main='
set -eu
state=$1 host=$2
hostname "$host"
ip link set lo up
mount -t tmpfs -o size=512m tmpfs /dev/shm
mount -t tmpfs -o size=512m tmpfs "$state/tmp"
mount --bind "$state/hosts" /etc/hosts
echo "$host $$" >"$state/arrivals"
exec sleep infinity'

start_hosts() {
  { echo "127.0.0.1 localhost"; for i in $hosts; do echo "10.77.0.1$i h$i"; done; } >"$state/hosts"
  mkdir "$state/tmp"
  mkfifo "$state/arrivals"
  exec {arrivals}<>"$state/arrivals"
  for i in $hosts; do
    unshare --net --mount --uts --ipc -- sh -c "$host_main" "h$i" "$state" "h$i" {arrivals}>&- &
  done
  for i in $hosts; do
    read -r -t 20 -u "$arrivals" host pid || { echo "a host did not start" >&2; exit 1; }
    echo "$pid" >"$state/$host.pid"
  done
  exec {arrivals}>&-
  rm "$state/arrivals"
}

connect_host() { # NUMBER
  local pid
  pid=$(<"$state/h$1.pid")
  # One frame at a time, as wires have them, not the kernel's 64 KiB of several.
  ip link add "port$1" gso_max_segs 1 type veth peer name e0 netns "$pid"
  ip link set "port$1" master "switch$(switch_of "$1")" up
  shape "$mbit" tc "port$1"
  shape "$mbit" nsenter --target "$pid" --net tc e0
  # shellcheck disable=SC2016
  nsenter --target "$pid" --net sh -euc '
    cd /proc/sys/net
    echo "$2" >ipv4/tcp_congestion_control
    echo 0 >ipv4/tcp_slow_start_after_idle
    echo "4096 $3 $3" >ipv4/tcp_rmem
    echo "4096 $3 $3" >ipv4/tcp_wmem
    # A new connection shall not start from what an earlier one learnt: runs stay independent.
    echo 1 >ipv4/tcp_no_metrics_save
    [ ! -e ipv6 ] || echo 1 >ipv6/conf/all/disable_ipv6
    ip addr add "10.77.0.1$1/24" dev e0
    ip link set e0 gso_max_segs 1 up' sh "$1" $congestion $window
}

mount -t proc proc /proc
make_switches
start_hosts
for i in $hosts; do connect_host "$i"; done
touch "$state/ready"

if [ "$life" = run ]; then
  read -r _ || :
  rm -rf -- "$state"
else
  wait
fi
