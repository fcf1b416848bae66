#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# What docs/tutorial.md and README.md show is what one gets: their commands, in order, each page's in
# a new folder. Where nothing can be measured, the blocks that are marked testbed are left out.
. "$BERTH_SOURCE_DIR/tests/examples/lib.sh"
openmpi_in_path
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
if [ "$(id -u)" -eq 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
export BERTH=$BERTH_SOURCE_DIR BERTH_TESTBED=test-$$
session() { python3 -B "$BERTH_SOURCE_DIR/tests/examples/session.py" "$@"; }

trap '"$BERTH/testbed/testbed" down > /dev/null; rm -rf "$work"' EXIT
without=()
if ! "$BERTH/testbed/testbed" up > log 2>&1; then
  echo "nothing is measured: $(tail -n 1 log)"
  without=(--without testbed)
fi

page() { # PAGE: in a folder that has what the repository's has
  local folder=$work/${1//\//-}
  mkdir "$folder"
  ln -s "$BERTH_SOURCE_DIR"/{examples,testbed} "$folder"
  (cd "$folder" && session "${without[@]}" "$BERTH_SOURCE_DIR/$1" > ../said) && return
  cat said
  return 1
}
for name in docs/tutorial.md README.md; do check "$name" page $name; done

# The pictures that README and the tutorial show are those that the tutorial's commands make.
check "the picture before" cmp "$BERTH_SOURCE_DIR/docs/pictures/tutorial-tree.svg" \
  docs-tutorial.md/pictures/tree-before.svg
check "the picture after" cmp "$BERTH_SOURCE_DIR/docs/pictures/tutorial-tree-after.svg" \
  docs-tutorial.md/pictures/tree-after.svg

# A page that isn't true doesn't pass: each is one command with what it is said to print.
is_page() { # CODE COMMAND LINE…
  local expected=$1 code=0; shift
  { echo '```console'; echo "\$ $1"; shift; printf '%s\n' "$@"; echo '```'; } > page.md
  session page.md > said || code=$?
  [ $code = "$expected" ] || { cat said; return 1; }
}
two='printf "took 1.25 ms\nof 30 s\n"'
while IFS='|' read -r code command lines; do
  mapfile -t expected < <(printf '%b' "$lines")
  check "$command: '$lines' is $code" is_page "$code" "$command" "${expected[@]}"
done <<END
0|$two|took 1.25 ms\nof 30 s
0|$two|took ≈7.5 us\nof …
0|$two|…\nof 30 s
0|$two|…\ntook 1.25 ms\n…\nof 30 s\n…
1|$two|took 1.26 ms\nof 30 s
1|$two|took 1.25 ms
1|$two|took 1.25 ms\nof 30 s\nor more
1|$two|took ≈1.25 bytes\nof 30 s
1|$two|of 30 s\n…
1|false|
1|exit 0|
1|printf 12|…1…
END
check "an exit code that is shown" is_page 0 false '$ echo $?' 1
check "an exit code that is another" is_page 1 false '$ echo $?' 2
check "no commands" eval '! session /dev/null > said'
finish
