#!/usr/bin/env bash
# What the collective library sends between hosts, recorded within both MPIs, and what berth says of
# the same calls (berth schedule --collectives berth). Hosts are made of one: by groups for Open MPI, by
# MPICH itself, whose rank r is then on host r modulo their number. Copies within hosts aren't messages
# of an MPI: they are left out of what berth says.
. "$BERTH_SOURCE_DIR/tests/coll/lib.sh"
schedule=$BERTH_SOURCE_DIR/tests/schedule
compare() { python3 -B "$schedule/recorded.py" "$BERTH_BUILD_DIR/tests/schedule/print_calls" "$@"; }
# hosts_of LAYOUT [RANK…]: the number of the host of each of these ranks, of all if there are none
hosts_of() {
  python3 -IS - "$@" << 'P'
import sys
host = {int(r): k for k, ranks in enumerate(sys.argv[1].split("/")) for r in ranks.split(",")}
print(",".join(str(host[r]) for r in map(int, sys.argv[2:] or sorted(host))), end="")
P
}
# Ranks of a host with commas, hosts with slashes, in the order in which they are connected.
layouts_of_openmpi="6,1,4/0,3/5,2 0,2,4,6/1,3,5"
layouts_of_mpich="1,4/0,3,6/2,5"
if all_rounds; then
  layouts_of_openmpi+=" 3/0/2/1 0,1,2/3,4,5 4,5/0,1/2,3 0,1,2,3,4,5,6,7/8"
  layouts_of_mpich+=" 1/0/2 3,7/0,4,8/2,6/1,5 0,2,4,6/1,3,5"
fi
for mpi in $mpis; do
  compile "$mpi" "$schedule/make_calls.c" "calls.$mpi" "$schedule/calls.c" "$schedule/record_$mpi.c" \
    "$schedule/record.c" -I"$schedule" -rdynamic -ldl
  layouts=layouts_of_$mpi
  for layout in ${!layouts}; do
    ranks=$(wc -w <<< "${layout//[,\/]/ }")
    hosts=$(wc -w <<< "${layout//\// }")
    python3 -IS "$here/groups.py" "$layout" > groups.json
    python3 "$here/tunings.py" "$berth" "$ranks" "$ranks" > random.json
    for tuning in "" "$work/random.json"; do
      name=${layout//\//_}.$mpi${tuning:+.tuned}
      mkdir "$name"
      coll=(BERTH_COLL_FIRST_CALL=1 "BERTH_GROUPS=$work/groups.json" BERTH_COLL_REPORT=1 "MPIR_CVAR_NUM_CLIQUES=$hosts" "BERTH_TUNING=$tuning")
      check "$mpi, hosts $layout: calls are made" served "$mpi" "$ranks" "./calls.$mpi" "$name"
      half=$(sed -n 's/^berth-coll: links between hosts carry \([0-9]*\) bytes while a message begins$/\1/p' err)
      sed "s/\"cells\"/\"half_bytes\": $half, &/" random.json > tuning.json
      hosts_of "$layout" > "$name/all.hosts"
      hosts_of "$layout" $(seq 1 2 $((ranks - 1)) | tac) > "$name/odd.hosts"
      [ -n "$tuning" ] && rules=tuning.json || rules=berth:$half
      compare "$rules" "$name"/{all,odd} > found
      check "$mpi, hosts $layout, $rules: it sends what berth says: $(head -n 1 found)" [ "$(wc -l < found)" = 1 ]
      sed -n 2,20p found
    done
  done
done
# the comparison itself: other hosts
hosts_of 0,1,4/6,3/5,2 > 6,1,4_0,3_5,2.openmpi/all.hosts
compare "berth:4096" 6,1,4_0,3_5,2.openmpi/all > other
check "calls on other hosts disagree" grep -q '^bcast 7 ' other
finish
