#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# The program that plays patterns, under the tracer: what it sent is the pattern that it was given,
# message by message, with phases repeated and binned sizes adding up to their bytes.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
play=$BERTH_BUILD_DIR/testbed/play

cat >pattern.acp <<'END'
{"format":"berth-pattern","version":1,"ranks":4}
{"kind":"phase","id":0,"name":"exchange","repeats":3}
{"kind":"phase","id":7,"name":"gather","repeats":1}
{"kind":"p2p","phase":0,"src":0,"msgs":[[1,65536,2],[1,8,3],[2,100000,1],[0,16,1]]}
{"kind":"p2p","phase":0,"src":1,"msgs":[[0,65536,2],[3,1,1]]}
{"kind":"p2p","phase":0,"src":3,"msgs":[[2,1000,4,4002]]}
{"kind":"p2p","phase":7,"src":2,"msgs":[[0,0,5],[0,300000,1]]}
{"kind":"p2p","phase":7,"src":3,"msgs":[[0,300000,1]]}
{"kind":"end","records":7}
END

# expected TIMES: what the trace must hold when the pattern was played that often.
expected() {
  awk -v times="$1" '{ print $1, $2, $3, $4, $5 * times }' <<'END'
p2p 0 0 16 3
p2p 0 1 65536 6
p2p 0 1 8 9
p2p 0 2 100000 3
p2p 1 0 65536 6
p2p 1 3 1 3
p2p 2 0 0 5
p2p 2 0 300000 1
p2p 3 0 300000 1
p2p 3 2 1000 6
p2p 3 2 1001 6
END
}

played() { # TIMES OPTION…
  local times=$1; shift
  traced openmpi 4 "played.acp" "$play" "$@" pattern.acp >out
  check "$*: the exit code" [ $? -eq 0 ]
  acp lines played.acp | grep ^p2p >got
  expected "$times" | sort >want
  check "$*: every message" same want got
}
played 11
check "a line" grep -qxE '[0-9]+\.[0-9]{6} seconds per iteration' out
played 6 --iterations 3 --repetitions 2 --warm-up 0
check "a line for each repetition" [ "$(wc -l <out)" -eq 2 ]

# the order of sends, in each of three repeats: rank 0 blocks in some, rank 3 sends four of the
# representative size
sed '/"end"/d' pattern.acp >ordered.acp
cat >>ordered.acp <<'END'
{"kind":"order","phase":0,"src":0,"sends":[[2,100000,1],[1,8,0,2],[1,65536,1,2],[1,8,0],[0,16,0]]}
{"kind":"order","phase":0,"src":3,"rounds":2,"sends":[[2,1000,0,2]]}
{"kind":"end","records":9}
END
traced openmpi 4 played.acp --order "$play" --iterations 1 --warm-up 0 ordered.acp >out
acp phases played.acp | sed -n 's/.*order [03] .*"loop":3,"sends":\(.*"MPI_Barrier","bytes":0}\]\)}.*"to".*/\1/p' >got
cat >want <<'END'
[{"posted":0},{"posted":1,"times":2},[2,100000,3],[1,8,0,2],[1,65536,3,2],[1,8,0],[0,16,0],{"arrived":0},{"arrived":1,"times":2},{"meet":0,"op":"MPI_Barrier","bytes":0}]
[{"posted":1},[2,1000,0,4],{"arrived":1},{"meet":0,"op":"MPI_Barrier","bytes":0}]
END
check "the order of sends" same want got
acp lines played.acp | grep -v '^p2p 3 2' >got
expected 1 | sort | grep -v '^p2p 3 2' >want
grep '^p2p' got >got2
check "in an order every message, too" same want got2

run() { launch openmpi "$@" 2>&1 >/dev/null | grep '^play:'; }
check "another number of ranks" \
  [ "$(run 2 "$play" pattern.acp)" = "play: pattern.acp: a pattern of 4 ranks, started with 2" ]
check "no file" eval 'run 4 "$play" nowhere.acp | grep -q "^play: nowhere.acp: "'
check "bad number" \
  [ "$(run 1 "$play" --iterations 0 p)" = "play: '0', expected a number of times; see play --help" ]
sed 's/300000,1\]/3000000000,1]/' pattern.acp >large.acp
check "a message too large for MPI" eval 'run 4 "$play" large.acp | grep -q "at most 2147483647"'
finish
