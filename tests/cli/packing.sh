#!/usr/bin/env bash
# Which call sites pack, and what the program could do instead: messages and collective calls alike.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
# a host where packing 1,000 bytes in blocks of 8 takes 1 us, and MPI_Pack half of that
python3 -IS - > t.json << 'PY'
import json
def table(by, side, point, **more):
    return {"mpi": "M 1", "by": by, "side": side, **more, "points": [point], "samples": [1], "spread": [None]}
tables = [table("contiguous", "both", [1000, 1000, 1e-7]),
          table("contiguous", "both", [1000, 1000, 1e-7], exchange=True)]
for side in "send", "receive":
    tables += [table("type", side, [8, 1000, 1.1e-6]), table("type", side, [8, 1000, 1.1e-6], exchange=True),
               table("pack", side, [8, 1000, 6e-7], exchange=True)]
pus = [{"pu": i, "core": i} for i in range(2)]
print(json.dumps({"format": "berth-topology", "version": 1, "types": {"s": {}, "a": {"node": {"strided": tables}}},
                  "root": {"type": "s", "children": [{"type": "a", "host": "h", "children": pus}]}}))
PY
cat > p.acp << 'ACP'
{"format":"berth-pattern","version":1,"ranks":2,"mpi":"M 1"}
{"kind":"site","id":1,"op":"MPI_Alltoall","frames":["transpose fft.c:12","main fft.c:40"]}
{"kind":"site","id":2,"op":"MPI_Isend","frames":["exchange halo.c:7"]}
{"kind":"p2p","site":2,"src":0,"msgs":[[1,1000,10]]}
{"kind":"coll","site":1,"op":"MPI_Alltoall","bytes":2000,"count":100,"root":null}
{"kind":"packed","rank":0,"site":1,"msgs":[[1000,125,1992,200]]}
{"kind":"packed","rank":0,"site":1,"receives":true,"msgs":[[1000,125,1992,100]]}
{"kind":"packed","rank":0,"site":2,"msgs":[[1000,125,1992,10]]}
{"kind":"packed","rank":1,"site":1,"receives":true,"msgs":[[1000,125,1992,50]]}
{"kind":"end","records":8}
ACP
"$berth" map -q --algorithm linear -o m.json p.acp t.json 2> err
"$berth" cost p.acp t.json m.json > text 2> err
sed -n '/packing of/,/Isend/p' text > found
cat > expected << 'TEXT'
  packing of derived datatypes, on the rank with the most of each call site; and if the program packed
  (messages, and blocks of collective calls):
           now                               then    packed    piece
      200.0 us   100.0 us by MPI_Pack                   200      8 B  sent in MPI_Alltoall  transpose fft.c:12 < main fft.c:40
      100.0 us   50.00 us by MPI_Pack                   150      8 B  received in MPI_Alltoall  transpose fft.c:12 < main fft.c:40
      10.00 us   5.000 us by MPI_Pack                    10      8 B  sent in MPI_Isend  exchange halo.c:7
TEXT
check "the table" diff found expected
"$berth" cost --json p.acp t.json m.json > cost.json 2> err
check "as JSON" python3 -IS - cost.json << 'PY'
import json, sys
result = json.load(open(sys.argv[1]))["results"][0]
packing = result["packing"]
assert abs(result["packing_s"] - 310e-6) < 1e-9, result["packing_s"]
assert (packing["messages"], packing["unknown_messages"]) == (360, 0), packing
found = [(s["op"], s["receives"], s["messages"], s["by"]) for s in packing["sites"]]
assert found == [("MPI_Alltoall", False, 200, "pack"), ("MPI_Alltoall", True, 150, "pack"),
                 ("MPI_Isend", False, 10, "pack")], found
PY
sed 's/"M 1"/"Other 1"/' p.acp > other.acp
"$berth" cost other.acp t.json m.json > text 2> err
check "what isn't known" grep -q "packing isn't included for 360 messages or blocks of collective calls: \`berth calibrate node\` hasn't measured it under Other 1" text
finish
