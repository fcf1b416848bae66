# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the scripts beside it: the sources, a folder that is removed at the end, the packages.
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# export_sources FOLDER: the source tree, without what git ignores, in a new folder.
export_sources() {
  mkdir -p "$1"
  git -C "$source" ls-files -z -co --exclude-standard | (cd "$source" && tar c --null -T -) | tar x -C "$1"
}

# build_packages FOLDER: builds the packages into a folder; the sources are in FOLDER/berth.
build_packages() {
  export_sources "$1/berth"
  (cd "$1/berth" && dpkg-buildpackage -us -uc -b -j"$(nproc)") > "$1/log" 2>&1 && return
  tail -n 30 "$1/log"
  return 1
}

# need_root: the scripts that make a root folder can't go on without.
need_root() {
  [ "$(id -u)" != 0 ] || return 0
  echo "$(basename "$0"): found no right to make a root folder, expected to be started as root" >&2
  exit 4
}

# in_bare_root HOOK PACKAGES: makes a root with these packages beside the essential ones, and runs the
# hook with it. mmdebstrap makes the root in a folder of its own, and removes it and its mounts also if
# it is interrupted.
in_bare_root() {
  # shellcheck disable=SC1091
  mmdebstrap --mode=root --format=null --variant=minbase --include="$2" --quiet \
    --customize-hook="$1" "$(. /etc/os-release && echo "$VERSION_CODENAME")"
}
