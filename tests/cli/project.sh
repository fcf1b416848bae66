#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The project file: which one is found, what it is a default for, and what is wrong with it.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
unset BERTH_TOPOLOGY BERTH_MODEL BERTH_PROJECT
export HOME=$work/home
mkdir -p home/project/sub/deeper machines other
"$berth" topo make leaf:2 host:4 core:4 thread:2 leaf=2:1 host=10GbE -q -o machines/t.json
{ sed -e 's/"mpi":"none"/"mpi":"Open MPI 4.1.4"/' -e '$d' "$data/cases/halo16-linear.acp"
  echo '{"kind":"coll","phase":0,"op":"MPI_Allreduce","bytes":65536,"count":20,"comm":0,"root":null}'
  echo '{"kind":"rma","phase":0,"src":0,"win":0,"sync":"fence","op":"MPI_Put","epochs":10,"msgs":[[15,65536,160]]}'
  echo '{"kind":"end","records":35}'; } > p.acp
"$berth" map p.acp machines/t.json --algorithm random -o m.json > log 2>&1 || cat log
project=$work/home/project file=$work/home/project/.berth.toml

# at FOLDER COMMAND…
at() { (cd "$1" && shift && "$@"); }
# same NAME FOLDER [VARIABLE=VALUE…] -- WORDS… -- MORE…: with the project file, `berth WORDS` has the same
# output as `berth WORDS MORE` without it.
same() {
  local name=$1 folder=$2 variables=() words=() code expected; shift 2
  while [ "$1" != -- ]; do variables+=("$1"); shift; done; shift
  while [ "$1" != -- ]; do words+=("$1"); shift; done; shift
  at "$folder" env BERTH_PROJECT=none "$berth" "${words[@]}" "$@" > "$work/expected" 2> "$work/expected.err"
  expected=$?
  at "$folder" env "${variables[@]}" "$berth" "${words[@]}" > "$work/found" 2> "$work/found.err"
  code=$?
  sed -i -E 's/("topology": *"|--topology )[^" ]*/\1/g' "$work/expected" "$work/found"
  check "$name: exit code $code, expected $expected" [ $code = $expected ]
  check "$name: the same output" cmp -s "$work/found" "$work/expected"
  is "$name: the same errors" "$(cat "$work/found.err")" "$(cat "$work/expected.err")"
}
# differs NAME WORDS… -- MORE…: MORE changes the output, so a default of it can be seen
differs() {
  local name=$1 words=(); shift
  while [ "$1" != -- ]; do words+=("$1"); shift; done; shift
  BERTH_PROJECT=none "$berth" "${words[@]}" > "$work/one" 2>&1
  BERTH_PROJECT=none "$berth" "${words[@]}" "$@" > "$work/two" 2>&1
  check "$name: $* matters" eval '! cmp -s "$work/one" "$work/two"'
}

# each key in each command that takes it: LINE OF THE FILE | WORDS | OPTION
P=$work/p.acp T=$work/machines/t.json M=$work/m.json
while IFS='|' read -r line words option; do
  read -ra words <<< "$(eval "echo $words")"
  read -ra option <<< "$(eval "echo $option")"
  printf '%s\n' "$line" > "$file"
  differs "$line: ${words[*]}" "${words[@]}" -- "${option[@]}"
  same "$line: ${words[*]}" "$project" -- "${words[@]}" -- "${option[@]}"
done <<'ROWS'
topology = "../../machines/t.json"|map --json --quality fast $P|$T
topology = "../../machines/t.json"|search --json --quality fast $P|$T
topology = "../../machines/t.json"|cost --json $P $M|$T
topology = "../../machines/t.json"|compare --json $P $M|$T
topology = "../../machines/t.json"|explore --json --samples 9 $P|$T
topology = "../../machines/t.json"|check --json --pattern $P --budget cost=1s|--topology $T
topology = "../../machines/t.json"|write --mapping $M rankfile=-|--topology $T
model = "sum"|map --json --quality fast $P $T|--model sum
model = "sum"|search --json --quality fast $P $T|--model sum
model = "sum"|cost --json $P $T $M|--model sum
model = "sum"|compare --json $P $T $M|--model sum
model = "sum"|explore --json --samples 9 $P $T|--model sum
model = "sum"|check --json --pattern $P --topology $T --budget cost=1s|--model sum
collectives = "none"|map --json --quality fast $P $T|--collectives none
collectives = "mpich-4.0"|cost --json $P $T $M|--collectives mpich-4.0
collectives = "none"|check --json --pattern $P --topology $T --budget cost=1s|--collectives none
one-sided = "none"|cost --json $P $T $M|--one-sided none
one-sided = "none"|check --json --pattern $P --topology $T --budget cost=1s|--one-sided none
hosts = "host[0-3]"|map --json --quality fast $P $T|--hosts host[0-3]
reserve = 3|map --json --quality fast $P $T|--reserve 3
ranks-per-pu = 4|map --json --quality fast --hosts host1 $P $T|--ranks-per-pu 4
any-thread = true|map --json --algorithm linear $P $T|--any-thread
quality = "fast"|map --json $P $T|--quality fast
quality = "fast"|compare --json --sweep leaf.up*=1,2 $P $T|--quality fast
ROWS

# what is no default: false, and what a command's own rules go before
printf 'any-thread = false\nthreads = 2\n' > "$file"
same "false" "$project" -- map --json --algorithm linear "$P" "$T" --
printf 'model = "sum"\ncollectives = "none"\none-sided = "none"\n' > "$file"
BERTH_PROJECT=none "$berth" check --pattern p.acp --topology "$T" --baseline base.acp --update > log
same "a baseline has its own model and rules" "$project" -- \
  check --json --pattern "$P" --topology "$T" --baseline "$work/base.acp" --
at "$project" "$berth" check --pattern "$P" --topology "$T" --baseline "$work/new.acp" --update > log
check "a new baseline has those of the file" grep -q '"model": *"sum"' new.acp

# values that change no output
echo 'threads = 0' > "$file"
for words in "map --quality fast $P $T" "search --quality fast $P $T" "cost $P $T $M" \
  "compare --sweep leaf.up*=1 --quality fast $P $T" "explore --quality fast $P $T"; do
  expect 3 "berth ${words%% *}: .berth.toml:1:11: threads: found '0', expected a whole number from 1 to 4096" \
    at "$project" "$berth" $words
  at "$project" "$berth" $words --threads 1 > log 2>&1
  check "$words: the option counts" [ $? = 0 ]
done

# a report, and a limit that is too small
printf 'topology = "../../machines/t.json"\nmodel = "sum"\n' > "$file"
at "$project" "$berth" report --svg ../a "$P" "$M" > log
BERTH_PROJECT=none "$berth" report --svg home/b --model sum "$P" "$T" "$M" > log
check "report" diff -r home/a home/b
echo 'memory = 1048576' > "$file"
{ head -n 1 p.acp; yes '{"kind":"p2p","src":0,"msgs":[[1,8,1]]}' | head -n 60000
  echo '{"kind":"end","records":60000}'; } > large.acp
for words in "show $work/large.acp" "map $work/large.acp $T" "cost $work/large.acp $T $M" \
  "export -f csv -o x $work/large.acp" "resolve -o x $work/large.acp"; do
  check "memory: $words" grep -qE 'large.acp: found data for at least [0-9.]+ MiB of memory, expected at most 1.000 MiB \(--memory allows more\)' \
    <(at "$project" "$berth" $words 2>&1)
  at "$project" "$berth" $words --memory 64MiB > log 2>&1
  check "memory: $words: the option counts: $(cat log)" [ $? = 0 ]
done

# which MPI: where nothing else tells
true_program=$(command -v true)
launch=("$berth" trace -o x.acp -- "$true_program")
rm -f "$file"
check "without a default the MPI is asked for" grep -q 'say which it uses: --mpi' <(at "$project" "${launch[@]}" 2>&1)
for mpi in openmpi mpich; do
  echo "mpi = \"$mpi\"" > "$file"
  is "$mpi: the tracer" "$(at "$project" "$berth" trace --library 2>&1)" "$("$berth" trace --library $mpi 2>&1)"
  is "$mpi: the option counts" "$(at "$project" "$berth" trace --mpi openmpi --library 2>&1)" "$("$berth" trace --library openmpi 2>&1)"
  check "$mpi: not asked for" eval '! at "$project" "${launch[@]}" 2>&1 | grep -q "say which"'
done

# option > environment > project file > built-in
printf 'model = "sum"\ntopology = "none.json"\n' > "$file"
model() { at "$project" env "$@" --json "$P" "$M" | sed -nE 's/.*"model": *"([a-z]+)".*/\1/p' | head -n 1; }
is "the option" "$(model BERTH_MODEL=bound "$berth" cost --model flow "$T")" flow
is "the environment" "$(model BERTH_MODEL=bound "$berth" cost "$T")" bound
is "an empty variable" "$(model BERTH_MODEL= "$berth" cost "$T")" sum
is "the file" "$(model "$berth" cost "$T")" sum
is "none" "$(model BERTH_PROJECT=none "$berth" cost "$T")" port
is "the environment's topology" "$(model BERTH_TOPOLOGY="$T" "$berth" cost)" sum
expect 4 "berth cost: .berth.toml:2:12: topology none.json: cannot open: No such file or directory" \
  at "$project" "$berth" cost "$P" "$M"
expect 4 "berth write: BERTH_TOPOLOGY no.json: cannot open: No such file or directory" \
  at "$project" env BERTH_TOPOLOGY=no.json "$berth" write --mapping "$M" rankfile=-
expect 4 "berth write: --topology no.json: cannot open: No such file or directory" \
  at "$project" env BERTH_TOPOLOGY=none.json "$berth" write --topology no.json --mapping "$M" rankfile=-
expect 4 "berth check: .berth.toml:2:12: topology none.json: cannot open: No such file or directory" \
  at "$project" "$berth" check --pattern "$P" --budget cost=1s
expect 4 "berth view: .berth.toml:2:12: topology none.json: cannot open: No such file or directory" \
  at "$project" "$berth" view "$P"
expect 4 "berth calibrate: .berth.toml:2:12: topology none.json: cannot open: No such file or directory" \
  at "$project" "$berth" calibrate -o x.json -- mpirun
for words in "tune show x.json" "run -- ./none" "topo show $T" help; do
  check "$words doesn't take the topology" eval '! at "$project" "$berth" $words 2>&1 | grep -q none.json'
done

# parents
model_in() { (cd "$1" && "$berth" cost --json "$P" "$T" "$M" | sed -nE 's/.*"model": *"([a-z]+)".*/\1/p' | head -n 1); }
echo 'model = "sum"' > "$file"
for folder in "$project" "$project/sub" "$project/sub/deeper"; do is "$folder" "$(model_in "$folder")" sum; done
echo 'model = "bound"' > "$project/sub/.berth.toml"
is "the nearest one" "$(model_in "$project/sub/deeper")" bound
is "the working folder's first" "$(model_in "$project")" sum
: > "$project/sub/.berth.toml"
is "files aren't joined" "$(model_in "$project/sub/deeper")" port
rm "$project/sub/.berth.toml"
is "a link to the folder" "$(ln -s "$project/sub" link; model_in link)" sum
rm "$file"
echo 'model = "flow"' > .berth.toml
is "nothing above the home folder" "$(model_in "$project")" port
is "but elsewhere all parents" "$(model_in other)" flow
is "without a home folder all parents" "$(unset HOME; model_in "$project")" flow
echo 'model = "sum"' > home/.berth.toml
is "the home folder itself" "$(model_in "$project/sub")" sum
rm .berth.toml home/.berth.toml
echo 'model = "bound"' > named.toml
is "a file that is named" "$(cd other && BERTH_PROJECT=../named.toml "$berth" cost --json "$P" "$T" "$M" | grep -c '"model": *"bound"')" 1
expect 4 "berth cost: no.toml: cannot open: No such file or directory" env BERTH_PROJECT=no.toml "$berth" cost "$P" "$T" "$M"
cp machines/t.json rules.json
printf 'collectives = "rules.json"\n' > "$file"
rules="expected auto, none, berth, berth-agents, openmpi-4.1, mpich-4.0, or a file with rules"
expect 3 "berth cost: ../.berth.toml:1:15: collectives: found 'rules.json', $rules (../rules.json: No such file or directory)" \
  at "$project/sub" "$berth" cost "$P" "$T" "$M"
cp rules.json "$project/rules.json"
expect 3 'berth cost: ../.berth.toml:1:15: collectives ../rules.json: format: found "berth-topology", expected "berth-collectives"' \
  at "$project/sub" "$berth" cost "$P" "$T" "$M"
check "the option counts" at "$project" "$berth" cost --collectives none "$P" "$T" "$M" > log

# files of others
echo 'model = "sum"' > "$file"
chmod o+w "$file"
note="is another user's file or one that all may write, so berth doesn't use it"
at "$project" "$berth" cost --json "$P" "$T" "$M" > found 2> err
check "a file that all may write isn't used" grep -q '"model": *"port"' found
is "a note says so" "$(grep -c "^note: .berth.toml $note (BERTH_PROJECT=.berth.toml does)\$" err)" 1
is "unless it is named" "$(at "$project" env BERTH_PROJECT=.berth.toml "$berth" cost --json "$P" "$T" "$M" | grep -c '"model": *"sum"')" 1
chmod o-w "$file"
if [ "$(id -u)" = 0 ]; then
  chown 12345 "$file"
  check "another user's file isn't used" grep -qF "$note" <(at "$project" "$berth" cost "$P" "$T" "$M" 2>&1)
  check "doctor says so" grep -qE "^note +project file .*another user's" <(at "$project" "$berth" doctor)
  chown 0 "$file"
fi

# what is wrong: TEXT|LINE
while IFS='|' read -r text line; do
  printf '%b' "$text" > "$file"
  expect 3 "berth map: .berth.toml:$line" at "$project" "$berth" map "$P" "$T"
done <<'ROWS'
toplogy = "t.json"|1:1: found key "toplogy", expected topology or another that `berth help project` lists
model = "sum"\n\n  "rank-per-pu" = 2\n|3:3: found key "rank-per-pu", expected ranks-per-pu or another that `berth help project` lists
[model]\nname = "sum"\n|1:1: model: found a table, expected a string
[a]\nb = 1\n|1:2: found key "a", expected one that `berth help project` lists
[map]\nmodel = "sum"\n|1:2: found key "map", expected one that `berth help project` lists
map.model = "sum"\n|1:1: found key "map", expected one that `berth help project` lists
topology = 1|1:12: topology: found 1, expected a string with a file's name
topology = ["a.json", "b.json"]|1:12: topology: found an array, expected a string with a file's name
model = ""|1:9: model: found "", expected a string
model = true|1:9: model: found true, expected a string
model = "a\\u0000b"|1:9: model: found "a", expected a string
threads = "4"|1:11: threads: found "4", expected an integer
threads = 4.0|1:11: threads: found a number with a point, expected an integer
threads = 0|1:11: threads: found '0', expected a whole number from 1 to 4096
reserve = -1|1:11: reserve: found '-1', expected a whole number from 0 to 1048576
any-thread = 1|1:14: any-thread: found 1, expected true or false
memory = 1979-05-27|1:10: memory: found a date, expected a string such as "64MiB", or an integer
memory = "4 GB"|1:10: memory: found '4 GB', expected a size from 1.000 MiB to 1.000 PiB, as in 64MiB
model = "fast"|1:9: model: found 'fast', expected port, bound, sum or flow
quality = "best"|1:11: quality: found 'best', expected fast, eco or strong
topology = "\\\\\\"# " # "é" 'é\nmodel = 1|2:9: model: found 1, expected a string
one-sided = "mpi"|1:13: one-sided: found 'mpi', expected auto, none, openmpi-4.1, mpich-4.0, berth
model = "sum|1:13: not valid TOML: Error while parsing string: encountered end-of-file
model = sum|1:9: not valid TOML: Error while parsing value: could not determine value type
model = "sum"\nmodel = "flow"|2:9: not valid TOML: Error while parsing key-value pair: cannot redefine existing string 'model'
model|1:6: not valid TOML: Error while parsing key-value pair: encountered end-of-file
model = """sum"""|1:9: found """, expected a string of one line
model = 'a' # '''\nhosts = '''|2:9: found ''', expected a string of one line
# é "\n hosts = "é"|2:11: found 'é', expected ASCII, and this in a string as \u00e9
# é\nhosts = "a\\\\😀"|2:13: found '😀', expected ASCII, and this in a string as \U0001f600
hosts = 'é'|1:10: found 'é', expected ASCII, and this in a string as \u00e9
é = 1|1:1: found 'é', expected ASCII, and this in a string as \u00e9
hosts = "\xff"|1:10: found the byte 0xff, expected ASCII
ROWS

# values that don't suit the topology or the files: LINE|COMMANDS|ERROR, and what doctor finds of it
machine="topology '$(sed -nE 's/.*"name": *"([^"]*)".*/\1/p' "$T" | head -n 1)'"
while IFS='|' read -r line commands error; do
  printf 'threads = 1\n%s\n' "$line" > "$file"
  error=$(eval "echo \"$error\"")
  for command in $commands; do
    words=("$P" "$T")
    case $command in
    map | search) words+=(--quality fast) ;;
    check) words=(--pattern "$P" --topology "$T" --budget cost=1s) ;;
    report) words+=("$M" -o x.html) ;;
    run) words=(--topology "$T" -- mpirun -n 2 true) ;;
    *) words+=("$M") ;;
    esac
    expect 3 "berth $command: .berth.toml:2:$error" at "$project" "$berth" "$command" "${words[@]}"
  done
  printf 'topology = "../../machines/t.json"\n' >> "$file"
  at "$project" "$berth" doctor > log
  check "doctor: $line" grep -qxF "broken   project file             .berth.toml:2:$error" log
  is "doctor: nothing else is wrong: $line" "$(grep -c '^broken' log)" 1
done <<'ROWS'
hosts = "host[0-3],none"|map search cost compare explore report|9: hosts: found 'none', expected hosts of $machine
hosts = "host[0-"|map cost explore|9: hosts: found \"[0-\", expected a ']' behind it
reserve = 4|map cost compare explore report run|11: reserve: found 4, expected fewer than 4, the cores of the largest host of $machine
collectives = "openmpi-9"|map search cost compare explore report check|15: collectives: found 'openmpi-9', $rules (openmpi-9: No such file or directory)
collectives = "/"|map check|15: collectives /: found a directory, expected a file
model = "fast"|cost|9: model: found 'fast', expected port, bound, sum or flow
ROWS
printf 'memory = 3\ntopology = "../../machines/t.json"\nhosts = "host[0-1]"\nreserve = 5\nquality = "best"\nmpi = "lam"\n' > "$file"
at "$project" "$berth" doctor > log
is "doctor: several keys" "$(sed -nE 's/^broken +project file +.berth.toml:[0-9]+:[0-9]+: ([a-z-]+): .*/\1/p' log | tr '\n' ' ')" "memory mpi reserve quality "
check "doctor: the cores of these hosts" grep -qF "reserve: found 5, expected fewer than 4, the cores of the largest host of 'host[0-1]'" log
printf 'topology = "none.json"\nhosts = "nobody"\n' > "$file"
at "$project" "$berth" doctor > log
check "doctor: a topology that can't be read" grep -qxF "broken   project file             .berth.toml:1:12: topology none.json: cannot open: No such file or directory" log
is "doctor: no more can be said" "$(grep -c '^broken' log)" 1
# what other lines say of such values
printf 'hosts = "host[0-1]"\nreserve = 2\n' > "$file"
expect 3 "berth map: found 16 ranks in the pattern, expected at most 8, the usable PUs of $machine (64 in all, .berth.toml:2:11: reserve 2, --ranks-per-pu 1, .berth.toml:1:9: hosts host[0-1])" \
  at "$project" "$berth" map "$P" "$T"
expect 2 "berth map: --hosts: found 'none', expected a host of $machine" at "$project" "$berth" map --hosts none "$P" "$T"

echo 'mpi = "lam"' > "$file"
expect 3 "berth trace: .berth.toml:1:7: mpi: found 'lam', expected openmpi or mpich" at "$project" "$berth" trace true
expect 3 "berth calibrate: .berth.toml:1:7: mpi: found 'lam', expected openmpi or mpich" at "$project" "$berth" calibrate -t x -o y mpirun
same "a command that doesn't take the key" "$project" -- cost --json "$P" "$T" "$M" --
head -c 70000 /dev/zero | tr '\0' '#' > "$file"
expect 3 "berth map: .berth.toml: found more than 65536 bytes, expected at most" at "$project" "$berth" map "$P" "$T"
rm "$file"; mkdir "$file"
expect 3 "berth map: .berth.toml: found a folder, expected a file" at "$project" "$berth" map "$P" "$T"
check "doctor: broken" grep -qE '^broken +project file +.berth.toml: found a folder, expected a file$' <(at "$project" "$berth" doctor)
rmdir "$file"; mkfifo "$file"
expect 3 "berth map: .berth.toml: found a pipe (FIFO), expected a file" at "$project" "$berth" map "$P" "$T"
rm "$file"

# doctor
check "doctor: none" grep -qE '^ok +project file +none$' <(at "$project" "$berth" doctor)
printf 'topology = "t.json"\nmodel = "sum"\n' > "$file"
check "doctor: the file and its keys" grep -qE "^ok +project file +$file: model, topology\$" <(at "$project/sub" "$berth" doctor)
finish
