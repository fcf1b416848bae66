#!/usr/bin/env bash
# Call sites in functions with frames of all kinds: libunwind is asked for each path once, not at each
# call, and every call has its site.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
gcc -shared -fPIC -O1 -DCOUNTED -o libunwind.so.8 "$here/unwind.c" || exit 1
export LD_LIBRARY_PATH=$work
calls=2000

for mpi in $mpis; do
  compile "$mpi" "$here/frames.c" "frames.$mpi" -O2
  # kind; call sites with four frames: main calls from two places
  for row in "plain 2" "dynamic 2" "aligned 2" "deep 4"; do
    read -r kind sites <<< "$row"
    traced "$mpi" 1 frames.acp "./frames.$mpi" "$kind" "$calls"
    asked=$(sed -n 's/^asked \([0-9]*\) times/\1/p' err)
    check "$mpi, $kind: libunwind was asked $asked times in $calls calls" [ "${asked:-$calls}" -le 8 ]
    is "$mpi, $kind: sites and calls" "$(python3 -c "
import json
lines = [json.loads(line) for line in open('frames.acp')]
repeats = {line['id']: line['repeats'] for line in lines if line.get('kind') == 'phase'}
calls = [line for line in lines if line.get('kind') == 'coll' and line['op'] == 'MPI_Barrier']
print(len({c['site'] for c in calls}), sum(c['count'] * repeats[c.get('phase', 0)] for c in calls))")" \
      "$sites $calls"
  done
done
finish
