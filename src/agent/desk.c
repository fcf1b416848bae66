/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/desk.h"

size_t desk_bytes(int ranks, int agents)
{
  return sizeof(desk_t) + (size_t)agents * DESK_ADDRESS + (size_t)ranks * sizeof(desk_rank_t);
}
