/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/rma_tuning.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "job/reader.h"
#include "job/say.h"
#include "rma/rma.h"

enum { SHAPES = 16 }; /* of windows: more are left out */

/* Of all windows of one shape. */
typedef struct shape {
  int ranks, hosts;
  uint64_t targets, early; /* of these: the last message goes with the last operation */
  uint64_t least, most;    /* bytes of messages, */
  double messages;         /* and their sum */
  double bytes;            /* of epochs: the sum */
  double fills, filled;    /* the sum of the known ones, and how many these are */
} shape_t;

static shape_t own[SHAPES];
static berth_tuned_epochs_t told[SHAPES]; /* by earlier jobs */

static shape_t *shape_of(shape_t *list, int ranks, int hosts)
{
  for (int i = 0; i < SHAPES; i++) {
    if (list[i].targets > 0 && (list[i].ranks != ranks || list[i].hosts != hosts)) continue;
    if (list[i].targets == 0)
      list[i] = (shape_t){.ranks = ranks, .hosts = hosts, .least = UINT64_MAX};
    return &list[i];
  }
  return NULL;
}

static void join(shape_t *to, const shape_t *from)
{
  to->targets += from->targets;
  to->early += from->early;
  to->least = from->least < to->least ? from->least : to->least;
  to->most = from->most > to->most ? from->most : to->most;
  to->messages += from->messages;
  to->bytes += from->bytes;
  to->fills += from->fills;
  to->filled += from->filled;
}

/* --- from earlier jobs --- */

typedef struct known {
  double byte, message;
  berth_tuned_epochs_t epochs[SHAPES];
} known_t;

static void read_file(known_t *k)
{
  berth_tuning_t t;
  const char *path = getenv("BERTH_TUNING");
  if (!reader_load_tuning("BERTH_TUNING", path, rma_job.n, &t)) return;
  if (t.bandwidth > 0) k->byte = 1 / t.bandwidth;
  k->message = t.message_s;
  for (size_t i = 0; i < t.n_epochs && i < SHAPES; i++) k->epochs[i] = t.epochs[i];
  reader_clear_tuning(&t);
}

bool rma_tuning_read(double *byte)
{
  known_t k = {0};
  if (!rma_job.settings.told) return false;
  if (rma_job.rank == 0) read_file(&k);
  mpi.Bcast(&k, sizeof k, mpi.byte, 0, rma_job.own);
  memcpy(told, k.epochs, sizeof told);
  if (k.message > 0) threshold_learn(k.message);
  *byte = k.byte;
  return k.byte > 0;
}

void rma_tuning_begin(threshold_t *t, int ranks, int hosts)
{
  threshold_new(t);
  for (int i = 0; i < SHAPES && told[i].ranks > 0; i++)
    if (told[i].ranks == ranks && told[i].hosts == hosts)
      threshold_know(t, told[i].bytes, told[i].message);
}

/* --- for later jobs --- */

void rma_tuning_add(const threshold_t *t, int ranks, int hosts)
{
  shape_t one = {.targets = 1, .early = t->early, .least = t->enough, .most = t->enough};
  shape_t *s = threshold_matters(t) ? shape_of(own, ranks, hosts) : NULL;
  if (!s) return;
  one.messages = t->enough;
  one.bytes = (double)t->before;
  one.fills = t->fill;
  one.filled = t->fill > 0;
  join(s, &one);
}

/* The ranks' lists, joined; rank 0 has it. */
static int gather(shape_t *out)
{
  shape_t *all = NULL;
  int n = 0;
  if (rma_job.rank == 0) all = malloc((size_t)rma_job.n * sizeof own);
  int able = rma_job.rank != 0 || all != NULL;
  mpi.Bcast(&able, sizeof able, mpi.byte, 0, rma_job.own);
  if (able) mpi.Gather(own, sizeof own, mpi.byte, all, sizeof own, mpi.byte, 0, rma_job.own);
  for (size_t i = 0; all && i < (size_t)rma_job.n * SHAPES; i++) {
    shape_t *s = all[i].targets ? shape_of(out, all[i].ranks, all[i].hosts) : NULL;
    if (s) join(s, &all[i]);
  }
  free(all);
  while (n < SHAPES && out[n].targets > 0) n++;
  return n;
}

static void print(const shape_t *s, int n)
{
  shape_t all = {.least = UINT64_MAX};
  for (int i = 0; i < n; i++) join(&all, &s[i]);
  if (all.targets == 0) return;
  say_line("messages go with %" PRIu64 " to %" PRIu64 " bytes, on average %.0f, of %" PRIu64
           " targets of windows with epochs of at least %d bytes",
           all.least, all.most, all.messages / (double)all.targets, all.targets, THRESHOLD_EPOCH);
  say_line(
      "chosen because rank 0 sends a small message in %.1f us, and a byte takes %.3g ns between "
      "hosts",
      1e6 * threshold_message(), 1e9 * rma_job.byte);
}

static void keep(const shape_t *s, int n)
{
  berth_tuning_t t;
  const char *path = getenv("BERTH_TUNE");
  berth_tuned_epochs_t epochs[SHAPES];
  if (!reader_load_tuning("BERTH_TUNE", path, rma_job.n, &t)) return;
  berth_tuned_epochs_t *before = t.epochs;
  if (!*t.mpi) mpi_version(t.mpi, sizeof t.mpi);
  t.message_s = threshold_message();
  if (rma_job.byte > 0) t.bandwidth = 1 / rma_job.byte;
  for (int i = 0; i < n; i++) {
    double targets = (double)s[i].targets;
    epochs[i] = (berth_tuned_epochs_t){.ranks = s[i].ranks,
                                       .hosts = s[i].hosts,
                                       .targets = s[i].targets,
                                       .bytes = s[i].bytes / targets,
                                       .fill_s = s[i].filled > 0 ? s[i].fills / s[i].filled : -1,
                                       .message = (uint64_t)(s[i].messages / targets),
                                       .early = (double)s[i].early / targets};
  }
  t.epochs = epochs;
  t.n_epochs = (size_t)n;
  reader_save_tuning("BERTH_TUNE", path, &t, "what was chosen for one-sided operations");
  t.epochs = before;
  reader_clear_tuning(&t);
}

void rma_tuning_end(void)
{
  shape_t all[SHAPES] = {0};
  const rma_settings_t *s = &rma_job.settings;
  if ((!s->report && !s->keeps) || rma_job.byte <= 0) return;
  int n = gather(all);
  if (rma_job.rank != 0) return;
  if (s->report) print(all, n);
  if (s->keeps) keep(all, n);
}
