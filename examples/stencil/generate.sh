#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Prints the pattern of a 3-D 7-point stencil, or the topology of a regular cluster.
usage='usage: generate.sh pattern NX NY NZ [BYTES [COUNT]]
       generate.sh topology SWITCHES:HOSTS:CORES
pattern: NX * NY * NZ ranks; rank (z * NY + y) * NX + x sends COUNT messages (default 100) of BYTES
(default 65536) to each of its up to six neighbours. Not periodic.
topology: a backbone over SWITCHES switches, each over HOSTS hosts of CORES cores.
All numbers are whole and at least 1; at most 2^24 ranks or cores.'

misuse() {
  printf 'generate.sh: %s\n%s\n' "$1" "$usage" >&2
  exit 2
}

check() { # WHAT TEXT: a whole number from 1 to 2^30
  case $2 in
    '' | 0* | *[!0-9]* | ???????????*) misuse "$1 '$2', expected a whole number of at least 1" ;;
  esac
  [ "$2" -le 1073741824 ] || misuse "$1 '$2', expected at most 2^30"
}

check_product() { # WHAT A B C
  awk -v n="$2" -v m="$3" -v k="$4" 'BEGIN { exit n * m * k > 2^24 }' ||
    misuse "$2 * $3 * $4 $1, expected at most 2^24"
}

pattern() {
  case $# in 3 | 4 | 5) ;; *) misuse "pattern needs NX NY NZ [BYTES [COUNT]]" ;; esac
  nx=$1 ny=$2 nz=$3 bytes=${4:-65536} count=${5:-100}
  check NX "$nx" && check NY "$ny" && check NZ "$nz" && check BYTES "$bytes" && check COUNT "$count"
  check_product ranks "$nx" "$ny" "$nz"
  awk -v nx="$nx" -v ny="$ny" -v nz="$nz" -v bytes="$bytes" -v count="$count" '
  function to(rank) {
    list = list separator "[" rank "," bytes "," count "]"
    separator = ","
  }
  BEGIN {
    printf "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":%d,", nx * ny * nz
    printf "\"command\":[\"stencil\",\"%d\",\"%d\",\"%d\"],\"mpi\":\"none\"}\n", nx, ny, nz
    records = rank = 0
    for (z = 0; z < nz; z++)
      for (y = 0; y < ny; y++)
        for (x = 0; x < nx; x++) {
          list = separator = ""
          if (z > 0) to(rank - nx * ny)
          if (y > 0) to(rank - nx)
          if (x > 0) to(rank - 1)
          if (x < nx - 1) to(rank + 1)
          if (y < ny - 1) to(rank + nx)
          if (z < nz - 1) to(rank + nx * ny)
          if (list != "") {
            printf "{\"kind\":\"p2p\",\"src\":%d,\"msgs\":[%s]}\n", rank, list
            records++
          }
          rank++
        }
    printf "{\"kind\":\"end\",\"records\":%d}\n", records
  }'
}

topology() {
  case $# in 1) ;; *) misuse "topology needs SWITCHES:HOSTS:CORES" ;; esac
  case $1 in
    *:*:*:*) misuse "'$1', expected three numbers" ;;
    *:*:*) ;;
    *) misuse "'$1', expected three numbers" ;;
  esac
  switches=${1%%:*} cores=${1##*:} hosts=${1#*:}
  hosts=${hosts%:*}
  check SWITCHES "$switches" && check HOSTS "$hosts" && check CORES "$cores"
  check_product cores "$switches" "$hosts" "$cores"
  # The curves are those of no machine. Trunks carry half of what their hosts could send.
  awk -v switches="$switches" -v hosts="$hosts" -v cores="$cores" '
  BEGIN {
    trunk = hosts > 2 ? hosts * 12e9 / 2 : 12e9
    print "{\"format\": \"berth-topology\", \"version\": 1,"
    printf " \"name\": \"%d switches of %d hosts of %d cores\",\n", switches, hosts, cores
    print " \"curves\": {"
    print "  \"memory\": {\"source\": \"assumed\","
    print "   \"points\": [[1, 2000000], [4096, 2000000000], [1048576, 5000000000]]},"
    print "  \"link\": {\"source\": \"assumed\","
    print "   \"points\": [[1, 500000], [4096, 1500000000], [1048576, 12000000000]]}},"
    print " \"types\": {"
    print "  \"host\":     {\"up\": {\"out\": \"link\", \"in\": \"link\"},"
    print "               \"down\": {\"out\": \"memory\", \"in\": \"memory\"}},"
    printf "  \"switch\":   {\"up\": {\"out\": \"link\", \"in\": \"link\", \"max_bandwidth\": %.0f},\n", trunk
    print "               \"down\": {\"out\": \"link\", \"in\": \"link\"}},"
    printf "  \"backbone\": {\"down\": {\"out\": \"link\", \"in\": \"link\", \"max_bandwidth\": %.0f}}},\n", trunk
    print " \"root\": {\"type\": \"backbone\", \"name\": \"backbone\", \"children\": ["
    printf "  {\"type\": \"switch\", \"name\": \"switch%%d\", \"repeat\": %d, \"children\": [\n", switches
    printf "   {\"type\": \"host\", \"name\": \"node%%d\", \"host\": \"node%%d\", \"repeat\": %d,", hosts
    print " \"children\": ["
    for (i = 0; i < cores; i++)
      printf "    {\"pu\": %d, \"core\": %d}%s\n", i, i, i < cores - 1 ? "," : "]}]}]}}"
  }'
}

what=${1:-}
[ $# -eq 0 ] || shift
case $what in
  pattern) pattern "$@" ;;
  topology) topology "$@" ;;
  -h | --help) printf '%s\n' "$usage" ;;
  *) misuse "'$what', expected pattern or topology" ;;
esac
