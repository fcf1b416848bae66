/* SPDX-License-Identifier: BSD-3-Clause */
/* Open MPI 4.1: its file of dynamic rules (src/schedule/rules/tell_openmpi.c). */
#include <string.h>
#include <strings.h>

#include "advice/advice_mpi.h"

static bool is_told(schedule_op_t op) { return schedule_openmpi_number(op) >= 0; }

static int number_of(const char *name)
{
  int op = 0;
  while (op < SCHEDULE_OPS - 1 &&
         strcasecmp(schedule_op_name((schedule_op_t)op), name + strlen("MPI_")) != 0)
    op++;
  return schedule_openmpi_number((schedule_op_t)op);
}

static void find(const schedule_request_t *q, int *ranks, uint64_t *bytes)
{
  *ranks = q->call.size;
  *bytes = schedule_openmpi_bytes(q);
}

/* --- the file --- */

/* The end of the settings from `first` on that are of the same operation and, maybe, ranks. */
static size_t end_of(const berth_setting_t *s, size_t first, size_t n, bool same_ranks)
{
  size_t end = first + 1;
  while (end < n && strcmp(s[end].op, s[first].op) == 0 &&
         (!same_ranks || s[end].ranks == s[first].ranks))
    end++;
  return end;
}

/* Lines of one communicator size. Algorithm 0 is the MPI's own decision. A line holds from its
 * bytes on, and the first one has to begin at 0. */
static void put_sizes(out_file_t *out, const berth_setting_t *s, size_t n)
{
  size_t lines = s[0].bytes > 0;
  for (size_t i = 0; i < n; i++) lines += 1 + (i + 1 == n || s[i + 1].bytes > s[i].last + 1);
  out_printf(out, "%d # ranks\n%zu # lines: bytes, algorithm, degree, bytes of a segment\n",
             s[0].ranks, lines);
  if (s[0].bytes > 0) out_text(out, "0 0 0 0\n");
  for (size_t i = 0; i < n; i++) {
    const berth_choice_t *c = &s[i].choice;
    out_printf(out, "%llu %s %d %llu # %s\n", (unsigned long long)s[i].bytes, c->setting, c->degree,
               (unsigned long long)c->segment, c->algorithm);
    if (i + 1 == n || s[i + 1].bytes > s[i].last + 1)
      out_printf(out, "%llu 0 0 0\n", (unsigned long long)s[i].last + 1);
  }
}

/* Other communicator sizes: those from this one on. */
static void put_own_decision(out_file_t *out, int ranks)
{
  out_printf(out, "%d # ranks\n1\n0 0 0 0\n", ranks);
}

/* The MPI takes the largest size that isn't above a communicator's, else the first one. */
static void put_operation(out_file_t *out, const berth_setting_t *s, size_t n)
{
  size_t sizes = 1;
  for (size_t i = 0, end; i < n; i = end) {
    end = end_of(s, i, n, true);
    sizes += 1 + (end == n || s[end].ranks > s[i].ranks + 1);
  }
  out_printf(out, "%d # %s\n%zu # sizes of communicators\n", number_of(s[0].op), s[0].op, sizes);
  put_own_decision(out, 1);
  for (size_t i = 0, end; i < n; i = end) {
    end = end_of(s, i, n, true);
    put_sizes(out, &s[i], end - i);
    if (end == n || s[end].ranks > s[i].ranks + 1) put_own_decision(out, s[i].ranks + 1);
  }
}

static void write(out_file_t *out, const berth_setting_t *s, size_t n)
{
  size_t operations = 0;
  for (size_t i = 0; i < n; i = end_of(s, i, n, false)) operations++;
  out_text(out,
           "# Dynamic rules of Open MPI 4.1 (coll_tuned_dynamic_rules_filename). Algorithm 0 is "
           "its own decision.\n");
  out_printf(out, "%zu # operations\n", operations);
  for (size_t i = 0, end; i < n; i = end) {
    end = end_of(s, i, n, false);
    put_operation(out, &s[i], end - i);
  }
}

const advice_mpi_t advice_openmpi = {"openmpi-4.1",
                                     is_told,
                                     find,
                                     write,
                                     "mpirun --mca coll_tuned_use_dynamic_rules 1 --mca "
                                     "coll_tuned_dynamic_rules_filename ",
                                     " …"};
