#!/usr/bin/env bash
# Signals that the system sends to whoever writes too much, too long or to nobody: one line or none,
# the old file as it was, and no temporary.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
t=$BERTH_SOURCE_DIR/testbed/topology.json
python3 - <<'PY'
import json
n = 3000
with open("p.acp", "w") as f:
    print(json.dumps({"format": "berth-pattern", "version": 1, "ranks": n}), file=f)
    for r in range(n): print(json.dumps({"kind": "p2p", "src": r, "msgs": [[(r + 1) % n, 8, 1]]}), file=f)
    print(json.dumps({"kind": "end", "records": n}), file=f)
PY
"$berth" topo import -f levels 3000/1 -o t.json
"$berth" map --pattern p.acp --topology t.json --algorithm linear --mapping m.json > /dev/null
limited() { bash -c 'ulimit -f 4; exec "$@"' limited "$@"; } # 4 KiB
too_large() { # FILE COMMAND...: writes FILE, which is there
  local file=$1; shift
  rm -f "$file"*; echo old > "$file"
  local before; before=$(ls -A | sort)
  expect 4 "berth $1: $file: cannot write: File too large" limited "$berth" "$@"
  check "$1: the old one is there" [ "$(cat "$file")" = old ]
  check "$1: nothing else is" [ "$(ls -A | sort)" = "$before" ]
}
too_large out.csv export -f csv p.acp -o out.csv
too_large out.txt export -f matrix-market p.acp -o out.txt
too_large out.sqlite export -f sqlite p.acp -o out.sqlite
too_large out.xml topo export -f simgrid t.json -o out.xml
too_large new.json map --pattern p.acp --topology t.json --algorithm linear --mapping new.json
too_large report.html report --pattern p.acp --topology t.json m.json -o report.html
too_large rankfile write --mapping m.json --topology t.json rankfile=rankfile
bash -c 'ulimit -f 4; "$0" export -f csv p.acp > big; echo $?' "$berth" > code 2> said
check "standard output: code" [ "$(cat code)" = 4 ]
check "standard output: one line: $(cat said)" [ "$(cat said)" = "berth export: standard output: cannot write: File too large" ]

# What berth starts has the system's own way with the signal.
cat > mpirun <<'SH'
#!/usr/bin/env bash
[ "$1" = --version ] && { echo "mpirun (Open MPI) 4.1.4"; exit; }
python3 -c 'import re; print([int(v, 16) & 0x7fffffff for v in re.findall(r"Sig(?:Blk|Ign):\s*(\w+)", open("/proc/%d/status" % __import__("os").getppid()).read())])' > signals
SH
chmod +x mpirun
(./mpirun -np 1; mv signals usual); "$berth" topo discover -- ./mpirun -np 1 2> /dev/null
check "a started program ignores nothing: $(cat signals)" cmp -s signals usual

# A reader that is gone, and no time left.
mkdir left && cd left || exit 1
bash -c 'trap - PIPE; "$0" map --pattern ../p.acp --topology ../t.json --algorithm linear --mapping m --rankfile - | true' "$berth"
check "nobody reads: no temporary: $(ls -A | xargs)" [ -z "$(ls -A | grep tmp)" ]
bash -c 'ulimit -S -t 1; exec "$0" map --pattern ../p.acp --topology ../t.json --quality strong --algorithm refine --mapping m2' "$berth" 2> /dev/null
check "no time: no temporary: $(ls -A | xargs)" [ -z "$(ls -A | grep tmp)" ]
finish
