#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# enter.sh HOST COMMAND [ARGUMENT]…: becomes the command on a host, in the current folder.
# Works from inside the testbed only: it needs BERTH_TESTBED_STATE and the testbed's /proc.
TMPDIR=$BERTH_TESTBED_STATE/tmp
export TMPDIR
read -r pid <"$BERTH_TESTBED_STATE/$1.pid" || exit 4
shift
# shellcheck disable=SC2016 # the inner shell expands it
exec nsenter --target "$pid" --net --mount --root --uts --ipc -- \
  sh -c 'cd "$1"; shift; exec "$@"' sh "$PWD" "$@"
