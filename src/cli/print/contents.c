/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/contents.h"

#include "base/text.h"
#include "pattern/phase_find.h"

static void count_messages(const berth_pattern_t *p, double *messages, double *bytes)
{
  size_t n_phases, n;
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  *messages = *bytes = 0;
  for (size_t i = 0; i < n_phases; i++) {
    const berth_message_t *m = berth_pattern_messages(p, i, &n);
    for (size_t k = 0; k < n; k++) {
      *messages += (double)m[k].count * (double)phases[i].repeats;
      *bytes += (double)m[k].bytes * (double)phases[i].repeats;
    }
  }
}

static double repeats_of(const berth_pattern_t *p, int id)
{
  const berth_phase_t *phase = pattern_phase(p, id);
  return phase ? (double)phase->repeats : 1;
}

static double count_calls(const berth_pattern_t *p)
{
  double calls = 0;
  size_t n;
  const berth_coll_t *colls = berth_pattern_colls(p, &n);
  for (size_t i = 0; i < n; i++) calls += (double)colls[i].count * repeats_of(p, colls[i].phase);
  return calls;
}

static double count_operations(const berth_pattern_t *p)
{
  double operations = 0;
  size_t n;
  const berth_rma_t *r = berth_pattern_rmas(p, &n);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < r[i].n_msgs; k++)
      operations += (double)r[i].msgs[k].count * repeats_of(p, r[i].phase);
  return operations;
}

static void print_number(FILE *to, double n, const char *thing)
{
  char count[TEXT_NUMBER];
  if (n > 0) fprintf(to, ", %s %s%s", text_count(n, count), thing, text_plural(n));
}

void print_contents(FILE *to, const berth_pattern_t *p)
{
  char text[TEXT_NUMBER], count[TEXT_NUMBER];
  double messages, bytes, calls = count_calls(p), operations = count_operations(p);
  int ranks = berth_pattern_ranks(p);
  count_messages(p, &messages, &bytes);
  fprintf(to, "%d rank%s, %s message%s", ranks, text_plural(ranks), text_count(messages, count),
          text_plural(messages));
  if (messages > 0 || calls + operations == 0) fprintf(to, ", %s", text_bytes(bytes, text));
  print_number(to, calls, "collective call");
  print_number(to, operations, "one-sided operation");
}
