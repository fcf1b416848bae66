#!/usr/bin/env bash
# shellcheck disable=SC2154
# `berth check` in CI: what isn't priced, large and odd inputs, and what CI systems read.
. "$BERTH_SOURCE_DIR/tests/cli/check_lib.sh"
k --update > out
echo '{"format":"berth-mapping","version":1,"pu_of_rank":[0,1,2,3,4,5,6,7,8,9]}' > m.json

# collective and one-sided operations aren't priced, which is said; where they grew and messages
# don't cost more, there is no verdict: NAME CODE VERDICT WAS NOW LINE
cat > unpriced.py <<'PY'
"""unpriced.py VERDICT LINE: out.json has the verdict, with what it rests on; j.xml has the line."""
import json, re, sys, xml.etree.ElementTree as xml
verdict, line = sys.argv[1:]
assert re.search(line, xml.parse("j.xml").getroot().find(".//system-out").text, re.M)
r = json.load(open("out.json"))
assert r["verdict"] == verdict and r["unpriced_operations"] is True and r["unpriced"]
grew = [u["grew"] for u in r["unpriced"]]
assert grew == sorted(grew, reverse=True) and (any(grew) or verdict != "no verdict"), grew
for u in r["unpriced"]:
    assert (u["ranks"] is None) == (u["sync"] is not None), u
    assert not u["grew"] or u["calls"] > u["was_calls"] or u["bytes"] > u["was_bytes"], u
PY
included=()
unpriced() {
  python3 inputs.py was.acp t.json "$4"
  rm -f u.acp
  "$berth" check --pattern was.acp --topology t.json --baseline u.acp --update "${included[@]}" > out
  python3 inputs.py now.acp t.json "$5"
  "$berth" check --pattern now.acp --topology t.json --baseline u.acp --junit j.xml --github > out
  check "$1: exit code" [ $? = "$2" ]
  check "$1: verdict" grep -qE "^$3: " out
  check "$1: what" grep -qE "$6" out
  "$berth" check --pattern now.acp --topology t.json --baseline u.acp --json > out.json
  check "$1: json and junit" python3 unpriced.py "$3" "$6"
}
bcast='p.coll("MPI_Bcast", 131072, 20)'
all='MPI_Bcast on 10 ranks: 2000 times with 2.441 GiB'
same="^note: estimates cover point-to-point messages only; other operations are not included, and are as in the baseline\$"
unpriced "as they were" 0 within "$bcast" "$bcast" "$same"
check "as they were: nothing to annotate" eval '! grep -q ^:: out'
unpriced "one that is new" 5 "no verdict" '' "$bcast" "^  $all, was 0 times with 0 B\$"
check "one that is new: why" grep -qx "no verdict: found MPI_Bcast on 10 ranks 2000 times with 2.441 GiB, \
expected at most 0 times with 0 B as in the baseline, since estimates don't cover such operations; messages \
alone cost 200.0 s, was 200.0 s; if the change is intended, --update makes a new baseline" out
check "one that is new: a warning" grep -q '^::warning title=berth check%3A no verdict::no verdict: found MPI_Bcast' out
n() { "$berth" check --pattern now.acp --topology t.json --baseline u.acp "$@"; }
check "one that is new: update" eval 'n --update > out && n > out'
put='MPI_Put \(fence\)'
unpriced "messages became one" 5 "no verdict" "$bcast" "$bcast"'; p.coll("MPI_Alltoall", 80, 1)
p.more(1,1,7,10000,2,-50)' '^  MPI_Alltoall on 10 ranks: 100 times with 78.12 KiB, was 0 times with 0 B$'
unpriced "messages cost more, too" 1 worse "$bcast" "$bcast"'; p.coll("MPI_Bcast", 8, 1); p.more(1,1,7,10000,2,2)' \
  "^  MPI_Bcast on 10 ranks: 2100 times with 2.441 GiB, was 2000 times with 2.441 GiB\$"
unpriced "one became messages" 1 worse "$bcast" 'p.more(1,1,7,10000,2,2)' \
  '^  MPI_Bcast on 10 ranks: 0 times with 0 B, was 2000 times with 2.441 GiB$'
included=(--one-sided none)
unpriced "fewer" 0 within "$bcast"'; p.put(7)' "$bcast" "^  $put: 0 times with 0 B, was 700 times with 5.469 KiB\$"
check "fewer: a notice" grep -q '^::notice title=berth check%3A not estimated::note: estimates cover point-to-point messages only; these' out
unpriced "fewer, and cheaper" 0 cheaper "$bcast"'; p.put(7)' "$bcast"'; p.more(1,1,7,10000,2,-2); p.more(1,0,6,10000,1,-2)' \
  "^  $put: 0 times with 0 B, was 700 times"
unpriced "more one-sided" 5 "no verdict" 'p.put(7)' 'p.put(8)' "^  $put: 800 times with 6.250 KiB, was 700 times with 5.469 KiB\$"
unpriced "by less than the tolerance" 0 within 'p.put(1000)' 'p.put(1004)' "^  $put: 100400 times with .*, was 100000 times"
included=()
unpriced "larger" 5 "no verdict" "$bcast" 'p.coll("MPI_Bcast", 131072, 10); p.coll("MPI_Bcast", 133000, 10)' \
  '^  MPI_Bcast on 10 ranks: 2000 times with 2.459 GiB, was 2000 times'
four='p.other.append({"kind": "comm", "id": 1, "ranks": [0, 2, 4, 6]}); '
unpriced "among more ranks" 5 "no verdict" "$four"'p.coll("MPI_Allreduce", 8, 5, comm=1)' \
  'p.coll("MPI_Allreduce", 8, 2)' '^  MPI_Allreduce on 10 ranks: 200 times with 15.62 KiB, was 0 times'
unpriced "what each rank gave" 5 "no verdict" "$four"'p.coll("MPI_Alltoallv", 8, 5, comm=1)' \
  "$four"'p.coll("MPI_Alltoallv", 8, 5, comm=1, rank_bytes=[[4000, 3], 4100])' \
  '^  MPI_Alltoallv on 4 ranks: 500 times with 15.72 KiB, was 500 times with 15.62 KiB$'
unpriced "neighbourhoods are messages" 0 within "$bcast" "$bcast"'; p.coll("MPI_Neighbor_alltoall", 8, 5)' "$same"
check "neighbourhoods are messages: not listed" eval '! grep -q Neighbor out'
# one-sided operations have a verdict, by the call site's line where they are from: NAME CODE WAS NOW LINE
priced() {
  python3 inputs.py was.acp t.json "$3"
  rm -f u.acp
  "$berth" check --pattern was.acp --topology t.json --baseline u.acp --update > out 2> err
  python3 inputs.py now.acp t.json "$4"
  "$berth" check --pattern now.acp --topology t.json --baseline u.acp > out 2> err
  check "$1: exit code" [ $? = "$2" ]
  check "$1: what" grep -qE "$5" out
  check "$1: nothing is left out" eval '! grep -q "not included" out'
}
priced "the same one-sided operations" 0 'p.put(7)' 'p.put(7)' '^within: '
priced "more one-sided operations" 1 'p.put(7)' 'p.put(80000)' \
  '^phase [0-9]+ "MPI_Put, window 0, fence, round 1: operations": .*, was '
priced "fewer one-sided operations" 0 'p.put(80000)' 'p.put(7)' '^cheaper: '
priced "the first one-sided operation" 1 '' 'p.put(80000)' \
  '^phase [0-9]+ "MPI_Put, window 0, fence, round 1: operations": .*; it is new$'
priced "nothing else than these" 0 'p.send = {}; p.put(7)' 'p.send = {}; p.put(7)' '^within: '
python3 inputs.py now.acp t.json 'p.put(7)'
"$berth" check --pattern now.acp --topology t.json --baseline u.acp --update --one-sided mpich-4.0 > out
check "rules of a baseline" grep -q '"one_sided":"mpich-4.0"' u.acp
check "they are those of a check" [ "$(n > out; echo $?)" = 0 ]
check "other rules have no verdict" [ "$(n --one-sided openmpi-4.1 > out; echo $?)" = 5 ]
check "other rules: why" grep -q '^no verdict: found one-sided operations included by openmpi-4.1, expected the baseline.s, by mpich-4.0; ' out
sed -i 's/"one_sided":"mpich-4.0"/"one_sided":"own"/' u.acp
expect 3 'berth check: --baseline u.acp: baseline.one_sided: found "own", expected openmpi-4.1 or mpich-4.0' n
# collective operations, too, where the pattern names an MPI that berth has rules of
mpi='p.mpi = "Open MPI 4.1.4"; '
reduce='p.coll("MPI_Allreduce", 65536, 10)'
priced "the same collectives" 0 "$mpi$reduce" "$mpi$reduce" '^within: '
priced "more calls" 1 "$mpi$reduce" "$mpi"'p.coll("MPI_Allreduce", 65536, 50)' \
  '^phase [0-9]+ "MPI_Allreduce of 64.00 KiB, 10 ranks: rabenseifner, round [0-9]+": .*, was '
priced "larger calls" 1 "$mpi$reduce" "$mpi"'p.coll("MPI_Allreduce", 655360, 10)' \
  '^phase [0-9]+ "MPI_Allreduce of 640.0 KiB, 10 ranks: rabenseifner, round [0-9]+": .*; it is new$'
priced "fewer calls" 0 "$mpi"'p.coll("MPI_Allreduce", 65536, 50)' "$mpi$reduce" '^cheaper: '
priced "the first collective" 1 "$mpi" "$mpi$reduce" '; it is new$'
priced "messages became a collective" 1 "$mpi" "$mpi"'p.send = {}; p.coll("MPI_Alltoall", 1048576, 50)' '^worse: '
python3 inputs.py now.acp t.json "$mpi$reduce"
echo '{"format":"berth-collectives","version":1,"name":"ours","rules":{"allreduce":[{"algorithm":"ring"}]}}' > ours.json
"$berth" check --pattern now.acp --topology t.json --baseline u.acp --update --collectives ours.json > out
check "a file's rules: their name" grep -q '"collectives":"ours"' u.acp
check "a file's rules: again" [ "$(n --collectives ours.json > out; echo $?)" = 0 ]
check "a file's rules: others" [ "$(n --collectives openmpi-4.1 > out; echo $?)" = 5 ]
expect 3 'berth check: --baseline u.acp: baseline.collectives: found "ours", expected rules that berth has, or --collectives FILE with these' n
"$berth" check --pattern now.acp --topology t.json --baseline u.acp --update > out
check "the MPI's rules" grep -q '"collectives":"openmpi-4.1"' u.acp
check "other rules than the baseline's" [ "$(n --collectives ours.json > out; echo $?)" = 5 ]
check "other rules: why" grep -q "^no verdict: found collective operations included by ours, expected the baseline's, by openmpi-4.1; " out
sed -i 's/"collectives":"openmpi-4.1",//; s/"cost_s":[0-9.e-]*,"phases"/"cost_s":0,"phases"/' u.acp
n > out
check "an older baseline doesn't estimate them" eval '! grep -q rabenseifner out'

python3 inputs.py was.acp t.json 'p.send = {}; '"$bcast"
check "nothing else" [ "$("$berth" check --pattern was.acp --topology t.json --budget bytes:spine=1B > out; echo $?)" = 5 ]
check "nothing else: why" grep -qx "no verdict: found only collective or one-sided operations, which estimates don't cover, expected messages between ranks" out
check "nothing else: what" grep -qx "  $all" out
python3 inputs.py was.acp t.json "$bcast"
check "budgets alone" "$berth" check --pattern was.acp --topology t.json --budget cost=999s --github > out
check "budgets alone: a note" grep -q '^note: estimates cover point-to-point messages only' out
check "budgets alone: a notice" grep -q '^::notice title=berth check%3A not estimated::' out

# thousands of phases, all of whose names moved by a line, are matched as they were
python3 inputs.py many.acp t.json 'p.phases = {i: [f"step {i} s.c:{i}", 1 + i % 3] for i in range(3000)}
p.send = {(i, i % 10, (i + 6) % 10, 10000, 1): 1 + i % 7 for i in range(3000)}'
python3 inputs.py moved.acp t.json 'p.phases = {i: [f"step {i} s.c:{i + 1}", 1 + i % 3] for i in range(3000)}
p.send = {(i, i % 10, (i + 6) % 10, 10000, 1): 1 + i % 7 for i in range(3000)}'
m() { "$berth" check --topology t.json --baseline many-b.acp "$@"; }
m --pattern many.acp --update > out
check "many phases" eval 'm --pattern moved.acp --json > out.json'
check "many phases: each is itself" python3 -c '
import json
phases = json.load(open("out.json"))["phases"]
assert len(phases) == 3000 and all(p["id"] == p["was_id"] for p in phases)'

# names as long as they may be, of two bytes a character, and paths that are no text
python3 inputs.py long.acp long.json 't["root"]["name"] = "é" * 127; t["root"]["children"][0]["name"] = "ü" * 127
for child, name in zip(t["root"]["children"], "éü"):
    child["type"] = name * 120
    t["types"][name * 120] = t["types"]["leaf"]'
bad=$'bad\xff\x01.json'
cp long.json "$bad"
cp long.acp "$bad.acp"
"$berth" check --pattern long.acp --topology long.json --baseline long-b.acp --update > out
python3 inputs.py long.acp t.json 'p.more(1,1,7,10000,2,2)'
cp long.acp "$bad.acp"
"$berth" check --pattern "$bad.acp" --topology "$bad" --baseline long-b.acp --json --junit j.xml \
  --budget "bytes:$(printf 'ü%.0s' {1..127})=1B" > out.json
check "long names" [ $? = 1 ]
check "long names: json and junit" python3 -c '
import json, xml.etree.ElementTree as xml
r = json.loads(open("out.json", "rb").read().decode())
assert r["topology"] == "bad\ufffd\u0001.json", r["topology"]
assert r["phases"][0]["port"]["text"] == "uplink of " + "ü" * 127 + ", own end"
assert "uplink of " + "ü" * 127 + ", own end" in xml.parse("j.xml").getroot().find(".//failure").text'
"$berth" cost --pattern long.acp --topology long.json --mapping m.json --json > out.json
check "long names: types" python3 -c '
import json
r = json.loads(open("out.json", "rb").read().decode())["results"][0]
assert "é" * 120 + "+" + "ü" * 120 in [l["types"] for l in r["levels"]]'

# what CI systems read
cat > junit.py <<'PY'
"""junit.py FILE TESTS FAILURES ERRORS: counts, as they say and as they are; prints the text of all."""
import sys, xml.etree.ElementTree as xml
root = xml.parse(sys.argv[1]).getroot()
cases = list(root.iter("testcase"))
counts = [len(cases)] + [sum(c.find(k) is not None for c in cases) for k in ("failure", "error")]
assert counts == [int(n) for n in sys.argv[2:5]], counts
for suite in (root, root[0]):
    assert [int(suite.get(k)) for k in ("tests", "failures", "errors")] == counts
assert len({c.get("name") for c in cases}) == len(cases), "a name twice: GitLab takes the first"
for c in cases:
    for bad in c: print(c.get("name"), "|", bad.get("message"), "|", bad.text)
PY
odd='p.phases[1][0] = p.phases[0][0] = "50%, <a> & \"b\": \uffff"; p.sites[2][1][0] = "f<T>(a&)\n x.c:1%"; '
python3 inputs.py odd.acp t.json "$odd"
"$berth" check --pattern odd.acp --topology t.json --baseline odd-b.acp --update > out
python3 inputs.py odd.acp t.json "$odd"'p.more(1,1,7,10000,2,2)'
o() { "$berth" check --pattern odd.acp --topology t.json --baseline odd-b.acp --junit j.xml --github "$@"; }
check "junit: worse" [ "$(o --budget cost=1s --budget bytes:A=1GiB > out; echo $?)" = 1 ]
check "junit: worse: cases" python3 junit.py j.xml 5 2 0 > text
check "junit: one regression is one failure" eval '! grep -q "^phase .* | " text'
o --each-phase > out
check "junit: each phase" python3 junit.py j.xml 3 2 0 > text
check "junit: each phase: which" grep -q '^phase 1 .* | phase 1 ' text
o --budget cost=1s --budget bytes:A=1GiB > out
python3 junit.py j.xml 5 2 0 > text
check "junit: worse: text" grep -qF 'at MPI_Send  f<T>(a&)? x.c:1% < main app.c:44' text
check "junit: worse: message" grep -qF 'total cost | worse: 202.0 s, was 200.0 s (+1%), tolerance 0.5%; model port, 10 ranks placed by linear on two leaves: phase 1 "50%, <a> & "b": '$'\ufffd''", uplink of A, own end, 1 -> 7, MPI_Send  f<T>(a&)? x.c:1% < main app.c:44 | ' text
grep '^::' out > annotations
check "github: one a failure" [ "$(cut -d: -f3 annotations | cut -d' ' -f1 | sort | uniq -c | tr -s ' \n' ' ')" = " 2 error " ]
check "github: title" grep -q '^::error title=berth check%3A worse::worse: 202.0 s, was 200.0 s (+1%25), tolerance' annotations
check "github: property" grep -q '^::error title=berth check%3A budget cost=1s::budget cost=1s: broken' annotations
check "github: data" grep -qF '%0Aphase 1 "50%25, <a> & "b": '$'\uffff''": 202.0 s, was' annotations
check "with json: annotations on standard error" cmp -s annotations \
  <(o --budget cost=1s --budget bytes:A=1GiB --json 2>&1 > out)
check "with json: an object" python3 -m json.tool out /dev/null
check "junit and github: no verdict" [ "$(c --baseline b.acp --model sum --junit j.xml --github > out; echo $?)" = 5 ]
check "no verdict: an error" python3 junit.py j.xml 1 0 1 > text
check "no verdict: why" grep -q '^total cost | no verdict: found model sum, ' text
check "no verdict: a warning" grep -q '^::warning title=berth check%3A no verdict::no verdict: found model sum' out
check "junit: all is well" eval 'k --junit j.xml --github > out && python3 junit.py j.xml 3 0 0 && ! grep -q ^:: out'
# where a call site is in the repository, annotations say so; of two files of one name nobody knows
mkdir -p repository/src repository/.hidden
touch repository/src/halo.c repository/.hidden/halo.c repository/app.c
python3 inputs.py worse.acp t.json 'p.more(1,1,7,10000,2,2)'
w() { "$berth" check --pattern worse.acp --topology t.json --baseline b.acp --budget bytes:A=1B --github | grep '^::error'; }
export GITHUB_WORKSPACE=$work/repository
w > out
check "github: a place" grep -q '^::error file=src/halo.c,line=130,title=berth check%3A worse::' out
check "github: a budget's place" grep -q '^::error file=src/halo.c,line=1[23]0,title=berth check%3A budget' out
touch repository/halo.c
w > out
check "github: the innermost frame whose file is known" grep -q '^::error file=app.c,line=44,title=berth check%3A worse::' out
rm repository/app.c
w > out
check "github: no place" grep -q '^::error title=berth check%3A worse::' out
unset GITHUB_WORKSPACE
(cd repository/src && "$berth" check --pattern ../../worse.acp --topology ../../t.json \
  --baseline ../../b.acp --github) > out
check "github: the current folder" grep -q '^::error file=halo.c,line=130,' out

# no result: what the run before left would pass for one
k --junit j.xml > out
without() { # CODE REASON OPTION…
  "$berth" check --github --junit j.xml "${@:3}" > out 2> err
  check "$2: exit code" [ $? = "$1" ]
  python3 junit.py j.xml 1 0 1 > text
  check "$2: junit" grep -qF "total cost | $2" text
  check "$2: an annotation" grep -qF "::error title=berth check%3A no result::$2" out
}
without 4 "--pattern none.acp: cannot open: No such file or directory" --pattern none.acp --topology t.json --baseline b.acp
without 4 "--baseline none.acp: found no such file, expected a baseline" --pattern p.acp --topology t.json --baseline none.acp
without 3 "--baseline p.acp: found a pattern that is no baseline" --pattern p.acp --topology t.json --baseline p.acp
without 3 "--budget phase:x=1s: found 0 phases" --pattern p.acp --topology t.json --budget phase:x=1s
"$berth" check --pattern none.acp --topology t.json --baseline b.acp --github --json > out 2> err
check "no result, with json: the annotation is beside it" eval '[ ! -s out ] && grep -q "^::error title=berth check%3A no result::--pattern none.acp" err'
finish
