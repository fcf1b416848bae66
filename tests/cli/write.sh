#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# berth write, and berth map --write: what they take and refuse, and that all files appear or none.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
cat > t.json <<'JSON'
{"format": "berth-topology", "version": 1, "name": "two", "types": {"host": {}},
 "root": {"type": "host", "children": [
  {"type": "host", "host": "n%d", "repeat": 2, "children": [
    {"pu": 0, "core": 0}, {"pu": 2, "core": 0}, {"pu": 1, "core": 1}]}]}}
JSON
mapping() { echo "{\"format\": \"berth-mapping\", \"version\": 1, \"pu_of_rank\": $2}" > "$1"; }
mapping m.json '[3, 0, 4]'
mapping even.json '[3, 1, 4, 0]'
mapping lines.json '[3, 0, 4, 5]'
mapping twice.json '[3, 0, 3]'
mapping far.json '[3, 6]'
write() { "$berth" write --topology t.json "$@"; }

# commands can be pasted, whatever a file is called
for row in "rankfile=-r|mpirun --rankfile ./-r " "pin=-x|sh ./-x " "seq=a b|--hostfile 'a b' "; do
  check "${row%|*}: printed so that it can be pasted" \
    grep -qF -- "${row#*|}" <(write --mapping m.json "${row%|*}" 2>&1)
done

check "one format to standard output" \
  [ "$(write --mapping m.json hydra 2> err)" = "n1:1 binding=user:0,2
n0:1 binding=user:0" ]
check "the rest goes to standard error then" diff err <(printf '%s\n' \
  'hydra written to standard output, for' '  mpiexec -f FILE -n 3 ./app')
check "a host on several lines" [ "$(write --mapping lines.json hydra 2> err)" = \
  "n1:1 binding=user:0
n0:1 binding=user:0
n1:2 binding=user:2,1" ]
check "is told of" grep -qF '# to MPICH each line is a node of its own' err
check "it names a file as a shell wants it" \
  [ "$(write --mapping m.json "seq=my file" | sed -n 2p)" = \
    "  mpirun --map-by seq --hostfile 'my file' -np 3 ./app" ]
check "hardware threads are cores to Open MPI" [ "$(cat "my file")" = "n1 0
n0 0
n1 0" ]
check "'-' is standard output, too" [ "$(write --mapping m.json slurm=- 2> /dev/null)" = "n1
n0
n1" ]
check "an even mapping is an order" [ "$(write --mapping even.json split-key 2> /dev/null |
  tr '\n' ' ')" = "3 1 0 2 " ]
check "its inverse" [ "$(write --mapping even.json permutation 2> /dev/null |
  tr '\n' ' ')" = "2 1 3 0 " ]
check "Cray's lines" [ "$(write --mapping even.json cray 2> /dev/null |
  tr '\n' ' ')" = "# n0 3,1 # n1 0,2 " ]
check "ranks may share a PU" [ "$(write --oversubscribe --mapping twice.json slurm=hosts |
  sed -n 2p)" = "  SLURM_HOSTFILE=hosts srun --distribution=arbitrary -n 3 --overcommit\
 --cpu-bind=map_cpu:0,0 ./app" ]
# where no list is right, the script that the command starts is written, too: FORMAT MORE SCRIPT
mapping nolist.json '[4, 0, 3, 1]'
while read -r format more script; do
  rm -rf dir && mkdir dir
  write --mapping nolist.json "$format=dir/my hosts" ${more//-/} > out
  line=$(sed -n "/^$format/{n;s/^  //p}" out)
  check "$format $more: the command" [ "${line##*-n 4 }" = "$(case $format in
    slurm) echo "--cpu-bind=none sh $script ./app" ;; *) echo "sh $script ./app" ;; esac)" ]
  eval "set -- ${line##* sh }"
  check "$format $more: it is there" grep -qx ': TABLE' "$1"
  check "$format $more: and said" grep -qxF "pin written to $1, for" out
done <<'TABLE'
slurm - 'dir/my hosts.pin'
slurm pin=dir/bind.sh dir/bind.sh
intel - 'dir/my hosts.pin'
TABLE
write --mapping nolist.json slurm=dir/none/hosts > out 2> err
check "nothing is written where one can't be" [ "$(ls dir)" = "my hosts
my hosts.pin" ]
rm -rf dir && mkdir dir
write --mapping m.json slurm=dir/hosts > out
check "a list needs no script" [ "$(ls dir)" = hosts ]
# Open MPI's ranks keep a PU that they share while they wait, unless told not to
commands() { write --oversubscribe --mapping "$1" rankfile=ranks seq=hosts | grep '^  mpirun'; }
check "ranks that share PUs yield" [ "$(commands twice.json)" = \
"  mpirun --mca mpi_yield_when_idle 1 --rankfile ranks -np 3 ./app
  mpirun --mca mpi_yield_when_idle 1 --map-by rankfile:file=ranks -np 3 ./app   # Open MPI 5
  mpirun --mca mpi_yield_when_idle 1 --map-by seq --hostfile hosts -np 3 ./app
  mpirun --mca mpi_yield_when_idle 1 --map-by seq:file=hosts -np 3 ./app   # Open MPI 5" ]
check "others needn't" [ "$(commands m.json | grep -c yield)" = 0 ]
check "the formats are listed" [ "$("$berth" write --list | grep -c '^  ')" -ge 11 ]
check "a mapping comes from standard input" \
  [ "$(write --mapping - seq < m.json 2> /dev/null | wc -l)" = 3 ]

expect 3 "berth write: --mapping twice.json: pu_of_rank[2]: found PU 3, which rank 0 has already, expected a \
free one (sharing a PU is taken only with --oversubscribe)" write --mapping twice.json seq
expect 3 "berth write: --mapping far.json: pu_of_rank[1]: found 6, expected a whole number from 0 to 5" \
  write --mapping far.json seq
expect 4 "berth write: --mapping none.json: cannot open: No such file or directory" \
  write --mapping none.json seq
why="found 1 ranks on host n0 and 2 on n1, expected equally many on each host: this \
format only sets the order of ranks"
expect 3 "berth write: cray=-: $why" write --mapping m.json cray
expect 3 "berth write: cray=c: $why" write --mapping m.json rankfile=r cray=c seq=s
check "then no file appears" [ ! -e r -a ! -e c -a ! -e s ]
expect 4 "berth write: nowhere/s: cannot write: No such file or directory" \
  write --mapping m.json rankfile=r seq=nowhere/s
check "nor where one can't be written" [ ! -e r ]

# usage LINE WORD…: wrong usage, by the first line of standard error
usage() {
  local line=$1 code=0; shift
  write "$@" > out 2> err || code=$?
  check "$*: code" [ $code = 2 ]
  check "$*: line" [ "$(head -n 1 err)" = "berth write: $line" ]
  check "$*: nothing is written" [ ! -s out ]
}
formats="mapping, rankfile, seq, hydra, intel, slurm, pin, cray, permutation, split-key or groups"
bare() { # LINE WORD…: the same without --topology
  local line=$1; shift
  expect 2 "berth write: $line
Try \`berth write --help' or \`berth write --usage' for more information." env -u BERTH_TOPOLOGY "$berth" write "$@"
}
bare "expected a mapping and a topology" seq
bare "found no topology, expected one beside m.json (--topology, BERTH_TOPOLOGY or .berth.toml)" m.json seq
bare "found no mapping, expected one beside t.json (--mapping, from berth map)" t.json seq
bare "topology: found 't.json' and 't.json', expected one file" t.json m.json -t t.json seq
bare "mapping: found 'm.json' and 'even.json', expected one file" t.json m.json even.json seq
expect 4 "berth write: away.json: cannot open: No such file or directory" "$berth" write away.json t.json seq
echo x > notes.txt
expect 3 "berth write: notes.txt: found another file, expected a mapping, a topology, or FORMAT=FILE" "$berth" write notes.txt t.json seq
# files among the words, in any order; a format's name is a format, whatever files there are
write --mapping m.json seq > expected 2> err
cp m.json seq
for words in "m.json t.json seq" "seq -t t.json m.json" "./seq seq t.json" "- t.json seq" "seq m.json -"; do
  input=t.json; [ "${words%% *}" = - ] && input=m.json
  check "words: $words" cmp -s expected <("$berth" write $words 2> err < $input)
done
rm seq
usage "expected a format, as in rankfile=FILE; --list names them" --mapping m.json
usage "found format 'lsf', expected $formats" --mapping m.json lsf=x
usage "seq=: found no file, expected a name or -" --mapping m.json seq=
usage "found './x' for two outputs, expected different files" --mapping m.json seq=x hydra=./x
usage "found '-' for two outputs, expected different files" --mapping m.json seq hydra
usage "found 'm.json' for an output and an input, expected different files" \
  --mapping m.json mapping=m.json
bare "found '-' for two inputs, expected one from standard input" --mapping - --topology - seq

map() { "$berth" map --pattern "$data/cases/chain5.acp" --topology "$data/cases/chain5.topo.json" \
  --algorithm linear "$@"; }
check "map writes several" map --write seq=s --write hydra=h --rankfile r --mapping m > out
check "all are there" [ -s s -a -s h -a -s r -a -s m ]
check "and says so" [ "$(grep -c ' written to ' out)" = 4 ]
check "berth write makes the same of the mapping" \
  cmp -s h <("$berth" write --topology "$data/cases/chain5.topo.json" --mapping m hydra 2> err)
expect 2 "berth map: found format 'lsf', expected $formats
Try \`berth map --help' or \`berth map --usage' for more information." map --write lsf=x
finish
