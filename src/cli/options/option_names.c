/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/option_names.h"

#include <stdbool.h>
#include <string.h>

#include "base/field.h"
#include "base/text.h"
#include "cli/options/defaults.h"

static const struct {
  const char *name, *option;
} names[] = {
    {"BERTH_PATTERN_TRUNCATED", "--truncated"},
    {"berth_check_make_baseline", "--update"},
    {"berth_mapping_translate", "berth write --onto"},
    {"berth_set_memory", "--memory"},
    {"budgets", "--budget"},
    {"degree", "--degree"},
    {"from", "--from"},
    {"grid", "--grid"},
    {"hosts", "--hosts"},
    {"min_gain", "--min-gain"},
    {"max_moves", "--moves"},
    {"move_price_s", "--move-price"},
    {"pinned", "--pin"},
    {"quality", "--quality"},
    {"ranks_per_pu", "--ranks-per-pu"},
    {"reserve", "--reserve"},
    {"seed", "--seed"},
    {"shared", "--oversubscribe"},
    {"splits", "--splits"},
    {"sum_share", "--sum-share"},
    {"threads", "--threads"},
    {"time_limit_s", "--time-limit"},
    {"time_s", "--time-limit"},
    {"tolerance", "--tolerance"},
    {"unit", "--unit"},
};

/* What texts name as a way out, not as the origin of a value. */
static bool is_function(const char *name) { return text_starts(name, "berth_"); }

static const char *option_of(const char *name, size_t n)
{
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i].name) == n && memcmp(names[i].name, name, n) == 0)
      return is_function(names[i].name) ? names[i].option : defaults_field(names[i].option);
  return NULL;
}

void options_name_fields(void) { field_set_options(option_of); }

void options_list_entry(FILE *to, int width, const char *name, const char *help)
{
  char said[200];
  fprintf(to, "  %-*s %s\n", width, name, field_text(help, said, sizeof said));
}
