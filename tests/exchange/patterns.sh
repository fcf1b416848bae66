#!/usr/bin/env bash
# `berth import` and `berth export`: what goes out comes back, files of the real tools, bad files.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
samples=$BERTH_SOURCE_DIR/tests/data/exchange
import() { "$berth" import "$@" 2>&1; }

# What every format can hold: a message a pair, as large in both directions. What others keep of what,
# and whether costs stay what they are: round_trips.sh.
cat > alike.acp <<'ACP'
{"format":"berth-pattern","version":1,"ranks":4,"command":["x"]}
{"kind":"p2p","src":0,"msgs":[[1,1000,1],[2,70000,1]]}
{"kind":"p2p","src":1,"msgs":[[0,1000,1]]}
{"kind":"p2p","src":2,"msgs":[[0,70000,1],[3,3,1]]}
{"kind":"p2p","src":3,"msgs":[[2,3,1]]}
{"kind":"end","records":4}
ACP
for format in sqlite csv matrix-market matrix metis scotch; do
  "$berth" export -f $format alike.acp -o out.$format
  import -f $format out.$format -o back.acp > /dev/null
  check "$format: to standard output" cmp -s out.$format <("$berth" export -f $format alike.acp)
  "$berth" export -f $format back.acp -o again.$format
  check "$format: the same file again" cmp -s out.$format again.$format
done

# What csv holds besides: sizes, counts, phases with names and repeats, binned sizes. Sites go.
cat > rich.acp <<'ACP'
{"format":"berth-pattern","version":1,"ranks":4,"command":[],"mpi":""}
{"kind":"phase","id":0,"name":"","repeats":1}
{"kind":"phase","id":7,"name":"solve, \"fast\"","repeats":30}
{"kind":"p2p","src":0,"msgs":[[1,1000,5],[1,2000,1],[3,9,2,17]]}
{"kind":"p2p","phase":7,"src":2,"msgs":[[0,0,4]]}
{"kind":"end","records":4}
ACP
expect 0 "" "$berth" export -f csv rich.acp -o rich.csv
import rich.csv --ranks 4 -o back.acp > /dev/null
check "csv keeps all but sites" cmp -s rich.acp back.acp
expect 0 "berth export: bytes.mtx has no place for phases, numbers of messages, sizes of messages, messages without bytes" \
  "$berth" export -f matrix-market rich.acp -o bytes.mtx
expect 0 "berth export: matrix-market-messages has no place for phases, sizes of messages, bytes" \
  "$berth" export -f matrix-market-messages rich.acp
"$berth" export -f matrix-market-messages rich.acp -o messages.mtx 2> /dev/null
check "matrices of bytes and messages" [ "$(import bytes.mtx messages.mtx -o back.acp)" = \
  "berth import: back.acp: 4 ranks, 128 messages, 6.853 KiB" ]
check "and in one message a pair" [ "$(import bytes.mtx -o back.acp)" = \
  "berth import: back.acp: 4 ranks, 2 messages, 6.853 KiB" ]
check "and in messages of a size" [ "$(import bytes.mtx --message-size 1K -o back.acp)" = \
  "berth import: back.acp: 4 ranks, 8 messages, 6.853 KiB" ]

# Files of the real tools: Open MPI's monitoring, EZTrace, METIS's m2gmetis, Scotch's gcv
check "monitoring" [ "$(import "$samples"/prof.*.prof -o back.acp)" = \
  "berth import: back.acp: 4 ranks, 27 messages, 260.6 KiB" ]
check "monitoring: sizes" grep -qF '{"kind":"p2p","src":0,"msgs":[[1,0,1],[1,1,1],[1,8,1],[1,516,1],[1,66020,1],[2,100,7]]}' back.acp
check "EZTrace" [ "$(import "$samples/eztrace/eztrace_log.otf2" -o back.acp)" = \
  "berth import: back.acp: 4 ranks, 7 messages, 700 B" ]
check "EZTrace: who to whom" grep -qF '{"kind":"p2p","src":0,"msgs":[[2,100,7]]}' back.acp
check "METIS" [ "$(import -f metis "$samples/mesh.graph" -o back.acp)" = \
  "berth import: back.acp: 4 ranks, 5 messages, 5 B" ]
check "Scotch" [ "$(import -f scotch "$samples/ladder.grf" -o back.acp)" = \
  "berth import: back.acp: 16 ranks, 44 messages, 48.75 MiB" ]

# written as TAU's sources and readers of its profiles have it
check "TAU" [ "$(import "$samples"/profile.*.0.0 -o back.acp)" = \
  "berth import: back.acp: 3 ranks, 5 messages, 137.7 KiB" ]
check "TAU: who to whom" [ "$(grep p2p back.acp)" = '{"kind":"p2p","src":0,"msgs":[[1,338,1],[1,339,2]]}
{"kind":"p2p","src":1,"msgs":[[0,70000,2]]}' ]

# mpiP knows the ranks' times, monitoring who sends to whom: together, gains of the run are known.
cat > app.mpiP <<'MPIP'
@ mpiP
@ Command : ./ring
@ Version                  : 3.5.0
@ MPI Task Assignment      : 0 node0
@ MPI Task Assignment      : 1 node0
@ MPI Task Assignment      : 2 node1
@ MPI Task Assignment      : 3 node1

---------------------------------------------------------------------------
@--- MPI Time (seconds) ---------------------------------------------------
---------------------------------------------------------------------------
Task    AppTime    MPITime     MPI%
   0       8.12       4.12    50.75
   1       8.11        4.2    51.72
   2       8.11       4.17    51.40
   3        8.1        8.1   100.00
   *       32.4       20.6    63.50
---------------------------------------------------------------------------
MPIP
import "$samples"/prof.*.prof app.mpiP -o both.acp > /dev/null
check "times from mpiP" grep -qF '{"kind":"rank","rank":3,"host":"node1","wall_s":8.1,"mpi_s":8.1}' both.acp
check "messages from monitoring" [ "$(grep -c p2p both.acp)" = 4 ]

cat > app.ipm.xml <<'XML'
<?xml version="1.0" encoding="iso-8859-1"?>
<ipm_job_profile>
<task ipm_version="2.0.6" cookie="x" mpi_rank="0" mpi_size="3" stamp_init="1.0" >
<hash nlog="3" nkey="2" >
<hent key="0000" call="MPI_Isend" bytes="8" orank="1" region="0" callsite="1" count="10" tid="0" >1.0e-5 1.0e-6 1.0e-6</hent>
<hent key="0001" call="MPI_Allreduce" bytes="8" orank="0" region="0" callsite="1" count="99" tid="0" >1.0e-5 1.0e-6 1.0e-6</hent>
</hash></task>
<task ipm_version="2.0.6" cookie="x" mpi_rank="2" mpi_size="3" >
<hash nlog="1"><hent key="0002" call="MPI_Send" bytes="100" orank="-1" region="0" callsite="2" count="3" tid="0" >1 1 1</hent></hash></task>
</ipm_job_profile>
XML
import app.ipm.xml -o ipm.acp > /dev/null
check "IPM" [ "$(grep p2p ipm.acp)" = '{"kind":"p2p","src":0,"msgs":[[1,8,10]]}
{"kind":"p2p","src":2,"msgs":[[1,100,3]]}' ]

# What is wrong is named with its file and line.
usage="
Try \`berth import --help' or \`berth import --usage' for more information."
bad() { # FORMAT TEXT LINE
  printf "$2" > bad
  expect 3 "berth import: bad$3" "$berth" import -f "$1" bad -o nothing.acp
  check "nothing is written" [ ! -e nothing.acp ]
}
bad csv 'src,bytes\n0,1\n' ":1: found no column 'dst', expected src, dst, and bytes or size and messages"
bad csv 'src,dst,bytes\n0,1\n' ":2: column 3 (bytes): found the end of the line, expected a number from 0 to 2^53"
bad csv 'src,dst,bytes\n0,x,1\n' ":2: column 2 (dst): found 'x', expected a rank from 0 to 16777215"
bad csv 'src,dst,bytes\n0,1,-1\n' ":2: column 3 (bytes): found '-1', expected a number from 0 to 2^53"
bad csv 'src,dst,bytes\n0,1,2,3\n' ":2: column 4: found '3', expected the end of the line behind 3 cells"
bad csv 'src,from,bytes\n' ":1: column 2: found 'from', a second column of its kind"
bad csv 'src,dst,bytes,phase,repeats\n0,1,2,1,2\n0,1,2,1,3\n' ":3: repeats: found 3, expected 2 as before for phase 1"
bad csv '' ":0: found an empty file, expected a line of names"
bad matrix '0 1\n1\n' ":2: column 2: found the end of the line, expected a number from 0 to 2^53"
bad matrix '0 1\n1 0\n1 1\n' ":3: found a line more, expected as many as columns, 2"
bad matrix '0 1\n' ":1: found 1 lines, expected as many as columns, 2"
bad matrix '0 nan\n1 0\n' ":1: column 2: found 'nan', expected a number from 0 to 2^53"
bad matrix-market '%%%%MatrixMarket matrix coordinate complex general\n' ":1: found '%%MatrixMarket matrix coordinate complex general', expected '%%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric'"
bad matrix-market '%%%%MatrixMarket matrix coordinate real general\n2 3 0\n' ":2: columns: found '3', expected a whole number from 2 to 2"
bad matrix-market '%%%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 5\n' ":3: row: found '0', expected a whole number from 1 to 2"
bad matrix-market '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n2 1 5\n' ":3: found 1 entries, expected 2"
bad matrix-market '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n2 1 5\n2 1 5\n' ": rank 1 to rank 0: found twice, expected once"
bad metis '2 1\n2\n\n' ":3: found 1 ends of edges, expected 2: each edge from both of its ends"
bad metis '2 1\n3\n1\n' ":2: a neighbour: found '3', expected a whole number from 1 to 2"
bad metis '2 1 2\n2\n1\n' ":1: format: found 2, expected digits 0 and 1"
bad scotch '1\n2 2\n' ":1: version: found '1', expected a whole number from 0 to 0"
bad scotch '0\n2 2\n0 000\n1 1\n1 2\n' ":5: an arc's end: found '2', expected a whole number from 0 to 1"
bad scotch '0\n2 2\n0 000\n1 1\n1\n' ":5: an arc's end: found the end of the file, expected a number"
bad monitoring 'E\t0\t1\tx bytes\t5 msgs sent\n' ":1: bytes: found 'x', expected a whole number from 0 to 9007199254740992"
bad monitoring 'E\t0\t1\t4 bytes\t5 messages sent\n' ":1: found 'messages', expected 'msgs'"
bad mpip '@ mpiP\n' ": found no table '@--- MPI Time (seconds)', expected one"
bad mpip '@ mpiP\n@ MPI Task Assignment : 0 a\n@--- MPI Time (seconds) ---\n---\nTask\n 1 2 1\n *\n' ": task 0: found no line in its table of times, expected one"
bad ipm '<task mpi_rank="2" mpi_size="2">' ":1: mpi_rank: found '2', expected a rank below mpi_size"
bad ipm '<ipm>\n<task mpi_rank="0" mpi_size="2">\n<hent call="MPI_Send" bytes="1" orank="2" count="1"/></task></ipm>' ":3: orank: found '2', expected the number of a rank"
bad ipm '<ipm>\n<task>' ":2: mpi_rank: found '', expected a whole number"
bad tau '1 templated_functions\n' ": found no rank in its name, expected profile.RANK.0.0"
tau='1 templated_functions_MULTI_TIME\n# eventname numevents max min mean sumsqr\n'
tau() { # TEXT LINE
  printf "$1" > profile.0.0.0
  expect 3 "berth import: profile.0.0.0:$2" "$berth" import -f tau profile.0.0.0 -o nothing.acp
}
tau '' " found no line '# eventname numevents', expected a profile of TAU"
tau "$tau"'"Message size sent to node x" 1 2 2 2 4\n' "3: column 1 (node): found 'x', expected a rank from 0 to 16777215"
tau "$tau"'"Message size sent to node 1" 1 2 2 -2 4\n' "3: column 5 (mean): found '-2', expected a number from 0 to 2^53"
tau "$tau"'"Message size sent to node 1" 1 2\n' "3: column 4 (min): found the end of the line, expected a number from 0 to 2^53"
tau "$tau"'"Message size sent to node 1" 9e15 2 2 2 2\n' "3: column 5 (mean): found more than 2^53 bytes, expected less"
bad otf2 'x' ": it can't be read, expected a whole OTF2 archive"
cp -r "$samples/eztrace" cut
rm cut/eztrace_log/0.evt
expect 3 "berth import: cut/eztrace_log.otf2: its events can't be read, expected a whole OTF2 archive" \
  "$berth" import cut/eztrace_log.otf2 -o nothing.acp
truncate -s 700 cut/eztrace_log.def
expect 3 "berth import: cut/eztrace_log.otf2: its definitions can't be read, expected a whole OTF2 archive" \
  "$berth" import cut/eztrace_log.otf2 -o nothing.acp
echo hello > unknown
expect 3 "berth import: unknown: found no known format at its beginning, expected one, or -f with its name" \
  "$berth" import unknown -o nothing.acp
expect 3 "berth import: rich.acp: found a pattern of berth's, expected a file of another tool's" \
  "$berth" import rich.acp -o nothing.acp
expect 3 "berth import: messages.mtx: found numbers of messages, expected bytes: a file of messages is the second" \
  "$berth" import messages.mtx -o nothing.acp
expect 3 "berth import: bytes.mtx: found rank 3, expected ranks below 2" \
  "$berth" import bytes.mtx --ranks 2 -o nothing.acp
expect 2 "berth import: rich.csv: found as input and output, expected two files" \
  "$berth" import rich.csv -o rich.csv
expect 2 "berth import: expected -o with a name for the pattern$usage" "$berth" import rich.csv
expect 2 "berth export: expected --format
Try \`berth export --help' or \`berth export --usage' for more information." "$berth" export rich.acp
check "an unknown format" grep -q "found 'excel', expected one of monitoring, otf2, ipm" \
  <("$berth" import -f excel rich.csv -o x 2>&1)

# every format stands in the documentation
listed=$("$berth" import --help | sed -n '/^Formats:/,$p' | awk '/^  / { print $1 }')
check "formats are listed: $listed" [ "$(wc -w <<< "$listed")" -ge 11 ]
for format in $listed; do
  check "$format is documented" grep -q "^| \`$format\`" "$BERTH_SOURCE_DIR/docs/formats/exchange.md"
done
finish
