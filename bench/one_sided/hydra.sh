#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hydra.sh [OPTION]… HOST WORD…: what MPICH's mpiexec takes for ssh on a testbed.
while [ "${1#-}" != "$1" ]; do shift; done
exec "$BERTH_TESTBED_STATE/agent.sh" "$@"
