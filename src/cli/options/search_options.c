/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of searches, and of where ranks are now. */
#include "cli/options/search_options.h"

#include <limits.h>

#include "cli/options/inputs.h"

static void check(struct argp_state *state, void *all)
{
  const inputs_t *in = all;
  if (!in->from_path && (in->map.move_price_s > 0 || in->map.stable || in->map.max_moves >= 0))
    argp_error(state, "%s: found no --from, expected the mapping that ranks are placed by",
               in->map.stable           ? "--stable"
               : in->map.max_moves >= 0 ? "--moves"
                                        : "--move-price");
}

static const option_t options[] = {
    OPTION_OR_DEFAULT("--model", inputs_model, inputs_t, map.objective),
    OPTION_IN("--sum-share", option_percent, inputs_t, map.sum_share, 0, 0),
    OPTION_OR_DEFAULT("--quality", inputs_quality, inputs_t, map.quality),
    OPTION("--time-limit", option_seconds, inputs_t, map.time_limit_s),
    OPTION_IN("--iterations", option_number, inputs_t, map.iterations, 1, UINT64_MAX),
    OPTION_IN("--seed", option_number, inputs_t, map.seed, 0, UINT64_MAX),
    OPTION_IN_OR_DEFAULT("--threads", option_number, inputs_t, map.threads, 1, 4096),
    OPTION_IN("--min-gain", option_percent, inputs_t, map.min_gain, 0, 0),
    OPTION("--from", option_text, inputs_t, from_path),
    OPTION("--move-price", option_seconds, inputs_t, map.move_price_s),
    OPTION_IN("--moves", option_number, inputs_t, map.max_moves, 0, INT_MAX),
    OPTION("--stable", option_flag, inputs_t, map.stable),
    {0}};

const option_table_t search_options = {options, check};
