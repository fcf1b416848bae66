#!/usr/bin/env bash
# Matrices and tables as other tools and spreadsheets write them: one pattern in every shape, and what
# is said to shapes that aren't taken.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
samples=$BERTH_SOURCE_DIR/tests/data/exchange

lines() { grep p2p "$1"; }
expected='{"kind":"p2p","src":0,"msgs":[[1,1000,1]]}
{"kind":"p2p","src":1,"msgs":[[0,2000000,1],[2,40,1]]}
{"kind":"p2p","src":2,"msgs":[[1,3,1]]}'
shape() { # NAME FORMAT TEXT
  rm -f back.acp
  printf "$3" > file
  said=$("$berth" import -f "$2" file -o back.acp 2>&1)
  check "$1: $said" [ "$(lines back.acp 2> /dev/null)" = "$expected" ]
  check "$1: ranks" grep -q '"ranks":3,' back.acp
}

shape "blanks" matrix '0 1000 0\n2000000 0 40\n0 3 0\n'
shape "commas" matrix '0,1000,0\n2000000,0,40\n0,3,0\n'
shape "commas and blanks" matrix ' 0, 1000, 0\n2000000, 0, 40\n 0, 3, 0\n'
shape "a comma at the end" matrix '0,1000,0,\n2000000,0,40,\n0,3,0,\n'
shape "semicolons" matrix '0;1000;0\n2000000;0;40\n0;3;0\n'
shape "tabs" matrix '0\t1000\t0\n2000000\t0\t40\n0\t3\t0\t\n'
shape "tabs and blanks" matrix '0\t1000  0\n2000000 0 40\n0 \t3\t0\n'
shape "lines of Windows" matrix '0 1000 0\r\n2000000 0 40\r\n0 3 0\r\n'
shape "a byte order mark" matrix '\xef\xbb\xbf0;1000;0\n2000000;0;40\n0;3;0\n'
shape "comments" matrix '# bytes\n%% sent\n0 1000 0\n\n2000000 0 40\n  # half\n0 3 0\n'
shape "fractions and exponents" matrix '0 1e3 0\n2.0e+06 0 40.2\n0.0 2.9 0\n'
shape "groups of digits" matrix '0  1,000  0\n2,000,000  0  40\n0  3  0\n'
shape "groups in semicolons" matrix "0;1'000;0\n2'000'000;0;40\n0;3;0\n"
shape "groups in quotes" matrix '0,"1,000",0\n"2,000,000",0,40\n0,3,0\n'
shape "names" matrix 'PE 0,PE 1,PE 2\n0,1000,0\n2000000,0,40\n0,3,0\n'
shape "names of lines" matrix 'rank0 0 1000 0\nrank1 2000000 0 40\nrank2 0 3 0\n'
shape "a corner" matrix 'PE,0,1,2\n0,0,1000,0\n1,2000000,0,40\n2,0,3,0\n'
shape "an empty corner" matrix ',PE 0,PE 1,PE 2\nPE 0,0,1000,0\nPE 1,2000000,0,40\nPE 2,0,3,0\n'
shape "no corner" matrix '      0    1   2\n0     0 1000   0\n1 2000000 0   40\n2     0    3   0\n'
shape "names in tabs" matrix 'from \\ to\tPE 0\tPE 1\tPE 2\nPE 0\t0\t1000\t0\nPE 1\t2000000\t0\t40\nPE 2\t\t3\t\n'
shape "names in quotes and blanks" matrix '"" "MPI Rank 0" "MPI Rank 1" "MPI Rank 2"\n"MPI Rank 0" 0 1000 0\n"MPI Rank 1" 2000000 0 40\n"MPI Rank 2" 0 3 0\n'
shape "names with colons" matrix '0: 0 1000 0\n1: 2000000 0 40\n2: 0 3 0\n'
shape "another order" matrix 'x,2,0,1\n2,0,0,3\n1,40,2000000,0\n0,0,0,1000\n'
shape "another order, zeros left out" matrix 'x;2;0;1\n1;40;2000000;\n0;;;1000\n2;;;3\n'
shape "sums" matrix 'x,0,1,2,Total\n0,0,1000,0,1000\n1,2000000,0,40,2000040\n2,0,3,0,3\nTotal,2000000,1003,40,2001043\n'
shape "a unit" matrix 'Volume (KB),0,1,2\n0,0,1,0\n1,"2000",0,0.04\n2,0,.003,0\n'
shape "units of cells" matrix 'x;0;1;2\n0;0;1 KB;0\n1;2MB;0;40 B\n2;0;3;0\n'

shape "names as ours" csv 'src,dst,bytes\n0,1,1000\n1,0,2000000\n1,2,40\n2,1,3\n'
shape "any order" csv 'bytes,tag,receiver,sender\n1000,x,1,0\n2000000,,0,1\n40,x,2,1\n3,x,1,2\n'
shape "large names" csv 'Sender Rank;Receiver Rank;Total Bytes;Avg. Bytes\n0;1;1000;1\n1;0;2000000;2\n1;2;40;3\n2;1;3;4\n'
shape "ranks with words" csv 'Sender\tReceiver\tVolume [B]\nPE 0\tPE 1\t1000\nPE 1\tPE 0\t2000000\nPE 1\tPE 2\t40\nPE 2\tPE 1\t3\n'
shape "an empty first cell in tabs" csv 'name\tsrc\tdst\tbytes\ttime\n\t0\t1\t1000\t7\nx\t1\t0\t2000000\t7\n\t1\t2\t40\t7\n\t2\t1\t3\t7\n'
shape "blanks" csv 'from to bytes messages\n0 1 1,000 1\n1 0 2,000,000 1\n1 2 40 1\n2 1 3 1\n'
shape "a comment of such words" csv '# bytes from rank to rank\nsrc,dst,bytes\n0,1,1000\n1,0,2000000\n1,2,40\n2,1,3\n'
shape "names behind a sign" csv '# traced yesterday\n# src dst weight\n0 1 1000\n1 0 2000000\n\n# more\n1 2 40\n2 1 3\n'
shape "numpy's" csv '# src,dst,bytes\n0,1,1e3\n1,0,2e6\n1,2,40\n2,1,3\n'
shape "units" csv 'source pe,dest pe,volume (MB),volume (%%)\n0,1,0.001,1\n1,0,2,99\n1,2,4e-5,0\n2,1,0.000003,0\n'
shape "sizes" csv 'src,dst,message size (KiB),count,bytes\n0,1,0.9765625,1,1000\n1,0,1953.125,1,2 MB\n1,2,0.0390625,1,40\n2,1,0.0029296875,1,3\n'

# what comes in parts
printf 'x,0,1,2\n0,0,3,0\n1,4,0,1\n' > counts
printf '0 1000 0\n2000000 0 40\n0 0 0\n' > bytes
"$berth" import -f matrix bytes counts -o back.acp 2> /dev/null
check "a matrix of messages in another shape" [ "$(lines back.acp)" = \
'{"kind":"p2p","src":0,"msgs":[[1,333,2],[1,334,1]]}
{"kind":"p2p","src":1,"msgs":[[0,500000,4],[2,40,1]]}' ]
printf '%%%%MatrixMarket matrix coordinate integer general\n3 3 4\n1 2 1000\n2 1 2000000\n2 3 40\n3 2 3\n' > bytes.mtx
printf 'src,dst,bytes\n6,7,5\n' > far
expect 0 "berth import: back.acp: 8 ranks, 5 messages, 1.908 MiB" "$berth" import far bytes.mtx -o back.acp
expect 0 "berth import: back.acp: 8 ranks, 5 messages, 1.908 MiB" "$berth" import bytes.mtx far -o back.acp
printf 'sender,receiver,bytes\nrank 0,rank 5,1\n' > five
expect 0 "berth import: back.acp: 6 ranks, 1 message, 1 B" "$berth" import five -o back.acp
printf '# src dst bytes\n0 1 5\n' > commented
expect 0 "berth import: back.acp: 2 ranks, 1 message, 5 B" "$berth" import commented -o back.acp

printf '# bytes from all to all\n0 1\n1 0\n' > talk
expect 3 "berth import: talk: found no known format at its beginning, expected one, or -f with its name" \
  "$berth" import talk -o nothing.acp

# reports of other tools, in the shapes that they can be brought to
while read -r sample format; do
  rm -f back.acp
  said=$("$berth" import -f "$format" "$samples/$sample" -o back.acp 2>&1)
  check "$sample: $said" [ "$(lines back.acp 2> /dev/null)" = "$expected" ]
done << 'SAMPLES'
pe-matrix.txt matrix
pe-matrix.csv matrix
pairs.csv csv
SAMPLES

bad() { # FORMAT TEXT LINE
  printf -- "$2" > bad
  expect 3 "berth import: bad:$3" "$berth" import -f "$1" bad -o nothing.acp
  check "nothing is written" [ ! -e nothing.acp ]
}
amount='expected a number from 0 to 2^53'
rank='expected a rank from 0 to 16777215'
bad matrix 'x,PE 0,PE 1\nPE 0,0,1\nPE 2,0,many\n' "3: column 3 (rank 1): found 'many', $amount"
bad matrix 'x,PE 0,PE 1\nPE 0,0\n' "2: column 3 (rank 1): found the end of the line, $amount"
bad matrix 'x,PE 0,PE 1\nPE 0,0,1,2\n' "2: column 4: found '2', expected the end of the line behind 2 entries"
bad matrix 'x,PE 0,PE zero\nPE 0,0,1\n' "1: column 3: found 'PE zero', $rank"
bad matrix 'x,PE 0,PE 0\nPE 0,0,1\n' "1: column 3: found rank 0 a second time"
bad matrix 'x,PE 0,PE 1\nPE 0,0,1\nPE 0,0,1\n' "3: column 1: found rank 0 a second time"
bad matrix 'x,PE 0,PE 1\nnode,0,1\n' "2: column 1: found 'node', $rank"
bad matrix 'x,PE 0,PE 99999999\nPE 0,0,1\n' "1: column 3: found 'PE 99999999', $rank"
bad matrix 'PE 0,PE 1\n0,1\n' "2: found 1 lines, expected as many as columns, 2"
bad matrix 'PE 0,PE 1\n0,1\n1,0\n0,0\n' "4: found a line more, expected as many as columns, 2"
bad matrix 'Time (s),0,1\n0,0,1\n1,0,1\n' "1: column 1: found 'Time (s)', expected bytes, KB, KiB, MB, MiB, GB, GiB, TB or TiB in the brackets"
bad matrix 'V (Mb),0,1\n0,0,1\n1,0,1\n' "1: column 1: found 'V (Mb)', expected bytes, KB, KiB, MB, MiB, GB, GiB, TB or TiB in the brackets"
bad matrix 'x,0,1\n0,0,5 Mb\n1,0,1\n' "2: column 3 (rank 1): found '5 Mb', $amount"
bad matrix '0 -1\n1 0\n' "1: column 2: found '-1', $amount"
bad matrix '-1 0\n1 0\n' "1: column 1: found '-1', $amount"
bad matrix 'nan 0\n1 0\n' "1: column 1: found 'nan', $amount"
bad matrix '0;1,5\n1;0\n' "1: column 2: found '1,5', $amount"
bad matrix '0;1.000.000\n1;0\n' "1: column 2: found '1.000.000', $amount"
bad matrix '0;12,34,567\n1;0\n' "1: column 2: found '12,34,567', $amount"
bad matrix 'V (MB);0;1\n0;0;1,000\n1;0;0\n' "2: column 3 (rank 1): found '1,000', $amount"
bad matrix '0,,1\n1,0,0\n0,0,0\n' "1: column 2: found '', $amount"
bad csv 'src,dst,bytes\nPE 0,one,1\n' "2: column 2 (dst): found 'one', $rank"
bad csv 'src,dst,bytes\n0,1 2,1\n' "2: column 2 (dst): found '1 2', $rank"
bad csv 'src,dst,bytes\n0,-1,1\n' "2: column 2 (dst): found '-1', $rank"
bad csv 'src,dst,bytes\n0,1,\n' "2: column 3 (bytes): found '', $amount"
bad csv 'src,dst,volume (%%)\n0,1,50\n' "1: found no column 'bytes', expected src, dst, and bytes or size and messages"
bad csv 'src,dst,bytes,messages\n0,1,5,1.5 KB\n' "2: column 4 (messages): found '1.5 KB', $amount"
bad csv 'src,dst,bytes,phase\n0,1,5,-1\n' "2: column 4 (phase): found '-1', expected a whole number from 0 to 2147483647"
bad csv '# only\n# comments\n' "2: found an empty file, expected a line of names"
finish
