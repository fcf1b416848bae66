/* SPDX-License-Identifier: BSD-3-Clause */
/* What the collective library does by measurements, for the page. */
#include <math.h>
#include <string.h>

#include "base/json_out.h"
#include "base/times_json.h"
#include "report/report_internal.h"

static void put_seconds(json_out_t *j, const char *key, double seconds)
{
  json_put_number(j, key, seconds < 0 ? NAN : seconds);
}

static const berth_tuned_choice_t none = {.measured_s = -1};

static const berth_tuned_choice_t *choice_of_mpi(const berth_tuned_cell_t *c)
{
  for (int i = 0; i < c->n_choices; i++)
    if (strcmp(c->choice[i].algorithm, "mpi") == 0) return &c->choice[i];
  return &none;
}

static void put_times(json_out_t *j, const char *key, const berth_tuned_choice_t *c)
{
  if (berth_histogram_times(&c->times))
    times_put(j, key, &c->times);
  else
    json_put_number(j, key, NAN);
}

static void put_cell(json_out_t *j, const berth_tuned_cell_t *c)
{
  const berth_tuned_choice_t *first = c->n_choices ? c->choice : &none, *theirs = choice_of_mpi(c);
  json_open(j, NULL, '{', JSON_ONE_LINE);
  json_put_string(j, "operation", c->operation);
  json_put_u64(j, "ranks", (uint64_t)c->ranks);
  json_put_u64(j, "hosts", (uint64_t)c->hosts);
  json_put_u64(j, "bytes", c->bytes);
  json_put_u64(j, "calls", c->calls);
  json_put_string(j, "algorithm", c->n_choices ? first->algorithm : NULL);
  json_put_u64(j, "segment_bytes", first->segment);
  json_put_u64(j, "overlap_bytes", first->overlap);
  json_put_u64(j, "degree", (uint64_t)first->degree);
  put_seconds(j, "measured_s", first->measured_s);
  put_times(j, "times", first);
  put_seconds(j, "mpi_s", theirs->measured_s);
  put_times(j, "mpi_times", theirs);
  json_close(j);
}

void report_put_tuning(json_out_t *j, const berth_tuning_t *t)
{
  if (!t) {
    json_put_number(j, "tuning", NAN);
    return;
  }
  json_open(j, "tuning", '{', JSON_LINES);
  json_put_string(j, "mpi", t->mpi);
  json_put_number(j, "measured_in_s", t->seconds);
  json_open(j, "cells", '[', JSON_LINES);
  for (size_t i = 0; i < t->n; i++) put_cell(j, &t->cell[i]);
  json_close(j);
  json_close(j);
}
