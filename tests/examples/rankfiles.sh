#!/usr/bin/env bash
# rankfiles/ holds what launchers take for one known placement, and the commands that take it; they
# are made again, by berth map and by berth write, and compared.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
golden=$BERTH_SOURCE_DIR/rankfiles
topology=$BERTH_SOURCE_DIR/testbed/topology.json
mkdir "$work/map" "$work/write"
formats=$("$berth" write --list | awk '/^  / { print $1 }')
check "there are formats" [ "$(echo "$formats" | wc -l)" -ge 10 ]
outputs() { for f in $formats; do echo "$1$f=ladder.$f"; done; }

cd "$work/map" || exit 1
mapfile -t words < <(outputs --write=)
"$berth" map --pattern "$BERTH_SOURCE_DIR/examples/ladder/pattern.acp" --topology "$topology" \
  --algorithm greedy "${words[@]}" > ../log || exit 1
cd "$work/write" || exit 1
mapfile -t words < <(outputs '')
"$berth" write --topology "$topology" --mapping ../map/ladder.mapping "${words[@]}" > ../commands ||
  exit 1
for f in $formats; do
  check "$f is what berth map writes" diff "$golden/ladder.$f" "$work/map/ladder.$f"
  check "$f is what berth write writes" diff "$golden/ladder.$f" "$work/write/ladder.$f"
  check "$f is named in the table" grep -qF "| \`ladder.$f\` |" "$golden/README.md"
  check "$f is explained" grep -qF "\`$f\`" "$BERTH_SOURCE_DIR/docs/launchers.md"
done
check "the commands of berth write" diff "$golden/commands.txt" "$work/commands"
check "the commands of berth map" diff "$golden/commands.txt" \
  <(sed -n '/ written to /,$p' "$work/log")
check "nothing else is there" [ "$(ls "$golden" | sort | tr '\n' ' ')" = \
  "$( (printf 'README.md\ncommands.txt\n'; for f in $formats; do echo "ladder.$f"; done) |
    sort | tr '\n' ' ')" ]
finish
