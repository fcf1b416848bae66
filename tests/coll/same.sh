#!/usr/bin/env bash
# BERTH_COLL_REPRODUCIBLE: reductions have the same bits (same.c) on any hosts. Without it they don't.
. "$BERTH_SOURCE_DIR/tests/coll/lib.sh"
ranks=6

# bits MPI HOSTS NAME: of a run whose ranks are on these hosts.
bits() {
  coll=("BERTH_COLL_REPRODUCIBLE=$reproducible")
  if [ "$2" != one ]; then
    python3 -IS "$here/groups.py" "$2" > groups.json
    coll+=("BERTH_GROUPS=$work/groups.json")
  fi
  served "$1" "$ranks" "./same.$1" > "$3"
}

for mpi in $mpis; do
  compile "$mpi" "$here/same.c" "same.$mpi" -lm
  reproducible=1; bits "$mpi" one first
  check "$mpi: a line for each reduction: $(cat err)" [ "$(wc -l < first)" = 240 ]
  while read -r name hosts; do
    bits "$mpi" "$hosts" other
    check "$mpi, $name: the same bits: $(diff first other | head -n 5)" cmp -s first other
  done <<'HOSTS'
block 0,1,2/3,4,5
cyclic 0,2,4/1,3,5
mixed 5,0/3,1,4/2
alone 3/1/5/0/2/4
last_first 4,5/0,1,2,3
HOSTS
  reproducible=0; bits "$mpi" 0,2,4/1,3,5 other
  check "$mpi, without: some bits differ" [ "$(grep -c . other)" = 240 -a "$(cmp -s first other; echo $?)" = 1 ]
done
[ -s "first" ] || exit 1
finish
