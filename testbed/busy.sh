#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# busy.sh [LOAD CORES]: says so in one sentence when this machine had more to do than cores in the last
# minute, the same as src/base/machine_load.h. Ask before you start what you measure: it counts, too.
read -r load _ </proc/loadavg || exit 0
awk -v load="${1:-$load}" -v cores="${2:-$(nproc --all)}" 'BEGIN {
  if (load > cores)
    printf "this machine had more running processes than cores before this began (load %.1f, %d core%s): " \
           "measured times may be too long\n", load, cores, cores == 1 ? "" : "s"
}'
