#!/usr/bin/env bash
# Files of others: tables that another user left where `berth recover` looks by itself, and modules
# that a trace names which are no files, or on which libdw crashes or hangs.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
chmod 755 "$work"
whole=$BERTH_SOURCE_DIR/tests/fuzz/corpus/spool/whole
uid=$(id -u) other=65534
mkdir -m 1777 tmp
spool=tmp/berth-spool-$uid
recover() { rm -rf out*.acp; env -u BERTH_TRACE_SPOOL TMPDIR=tmp timeout 20 "$berth" recover -o out.acp "$@"; }
as_other() { setpriv --reuid $other --regid $other --clear-groups "$@"; }
mine="that nobody else can write"
refused() { # NAME FOUND: the folder is refused
  expect 3 "berth recover: $spool: found $2, expected a folder of user $uid $mine${3-}" recover
  check "$1: nothing is written" [ ! -e out.acp ]
  rm -rf "$spool"
}

# The folder.
if [ "$uid" = 0 ] && as_other true 2> /dev/null; then
  as_other mkdir -m 755 "$spool" && as_other cp "$whole" "$spool/01-0.spool"
  refused "another user's" "a folder of user $other, mode 755"
  as_other ln -s "$work/tmp/theirs" "$spool" && as_other mkdir tmp/theirs && as_other cp "$whole" tmp/theirs/01-0.spool
  refused "another user's link" "a link of user $other, mode 777"
fi
mkdir -m 777 "$spool" && chmod 777 "$spool" && cp "$whole" "$spool/01-0.spool"
refused "one that all can write" "a folder of user $uid, mode 777" "; chmod go-w $spool makes it so"
mkdir -m 700 tmp/elsewhere && cp "$whole" tmp/elsewhere/01-0.spool && ln -s elsewhere "$spool"
refused "a link" "a link of user $uid, mode 777"
mkfifo "$spool"
refused "a pipe" "a pipe (FIFO) of user $uid, mode 644"

# Its files.
mkdir -m 700 "$spool"
mkfifo "$spool/01-0.spool"
ln -s "$work/tmp/elsewhere/01-0.spool" "$spool/02-0.spool"
expect 4 "berth recover: found nothing to recover: no tables of ranks in $spool, and nothing of a killed \`berth trace\` in tmp" recover
cp "$whole" "$spool/03-0.spool" && chmod 666 "$spool/03-0.spool"
recover 2> said
check "a file that all can write" grep -q "left out: $spool/03-0.spool: found a file of user $uid, mode 666, expected a file of user $uid $mine; chmod go-w $spool/03-0.spool makes it so$" said
if [ "$uid" = 0 ]; then
  chmod 644 "$spool/03-0.spool" && chown $other "$spool/03-0.spool"
  recover 2> said
  check "another user's file" grep -q "left out: $spool/03-0.spool: found a file of user $other, mode 644," said
fi
cp "$whole" "$spool/04-0.spool"
recover 2> said
check "one's own is taken" [ -e out.acp ]
chmod 777 "$spool"
check "a folder that is named is taken as it is" recover "$spool" 2> said
check "snapshot: a pipe is no table" [ "$(timeout 60 "$berth" snapshot --list "$spool" | wc -l)" = 0 ]

# Modules that a trace names.
cat > spy.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* Stands for files on which libdw crashes, hangs or takes all memory. */
void *dwfl_report_elf(void *d, const char *name, const char *file, int fd, unsigned long base, _Bool add)
{
  if (strstr(name, "crash")) abort();
  if (strstr(name, "hang")) for (;;) pause();
  if (strstr(name, "eat"))
    for (int i = 0; i < 100; i++)
      if (!malloc(1 << 28)) abort(); /* 25 GB, which nobody touches */
  void *(*real)(void *, const char *, const char *, int, unsigned long, _Bool) = dlsym(RTLD_NEXT, "dwfl_report_elf");
  return real(d, name, file, fd, base, add);
}
C
cc -D_GNU_SOURCE -shared -fPIC -o spy.so spy.c -ldl 2> /dev/null || { finish; exit; }
cat > code.c <<'C'
int callee(int x) { return x + 1; }
C
cc -g -shared -fPIC -o code.so code.c
at=$(nm code.so | awk '$3 == "callee" { print $1 }')
mkfifo pipe.so
for name in crash hang eat; do cp code.so $name.so; done
ln -s pipe.so link.so
trace() { # MODULE…: a trace with a call site in each
  python3 - "$at" "$@" > t.acp <<'PY'
import json, sys
at, modules = int(sys.argv[1], 16) + 4, sys.argv[2:]
print(json.dumps({"format": "berth-pattern", "version": 1, "ranks": 2}))
for i, m in enumerate(modules):
    print(json.dumps({"kind": "site", "id": i + 1, "op": "MPI_Send", "frames": ["%s+%#x" % (m, at)]}))
print(json.dumps({"kind": "phase", "id": 0, "name": "all"}))
for i, m in enumerate(modules):
    print(json.dumps({"kind": "p2p", "phase": 0, "src": 0, "site": i + 1, "msgs": [[1, 8, 1]]}))
print(json.dumps({"kind": "end", "records": 2 * len(modules) + 1}))
PY
}
resolve() { timeout 60 "$berth" resolve "$@" t.acp -o r.acp 2> said; }
sites() { sed -n 's/.* \([0-9]* call site.*\)/\1/p' said; }
row() { # MODULE LINE: one that isn't read, beside one that is
  trace "$1" "$work/code.so"
  check "$1: code 0" resolve
  check "$1: said '$(tail -n 1 said)'" [ "$(tail -n 1 said)" = "berth resolve: $1: $2: its call sites stay as they are" ]
}
trace "$work/none.so" "$work/code.so"
check "a module that isn't there" resolve
check "is said in one line" [ "$(wc -l < said)" = 1 ]
row "$work/pipe.so" "found a pipe (FIFO), expected a file"
row "$work/link.so" "found a pipe (FIFO), expected a file"
row "$work" "found a folder, expected a file"
row /dev/zero "found a device, expected a file"
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind("s.so")'
row "$work/s.so" "found a socket, expected a file"
if ! is_sanitized; then
  export LD_PRELOAD=$work/spy.so
  row "$work/crash.so" "reading it fails"
  row "$work/eat.so" "reading it fails"
  trace "$work/hang.so" "$work/code.so" "$work/crash.so"
  check "hang: code 0" resolve --time-limit 2
  check "hang: the others are gone on with: found '$(sites)'" [ "$(sites)" = "3 call sites (1 resolved)" ]
  check "hang: found '$(tail -n 1 said)'" [ "$(tail -n 1 said)" = \
    "berth resolve: $work/hang.so: reading it takes too long (and 1 other module): their call sites stay as they are" ]
  unset LD_PRELOAD
fi
trace "$work/code.so"
check "no time: code 0" resolve --time-limit 0
check "no time: found '$(tail -n 1 said)'" [ "$(tail -n 1 said)" = \
  "berth resolve: $work/code.so: no time is left to read it: its call sites stay as they are" ]
finish
