#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2154
# The two-dimensional transform: with both MPIs, any number of ranks and all options, all variants find
# the same bits, which agree with the known spectrum. Wrong data and wrong arguments are found. The
# model's pipeline is what a pipeline computed by hand is.
. "$BERTH_SOURCE_DIR/tests/trace/lib.sh"
few_windows
example=$BERTH_SOURCE_DIR/examples/fft2d
cd "$work" || exit 1
echo '#include <fftw3.h>' | cc -E -x c - >/dev/null 2>&1 || { echo "skipped: no fftw3.h"; exit 77; }
for mpi in $mpis; do
  check "it compiles: $mpi" "mpicc.$mpi" -std=c11 -O2 -Wall -Wextra -Werror -pthread -o "fft2d.$mpi" \
    "$example"/*.c -lfftw3 -lm
done
transform() { launch "$1" "$2" "./fft2d.$1" "${@:3}" 2>err </dev/null; } # MPI RANKS ARGUMENT…

# agrees N RANKS VARIANTS: the lines of JSON in `out` are of these variants, and have the checksum of all
# other runs of this size.
cat >agrees.py <<'PYTHON'
import json, pathlib, sys

n, ranks, variants = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].split(",")
found = [json.loads(line) for line in open("out")]
assert [run["by"] for run in found] == variants, found
file = pathlib.Path(f"checksum.{n}")
if not file.exists():
    file.write_text(found[0]["checksum"])
for run in found:
    assert (run["n"], run["ranks"], run["checksum"]) == (n, ranks, file.read_text()), run
    steps = run["first_s"] + run["transpose_s"] + run["second_s"]
    assert abs(run["computing_s"] - steps) < 1e-6 and 0 < steps + run["waiting_s"] < 1.01 * run["seconds"] + 1e-4, run
    assert run["minimum_s"] <= run["seconds"] <= run["maximum_s"] and run["exchange"] is True, run
PYTHON
all=plain,granules,nonblocking,persistent,threads
agree() { # N ARGUMENT…
  local n=$1; shift
  for mpi in $mpis; do
    for ranks in 1 2 4; do
      transform "$mpi" $ranks --by all --json --repeat 2 "$@" "$n" >out
      check "$mpi, $ranks ranks, N $n, $*" python3 agrees.py "$n" $ranks $all
    done
  done
}
agree 64
agree 128 --granules 5 --groups 3 --workers 2 --work static --communicator works --locks spin --slower 3 --sleep --window 1
agree 64 --granules 3 --groups 7 --workers 3 --communicator calls --locks atomic --rows 3 --block 5 --slower 2 --window 2
transform openmpi 2 --by threads,plain --workers 0 --communicator works --groups 2 --json 128 >out
check "the main thread works alone" python3 agrees.py 128 2 threads,plain
transform openmpi 2 --by granules --no-exchange --json 128 >out
check "nothing is sent: no checksum" grep -q '"exchange": false.*"checksum": null' out

# The text has what the JSON has.
transform mpich 2 --by threads 64 >out
line='by=threads n=64 ranks=2 granules=8 groups=1 window=0 slower=1 workers=1 work=dynamic communicator=tests locks=mutex rows=8'
for key in seconds computing first transpose second waiting cpu; do line="$line $key=[0-9.]+s"; done
check "the text" grep -qxE "$line checksum=$(cat checksum.64)" out

# An MPI that changes what it carries: a last bit, which only another variant's checksum shows; half of
# all; and a single number of a column that has no known point.
cat >wrong.c <<'C'
#include <mpi.h>
#include <stdlib.h>
int MPI_Alltoall(const void *from, int n, MPI_Datatype type, void *to, int count, MPI_Datatype to_type, MPI_Comm comm)
{
  int code = PMPI_Alltoall(from, n, type, to, count, to_type, comm);
  double *data = to;
  const char *how = getenv("WRONG");
  if (type != MPI_C_DOUBLE_COMPLEX) return code;
  if (*how == 'b') ((unsigned char *)to)[0] ^= 1;
  if (*how == 'h') for (int i = 0; i < count; i++) data[i] = 0;
  if (*how == 'o') data[2 * 20] += 30;
  return code;
}
C
mpicc.mpich -O1 -w -shared -fPIC -o wrong.so wrong.c || exit 1
wrong() { # HOW LINE
  local code=0
  WRONG=$1 idle=$work/wrong.so transform mpich 2 --by nonblocking,plain 64 >out || code=$?
  is "wrong data: $1: code" $code 1
  check "wrong data: $1: $2" grep -qE "$2" err
  check "wrong data: $1: nothing on standard output" [ ! -s out ]
}
wrong bit '^fft2d: plain: the checksum is [0-9a-f]{16}, expected '"$(cat checksum.64)"'$'
wrong half '^fft2d: plain: the spectrum at \(1, 2\) is .*, expected .*$'
wrong one "^fft2d: plain: the spectrum's energy is .*, expected .*\$"

# The model. A plain transform takes 2 + 1 + 2 + 8 s. In four granules, the first one is on its way after
# 0.5 s, and the network needs 8 s in all and 0.1 s for each further call.
cat >run.json <<'JSON'
{"by": "plain", "n": 1024, "ranks": 4, "first_s": 2, "transpose_s": 1, "second_s": 2, "seconds": 14}
JSON
cat >cost.json <<'JSON'
{"results": [{"phases": [{"name": "rest", "cost_s": 5, "repeats": 1},
  {"name": "MPI_Alltoall of 1 B, 4 ranks: linear, round 1", "of_phase": 0, "cost_s": 0.1, "repeats": 1},
  {"name": "MPI_Alltoall of 1 KiB, 4 ranks: pairwise, round 1", "of_phase": 2, "cost_s": 2, "repeats": 3},
  {"name": "MPI_Alltoall of 1 KiB, 4 ranks: pairwise, round 2", "of_phase": 2, "cost_s": 2, "repeats": 1}]}]}
JSON
cat >model.py <<'PYTHON'
import json, sys

found, expected = json.load(open("out")), [float(word) for word in sys.argv[1:]]
(row,) = found["sizes"]
assert all(abs(a - b) < 1e-9 for a, b in zip([found["call_s"], row["plain_s"], row["overlapped_s"], row["hideable_s"]], expected)), found
PYTHON
modelled() { # EXPECTED… -- ARGUMENT…
  local expected=()
  while [ "$1" != -- ]; do expected+=("$1"); shift; done; shift
  python3 -B "$example/model.py" --json "$@" run.json cost.json 1024 >out
  check "the model: $*" python3 model.py "${expected[@]}"
}
# 0.5 + 8.3 for the exchange, 0.25 for the last granule's transposition, 2 for the columns
modelled 0.1 13 11.05 2.25 -- --granules 4
# The last piece but one comes after 0.5 + 7.3, is transposed in 0.125, and its columns take 1. The last
# one has come meanwhile, and takes 0.125 and 1.
modelled 0.1 13 10.05 3.375 -- --granules 4 --groups 2
modelled 0.1 14 12.05 2.25 -- --granules 4 --measured
modelled 0.1 13 13 0 -- --granules 1
python3 -B "$example/model.py" --granules 4 run.json cost.json >out
check "the model's text" grep -q '^overlapping is at least as fast from N ' out
expect 1 "model.py: nowhere.json: No such file or directory, expected the output of fft2d --json" \
  python3 -B "$example/model.py" nowhere.json cost.json

transform openmpi 1 --help >help
check "--help" grep -q '^usage: fft2d ' help
grep -oE '^  --[a-z-]+' help | tr -d ' ' >options
check "--help has 17 options" [ "$(wc -l <options)" = 17 ]
while read -r option; do
  check "README.md has $option" grep -qF -- "$option" "$example/README.md"
done < <(grep -v -- --help options)

refused() { # LINE RANKS ARGUMENT…
  local code=0
  transform mpich "${@:2}" >out || code=$?
  is "refused: ${*:2}: code" $code 2
  is "refused: ${*:2}" "$(cat err)" "fft2d: $1"
  check "refused: ${*:2}: nothing on standard output" [ ! -s out ]
}
refused "N is missing; see fft2d --help" 1 --json
refused "N '4', expected a whole number from 8 to 32768" 1 4
refused "N 'x', expected a whole number from 8 to 32768" 1 x
refused "found '65' after N, expected nothing" 1 64 65
refused "N 64 for 3 ranks, expected a multiple of the number of ranks" 3 64
refused "--granules 33 for 32 rows a rank, expected at most 32" 2 --by granules --granules 33 64
refused "--groups 33 for 32 rows a rank, expected at most 32" 2 --by threads --groups 33 64
refused "--granules '0', expected a whole number from 1 to 4096" 1 --granules 0 64
refused "--repeat '1e3', expected a whole number from 1 to 1000" 1 --repeat 1e3 64
refused "--by 'plane', expected plain, granules, nonblocking, persistent or threads, a list of them with commas, or all" \
  1 --by plane 64
refused "--work 'none', expected dynamic or static" 1 --work none 64
refused "--locks 'x', expected mutex, spin or atomic" 1 --locks x 64
refused "--communicator has no value, expected one" 1 64 --communicator
refused "--workers 0, expected at least 1, or --communicator works" 1 --workers 0 64
refused "unknown option '--granule'; see fft2d --help" 1 --granule 3 64
finish
