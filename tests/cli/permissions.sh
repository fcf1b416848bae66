#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# Who may read and write a file that replaces another one: with a POSIX ACL, with a default one of its
# folder, and without either.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1
if ! command -v setfacl > /dev/null; then
  echo "skipped: no setfacl (package acl)"
  exit 77
fi
touch try && chmod 755 "$work"
if [ "$(id -u)" != 0 ] || ! setfacl -m u:4003:r try 2> /dev/null ||
  ! setpriv --reuid 4001 --regid 4001 --clear-groups true 2> /dev/null; then
  echo "skipped: it needs root, who can be another user, and a file system with ACLs"
  exit 77
fi
pattern=$BERTH_SOURCE_DIR/examples/ladder/pattern.acp topology=$BERTH_SOURCE_DIR/testbed/topology.json
"$berth" map --pattern "$pattern" --topology "$topology" --mapping m.json > /dev/null
chmod 644 m.json

# as USER[,GROUP…] COMMAND…
as() {
  local user=${1%%,*} groups=${1#*,}; shift
  [ "$groups" != "$user" ] && groups=(--groups "$groups") || groups=(--clear-groups)
  if [ "$user" = 0 ]; then "$@"; else setpriv --reuid "$user" --regid "$user" "${groups[@]}" "$@"; fi
}
acl_of() { getfacl -cnE "$1" | tr '\n' ' ' | sed 's/user:/u:/g; s/group:/g:/g; s/mask:/m:/; s/other:/o:/; s/ *$//; s/ /,/g'; }
replace() { as "$1" "$berth" write --mapping m.json --topology "$topology" mapping=d/x > out 2>&1; }
# Replaced by two outputs at once, which get their names another way.
replace_two() { as "$1" "$berth" write --mapping m.json --topology "$topology" mapping=d/x rankfile=d/y > out 2>&1; }
# Where the file's ACL can't be written.
replace_without() { as "$1" env LD_PRELOAD="$work/no_acl.so" "$berth" write --mapping m.json --topology "$topology" mapping=d/x > out 2>&1; }
cat > no_acl.c <<'C'
#include <errno.h>
#include <stddef.h>
int fsetxattr(int fd, const char *name, const void *value, size_t n, int flags)
{
  (void)fd, (void)name, (void)value, (void)n, (void)flags;
  return errno = ENOSPC, -1;
}
C
cc -shared -fPIC -o no_acl.so no_acl.c || { echo "skipped: no compiler"; exit 77; }
chmod 755 no_acl.so

# HOW; who replaces; the file's owner, its group, its permissions (an ACL or a mode); the folder's
# default ACL (-: none); the file's permissions afterwards
while read -r how who owner permissions default after; do
  [ -n "$how" ] || continue
  [ "$how" = replace_without ] && is_sanitized && continue
  row="$how by $who of $owner $permissions, default $default"
  rm -rf d && mkdir d && chmod 777 d
  touch d/x && chmod 600 d/x && chown "$owner" d/x
  if [[ $permissions == *:* ]]; then setfacl --set "$permissions" d/x; else chmod "$permissions" d/x; fi
  [ "$default" = - ] || setfacl -d --set "$default" d
  check "$row: it is written: $(cat out 2> /dev/null)" "$how" "$who"
  check "$row: with something" grep -q berth-mapping d/x
  check "$row: found $(acl_of d/x)" [ "$(acl_of d/x)" = "$after" ]
done <<'TABLE'
replace         0         4001:5000 u::rw,u:4003:rw,g::---,m::rw,o::--- - u::rw-,u:4003:rw-,g::---,m::rw-,o::---
replace         4001,5000 4001:5000 u::rw,u:4003:rw,g::---,m::rw,o::--- - u::rw-,u:4003:rw-,g::---,m::rw-,o::---
replace_two     4001,5000 4001:5000 u::rw,u:4003:rw,g::---,m::rw,o::--- - u::rw-,u:4003:rw-,g::---,m::rw-,o::---
replace         4001,5000 4001:5000 u::rw,u:4003:r,g:6000:rw,g::r,m::r,o::r - u::rw-,u:4003:r--,g::r--,g:6000:rw-,m::r--,o::r--
replace         4002      4001:4001 u::rw,g::rwx,g:5000:rwx,m::rw,o::--- u::rwx,g::rwx,g:5000:rwx,m::rwx,o::--- u::rw-,g::---,g:5000:rwx,m::rw-,o::---
replace         4002      4001:4001 u::rw,g::rw,u:4003:rw,m::rw,o::r - u::rw-,u:4003:rw-,g::r--,m::rw-,o::r--
replace         4002      4001:4001 664 - u::rw-,g::r--,o::r--
replace         4001      4001:4001 664 - u::rw-,g::rw-,o::r--
replace         4001      4001:4001 640 u::rwx,g::rwx,u:4003:rwx,m::rwx,o::r u::rw-,g::r--,o::---
replace         4002      4001:4001 660 u::rwx,g::rwx,u:4003:rwx,m::rwx,o::r u::rw-,g::---,o::---
replace_without 0         4001:5000 u::rw,u:4003:rw,g::---,m::rw,o::--- - u::rw-,g::---,o::---
replace_without 4001,5000 4001:5000 u::rw,u:4003:rw,g::r,m::rw,o::--- - u::rw-,g::r--,o::---
replace_without 4001,5000 4001:5000 u::rw,u:4003:rw,g::rw,m::r,o::--- - u::rw-,g::r--,o::---
replace_without 4001,5000 4001:5000 u::rw,u:4003:---,g::rw,m::rw,o::r - u::rw-,g::---,o::---
replace_without 4002      4001:4001 u::rw,u:4003:rw,g::rw,m::rw,o::r u::rwx,g::rwx,u:4004:rwx,m::rwx,o::r u::rw-,g::r--,o::r--
TABLE
finish
