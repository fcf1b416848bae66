/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/threshold.h"

#include <inttypes.h>
#include <math.h>

#include "base/clock.h"
#include "job/say.h"
#include "rma/mail.h"
#include "rma/rma.h"
#include "rma/rma_record.h"

/* Epochs with fewer bytes are one message: a second one costs more than it saves. */
enum { LEAST = 1024, USUAL = 12 * 1024, MOST = MAIL_ROOM - RECORD_MOST };

static double message = 2e-6; /* seconds for its begin */

static double mean(double old, double new) { return old > 0 ? old + (new - old) / 4 : new; }

void threshold_learn(double begin) { message = mean(message, begin); }

void threshold_new(threshold_t *t)
{
  *t = (threshold_t){.enough =
                         rma_job.settings.bytes > 0 ? (uint32_t)rma_job.settings.bytes : USUAL};
}

/* Whether the epochs are large enough for more than one message. */
static bool matters(const threshold_t *t)
{
  return t->before >= LEAST && rma_job.settings.bytes == 0;
}

void threshold_opened(threshold_t *t) { t->opened = matters(t) ? clock_s() : 0; }

void threshold_add(threshold_t *t, size_t bytes)
{
  t->came += bytes;
  if (matters(t) && t->reached == 0 && t->came >= t->before) t->reached = clock_s();
}

void threshold_gone(threshold_t *t, size_t bytes)
{
  if (t->opened > 0 && bytes >= LEAST)
    t->fill = mean(t->fill, (clock_s() - t->opened) / (double)bytes);
  t->opened = 0;
}

/* For an epoch with so many bytes. */
static uint32_t best_for(const threshold_t *t, double all)
{
  double byte = rma_job.byte, slow = t->fill > 0 && t->fill < byte ? t->fill : byte;
  double bytes = slow > 0 ? sqrt(all * 2 * message / slow) : USUAL;
  return (uint32_t)fmin(fmax(bytes, LEAST), MOST);
}

bool threshold_is_enough(threshold_t *t, size_t bytes)
{
  if (bytes >= t->enough) {
    /* An epoch that is larger than the one before may be twice as large as it is now. */
    if (matters(t) && t->came > t->before) t->enough = best_for(t, 2 * (double)t->came);
    return bytes >= t->enough;
  }
  if (!t->early || t->went || t->reached == 0) return false;
  return t->went = true;
}

/* The last operation is known only if epochs are alike. */
static void choose(threshold_t *t)
{
  t->enough = best_for(t, (double)t->came);
  double last = fmin((double)t->came, t->enough);
  t->early = t->came == t->before && t->rest > 4 * message && last * rma_job.byte > 2 * message;
}

void threshold_end(threshold_t *t)
{
  if (t->came == 0) return;
  if (t->reached > 0) t->rest = mean(t->rest, clock_s() - t->reached);
  if (rma_job.settings.bytes == 0) choose(t);
  t->before = t->came;
  t->came = 0;
  t->reached = 0;
  t->went = false;
}

/* --- the report --- */

enum { STREAMS, SUM, LEAST_CHOSEN, MOST_CHOSEN, SUMMARY };
static uint64_t summary[SUMMARY] = {[LEAST_CHOSEN] = UINT64_MAX};

void threshold_free(const threshold_t *t)
{
  if (!matters(t)) return;
  summary[STREAMS]++;
  summary[SUM] += t->enough;
  if (t->enough < summary[LEAST_CHOSEN]) summary[LEAST_CHOSEN] = t->enough;
  if (t->enough > summary[MOST_CHOSEN]) summary[MOST_CHOSEN] = t->enough;
}

void threshold_report(void)
{
  uint64_t all[SUMMARY];
  mpi.Reduce(summary, all, LEAST_CHOSEN, mpi.uint64, mpi.sum, 0, rma_job.own);
  mpi.Reduce(&summary[LEAST_CHOSEN], &all[LEAST_CHOSEN], 1, mpi.uint64, mpi.min, 0, rma_job.own);
  mpi.Reduce(&summary[MOST_CHOSEN], &all[MOST_CHOSEN], 1, mpi.uint64, mpi.max, 0, rma_job.own);
  if (rma_job.rank != 0 || all[STREAMS] == 0) return;
  say_line("messages go with %" PRIu64 " to %" PRIu64 " bytes, on average %" PRIu64 ", of %" PRIu64
           " targets of windows with epochs of at least %d bytes",
           all[LEAST_CHOSEN], all[MOST_CHOSEN], all[SUM] / all[STREAMS], all[STREAMS], LEAST);
  say_line(
      "chosen because rank 0 sends a small message in %.1f us, and a byte takes %.3g ns between "
      "hosts",
      1e6 * message, 1e9 * rma_job.byte);
}
