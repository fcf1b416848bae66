#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What commands print on a terminal: 80 columns are enough for long names and many ranks, wider ones are
# used, and colours are for terminals that take them.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
unset COLUMNS NO_COLOR CI GITHUB_ACTIONS TF_BUILD TEAMCITY_VERSION
export TERM=dumb BERTH_PROJECT=none
on() { # COLUMNS COMMAND…: on a terminal
  local columns=$1; shift
  ERR=$work/err python3 "$BERTH_SOURCE_DIR/tests/cli/on_terminal.py" "$columns" "$@"
}
long=a-file-with-a-name-of-a-good-sixty-characters-as-scripts-make
python3 - "$long" <<'PY'
import json, sys
N, long = 4096, sys.argv[1]
FRAMES = ["exchange_the_boundaries_of_a_domain_with_a_very_long_name /home/user/projects/application/src/solver/boundary/exchange.cpp:1234",
          "std::vector<std::unique_ptr<Particle, std::default_delete<Particle>>>::operator[](unsigned long) /usr/include/c++/12/bits/stl_vector.h:1123",
          "main main.c:9"]
OPS = ["MPI_Isend", "MPI_Neighbor_alltoallw", "MPI_Sendrecv_replace"]
lines = [{"format": "berth-pattern", "version": 1, "ranks": N, "mpi": "Open MPI 4.1.4", "created": "2026-11-20T21:00:00Z",
          "command": ["/home/user/projects/application/build/release/bin/application-with-a-long-name", "--steps", "100000"]}]
for r in range(N):
    lines.append({"kind": "rank", "rank": r, "host": f"compute-node-with-a-very-long-name-{r // 16:05}", "pu": r % 16,
                  "wall_s": 1000 + r / 10, "mpi_s": 300 + r / 20})
for i, name in enumerate(["initialisation of the particles and of all fields with a very long name",
                          "exchange of the boundaries of a domain in three dimensions", "output é"]):
    lines.append({"kind": "phase", "id": i, "name": name, "repeats": [1, 100000, 10][i]})
for i in range(12):
    lines.append({"kind": "site", "id": i + 1, "op": OPS[i % 3], "frames": [f"f{i}_{f}" for f in FRAMES]})
for r in range(N):
    for phase in range(3):
        lines.append({"kind": "p2p", "phase": phase, "site": 1 + (r + phase) % 12, "src": r,
                      "msgs": [[(r + d) % N, [8, 4096, 123457, 98765432][(r + d) % 4], 1 + r * d % 3000] for d in (1, 64, 1024)]})
lines.append({"kind": "coll", "phase": 1, "site": 3, "comm": 0, "op": "MPI_Reduce_scatter_block", "bytes": 123456, "count": 5000, "root": None})
lines.append({"kind": "rma", "phase": 0, "site": 3, "src": 0, "win": 0, "sync": "post-start", "op": "MPI_Get_accumulate",
              "epochs": 100000, "msgs": [[1, 80000000, 16000]]})
for i, op in enumerate(["MPI_Reduce_scatter_block", *OPS[1:]]):
    lines.append({"kind": "time", "op": op, "total_s": 100000.5, "max_s": 30.5, "max_rank": 4003})
    lines.append({"kind": "time", "op": op, "site": i + 1, "comm": 0, "total_s": 50000.25, "max_s": 30.5, "max_rank": 4003})
lines.append({"kind": "end", "records": len(lines) - 1})
open("p.acp", "w").write("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
PY
"$berth" topo make leaf-switch-level:16 host:16:compute-node-with-a-very-long-name-[00000-00255] socket:2 core:8 \
  leaf-switch-level=4x100Gbit/s host=100Gbit/s name=a-cluster-with-a-rather-long-name-in-the-basement -q -o t.json
cp t.json $long.json
for seed in 1 2; do
  "$berth" map p.acp t.json --algorithm random --seed $seed -o $long-$seed.json > log 2>&1 || cat log
done
"$berth" check --pattern p.acp --topology t.json --baseline base.acp --update > log 2>&1 || cat log
"$berth" make pattern stencil3d -n 64 -q -o few.acp
"$berth" map few.acp t.json --algorithm random -o few.json > log 2>&1 || cat log
sed 's/"repeats":100000/"repeats":200000/' p.acp > worse.acp
"$berth" tune -o tuning.json plan p.acp > log 2>&1 || cat log

# Lines that are commands for a shell, and what else is one word, stay whole.
too_long() { # COLUMNS
  python3 -c 'import re, sys
for line in sys.stdin.read().split("\n"):
    if len(line) > int(sys.argv[1]) and " " in line.strip() and not re.match(r"to write the best |  (\S+=\S+ )?(mpirun|mpiexec|srun) |/home/user/projects", line):
        print(len(line), line)' "$1"
}
mapping=$long-1.json
for columns in 80 160; do
  while IFS='|' read -r code words; do
    read -ra words <<< "$(eval "echo $words")"
    on $columns "$berth" "${words[@]}" > found
    got=$?
    check "$columns: ${words[*]}: code $got: $(cat err)" [ $got = "$code" ]
    is "$columns: ${words[*]}: too long" "$(too_long $columns < found | head -n 3)" ""
    [ $columns = 80 ] && "$berth" "${words[@]}" > plain 2> log
    # the same words in another form: bars and the matrix have other sizes
    words_of() { tr -s ' \n|#@%*+=:.`-' '\n' < "$1" | grep -E '[[:alpha:]]{3}' | tr -d '\n'; }
    case $columns:${words[0]} in
      80:compare | 80:explore | 160:*) ;; # names in columns are longer, or stand twice; other sizes
      *) check "$columns: ${words[*]}: nothing is lost" [ "$(words_of found)" = "$(words_of plain)" ] ;;
    esac
  done <<'ROWS'
0|show p.acp
0|show p.acp --phase 1
0|cost p.acp t.json $long-1.json $long-2.json
0|cost p.acp t.json $mapping --collectives mpich-4.0 --others 5
0|compare p.acp t.json $long-1.json $long-2.json --models port,sum
0|compare p.acp t.json $long-1.json $long-2.json $long-1.json $long-2.json $long-1.json --models port
0|compare few.acp t.json $long.json --quality fast
0|compare few.acp t.json --sweep leaf-switch-level.rate=100Gbit/s,200Gbit/s,400Gbit/s --quality fast
0|map p.acp t.json --algorithm greedy --mapping $long-3.json
0|map few.acp t.json --from few.json --moves 10 --quality fast -o $long-3.json --rankfile $long.rankfile
0|explore p.acp t.json --samples 3 --algorithms greedy,linear
0|topo show t.json
0|topo check t.json
1|check --pattern p.acp --topology t.json --budget cost=1s --budget bytes:leaf-switch-level=1GiB
1|check --pattern worse.acp --topology t.json --baseline base.acp
0|write --mapping $mapping --topology t.json rankfile=$long.rankfile slurm=s.txt
0|schedule allreduce --ranks 64 --bytes 1MiB
0|tune show tuning.json
0|import --help
0|doctor
ROWS
done

# a wider terminal shows more
wide() { on "$1" "$berth" "${@:2}" > found; awk 'length > n { n = length } END { print n }' found; }
check "the matrix" [ "$(wide 160 show p.acp)" -gt 140 ]
is "its rows at 80 columns" "$(on 80 "$berth" show p.acp | grep -cE '^ +[0-9]* \|.*\|$')" 32
is "its rows at 160 columns" "$(on 160 "$berth" show p.acp | grep -cE '^ +[0-9]* \|.*\|$')" 72
check "names in columns" grep -q '"initialisation of the particles and of all fields with a very long' \
  <(on 160 "$berth" compare p.acp t.json $mapping --models port)
is "COLUMNS goes before the terminal" "$(COLUMNS=160 wide 80 show p.acp)" "$(wide 160 show p.acp)"
is "but not a wrong one" "$(COLUMNS=wide on 80 "$berth" show p.acp)" "$(on 80 "$berth" show p.acp)"
# pipes and files get long lines
check "pipes" [ "$(COLUMNS=80 "$berth" show p.acp | awk 'length > n { n = length } END { print n }')" -gt 300 ]
check "CI systems" [ "$(CI=true on 80 "$berth" show p.acp | awk 'length > n { n = length } END { print n }')" -gt 300 ]
# a tree goes on, and a number keeps its unit
on 80 "$berth" topo show t.json > found
check "a tree" grep -qx '|           compute-node-with-a-very-long-name-00015' found
is "units" "$(on 80 "$berth" show p.acp | grep -cE '^ *(s|ms|us|B|[KMGTP]iB)\b')" 0
# curves and ports fit: COLUMNS|SIZES BELOW EACH OF TWO CURVES|A PORT
curves=$BERTH_SOURCE_DIR/testbed/topology.json
while IFS='|' read -r columns sizes port; do
  on "$columns" "$berth" topo show "$curves" > found
  is "$columns columns: too long" "$(too_long "$columns" < found)" ""
  is "$columns columns: pictures of 7 rows" "$(grep -cE '^ {4}[ 0-9.]{7}([kMG]B/s| {4}) [+|]' found)" 14
  is "$columns columns: sizes" "$(grep -cxE " {17}$sizes" found)" 2
  check "$columns columns: all points" [ "$(grep -E '^ {4}.{11} [+|]' found | tr -cd '*' | wc -c)" = 16 ]
  check "$columns columns: ports" grep -qxE "$port" found
done <<'ROWS'
40|1 B +1\.000 MiB|      pair 50\.00 kB/s to 2\.989 MB/s
50|1 B +1\.000 MiB|      pair 50\.00 kB/s to 2\.989 MB/s
60|1 B +1\.000 KiB +1\.000 MiB|      pair 50\.00 kB/s to 2\.989 MB/s
80|1 B +128 B +8\.000 KiB +1\.000 MiB|    up   out, in  50\.00 kB/s to 2\.989 MB/s   2\.989 MB/s  link
120|1 B +32 B +1\.000 KiB +32\.00 KiB +1\.000 MiB|    up   out, in  50\.00 kB/s to 2\.989 MB/s   2\.989 MB/s  link
ROWS

# long work says how much of it is done, in a line that the terminal has room for
said() { tr '\r' '\n' < found | sed -n $'s/^\033\\[K\\(berth: [^\033]*\\).*/\\1/p'; }
terminal() { TERM=xterm python3 "$BERTH_SOURCE_DIR/tests/cli/on_terminal.py" "$@"; }
terminal 80 "$berth" explore few.acp t.json --samples 2000 --algorithms greedy > found
check "percentages" [ "$(said | grep -cE '^berth: estimating samples, [0-9]+% \([0-9]+ of 2000\)\.\.\.$')" -gt 10 ]
is "they rise" "$(said | grep -oE 'samples, [0-9]+' | sort -n -k 2 -c 2>&1)" ""
"$berth" compare p.acp t.json $mapping --models port > log 2> found
is "not in a pipe" "$(grep -c 'berth: ' found)" 0
terminal 40 "$berth" map "$work/p.acp" $long.json --algorithm greedy > found
check "a narrow terminal" [ "$(said | wc -l)" -gt 1 ]
is "a narrow terminal" "$(said | grep -E '^.{40}')" ""
# a terminal that takes no escape sequences gets a line now and then
for term in TERM=dumb TERM= "-u TERM"; do
  env $term python3 "$BERTH_SOURCE_DIR/tests/cli/on_terminal.py" 80 "$berth" explore few.acp t.json --samples 200 --algorithms greedy > found
  is "$term: explore: escape sequences" "$(grep -c $'[\033\r]' found)" 0
done
TERM=dumb python3 "$BERTH_SOURCE_DIR/tests/cli/on_terminal.py" 80 "$berth" map p.acp t.json --quality strong --time-limit 7 -o log > found
is "dumb: map: escape sequences" "$(grep -c $'[\033\r]' found)" 0
check "dumb: map: a line of its own" grep -qE '^berth: .*time limit in [0-9]+ s$' found
check "dumb: map: not many" [ "$(grep -c '^berth: ' found)" -le 5 ]
for columns in 20 40 46; do
  check "compare ends on $columns columns" timeout 60 bash -c \
    "python3 '$BERTH_SOURCE_DIR/tests/cli/on_terminal.py' $columns '$berth' compare few.acp t.json few.json > found"
done

# colours
escape=$'\033'
colours() { env "$@" | grep -c "$escape\["; }
terminal=(python3 "$BERTH_SOURCE_DIR/tests/cli/on_terminal.py" 80 "$berth" doctor)
check "on a terminal" [ "$(colours TERM=xterm "${terminal[@]}")" -gt 5 ]
is "with NO_COLOR" "$(colours TERM=xterm NO_COLOR=1 "${terminal[@]}")" 0
check "with an empty NO_COLOR" [ "$(colours TERM=xterm NO_COLOR= "${terminal[@]}")" -gt 5 ]
is "on a dumb terminal" "$(colours TERM=dumb "${terminal[@]}")" 0
is "on an unknown terminal" "$(colours -u TERM "${terminal[@]}")" 0
is "in a pipe" "$(colours TERM=xterm "$berth" doctor)" 0
TERM=xterm on 80 "$berth" check --pattern worse.acp --topology t.json --baseline base.acp > found
check "a check that fails is red" grep -q "^$escape\[31mworse" found
steady() { sed "s/[0-9.]* [KMGT]iB left/… left/"; } # how full a disk is
plain() { sed "s/$escape\[[0-9]*m//g"; }
for words in doctor "show p.acp" "cost p.acp t.json $mapping" "check --pattern worse.acp --topology t.json --baseline base.acp"; do
  is "colours change no text: $words" "$(TERM=xterm on 80 "$berth" $words | plain | steady)" "$(on 80 "$berth" $words | steady)"
done
cp $mapping $'\033[31mred.json'
check "names can't have colours" grep -q '^?\[31mred.json (random)' <(TERM=xterm on 80 "$berth" cost p.acp t.json $'\033[31mred.json')
finish
