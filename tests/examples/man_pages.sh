#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC1091,SC2154
# What the man pages of commands show is what one gets: the commands of each page, in a new folder with
# a pattern, a machine and a placement.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
mkdir "$work/bin" && ln -s "$berth" "$work/bin/berth"
export PATH=$work/bin:$PATH
unset CI GITHUB_ACTIONS BERTH_TOPOLOGY BERTH_MODEL
given() { # what the pages take for given
  cp "$BERTH_SOURCE_DIR/examples/ladder/pattern.acp" app.acp &&
    cp "$BERTH_SOURCE_DIR/testbed/topology.json" cluster.json &&
    cp "$BERTH_SOURCE_DIR/examples/agents/elan3.json" . &&
    berth map app.acp cluster.json --mapping best.json > /dev/null
}
page() { # COMMAND
  mkdir "$work/$1" && cd "$work/$1" && given &&
    python3 -B "$BERTH_SOURCE_DIR/tests/examples/session.py" "$BERTH_SOURCE_DIR/man/berth-$1.md" > ../said && return
  cat ../said
  return 1
}
pages=0
for file in $(cd "$BERTH_SOURCE_DIR/man" && grep -l '^```console' berth-*.md); do
  name=${file#berth-}
  [ "$name" = doctor.md ] && [ ! -f "$BERTH_BUILD_DIR/lib/berth/openmpi/libberth-trace.so" ] && continue # built without MPI
  pages=$((pages + 1))
  check "$file" page "${name%.md}"
done
check "pages with examples" [ $pages -ge 12 ]
finish
