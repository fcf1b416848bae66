#!/usr/bin/env bash
# shellcheck disable=SC1091,SC2154
# The pipelines of examples/ci, as far as they can be run without the services: their steps in a
# repository as examples/ci/README.md lays it out, all but those that install. They pass as they
# are, fail where the program sends more, and have no verdict for another machine.
. "$BERTH_SOURCE_DIR/tests/examples/lib.sh"
example=$BERTH_SOURCE_DIR/examples/ci
python3 -c 'import yaml' 2> /dev/null || { echo "skipped: no python3-yaml"; exit 77; }
openmpi_in_path

cat > steps.py <<'PY'
"""steps.py github|gitlab FILE JOB: the job's own commands as a script, with its variables."""
import shlex, sys, yaml
kind, path, name = sys.argv[1:]
document = yaml.safe_load(open(path))
job = document["jobs"][name] if kind == "github" else document[name]
variables = job["env"] if kind == "github" else document["variables"]
if kind == "github":
    assert "push" in document[True] # YAML 1.1 takes "on" for true
    run = [s["run"] for s in job["steps"] if "run" in s and not s["name"].startswith("Install")]
    assert any("actions/checkout" in s.get("uses", "") for s in job["steps"])
else:
    run = job["script"]
    assert job["allow_failure"]["exit_codes"] == 5
    assert job["artifacts"]["reports"]["junit"] in " ".join(run)
print("set -eo pipefail")
for key, value in variables.items(): print(f"export {key}={shlex.quote(str(value))}")
print("\n".join(run))
PY

repository() { # NAME: as the README says
  mkdir -p "$1/berth" "$1/.github/workflows"
  cp "$example"/{topology.json,baseline.acp,pattern.acp} "$1/berth"
  cp "$BERTH_SOURCE_DIR/examples/ladder/ladder.c" "$1"
  cp "$example/github.yml" "$1/.github/workflows/berth.yml"
  cp "$example/gitlab.yml" "$1/.gitlab-ci.yml"
}
job() { # REPOSITORY KIND JOB: its exit code, with what it prints in out
  local file=.gitlab-ci.yml
  [ "$2" = github ] && file=.github/workflows/berth.yml
  python3 steps.py "$2" "$1/$file" "$3" > script || return 99
  (cd "$1" && bash ../script) > out 2> err
}
junit() { python3 -c '
import sys, xml.etree.ElementTree as xml
suites = xml.parse(sys.argv[1]).getroot()
sys.exit([suites.get(k) for k in ("failures", "errors")] != sys.argv[2:])' "$@"; }
expect_job() { # CODE LINE REPOSITORY KIND JOB
  job "${@:3}"
  check "$3 $4 $5: exit code" [ $? = "$1" ]
  check "$3 $4 $5: $2" grep -qE "$2" out
}

# what is documented is what is here
for file in github.yml gitlab.yml; do
  check "docs/check.md has $file" cmp -s "$example/$file" \
    <(awk -v first="$(head -1 "$example/$file")" '/^```/ { inside = 0 } $0 == first { inside = 1 }
      inside' "$BERTH_SOURCE_DIR/docs/check.md")
done
# what they install with is there
for preset in $(grep -ohE 'preset [a-z-]+' "$example"/*.yml | awk '{print $2}' | sort -u); do
  check "preset $preset" grep -q "\"name\": \"$preset\"" "$BERTH_SOURCE_DIR/CMakePresets.json"
done
check "install-packages.sh" [ -x "$BERTH_SOURCE_DIR/install-packages.sh" ]

repository as-it-is
for kind in github gitlab; do
  for name in recorded committed; do expect_job 0 '^within: 109.8 ms' as-it-is $kind $name; done
done
check "as it is: junit" junit as-it-is/berth-check.xml 0 0

# the largest messages are a hundredth larger
repository larger
sed -i 's/read_int(argv\[1\], 8)/& * 101 \/ 100/' larger/ladder.c
check "the program was changed" eval '! cmp -s larger/ladder.c as-it-is/ladder.c'
expect_job 1 '^worse: 110[.]. ms, was 109.8 ms [(][+]0.987%[)]' larger github recorded
check "larger: the call site" grep -qE '^      810 B more in as many messages at MPI_Isend  exchange ladder.c:[0-9]+' out
check "larger: an annotation" grep -qE '^::error file=ladder.c,line=[0-9]+,title=berth check%3A worse::worse: 110' out
expect_job 1 '^worse: ' larger gitlab recorded
check "larger: junit" junit larger/berth-check.xml 1 0

# another machine
repository elsewhere
sed -i 's/"first": 5, "repeat": 3/"first": 5, "repeat": 4/' elsewhere/berth/topology.json
expect_job 5 '^no verdict: found topology ' elsewhere github recorded
check "elsewhere: a warning" grep -q '^::warning ' out
expect_job 5 '^no verdict: ' elsewhere gitlab committed
check "elsewhere: junit" junit elsewhere/berth-check.xml 0 1
finish
