# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Sourced by network.sh and testbed: how what a device passes on is limited.

# The token bucket is small: a deep one would let short messages pass at memory speed.
# The queues are deep: TCP never loses a packet, so the times are those of the ports and not those
# of its recovery from losses.
burst=4000
queue=8mb
lanes=64

# Connections take turns, a frame each, as messages do in the ports of a cluster's switch: they are
# told apart by their TCP ports, which choose one of the lanes. In one common queue what acknowledges
# one direction waits behind the data of the other, so that a port whose two directions are of
# different rates does both in 1.5 times the time that it should.
# What has no payload (IPv4 of 52 bytes: headers and the time stamp) goes first.
# A program for the kernel's classic packet filter: CODE JUMP-IF-TRUE JUMP-IF-FALSE VALUE.
lane_program=(
  "40 0 0 12"                # the frame's protocol
  "21 0 9 2048"              # not IPv4: the first lane
  "40 0 0 16"                # the packet's bytes
  "21 8 0 52"                # none of a message
  "40 0 0 34" "7 0 0 0"      # the sender's port
  "40 0 0 36" "12 0 0 0"     # and the receiver's, added
  "84 0 0 $((lanes - 1))"    # their last bits
  "4 0 0 $((0x10010))"       # class 1:10 and on
  "22 0 0 0"
  "6 0 0 $((0x10010))"
  "6 0 0 $((0x10002))"
)

lane_commands() { # MBIT DEVICE: all lanes of a device, as commands of tc -batch
  local lane program
  printf -v program ',%s' "${lane_program[@]}"
  echo "qdisc add dev $2 root handle 1: htb default 10"
  echo "class add dev $2 parent 1: classid 1:1 htb $(rate_of "$1")"
  echo "class add dev $2 parent 1:1 classid 1:2 htb rate 8kbit ceil 1gbit burst 1600 cburst 1600" \
    "prio 0 quantum 1514"
  for ((lane = 16; lane < 16 + lanes; lane++)); do
    printf 'class add dev %s parent 1:1 classid 1:%x htb rate 8kbit ceil 1gbit burst 1600 cburst %s\n' \
      "$2" "$lane" "1600 prio 1 quantum 1514"
    printf 'qdisc add dev %s parent 1:%x bfifo limit %s\n' "$2" "$lane" "$queue"
  done
  echo "filter add dev $2 parent 1: protocol all bpf bytecode \"${#lane_program[@]}$program\""
}

# How fast a device's lanes are together.
rate_of() { # MBIT
  echo "rate ${1}mbit ceil ${1}mbit burst $burst cburst $burst quantum 1514"
}

shape() { # MBIT TC-COMMAND… DEVICE: limits what leaves through a device that has no limit yet
  lane_commands "$1" "${!#}" | "${@:2:$#-2}" -batch -
}

reshape() { # MBIT TC-COMMAND… DEVICE: gives it another limit
  # shellcheck disable=SC2046
  "${@:2:$#-2}" class change dev "${!#}" classid 1:1 htb $(rate_of "$1")
}
