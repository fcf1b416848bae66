#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# Where another user put a link, file or folder under the name that a trace would get.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
cd "$work" || exit 1
compile openmpi "$here/crash.c" app
other=65534
if [ "$(id -u)" != 0 ] || ! setpriv --reuid $other --regid $other --clear-groups true 2> /dev/null; then
  echo "skipped: needs root, who can be another user"
  exit 77
fi
chmod 755 "$work"
fresh() { # MODE OWNER: the folder that the job runs in
  rm -rf shared && mkdir shared && chown "$2" shared && chmod "$1" shared
  echo mine > precious && chmod 600 precious
}
untouched() { [ "$(cat precious)" = mine ] && [ "$(stat -c %u:%a precious)" = 0:600 ]; }
trace() { (cd shared && exec "$berth" trace "$@" -- mpirun.openmpi -n 1 ../app end); }
said() { grep -qxF "$1" err || { cat err; return 1; }; }
is_trace() { "$berth" show "$1" > /dev/null; }

# Before the job is started. NAME WHOSE WHAT OPTION: FOLDER'S MODE AND OWNER, WHAT IS SAID
while read -r what name mode owner said option; do
  fresh "$mode" "$owner"
  case $what in
    link) ln -s "$work/precious" "shared/$name" ;;
    dangling) ln -s "$work/absent" "shared/$name" ;;
    file) echo theirs > "shared/$name" ;;
  esac
  chown -h $other "shared/$name"
  row="$what, folder $mode of $owner, $option"
  case $said in
    public) line="in a folder that all can write, expected one of user 0; choose another name or folder" ;;
    chosen) line="under a name that berth chose, expected one of user 0; choose another name or folder" ;;
  esac
  expect 4 "berth trace: $name: found a ${what/dangling/link} of user $other $line" trace $option
  check "$row: root's file stays" untouched
  check "$row: nothing is made" [ ! -e absent ]
  check "$row: nothing else is there" [ "$(ls -A shared)" = "$name" ]
done <<TABLE
link     berth-app.acp.zst 1777 0      chosen
dangling berth-app.acp.zst 1777 0      chosen
file     berth-app.acp.zst 1777 0      public
link     berth-app.acp.zst 755  $other chosen
link     x.acp             1777 0      public -o x.acp
dangling x.acp             1777 0      public -o x.acp
file     x.acp             1777 0      public -o x.acp
TABLE

# A group's sticky folder: only a file's owner can replace it.
fresh 3770 0
chown 0:5000 shared && echo theirs > shared/x.acp && chown 4001:5000 shared/x.acp
chmod 660 shared/x.acp
as_member() { (cd shared && TMPDIR=/tmp HOME=$work exec setpriv --reuid 4002 --regid 4002 --groups 5000 "$@"); }
expect 4 "berth trace: x.acp: found a file of user 4001 in a sticky folder, expected one of user 4002; choose another name or folder" \
  as_member "$berth" trace -o x.acp -- mpirun.openmpi -n 1 touch started
check "a sticky folder: nothing is started or made: $(ls -A shared | xargs)" [ "$(ls -A shared)" = x.acp ]

# An earlier trace that can't be renamed is kept, and so is the new one.
fresh 1777 0
trace 2> err
cp shared/berth-app.acp.zst first && mkdir shared/berth-app.acp.zst.old && chown $other shared/*.old
trace 2> err
check "a folder in the way of .old: code $?" [ $? = 4 ]
check "it is said" said \
  "berth trace: berth-app.acp.zst.old: cannot keep berth-app.acp.zst: Is a directory"
check "the earlier trace stays" cmp -s first shared/berth-app.acp.zst
kept=$(sed -n 's/^berth trace: the trace is kept, .* as //p' err)
check "the new one is kept" is_trace "$kept"

# The trace is no program and no file of the command: NAME FILE COMMAND…
mkdir -p bin && cp app bin/inpath && ln -f app hard && echo a > input
while read -r output file words; do
  cp "$file" before
  PATH=$work/bin:$PATH expect 2 "berth trace: found '$output' for an output and an input, expected different files" \
    "$berth" trace -o "$output" -- $words
  check "$output: the file stays" cmp -s "$file" before
done <<TABLE
./app            app        mpirun.openmpi -n 1 ./app end
bin/../app       app        mpirun.openmpi -n 1 ./app end
app              app        ./app end
hard             app        ./app end
./app            app        mpirun.openmpi -n 1 ./bin/inpath end : -n 1 env A=b ./app end
bin/inpath       bin/inpath mpirun.openmpi -n 1 inpath end
bin/inpath       bin/inpath mpirun.openmpi -n 1 -wdir bin ./inpath end
input            input      mpirun.openmpi -n 1 ./app end ./input
bin/../input     input      mpirun.openmpi -n 1 ./app end --with=input
input            input      mpirun.openmpi --hostfile input -n 1 ./app end
TABLE
rm -f there.acp
check "a file that isn't there may be named twice" \
  "$berth" trace -o there.acp -- mpirun.openmpi -n 1 ./app end there.acp 2> err

# The library alone: its name, and BERTH_TRACE_FILE.
preloaded() { # [FILE]
  (cd shared && BERTH_TRACE_FILE=${1-} SLURM_JOB_ID=7 LD_PRELOAD=$lib/openmpi/libberth-trace.so \
    exec ../app end) > /dev/null 2> err
}
while read -r name mode owner by written given; do
  fresh "$mode" "$owner"
  ln -s "$work/precious" "shared/$name" && chown -h "$by" "shared/$name"
  row="$name: link of $by, folder $mode of $owner"
  check "$row: the job's code" preloaded "$given"
  if [ "$written" = yes ]; then
    check "$row: it is written" is_trace precious
  else
    check "$row: it is said" grep -q "/shared/$name: found a link of user $by .*, expected one of user 0" err
    check "$row: root's file stays" untouched
  fi
done <<TABLE
berth-app-7.acp 1777 0      $other no
berth-app-7.acp 755  $other $other no
berth-app-7.acp 755  0      $other yes
berth-app-7.acp 1777 0      0      yes
x.acp           1777 0      $other no  x.acp
x.acp           755  $other $other yes x.acp
TABLE
finish
