#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Files of packages say the version, the options and the packages that the build has.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$BERTH_SOURCE_DIR" || exit 1
version=$(sed -n 's/^project(berth VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)

said() { # FILE PATTERN: what the pattern's bracket holds in its first line that matches
  check "$1" [ "$(sed -nE "s/$2/\1/p" "$1" | head -n 1)" = "$version" ]
}
said CHANGELOG.md '^## ([0-9.]+) .*'
said python/berth/_version.py '^__version__ = "(.*)"'
said debian/changelog '^berth \(([^)]*)\) .*'
said packaging/README.md '.*`berth-([0-9.]+)\.tar\.gz`.*'
said packaging/spack/packages/berth/package.py '^ *version\("(.*)"\)'
said packaging/spack/packages/berth/package.py '.*\/berth-([0-9.]+)\.tar\.gz".*'
easyconfig=$(echo packaging/easybuild/*.eb)
said "$easyconfig" "^version = '(.*)'"
check "$easyconfig: its name" [ "${easyconfig%-gompi-*}" = "packaging/easybuild/berth-$version" ]

defined=$(sed -nE 's/^option\((BERTH_[A-Z0-9_]+) .*/\1/p' CMakeLists.txt | sort)
used=$(grep -ohE 'BERTH_[A-Z0-9_]+' -r packaging debian/rules src/cli/build_parts.c |
  grep -vxE 'BERTH_(ROOT|D3|WITH_|COLL_REPORT|CLI_.*)' | sort -u)
check "options" [ -n "$used" ]
check "options that there are" [ -z "$(comm -13 <(echo "$defined") <(echo "$used"))" ]

listed=$(awk '$1 == "run" { print $2 }' packages.txt | sort)
needed=$(sed -n '/^Build-Depends:/,/^[A-Z].*:/s/^ \([^ ,]*\).*,$/\1/p' debian/control | grep -vE '^(debhelper|dh-python|python3$)' | sort)
check "debian/control builds with what packages.txt has" [ -z "$(comm -13 <(echo "$listed") <(echo "$needed"))" ]
check "and has all libraries" \
  [ -z "$(comm -23 <(grep -E '^lib|^node-' <<< "$listed") <(echo "$needed"))" ]

for file in packaging/spack/packages/berth/package.py "$easyconfig"; do
  check "$file is Python" python3 -c 'import sys; compile(open(sys.argv[1]).read(), sys.argv[1], "exec")' "$file"
done
for file in debian/tests/{session,python,library} tests/packages/*.sh; do check "$file is Bash" bash -n "$file"; done
finish
