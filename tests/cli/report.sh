#!/usr/bin/env bash
# `berth report`: the page is one file, its data are what `berth cost --json` and `berth show --json`
# say, its loads are those of the pairs that cross each port.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
cp "$BERTH_SOURCE_DIR/testbed/topology.json" t.json
mapping() { echo "{\"format\":\"berth-mapping\",\"version\":1,\"algorithm\":\"$3\",\"pu_of_rank\":$2}" > "$1"; }
cat > p.acp <<'ACP'
{"format":"berth-pattern","version":1,"ranks":4,"command":["./app","</script><b>&"]}
{"kind":"phase","id":0,"name":"start \"up\"","repeats":1}
{"kind":"phase","id":1,"name":"<solve>","repeats":10}
{"kind":"site","id":1,"op":"MPI_Isend","frames":["exchange<int> halo.c:120","main app.c:44"]}
{"kind":"p2p","phase":0,"src":0,"msgs":[[3,100000,1]]}
{"kind":"p2p","phase":1,"site":1,"src":0,"msgs":[[2,1000,7]]}
{"kind":"p2p","phase":1,"src":0,"msgs":[[2,10,1]]}
{"kind":"p2p","phase":1,"site":1,"src":1,"msgs":[[3,2000,9],[2,500,1]]}
{"kind":"coll","phase":0,"site":0,"comm":0,"op":"MPI_Allreduce","bytes":8,"count":5,"root":null}
{"kind":"time","op":"MPI_Isend","total_s":0.75,"max_s":0.5,"max_rank":1}
{"kind":"time","op":"</script>","total_s":2,"max_s":1,"max_rank":3}
{"kind":"time","op":"MPI_Isend","site":1,"total_s":0.5,"max_s":0.25,"max_rank":1}
{"kind":"time","op":"</script>","comm":0,"total_s":2,"max_s":1,"max_rank":3}
{"kind":"end","records":12}
ACP
mapping near.json '[0, 2, 1, 3]' hand # linear is 0 1 2 3 with two PUs a host
mapping far.json '[0, 4, 8, 12]' ''
odd=$'odd, <\001n\377me>.json' # no UTF-8, no XML
mapping "$odd" '[1, 0, 2, 3]' x
report() { "$berth" report -o r.html "$@"; }

cat > judge.py <<'PY'
"""judge.py BERTH PATTERN TOPOLOGY PAGE: the page's data against the program's other answers, and
its loads against a count of the pairs that cross each port."""
import html, json, re, subprocess, sys
berth, pattern, topology, page = sys.argv[1:5]
text = open(page, encoding="utf-8").read()
begin = text.index('<script type="application/json" id="data">') + 42
found = json.loads(text[begin:text.index("</script>", begin)])
wrong = 0
def expect(what, a, b):
    global wrong
    if a != b:
        print(what, "found", str(a)[:300], "expected", str(b)[:300])
        wrong += 1
def run(*words):
    out = subprocess.run([berth, *words, "--json"], capture_output=True, text=True)
    if out.returncode:
        sys.exit(out.stderr)
    return json.loads(out.stdout)

expect("references to load", re.findall(r"""(?:src|href)\s*=\s*["']?[a-z]+:|url\(|@import|<link""",
       re.sub(r'createElement\("[a-z]*"\)', "", text)), [])
expect("title", html.unescape(text.split("<title>")[1].split("</title>")[0]),
       found["title"] + " – berth report")
expect("placeholders", re.findall(r"\{\{[a-z0-9.-]*\}\}", text), [])

show = run("show", pattern, "--top", "20")
for key in ("messages", "bytes", "mpi_share", "mpi", "created", "command", "pairs_total"):
    expect(f"run {key}", found["run"][key], show[key])
expect("ranks", found["ranks"], show["ranks"])
expect("sizes", found["sizes"], show["sizes"])
expect("times in MPI calls", found["mpi_time"], show["mpi_time"])
listed = {p["id"] for p in found["phases"]}
expect("phases", found["phases"], [p for p in show["phases"] if p["id"] in listed])
expect("number of phases", found["phases_total"], len(show["phases"]))
expect("top pairs", [{k: p[k] for k in ("src", "dst", "messages", "bytes")} for p in found["top_pairs"]],
       show["pairs"])
for p in found["top_pairs"]:
    for key in ("messages", "bytes"):
        expect(f"{key} of call sites", sum(s[key] for s in p["sites"]), p[key])
    expect("call sites are listed", [s for s in p["sites"] if not -2 <= s["site"] < len(found["call_sites"])], [])

before = found["placements"][found["before"]]
hosts = found["machine"]["hosts"]
again = []
for i, p in enumerate(found["placements"]):
    again += ["--mapping", f"again{i}.json"]
    json.dump({"format": "berth-mapping", "version": 1, "pu_of_rank": p["pu_of_rank"]}, open(again[-1], "w"))
priced = {model: run("cost", "--pattern", pattern, "--topology", topology, *again, "--model", model,
                     "--alone", "0", "--pairs", "20", "--oversubscribe") for model in found["models"]}
# what costs have behind them in text
said = {m: re.findall(r"^again[0-9]*[.]json.*?(?: (?:[mun]?s))( ± [^ ]*)? \(model", subprocess.run(
    [berth, "cost", "--pattern", pattern, "--topology", topology, *again, "--model", m, "--alone", "0",
     "--oversubscribe"], capture_output=True, text=True).stdout, re.M) for m in found["models"]
    if "uncertainty" in priced[m]}
expect("unmeasured", found["unmeasured_curves"], priced[found["model"]]["unmeasured_curves"])
expect("uncertainty", found.get("uncertainty"), priced[found["model"]].get("uncertainty"))
for i, p in enumerate(found["placements"]):
    name, pus = p["mapping"], p["pu_of_rank"]
    expect(f"{name} models", sorted(p["cost_s"]), sorted(found["models"]))
    for model, cost in p["cost_s"].items():
        result = priced[model]["results"][i]
        expect(f"{name} {model}", cost, result["cost_s"])
        expect(f"{name} {model} interval", p["intervals"].get(model, {}),
               {k: result[k] for k in ("interval_low_s", "interval_high_s") if k in result})
    for key in ("levels", "bottleneck"):
        expect(f"{name} {key}", p[key], priced[found["model"]]["results"][i][key])
    expect(f"{name} phases", p["phases"],
           [x for x in priced[found["model"]]["results"][i]["phases"] if x["id"] in listed])
    expect(f"{name} margins", p["margins"], {m: said[m][i] for m in found["models"] if "uncertainty" in priced[m]})
    expect(f"{name} moved", p["moved"], sum(a != b for a, b in zip(pus, before["pu_of_rank"])))
    expect(f"{name} to other hosts", p["to_other_hosts"],
           sum(a != b for a, b in zip(p["host_of_rank"], before["host_of_rank"])))

# behind the phases that are listed are pairs of all others, each as often as it occurs
repeats = lambda k: found["phases"][k]["repeats"] if k < len(found["phases"]) else 1
expect("lists of pairs", len(found["pairs"]), len(listed) + (len(listed) < len(show["phases"])))

# loads, where all pairs are there: what crosses the link above an element, and what crosses a switch
m = found["machine"]
row = {e: i for i, e in enumerate(m["element"])}
inside = lambda i, pu: m["first_pu"][i] <= pu < m["first_pu"][i] + m["n_pus"][i]
def crosses(i, kind, a, b):
    x, y = inside(i, a), inside(i, b)
    if kind == 4:
        below = [c for c in range(len(m["parent"])) if m["parent"][c] == m["element"][i]]
        return x != y or (x and y and (a == b or not any(
            inside(c, a) and inside(c, b) for c in below)))
    if x and y:
        return a == b and m["names"][i] is None and kind < 2
    return x if kind in (0, 2) else y
for p in found["placements"] if "groups" not in found else []:
    pus = p["pu_of_rank"]
    for loads in p["loads"]:
        k = loads["phase"]
        phases = range(len(found["pairs"])) if k is None else [k]
        for e, kind, byte, cost in zip(loads["element"], loads["kind"], loads["bytes"], loads["cost_s"]):
            count = sum((repeats(k) if loads["phase"] is None else 1) * n
                        for k in phases for s, d, n in
                        zip(*(found["pairs"][k][x] for x in ("src", "dst", "bytes")))
                        if s != d and crosses(row[e], kind, pus[s], pus[d]))
            if abs(count - byte) > 1e-9 * max(count, byte):
                expect(f"{p['mapping']} phase {k} element {e} kind {kind}", byte, count)
        if k is not None and found["model"] != "sum" and p["phases"][k]["bottleneck"]:
            expect(f"{p['mapping']} phase {k} dearest", max(loads["cost_s"]), p["phases"][k]["cost_s"])

# the matrix: every message is in it, also where ranks are put together
total = lambda phases: sum(repeats(k) * sum(c["bytes"]) for k, c in enumerate(phases))
if "groups" not in found:
    expect("bytes of pairs", total(found["pairs"]), show["bytes"])
else:
    for cells in [found["groups"]["by_rank"], *found["groups"]["by_placement"]]:
        expect("bytes of groups", total(cells), show["bytes"])
        expect("number of groups", max(max(c["src"] + c["dst"]) for c in cells),
               (found["ranks"] - 1) // found["groups"]["ranks"])
    all_sent = sorted(((size * count, count, line["src"]) for line in map(json.loads, open(pattern))
                       if line.get("kind") == "p2p" for _, size, count in line["msgs"]), reverse=True)
    sent = [a[:2] for a in all_sent[:50000]]
    cells = found["pairs"][0]
    amounts = list(zip(cells["bytes"], cells["messages"]))
    expect("pairs are the largest", sorted(amounts, reverse=True) == sent, True)
    expect("equal ones are of all ranks", {s for s, a in zip(cells["src"], amounts) if a == sent[-1]},
           {s for *a, s in all_sent if tuple(a) == sent[-1]})
for path, value in (item.split("=") for item in sys.argv[5:]):
    at = found
    for step in path.split("."):
        at = len(at) if step == "length" else at[int(step) if step.isdigit() else step]
    expect(path, str(at), value)
sys.exit(wrong > 0)
PY
judged() { # CHECK=VALUE… of the page that `report` wrote from p and t
  python3 judge.py "$berth" "$p" "$t" r.html "$@"
}
p=p.acp t=t.json
for model in port bound sum flow; do
  report --pattern $p --topology $t --model $model near.json far.json "$odd"
  check "by $model" judged placements.length=4 before=0 placements.0.mapping=linear
done
check "the title is the command" grep -qF '<h1>./app &lt;/script&gt;&lt;b&gt;&amp;</h1>' r.html
cp r.html first.html
report --pattern $p --topology $t --model flow near.json far.json "$odd"
check "the same bytes again" cmp first.html r.html
report --pattern $p --topology $t --against far.json --title 'A & B' --models sum,bound near.json
check "against a file" judged placements.0.mapping=far.json models.length=3 title='A & B' after=1
check "on standard output" cmp r.html <("$berth" report --pattern $p --topology $t --against far.json \
  --title 'A & B' --models sum,bound near.json -o -)

# machines: one host, curves that nobody measured, spreads; too small for linear
cat > host.json <<'JSON'
{"format":"berth-topology","version":1,"name":"one","curves":{"c":{"source":"default, not measured","points":[[1,1000],[1000,100000]]}},
 "types":{"host":{"down":{"out":"c","in":"c","max_bandwidth":100000},"max_bandwidth":150000}},
 "root":{"type":"host","host":"h","children":[{"pu":0,"core":0},{"pu":1,"core":1}]}}
JSON
mapping both.json '[0, 0, 1, 1]' x
t=host.json
report --pattern $p --topology $t both.json --oversubscribe
check "one host, unmeasured, without linear" judged placements.length=1 unmeasured_curves=True after=0
check "it says so" grep -q 'default curves, which nobody measured' r.html
check "nothing is said of a quiet run" [ "$(grep -c 'waited for a core' r.html)" = 0 ]
sed '2i{"kind":"rank","rank":2,"wall_s":4,"mpi_s":1,"core_wait_s":0.5}' p.acp | sed 's/"records":12/"records":13/' > disturbed.acp
report --pattern disturbed.acp --topology $t both.json --oversubscribe
check "a disturbed run" grep -q '<li>In the recorded run rank 2 waited for a core for 12.5% of the time' r.html
sed 's/"max_bandwidth": 2988771/&,"max_bandwidth_measured":{"samples":5,"spread":0.02}/g' \
  "$BERTH_SOURCE_DIR/testbed/topology.json" > uncertain.json
t=uncertain.json
report --pattern $p --topology $t near.json far.json
check "spreads" judged
sed 's/0[.]02}/0.7}/' uncertain.json > t2.json
t=t2.json
"$berth" report -o large.html --pattern $p --topology $t near.json far.json
check "large spreads" python3 judge.py "$berth" $p $t large.html
check "they are drawn" [ "$(grep -c 'class="whisker"' r.html)" -gt 3 ]
report --pattern $p --topology $t near.json far.json --no-intervals
check "unless not wanted" [ "$(grep -c '<path class="whisker"' r.html)" = 0 ]

# patterns: nothing, many phases, too many pairs
t=t.json p=empty.acp
printf '%s\n' '{"format":"berth-pattern","version":1,"ranks":4}' '{"kind":"end","records":0}' > $p
report --pattern $p --topology $t near.json
check "nothing is sent" judged title=empty.acp
p=phases.acp
{
  echo '{"format":"berth-pattern","version":1,"ranks":4}'
  for k in $(seq 0 299); do
    echo "{\"kind\":\"phase\",\"id\":$k,\"name\":\"p$k\",\"repeats\":$((k + 1))}"
    echo "{\"kind\":\"p2p\",\"phase\":$k,\"src\":$((k % 4)),\"msgs\":[[$(((k + 1) % 4)),$((1000 + 100 * k)),3]]}"
  done
  echo '{"kind":"end","records":600}'
} > $p
report --pattern $p --topology $t near.json
check "many phases, the dearest ones, of these the dearest with loads" judged phases.length=256 \
  placements.0.phases.length=256 placements.0.loads.length=9 phases_total=300 phases.0.id=44 phase=255
p=all.acp t=wide.json
# a fifth has bytes; of the others those with more messages are larger
awk 'function size(x) { return x < 20 ? 8 + x : 0 }
BEGIN { print "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":400}"
  for (r = 0; r < 400; r++) {
    list = ""
    for (d = 0; d < 400; d++) if (d != r) list = list (list == "" ? "" : ",") "[" d "," size(r * d % 97) "," 1 + (r + d) % 3 "]"
    print "{\"kind\":\"p2p\",\"src\":" r ",\"msgs\":[" list "]}"
  }
  print "{\"kind\":\"end\",\"records\":400}" }' > $p
"$BERTH_SOURCE_DIR/examples/stencil/generate.sh" topology 4:10:10 > $t
"$berth" map --pattern $p --topology $t --algorithm random --mapping random.json > log
report --pattern $p --topology $t --models port random.json --svg wide
check "too many pairs for a page" python3 judge.py "$berth" $p $t r.html groups.ranks=2
check "the page says it" grep -q 'id="grouped"' r.html

# pictures
p=p.acp t=t.json
check "pictures alone" "$berth" report --pattern $p --topology $t near.json --svg pictures
check "no page then" [ ! -e report.html ]
check "eight" [ "$(ls pictures | tr '\n' ' ')" = \
  "cost.svg levels.svg matrix-after.svg matrix-before.svg matrix-ranks.svg sizes.svg tree-after.svg tree-before.svg " ]
well_formed() { python3 -c 'import sys, xml.dom.minidom as m; [m.parse(f) for f in sys.argv[1:]]' "$@"; }
check "the bottleneck is named" grep -q 'bottleneck: ' pictures/tree-before.svg
check "nothing is sent" "$berth" report --pattern empty.acp --topology $t near.json --svg none
check "names that aren't text" "$berth" report --pattern $p --topology $t "$odd" --svg odd
check "well-formed" well_formed {pictures,wide,none,odd}/*.svg
check "the default name" eval '"$berth" report --pattern $p --topology $t near.json && [ -s report.html ]'

again="Try \`berth report --help' or \`berth report --usage' for more information."
expect 2 "berth report: expected at least one mapping
$again" "$berth" report --pattern $p --topology $t
expect 2 "berth report: found 'near.json' alone, expected a pattern and a topology beside it
$again" "$berth" report near.json
mkdir pics
cp near.json cost.svg
echo 0=1 > pins
refused() { # PATH WHAT ARGUMENT…
  local path=$1 what=$2; shift 2
  expect 2 "berth report: found '$path' for $what, expected different files
$again" "$berth" report --pattern $p --topology $t near.json "$@"
}
one="an output and an input" two="two outputs"
refused near.json "$one" -o near.json
refused $p "$one" -o $p
refused ./$t "$one" -o ./$t
refused far.json "$one" --against far.json -o far.json
refused pins "$one" --pin pins -o pins
refused ./cost.svg "$one" --svg . cost.svg
refused pics/cost.svg "$two" -o pics/../pics/cost.svg --svg pics
check "'linear' is no file" "$berth" report --pattern $p --topology $t near.json --against linear -o linear
expect 4 "berth report: none.json: cannot open: No such file or directory" report --pattern $p --topology $t none.json
expect 3 "berth report: far.json: pu_of_rank[1]: found 4, expected a whole number from 0 to 1" \
  "$berth" report --pattern $p --topology host.json far.json -o no.html
check "no page after a failure" [ ! -e no.html ]
touch file
expect 4 "berth report: file/cost.svg: cannot write: Not a directory" \
  "$berth" report --pattern $p --topology $t near.json -o no.html --svg file
check "nor beside pictures that fail" [ ! -e no.html ]
finish
