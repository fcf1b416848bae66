#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# autopkgtest.sh [FOLDER]: runs the tests of debian/tests with the Debian packages of a folder, each in
# a root that has what it says it needs. Without a folder it builds the packages. As root.
set -eu
. "$(dirname "$0")/lib.sh"
[ $# -le 1 ] || { echo "usage: tests/packages/autopkgtest.sh [FOLDER]" >&2; exit 2; }
need_root
packages=${1:-$work/built}
[ $# -eq 1 ] || build_packages "$packages"
export_sources "$work/berth"
in_bare_root "autopkgtest --no-built-binaries '$packages'/*.deb '$work/berth' -- chroot \"\$1\"" \
  dpkg-dev
