#!/usr/bin/env bash
# Patterns as SQLite databases: everything comes back, the documented queries say what the pattern
# holds, and whatever is wrong with a database is said in one line.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
command -v python3 > /dev/null || { echo "skipped: python3 is missing"; exit 77; }

# One of everything a pattern holds
cat > all.acp <<'ACP'
{"format":"berth-pattern","version":1,"ranks":4,"command":["./app","-n","8\u0009!"],"mpi":"Open MPI 4.1.4","created":"2026-11-20T21:00:00Z","unmodelled":[{"op":"MPI_File_write_at_all","calls":12}],"grids":[{"dims":[2,2],"periodic":[false,true]},{"dims":[4],"periodic":[true]}],"baseline":{"version":1,"berth":"0.1.0","model":"port","topology":"two","topology_hash":"00ff00ff00ff00ff","ranks":4,"cost_s":0.1,"one_sided":"mpich-4.0","phases":[{"id":0,"name":"","cost_s":0.1},{"id":7,"name":"solve, \"fast\"","cost_s":1e-30}],"placement":{"algorithm":"port","pu_of_rank":[0,3,1,2]}}}
{"kind":"phase","id":0,"name":"","repeats":1}
{"kind":"phase","id":7,"name":"solve, \"fast\"","repeats":30}
{"kind":"site","id":1,"op":"MPI_Isend","frames":["exchange halo.c:120","main app.c:44"]}
{"kind":"site","id":3,"op":"MPI_Put","frames":[]}
{"kind":"site","id":9,"op":"MPI_Recv","frames":["take halo.c:9"]}
{"kind":"comm","id":1,"ranks":[0,2],"border":1}
{"kind":"comm","id":2,"ranks":[]}
{"kind":"coll","comm":0,"op":"MPI_Allreduce","bytes":8,"count":500,"root":null}
{"kind":"coll","phase":7,"site":2,"comm":1,"op":"MPI_Alltoallv","bytes":48,"count":20,"root":null,"rank_bytes":[640,1280]}
{"kind":"coll","phase":7,"site":2,"comm":1,"op":"MPI_Bcast","bytes":48,"count":2,"root":1,"element":12,"in_place":true,"commutative":false,"built_in":false}
{"kind":"time","op":"MPI_Allreduce","total_s":1.75,"max_s":0.75,"max_rank":2}
{"kind":"time","op":"MPI_Allreduce","comm":0,"total_s":1.5,"max_s":0.5,"max_rank":2}
{"kind":"time","op":"MPI_Recv","total_s":0.1,"max_s":0.1,"max_rank":0}
{"kind":"time","op":"MPI_Recv","site":9,"total_s":0.1,"max_s":0.1,"max_rank":0}
{"kind":"rank","rank":0,"host":"node0","pu":3,"wall_s":12.5,"mpi_s":3.25,"unsure_s":0.1,"core_wait_s":0.75}
{"kind":"p2p","src":0,"msgs":[[1,1000,5],[1,2000,1]]}
{"kind":"p2p","site":1,"src":0,"msgs":[[3,9,2,17]]}
{"kind":"rma","phase":7,"site":3,"src":0,"win":2,"comm":1,"sync":"fence","op":"MPI_Put","epochs":10,"msgs":[[1,8,160],[1,8,2],[2,0,1]]}
{"kind":"packed","rank":0,"msgs":[[1000,2,1001,4],[1000,125,3000,1]]}
{"kind":"p2p","phase":7,"src":2,"msgs":[[0,0,4],[1,100,8]]}
{"kind":"order","phase":7,"src":2,"rounds":2,"sends":[{"loop":4,"sends":[[1,100,2],{"posted":null},{"arrived":null},{"receive":null}]},{"meet":0,"to":3,"op":"MPI_Reduce","bytes":64},{"receive":1,"first":true,"times":2},[0,0,1,2],{"sent":0}]}
{"kind":"row","phase":7,"site":2,"comm":1,"op":"MPI_Alltoallv","src":2,"rank_bytes":[1280,0]}
{"kind":"rank","rank":3,"host":"node1"}
{"kind":"packed","rank":3,"site":9,"receives":true,"msgs":[[12,3,20,2]]}
{"kind":"end","records":24}
ACP
expect 0 "" "$berth" export -f sqlite all.acp -o all.sqlite
expect 0 "berth import: back.acp: 4 ranks, 368 messages, 30.29 KiB, 1160 collective calls, 4890 one-sided operations" \
  "$berth" import all.sqlite -o back.acp
check "everything comes back" cmp all.acp back.acp
"$berth" export -f sqlite back.acp -o again.sqlite
check "and the same database again" cmp all.sqlite again.sqlite
check "to standard output" cmp -s all.sqlite <("$berth" export -f sqlite all.acp)
check "no other file is left" [ "$(echo all.sqlite*)" = all.sqlite ]
zstd -q all.sqlite -o packed.zst 2> /dev/null && "$berth" import packed.zst -o back.acp 2> /dev/null
check "compressed" cmp -s all.acp back.acp
"$berth" import -f sqlite - -o stdin.acp < all.sqlite 2> /dev/null
check "from standard input" cmp -s all.acp stdin.acp
echo precious > kept.sqlite
expect 4 "berth export: missing.acp: cannot open: No such file or directory" \
  "$berth" export -f sqlite missing.acp -o kept.sqlite
check "what was there stays" grep -qx precious kept.sqlite

expect 0 "berth export: all.csv has no place for the order of sends, call sites, ranks' times and hosts, collective operations, one-sided operations, calls known by name, the baseline, layouts of messages" \
  "$berth" export -f csv all.acp -o all.csv

# of an older berth
cp all.sqlite old.sqlite
python3 - << 'PY'
import sqlite3
db = sqlite3.connect("old.sqlite")
db.executescript("DROP TABLE time; DROP TABLE grid; DROP TABLE packed; UPDATE meta SET value = 4 WHERE key = 'version'")
for column in "element", "in_place", "commutative", "built_in":
    db.execute(f"ALTER TABLE coll DROP COLUMN {column}")
db.execute("ALTER TABLE comm DROP COLUMN border")
db.execute("ALTER TABLE rank DROP COLUMN core_wait_s")
PY
expect 0 "berth import: old.acp: 4 ranks, 368 messages, 30.29 KiB, 1160 collective calls, 4890 one-sided operations" "$berth" import old.sqlite -o old.acp
check "an older schema has no times of calls, natures of calls, borders of groups, grids, layouts and waits for cores" cmp old.acp \
  <(grep -v '"kind":"\(time\|packed\)"' all.acp | sed 's/"records":24/"records":18/; s/,"element":12.*false//; s/,"grids":.*,"baseline"/,"baseline"/; s/,"border":1//; s/,"core_wait_s":0.75//')

# with what another file knows: times of the ranks that the database has none of
printf '%s\n' '@ mpiP' '@--- MPI Time (seconds) ---' --- Task '0 1 1 9' '1 8 4 5' ' *' > app.mpiP
"$berth" import all.sqlite app.mpiP -o both.acp 2> /dev/null
check "times of another file" grep -qF '{"kind":"rank","rank":1,"wall_s":8,"mpi_s":4}' both.acp
check "don't replace the database's" grep -qF '"rank":0,"host":"node0","pu":3,"wall_s":12.5' both.acp
sed 's/,"baseline".*$/}/' all.acp > plain.acp
"$berth" export -f sqlite plain.acp -o plain.sqlite
"$berth" import plain.sqlite --ranks 6 -o six.acp 2> /dev/null
check "more ranks" grep -q '"ranks":6' six.acp

# The documentation's queries, and what the schema says of itself
sql() { python3 "$work/sql.py" "$@"; }
cat > sql.py <<'PY'
import re, sqlite3, sys
# DATABASE SQL…: runs all, prints the rows of the last one that has any
db = sqlite3.connect(sys.argv[1])
rows = []
for text in sys.argv[2:]:
    for part in filter(None, map(str.strip, text.split(";"))):
        rows = db.execute(part).fetchall() or rows
db.commit()
for row in rows:
    print("|".join("" if v is None else str(v) for v in row))
PY
docs=$BERTH_SOURCE_DIR/docs/formats/exchange.md
python3 - "$docs" << 'PY'
import re, sys
for i, q in enumerate(re.findall(r"```sql\n(.*?)```", open(sys.argv[1]).read(), re.S), 1):
    open(f"query{i}", "w").write(q)
PY
check "three documented queries" [ "$(echo query*)" = "query1 query2 query3" ]
check "pairs by bytes" [ "$(sql all.sqlite "$(cat query1)")" = "2|1|240|24000
0|1|6|7000
0|3|2|17
2|0|120|0" ]
check "sizes by phase" [ "$(sql all.sqlite "$(cat query2)")" = "|p2p|8|15|2|17
|p2p|512|1023|5|5000
|p2p|1024|2047|1|2000
solve, \"fast\"|p2p|0|0|120|0
solve, \"fast\"|p2p|64|127|240|24000
solve, \"fast\"|rma|0|0|30|0
solve, \"fast\"|rma|8|15|4860|38880" ]
check "bytes between hosts" [ "$(sql all.sqlite "$(cat query3)")" = "node0||4896|45880
node0|node1|2|17
|node0|120|0" ]
check "who sends to whom in collective calls" [ "$(sql all.sqlite \
  "SELECT src, dst, bytes FROM coll_pair")" = "2|0|1280" ]
sed 's/"comm":1,\("op":"MPI_Alltoallv","src":2,"rank_bytes":\).*/"comm":0,\1[7,[9,2],8]}/
  s/"rank_bytes":\[640,1280\]/"rank_bytes":[0,0,33,0]/
  s/"comm":1,\("op":"MPI_Alltoallv","bytes"\)/"comm":0,\1/' all.acp > world.acp
"$berth" export -f sqlite world.acp -o world.sqlite
check "in MPI_COMM_WORLD" [ "$(sql world.sqlite "SELECT dst, bytes FROM coll_pair ORDER BY dst")" = \
"0|7
1|9
2|9
3|8" ]
check "each column has a line of what it is" [ "$(sql all.sqlite \
  "SELECT count(*) FROM sqlite_master m, pragma_table_info(m.name) c LEFT JOIN unit u
   ON u.tbl = m.name AND u.col = c.name WHERE m.type = 'table' AND u.about IS NULL")" = 0 ]
while IFS='|' read -r table columns; do
  check "$table is documented" grep -qxF "| \`$table\` | $columns |" "$docs"
done < <(sql all.sqlite "SELECT m.name, (SELECT group_concat(c.name, ', ') FROM
  pragma_table_info(m.name) c) FROM sqlite_master m WHERE m.name NOT LIKE 'sqlite_%'")

# What is wrong
bad() { # SQL LINE: of the database after that
  cp all.sqlite bad.sqlite
  sql bad.sqlite "$1" > /dev/null
  expect 3 "berth import: bad.sqlite: $2" "$berth" import bad.sqlite -o nothing.acp
  check "nothing is written" [ ! -e nothing.acp ]
}
whole='expected a whole number from'
most=9007199254740992
none="expected the tables that \`berth export -f sqlite\` writes"
bad "DROP TABLE message" "found no table 'message', $none"
bad "DROP TABLE unmodelled" "found no table 'unmodelled', $none"
bad "ALTER TABLE rma RENAME TO x; CREATE VIEW rma AS SELECT * FROM x" "found no table 'rma', $none"
bad "ALTER TABLE message RENAME COLUMN size TO length" \
  "table message: found no such column: size, expected columns phase, site, src, dst, size, count, bytes"
bad "DELETE FROM meta WHERE key = 'ranks'" "table meta: found no row 'ranks', expected one"
bad "DELETE FROM meta" "table meta: found no row 'format', expected one"
bad "UPDATE meta SET value = 'x' WHERE key = 'format'" "table meta, row 2, value: found 'x', expected 'berth-pattern'"
bad "UPDATE meta SET value = 1 WHERE key = 'version'" "table meta, row 5, value: found '1', $whole 4 to 11"
bad "UPDATE meta SET value = 0 WHERE key = 'ranks'" "table meta, row 4, value: found '0', $whole 1 to 16777216"
bad "UPDATE meta SET value = 3 WHERE key = 'ranks'" "table rank, row 4, rank: found '3', $whole 0 to 2"
bad "UPDATE message SET size = -3 WHERE dst = 3" "table message, row 3, size: found '-3', $whole 0 to $most"
bad "UPDATE message SET count = 1.5" "table message, row 1, count: found '1.5', $whole 0 to $most"
bad "UPDATE message SET bytes = 1 << 54" "table message, row 1, bytes: found '18014398509481984', $whole 0 to $most"
bad "UPDATE message SET size = 1 << 50, count = 99" "table message, row 1: found 99 messages of 1125899906842624 bytes, expected at most 2^53 bytes in all"
bad "UPDATE message SET dst = 4 WHERE src = 2" "table message, row 4, dst: found '4', $whole 0 to 3"
bad "UPDATE message SET src = 'zero'" "table message, row 1, src: found 'zero', $whole 0 to 3"
bad "UPDATE message SET src = x'00'" "table message, row 1, src: found a blob, $whole 0 to 3"
bad "UPDATE message SET phase = 5000000000" "table message, row 1, phase: found '5000000000', $whole 0 to 2147483647"
bad "UPDATE rank SET wall_s = -1 WHERE rank = 0" "table rank, row 1, wall_s: found '-1.0', expected a number from 0"
bad "UPDATE rank SET wall_s = 'long' WHERE rank = 0" "table rank, row 1, wall_s: found 'long', expected a number from 0"
bad "UPDATE rank SET mpi_s = 20 WHERE rank = 0" "table rank, row 1: mpi_s: found 20, expected at most wall_s, 12.5"
bad "UPDATE rank SET mpi_s = NULL WHERE rank = 0" "table rank, row 1: mpi_s: found -1, expected at most wall_s, 12.5"
bad "UPDATE rank SET host = 'a' || char(10) || 'b'" "table rank, row 1, host: found 'a?b', expected text in UTF-8 without control characters"
bad "UPDATE phase SET name = CAST(x'ff' AS TEXT)" "table phase, row 1, name: found '?', expected text in UTF-8 without control characters"
bad "UPDATE frame SET frame = CAST(x'410042' AS TEXT)" "table frame, row 1, frame: found 'A', expected text in UTF-8"
bad "UPDATE frame SET site = 2 WHERE site = 1" "table frame, row 1, site: found '2', expected a row of table site"
bad "UPDATE comm_rank SET rank = 9" "table comm_rank, row 1, rank: found '9', $whole 0 to 3"
bad "DELETE FROM send_order" "table step, row 1, list: found '0', expected a row of table send_order"
bad "DROP TABLE packed" "found no table 'packed', $none"
bad "UPDATE packed SET pieces = 1" "table packed, row 1: pieces: found 1, expected at least 2"
bad "UPDATE packed SET span = 11 WHERE rank = 3" "table packed, row 3: span: found 11, expected at least the size, 12"
bad "UPDATE packed SET receives = 2" "table packed, row 1, receives: found '2', $whole 0 to 1"
bad "UPDATE packed SET rank = 4" "table packed, row 1, rank: found '4', $whole 0 to 3"
bad "DROP TABLE grid" "found no table 'grid', $none"
bad "UPDATE grid SET ranks = 3 WHERE grid = 0" "table grid, grid 0: dims: found a grid of 9 places, expected 4, one for each rank"
bad "UPDATE grid SET ranks = 5 WHERE grid = 1" "table grid, grid 1: dims[0]: found 5, expected 1 to 4, the ranks"
bad "UPDATE grid SET dim = 2 WHERE dim = 1" "table grid, row 2, dim: found '2', expected 1, the next of at most 8 dimensions"
bad "UPDATE grid SET periodic = 2" "table grid, row 1, periodic: found '2', $whole 0 to 1"
bad "UPDATE step SET mode = 4" "table step, row 1, mode: found '4', $whole 0 to 3"
bad "UPDATE step SET kind = 'wait'" "table step, row 1, kind: found 'wait', expected the kind of a step"
bad "DELETE FROM step" "order of rank 2 in phase 7: found 0 sends of 0 bytes to rank 0, expected 4, the count of its p2p entries"
bad "UPDATE coll SET root = 7 WHERE root = 1" "table coll, row 3, root: found '7', $whole 0 to 3"
bad "UPDATE coll_share SET ranks = 4" "table coll, row 2: found bytes of more ranks than the 4 that there are"
bad "UPDATE row_share SET bytes = -1" "table row_share, row 1, bytes: found '-1', $whole 0 to $most"
bad "ALTER TABLE rma RENAME TO x; CREATE TABLE rma AS SELECT * FROM x; UPDATE rma SET win = NULL" \
  "table rma, row 1, win: found nothing, $whole 0 to 2147483647"
bad "UPDATE rma_message SET dst = 4" "table rma_message, row 1, dst: found '4', $whole 0 to 3"
bad "DROP TABLE time" "found no table 'time', $none"
bad "UPDATE time SET max_s = -1" "table time, row 1, max_s: found '-1.0', expected a number from 0"
bad "UPDATE time SET max_s = 2" "table time, row 1: max_s: found 2, expected at most total_s, 1.75"
bad "UPDATE time SET max_rank = 4 WHERE site = 9" "table time, row 4, max_rank: found '4', $whole 0 to 3"
bad "UPDATE time SET comm = -2" "table time, row 1, comm: found '-2', $whole 0 to 2147483647"
bad "INSERT INTO time SELECT * FROM time" "found the times of MPI_Allreduce a second time"
bad "INSERT INTO baseline SELECT * FROM baseline" "table baseline, row 2: found a second baseline, expected one at most"
bad "UPDATE baseline SET topology_hash = 'x'" "table baseline, row 1, topology_hash: found 'x', expected 16 digits from 0 to 9 and a to f"
bad "DELETE FROM baseline_rank WHERE rank = 2" "table baseline_rank, row 3, rank: found '3', $whole 2 to 2"
bad "DELETE FROM baseline_rank WHERE rank = 3" "table baseline, row 1: found the places of 3 ranks, expected those of 4"
bad "INSERT INTO baseline_rank VALUES (4, 4)" "table baseline_rank, row 5, rank: found '4', expected no more ranks than the pattern's"
bad "PRAGMA journal_mode = WAL" "found a database in WAL mode, expected one after PRAGMA journal_mode=DELETE"
expect 3 "berth import: all.sqlite: found 4 ranks, expected at most 2" \
  "$berth" import all.sqlite --ranks 2 -o nothing.acp
expect 2 "berth import: again.sqlite: found a second file of its format, expected one" \
  "$berth" import all.sqlite app.mpiP again.sqlite -o nothing.acp
expect 2 "berth import: again.sqlite: found a second file of its format, expected one" \
  "$berth" import all.sqlite again.sqlite -o nothing.acp
expect 3 "berth import: app.mpiP: found no SQLite database, expected one" \
  "$berth" import -f sqlite app.mpiP -o nothing.acp

# Cut off anywhere, or with a page overwritten: one line, whatever it is
damaged() { # WHAT
  local said
  rm -f nothing.acp
  said=$("$berth" import -f sqlite bad.sqlite -o nothing.acp 2>&1)
  check "$1: $said" [ "$(grep -cx 'berth import: bad.sqlite: found .*, expected .*' <<< "$said")" = 1 ]
  check "$1: one line" [ "$(wc -l <<< "$said")" = 1 ]
  check "$1: nothing is written" [ ! -e nothing.acp ]
}
size=$(stat -c %s all.sqlite)
for n in 0 1 15 16 99 100 4095 4096 $((size / 2)) $((size - 4096)) $((size - 1)); do
  head -c "$n" all.sqlite > bad.sqlite
  damaged "cut at $n"
done
for ((page = 0; page < size / 4096; page++)); do
  cp all.sqlite bad.sqlite
  head -c 4096 /dev/zero | tr '\0' '\377' |
    dd of=bad.sqlite bs=4096 seek=$page conv=notrunc status=none
  damaged "page $page overwritten"
done
finish
