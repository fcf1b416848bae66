#!/usr/bin/env bash
# Where agents run: on a core that no rank may use; else on one that the placement leaves free; else
# where ranks do, which one line says.
. "$BERTH_SOURCE_DIR/tests/agents/lib.sh"
all=$(taskset -cp $$ | sed 's/.*: //')
first=${all%%[-,]*} last=${all##*[-,]}
[ "$first" != "$last" ] || { echo "needs two cores"; exit 77; }
cores_of() { sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$1/status"; }
for mpi in $mpis; do
  compile "$mpi" "$here/loop.c" "loop.$mpi"
  while IFS='|' read -r name ranks free expected; do
    groups_of 0,1
    [ -z "$free" ] || sed -i 's/}$/, "free": [{"coordinator": 0, "pus": ['"$free"']}]}/' groups.json
    begun 1 "$mpi" 2 taskset -c "$ranks" "./loop.$mpi" 100000000
    found=$(cores_of "$(agents)")
    kill -9 "$(agents)"
    wait "$job"
    shares=$(grep -c 'has no core of its own and shares those of the ranks$' said)
    is "$mpi, $name" "$(python3 - "$found" "$first" "$last" <<'PY'
import sys
found = {n for part in sys.argv[1].split(",") for a, *b in [part.split("-")] for n in range(int(a), int((b or [a])[0]) + 1)}
print(*(name for name, core in (("first", sys.argv[2]), ("last", sys.argv[3])) if int(core) in found))
PY
)" "$expected"
    is "$mpi, $name: lines" "$shares" "$([ "$expected" = 'first last' ] && echo 1 || echo 0)"
  done <<TABLE
ranks leave a core|$first||last
the placement does|$all|$last|last
ranks leave another one than the placement|$last|$last|first
no core is left|$all||first last
the placement names one that isn't there|$all|1000|first last
TABLE
done
finish
