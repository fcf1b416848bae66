/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided operations: reads one rank's, and adds those of all ranks to the pattern. */
#include "spool/assemble/assemble_rma.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "spool/assemble/assemble_load.h"
#include "spool/assemble/assemble_phase.h"

/* Identifies a window, with its number among those of the communicator. */
typedef struct window_key {
  uint32_t comm; /* the assembly's number; 0: MPI_COMM_WORLD */
  uint32_t number;
} window_key_t;

/* Identifies a line of operations. An operation is kept as a message whose site is its line. */
typedef struct rma_key {
  uint32_t src, window, phase, site, sync, op; /* window and op from 0; site 0 is none */
} rma_key_t;

static window_key_t window_key(const assembly_t *a, uint32_t number)
{
  window_key_t key;
  memcpy(&key, a->windows.items[number].bytes, sizeof key);
  return key;
}

static rma_key_t rma_key(const assembly_t *a, uint32_t line)
{
  rma_key_t key;
  memcpy(&key, a->lines.items[line - 1].bytes, sizeof key);
  return key;
}

uint32_t rmas_phase(const assembly_t *a, uint32_t line) { return rma_key(a, line).phase; }

long rma_windows_intern(assembly_t *a, uint32_t comm, uint32_t number)
{
  const window_key_t key = {comm, number};
  return intern(&a->windows, &key, sizeof key);
}

void rma_windows_key(const assembly_t *a, size_t window, uint32_t *comm, uint32_t *number)
{
  const window_key_t key = window_key(a, (uint32_t)window);
  *comm = key.comm;
  *number = key.number;
}

int rmas_load_window(rank_load_t *load, const spool_window_t *w, uint32_t comm, berth_error_t *err)
{
  long number = rma_windows_intern(load->a, comm, w->number);
  return number < 0 || !load_numbers_set(&load->window, w->id, (uint32_t)number + 1)
             ? no_memory(err)
             : BERTH_OK;
}

int rmas_load_line(rank_load_t *load, const spool_rma_t *r, uint32_t site, berth_error_t *err)
{
  long op = load_op_intern(load->a, r->name);
  const rma_key_t key = {.src = load->header->rank,
                         .window = numbers_get(&load->window, r->window) - 1,
                         .phase = r->phase,
                         .site = site,
                         .sync = r->sync,
                         .op = (uint32_t)op};
  long line = op < 0 ? -1 : intern(&load->a->lines, &key, sizeof key);
  bool enough = line >= 0 && load_numbers_set(&load->line, r->id, (uint32_t)line + 1) &&
                ARRAY_ADD(&load->epochs, &load->n_epochs, &load->cap_epochs,
                          (epochs_t){(uint32_t)line, r->epochs});
  return enough ? BERTH_OK : no_memory(err);
}

bool rmas_reserve(const rank_load_t *load)
{
  assembly_t *a = load->a;
  size_t n = a->n_operations + load->n_operations;
  return array_reserve(&a->operation, &a->cap_operations, n, sizeof *a->operation) &&
         array_reserve(&a->epochs, &a->cap_epochs, a->lines.n, sizeof *a->epochs);
}

void rmas_take(rank_load_t *load)
{
  assembly_t *a = load->a;
  size_t n = merge_sent(load->operation, load->n_operations), known = a->n_epochs;
  if (n) memcpy(a->operation + a->n_operations, load->operation, n * sizeof *a->operation);
  a->n_operations += n;
  for (a->n_epochs = a->lines.n; known < a->n_epochs; known++) a->epochs[known] = 0;
  for (size_t i = 0; i < load->n_epochs; i++)
    a->epochs[load->epochs[i].line] += load->epochs[i].epochs;
}

void rmas_clear(assembly_t *a)
{
  intern_clear(&a->windows);
  intern_clear(&a->lines);
  free(a->epochs);
  free(a->operation);
}

void rmas_mark_sites(const assembly_t *a, uint32_t *sites)
{
  for (size_t i = 0; i < a->n_operations; i++) {
    rma_key_t key = rma_key(a, a->operation[i].site);
    if (key.site) sites[key.site - 1] = SITE_USED;
  }
}

void rmas_visit_counts(const assembly_t *a, counts_visit_t *visit, void *context)
{
  for (size_t i = 0; i < a->n_operations; i++) {
    const sent_t *s = &a->operation[i];
    visit(context, s->phase, s->count, s->bytes);
    visit(context, s->phase, a->epochs[s->site - 1], 0);
  }
}

void rma_windows_mark_comms(const assembly_t *a, uint32_t *comms)
{
  for (size_t i = 0; i < a->windows.n; i++) {
    uint32_t comm = window_key(a, (uint32_t)i).comm;
    if (comm && a->comm[comm - 1].ranks) comms[comm] = 1;
  }
}

/* A window's number in the trace: sorted by communicator, then by the order in which they were
 * made. */
typedef struct numbered {
  const assembly_t *a;
  uint32_t number;
} numbered_t;

static int window_order(const void *x, const void *y)
{
  const numbered_t *p = x, *q = y;
  window_key_t a = window_key(p->a, p->number), b = window_key(q->a, q->number);
  int order = 0;
  if (a.comm != b.comm)
    order = !a.comm ? -1 : !b.comm ? 1 : assemble_comms_order(p->a, a.comm - 1, b.comm - 1);
  return order ? order : ORDER(a.number, b.number);
}

uint32_t *rma_windows_number(const assembly_t *a)
{
  size_t n = a->windows.n;
  uint32_t *place = malloc((n + 1) * sizeof *place);
  numbered_t *sorted = malloc((n + 1) * sizeof *sorted);
  for (size_t i = 0; sorted && i < n; i++) sorted[i] = (numbered_t){a, (uint32_t)i};
  if (sorted && n) qsort(sorted, n, sizeof *sorted, window_order);
  for (size_t i = 0; sorted && place && i < n; i++) place[sorted[i].number] = (uint32_t)i;
  if (!sorted) {
    free(place);
    place = NULL;
  }
  free(sorted);
  return place;
}

ORDER_BY(operation_order, sent_t, RISING(site) RISING(dst) RISING(size))

/* Adds one line with n operations. */
static int add_line(const assembly_t *a, berth_pattern_t *to, const sent_t *s, size_t n,
                    const names_t *names, berth_error_t *err)
{
  static const char *const syncs[] = {"none", "fence", "pscw", "lock", "lock_all"};
  const rma_key_t key = rma_key(a, s->site);
  uint64_t repeats = phases_repeats(a, key.phase);
  berth_message_t *msgs = calloc(n, sizeof *msgs);
  if (!msgs) return no_memory(err);
  for (size_t i = 0; i < n; i++)
    msgs[i] = (berth_message_t){.dst = (int)s[i].dst,
                                .size = s[i].size,
                                .count = s[i].count / repeats,
                                .bytes = s[i].bytes / repeats};
  const berth_rma_t rma = {.phase = (int)key.phase,
                           .site = key.site ? (int)names->site[key.site - 1] : 0,
                           .src = (int)key.src,
                           .win = (int)names->window[key.window],
                           .comm = (int)numbers_get(&names->comm, window_key(a, key.window).comm),
                           .sync = syncs[key.sync],
                           .op = a->ops.items[key.op].bytes,
                           .epochs = a->epochs[s->site - 1] / repeats,
                           .n_msgs = n,
                           .msgs = msgs};
  int rc = berth_pattern_add_rma(to, &rma, err);
  free(msgs);
  return rc;
}

int rmas_add(assembly_t *a, berth_pattern_t *to, const names_t *names, berth_error_t *err)
{
  int rc = BERTH_OK;
  if (a->n_operations) qsort(a->operation, a->n_operations, sizeof *a->operation, operation_order);
  for (size_t i = 0, end; i < a->n_operations && !rc; i = end) {
    for (end = i; end < a->n_operations && a->operation[end].site == a->operation[i].site;) end++;
    rc = add_line(a, to, a->operation + i, end - i, names, err);
  }
  return rc;
}
