#!/usr/bin/env bash
# Small files that ask for much: each is taken within its memory, or refused with the number and the
# limit. None takes longer than its size asks for.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
is_sanitized && { echo "skipped: the address sanitizer takes memory of its own"; exit 77; }
cat > rows.py <<'PY'
import json, os, re, resource, subprocess, sys
berth, only = sys.argv[1], sys.argv[2:]
failures = checks = 0
MIB = 1 << 20

def run(words, stdin=None):
    """Exit code, standard error, peak memory in MiB."""
    # from a process of its own: a child's peak begins with that of whoever starts it
    code = ("import os, resource, subprocess, sys; r = subprocess.run(sys.argv[2:], timeout=float(sys.argv[1]), "
            "stdout=subprocess.DEVNULL, stderr=subprocess.PIPE); sys.stderr.buffer.write(r.stderr); "
            "print(r.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)")
    r = subprocess.run([sys.executable, "-c", code, "100", *words], capture_output=True, text=True)
    try: exit_code, peak = map(int, r.stdout.split())
    except ValueError: return -1, "took too long", 0
    return exit_code, r.stderr.strip(), peak

def write(name, pieces):
    """A file, packed where its name says so; pieces are (text, times)."""
    to = subprocess.Popen(["zstd", "-qf", "-", "-o", name], stdin=subprocess.PIPE) if name.endswith(".zst") else None
    out = to.stdin if to else open(name, "wb")
    for text, times in pieces:
        block = max(1, min(times, MIB // max(1, len(text))))
        for _ in range(times // block): out.write(text * block)
        out.write(text * (times % block))
    out.close()
    if to: to.wait()

PATTERN = b'{"format":"berth-pattern","version":1,"ranks":%d}\n'
def topology(root, more=b""): return b'{"format":"berth-topology","version":1,"types":{"t":{}},%s"root":%s}' % (more, root)
HOST = b'{"type":"t","host":"h","children":[{"pu":0,"core":0}]}'
write("t.json", [(topology(HOST), 1)])
write("p.acp", [(PATTERN % 2 + b'{"kind":"p2p","src":0,"msgs":[[1,8,1]]}\n{"kind":"end","records":1}\n', 1)])
write("wide.acp", [(PATTERN % 16777216 + b'{"kind":"p2p","src":0,"msgs":[[1,8,1]]}\n{"kind":"end","records":1}\n', 1)])
write("many.acp", [(PATTERN % 5000 + b'{"kind":"p2p","src":0,"msgs":[[1,8,1]]}\n{"kind":"end","records":1}\n', 1)])
TOPO = ["topo", "check", "--memory", "128MiB"]
SHOW = ["show", "--memory", "64MiB"]
IMPORT = ["import", "--memory", "64MiB", "-o", "out.acp"]
TOO_MUCH = r"found data for at least [0-9.]+ [MG]iB of memory, expected at most %s \(--memory allows more\)"
N = 1000000
split = topology(HOST, b'"ignored":[[]|],').split(b"|")
nested = topology(HOST, b'"ignored":{"deep":[{}|]},').split(b"|")
in_root = topology(b'{"type":"t","host":"h","note":[0|],"children":[{"pu":0,"core":0}]}').split(b"|")
children = topology(b'{"type":"t","children":[[]|]}').split(b"|")
P2P = b'{"kind":"p2p","src":0,"msgs":[[1,8,1]]}\n'
XML = b'<?xml version="1.0"?><platform version="4.1"><zone id="z" routing="Full"><cluster id="c" prefix="h" suffix="" radical="0-16777215" speed="1Gf" bw="1GBps" lat="1us"/></zone></platform>'

rows = [ # name, file and its pieces (None: there already), command, exit code, what its line has, peak in MiB
  ("an ignored member", "a.json.zst", [(split[0], 1), (b",[]", 3 * N), (split[1], 1)], TOPO, 0, "", 110),
  ("one deep inside", "a.json.zst", [(nested[0], 1), (b",{}", 3 * N), (nested[1], 1)], TOPO, 0, "", 110),
  ("one of an element", "a.json.zst", [(in_root[0], 1), (b",1", 4 * N), (in_root[1], 1)], TOPO, 0, "", 110),
  ("children that are none", "a.json.zst", [(children[0], 1), (b",[]", 3 * N), (children[1], 1)], TOPO, 4, TOO_MUCH % "128.0 MiB", 160),
  ("repeats of PUs", "a.json", [(topology(b'{"type":"t","children":[{"type":"t","host":"h%d","repeat":5000000,"children":[{"pu":0,"core":0}]}]}'), 1)], TOPO, 4, TOO_MUCH % "128.0 MiB", 160),
  ("blanks", "a.json.zst", [(b" ", 160 * MIB)], TOPO, 4, TOO_MUCH % "128.0 MiB", 160),
  ("one pair, line by line", "a.acp.zst", [(PATTERN % 2, 1), (P2P, N), (b'{"kind":"end","records":%d}\n' % N, 1)], SHOW, 0, "", 30),
  ("one pair, in one line", "a.acp.zst", [(PATTERN % 2, 1), (b'{"kind":"p2p","src":0,"msgs":[[1,8,1]', 1), (b",[1,8,1]", 3 * N), (b']}\n{"kind":"end","records":1}\n', 1)], SHOW, 4, TOO_MUCH % "64.00 MiB", 100),
  ("an ignored member of a line", "a.acp.zst", [(PATTERN % 2, 1), (b'{"kind":"p2p","src":0,"msgs":[[1,8,1]],"x":[0', 1), (b",0", 4 * N), (b']}\n{"kind":"end","records":1}\n', 1)], ["show", "--memory", "128MiB"], 0, "", 110),
  ("one-sided operations", "a.acp.zst", [(PATTERN % 2, 1), (b'{"kind":"rma","src":0,"op":"MPI_Put","msgs":[[1,8,1]]}\n', N), (b'{"kind":"end","records":%d}\n' % N, 1)], SHOW, 4, TOO_MUCH % "64.00 MiB", 100),
  ("ranks", "a.acp", [(PATTERN % 16777216 + b'{"kind":"rank","rank":0,"wall_s":1,"mpi_s":0}\n{"kind":"end","records":1}\n', 1)], SHOW, 4, TOO_MUCH % "64.00 MiB", 100),
  ("a line without an end", "a.acp.zst", [(b"x", 96 * MIB)], SHOW, 4, TOO_MUCH % "64.00 MiB", 100),
  ("names of calls", "a.acp", [(b'{"format":"berth-pattern","version":1,"ranks":2,"unmodelled":[' + b",".join(b'{"op":"MPI_%d","calls":1}' % i for i in range(100000)) + b']}\n' + P2P + b'{"kind":"end","records":1}\n', 1)], SHOW, 0, "", 60),
  ("times of calls", "a.acp", [(PATTERN % 2 + b'{"kind":"time","op":"MPI_Wait","total_s":200000,"max_s":200000,"max_rank":0}\n' + b"".join(b'{"kind":"time","op":"MPI_Wait","site":%d,"total_s":1,"max_s":1,"max_rank":0}\n' % (i + 1) for i in range(200000)) + b'{"kind":"end","records":200001}\n', 1)], SHOW, 0, "", 60),
  ("a module a call site", "a.acp", [(PATTERN % 2 + b"".join(b'{"kind":"site","id":%d,"op":"MPI_Send","frames":["/nowhere/m%d+0x12"]}\n' % (i + 1, i) for i in range(200000)) + b'{"kind":"end","records":200000}\n', 1)], ["resolve", "--memory", "128MiB", "-o", "out.acp"], 0, "", 200),
  ("phases to be named", "a.acp", [(PATTERN % 2 + b"".join(b'{"kind":"site","id":%d,"op":"MPI_Send","frames":["f%d x.c:1"]}\n{"kind":"phase","id":%d,"name":"phase %d"}\n{"kind":"p2p","phase":%d,"site":%d,"src":0,"msgs":[[1,8,1]]}\n' % (i + 1, i, i, i, i, i + 1) for i in range(60000)) + b'{"kind":"end","records":180000}\n', 1)], ["resolve", "--memory", "128MiB", "-o", "out.acp"], 0, "", 200),
  ("mapping", "a.json.zst", [(b'{"format":"berth-mapping","version":1,"pu_of_rank":[0', 1), (b",0", 10 * N), (b"]}", 1)], ["cost", "--memory", "64MiB", "--pattern", "p.acp", "--topology", "t.json", "--mapping"], 4, TOO_MUCH % "64.00 MiB", 100),
  ("pins", "a.pins.zst", [(b"0=0 ", 24 * MIB)], ["map", "--memory", "64MiB", "--pattern", "p.acp", "--topology", "t.json", "--pin"], 4, TOO_MUCH % "64.00 MiB", 100),
  ("radical", "a.xml", [(XML, 1)], ["topo", "import", "--memory", "64MiB", "-o", "o.json"], 4, TOO_MUCH % "64.00 MiB", 100),
  ("levels", "16777216/1", None, ["topo", "import", "--memory", "64MiB", "-f", "levels", "-o", "o.json"], 4, TOO_MUCH % "64.00 MiB", 100),
  ("hosts of Slurm", "a.conf", [(b"SwitchName=s Nodes=n[0-9999999]\n", 1)], ["topo", "discover", "--memory", "64MiB", "--like", "t.json", "-o", "o.json", "--slurm"], 4, TOO_MUCH % "64.00 MiB", 100),
  ("phases of CSV", "a.csv", [(b"phase,src,dst,bytes\n" + b"".join(b"%d,0,1,8\n" % i for i in range(300000)), 1)], ["import", "--memory", "128MiB", "-o", "out.acp"], 0, "", 150),
  ("lines of CSV", "a.csv.zst", [(b"src,dst,bytes\n", 1), (b"0,1,8\n", 2 * N)], IMPORT, 0, "", 30),
  ("pairs of Matrix Market", "a.mtx.zst", [(b"%%%%MatrixMarket matrix coordinate integer general\n2 2 %d\n" % (8 * N), 1), (b"1 2 5\n", 8 * N)], IMPORT, 4, TOO_MUCH % "64.00 MiB", 100),
  ("a matrix of many ranks", "wide.acp", None, ["export", "-f", "matrix", "-o", "o.txt"], 3, r"found 16777216 ranks, whose matrix takes at least 512.0 TiB, expected at most 1.000 TiB", 100),
]
for name, path, pieces, words, code, line, peak in rows:
    if only and name not in only: continue
    if pieces: write(path, pieces)
    found, said, most = run([berth, *words, path])
    checks += 1
    if found == code and most <= peak and (re.search(line, said) if line else True) and (code == 0 or "\n" not in said): continue
    failures += 1
    print("FAILED: %s: found %s, %s MiB: %s\n  expected %s, at most %s MiB: %s" % (name, found, most, said[:300], code, peak, line))
print(checks - failures, "of", checks, "rows")
sys.exit(failures > 0 or checks == 0)
PY
check "rows" python3 rows.py "$berth" "$@"

# A writer stops at the first error instead of going on to the end.
for format in matrix csv matrix-market metis scotch sqlite; do
  expect 4 "berth export: /dev/full: cannot write: No space left on device" \
    timeout 60 "$berth" export -f $format many.acp -o /dev/full
done
expect 4 "berth export: standard output: cannot write: No space left on device" bash -c "timeout 60 '$berth' export -f matrix many.acp > /dev/full"
expect 2 "Try \`berth show --help' or \`berth show --usage' for more information." \
  bash -c "'$berth' show --memory 0 p.acp 2>&1 | tail -n 1 >&2; exit \${PIPESTATUS[0]}"
finish
