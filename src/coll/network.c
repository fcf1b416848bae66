/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/network.h"

#include "coll/coll_tags.h"

#define UNKNOWN 1e9 /* bytes per second */

_Static_assert((int)CHOOSE_SMALL == JOB_NETWORK_SMALL && (int)CHOOSE_LARGE == JOB_NETWORK_LARGE,
               "choose_half takes times of these messages");

void network_measure(coll_job_t *j)
{
  job_network_t n = job_network_measure(&j->hosts, j->rank, j->n, j->own, TAG_NETWORK);
  double byte = job_network_byte(&n);
  j->half = choose_half(n.small, n.large);
  j->bandwidth = byte > 0 ? 1 / byte : UNKNOWN;
}
