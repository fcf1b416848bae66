#!/usr/bin/env bash
# What each exporter keeps: a pattern that goes out and comes back costs the same under which models,
# on which machines, and what export says is lost. Every exporter stands in the table.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
cd "$work" || exit 1

# Machines: one where a message costs nothing but its bytes, two where its size counts, of which one
# has switches and directions of their own.
"$berth" topo import -f levels 2:2:2/1:10:100 -o levels.json 2> /dev/null
cp "$BERTH_SOURCE_DIR/testbed/topology.json" testbed.json
cat > limits.json <<'JSON'
{"format":"berth-topology","version":1,"name":"",
 "curves":{"c":{"points":[[1,100000],[1000,1e6],[1000000,1.9e6]]}},
 "types":{"root":{"down":{"max_bandwidth":4e6},"max_bandwidth":7e6},
          "host":{"up":{"out":"c","max_bandwidth":{"out":3e6,"in":2e6}},
                  "down":{"out":"c","in":"c","max_bandwidth":1e7},"max_bandwidth":5e6}},
 "root":{"type":"root","children":[
  {"type":"host","host":"a","children":[{"pu":0,"core":0},{"pu":1,"core":1}]},
  {"type":"host","host":"b","children":[{"pu":0,"core":0},{"pu":1,"core":1}]},
  {"type":"host","host":"c","children":[{"pu":0,"core":0},{"pu":1,"core":1}]}]}}
JSON
echo '{"format":"berth-mapping","version":1,"pu_of_rank":[0,5,3,2]}' > m.json

pattern() { # NAME LINE…
  local name=$1; shift
  {
    echo '{"format":"berth-pattern","version":1,"ranks":4,"command":["x"]}'
    printf '%s\n' "$@"
    echo "{\"kind\":\"end\",\"records\":$#}"
  } > "$name.acp"
}
p2p() { # MEMBERS SRC ITEMS
  echo "{\"kind\":\"p2p\",$1\"src\":$2,\"msgs\":[$3]}"
}
# what goes from 0 to 1 and back, and, unless it is "alone", a message from 2 to 3 and back with these
# members, as the array `line`
talk() { # ITEMS [MEMBERS]
  line=("$(p2p '' 0 "$1")" "$(p2p '' 1 "${1//\[1,/[0,}")")
  [ "${2:-}" = alone ] || line+=("$(p2p "${2:-}" 2 '[3,500,1]')" "$(p2p "${2:-}" 3 '[2,500,1]')")
}

# each has one thing that some formats have no place for
talk '[1,1000,1]'
pattern alike "${line[@]}"
pattern sited '{"kind":"site","id":1,"op":"MPI_Send"}' "${line[@]/\"src\":0/\"site\":1,\"src\":0}"
pattern timed '{"kind":"site","id":1,"op":"MPI_Recv"}' \
  '{"kind":"time","op":"MPI_Recv","total_s":1,"max_s":1,"max_rank":0}' \
  '{"kind":"time","op":"MPI_Recv","site":1,"total_s":1,"max_s":1,"max_rank":0}' "${line[@]}"
pattern calls '{"kind":"rank","rank":1,"host":"n"}' \
  '{"kind":"coll","op":"MPI_Bcast","bytes":8,"count":1,"root":0}' \
  '{"kind":"rma","src":0,"op":"MPI_Put","msgs":[[1,8,1]]}' "${line[@]}"
pattern repeated '{"kind":"phase","id":0,"name":"","repeats":10}' "${line[@]}"
pattern packed "${line[@]}" '{"kind":"packed","rank":0,"msgs":[[1000,2,1200,1]]}'
pattern self "$(p2p '' 2 '[2,400,1]')" "${line[@]}"
pattern directed "$(p2p '' 3 '[1,100000,1]')" "${line[@]}"
talk '[1,1000,1]' alone
pattern idle "${line[@]}"
talk '[1,1000,30]'
pattern counted "${line[@]}"
talk '[1,8,30],[1,70000,2]'
pattern sizes "${line[@]}"
talk '[1,8,3,27]'
pattern binned "${line[@]}"
talk '[1,0,3]'
pattern empty "${line[@]}"
talk '[1,1000,1]' '"phase":4,'
pattern phased "${line[@]}"
talk '[1,100000,2]' alone
pattern ordered "${line[@]}" "$(p2p '' 0 '[2,70000,2]')" "$(p2p '' 2 '[0,70000,2]')" \
  '{"kind":"order","src":0,"sends":[[1,100000,1],[2,70000,1],[1,100000,1],[2,70000,1]]}'

costs() { # PATTERN TOPOLOGY: port, bound, sum, flow
  "$berth" compare --pattern "$1" --topology "$2" m.json --csv 2> /dev/null |
    sed -n 's/^"m.json","[^"]*",//p' | cut -d, -f1-4
}
models=(port bound sum flow)
kept() { # PATTERN TOPOLOGY…: the models that make the same of it and of back.acp on all of them
  local name=$1 topology before after k; shift
  local -A same=([port]=1 [bound]=1 [sum]=1 [flow]=1)
  for topology; do
    IFS=, read -ra before <<< "${cost[$name $topology]}"
    IFS=, read -ra after <<< "$(costs back.acp "$topology.json")"
    for k in 0 1 2 3; do
      [ -n "${before[k]:-}" ] && [ "${before[k]}" = "${after[k]:-}" ] || unset "same[${models[k]}]"
    done
  done
  local list=
  for k in "${models[@]}"; do [ -n "${same[$k]:-}" ] && list="$list$k "; done
  case $list in
    "port bound sum flow ") echo all ;;
    "") echo none ;;
    *) echo "${list% }" ;;
  esac
}

# A pattern, a format ("+messages": with its second file), the models whose costs are kept where
# bytes alone count, those that are kept everywhere, and what export says is lost.
declare -A cost
while IFS='|' read -r name format there everywhere lost; do
  [ -n "$name" ] || continue
  for t in levels testbed limits; do
    [ -n "${cost[$name $t]:-}" ] || cost[$name $t]=$(costs "$name.acp" $t.json)
  done
  said=$("$berth" export -f "${format%+*}" "$name.acp" -o file 2>&1)
  files=(file)
  if [ "$format" != "${format%+*}" ]; then
    "$berth" export -f "${format/+/-}" "$name.acp" -o second 2> /dev/null
    files+=(second)
  fi
  rm -f back.acp
  "$berth" import -f "${format%+*}" "${files[@]}" --ranks 4 -o back.acp 2> /dev/null
  found="$(kept "$name" levels)|$(kept "$name" levels testbed limits)|$said"
  check "$name, $format: found $found" \
    [ "$found" = "$there|$everywhere|${lost:+berth export: file has no place for $lost}" ]
done << 'TABLE'
alike|sqlite|all|all|
alike|csv|all|all|
alike|matrix-market|all|all|
alike|matrix-market+messages|all|all|
alike|matrix|all|all|
alike|metis|all|all|
alike|scotch|all|all|
sited|sqlite|all|all|
sited|csv|all|all|call sites
sited|matrix-market|all|all|call sites
sited|matrix-market+messages|all|all|call sites
sited|matrix|all|all|call sites
sited|metis|all|all|call sites
sited|scotch|all|all|call sites
packed|sqlite|all|all|
packed|csv|all|all|layouts of messages
packed|scotch|all|all|layouts of messages
timed|sqlite|all|all|
timed|csv|all|all|ranks' times and hosts
timed|metis|all|all|ranks' times and hosts
calls|sqlite|all|all|
calls|csv|none|none|ranks' times and hosts, collective operations, one-sided operations
calls|matrix-market|none|none|ranks' times and hosts, collective operations, one-sided operations
calls|matrix-market+messages|none|none|ranks' times and hosts, collective operations, one-sided operations
calls|matrix|none|none|ranks' times and hosts, collective operations, one-sided operations
calls|metis|none|none|ranks' times and hosts, collective operations, one-sided operations
calls|scotch|none|none|ranks' times and hosts, collective operations, one-sided operations
repeated|sqlite|all|all|
repeated|csv|all|all|
repeated|matrix-market|all|none|phases, numbers of messages
repeated|matrix-market+messages|all|all|phases, numbers of messages
repeated|matrix|all|none|phases, numbers of messages
repeated|metis|all|none|phases, numbers of messages
repeated|scotch|all|none|phases, numbers of messages
self|sqlite|all|all|
self|csv|all|all|
self|matrix-market|all|all|
self|matrix-market+messages|all|all|
self|matrix|all|all|
self|metis|all|all|what ranks send to themselves
self|scotch|all|all|what ranks send to themselves
directed|sqlite|all|all|
directed|csv|all|all|
directed|matrix-market|all|all|
directed|matrix-market+messages|all|all|
directed|matrix|all|all|
directed|metis|sum|none|directions
directed|scotch|sum|none|directions
idle|sqlite|all|all|
idle|csv|all|all|ranks without traffic at the end
idle|matrix-market|all|all|
idle|matrix-market+messages|all|all|
idle|matrix|all|all|
idle|metis|all|all|
idle|scotch|all|all|
counted|sqlite|all|all|
counted|csv|all|all|
counted|matrix-market|all|none|numbers of messages
counted|matrix-market+messages|all|all|numbers of messages
counted|matrix|all|none|numbers of messages
counted|metis|all|none|numbers of messages
counted|scotch|all|none|numbers of messages
sizes|sqlite|all|all|
sizes|csv|all|all|
sizes|matrix-market|all|none|numbers of messages, sizes of messages
sizes|matrix-market+messages|all|none|numbers of messages, sizes of messages
sizes|matrix|all|none|numbers of messages, sizes of messages
sizes|metis|all|none|numbers of messages, sizes of messages
sizes|scotch|all|none|numbers of messages, sizes of messages
binned|sqlite|all|all|
binned|csv|all|all|
binned|matrix-market|bound flow|none|numbers of messages, sizes of messages
binned|matrix-market+messages|bound flow|bound flow|numbers of messages, sizes of messages
binned|matrix|bound flow|none|numbers of messages, sizes of messages
binned|metis|bound flow|none|numbers of messages, sizes of messages
binned|scotch|bound flow|none|numbers of messages, sizes of messages
empty|sqlite|all|all|
empty|csv|all|all|
empty|matrix-market|all|none|numbers of messages, messages without bytes
empty|matrix-market+messages|all|all|numbers of messages, messages without bytes
empty|matrix|all|none|numbers of messages, messages without bytes
empty|metis|port bound flow|none|numbers of messages, messages without bytes
empty|scotch|port bound flow|none|numbers of messages, messages without bytes
phased|sqlite|all|all|
phased|csv|all|all|
phased|matrix-market|sum|sum|phases
phased|matrix-market+messages|sum|sum|phases
phased|matrix|sum|sum|phases
phased|metis|sum|sum|phases
phased|scotch|sum|sum|phases
ordered|sqlite|all|all|
ordered|csv|port bound sum|port bound sum|the order of sends, ranks without traffic at the end
ordered|matrix-market|port bound sum|none|numbers of messages, the order of sends
ordered|matrix-market+messages|port bound sum|port bound sum|numbers of messages, the order of sends
ordered|matrix|port bound sum|none|numbers of messages, the order of sends
ordered|metis|port bound sum|none|numbers of messages, the order of sends
ordered|scotch|port bound sum|none|numbers of messages, the order of sends
TABLE

# every exporter stands in the table
listed=$("$berth" export --help | sed -n '/^Formats:/,$p' | awk '/^  / { print $1 }')
check "formats are listed: $listed" [ "$(wc -w <<< "$listed")" -ge 7 ]
for format in $listed; do
  check "$format is in the table" grep -qE "^counted\|([a-z-]*\+)?${format#matrix-market-}\|" \
    "$BERTH_SOURCE_DIR/tests/exchange/round_trips.sh"
done

# the whole of patterns with several phases, sites and sizes, on machines of their own
for pattern in "$data"/cases/*.acp; do
  case=$(basename "$pattern" .acp)
  cp "$data/cases/$case.mapping.json" m.json
  cost[$case $data/cases/$case.topo]=$(costs "$pattern" "$data/cases/$case.topo.json")
  for format in sqlite csv; do
    "$berth" export -f $format "$pattern" -o file 2> /dev/null
    "$berth" import -f $format file -o back.acp --ranks "$(sed -n '1s/.*"ranks": *\([0-9]*\).*/\1/p' "$pattern")" 2> said
    check "$case, $format" [ "$(kept "$case" "$data/cases/$case.topo")" = all ]
  done
done
finish
