/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/reserve_view.h"

#include <stdlib.h>

#include "base/text.h"
#include "pattern/pattern_core_wait.h"

static void print_case(FILE *to, const char *what, const berth_reserve_case_t *c)
{
  char total[TEXT_NUMBER], low[TEXT_NUMBER], high[TEXT_NUMBER], noise[TEXT_NUMBER];
  fprintf(to, "note: %s: %s (%s to %s) with %d rank%s, of which noise takes %s\n", what,
          text_seconds(c->total_s, total), text_seconds(c->low_s, low),
          text_seconds(c->high_s, high), c->ranks, c->ranks == 1 ? "" : "s",
          text_seconds(c->noise_s, noise));
}

static const char *verdict_name(const berth_reserve_t *r)
{
  static const char *const names[] = {[BERTH_RESERVE_NONE] = "all",
                                      [BERTH_RESERVE_ONE] = "spare",
                                      [BERTH_RESERVE_UNSURE] = "unsure"};
  return names[r->verdict];
}

void reserve_print(FILE *to, const berth_pattern_t *p, const berth_reserve_t *r)
{
  char *disturbed = pattern_core_wait_text(p);
  if (disturbed) fprintf(to, "note: %s\n", disturbed);
  free(disturbed);
  print_case(to, "all cores", &r->all);
  print_case(to, "one core of each host free", &r->spared);
  if (r->verdict == BERTH_RESERVE_UNSURE)
    fputs("note: the difference is smaller than its uncertainty, so no core is left free\n", to);
  else if (r->verdict == BERTH_RESERVE_NONE)
    fputs("note: no core is left free\n", to);
  else if (r->fits)
    fputs("note: one core of each host is left free\n", to);
  else
    fprintf(to,
            "note: start %d rank%s and leave one core of each host free; %d ranks need all cores\n"
            "note: this placement is of %d ranks; for one of %d, trace a run of %d and use "
            "--reserve 1\n",
            r->spared.ranks, r->spared.ranks == 1 ? "" : "s", r->all.ranks, r->all.ranks,
            r->spared.ranks, r->spared.ranks);
}

static void put_case(json_out_t *j, const char *key, const berth_reserve_case_t *c)
{
  json_open(j, key, '{', JSON_ONE_LINE);
  json_put_u64(j, "ranks", (uint64_t)c->ranks);
  json_put_number(j, "compute_s", c->compute_s);
  json_put_number(j, "imbalance_s", c->imbalance_s);
  json_put_number(j, "communication_s", c->comm_s);
  json_put_number(j, "noise_s", c->noise_s);
  json_put_number(j, "total_s", c->total_s);
  json_put_number(j, "low_s", c->low_s);
  json_put_number(j, "high_s", c->high_s);
  json_close(j);
}

void reserve_put(json_out_t *j, const berth_reserve_t *r)
{
  json_open(j, "reserve_auto", '{', JSON_LINES);
  json_put_string(j, "verdict", verdict_name(r));
  json_put_bool(j, "fits", r->fits != 0);
  json_put_number(j, "collective_calls", r->calls);
  json_put_number(j, "step_s", r->step_s);
  put_case(j, "all", &r->all);
  put_case(j, "spared", &r->spared);
  json_close(j);
}
