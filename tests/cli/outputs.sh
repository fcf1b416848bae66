#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# What berth writes, where another user put a file, pipe or link before: theirs isn't taken where all
# can write, and a link under a name that berth chose isn't followed.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
cat > t.json <<'JSON'
{"format": "berth-topology", "version": 1, "name": "two", "types": {"host": {}},
 "root": {"type": "host", "children": [
  {"type": "host", "host": "n%d", "repeat": 2, "children": [{"pu": 0, "core": 0}, {"pu": 1, "core": 1}]}]}}
JSON
cat > p.acp <<'ACP'
{"format":"berth-pattern","version":1,"ranks":2}
{"kind":"phase","id":0,"name":"all"}
{"kind":"p2p","phase":0,"src":0,"msgs":[[1,100,1]]}
{"kind":"end","records":2}
ACP
echo '{"format": "berth-mapping", "version": 1, "pu_of_rank": [0, 2]}' > m.json
write() { "$berth" write --mapping m.json --topology t.json "$1=$2"; }
report() { "$berth" report --pattern p.acp --topology t.json "$@" m.json; }

# Files that are read. The launcher is never started: FILE COMMAND…
mkdir d && cp t.json hosts && cp t.json like
echo 'NodeName=n[0-1]' > slurm
read_too() {
  local file=$1 code=0; shift
  cp "$file" before
  "$berth" "$@" > out 2> err < /dev/null || code=$?
  check "$*: code $code" [ "$code" = 2 ]
  check "$*: said '$(head -n 1 err)'" grep -q \
    "^berth $1: found '.*' for an output and an input, expected different files$" err
  check "$*: the file stays" cmp -s "$file" before
}
cp t.json x.pin
read_too x.pin write --mapping m.json --topology x.pin slurm=d/../x
read_too x.pin map --pattern p.acp --topology x.pin --write slurm=x
read_too hosts topo discover -o ./hosts -- mpirun --hostfile hosts
read_too hosts topo discover -o d/../hosts -- srun --nodelist=./hosts
read_too slurm topo discover -o ./slurm --slurm slurm --like like
read_too like topo discover -o like --slurm slurm --like ./like
read_too hosts calibrate --topology t.json -o hosts -- mpirun --hostfile ./hosts
rm x.pin

# Two names of one output, where a link leads to no file yet: the link's name, its text; COMMAND…
two_names() {
  local link=$1 text=$2 code=0; shift 2
  ln -s "$text" "$link"
  "$berth" "$@" > out 2> err < /dev/null || code=$?
  check "$link to $text, $*: code $code" [ "$code" = 2 ]
  check "$link to $text, $*: said '$(head -n 1 err)'" grep -q \
    "^berth $1: found '.*' for two outputs, expected different files$" err
  check "$link to $text, $*: nothing is written" [ ! -e nn ]
  rm -f "$link" nn
}
map=(map --pattern p.acp --topology t.json)
two_names nl nn "${map[@]}" --mapping nn --rankfile nl
two_names nl nn "${map[@]}" --mapping nl --rankfile nn
two_names nl d/../nn "${map[@]}" --mapping ./nn --write slurm=nl
two_names nl "$work/nn" write --mapping m.json --topology t.json mapping=nl seq=d/../nn
ln -s nn between && two_names nl between write --mapping m.json --topology t.json mapping=nl seq=nn
two_names nl nn write --mapping m.json --topology t.json mapping=nl seq=between
two_names d/cost.svg ../nn report --pattern p.acp --topology t.json -o nn --svg d m.json
ln -s nn nl && ln -s other nk
check "links to two files" "$berth" "${map[@]}" --mapping nl --rankfile nk > out
check "links to two files: both are there" [ "$(grep -c . nn other | grep -cv ':0')" = 2 ]
rm -f nl nk nn other between
chmod 755 "$work"
other=65534 precious=$work/precious
if [ "$(id -u)" != 0 ] || ! setpriv --reuid $other --regid $other --clear-groups true 2> /dev/null; then
  echo "the rest is skipped: it needs root, who can be another user"
  finish
  exit
fi
as_other() { setpriv --reuid $other --regid $other --clear-groups "$@"; }
# fresh MODE OWNER: the folder "shared", and a file of root's
fresh() {
  rm -rf shared && mkdir shared && chown "$2" shared && chmod "$1" shared
  echo mine > precious && chmod 600 precious
}
untouched() { [ "$(cat precious)" = mine ] && [ "$(stat -c %u:%a precious)" = 0:600 ]; }
public="in a folder that all can write, expected one of user 0; choose another name or folder"
chosen="under a name that berth chose, expected one of user 0; choose another name or folder"

# The commands of this test by their names here, as `berth report --svg` is "berth svg".
renamed() {
  local code
  "$@" 2> line > /dev/null
  code=$?
  sed "s/^berth report: shared/berth svg: shared/" line >&2
  return $code
}

# Files.
plain() { as_other sh -c 'echo theirs > "$1" && chmod 700 "$1"' - "$1"; }
for format in pin rankfile mapping; do
  fresh 1777 0
  plain shared/x
  expect 4 "berth write: shared/x: found a file of user $other $public" write $format shared/x
  check "$format: it is as it was" [ "$(cat shared/x)" = theirs ]
  check "$format: nothing else is there" [ "$(ls -A shared)" = x ]
done
fresh 1777 0
as_other mkfifo -m 666 shared/x
expect 4 "berth write: shared/x: found a pipe (FIFO) of user $other $public" timeout 20 "$berth" write \
  --mapping m.json --topology t.json rankfile=shared/x

# Links that one names oneself. FOLDER'S MODE AND OWNER, LINK'S OWNER, WHERE IT LEADS, WHAT IS SAID
# of the link (-: it is followed)
while read -r mode owner by to said; do
  fresh "$mode" "$owner"
  ln -s "$work/$to" shared/x && chown -h "$by" shared/x
  row="link of $by to $to, folder $mode of $owner"
  if [ "$said" = - ]; then
    expect 0 "" write mapping shared/x
    check "$row: it is written" grep -q berth-mapping "$to"
    check "$row: the link stays" [ -L shared/x ]
  else
    expect 4 "berth write: shared/x: found a link of user $by $public" write mapping shared/x
    check "$row: root's file stays" untouched
  fi
  rm -f absent
done <<TABLE
1777 0      0      precious -
1777 0      0      absent   -
1777 0      $other precious refused
1777 0      $other absent   refused
1777 $other $other precious -
755  $other $other precious -
755  0      $other precious -
TABLE
fresh 1777 0
mkdir own && as_other ln -s "$work/own" shared/folder
expect 4 "berth write: shared/folder: found a link of user $other $public" write pin shared/folder/x
check "a folder behind a link: nothing is written" [ -z "$(ls -A own)" ]

# Links under names that berth chose. FOLDER'S MODE AND OWNER, LINK'S OWNER, WHAT IS SAID: public,
# chosen, or - where it is followed
whole=$BERTH_SOURCE_DIR/tests/fuzz/corpus/spool/whole
mkdir tables && cp "$whole" tables/01-0.spool
in_shared() { (cd shared && "$@"); }
default_report() { in_shared "$berth" report --pattern ../p.acp --topology ../t.json ../m.json; }
default_svg() { report --svg shared; }
default_recover() { in_shared "$berth" recover ../tables 2> said || { head -n 1 said >&2; return 4; }; }
default_manual() { "$berth" manual -d shared; }
default_pin() { "$berth" write --mapping nolist.json --topology t.json slurm=shared/x; }
echo '{"format": "berth-mapping", "version": 1, "pu_of_rank": [3, 0, 2, 1]}' > nolist.json
while read -r what name prefix; do
  while read -r mode owner by said; do
    fresh "$mode" "$owner"
    ln -s "$precious" "shared/$name" && chown -h "$by" "shared/$name"
    row="$what: link of $by, folder $mode of $owner"
    if [ "$said" = - ]; then
      check "$row: code 0" "default_$what" > /dev/null 2>&1
      check "$row: it is written" [ "$(wc -c < precious)" -gt 5 ]
    else
      line="${prefix#-}$name: found a link of user $by $chosen"
      expect 4 "berth ${what/#pin/write}: $line" renamed "default_$what"
      check "$row: root's file stays" untouched
    fi
  done <<TABLE
1777 0      0      -
755  $other $other chosen
755  $other 0      -
755  0      $other -
1777 0      $other chosen
TABLE
done <<'TABLE'
report report.html -
svg cost.svg shared/
recover berth-recovered.acp.zst -
manual berth-map.1 shared/
pin x.pin shared/
TABLE

# Files that the kernel lets only their owner or the folder's owner replace. FOLDER'S MODE AND OWNER;
# THE FILE'S OWNER; WHO WRITES, CAPABILITIES (-: those of the user); HOW IT ENDS
group=5000
while read -r mode owner by who caps said; do
  for outputs in "mapping=shared/x" "mapping=shared/x rankfile=shared/y" "rankfile=shared/y mapping=shared/x"; do
    rm -rf shared && mkdir shared && chown "$owner:$group" shared && chmod "$mode" shared
    echo theirs > shared/x && chown "$by:$group" shared/x && chmod 660 shared/x
    row="$outputs, folder $mode of $owner, file of $by, by $who $caps"
    as=(setpriv --reuid "$who" --regid "$who" --groups $group)
    [ "$caps" = - ] || as+=(--inh-caps "$caps" --bounding-set "$caps")
    # shellcheck disable=SC2086
    command=("${as[@]}" "$berth" write --mapping m.json --topology t.json $outputs)
    if [ "$said" = written ]; then
      check "$row: written" "${command[@]}" > out 2>&1
      check "$row: it is there" grep -q berth-mapping shared/x
    else
      expect 4 "berth write: shared/x: found a file of user $by in a sticky folder, expected one of user $who; choose another name or folder" \
        "${command[@]}"
      check "$row: it is as it was" [ "$(cat shared/x)" = theirs ]
      check "$row: nothing else is there: $(ls -A shared | xargs)" [ "$(ls -A shared)" = x ]
    fi
  done
done <<'TABLE'
3770 0    4001 4002 -           refused
3770 4002 4001 4002 -           written
3770 4001 4001 4002 -           refused
3770 0    4002 4002 -           written
2770 0    4001 4002 -           written
3770 4001 4001 0    -           written
3770 4001 4001 0    -fowner     refused
1777 4001 4001 4002 -           refused
TABLE

# What one names oneself, and what is no file.
fresh 1777 0
mkfifo shared/pipe && { timeout 20 cat shared/pipe > got & }
reader=$!
expect 0 "" timeout 20 "$berth" write --mapping m.json --topology t.json mapping=shared/pipe
wait $reader
check "one's own pipe" grep -q berth-mapping got
expect 0 "" write mapping /dev/null
ln -s /dev/null shared/null
expect 0 "" write mapping shared/null
check "a device's name" [ -c /dev/null ]
check "standard output" [ -n "$(write mapping /dev/stdout 2> /dev/null | grep pu_of_rank)" ]
check "standard output of a process" [ -n "$("$berth" write --mapping m.json --topology t.json \
  mapping=/proc/self/fd/1 2> /dev/null | grep pu_of_rank)" ]
check "another descriptor" [ -n "$(write mapping /proc/self/fd/3 3>&1 > /dev/null | grep pu_of_rank)" ]

# As a user who is in a namespace of their own, to whom all others are nobody.
if as_other unshare --user --map-root-user "$berth" --version > /dev/null 2>&1; then
  fresh 1777 0
  mkdir shared/home && ln -s "$work/t.json" shared/home/t.json && chown $other shared/home
  ln -s real shared/home/link && touch shared/home/real && chmod 666 shared/home/real
  as_other unshare --user --map-root-user "$berth" write --mapping m.json --topology t.json \
    mapping=shared/home/link > /dev/null 2> said
  check "a namespace: one's own folder: $(cat said)" grep -q berth-mapping shared/home/real
  echo mine > shared/hers && chown 1 shared/hers && chmod 666 shared/hers
  chown 1 shared
  check "a namespace: whose file it is can't be told" [ "$(as_other unshare --user --map-root-user \
    "$berth" write --mapping m.json --topology t.json mapping=shared/hers 2>&1 > /dev/null)" = \
    "berth write: shared/hers: found a file of user 65534 $public" ]
fi
finish
