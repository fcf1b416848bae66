#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# topology.sh: prints the topology of a testbed as it truly is, see usage.
# topology.json is what it prints without arguments.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: topology.sh [MBIT] [--port HOST|A|B:out|in|both=MBIT]… [--aggregate A|B|C=MBIT]…
  MBIT         Mbit/s of every port, 1 to 100 (default 25)
  --port       what `testbed limit … up` limited, at most MBIT
  --aggregate  what `testbed limit … all` limited, 1 to 1000
TEXT
}
misuse() {
  echo "topology.sh: $1; see topology.sh --help" >&2
  exit 2
}
within() { # TEXT LOW HIGH: true when the text is a whole number in this range
  [[ $1 =~ ^[0-9]{1,4}$ ]] && ((10#$1 >= $2 && 10#$1 <= $3))
}

mbit=25 limits='' highest=1
if [[ $# -gt 0 && $1 != -* ]]; then
  mbit=$1
  shift
fi
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --port | --aggregate) [ $# -ge 2 ] || misuse "$1 needs a value" ;;&
    --port)
      [[ $2 =~ ^(h[0-7]|[AB]):(out|in|both)=([0-9]{1,3})$ ]] ||
        misuse "--port '$2', expected such as h2:in=10 or A:both=5"
      of=${BASH_REMATCH[1]} direction=${BASH_REMATCH[2]} value=$((10#${BASH_REMATCH[3]}))
      [ $value -gt 0 ] || misuse "--port '$2', expected at least 1 Mbit/s"
      [ $value -le $highest ] || highest=$value
      [ "$direction" = in ] || limits+=" $of:out=$value"
      [ "$direction" = out ] || limits+=" $of:in=$value" ;;
    --aggregate)
      if ! [[ $2 =~ ^[ABC]=([0-9]+)$ ]] || ! within "${2#*=}" 1 1000; then
        misuse "--aggregate '$2', expected such as A=40, 1 to 1000"
      fi
      limits+=" ${2%=*}:all=$((10#${2#*=}))" ;;
    *) misuse "unknown argument '$1'" ;;
  esac
  shift 2
done
within "$mbit" 1 100 || misuse "rate '$mbit', expected a whole number of Mbit/s from 1 to 100"
mbit=$((10#$mbit))
[ $highest -le $mbit ] || misuse "a port limited to $highest Mbit/s, expected at most $mbit as all ports"

# A full frame of 1,514 bytes carries 1,448 bytes of the message. Each message has 22 bytes of
# Open MPI's headers, and takes at least 20 µs: that is what the processes at both ends need.
# A switch's limit counts the acknowledgements too: 66 bytes for every second frame.
awk -v mbit="$mbit" -v limits="$limits" '
function capacity(rate) { return rate * 1e6 / 8 * 1448 / 1514 }
function capacity_of_all(rate) { return rate * 1e6 / 8 * 1448 / (1514 + 66 / 2) }
function point(size, rate,   seconds) {
  seconds = (size + 22) / capacity(rate)
  return sprintf("[%d, %.0f]", size, size / (seconds > 20e-6 ? seconds : 20e-6))
}
function link_points(rate,   points, i, n, size) {
  n = split("1 16 64 256 1024 4096 16384 65536 1048576", size, " ")
  for (i = 1; i <= n; i++) points = points (i > 1 ? ", " : "") point(size[i], rate)
  return points
}
# The name of the curve for a rate.
function curve(rate) { return rate == mbit ? "link" : "link " rate }
function rate_of(element, direction) {
  return (element ":" direction) in limit ? limit[element ":" direction] : mbit
}
# A port whose two directions may be limited.
function port(out, in_rate,   text) {
  text = sprintf("\"out\": \"%s\", \"in\": \"%s\", ", curve(out), curve(in_rate))
  if (out == in_rate) return sprintf("{%s\"max_bandwidth\": %.0f}", text, capacity(out))
  # One max_bandwidth would hold for both; left out, it is where the curve of each direction ends.
  return "{" substr(text, 1, length(text) - 2) "}"
}
function up(element) { return port(rate_of(element, "out"), rate_of(element, "in")) }
function is_limited(element) {
  return (element ":out") in limit || (element ":in") in limit || (element ":all") in limit
}
function type_of(element, kind) { return is_limited(element) ? kind " " element : kind }
function all_of(element) {
  if (!((element ":all") in limit)) return ""
  return sprintf(", \"max_bandwidth\": %.0f", capacity_of_all(limit[element ":all"]))
}
function host_type(element) {
  printf "  \"%s\": %s{\"up\": %s,\n", type_of(element, "host"), element ? " " : "    ", up(element)
  print  "               \"down\": {\"out\": \"memory\", \"in\": \"memory\"}},"
}
function switch_type(element) {
  printf "  \"%s\": %s{\"up\": %s,\n", type_of(element, "switch"), element ? "" : "  ", up(element)
  printf "               \"down\": %s%s},\n", port(mbit, mbit), all_of(element)
}
BEGIN {
  n = split(limits, each, " ")
  for (i = 1; i <= n; i++) {
    split(each[i], part, "=")
    limit[part[1]] = part[2]
  }
  printf "{\"format\": \"berth-topology\", \"version\": 1, \"name\": \"testbed, %d Mbit/s", mbit
  for (i = 1; i <= n; i++) printf ", %s", each[i]
  print "\","
  print " \"curves\": {"
  print "  \"link\": {\"source\": \"the slower of NetPIPE ping-pong and stream between two hosts at" \
        " 25 Mbit/s: max(20 us, (size + 22 B) / (port rate * 1448 / 1514))\","
  printf "   \"points\": [%s]},\n", link_points(mbit)
  for (i = 1; i <= n; i++) {
    split(each[i], part, "=")
    if (part[1] ~ /:all/ || part[2] == mbit || part[2] in drawn) continue
    drawn[part[2]] = 1
    printf "  \"link %d\": {\"points\": [%s]},\n", part[2], link_points(part[2])
  }
  print "  \"memory\": {\"source\": \"NetPIPE ping-pong between the two slots of a host (vader," \
        " copy in and out), nothing else running, 2 cores\","
  print "   \"points\": [[1, 2440000], [256, 406000000], [1024, 1100000000], [4096, 1030000000]," \
        " [16384, 1490000000], [65536, 1940000000], [1048576, 2070000000]]}},"
  printf " \"types\": {\n"
  host_type("")
  for (h = 0; h < 8; h++) if (is_limited("h" h)) host_type("h" h)
  switch_type("")
  for (s = 1; s <= 2; s++) if (is_limited(substr("AB", s, 1))) switch_type(substr("AB", s, 1))
  printf "  \"backbone\": {\"down\": %s%s}},\n", port(mbit, mbit), all_of("C")
  print " \"root\": {\"type\": \"backbone\", \"name\": \"C\", \"children\": ["
  for (s = 1; s <= 2; s++) {
    element = substr("AB", s, 1)
    printf "  {\"type\": \"%s\", \"name\": \"%s\", \"children\": [\n", type_of(element, "switch"), element
    last = s == 1 ? 4 : 7
    for (h = s == 1 ? 0 : 5; h <= last; h += same) {
      type = type_of("h" h, "host")
      for (same = 1; h + same <= last && type_of("h" (h + same), "host") == type; same++);
      printf "    {\"type\": \"%s\", \"name\": \"h%%d\", \"host\": \"h%%d\", \"first\": %d," \
             " \"repeat\": %d,\n", type, h, same
      printf "     \"children\": [{\"pu\": 0, \"core\": 0}, {\"pu\": 1, \"core\": 1}]}%s",
             h + same <= last ? ",\n" : "]}"
    }
    print s == 1 ? "," : "]}}"
  }
}'
