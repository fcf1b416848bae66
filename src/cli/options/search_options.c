/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/search_options.h"

#include <limits.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options/inputs.h"

enum {
  OPT_OBJECTIVE = 2048,
  OPT_SUM_SHARE,
  OPT_QUALITY,
  OPT_SEED,
  OPT_THREADS,
  OPT_TIME_LIMIT,
  OPT_ITERATIONS,
  OPT_MIN_GAIN,
  OPT_FROM,
  OPT_MOVE_PRICE,
  OPT_MOVES,
  OPT_STABLE
};

static const struct argp_option option_table[] = {
    {"objective", OPT_OBJECTIVE, "MODEL", 0,
     "What searches and best go by: port (default), bound, sum or flow; see berth-cost.", 0},
    {"sum-share", OPT_SUM_SHARE, "PERCENT", 0,
     "The share of model sum in the objective (default 0); linear counts the same in both.", 0},
    {"quality", OPT_QUALITY, "NAME", 0,
     "How much work goes into a placement: fast, eco (default) or strong.", 0},
    {"time-limit", OPT_TIME_LIMIT, "SECONDS", 0,
     "End the search then, counted from when the files are read (0: never); what it finds depends "
     "on the machine's speed.",
     0},
    {"iterations", OPT_ITERATIONS, "N", 0,
     "Tries of each search (default: as many as the quality asks for).", 0},
    {"seed", OPT_SEED, "N", 0, "Seed of the random numbers (default 1).", 0},
    {"threads", OPT_THREADS, "N", 0,
     "Threads to work with (default 1); the result doesn't depend on it, but for --time-limit.", 0},
    {"min-gain", OPT_MIN_GAIN, "PERCENT", 0,
     "best leaves ranks as they are (linear, or --from) where less would be gained (default 1).",
     0},
    {"from", OPT_FROM, "MAPPING", 0,
     "Where ranks are now, by the numbers of this topology's PUs. Ranks whose PU can't be used any "
     "more are nowhere.",
     0},
    {"move-price", OPT_MOVE_PRICE, "SECONDS", 0,
     "What it costs to move a rank from there; added to the objective.", 0},
    {"moves", OPT_MOVES, "N", 0,
     "Move at most N ranks from there (default: any number). A rank whose PU --pin gives to "
     "another one counts; ranks that --from doesn't place don't.",
     0},
    {"stable", OPT_STABLE, NULL, 0,
     "Ranks that can stay where --from has them do so, unless a --move-price is worth it.", 0},
    {0}};

/* The options about where ranks are now. */
static error_t parse_from(int key, char *arg, struct argp_state *state)
{
  inputs_t *in = state->input;
  switch (key) {
  case OPT_FROM:
    in->from_path = arg;
    break;
  case OPT_MOVE_PRICE:
    in->map.move_price_s = cli_seconds(state, "--move-price", arg);
    break;
  case OPT_MOVES:
    in->map.most_moves = (int)cli_number(state, "--moves", arg, 0, INT_MAX);
    break;
  case OPT_STABLE:
    in->map.stable = 1;
    break;
  case ARGP_KEY_END:
    if (!in->from_path && (in->map.move_price_s > 0 || in->map.stable || in->map.most_moves >= 0))
      argp_error(state, "%s: found no --from, expected the mapping that ranks are placed by",
                 in->map.stable            ? "--stable"
                 : in->map.most_moves >= 0 ? "--moves"
                                           : "--move-price");
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  inputs_t *in = state->input;
  switch (key) {
  case OPT_OBJECTIVE:
    in->map.objective = inputs_model(state, "--objective", arg);
    break;
  case OPT_SUM_SHARE:
    in->map.sum_share = cli_percent(state, "--sum-share", arg, true);
    break;
  case OPT_QUALITY:
    in->map.quality = inputs_quality(state, arg);
    break;
  case OPT_TIME_LIMIT:
    in->map.time_limit_s = cli_seconds(state, "--time-limit", arg);
    break;
  case OPT_ITERATIONS:
    in->map.iterations = cli_number(state, "--iterations", arg, 1, UINT64_MAX);
    break;
  case OPT_SEED:
    in->map.seed = cli_number(state, "--seed", arg, 0, UINT64_MAX);
    break;
  case OPT_THREADS:
    in->map.threads = (int)cli_number(state, "--threads", arg, 1, 4096);
    break;
  case OPT_MIN_GAIN:
    in->map.min_gain = cli_percent(state, "--min-gain", arg, true);
    break;
  default:
    return parse_from(key, arg, state);
  }
  return 0;
}

const struct argp search_argp = {.options = option_table, .parser = parse_option};
