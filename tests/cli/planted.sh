#!/usr/bin/env bash
# What another user puts where `berth trace` and `berth recover` look for a job's trace: none of it is
# taken, followed, overwritten or shown. The job is a script, which plants files as that user.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
other=65534 mpi=
as_other() { setpriv --reuid $other --regid $other --clear-groups "$@"; }
if [ "$(id -u)" != 0 ] || ! as_other true 2> /dev/null; then
  echo "skipped: needs root, and setpriv"
  exit 77
fi
for name in openmpi mpich; do "$berth" trace --library $name > /dev/null 2>&1 && mpi=$name; done
[ "$mpi" ] || { echo "skipped: built without MPI"; exit 77; }
cd "$work" || exit 1
chmod 755 "$work"
mkdir tmp && mkdir -m 700 secrets && export TMPDIR=$work/tmp
trace_of() { # BYTES
  printf '%s\n' '{"format": "berth-pattern", "version": 1, "ranks": 2}' '{"kind": "phase", "id": 0, "name": "all"}' \
    "{\"kind\": \"p2p\", \"phase\": 0, \"src\": 0, \"msgs\": [[1, $1, 1]]}" '{"kind": "end", "records": 2}'
}
trace_of 8 > real.acp
trace_of 666 > forged.acp
trace_of 777 > secrets/secret.acp
echo "a secret word" > secrets/text
chmod 600 secrets/*

cp "$BERTH_SOURCE_DIR/tests/fuzz/corpus/spool/whole" whole.spool

# The job: leaves its trace as ranks do, then the other user plants; `kill` ends berth trace.
cat > job.sh <<'SH'
#!/bin/bash
begin=${BERTH_TRACE_FILE%\%j}
echo "$begin" > begin
cp real.acp "${begin}00000000000000ff"
echo half > "${begin}00000000000000fe.tmp.0123456789abcdef" # of a job that was killed while it wrote
setpriv --reuid 65534 --regid 65534 --clear-groups bash plant.sh "$1" "$begin" > /dev/null 2>&1
[[ "$*" != *tables* ]] || cp whole.spool "$BERTH_TRACE_SPOOL/02-0.spool"
[[ "$*" != *kill* ]] || kill -KILL $PPID
SH
cat > plant.sh <<'SH'
begin=$2 dir=${2%/*}
[[ $begin == */ ]] && dir=$(dirname "$begin")
swap() { mv "${begin%/}" "$dir/away"; }
for at in "${begin}0000000000000000" "${begin%/}-0000000000000000" "${begin%/}0000000000000000"; do
  case $1 in
    link) ln -s "$PWD/secrets/secret.acp" "$at" ;;
    forged) cp forged.acp "$at" ;;
    garbage) echo garbage > "$at" ;;
    text) ln -s "$PWD/secrets/text" "$at" ;;
    second) ln -s "$PWD/secrets/secret.acp" "$at"; ln -s "$PWD/precious" "$dir/x-2.acp" ;;
    pipe) mkfifo "$at" ;;
    folder) mkdir "$at" ;;
    hard) ln "$dir/roots.acp" "$at" ;;
    moved) mv "$dir/roots.acp" "$at" ;;
  esac
  touch -h -d 2020-01-01 "$at"
done
case $1 in
  theirs) swap; mkdir "${begin%/}"; cp forged.acp "${begin}0000000000000000" ;;
  led) swap; mkdir "$dir/other"; cp forged.acp "$dir/other/0000000000000000"; ln -s other "${begin%/}" ;;
  roots) swap; ln -s "$dir/roots" "${begin%/}" ;;
  opened) as=$(cat "${begin}00000000000000ff") && echo "$as" > "$dir/seen" ;;
esac
SH
chmod 755 job.sh
fresh() { # MODE: an empty folder for the trace, with files of one's own
  rm -rf shared tmp/berth-spool-*
  mkdir shared && chmod "$1" shared
  echo precious > precious
  trace_of 555 > shared/roots.acp && chmod 600 shared/roots.acp
  mkdir shared/roots && trace_of 555 > shared/roots/0000000000000000
}
trace() { timeout 60 "$berth" trace --mpi $mpi -o shared/x.acp -- ./job.sh "$@" 2> said < /dev/null; }
killed() { # KIND: berth trace is killed, and what its job left is recovered
  trace "$@" kill > /dev/null
  timeout 60 "$berth" recover 2> said < /dev/null
}
fresh 1777
trace none && cp shared/x.acp clean.acp || exit 1
holds() { cmp -s shared/x.acp clean.acp || { ls -lA shared; cat said; return 1; }; }
no_secret() { ! grep -rqE '777|555|secret word' said shared/x*; }
row() { # HOW MODE KIND: the trace is the job's, and nothing else
  fresh "$2"
  $1 "$3" > /dev/null 2>&1
  code=$?
  check "$1, $2, $3: said '$(cat said)'" [ $code = 0 ]
  check "$1, $2, $3: the trace is the job's" holds
  check "$1, $2, $3: one line" [ "$(grep -c . said)" = 1 ]
  check "$1, $2, $3: no secret" no_secret
  check "$1, $2, $3: there is one trace" [ "$(find shared -name 'x*' -type f)" = shared/x.acp ]
  check "$1, $2, $3: others' files are as they were" [ "$(cat precious)" = precious ]
  check "$1, $2, $3: nothing is left" [ -z "$(find shared tmp \( -name '.x.acp.*' -o -name 'berth-spool-*' \) \
    ! -name '*0000000000000000')" ]
}
for how in trace killed; do
  for kind in none link forged garbage text second pipe folder hard; do row $how 1777 $kind; done
  for kind in link moved; do row $how 777 $kind; done
  while read -r kind found; do
    fresh 777
    $how "$kind" > /dev/null 2>&1
    code=$?
    check "$how, $kind: it fails" [ $code != 0 ]
    check "$how, $kind: said '$(cat said)'" grep -q "found $found, expected a folder of user 0 that nobody else can write" said
    check "$how, $kind: no trace of another's" [ ! -e shared/x.acp ]
    fresh 777
    $how "$kind" tables > /dev/null 2>&1
    code=$?
    check "$how, $kind, with tables: it fails" [ $code != 0 ]
    check "$how, $kind, with tables: said '$(cat said)'" grep -q "found $found, expected a folder of user 0" said
    check "$how, $kind, with tables: these have their trace" grep -q '"ranks":3' shared/x.acp
  done <<'EOF2'
theirs a folder of user 65534, mode 755
led a link of user 65534, mode 777
roots a link of user 65534, mode 777
EOF2
done

# Who may read the trace: nobody else before it has its name; then whoever could read the older one.
older() { trace_of 444 > "$1"; chmod 600 "$1"; }
modes() { # FILE…: each is there for its owner alone
  [ "$(stat -c %a "$@" | sort -u)" = 600 ] || { stat -c '%n %a' "$@"; return 1; }
}
by_default() { # HOW: the same without -o
  timeout 60 "$berth" trace --mpi $mpi -- ./job.sh none "${1#trace}" 2> said < /dev/null
  [ "$1" = trace ] || timeout 60 "$berth" recover 2> said < /dev/null
}
for how in trace kill; do
  fresh 1777
  older shared/x.acp
  if [ $how = kill ]; then killed opened > /dev/null 2>&1; else trace opened; fi
  check "$how: nobody else reads what the job wrote" [ ! -e shared/seen ]
  check "$how: the trace is there" holds
  check "$how: its permissions are the older one's" modes shared/x.acp
  check "$how: that is replaced, as -o names it" [ ! -e shared/x.acp.old ]
  default='berth-job.sh.acp.zst'
  rm -rf $default*
  by_default $how > /dev/null 2>&1
  check "$how: the default name" [ "$(stat -c %a $default)" = 644 ]
  rm -f $default*
  older $default
  by_default $how > /dev/null 2>&1
  check "$how: of the default name there are both" modes $default $default.old
  check "$how: the older one" grep -q 444 $default.old
  check "$how: the new one" grep -q ',8,1' <(zstd -dcqf $default)
  rm -f $default* && older $default && mkdir $default.old
  by_default $how > /dev/null 2>&1
  check "$how: the older one can't be kept: $(cat said)" grep -q "$default.old: cannot keep .*$default: Is a directory\$" said
  check "$how: it stays as it is" grep -q 444 $default
  rm -rf $default* .$default*
done

# Links that are called as folders of killed sessions are.
fresh 1777
mkdir -m 755 roots && printf '%s\0' "$work/shared/y.acp" "$work/shared/roots" keep > roots/session
as_other true && chmod 1777 tmp
for to in roots roots/none; do
  as_other ln -sfn "$work/$to" tmp/berth-spool-0123456789abcdef
  expect 4 "berth recover: found nothing to recover: no tables of ranks in tmp/berth-spool-0, and nothing of a killed \`berth trace\` in tmp" \
    "$berth" recover
  check "no trace of it" [ ! -e shared/y.acp ]
  check "doctor doesn't count it" [ "$("$berth" doctor | grep -c 'killed berth')" = 0 ]
done
rm tmp/berth-spool-*

# A process that has tables mapped at the same path, in a mount namespace of its own.
cat > maps.py <<'PY'
import mmap, sys, time
with open(sys.argv[1], "w+b") as f:
    f.truncate(4096)
    held = mmap.mmap(f.fileno(), 4096)
    print("mapped", flush=True)
    time.sleep(300)
PY
fresh 1777
trace none kill > /dev/null 2>&1
session=$(ls -d tmp/berth-spool-*)
coproc setpriv --reuid $other --regid $other --clear-groups unshare -Urm bash -c \
  "mount -t tmpfs none '$work/tmp' && mkdir '$work/$session' && exec python3 maps.py '$work/$session/1-0.spool'" 2> unshared
pid=$COPROC_PID
if read -r -t 60 line <&"${COPROC[0]}" && [ "$line" = mapped ]; then
  check "another user's process isn't the job's" "$berth" recover 2> said
  check "the trace is there" holds
else
  echo "left out: no user namespaces: $(cat unshared)"
fi
kill "$pid" 2> /dev/null

# A file system that gives everybody everything: the job writes in the folder for tables.
cat > open.c <<'C'
#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>
int mkdir(const char *path, mode_t mode)
{
  int (*real)(const char *, mode_t) = dlsym(RTLD_NEXT, "mkdir");
  return real(path, mode) || (strstr(path, "/.x.acp.") && chmod(path, 0777)) ? -1 : 0;
}
C
if ! is_sanitized && cc -D_GNU_SOURCE -shared -fPIC -o open.so open.c -ldl 2> /dev/null; then
  export LD_PRELOAD=$work/open.so
  for how in trace killed; do row $how 1777 link; done
  check "the job's trace was beside the tables: $(cat begin)" grep -q "^$work/tmp/berth-spool-[0-9a-f]*/$" begin
  unset LD_PRELOAD
fi
finish
