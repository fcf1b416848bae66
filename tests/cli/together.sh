#!/usr/bin/env bash
# Commands with several outputs write all of them or none: also when a file can't get its name in the
# end, and when standard output takes nothing.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
p=$BERTH_SOURCE_DIR/examples/ladder/pattern.acp t=$BERTH_SOURCE_DIR/testbed/topology.json
"$berth" map --pattern "$p" --topology "$t" --mapping m.json > /dev/null
cat > spoil.c <<'C'
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
/* The RENAME_FAILS-th file can't have its name; without hard links where NO_LINKS is set. */
int rename(const char *from, const char *to)
{
  static int n;
  int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
  const char *fails = getenv("RENAME_FAILS");
  if (fails && strstr(from, ".tmp.") && !strstr(from, ".old") && ++n == atoi(fails)) return errno = EIO, -1;
  return real(from, to);
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
  int (*real)(int, const char *, int, const char *, unsigned) = dlsym(RTLD_NEXT, "renameat2");
  return getenv("NO_LINKS") && strcmp(getenv("NO_LINKS"), "2") == 0 ? (errno = EINVAL, -1) : real(a, from, b, to, flags);
}
int link(const char *from, const char *to)
{
  int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "link");
  return getenv("NO_LINKS") ? (errno = EPERM, -1) : real(from, to);
}
C
cc -D_GNU_SOURCE -shared -fPIC -o spoil.so spoil.c -ldl || { echo "skipped: no compiler"; exit 77; }

map() { "$berth" map --pattern "$p" --topology "$t" --mapping a --rankfile b --write slurm=c; }
map_json() { "$berth" map --pattern "$p" --topology "$t" --mapping a --rankfile b --write slurm=c --json; }
map_in_between() { "$berth" map --pattern "$p" --topology "$t" --mapping a --rankfile - --write slurm=c; }
write() { "$berth" write --mapping ../m.json --topology "$t" rankfile=a slurm=b seq=c; }
report() { "$berth" report --pattern "$p" --topology "$t" ../m.json -o a --svg d; }
update() { "$berth" check --pattern "$p" --topology "$t" --baseline a --update --junit b "$@"; }
update_json() { update --json; }
# Beside a check that failed there is a JUnit file all the same, which says so.
# Nothing says that a file is written, or a baseline updated, which isn't: on either stream.
claims() { grep -hE 'written to|updated' ../out ../said | head -n 1; }
state() { find . -type f ! -path "./${junit:-none}" | sort | xargs -r sha1sum; }
spoiled() { # COMMAND VARIABLE...: nothing changes; one line
  local command=$1; shift
  local name="$command $*"
  for old in none some all; do
    rm -rf here; mkdir here; cd here || exit 1
    [ $old = some ] && echo old > b
    [ $old = all ] && { echo old > b; echo old > c; mkdir d; echo old > d/cost.svg; [[ "$command" = update* ]] || echo old > a; }
    local before; before=$(state)
    (for v in "$@"; do export "${v?}"; done; export LD_PRELOAD=$work/spoil.so; "$command" > ../out) 2> ../said
    local code=$?
    check "$name, $old there: code $code" [ $code -eq 4 ]
    check "$name, $old there: one line: $(cat ../said)" [ "$(grep -c ': cannot write: ' ../said)" = 1 ]
    check "$name, $old there: nothing changes" [ "$(state)" = "$before" ]
    check "$name, $old there: says '$(claims)'" [ -z "$(claims)" ]
    cd ..
  done
}
is_sanitized || for n in 1 2 3; do
  spoiled map RENAME_FAILS=$n
  [ $n = 3 ] || spoiled map_in_between RENAME_FAILS=$n
  spoiled write RENAME_FAILS=$n
  spoiled report RENAME_FAILS=$n
done
is_sanitized || {
  spoiled map_json RENAME_FAILS=3
  junit=b spoiled update RENAME_FAILS=1
  junit=b spoiled update_json RENAME_FAILS=1
  junit=b spoiled update RENAME_FAILS=2
  spoiled report RENAME_FAILS=9
}
# Where there are no hard links, names are exchanged.
is_sanitized || for old in 0 1; do
  rm -rf here; mkdir here; cd here || exit 1
  [ $old = 1 ] && { echo old > a; echo old > b; }
  before=$(state)
  check "no links, $old: all" env LD_PRELOAD="$work/spoil.so" NO_LINKS=1 bash -c "cd '$work/here' && '$berth' write --mapping ../m.json --topology '$t' rankfile=a slurm=b > /dev/null"
  check "no links, $old: they are there: $(ls -A | xargs)" [ "$(ls -A | xargs)" = "a b" ]
  check "no links, $old: they are new" [ "$(grep -c old a b | grep -c ':0')" = 2 ]
  cd ..
done

# A file that is a mount point can't be replaced.
export -f map write report update; export berth p t
mounted() { # COMMAND
  rm -rf here; mkdir here; cd here || exit 1
  if [ "$1" = update ]; then update > /dev/null; else echo old > a; fi
  before=$(state)
  unshare -m bash -c 'mount --bind a a && "$1"' - "$1" > ../out 2> ../said
  code=$?
  check "$1, a mount point: code $code" [ $code -eq 4 ]
  check "$1, a mount point: one line: $(cat ../said)" [ "$(grep -c 'a: cannot write: Device or resource busy' ../said)" = 1 ]
  check "$1, a mount point: nothing changes: $(ls -A | xargs)" [ "$(state)" = "$before" ]
  check "$1, a mount point: says '$(claims)'" [ -z "$(claims)" ]
  cd ..
}
if unshare -m mount --bind spoil.c spoil.c 2> /dev/null; then
  for command in map write report; do mounted $command; done
  junit=b mounted update
fi

# Standard output that takes nothing.
silent() { # COMMAND
  for to in full closed; do
    rm -rf here; mkdir here; cd here || exit 1
    echo old > b
    before=$(state)
    if [ $to = full ]; then "$1" > /dev/full 2> ../said; else "$1" >&- 2> ../said; fi
    code=$?
    check "$1, $to: code $code" [ $code -eq 4 ]
    check "$1, $to: one line: $(cat ../said)" [ "$(grep -vc 'written to' ../said)" = 1 ]
    check "$1, $to: nothing changes: $(ls -A | xargs)" [ "$(state)" = "$before" ]
    cd ..
  done
}
for command in map map_json map_in_between write report; do silent $command; done
junit=b silent update

# And when all is well all are there.
for command in map map_json map_in_between write report update; do
  rm -rf here; mkdir here; cd here || exit 1
  echo old > c
  check "$command" "$command" > /dev/null 2> ../said
  check "$command: all are there, and nothing else: $(find . -type f | grep -c tmp)" [ "$(find . -name '*.tmp*' | wc -l)" = 0 ]
  check "$command: the first is there" [ -s a ]
  cd ..
done
finish
