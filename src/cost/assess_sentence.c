/* SPDX-License-Identifier: BSD-3-Clause */
/* What an estimate says, in one sentence. */
#include <berth/assess.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"

/* Changes below this are none for people. */
#define NOTHING 0.0005
/* So many times less, and more, is said so; less than that as a percentage. */
#define TIMES_LESS 10
#define TIMES_MORE 2

enum { PERCENT = 16 };

/* "86%", "3.2%", "0.08%". 100% is all of it. */
static const char *percent(double share, char buf[PERCENT])
{
  double value = fmin(100 * fabs(share), 1e9);
  bool nearly_all = value >= 99.5 && value < 100;
  int digits = nearly_all ? 1 : value >= 9.95 ? 0 : value >= 0.1 ? 1 : 2;
  snprintf(buf, PERCENT, "%.*f%%", digits, nearly_all ? fmin(value, 99.9) : value);
  return buf;
}

/* "12.2 times less communication time than in the default order", or "no communication time instead
 * of 5.372 s in the default order". */
static int difference(double cost, double before, const char *what, const char *reference,
                      char *buf, size_t size)
{
  char share[PERCENT], number[TEXT_NUMBER];
  bool time = *what == 't';
  if (cost <= 0 && time)
    return snprintf(buf, size, "no communication %s instead of %s %s", what,
                    text_seconds(before, number), reference);
  if (before <= 0 && time)
    return snprintf(buf, size, "%s of communication %s instead of none %s",
                    text_seconds(cost, number), what, reference);
  if (cost > 0 && before >= TIMES_LESS * cost)
    return snprintf(buf, size, "%s times less communication %s than %s",
                    text_number(before / cost, 3, number), what, reference);
  if (before > 0 && cost >= TIMES_MORE * before)
    return snprintf(buf, size, "%s times as much communication %s as %s",
                    text_number(cost / before, 3, number), what, reference);
  double gain = before > 0 ? 1 - cost / before : -1;
  return snprintf(buf, size, "%s %s communication %s than %s", percent(gain, share),
                  gain > 0 ? "less" : "more", what, reference);
}

/* ", the run 35% to 44% shorter"; nothing if that isn't known. */
static const char *run_text(const berth_estimate_t *e, char *buf, size_t size)
{
  char a[PERCENT], b[PERCENT];
  double low = e->run_gain_low, high = e->run_gain_high;
  *buf = '\0';
  if (e->run_gain_kind == BERTH_RUN_GAIN_LIMIT && e->run_gain > NOTHING)
    snprintf(buf, size, ", the run at most %s shorter", percent(e->run_gain, a));
  if (e->run_gain_kind != BERTH_RUN_GAIN_KNOWN) return buf;
  if (!isfinite(low) && high <= NOTHING) return buf;
  if (!isfinite(low) || (fabs(low) <= NOTHING && high > NOTHING))
    snprintf(buf, size, ", the run at most %s shorter", percent(high, a));
  else if (fabs(low) <= NOTHING && fabs(high) <= NOTHING)
    snprintf(buf, size, ", the run as long");
  else if (low < 0 && high > 0)
    snprintf(buf, size, ", the run from %s longer to %s shorter", percent(low, a),
             percent(high, b));
  else if (fabs(high - low) <= NOTHING)
    snprintf(buf, size, ", the run %s %s", percent(high, a), high > 0 ? "shorter" : "longer");
  else
    snprintf(buf, size, ", the run %s to %s %s", percent(fabs(low) < fabs(high) ? low : high, a),
             percent(fabs(low) < fabs(high) ? high : low, b), high > 0 ? "shorter" : "longer");
  return buf;
}

berth_assessed_t berth_assessment_result(const berth_assessment_t *a, size_t i)
{
  const size_t reference = berth_assessment_n(a);
  const berth_uncertainty_t *u = berth_assessment_uncertainty(a);
  const berth_estimate_t *e = berth_assessment_estimate(a, i);
  double before = berth_assessment_estimate(a, reference)->cost_s;
  if (before < 0) return BERTH_ASSESSED_ALONE;
  if (before == 0 && e->cost_s > 0) return BERTH_ASSESSED_WORSE; /* no share of nothing */
  if (fabs(e->gain) < NOTHING) return BERTH_ASSESSED_EQUAL;
  if (u && berth_uncertainty_compare(u, i, reference, NULL) == BERTH_VERDICT_NONE)
    return BERTH_ASSESSED_UNCERTAIN;
  return e->gain > 0 ? BERTH_ASSESSED_BETTER : BERTH_ASSESSED_WORSE;
}

const char *berth_assessment_sentence(const berth_assessment_t *a, size_t i, const char *reference,
                                      char *buf, size_t size)
{
  char run[96];
  int n;
  const berth_estimate_t *e = berth_assessment_estimate(a, i);
  const berth_estimate_t *before = berth_assessment_estimate(a, berth_assessment_n(a));
  const char *what = e->run_gain_kind == BERTH_RUN_GAIN_NO_UNIT ? "cost" : "time";
  switch (berth_assessment_result(a, i)) {
  case BERTH_ASSESSED_ALONE:
    snprintf(buf, size, "nothing to compare with");
    break;
  case BERTH_ASSESSED_EQUAL:
    snprintf(buf, size, "as much communication %s as %s", what, reference);
    break;
  case BERTH_ASSESSED_UNCERTAIN:
    snprintf(buf, size,
             "no verdict: measurement errors are larger than the difference from the communication "
             "%s %s",
             what, reference);
    break;
  default:
    n = difference(e->cost_s, before->cost_s, what, reference, buf, size);
    if (n >= 0 && (size_t)n < size)
      snprintf(buf + n, size - (size_t)n, "%s", run_text(e, run, sizeof run));
  }
  return buf;
}
