#!/usr/bin/env bash
# Who may include whom (src/CMakeLists.txt): the tree keeps to it, and a planted violation is found.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
here=$BERTH_SOURCE_DIR/tests/layout
check "the tree" python3 "$here/includes.py" "$BERTH_SOURCE_DIR/src"
check "no source knows whether the build has an MPI: check.sh relies on it" \
  [ -z "$(cd "$BERTH_SOURCE_DIR" && grep -rl BERTH_MPI --include="*.[ch]" src include; cd "$BERTH_SOURCE_DIR" && grep -l BERTH_MPI cmake/*)" ]

cd "$work" || exit 1
cp -r "$BERTH_SOURCE_DIR/src" src
# planted FILE LINE EXPECTED: with the line at the end of the file the check says so. The copy has all
# of them, so that it is read once.
files=() expected=()
planted() {
  printf '%s\n' "$2" >> "src/$1"
  files+=("$1")
  expected+=("$3")
}
planted base/text.c '#include "topo/topo_levels.h"' 'but base may not use topo'
planted cost/flow/flow_net.c '#include "map/map_graph.h"' 'but cost may not use map'
planted topo/discover/topo_slurm.c '#include <berth/pattern.h>' 'but topo may not use pattern'
planted map/mappers/map_greedy.c '#include "cost/cost_internal.h"' 'which is internal to cost'
planted map/mappers/map_greedy.c '#include "map/graph.h"' 'expected a file of src'
planted map/map_run.c '#include "map_graph.h"' 'expected its path from src'
planted map/map_run.c '#include <mpi.h>' 'but map may not use MPI'
planted cli/main.c '#include <mpi.h>' 'but cli may not use MPI'
planted topo/topo.c '#include <hwloc.h>' 'expected it in topo_hwloc.c and node_machine.c alone'
planted exchange/topo/tleaf.c 'void f(void) { printf("x"); }' 'expected no printing or exit in a library'
planted spool/recover.c 'void f(void) { fputs("x", stderr); }' 'expected no printing or exit in a library'
planted check/check.c 'void f(void) { exit(1); }' 'expected no printing or exit in a library'
code=0
python3 "$here/includes.py" src > said || code=$?
check "violations: exit code $code" [ $code -eq 1 ]
for i in "${!files[@]}"; do
  check "${files[$i]}: ${expected[$i]}" grep -qF -- "${expected[$i]}" <(grep "^src/${files[$i]}:[0-9]*: " said)
done
check "nothing else: $(cat said)" [ "$(wc -l < said)" = ${#files[@]} ]

echo 'berth_module(base USES map)' >> src/CMakeLists.txt
code=0
python3 "$here/includes.py" src > said || code=$?
check "modules that use each other: exit code $code" [ $code -eq 1 ]
check "modules that use each other" grep -qF 'uses itself by way of others' said
finish
