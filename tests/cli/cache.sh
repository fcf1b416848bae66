#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# The cache of `berth run` decides how jobs are placed: folder and files must be the user's own,
# written by nobody else, and no links or pipes.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
cd "$work" || exit 1
compile openmpi "$here/crash.c" app
uid=$(id -u) other=65534
[ "$uid" = 0 ] && root=yes || root=no
run() { timeout 60 "$berth" run --cache "$work/cache" "$@" -- mpirun.openmpi -n 2 ./app end; }
taken() { grep -q "would discover the job's hosts" err || { cat err; return 1; }; }

# What berth makes itself is taken again, by any umask.
for mask in 000 002 077; do
  rm -rf cache
  (umask $mask && run > out 2> err < /dev/null)
  check "umask $mask: traced" grep -q "the trace is kept as $work/cache/" err
  run --dry-run > out 2> err < /dev/null
  check "umask $mask: taken" taken
  check "umask $mask: nobody else can write it" [ -z "$(find cache -perm /022)" ]
done
mv cache first
key=$(basename first/*.job) trace=$(basename first/*.acp.zst)
expected_file="expected a file of user $uid that nobody else can write"
expected_folder=${expected_file/file/folder}
echo mine > precious

# refused NAME LINE: with the cache as it was tampered with. The job isn't started.
refused() {
  local how
  for how in "" --dry-run --retrace; do
    expect 3 "berth run: $2" run $how
    check "$1 $how: root's file stays" [ "$(cat precious)" = mine ]
    check "$1 $how: nothing is left" [ -z "$(find cache/ -name '*.topology.json' -o -name '*.tmp.*')" ]
  done
}
while read -r needs_root name what found how; do
  [ "$needs_root" = no ] || [ $root = yes ] || continue
  rm -rf cache && cp -rp first cache
  file=cache/$name
  case $name in
    key) file=cache/$key ;;
    trace) file=cache/$trace ;;
    folder) file=cache ;;
  esac
  case $what in
    owner) chown -R $other "$file" ;;
    mode) chmod "$how" "$file" ;;
    pipe) rm "$file" && mkfifo -m 644 "$file" ;;
    link) rm "$file" && ln -s "$work/precious" "$file" ;;
    dangling) rm "$file" && ln -s "$work/absent" "$file" ;;
  esac
  found=${found//_/ }
  kind=$expected_file
  [ "$name" = folder ] && kind=$expected_folder
  hint=
  [ $what = mode ] && hint="; chmod go-w $file makes it so"
  refused "$name, $what" "$file: found ${found/UID/$uid}, $kind$hint"
  check "$name, $what: nothing is made" [ ! -e absent ]
done <<TABLE
no  key    pipe     a_pipe_(FIFO)_of_user_UID,_mode_644
no  trace  pipe     a_pipe_(FIFO)_of_user_UID,_mode_644
no  key    link     a_link_of_user_UID,_mode_777
no  key    dangling a_link_of_user_UID,_mode_777
no  trace  link     a_link_of_user_UID,_mode_777
no  key    mode     a_file_of_user_UID,_mode_666   666
no  trace  mode     a_file_of_user_UID,_mode_664   664
no  folder mode     a_folder_of_user_UID,_mode_777 777
no  folder mode     a_folder_of_user_UID,_mode_775 775
yes key    owner    a_file_of_user_$other,_mode_600
yes trace  owner    a_file_of_user_$other,_mode_600
yes folder owner    a_folder_of_user_$other,_mode_700
TABLE

# The hint helps: what a shell would take apart isn't put in a command.
rm -rf cache && cp -rp first cache && chmod 775 cache
run --dry-run 2>&1 | sed -n 's/.*; \(chmod .*\) makes it so$/\1/p' > hint
check "the hint is a command: $(cat hint)" bash hint
run --dry-run > out 2> err < /dev/null
check "then the cache is taken" taken
mkdir -m 775 "a b" && chmod 775 "a b"
expect 3 "berth run: a b: found a folder of user $uid, mode 775, $expected_folder; chmod go-w on it makes it so" \
  timeout 60 "$berth" run --cache "a b" --dry-run -- mpirun.openmpi -n 2 ./app end

# One's own link to the cache, and another's where all can write.
rm -rf cache && cp -rp first real && ln -s real cache
run --dry-run > out 2> err < /dev/null
check "one's own link to the folder" taken
if [ $root = yes ]; then
  mkdir -m 1777 shared && ln -s "$work/real" shared/cache && chown -h $other shared/cache && chmod 1777 shared
  expect 4 "berth run: shared/cache: found a link of user $other in a folder that all can write, expected one of user 0; choose another name or folder" \
    timeout 60 "$berth" run --cache "$work/shared/cache" --dry-run -- mpirun.openmpi -n 2 ./app end
fi

# A placement's files: a link isn't written through.
if [ "$(nproc)" -ge 2 ]; then
  rm cache && cp -rp first cache
  run > out 2> err < /dev/null
  rankfile=$(find cache -name '*.rankfile')
  check "the job is placed" [ -s "$rankfile" ]
  check "its files are one's own" [ -z "$(find cache -perm /022)" ]
  rm -f "$rankfile" && ln -s "$work/precious" "$rankfile"
  run > out 2> err < /dev/null
  check "a link for a rankfile: the job's code $?" [ $? = 0 ]
  check "it is said" grep -q \
    "started as given, because it cannot be placed ($work/$rankfile: found a link of user $uid, mode 777, $expected_file)" err
  check "a link for a rankfile: the file stays" [ "$(cat precious)" = mine ]
fi
finish
