#!/usr/bin/env bash
# `berth topo discover -- LAUNCHER` while the job prints text of its own: records of other runs,
# damaged, too long, hostile. They are the job's text, or are dropped; the hosts are found all the same.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
# A launcher that prints what a case says, then starts what it is given.
cat > mpirun <<'PY'
#!/usr/bin/env python3
import os, re, subprocess, sys
if "--version" in sys.argv:
    print("mpirun (Open MPI) 4.1.4")
    sys.exit()
first = next(i for i, a in enumerate(sys.argv) if a.endswith("berth"))
probe, case = sys.argv[first:], os.environ["CASE"]
def fnv(data):
    h = 0x811c9dc5
    for c in data: h = ((h ^ c) * 0x01000193) & 0xffffffff
    return h
def seal(body): return body + b" %08x\n" % fnv(body)
real = subprocess.run(probe, stdout=subprocess.PIPE).stdout.splitlines()
words = real[0].split(b" ")
head = words[:-6] # the magic word and what else stands in front of the host
def record(host, text, index=0, count=1, id=None, head=head):
    id = b"%08x" % fnv(text) if id is None else id
    return seal(b" ".join([*head, host, id, b"%d" % index, b"%d" % count, text]))
tree = b"host(core(0:0)*2+1+1)"
stolen = [head[0], b"0" * 32]
lines = {
    "plain": [],
    "too long": [record(b"evil", b"x" * 900)],
    "100 kB": [record(b"evil", b"x" * 100000)],
    "a page of pieces": [record(b"evil", b"x" * 20000, k, 9) for k in range(9)],
    "no secret": [record(b"evil", tree, head=head[:1])],
    "no secret, too long": [record(b"evil", b"x" * 5000, head=head[:1])],
    "another run's": [record(b"evil", tree, head=stolen)],
    "other text than its id": [record(b"evil", tree, id=b"00000000")],
    "pieces of text": [record(b"evil", tree, 5, 3)],
    "many pieces": [record(b"evil", b"x", 0, 10**18)],
    "pieces of other lengths": [record(b"evil", b"host(", 0, 2, b"01234567"),
                         record(b"evil", b"x" * 801, 1, 2, b"01234567")],
    "negative": [record(b"evil", b"x", -1, -1)],
    "long name": [record(b"h" * 300, tree)],
    "long id": [record(b"evil", tree, id=b"0" * 300)],
    "nothing": [record(b"", b"")],
    "no end": [b"x" * (1 << 22)],
    "bytes": [bytes(range(1, 256)) * 300 + b"\n"],
    "in a line": [b"some text " + b" ".join([head[0]] * 3) + b" and more\n"],
}[case]
sys.stdout.buffer.write(b"".join(lines) + b"\n" + b"".join(l + b"\n" for l in real))
PY
chmod +x mpirun
"$berth" topo discover -q --name t -o plain.json
hosts() { CASE=$1 timeout 20 "$berth" topo discover -q --name t -o "found.json" -- ./mpirun -np 2 > /dev/null 2> said; }
while read -r case; do
  rm -f found.json
  check "$case" hosts "$case"
  check "$case: the host alone" cmp -s plain.json found.json
done <<'END'
plain
too long
100 kB
a page of pieces
no secret
no secret, too long
another run's
other text than its id
pieces of text
many pieces
pieces of other lengths
negative
long name
long id
nothing
no end
bytes
in a line
END
for text in "no secret" "another run's"; do
  hosts "$text"
  check "$text: shown as the job's text" grep -q '^berth-probe.* evil ' said
done

# A description of many pieces, with whatever stands where it is divided.
if unshare --uts true 2> /dev/null; then
  export HWLOC_SYNTHETIC="pack:4 [numa] die:2 l3:3 l2:5 core:7 pu:2"
  "$berth" topo discover -q --name t -o plain.json
  check "a large host" hosts plain
  check "a large host: as without a launcher" cmp -s plain.json found.json
fi
finish
