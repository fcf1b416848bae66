#!/usr/bin/env bash
# The pictures of `berth report --svg` as a paper has them: drawn by rsvg-convert, which knows neither
# CSS variables nor the page.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
here=$BERTH_SOURCE_DIR/tests/report
. "$here/small.sh"
export LC_ALL=C # the order of names
for tool in rsvg-convert pdftotext pdftoppm; do
  command -v $tool > /dev/null || { echo "needs $tool"; exit 77; }
done
cd "$work" || exit 1
make_small
make_stencil
mkdir a b
cp random.json a/m.json
cp greedy.json b/m.json
long="a mapping with quite a long name, made by greedy for the paper of 2027.json"
cp greedy.json "$long"
awk 'BEGIN { print "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4}"
  for (r = 0; r < 4; r++) printf "{\"kind\":\"p2p\",\"src\":%d,\"msgs\":[[%d,1000,1]]}\n", r, (r + 1) % 4
  print "{\"kind\":\"end\",\"records\":4}" }' > one.acp
echo '{"format":"berth-mapping","version":1,"algorithm":"","pu_of_rank":[0,2,4,6]}' > one.json

# pictures FOLDER ARGUMENT…: and a page, whose data they are held against; the pictures are drawn as
# the pages of one PDF, in the order of their names
pictures() {
  local folder=$1; shift
  "$berth" report --svg "$folder" -o "$folder.html" "$@" > "$folder.log" || return
  rsvg-convert -f pdf "$folder"/*.svg -o "$folder.pdf" && pdftotext -bbox "$folder.pdf" "$folder.words"
}
# pixels FOLDER: a PPM beside each picture
pixels() {
  local files=("$1"/*.svg) i=0
  pdftoppm -r 96 "$1.pdf" "$1/page" || return
  for page in "$1"/page-*.ppm; do mv "$page" "${files[i++]%.svg}.ppm"; done
}
for phase in 0 transpose all; do
  check "phase $phase" pictures "phase-$phase" --pattern p.acp --topology u.json --phase "$phase" \
    random.json greedy.json
done
check "the dearest phase" pictures dearest --pattern p.acp --topology u.json random.json greedy.json
check "names" pictures names --pattern p.acp --topology u.json a/m.json b/m.json
check "a long name" pictures long --pattern p.acp --topology u.json "$long"
check "4,096 ranks" pictures stencil --pattern s.acp --topology st.json sg.json
# names of more than a hundred characters of two bytes; bytes that are no text
e=$(printf 'é%.0s' {1..124})
sed "s/\"name\":\"transpose\"/\"name\":\"$e\"/" p.acp > e.acp
sed "s/\"\(host\|switch\)\"\( *: *{\|, \"name\)/\"\1 $e\"\2/; s/\"name\": \"A\"/\"name\": \"$e\"/" u.json > e.json
mkdir -p "$e/$e/$e"
cp random.json "$e/$e/$e/"$'\001\377.json'
check "names that are long and odd" pictures odd --pattern e.acp --topology e.json --phase 1 --model bound \
  "$e/$e/$e/"$'\001\377.json'
check "one amount" pictures one --pattern one.acp --topology u.json one.json
python3 "$here/node_records.py" "$work"
"$berth" make pattern ring -n 20 -q -o ring.acp
echo '{"format":"berth-mapping","version":1,"pu_of_rank":[19,18,17,16,15,14,13,12,11,10,9,8,7,6,5,4,3,2,1,0]}' > all.m
check "a node" pictures node ring.acp big.json all.m
check "a node without most" pictures node-odd ring.acp odd.json all.m
check "pixels" pixels dearest
check "of a node" pixels node
check "of 4,096 ranks" pixels stencil
check "what is in them" python3 "$here/pictures.py" "$work"

check "folders are made" "$berth" report --pattern p.acp --topology u.json --svg x/y/z greedy.json
check "with those above" [ -s x/y/z/cost.svg ]
written() { # LINES ARGUMENT…: what success is answered with, below the conclusion
  local expected=$1; shift
  "$berth" report --pattern p.acp --topology u.json "$@" greedy.json > answer &&
    grep -qE '^(Remap by greedy.json: |Keep the default order: greedy.json takes |greedy.json: )' <(head -n 1 answer) &&
    [ "$(tail -n +2 answer)" = "$expected" ]
}
check "it says what it wrote" written $'page written to q.html\npictures written to q' -o q.html --svg q
check "also by default" written 'page written to report.html'
expect 2 "berth report: --phase 7: found 0 phases of that name, expected one, or its number; there are 0 \"halo\", 1 \"transpose\", 2 \"quiet\"" \
  "$berth" report --pattern p.acp --topology u.json --phase 7 greedy.json
finish
