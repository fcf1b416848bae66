#!/usr/bin/env bash
# `berth calibrate node` with a launcher: messages whose data lie in blocks, under both MPIs; and what
# follows from it for a traced program.
# shellcheck disable=SC2154
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
[ "$(nproc)" -ge 2 ] || { echo "skipped: two ranks need two cores"; exit 77; }
[ -x "$lib/openmpi/berth-measure" ] || { echo "skipped: built without MPI"; exit 77; }
cd "$work" || exit 1
launcher_of() { [ "$1" = mpich ] && echo mpiexec.mpich || echo mpirun.openmpi; }
calibrate() { "$berth" calibrate node --samples 1 -o node.json "$@"; }
# field FILE EXPRESSION: a Python expression over the file as t
field() { python3 -c 'import json, sys; t = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }
tables='[x for y in t["types"].values() for x in y.get("node", {}).get("strided", [])]'

cat > send.c <<'C'
#include <mpi.h>
static double data[2 * 512 * 16]; /* a column of 512 elements of 8 bytes, 16 apart */
int main(int argc, char **argv)
{
  int rank;
  MPI_Datatype column;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(512, 1, 16, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < 50; i++)
    if (rank == 0)
      MPI_Send(data, 1, column, 1, 0, MPI_COMM_WORLD);
    else
      MPI_Recv(data, 512, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
  MPI_Finalize();
  return 0;
}
C

# A signal ends berth and the job at once, and the file stays.
interrupted() { # LAUNCHER SIGNAL
  cp node.json before.json
  python3 - "$berth" "$1" "$2" <<'PY' 2> err
import signal, subprocess, sys, time
berth, launcher, number = sys.argv[1], sys.argv[2], signal.Signals["SIG" + sys.argv[3]]
p = subprocess.Popen([berth, "calibrate", "node", "-o", "node.json", "--", launcher, "-np", "2"],
                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
secret = None # of the job, which ends the words of its processes
def running():
    global secret
    lines = subprocess.run(["ps", "-eo", "sid,stat,args"], capture_output=True, text=True).stdout.splitlines()
    job = [l.split() for l in lines if "berth-measure " in l and l.split()[1][0] != "Z"]
    secret = secret or next((words[-1] for words in job if words[0] == str(p.pid)), None)
    return [words for words in job if words[-1] == secret]
while p.poll() is None and len(running()) < 3: time.sleep(0.05) # the launcher and its ranks
p.send_signal(number)
said = p.communicate()[1]
sys.stderr.write(said)
sys.exit(p.returncode if not running() else "left: " + str(running()))
PY
}

known=""
for mpi in $mpis; do
  launcher=$(launcher_of "$mpi") known="$known $mpi"
  check "$mpi: measures" calibrate -- "$launcher" -np 2 > out 2> err
  [ "$mpi" = "${known# }" ] || check "$mpi: a finished file gets the messages alone" grep -q 'node.json: 0 of 1[0-9]* steps and messages in blocks measured' out
  check "$mpi: it is a topology still" "$berth" topo check node.json > /dev/null
  is "$mpi: tables of each MPI" "$(field node.json "len({x['mpi'] for x in $tables})")" "$(wc -w <<< "$known")"
  is "$mpi: all ways to pack, sides and gaps" \
    "$(field node.json "len({(x['by'], x['side'], x.get('gap', 0), x.get('exchange', False)) for x in $tables})")" 44
  check "$mpi: topo show has its crossovers" [ "$(grep -c '^Packing under ' out)" = $((2 * $(wc -w <<< "$known"))) ]
  expect 3 "berth calibrate: found 3 ranks, expected 2 on this host" calibrate -- "$launcher" -np 3
  expect 2 "berth calibrate: found program 'hostname' behind the launcher, expected none: berth adds its own" \
    calibrate -- "$launcher" -np 2 hostname
  interrupted "$launcher" TERM
  is "$mpi: a signal ends it" $? 143
  check "$mpi: $(cat err)" grep -q '^berth calibrate: interrupted; node.json has ' err
  check "$mpi: the file stays" cmp node.json before.json
  compile "$mpi" send.c send
  traced "$mpi" 2 sent.acp ./send > /dev/null
  check "$mpi: the trace has the layout" grep -q '"msgs":\[\[4096,512,65416,50\]\]' sent.acp
  "$berth" map --algorithm linear -o linear.json sent.acp node.json > /dev/null
  "$berth" cost --json sent.acp node.json linear.json > cost.json
  is "$mpi: one call site packs" "$(field cost.json '[(s["receives"], s["messages"], s["block"]) for s in t["results"][0]["packing"]["sites"]]')" "[(False, 50, 8)]"
  is "$mpi: its cost is a part of the estimate" \
    "$(field cost.json 't["results"][0]["packing_s"] == t["results"][0]["packing"]["sites"][0]["seconds"]')" True
  check "$mpi: for people, too" grep -q 'packing of derived datatypes' <("$berth" cost sent.acp node.json linear.json)
done
expect 3 "berth calibrate: found 3 ranks, expected 2 on this host" \
  "$berth" calibrate node --samples 1 -o new.json -- "$(launcher_of openmpi)" -np 3
check "that is found before anything is measured" [ ! -e new.json ]
cat > twice << SH
#!/bin/sh
[ -e tried ] && exec $(launcher_of openmpi) -np 3 "\$@"
touch tried
exec $(launcher_of openmpi) -np 2 "\$@"
SH
chmod +x twice
"$berth" calibrate node --samples 1 -o - --mpi openmpi -- ./twice > kept.json 2> err
is "standard output, and a job that fails later: the exit code" $? 3
check "what was measured before is kept" "$berth" topo check kept.json > /dev/null
check "all of it" grep -q '"complete": true' kept.json
sed 's/"mpi":"[^"]*"/"mpi":"Other MPI 1.0"/' sent.acp > other.acp
check "another MPI's cost is unknown" grep -q "packing isn't included for 50 messages or blocks of collective calls: \`berth calibrate node\` hasn't measured it under Other MPI 1.0" \
  <("$berth" cost other.acp node.json linear.json)
finish
