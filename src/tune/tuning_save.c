/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a tuning (docs/formats/tuning.md). */
#include <berth/tuning.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_out.h"
#include "base/times_json.h"

/* A measured number, in as many digits as it has; missing if it is below 0. */
static void put_known(json_out_t *j, const char *key, double value)
{
  char text[32];
  snprintf(text, sizeof text, "%.5g", value);
  if (value >= 0) json_put_number(j, key, strtod(text, NULL));
}

static void put_choice(json_out_t *j, const berth_tuned_choice_t *c)
{
  json_open(j, NULL, '{', JSON_ONE_LINE);
  json_put_string(j, "algorithm", c->algorithm);
  if (c->segment) json_put_u64(j, "segment_bytes", c->segment);
  if (c->overlap) json_put_u64(j, "overlap_bytes", c->overlap);
  if (c->degree) json_put_u64(j, "degree", (uint64_t)c->degree);
  put_known(j, "predicted_s", c->predicted_s);
  put_known(j, "measured_s", c->measured_s);
  put_known(j, "relative_error", c->error);
  if (berth_histogram_times(&c->times)) times_put(j, "histogram", &c->times);
  json_close(j);
}

static void put_cell(json_out_t *j, const berth_tuned_cell_t *c)
{
  json_open(j, NULL, '{', JSON_LINES);
  json_put_string(j, "operation", c->operation);
  json_put_u64(j, "ranks", (uint64_t)c->ranks);
  if (c->hosts) json_put_u64(j, "hosts", (uint64_t)c->hosts);
  json_put_u64(j, "bytes", c->bytes);
  if (c->calls) json_put_u64(j, "calls", c->calls);
  put_known(j, "within_s", c->within_s);
  if (c->settled) json_put_bool(j, "settled", true);
  if (c->members) json_put_ints(j, "members", JSON_ONE_LINE, c->members, (size_t)c->ranks);
  json_open(j, "choices", '[', JSON_LINES);
  for (int i = 0; i < c->n_choices; i++) put_choice(j, &c->choice[i]);
  json_close(j);
  json_close(j);
}

static void put_epochs(json_out_t *j, const berth_tuned_epochs_t *e)
{
  json_open(j, NULL, '{', JSON_ONE_LINE);
  json_put_u64(j, "ranks", (uint64_t)e->ranks);
  json_put_u64(j, "hosts", (uint64_t)e->hosts);
  json_put_u64(j, "targets", e->targets);
  put_known(j, "bytes", e->bytes);
  put_known(j, "fill_s", e->fill_s);
  json_put_u64(j, "message_bytes", e->message);
  put_known(j, "early", e->early);
  json_close(j);
}

static void put_one_sided(json_out_t *j, const berth_tuning_t *t)
{
  if (t->message_s <= 0 && t->n_epochs == 0) return;
  json_open(j, "one_sided", '{', JSON_LINES);
  if (t->message_s > 0) put_known(j, "message_s", t->message_s);
  json_open(j, "epochs", '[', JSON_LINES);
  for (size_t i = 0; i < t->n_epochs; i++) put_epochs(j, &t->epochs[i]);
  json_close(j);
  json_close(j);
}

int berth_tuning_save(const berth_tuning_t *t, const char *path, berth_error_t *err)
{
  json_out_t j;
  int rc = json_begin(&j, path, "berth-tuning", err);
  if (rc) return rc;
  json_put_u64(&j, "ranks", (uint64_t)t->ranks);
  if (*t->mpi) json_put_string(&j, "mpi", t->mpi);
  if (t->agents) json_put_bool(&j, "agents", true);
  if (t->half > 0) json_put_number(&j, "half_bytes", t->half);
  if (t->bandwidth > 0) put_known(&j, "bytes_per_s", t->bandwidth);
  if (t->seconds > 0) put_known(&j, "measured_in_s", t->seconds);
  json_open(&j, "cells", '[', JSON_LINES);
  for (size_t i = 0; i < t->n; i++) put_cell(&j, &t->cell[i]);
  json_close(&j);
  put_one_sided(&j, t);
  json_close(&j);
  return out_commit(j.out, err);
}
