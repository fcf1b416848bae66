# shellcheck shell=bash
# Sourced with `berth` the program: what the report's tests show.

# make_small: in this folder p.acp, u.json (with spreads), random.json, greedy.json: 16 ranks that
# exchange with neighbours in one phase, across the machine in another, not at all in the third; and
# with times in MPI calls.
make_small() {
  awk 'BEGIN {
    print "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":16,\"command\":[\"./app\",\"--grid\",\"4x4\"]}"
    print "{\"kind\":\"phase\",\"id\":0,\"name\":\"halo\",\"repeats\":100}"
    print "{\"kind\":\"phase\",\"id\":1,\"name\":\"transpose\",\"repeats\":5}"
    print "{\"kind\":\"phase\",\"id\":2,\"name\":\"quiet\",\"repeats\":1}"
    print "{\"kind\":\"site\",\"id\":1,\"op\":\"MPI_Isend\",\"frames\":[\"exchange halo.c:120\",\"main app.c:44\"]}"
    for (r = 0; r < 16; r++) {
      printf "{\"kind\":\"p2p\",\"phase\":0,\"site\":1,\"src\":%d,\"msgs\":[[%d,%d,2],[%d,%d,3]]}\n",
        r, (r + 1) % 16, 4000 + 100 * r, (r + 4) % 16, 9000 + 10 * r
      printf "{\"kind\":\"p2p\",\"phase\":1,\"src\":%d,\"msgs\":[[%d,%d,1]]}\n", r, (r * 7 + 5) % 16, 50000 + r
    }
    for (r = 0; r < 16; r++)
      printf "{\"kind\":\"rank\",\"rank\":%d,\"wall_s\":10,\"mpi_s\":%.1f}\n", r, 2.5 + 0.1 * r
    print "{\"kind\":\"site\",\"id\":2,\"op\":\"MPI_Allreduce\",\"frames\":[\"norm solve.c:88\",\"gmres solve.c:140\",\"main app.c:44\"]}"
    print "{\"kind\":\"comm\",\"id\":1,\"ranks\":[0,4,8,12]}"
    time("MPI_Isend", "\"site\":1", 20, 3, 7)
    time("MPI_Isend", "", 21, 3.125, 7)
    time("MPI_Allreduce", "", 15, 2.5, 8)
    time("MPI_Allreduce", "\"site\":2,\"comm\":0", 12, 1, 1)
    time("MPI_Allreduce", "\"site\":2,\"comm\":1", 3, 2, 8)
    print "{\"kind\":\"end\",\"records\":59}" }
    function time(op, more, total, max, rank) {
      printf "{\"kind\":\"time\",\"op\":\"%s\",%s\"total_s\":%g,\"max_s\":%g,\"max_rank\":%d}\n",
        op, more ? more "," : "", total, max, rank
    }' > p.acp
  sed 's/"max_bandwidth": 2988771/&,"max_bandwidth_measured":{"samples":5,"spread":0.02}/g' \
    "$BERTH_SOURCE_DIR/testbed/topology.json" > u.json
  for algorithm in random greedy; do
    "$berth" map --pattern p.acp --topology u.json --algorithm $algorithm \
      --mapping $algorithm.json > log || return
  done
}

# make_stencil: s.acp, st.json and sg.json: 4,096 ranks that send one size.
make_stencil() {
  "$BERTH_SOURCE_DIR/examples/stencil/generate.sh" pattern 16 16 16 > s.acp
  "$BERTH_SOURCE_DIR/examples/stencil/generate.sh" topology 16:16:16 > st.json
  "$berth" map --pattern s.acp --topology st.json --algorithm geometric --quality fast \
    --mapping sg.json > log
}

# make_sized RANKS PATTERN LEVEL…: ranks-N.html, by RANKS.acp, RANKS-machine.json, RANKS.json, of a
# standard pattern on a machine whose racks share slow links.
make_sized() {
  local ranks=$1 pattern=$2; shift 2
  "$berth" make pattern "$pattern" -n "$ranks" -o "$ranks.acp" > log 2>&1 &&
    "$berth" topo make "$@" rack=2x100Gbit/s host=100Gbit/s -o "$ranks-machine.json" > log 2>&1 &&
    "$berth" map "$ranks.acp" "$ranks-machine.json" --quality fast --mapping "$ranks.json" > log &&
    "$berth" report "$ranks.acp" "$ranks-machine.json" -o "ranks-$ranks.html" "$ranks.json" > log
}
