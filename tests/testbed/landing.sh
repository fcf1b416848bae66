# shellcheck shell=bash disable=SC1091,SC2034,SC2154
# Sourced by the tests that start jobs on the testbed's hosts with what `berth write` gives.
. "$BERTH_SOURCE_DIR/tests/testbed/lib.sh"
landing() { python3 -B "$BERTH_SOURCE_DIR/tests/testbed/landing.py" "$@"; }
cd "$work" || exit 1
landing topology "$BERTH_SOURCE_DIR/testbed/topology.json" topology.json

# The program: each rank says where it is.
cat > app <<'SH'
#!/bin/sh
cpus=$(awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status)
echo "seen ${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-$SLURM_PROCID}} $(hostname) $cpus"
SH
chmod +x app

# Mappings: a good one, any one, one of some hosts, and one that leaves CPUs out and shares others.
place() { # NAME ALGORITHM
  "$berth" map --pattern "$BERTH_SOURCE_DIR/examples/ladder/pattern.acp" \
    --topology topology.json --algorithm "$2" --seed 7 --mapping "$1.json" > /dev/null
}
place good greedy
place random random
landing mapping topology.json even.json h6:1 h0:1 h2:0 h6:0 h0:0 h2:1
landing mapping topology.json uneven.json h3:1 h0:0 h6:1 h6:0 h3:1 h0:1 h3:0 h1:1 h6:1

# start FORMAT MAPPING: writes the format and runs the command that berth says, of several the
# first; where every rank landed is in MAPPING.FORMAT. False where berth refuses, which it prints.
start() {
  local line file=$2.$1.file
  line=$("$berth" write --oversubscribe --mapping "$2.json" --topology topology.json \
    "$1=$file" 2>&1) || { echo "$2: $1: $line"; return 1; }
  line=$(sed -n '2s/^  //p' <<< "$line")
  echo "$2: $line" | tee "$2.$1.line"
  eval "$line" > "$2.$1" 2> err || { cat err; return 1; }
}

# columns MAPPING FORMAT…: the formats that were started, as landing.py wants them.
columns() {
  local mapping=$1 format; shift
  for format; do
    [ ! -f "$mapping.${format,,}" ] || echo "$format=$mapping.${format,,}"
  done
}
