#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# use_in_root.sh IN ROOT: the part of bare_root.sh that mmdebstrap runs when the root is made. IN has
# the packages, the session, and its program for each MPI.
set -eu
in=$1 root=$2
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
inside() { chroot "$root" "$@"; }
# apt runs in the root, never beside it: from outside it would call this machine's dpkg.
apt() { inside apt-get -y -qq "$@" > "$in/apt" 2>&1 || { cat "$in/apt"; exit 1; }; }

# All files with their kinds and contents, and the packages. Left out are what dpkg and apt know of
# packages, logs, caches, and groups: Open MPI needs openssh-client, which keeps its group.
files() {
  (
    cd "$root"
    find . -xdev -regextype posix-extended \
      -regex '\./(var/(lib/(dpkg|apt)|log|cache)|tmp|proc|sys|dev|run)' -prune -o \
      ! -regex '\./etc/(ld\.so\.cache|g(roup|shadow)-?)' -print0 | xargs -0 stat -c '%n %A %U:%G' | sort
    find etc usr -xdev -regextype posix-extended -type f \
      ! -regex 'etc/(ld\.so\.cache|g(roup|shadow)-?)' \
      -exec sha256sum {} + | sort -k 2
  )
  inside dpkg-query -W -f '${Package} ${db:Status-Status}\n'
}

mkdir "$root/tmp/in"
cp "$in"/* "$root/tmp/in"
files > "$in/before"
echo "== a bare root: $(grep -c ' installed$' "$in/before") packages"
apt update
packages=("$root"/tmp/in/*.deb)
apt --no-install-recommends install "${packages[@]#"$root"}"
inside dpkg-query -W -f '${Package} ${Version}\n' '*berth*'
for mpi in openmpi mpich; do
  echo "== $mpi"
  inside /tmp/in/session "$mpi" "/tmp/in/ladder.$mpi"
done
echo "== python"
inside /tmp/in/python
echo "== purged"
apt purge '?name(berth)'
# In /var/cache/man, man keeps pages that were read.
left=$(cd "$root" && find . -xdev -iname '*berth*' ! -path './tmp/*' ! -path './var/cache/man/*')
[ -z "$left" ] || { printf 'left behind:\n%s\n' "$left"; exit 1; }
apt --purge autoremove
files > "$in/after"
diff -U0 "$in/before" "$in/after" || { echo "the root isn't as it was"; exit 1; }
echo "all files are as they were"
