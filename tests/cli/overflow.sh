#!/usr/bin/env bash
# Repeats and totals that pass 2^64 are refused by every export that has one number for a pair, with
# the pair and the value; what fits is exact.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
pattern() { # REPEATS LINE...: a phase for each line, [src,dst,size,count,bytes]
  python3 - "$@" <<'PY'
import json, sys
repeats, lines = int(sys.argv[1]), [json.loads(a) for a in sys.argv[2:]]
print(json.dumps({"format": "berth-pattern", "version": 1, "ranks": 3}))
for i, _ in enumerate(lines): print(json.dumps({"kind": "phase", "id": i, "repeats": repeats}))
for i, (src, dst, *m) in enumerate(lines): print(json.dumps({"kind": "p2p", "phase": i, "src": src, "msgs": [[dst, *m]]}))
print(json.dumps({"kind": "end", "records": 2 * len(lines)}))
PY
}
M=9007199254740992 # 2^53
row() { # FORMATS LINE REPEATS PHASE...
  local formats=$1 line=$2; shift 2
  pattern "$@" > p.acp
  for format in $formats; do
    expect 3 "berth export: p.acp: $line, expected less than 2^64" "$berth" export -f $format p.acp -o out
    check "$format: nothing is written" [ ! -e out ]
  done
}
all="matrix matrix-market matrix-market-messages metis scotch" graphs="metis scotch"
row "$all" "rank 0 to rank 1: found 7.38e+19 bytes with all phases and repeats" 8192 "[0,1,$M,1,$M]"
row "$all" "rank 0 to rank 1: found 7.38e+19 messages with all phases and repeats" 8192 "[0,1,0,$M,0]"
row "$all" "rank 0 to rank 1: found 1.84e+19 bytes with all phases and repeats" 1024 "[0,1,$M,1,$M]" "[0,1,$M,1,$M]"
row "$all" "rank 2 to rank 1: found 1.84e+19 messages with all phases and repeats" 1024 "[2,1,0,$M,0]" "[2,1,0,$M,0]"
row "$graphs" "rank 0 to rank 1: found 1.84e+19 bytes with all phases and repeats, both directions together" \
  1024 "[0,1,$M,1,$M]" "[1,0,$M,1,$M]"

# The largest that fit.
pattern 1024 "[0,1,$M,1,$M]" "[0,1,0,1,$((M - 1))]" > p.acp
check "the largest" "$berth" export -f matrix p.acp -o out 2> said
check "exact: found '$(sed -n 1p out)'" [ "$(sed -n 1p out)" = "0 18446744073709550592 0" ]
finish
