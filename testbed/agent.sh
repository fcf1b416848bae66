#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# agent.sh HOST WORD…: what Open MPI takes for ssh: the words make one shell command.
host=$1
shift
exec "$(dirname "$0")/enter.sh" "$host" sh -c "$*"
