#!/usr/bin/env bash
# The program of each rank: exactly the steps of program.c, under both MPIs.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows

# What a trace must hold, rank by rank.
python3 - > want <<'PYTHON'
import json

SMALL, LARGE = 8, 100000

def order(number, rank, steps, rounds=1):
    print(number, "order", rank, rounds, "x", json.dumps(steps, separators=(",", ":")))

def step(kind, source, times):
    return {kind: source, "times": times} if times > 1 else {kind: source}

def receive(source, times=1):
    return step("receive", source, times)

def posted(source, times=1):
    return step("posted", source, times)

def arrived(source, times=1):
    return step("arrived", source, times)

def loop(times, *steps):
    return {"loop": times, "sends": list(steps)}

def call(operation, comm=0, size=4, **root):
    return {"meet": comm, **root, "op": "MPI_" + operation, "bytes": size}

for r in range(4):
    right, left = (r + 1) % 4, (r + 3) % 4
    to_right, to_left, large = [right, SMALL, 0], [left, SMALL, 0], [right, LARGE, 2]
    sent, barrier, any = {"sent": right}, call("Barrier", size=0), None
    three = [posted(left), posted(right), posted(left), to_right, to_left, to_right]
    first_come = {"receive": left, "first": True}
    order(2, r, [to_right, receive(left), to_right, first_come, to_left, receive(right)])
    order(3, r, [to_right, receive(any), to_right, posted(any), arrived(any)])
    order(4, r, [posted(left), to_right, arrived(left), posted(left), posted(right), to_right,
                 to_left, arrived(left), arrived(right), posted(right), to_left, arrived(right),
                 posted(left), posted(any), to_right, to_left, arrived(left), arrived(any)])
    order(5, r, [loop(4, *three, arrived(any, 3), barrier), posted(left), to_right, arrived(left),
                 barrier, *three, arrived(any, 3)])
    order(6, r, [loop(10, to_right, large, posted(left, 2), arrived(left, 2), sent),
                 posted(left), to_right, arrived(left)])
    order(7, r, [to_right, receive(left), large, receive(left), sent, [left, LARGE, 2],
                 receive(right), {"sent": left}, to_right, receive(any)])
    order(8, r, [posted(left, 3), to_right, large, [right, SMALL, 2], arrived(left, 3), sent])
    order(9, r, [posted(left, 3), to_right, barrier, arrived(left),
                 loop(2, posted(left), to_right), arrived(left)])
    partner, other = r ^ 1, 3 if r < 2 else 1
    half = 1 if r < 2 else 3  # 2 is the intercommunicator
    order(10, r, [[partner, SMALL, 0], receive(partner), [other, SMALL, 0]] +
          ([receive(2 if r < 2 else 0), receive(3 if r < 2 else 1)] if r % 2 else []))
    bcast, reduce = {"from": 0 if r < 2 else 2}, {"to": 1 if r < 2 else 3}
    # bytes vary, so that a step has none: Scatterv, Gatherv, Allgatherv, Alltoallv
    order(11, r, [call("Bcast", half, **bcast), call("Reduce", half, **reduce), call("Allreduce", half),
                  call("Bcast", **{"from": 2}), call("Scatter", **{"from": 2}),
                  call("Scatterv", size=0, **{"from": 3}), call("Gather", to=2),
                  call("Gatherv", size=0, to=3), barrier, call("Allgather"),
                  call("Allgatherv", size=0), call("Alltoall", size=16), call("Alltoallv", size=0),
                  call("Reduce_scatter", size=16), call("Reduce_scatter_block", size=16),
                  call("Reduce", to=1), call("Scan"), {**call("Ibarrier", size=0), "begins": True},
                  {**call("Ibarrier", size=0), "ends": True},
                  {**call("Ibcast", half, **bcast), "begins": True},
                  {**call("Ireduce", half, **reduce), "begins": True},
                  {**call("Ireduce", half, **reduce), "ends": True},
                  {**call("Ibcast", half, **bcast), "ends": True}])
    inner = loop(10, posted(left), to_right, arrived(left), posted(right), to_left, arrived(right))
    first = [[0, 1, 0], receive(0)] if r == 0 else []
    last = call("Bcast", **{"from": 0})
    order(12, r, [*first, loop(100, inner, call("Allreduce")), last])
    order(13, r, [to_right, receive(left)])
    order(14, r, [loop(3, to_right, first_come), [*to_right, 2], receive(left), first_come,
                  to_right, to_left, receive(right), first_come])
    to_partner, of_partner = [partner, SMALL, 0], {"receive": partner, "first": True}
    twice = [loop(2, to_right, first_come)] if partner == left else [
        to_right, first_come, to_right, receive(any)]
    in_half = [loop(2, to_partner, of_partner)] if partner == right else [
        to_partner, of_partner, to_partner, receive(any)]
    order(15, r, [loop(5, to_right, first_come, to_left, receive(right)), *twice, *in_half,
                  [*to_right, 2], receive(any), first_come, to_left, receive(right)])
PYTHON
sort -o want want

orders() { acp phases "$1" | grep ' order ' | sort; }
for mpi in $mpis; do
  compile "$mpi" "$here/program.c" "program.$mpi"
  traced "$mpi" 4 all.acp --order "./program.$mpi"
  check "$mpi: the exit code" [ $? -eq 0 ]
  orders all.acp > got
  check "$mpi: every step" same want got
  check "$mpi: no order is left out" [ "$(grep -c "left out" err)" -eq 0 ]

  # a million messages of each rank
  traced "$mpi" 2 long.acp --order --sites 0 "./program.$mpi" long 100000
  orders long.acp > got
  barrier='"op":"MPI_Barrier","bytes":0'
  for r in 0 1; do
    inner='{"loop":10,"sends":[{"posted":'$r'},['$r',8,0],{"arrived":'$r'}]},{"meet":'$((r + 1)),$barrier'}'
    echo "0 order $r 1 x [{\"loop\":100000,\"sends\":[$inner]},{\"meet\":0,$barrier}]"
  done > want2
  check "$mpi: a million messages" same want2 got

  # the same of Fortran's functions; MPICH 4.0's mpi_f08 counts indices of requests from 0
  for binding in MODULE F08; do
    any=null option=
    [ "$mpi$binding" = mpichF08 ] && any=other option=-DWRONG_INDEX
    for r in 0 1; do
      cat << END
0 order $r 1 x [{"loop":5,"sends":[{"posted":other,"times":2},[other,100000,2],[other,8,0],{"arrived":other,"times":2},{"sent":other},{"meet":0,BARRIER}]},[other,8,0],{"receive":null},[other,8,0],{"receive":other,"first":true},[other,100000,2],{"receive":other},{"sent":other},{"meet":0,"from":1,"op":"MPI_Bcast","bytes":1},{"loop":2,"sends":[{"posted":other},[other,8,0]]},{"arrived":$any,"times":2},{"meet":0,BARRIER},[other,9,0],{"posted":other},{"arrived":other},{"posted":other}]
END
    done | awk -v barrier="$barrier" '{ gsub("other", 1 - $3); gsub("BARRIER", barrier); print }' > want2
    "mpifort.$mpi" -w -fallow-argument-mismatch "-D$binding" $option -o "fortran.$mpi" \
      "$here/program.F90" || exit 1
    traced "$mpi" 2 fortran.acp --order "./fortran.$mpi"
    orders fortran.acp > got
    check "$mpi: Fortran's $binding" same want2 got
  done
done
finish
