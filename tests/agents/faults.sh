#!/usr/bin/env bash
# What happens if an agent dies or hangs, can't start, has no network, or if a rank dies: calls end
# with an error, or the job goes on without agents, and nothing stays behind. Another user can't
# reach an agent's memory, and its port takes nothing from strangers.
. "$BERTH_SOURCE_DIR/tests/agents/lib.sh"
times=$(rounds_of 1)
groups_of 0,1/2,3
# gone NAME: no agent is left, nor anything in the folders that a program could leave it in.
gone() {
  for _ in $(seq 100); do
    [ -z "$(agents)" ] && break
    sleep 0.05
  done
  is "$1: agents that are left" "$(agents)" ''
  is "$1: files that are left" "$(find "$work/tmp" -name '*berth*')" ''
}
# ended NAME CODE…: the job has ended, with a failing code and a line of its library or of the program.
ended() {
  local name=$1 line=$2 code
  wait "$job"
  code=$?
  check "$name: it fails: $(cat out said err)" [ "$code" != 0 ]
  check "$name: it says why: $(cat out said err)" grep -qE "$line" out said
  gone "$name"
}

for mpi in $mpis; do
  compile "$mpi" "$here/loop.c" "loop.$mpi"
  for _ in $(seq "$times"); do
    begun 2 "$mpi" 4 "./loop.$mpi" 100000000
    kill -9 "$(agents | head -n 1)"
    ended "$mpi, an agent dies" '^berth-coll: rank [0-3]: .*(the agent of its host has ended|agents can.t end a call)'

    begun 2 "$mpi" 4 "./loop.$mpi" 100000000 kill 200
    ended "$mpi, a rank dies" begun # that it did is the launcher's to say; MPICH's doesn't always

    coll+=(BERTH_COLL_PATIENCE=1)
    begun 2 "$mpi" 4 "./loop.$mpi" 100000000
    kill -STOP "$(agents | head -n 1)"
    ended "$mpi, an agent hangs" 'has ended, or hangs|agents can.t end a call'
    unset 'coll[-1]'

    # No agents: the job is right without them.
    coll+=(BERTH_AGENTS_PROVIDER=no-such)
    served "$mpi" 4 "./loop.$mpi" 200 > out
    check "$mpi, no network: $(cat out)" grep -qx '200 calls right' out
    check "$mpi, no network: one line: $(cat err)" [ "$(grep -c "^berth-coll: rank 0: its host has no agent (berth-agent: libfabric's provider no-such: not there; fi_info lists those that are); the job goes on without agents$" err)" = 1 ]
    gone "$mpi, no network"
    unset 'coll[-1]'

    mkdir -p "moved/$mpi" && cp "$lib/$mpi/libberth-coll.so" "moved/$mpi"
    cp "$lib/berth-reader.so" "$lib/libberth-reader.so" moved 2> none
    LD_PRELOAD='' lib=$work/moved served "$mpi" 4 "./loop.$mpi" 200 > out
    check "$mpi, no program: $(cat out)" grep -qx '200 calls right' out
    check "$mpi, no program: one line: $(cat err)" \
      [ "$(grep -c '^berth-coll: rank 0: its host has no agent (.*/berth-agent: not found); the job goes on without agents$' err)" = 1 ]
  done
  begun 2 "$mpi" 4 "./loop.$mpi" 100000000 linger
  kill -9 "$(agents | head -n 1)"
  ended "$mpi, an agent dies, from elsewhere" "^berth-coll: rank [0-3]: agents can't end a call: the agent of rank [02]'s host has ended, or is unreachable$"
  is "$mpi, an agent dies: who knows before a patience is over" "$(grep -c 'error class' out)" 4

  # With `berth run`, also beside the tracer; settings that can't be.
  launcher=mpirun.openmpi
  [ "$mpi" = mpich ] && launcher=mpiexec.mpich
  for run in traced again; do
    BERTH_COLL_REPORT=1 "$berth" run --agents --cache "$work/cache" -- "$launcher" -n 2 "./loop.$mpi" 100 > out 2> err
    check "$mpi, berth run, $run: $(cat out)" grep -qx '100 calls right' out
    for call in Ibcast Iallreduce; do
      check "$mpi, berth run, $run: MPI_$call: $(cat err)" \
        grep -qx "berth-coll: MPI_$call: 100 calls served by berth, 0 by the MPI, on all ranks" err
    done
    gone "$mpi, berth run, $run"
  done
  if [ "$mpi" = openmpi ]; then # `berth run` traces jobs that it can place
    "$berth" show "$(find cache -name "loop.$mpi*.acp.zst")" > shown
    check "the trace has the program's calls: $(cat shown)" grep -qE '^  MPI_Iallreduce +50 calls' shown
    check "and no others: $(cat shown)" grep -qx '0 messages, 0 B' shown
  fi
  for which in nonblocking all; do
    coll+=("BERTH_AGENTS_CALLS=$which")
    served "$mpi" 4 "./loop.$mpi" 10 many > out
    check "$mpi, more calls than channels, $which: $(cat out err)" grep -qx '10 calls right' out
    unset 'coll[-1]'
  done
  served "$mpi" 4 "./loop.$mpi" 10 late > out
  check "$mpi, a root that begins last: $(cat out err)" grep -qx '10 calls right' out
  served "$mpi" 4 "./loop.$mpi" 10 lists > out
  check "$mpi, lists that are gone: $(cat out err)" grep -qx '10 calls right' out
  for degree in 2 3 16; do
    coll+=("BERTH_AGENTS_DEGREE=$degree")
    served "$mpi" 4 "./loop.$mpi" 100 > out
    check "$mpi, degree $degree: $(cat out)" grep -qx '100 calls right' out
    unset 'coll[-1]'
  done
  coll+=(BERTH_AGENTS=yes BERTH_AGENTS_CALLS=some BERTH_AGENTS_DEGREE=1)
  served "$mpi" 2 "./loop.$mpi" 10 > out
  check "$mpi, wrong settings: $(cat err)" \
    grep -qx 'berth-coll: BERTH_AGENTS: found "yes", expected 0 or 1; taken as 0' err
  check "$mpi, wrong settings: $(cat err)" grep -qx \
    'berth-coll: BERTH_AGENTS_CALLS: found "some", expected nonblocking or all; taken as nonblocking' err
  check "$mpi, wrong settings: $(cat err)" grep -qx \
    'berth-coll: BERTH_AGENTS_DEGREE: found "1", expected a number from 2 to 65535; agents choose' err
  unset 'coll[-1]' 'coll[-1]' 'coll[-1]'
done

# Another user, and strangers at the port.
if [ "$(id -u)" = 0 ]; then
  begun 2 openmpi 4 ./loop.openmpi 100000000
  agent=$(agents | head -n 1)
  stranger() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
  for way in "cat /proc/$agent/fd/3" "cat /proc/$agent/mem" "ls /proc/$agent/fd" "kill -0 $agent" \
    "dd if=/dev/zero of=/proc/$agent/fd/3 count=1"; do
    check "another user: $way" eval "! stranger $way > none 2>&1"
  done
  port=$(ss -Htlnp | grep "pid=$agent," | grep -oE '([0-9.]+|\[[0-9a-f:]*\]|\*):[0-9]+' | head -n 1)
  check "an agent has a port: $port" [ -n "$port" ]
  check "strangers at the port" stranger /usr/bin/python3 -IS "$here/stranger.py" "$port"
  sleep 0.2
  check "the agent lives" kill -0 "$agent"
  kill -9 "$agent"
  ended "another user" 'has ended|agents can.t end a call'
fi
finish
