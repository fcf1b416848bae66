/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/conclusion.h"

#include "cli/print/map_report.h"

#define DEFAULT_ORDER "in the default order"

/* Why there is nothing to do: no placement was cheaper, and how far another one could be. */
static void keep(const char *what, const berth_map_report_t *r, char buf[CONCLUSION])
{
  int n = snprintf(buf, CONCLUSION, "Keep the %s: nothing cheaper was found", what);
  double gap = r->lower_bound >= 0 ? 100 * map_report_gap(r) : -1;
  if (gap >= 0 && gap < 0.05)
    snprintf(buf + n, CONCLUSION - (size_t)n, ", and nothing cheaper exists.");
  else if (gap >= 0)
    snprintf(buf + n, CONCLUSION - (size_t)n, " (the lower bound leaves %.*f%%).", gap < 9.95, gap);
  else
    snprintf(buf + n, CONCLUSION - (size_t)n, ".");
}

const char *conclusion_of_map(const berth_assessment_t *a, const berth_map_report_t *r,
                              bool searched, char buf[CONCLUSION])
{
  char sentence[CONCLUSION - 100];
  if (searched && r->moved == 0) { /* from a placement that nothing beats */
    keep("current placement", r, buf);
    return buf;
  }
  berth_assessment_sentence(a, 0, DEFAULT_ORDER, sentence, sizeof sentence);
  *buf = '\0';
  switch (berth_assessment_result(a, 0)) {
  case BERTH_ASSESSED_BETTER:
    snprintf(buf, CONCLUSION, "Remap: %s.", sentence);
    break;
  case BERTH_ASSESSED_WORSE:
    snprintf(buf, CONCLUSION, "Keep the default order: this placement takes %s.", sentence);
    break;
  case BERTH_ASSESSED_UNCERTAIN:
    snprintf(buf, CONCLUSION, "Keep the default order, or measure both; %s.", sentence);
    break;
  case BERTH_ASSESSED_EQUAL:
    if (searched)
      keep("default order", r, buf);
    else
      snprintf(buf, CONCLUSION, "Keep the default order: this placement takes %s.", sentence);
    break;
  case BERTH_ASSESSED_ALONE:
    break;
  }
  return buf;
}

const char *conclusion_of_best(const berth_assessment_t *a, size_t i, const char *name,
                               const char *reference, char buf[CONCLUSION])
{
  char sentence[CONCLUSION - 200], than[120];
  *buf = '\0';
  snprintf(than, sizeof than, reference ? "with %.90s" : DEFAULT_ORDER, reference);
  berth_assessment_sentence(a, i, than, sentence, sizeof sentence);
  switch (berth_assessment_result(a, i)) {
  case BERTH_ASSESSED_BETTER:
    snprintf(buf, CONCLUSION, "%.90s is the cheapest: %s.", name, sentence);
    break;
  case BERTH_ASSESSED_UNCERTAIN:
    snprintf(buf, CONCLUSION, "%.90s may be the cheapest; %s.", name, sentence);
    break;
  default:
    snprintf(buf, CONCLUSION, "None of these takes less communication time than %s%s.",
             reference ? "" : "the default order", reference ? reference : "");
  }
  return buf;
}

const char *conclusion_of_placement(const berth_assessment_t *a, size_t i, const char *name,
                                    char buf[CONCLUSION])
{
  char sentence[CONCLUSION - 130];
  *buf = '\0';
  berth_assessed_t result = berth_assessment_result(a, i);
  if (result == BERTH_ASSESSED_ALONE) return buf;
  berth_assessment_sentence(a, i, DEFAULT_ORDER, sentence, sizeof sentence);
  if (result == BERTH_ASSESSED_EQUAL)
    snprintf(buf, CONCLUSION, "Keep the default order: %.90s takes %s.", name, sentence);
  else
    snprintf(buf, CONCLUSION, "%.90s: %s.", name, sentence);
  return buf;
}
