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

def receive(source, times=1):
    return {"receive": source, "times": times} if times > 1 else {"receive": source}

def loop(times, *steps):
    return {"loop": times, "sends": list(steps)}

for r in range(4):
    right, left = (r + 1) % 4, (r + 3) % 4
    to_right, to_left, large = [right, SMALL, 0], [left, SMALL, 0], [right, LARGE, 0]
    sent, world, any = {"sent": right}, {"meet": 0}, None
    three = [to_right, to_left, to_right]
    order(2, r, [to_right, receive(left), to_right, receive(any), to_left, receive(right)])
    order(3, r, [to_right, receive(any)], 2)
    order(4, r, [to_right, receive(left), to_right, to_left, receive(left), receive(right), to_left,
                 receive(right), to_right, to_left, receive(left), receive(any)])
    order(5, r, [loop(4, *three, receive(any, 3), world), to_right, receive(left), world, *three,
                 receive(any, 3)])
    order(6, r, [loop(10, to_right, large, receive(left, 2), sent), to_right, receive(left)])
    order(7, r, [to_right, receive(left), large, receive(left), sent, [left, LARGE, 0],
                 receive(right), {"sent": left}, to_right, receive(any)])
    order(8, r, [to_right, large, to_right, receive(left, 3), sent])
    order(9, r, [to_right, world, receive(left), [right, SMALL, 0, 2], receive(left)])
    partner, other = r ^ 1, 3 if r < 2 else 1
    half = 1 if r < 2 else 3  # 2 is the intercommunicator
    order(10, r, [[partner, SMALL, 0], receive(partner), [other, SMALL, 0]] +
          ([receive(2 if r < 2 else 0), receive(3 if r < 2 else 1)] if r % 2 else []))
    order(11, r, [{"meet": half, "from": 0 if r < 2 else 2}, {"meet": half, "to": 1 if r < 2 else 3},
                  {"meet": half}, {"meet": 0, "from": 2, "times": 2}, {"meet": 0, "from": 3},
                  {"meet": 0, "to": 2}, {"meet": 0, "to": 3}, {"meet": 0, "times": 7},
                  {"meet": 0, "to": 1}])
    inner = loop(10, to_right, receive(left), to_left, receive(right))
    first = [[0, 1, 0], receive(0)] if r == 0 else []
    last = {"meet": 0, "from": 0}
    order(12, r, [*first, loop(100, inner, world), last])
    order(13, r, [to_right, receive(left)])
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
  for r in 0 1; do
    inner='{"loop":10,"sends":[['$r',8,0],{"receive":'$r'}]},{"meet":'$((r + 1))'}'
    echo "0 order $r 1 x [{\"loop\":100000,\"sends\":[$inner]},{\"meet\":0}]"
  done > want2
  check "$mpi: a million messages" same want2 got

  # the same of Fortran's functions; MPICH 4.0's mpi_f08 counts indices of requests from 0
  for binding in MODULE F08; do
    any=null option=
    [ "$mpi$binding" = mpichF08 ] && any=other option=-DWRONG_INDEX
    for r in 0 1; do
      cat << END
0 order $r 1 x [{"loop":5,"sends":[[other,100000,0],[other,8,0],{"receive":other,"times":2},{"sent":other},{"meet":0}]},[other,8,0],{"receive":null},[other,100000,0],{"receive":other},{"sent":other},{"meet":0,"from":1},[other,8,0,2],{"receive":$any,"times":2},{"meet":0},[other,9,0],{"receive":other}]
END
    done | awk '{ gsub("other", 1 - $3); print }' > want2
    "mpifort.$mpi" -w -fallow-argument-mismatch "-D$binding" $option -o "fortran.$mpi" \
      "$here/program.F90" || exit 1
    traced "$mpi" 2 fortran.acp --order "./fortran.$mpi"
    orders fortran.acp > got
    check "$mpi: Fortran's $binding" same want2 got
  done
done
finish
