#!/usr/bin/env bash
# What both MPIs send in collective calls, recorded in real runs, and what berth says of the same
# calls: each message, and the algorithms where the MPI tells them. MPICH's are recorded once with a
# host for each rank, and once with several ranks on each. With BERTH_TEST_ROUNDS above 1,
# communicators have more sizes; above 4, blocks are on both sides of each border of the rules, too.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
sources=$BERTH_SOURCE_DIR/tests/schedule
sizes="2 4 7" words=()
all_rounds && sizes="2 4 7 8"
rounds_above 1 && sizes="$(seq -s ' ' 2 17) 24 33"
rounds_above 4 && words=(borders)
compare() { python3 -B "$sources/recorded.py" "$BERTH_BUILD_DIR/tests/schedule/print_calls" "$@"; }

for mpi in $mpis; do
  rules=openmpi-4.1
  [ "$mpi" = mpich ] && rules=mpich-4.0
  compile "$mpi" "$sources/make_calls.c" "calls.$mpi" "$sources/calls.c" "$sources/record_$mpi.c" \
    "$sources/record.c" -rdynamic -ldl
  export MPIR_CVAR_NOLOCAL=1 # each rank of MPICH counts as a host of its own
  for n in $sizes; do
    mkdir -p "$mpi.$n"
    in_place=()
    [ "$mpi" = mpich ] || in_place=(in_place)
    # Open MPI's calls in place that don't block don't all end on odd numbers of ranks, and
    # MPICH's reduce_scatter aborts on 7
    case $n in 4 | 12) in_place=(in_place nonblocking_in_place persistent_in_place) ;; esac
    check "$n ranks of $mpi make their calls" launch "$mpi" "$n" "./calls.$mpi" "$mpi.$n" "${words[@]}" "${in_place[@]}"
  done
  check "$mpi sends what berth says" compare $rules "$mpi".*/{all,odd,nonblocking,persistent}
done
# MPICH composes calls of parts on hosts, which it can be made to see on one: rank r is on host r
# modulo their number. Communicators have the ranks in this order, host by host, and in another one.
unset MPIR_CVAR_NOLOCAL
jobs="8:3" which=(composed)
rounds_above 1 && which=() && jobs=$(for n in $(seq 2 17) 24 33; do for hosts in 2 3 5 8; do
  [ "$hosts" -gt "$n" ] || echo "$n:$hosts"
done; done)
for job in $jobs; do
  mkdir "on_hosts.$job"
  MPIR_CVAR_NUM_CLIQUES=${job#*:} check "${job%:*} ranks on ${job#*:} hosts make their calls" \
    launch mpich "${job%:*}" ./calls.mpich "on_hosts.$job" "${words[@]}" hosts "${which[@]}"
done
compare mpich-4.0 $(find on_hosts.* -type f ! -name '*.hosts') > found
check "MPICH on hosts sends what berth says: $(head -n 1 found)" [ "$(wc -l < found)" = 1 ]
sed -n '2,20p' found
check "hosts had unequal numbers of ranks" grep -qx 0,1,2,0,1,2,0,1 on_hosts.8:3/all.hosts
for mpi in $mpis; do
  rules=openmpi-4.1
  [ "$mpi" = mpich ] && rules=mpich-4.0
  cat "$mpi".*/*in_place > in_place
  check "$mpi sends what berth says in place" compare $rules in_place
  sed 's/+in_place//' in_place > out_of_place
  compare $rules out_of_place > other
  check "$mpi sends other messages in place" grep -q '^i*alltoallv' other
done
# the comparison itself: another MPI's rules, and a message less
compare mpich-4.0 openmpi.4/all > other
check "rules of another MPI disagree" grep -q '^bcast 4 1 4 0 built_in: found "bcast:binary"' other
sed '/^gather 4 1 4 0/s/ 3>2:4//' mpich.4/all > less
compare mpich-4.0 less > found
check "a message less is found" \
  grep -qF "gather 4 1 4 0 built_in (gather:binomial): only berth's [(3, 2, 4)]" found
sed '/^allgatherv 2 0,1 4 0/s/ 0>1:0//' openmpi.2/all > less
compare openmpi-4.1 less > found
check "an empty message less is found" \
  grep -qF "allgatherv 2 0,1 4 0 built_in (allgatherv:ring): only berth's [(0, 1, 0)]" found
cp on_hosts.8:3/all all && echo 0,1,2,3,4,5,6,7 > all.hosts
compare mpich-4.0 all > found
check "ranks that are taken apart disagree" grep -q '^barrier 8 0 4 0 built_in on hosts 0,1,2,3,4,5,6,7' found
finish
