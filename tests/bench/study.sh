#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2016,SC2034,SC2154
# The ranking study from end to end on a few cases: the rule that predictions are committed before
# anything is measured, an interruption, and the judgement.
. "$BERTH_SOURCE_DIR/tests/testbed/lib.sh"
for tool in python3 git; do command -v $tool >/dev/null || skip "$tool is missing"; done
export PYTHONDONTWRITEBYTECODE=1 GIT_CONFIG_GLOBAL=/dev/null
ranking() { python3 "$BERTH_SOURCE_DIR/bench/ranking/ranking" "$@"; }
study=$work/study
lines() { grep -c '"placement"' "$study/$1"; }
refused() { # TEXT: measuring is refused with it
  ranking measure "$study" --build "$BERTH_BUILD_DIR" 2>&1 | grep -qF -- "$1"
}

patterns=sparse,ladder cases=4
all_rounds || patterns=sparse cases=2
check "cases" ranking make-cases 77 "$study" --placements 2 --patterns $patterns 2>/dev/null
cp -r "$study" "$work/again"
ranking make-cases 77 "$work/again" --placements 2 --patterns $patterns 2>/dev/null
check "the same seed, the same cases" diff -r "$study" "$work/again"
check "$cases cases" [ "$(lines cases.jsonl)" = $cases ]
check "berth reads the patterns" eval '"$berth" map --pattern "$study/sparse.acp" \
  --topology "$BERTH_SOURCE_DIR/testbed/topology.json" >/dev/null'
usage() { # LINE ARGUMENT…
  ranking "${@:2}" >"$work/said" 2>&1
  check "usage exits 2: ${*:2}" [ $? = 2 ]
  tail -n 1 "$work/said" >"$work/line"
  check "usage: $1" grep -qF -- "error: argument $1" "$work/line"
}
for n in 0 -1; do
  usage "--placements: found '$n', expected a whole number from 1" \
    make-cases 1 "$work/none" "--placements=$n"
done
usage "--patterns: found 'foo', expected names from halo-periodic, " \
  make-cases 1 "$work/none" --patterns ladder,foo
usage "--models: found 'foo', expected names from port, bound, " predict "$study" --models foo
usage "--largest: found 'foo', expected names from port, bound, " judge "$study" --largest foo
usage "--again: found '-1', expected a whole number from 0" measure "$study" --again=-1 --trial
check "no folder is made" [ ! -e "$work/none" ]
says() { # LINE ARGUMENT…
  ranking "${@:2}" >"$work/said" 2>&1
  check "bad input exits 3: ${*:2}" [ $? = 3 ]
  check "bad input: $1" grep -qxF -- "ranking: $1" "$work/said"
}
mkdir "$work/bad-cases" && echo '{' >"$work/bad-cases/cases.jsonl"
says "/dev/null: cannot make the folder: File exists" make-cases 1 /dev/null
says "$work/none/cases.jsonl: No such file or directory" predict "$work/none"
says "$work/bad-cases/cases.jsonl:1: not valid JSON: Expecting property name enclosed in double quotes: line 2 column 1 (char 2)" \
  predict "$work/bad-cases"
says "$work/bad-cases/cases.jsonl: not valid JSON: Expecting property name enclosed in double quotes: line 2 column 1 (char 2)" \
  predict "$study" --topology "$work/bad-cases/cases.jsonl"
check "nothing to measure yet" refused "predictions come before measurements"

wanted=port,bound,hop-bytes,inter-host
command -v smpirun >/dev/null && wanted=$wanted,smpi,smpi-cm02
check "predictions" ranking predict "$study" --build "$BERTH_BUILD_DIR" --models $wanted 2>/dev/null
python3 - "$study/predictions.jsonl" $wanted >"$work/bad" <<'PYTHON'
import json, sys
header, *lines = map(json.loads, open(sys.argv[1]))
wanted = set(sys.argv[2].split(","))
for line in lines:
    p = line["predicted"]
    if set(p) != wanted or not 0 < p["bound"] <= p["port"] * 1.000001 < 5: print(line)
    if not 0 < p["inter-host"] <= p["hop-bytes"] / 2: print(line)
    if "smpi" in p and not 0.5 < p["smpi"] / p["port"] < 2: print(line)
PYTHON
check "each has every model, and they fit together" [ ! -s "$work/bad" ]
cat "$work/bad"

git -C "$study" init -q
git -C "$study" config user.name test
git -C "$study" config user.email test@localhost
check "not committed" refused "cases.jsonl: not committed"
git -C "$study" add cases.jsonl
git -C "$study" commit -qm cases
check "predictions not committed" refused "predictions.jsonl: not committed"
git -C "$study" add predictions.jsonl
git -C "$study" commit -qm predictions
echo >>"$study/predictions.jsonl"
check "changed since" refused "predictions.jsonl: differs from what was committed"
git -C "$study" add predictions.jsonl
check "changed and staged" refused "predictions.jsonl: differs from what was committed"
git -C "$study" reset -q --hard
cp "$study/sparse.acp" "$work/sparse.acp"
sed -i 's/"src":0/"src":1/' "$study/sparse.acp"
check "another pattern" refused "its hash differs"
cp "$work/sparse.acp" "$study/sparse.acp"

[ "$(id -u)" -eq 0 ] || { finish; exit; }
up_or_skip
"$testbed" down
check "measured" ranking measure "$study" --build "$BERTH_BUILD_DIR" --again 1 2>"$work/said"
check "$cases cases and one again" [ "$(lines measurements.jsonl)" = $((cases + 1)) ]
cp "$study/measurements.jsonl" "$work/whole.jsonl"
head -n $cases "$work/whole.jsonl" >"$study/measurements.jsonl"
sed -n $((cases + 1))p "$work/whole.jsonl" | head -c 30 >>"$study/measurements.jsonl"
check "goes on after an interruption" \
  ranking measure "$study" --build "$BERTH_BUILD_DIR" 2>"$work/said"
check "with the one that was missing" grep -qx "cases to measure: 1" "$work/said"
check "$cases cases" [ "$(lines measurements.jsonl)" = $cases ]
check "judged" ranking judge "$study" --largest port >"$work/judged"
check "a line for each model" \
  [ "$(grep -cE '^(port|bound|hop-bytes\*|inter-host\*) +'"$cases"' ' "$work/judged")" -ge 4 ]
sed -i 's/"port":/"prot":/' "$study/predictions.jsonl"
check "other predictions are not judged" eval '! ranking judge "$study" 2>/dev/null >&2'
finish
