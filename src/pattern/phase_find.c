/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds a phase by its number or name. */
#include "pattern/phase_find.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Lists phases as 0 "init", 1 "solve", …; "..." marks omitted ones. */
static void list_phases(const berth_phase_t *phases, size_t n, char *list, size_t size)
{
  size_t used = 0;
  *list = '\0';
  for (size_t k = 0; k < n; k++) {
    char one[96];
    int length =
        snprintf(one, sizeof one, "%s%d \"%.60s\"", k ? ", " : "", phases[k].id, phases[k].name);
    bool fits = used + (size_t)length + sizeof ", ..." < size;
    snprintf(list + used, size - used, "%s", fits ? one : ", ...");
    if (!fits) return;
    used += (size_t)length;
  }
}

int pattern_find_phase(const berth_pattern_t *p, const char *asked, size_t n, const char *option,
                       int code, size_t *place, berth_error_t *err)
{
  size_t n_phases, named = 0;
  uint64_t id;
  char number[12] = "", list[300];
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  if (n < sizeof number) memcpy(number, asked, n);
  bool is_number = text_to_u64(number, 0, INT32_MAX, &id);
  for (size_t k = 0; k < n_phases; k++) {
    if (is_number && phases[k].id == (int)id) {
      *place = k;
      return BERTH_OK;
    }
    bool same = strlen(phases[k].name) == n && memcmp(phases[k].name, asked, n) == 0;
    if (same && named++ == 0) *place = k;
  }
  if (named == 1) return BERTH_OK;
  list_phases(phases, n_phases, list, sizeof list);
  return berth_fail(
      err, code, "%.130s: found %zu phases of that name, expected one, or its number; there are %s",
      option, named, list);
}

size_t pattern_call_end(const berth_phase_t *phase, size_t first, size_t n)
{
  size_t end = first + 1;
  while (phase[first].collective && end < n && phase[end].collective == phase[first].collective)
    end++;
  return end;
}

size_t pattern_stage_end(const berth_phase_t *phase, size_t first, size_t n)
{
  size_t end = pattern_call_end(phase, first, n), same = first + 1;
  while (same < end && phase[same].stage == phase[first].stage) same++;
  return same;
}

static int length_before(const berth_phase_t *phase, const char *separator)
{
  const char *end = phase->collective ? strstr(phase->name, separator) : NULL;
  return (int)(end ? (size_t)(end - phase->name) : strlen(phase->name));
}

int pattern_call_name(const berth_phase_t *phase) { return length_before(phase, ": "); }

int pattern_stage_name(const berth_phase_t *phase) { return length_before(phase, ", round "); }
