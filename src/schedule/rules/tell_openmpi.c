/* SPDX-License-Identifier: BSD-3-Clause */
/* Open MPI 4.1: its file of dynamic rules (ompi/mca/coll/tuned: coll_tuned_dynamic_file.c reads
 * it), and how calls are looked up (coll_tuned_decision_dynamic.c): by the file, else by the
 * parameter of the operation, else by the MPI's own rules. All of this with
 * coll_tuned_use_dynamic_rules alone. Calls that don't block are of another component. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "schedule/rules/rules_tell.h"

/* The setting of a number or name; NULL: there is none. */
static const schedule_setting_t *setting_of(schedule_op_t op, const char *value)
{
  size_t n;
  const schedule_setting_t *all = schedule_settings(tells_openmpi.rules, &n);
  for (size_t i = 0; i < n; i++)
    if (all[i].op == op && (strcmp(value, all[i].number) == 0 || strcmp(value, all[i].name) == 0))
      return &all[i];
  return NULL;
}

/* --- parameters --- */

#define TUNED "OMPI_MCA_coll_tuned_"

typedef struct job {
  telling_t *t;
  const schedule_parameter_t *parameter;
  size_t n;
  bool *follows;
} job_t;

/* The parameter of component tuned of that name; n: it isn't set. */
static size_t find(const job_t *j, const char *name)
{
  size_t i = 0;
  for (; i < j->n; i++)
    if (text_starts(j->parameter[i].name, TUNED) &&
        strcmp(j->parameter[i].name + strlen(TUNED), name) == 0)
      break;
  return i;
}

static bool is_true(const char *value)
{
  static const char *const words[] = {"true", "t", "enabled", "yes", "y"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcasecmp(value, words[i]) == 0) return true;
  return strtol(value, NULL, 0) != 0;
}

/* A number among the parameters of an operation, which the rules then follow. `usual`: what it is
 * if it isn't set. */
static int64_t number(const job_t *j, const char *op, const char *ending, int64_t usual)
{
  char name[96];
  snprintf(name, sizeof name, "%s%s%s", op, *op ? "_algorithm_" : "", ending);
  size_t i = find(j, name);
  if (i == j->n) return usual;
  j->follows[i] = true;
  return strtoll(j->parameter[i].value, NULL, 0);
}

/* What coll_base_topo.c makes of a number of chains. */
static int degree_of(int64_t told)
{
  enum { MOST_CHAINS = 32 };
  return told < 1 ? 1 : told > MOST_CHAINS ? MOST_CHAINS : (int)told;
}

static void tell_operation(const job_t *j, schedule_op_t op)
{
  char name[64];
  const char *of = schedule_op_name(op);
  snprintf(name, sizeof name, "%s_algorithm", of);
  size_t i = find(j, name);
  int64_t segment = number(j, of, "segmentsize", 0);
  int64_t chains = number(j, of, "chain_fanout", number(j, "", "init_chain_fanout", 4));
  number(j, of, "tree_fanout", 0); /* the trees that need one have their own */
  if (i == j->n) return;
  const char *value = j->parameter[i].value;
  const schedule_setting_t *setting = setting_of(op, value);
  j->follows[i] = setting || strcmp(value, "0") == 0 || strcmp(value, "ignore") == 0;
  const schedule_told_t told = {segment > 0 ? segment : 0, degree_of(chains)};
  if (setting) rules_tell_add(j->t, setting, &told, NULL, 0);
}

/* --- the file --- */

/* The bytes by which calls of an operation are looked up. Calls of MPI_Alltoallv, whose ranks don't
 * know what others send, and of MPI_Barrier are looked up as those of no bytes. Of the others,
 * Gather, Scatter, Scan and Exscan are looked up by other numbers, and the rest isn't tuned. */
typedef struct looked_up {
  schedule_op_t op;
  bool has_bytes;
  rule_quantity_t by;
} looked_up_t;
static const looked_up_t looked_up[] = {{SCHEDULE_ALLGATHER, true, RULE_TOTAL_BYTES},
                                        {SCHEDULE_ALLGATHERV, true, RULE_BYTES},
                                        {SCHEDULE_ALLREDUCE, true, RULE_BYTES},
                                        {SCHEDULE_ALLTOALL, true, RULE_TOTAL_BYTES},
                                        {SCHEDULE_ALLTOALLV, false, 0},
                                        {SCHEDULE_BARRIER, false, 0},
                                        {SCHEDULE_BCAST, true, RULE_BYTES},
                                        {SCHEDULE_REDUCE, true, RULE_BYTES},
                                        {SCHEDULE_REDUCE_SCATTER, true, RULE_TOTAL_BYTES},
                                        {SCHEDULE_REDUCE_SCATTER_BLOCK, true, RULE_TOTAL_BYTES}};
enum { MOST_OPERATIONS = 22, MOST_LINES = 4096 };

uint64_t schedule_openmpi_bytes(const schedule_request_t *q)
{
  for (size_t i = 0; i < sizeof looked_up / sizeof *looked_up; i++)
    if (looked_up[i].op == q->call.op && looked_up[i].has_bytes)
      return rules_quantity(q, looked_up[i].by);
  return 0;
}

static const looked_up_t *looked_up_find(int64_t number)
{
  for (size_t i = 0; i < sizeof looked_up / sizeof *looked_up; i++)
    if (schedule_openmpi_number(looked_up[i].op) == number) return &looked_up[i];
  return NULL;
}

/* The next number; anything else is skipped, and so is the rest of a line behind '#'. */
static bool next(const char **at, int64_t *value)
{
  for (const char *s = *at; *s; s++) {
    char *end;
    *value = strtoll(s, &end, 0);
    *at = end;
    if (end != s) return true;
    if (*s == '#') s += strcspn(s, "\n");
    if (!*s) break;
  }
  return false;
}

/* The same for a number of things, at most so many. */
static bool next_count(const char **at, int64_t most, int64_t *n)
{
  return next(at, n) && *n >= 0 && *n <= most;
}

typedef struct line {
  int64_t bytes, algorithm, degree, segment;
} line_t;

/* The lines of an operation. Communicators of ranks[i] ranks have those from sizes[i] on. */
typedef struct table {
  int64_t n_sizes, n;
  int64_t ranks[MOST_LINES], sizes[MOST_LINES + 1];
  line_t line[MOST_LINES];
} table_t;

static bool read_size(const char **at, table_t *t)
{
  int64_t lines;
  if (!next(at, &t->ranks[t->n_sizes]) || !next_count(at, MOST_LINES - t->n, &lines)) return false;
  t->sizes[t->n_sizes++] = t->n;
  for (int64_t i = 0; i < lines; i++) {
    line_t *l = &t->line[t->n++];
    if (!next(at, &l->bytes) || !next(at, &l->algorithm) || !next(at, &l->degree) ||
        !next(at, &l->segment) || (i == 0 && l->bytes != 0))
      return false;
  }
  t->sizes[t->n_sizes] = t->n;
  return true;
}

static bool read_table(const char **at, table_t *t)
{
  int64_t sizes;
  t->n_sizes = t->n = 0;
  if (!next_count(at, MOST_LINES, &sizes)) return false;
  for (int64_t i = 0; i < sizes; i++)
    if (!read_size(at, t)) return false;
  return true;
}

/* The MPI takes the last size that isn't above a communicator's, else the first one; and the last
 * line whose bytes aren't above a call's. So each holds from its own number to the smallest of the
 * later ones. */
static int64_t end_of_size(const table_t *t, int64_t size)
{
  int64_t end = INT64_MAX;
  for (int64_t i = size + 1; i < t->n_sizes; i++)
    if (t->ranks[i] < end) end = t->ranks[i];
  return end;
}

static int64_t end_of_line(const table_t *t, int64_t line, int64_t end_of_lines)
{
  int64_t end = INT64_MAX;
  for (int64_t i = line + 1; i < end_of_lines; i++)
    if (t->line[i].bytes < end) end = t->line[i].bytes;
  return end;
}

static void add_condition(condition_t *when, int *n, rule_quantity_t quantity,
                          rule_comparison_t comparison, int64_t value)
{
  bool always = comparison == RULE_AT_LEAST ? value <= 0 : value == INT64_MAX;
  if (!always) when[(*n)++] = (condition_t){quantity, comparison, (uint64_t)value};
}

/* Adds the rule of a line; false: the MPI has no such algorithm, or berth doesn't. */
static bool tell_line(telling_t *t, const looked_up_t *by, const table_t *table, int64_t size,
                      int64_t line)
{
  char value[24];
  int n = 0;
  condition_t when[MOST_CONDITIONS];
  const line_t *l = &table->line[line];
  int64_t end = end_of_line(table, line, table->sizes[size + 1]);
  int64_t end_of_ranks = end_of_size(table, size);
  bool holds = end > l->bytes && (by->has_bytes || (l->bytes <= 0 && end > 0));
  if (l->algorithm == 0 || !holds || end_of_ranks <= 0) return true;
  snprintf(value, sizeof value, "%lld", (long long)l->algorithm);
  const schedule_setting_t *setting = setting_of(by->op, value);
  if (!setting) return false;
  if (size > 0) add_condition(when, &n, RULE_RANKS, RULE_AT_LEAST, table->ranks[size]);
  add_condition(when, &n, RULE_RANKS, RULE_BELOW, end_of_ranks);
  if (by->has_bytes) add_condition(when, &n, by->by, RULE_AT_LEAST, l->bytes);
  if (by->has_bytes) add_condition(when, &n, by->by, RULE_BELOW, end);
  const schedule_told_t told = {l->segment > 0 ? l->segment : 0, degree_of(l->degree)};
  rules_tell_add(t, setting, &told, when, n);
  return true;
}

/* Adds an operation's rules; false: not all of them are known. */
static bool tell_table(telling_t *t, int64_t operation, const table_t *table)
{
  bool known = true;
  const looked_up_t *by = looked_up_find(operation);
  for (int64_t size = 0; size < table->n_sizes; size++)
    for (int64_t i = table->sizes[size]; i < table->sizes[size + 1]; i++)
      known &= by ? tell_line(t, by, table, size, i) : table->line[i].algorithm == 0;
  return known;
}

/* Reads a file of dynamic rules, and adds what it says. A file with an error tells nothing. */
static bool tell_file(telling_t *t, const char *text)
{
  int64_t operations, operation;
  const char *at = text, *again;
  bool known = true;
  table_t *table = malloc(sizeof *table);
  t->failed |= !table;
  bool good = table && next_count(&at, MOST_OPERATIONS, &operations);
  again = at;
  for (int64_t i = 0; good && i < operations; i++)
    good = next_count(&at, MOST_OPERATIONS, &operation) && read_table(&at, table);
  for (int64_t i = 0; good && i < operations; i++) {
    next(&again, &operation);
    read_table(&again, table);
    known &= tell_table(t, operation, table);
  }
  free(table);
  return good && known;
}

/* --- all of it --- */

/* Whether a list of components leaves rules as they are: tuned and libnbc take part. */
static bool keeps_components(const char *list)
{
  bool without = *list == '^';
  return without ? !strstr(list, "tuned") && !strstr(list, "libnbc")
                 : strstr(list, "tuned") && strstr(list, "libnbc");
}

static void tell(telling_t *t, const schedule_parameter_t *parameter, size_t n, bool *follows)
{
  const job_t j = {t, parameter, n, follows};
  size_t use = find(&j, "use_dynamic_rules"), file = find(&j, "dynamic_rules_filename");
  bool dynamic = use < n && is_true(parameter[use].value);
  for (size_t i = 0; i < n; i++) {
    const char *name = parameter[i].name;
    if (strcmp(name, "OMPI_MCA_coll") == 0)
      follows[i] = keeps_components(parameter[i].value);
    else if (text_starts(name, TUNED) && (!dynamic || i == use))
      follows[i] = strcmp(name + strlen(TUNED), "priority") != 0;
    else
      follows[i] = !text_starts(name, "OMPI_MCA_coll_") || text_ends(name, "_verbose") ||
                   (text_ends(name, "_enable") && !is_true(parameter[i].value));
  }
  if (!dynamic) return;
  if (file < n) follows[file] = parameter[file].text && tell_file(t, parameter[file].text);
  number(&j, "", "init_tree_fanout", 0);
  for (int op = 0; op < SCHEDULE_OPS; op++) tell_operation(&j, (schedule_op_t)op);
}

const tells_t tells_openmpi = {"openmpi-4.1", tell};
