#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2154
# A testbed works where the folder, the root or the processes aren't the machine's own: in a chroot, in
# a folder that only this mount namespace has, in another process namespace.
. "$BERTH_SOURCE_DIR/tests/testbed/lib.sh"
up_or_skip
"$testbed" down

# inside NAME COMMAND…: four ranks on a testbed that is made inside of what the command sets up. The
# machine's mounts stay as they are.
inside() {
  local name=$1; shift
  unshare --mount --propagation private -- "$@" > "$work/out" 2> "$work/err"
  check "$name: exit code of: $(tail -n 1 "$work/err")" [ $? = 0 ]
  check "$name: where ranks ran" [ "$(sort "$work/out" | tr '\n' ' ')" = "h0 h0 h1 h1 " ]
}
run="'$testbed' run --linear 4 hostname"
mkdir "$work/root" "$work/folder"
inside "as it is" sh -c "$run"
inside "in a chroot" sh -euc '
  mount --rbind / "$1"
  exec chroot "$1" sh -c "cd / && $2"' sh "$work/root" "$run"
inside "in a folder of this namespace's own" sh -euc '
  mount -t tmpfs tmpfs "$1"
  mkdir "$1/here"
  cd "$1/here"
  eval "$2"' sh "$work/folder" "$run"
inside "in a process namespace" unshare --pid --fork --mount-proc sh -c "$run"

# a folder that is there for the caller alone is said to be missing on the hosts
"$testbed" up > "$work/out"
unshare --mount --propagation private sh -euc 'mount -t tmpfs tmpfs "$1"; mkdir "$1/late"; cd "$1/late"
  "$2" exec h0 true' sh "$work/folder" "$testbed" 2> "$work/err"
check "a folder that came later: exit code" [ $? = 4 ]
check "a folder that came later: $(cat "$work/err")" grep -qx \
  "testbed: $work/folder/late isn't there on the hosts, expected a folder that was there when the testbed was made" "$work/err"
finish
