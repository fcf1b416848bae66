#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# topology.sh [MBIT]: prints the testbed's topology for ports of MBIT Mbit/s (1 to 100, default 25).
# topology.json is what it prints for 25.
set -euo pipefail
mbit=${1-25}
if [ $# -gt 1 ] || ! [[ $mbit =~ ^[1-9][0-9]{0,2}$ ]] || [ "$mbit" -gt 100 ]; then
  echo "usage: topology.sh [MBIT], a whole number of Mbit/s from 1 to 100 (default 25)" >&2
  exit 2
fi

# A full frame of 1,514 bytes carries 1,448 bytes of the message. Each message has 22 bytes of
# Open MPI's headers, and takes at least 20 µs: that is what the processes at both ends need.
awk -v mbit="$mbit" '
function point(size,   seconds) {
  seconds = (size + 22) / capacity
  return sprintf("[%d, %.0f]", size, size / (seconds > 20e-6 ? seconds : 20e-6))
}
BEGIN {
  capacity = mbit * 1e6 / 8 * 1448 / 1514
  n = split("1 16 64 256 1024 4096 16384 65536 1048576", size, " ")
  for (i = 1; i <= n; i++) link = link (i > 1 ? ", " : "") point(size[i])
  printf "{\"format\": \"berth-topology\", \"version\": 1, \"name\": \"testbed, %d Mbit/s\",\n", mbit
  print " \"curves\": {"
  print "  \"link\": {\"source\": \"the slower of NetPIPE ping-pong and stream between two hosts at" \
        " 25 Mbit/s: max(20 us, (size + 22 B) / (port rate * 1448 / 1514))\","
  printf "   \"points\": [%s]},\n", link
  print "  \"memory\": {\"source\": \"NetPIPE ping-pong between the two slots of a host (vader," \
        " copy in and out), nothing else running, 2 cores\","
  print "   \"points\": [[1, 2440000], [256, 406000000], [1024, 1100000000], [4096, 1030000000]," \
        " [16384, 1490000000], [65536, 1940000000], [1048576, 2070000000]]}},"
  printf " \"types\": {\n"
  port = sprintf("{\"out\": \"link\", \"in\": \"link\", \"max_bandwidth\": %.0f}", capacity)
  printf "  \"host\":     {\"up\": %s,\n", port
  print  "               \"down\": {\"out\": \"memory\", \"in\": \"memory\"}},"
  printf "  \"switch\":   {\"up\": %s,\n               \"down\": %s},\n", port, port
  printf "  \"backbone\": {\"down\": %s}},\n", port
  print " \"root\": {\"type\": \"backbone\", \"name\": \"C\", \"children\": ["
  for (s = 1; s <= 2; s++) {
    printf "  {\"type\": \"switch\", \"name\": \"%s\", \"children\": [\n", s == 1 ? "A" : "B"
    printf "    {\"type\": \"host\", \"name\": \"h%%d\", \"host\": \"h%%d\", \"first\": %d," \
           " \"repeat\": %d,\n", s == 1 ? 0 : 5, s == 1 ? 5 : 3
    printf "     \"children\": [{\"pu\": 0, \"core\": 0}, {\"pu\": 1, \"core\": 1}]}]}%s\n",
           s == 1 ? "," : "]}}"
  }
}'
