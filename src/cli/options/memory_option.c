/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/memory_option.h"

#include <berth/memory.h>
#include <stdint.h>

#include "cli/cli.h"

enum { OPT_MEMORY = 4096 };

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  if (key != OPT_MEMORY) return ARGP_ERR_UNKNOWN;
  berth_set_memory(cli_size(state, "--memory", arg, 1 << 20, UINT64_C(1) << 50));
  return 0;
}

static const struct argp_option option_table[] = {
    {"memory", OPT_MEMORY, "SIZE", 0,
     "Memory that each file may take which is read (default 1GiB). Larger ones are refused.", 0},
    {0}};

static const struct argp argp = {.options = option_table, .parser = parse_option};

const struct argp_child memory_children[] = {{&argp, 0, NULL, 0}, {0}};
