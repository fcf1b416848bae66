# shellcheck shell=bash
# Sourced by the tests of agents.
. "$BERTH_SOURCE_DIR/tests/coll/lib.sh"
here=$BERTH_SOURCE_DIR/tests/agents

# Agents that this test's jobs have started: they have its folder in their environment.
agents() {
  local process
  for process in $(pgrep -x berth-agent); do
    tr '\0' '\n' < "/proc/$process/environ" | grep -qx "BERTH_GROUPS=$work/groups.json" &&
      echo "$process"
  done 2> none
}
# groups_of HOSTS: ranks are on such hosts, which have agents.
groups_of() {
  python3 -IS "$BERTH_SOURCE_DIR/tests/coll/groups.py" "$1" > groups.json
  coll=(BERTH_AGENTS=1 "BERTH_GROUPS=$work/groups.json")
}
# begun AGENTS MPI N COMMAND…: starts a job and waits until its calls are under way, with so many agents.
# `job` is its process, and `said` has what the library said.
begun() {
  local n=$1; shift
  rm -f out said
  SAID=$work/said served "$@" > out &
  # shellcheck disable=SC2034
  job=$!
  for _ in $(seq 400); do
    grep -q begun out 2> none && [ "$(agents | wc -l)" = "$n" ] && break
    sleep 0.05
  done
  sleep 0.1
}
