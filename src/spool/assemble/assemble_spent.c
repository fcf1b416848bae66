/* SPDX-License-Identifier: BSD-3-Clause */
/* Times in MPI by function, call site and communicator: reads a rank's, merges those of all. */
#include "spool/assemble/assemble_spent.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"

static uint64_t nanoseconds(const spool_header_t *h, uint64_t ticks)
{
  double ns = h->ticks_per_s > 0 ? (double)ticks / h->ticks_per_s * 1e9 : 0;
  return ns < (double)BERTH_MAX_AMOUNT ? (uint64_t)ns : BERTH_MAX_AMOUNT;
}

/* Adds to the time of a function in all its calls. Returns false if memory is out. */
static bool add_to_whole(rank_load_t *load, uint32_t op, uint64_t ns)
{
  const spent_t whole = {.op = op, .max_rank = load->header->rank};
  if (!numbers_get(&load->whole, op) &&
      (!ARRAY_ADD(&load->spent, &load->n_spent, &load->cap_spent, whole) ||
       !load_numbers_set(&load->whole, op, (uint32_t)load->n_spent)))
    return false;
  spent_t *x = &load->spent[numbers_get(&load->whole, op) - 1];
  x->total_ns += ns;
  x->max_ns += ns;
  return true;
}

int spent_load(rank_load_t *load, const spool_spent_t *s, berth_error_t *err)
{
  const spool_header_t *h = load->header;
  uint64_t ns = nanoseconds(h, s->ticks);
  spent_t x = {.total_ns = ns, .max_ns = ns, .max_rank = h->rank};
  if (h->no_times || s->thread != load->thread || !ns) return BERTH_OK;
  x.in_comm = s->comm != SPOOL_NO_COMM;
  if (!load_numbers_translate(&load->site, s->site, &x.site) ||
      (x.in_comm && !load_numbers_translate(&load->comm, s->comm, &x.comm)))
    return load_rank_leave_out(load);
  long op = load_op_intern(load->a, s->name);
  if (op < 0 || !add_to_whole(load, (uint32_t)op, ns)) return no_memory(err);
  x.op = (uint32_t)op;
  bool is_part = x.site || x.in_comm;
  if (is_part && !ARRAY_ADD(&load->spent, &load->n_spent, &load->cap_spent, x))
    return no_memory(err);
  return BERTH_OK;
}

/* A part is rounded like its whole: down, so that parts don't exceed it. */
void spent_limit(rank_load_t *load, double mpi_s)
{
  double all_ns = 0, limit_ns = mpi_s * 1e9;
  for (size_t i = 0; i < load->n_spent; i++) {
    const spent_t *x = &load->spent[i];
    if (!x->site && !x->in_comm) all_ns += (double)x->total_ns;
  }
  for (size_t i = 0; i < load->n_spent && all_ns > limit_ns; i++) {
    spent_t *x = &load->spent[i];
    x->total_ns = x->max_ns = (uint64_t)((double)x->total_ns * (limit_ns / all_ns));
  }
}

bool spent_reserve(const rank_load_t *load)
{
  assembly_t *a = load->a;
  return array_reserve(&a->spent, &a->cap_spent, a->n_spent + load->n_spent, sizeof *a->spent);
}

ORDER_BY(kind_order, spent_t, RISING(in_comm) RISING(comm) RISING(op) RISING(site))
ORDER_BY(spent_order, spent_t,
         RISING(in_comm) RISING(comm) RISING(op) RISING(site) RISING(max_rank))

/* A rank's times of equal calls. */
static void merge_of_rank(spent_t *into, const spent_t *more)
{
  into->total_ns += more->total_ns;
  into->max_ns += more->max_ns;
}

void spent_merge_one(spent_t *into, const spent_t *more)
{
  into->total_ns += more->total_ns;
  if (more->max_ns <= into->max_ns) return;
  into->max_ns = more->max_ns;
  into->max_rank = more->max_rank;
}

/* Returns how many are left. */
static size_t merge(spent_t *x, size_t n, void (*merge_two)(spent_t *, const spent_t *))
{
  size_t kept = 0;
  if (n) qsort(x, n, sizeof *x, spent_order);
  for (size_t i = 0; i < n; i++)
    if (kept && kind_order(&x[kept - 1], &x[i]) == 0)
      merge_two(&x[kept - 1], &x[i]);
    else
      x[kept++] = x[i];
  return kept;
}

void spent_take(rank_load_t *load)
{
  assembly_t *a = load->a;
  size_t n = merge(load->spent, load->n_spent, merge_of_rank);
  if (n) memcpy(a->spent + a->n_spent, load->spent, n * sizeof *a->spent);
  a->n_spent += n;
}

void spent_merge(assembly_t *a) { a->n_spent = merge(a->spent, a->n_spent, spent_merge_one); }

void spent_settle(assembly_t *a)
{
  size_t kept = 0;
  for (size_t i = 0; i < a->n_spent; i++)
    if (!a->spent[i].comm || a->comm[a->spent[i].comm - 1].ranks) a->spent[kept++] = a->spent[i];
  a->n_spent = kept;
}

int spent_add(const assembly_t *a, berth_pattern_t *to, const names_t *names, berth_error_t *err)
{
  int rc = BERTH_OK;
  for (size_t i = 0; i < a->n_spent && !rc; i++) {
    const spent_t *x = &a->spent[i];
    const berth_time_t t = {.site = x->site ? (int)names->site[x->site - 1] : 0,
                            .comm = x->in_comm ? (int)numbers_get(&names->comm, x->comm) : -1,
                            .op = a->ops.items[x->op].bytes,
                            .total_s = (double)x->total_ns * 1e-9,
                            .max_s = (double)x->max_ns * 1e-9,
                            .max_rank = (int)x->max_rank};
    rc = berth_pattern_add_time(to, &t, err);
  }
  return rc;
}
