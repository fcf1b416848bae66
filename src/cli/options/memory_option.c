/* SPDX-License-Identifier: BSD-3-Clause */
/* --memory. */
#include "cli/options/memory_option.h"

#include <berth/memory.h>

static void take_memory(struct argp_state *state, const option_t *o, char *arg, void *all)
{
  (void)all;
  uint64_t size;
  option_size(state, o, arg, &size);
  if (size >= o->min && size <= o->max) berth_set_memory(size);
}

static const option_t options[] = {
    {"--memory", take_memory, 0, 0, 1 << 20, UINT64_C(1) << 50, true}, {0}};

const option_table_t memory_option = {options, NULL};
