#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# Open MPI and MPICH start jobs on the testbed's hosts by what `berth write` gives them, and every
# rank is where the mapping has it.
. "$BERTH_SOURCE_DIR/tests/testbed/landing.sh"
for tool in mpirun.openmpi mpiexec.mpich; do
  command -v $tool > /dev/null || skip "$tool is missing"
done
up_or_skip

mpirun() {
  "$testbed" exec h0 env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    mpirun.openmpi --mca plm_rsh_agent "$state/agent.sh" --mca plm_rsh_no_tree_spawn 1 \
    --mca oob_tcp_if_include e0 "$@"
}
# Hydra calls its agent as ssh -x HOST WORD…
printf '#!/bin/sh\nshift\nexec %s/agent.sh "$@"\n' "$state" > agent
chmod +x agent
mpiexec() { "$testbed" exec h0 mpiexec.mpich -launcher ssh -launcher-exec "$work/agent" "$@"; }

for mapping in good even uneven; do
  for format in rankfile seq hydra; do
    check "$mapping: $format" start $format $mapping
  done
  mapfile -t columns < <(columns $mapping rankfile seq HYDRA)
  check "$mapping: where ranks are" landing compare topology.json $mapping.json "${columns[@]}"
done
check "another mapping is told apart" \
  eval '! landing compare topology.json random.json seq=good.seq > /dev/null 2>&1'
finish
