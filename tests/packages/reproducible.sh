#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reproducible.sh: builds the Debian packages in two folders, one after the other, with another umask and
# time zone. The packages must be the same bytes, and lintian must find nothing. Some 5 minutes.
set -eu
. "$(dirname "$0")/lib.sh"
[ $# -eq 0 ] || { echo "usage: tests/packages/reproducible.sh" >&2; exit 2; }

echo "== first build"
build_packages "$work/one"
echo "== second build"
(
  umask 0002
  export TZ=Asia/Kathmandu LC_ALL=C.UTF-8 HOME=$work
  build_packages "$work/another/place/for/it"
)
cd "$work/another/place/for/it"
differing=0
for package in *.deb; do
  if cmp "$work/one/$package" "$package"; then
    echo "the same: $package, $(stat -c %s "$package") bytes"
  else
    differing=1
  fi
done
echo "== lintian"
lintian --fail-on error,warning --allow-root ./*.changes
exit $differing
