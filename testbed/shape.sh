# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Sourced by network.sh and testbed: how what a device passes on is limited.

# The token bucket is small: a deep one would let short messages pass at memory speed.
# The queue is deep: TCP never loses a packet, so the times are those of the ports and not those
# of its recovery from losses.
burst=32kbit
queue=8mb

shape() { # MBIT TC-COMMAND… DEVICE: limits what leaves through a device
  "${@:2:$#-2}" qdisc replace dev "${!#}" root tbf rate "${1}mbit" burst $burst limit $queue
}
