#!/usr/bin/env bash
# Calls that are composed of parts on hosts do what their operation says.
. "$BERTH_SOURCE_DIR/tests/cli/lib.sh"
check "every rank learns what it must" python3 -B "$BERTH_SOURCE_DIR/tests/schedule/by_hosts.py" "$berth"
finish
