/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/threshold.h"

#include <math.h>

#include "base/clock.h"
#include "rma/mail.h"
#include "rma/rma.h"
#include "rma/rma_record.h"

enum { USUAL = 12 * 1024, MOST = MAIL_ROOM - RECORD_MOST };

static double message; /* seconds for its begin; 0: unknown */

static double mean(double old, double new) { return old > 0 ? old + (new - old) / 4 : new; }

void threshold_learn(double begin) { message = mean(message, begin); }
double threshold_message(void) { return message > 0 ? message : 2e-6; }

void threshold_new(threshold_t *t)
{
  *t = (threshold_t){.enough =
                         rma_job.settings.bytes > 0 ? (uint32_t)rma_job.settings.bytes : USUAL};
}

bool threshold_matters(const threshold_t *t)
{
  return t->before >= THRESHOLD_EPOCH && rma_job.settings.bytes == 0;
}

void threshold_know(threshold_t *t, double bytes, uint64_t enough)
{
  if (rma_job.settings.bytes > 0) return;
  t->before = (uint64_t)bytes;
  t->enough = (uint32_t)fmin(fmax((double)enough, THRESHOLD_LEAST), MOST);
}

void threshold_opened(threshold_t *t) { t->opened = threshold_matters(t) ? clock_s() : 0; }

void threshold_add(threshold_t *t, size_t bytes)
{
  t->came += bytes;
  if (threshold_matters(t) && t->reached == 0 && t->came >= t->before) t->reached = clock_s();
}

void threshold_gone(threshold_t *t, size_t bytes)
{
  if (t->opened > 0 && bytes >= THRESHOLD_LEAST)
    t->fill = mean(t->fill, (clock_s() - t->opened) / (double)bytes);
  t->opened = 0;
}

/* For an epoch with so many bytes. */
static uint32_t best_for(const threshold_t *t, double all)
{
  double byte = rma_job.byte, slow = t->fill > 0 && t->fill < byte ? t->fill : byte;
  double bytes = slow > 0 ? sqrt(all * 2 * threshold_message() / slow) : USUAL;
  return (uint32_t)fmin(fmax(bytes, THRESHOLD_LEAST), MOST);
}

bool threshold_is_enough(threshold_t *t, size_t bytes)
{
  if (bytes >= t->enough) {
    /* An epoch that is larger than the one before may be twice as large as it is now. */
    if (threshold_matters(t) && t->came > t->before) t->enough = best_for(t, 2 * (double)t->came);
    return bytes >= t->enough;
  }
  if (!t->early || t->went || t->reached == 0) return false;
  return t->went = true;
}

/* The last operation is known only if epochs are alike. */
static void choose(threshold_t *t)
{
  t->enough = t->came < THRESHOLD_EPOCH ? USUAL : best_for(t, (double)t->came);
  double last = fmin((double)t->came, t->enough);
  double begin = threshold_message();
  t->early = t->came == t->before && t->rest > 4 * begin && last * rma_job.byte > 2 * begin;
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
