/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/copied_reductions.h"

#include <stdlib.h>
#include <string.h>

#include "job/process_memory.h"
#include "rma/apply.h"
#include "rma/inbox.h"

enum {
  PIECES = 1024,
  ROOM = 64 * 1024,      /* bytes of all */
  LONGEST = 4 * 1024,    /* of one: longer ones gain nothing */
  LINE = 64,             /* bytes */
  LINES = 8 * 1024,      /* places in the table: a power of two */
  LOOKS = 8,             /* at places, for a line */
  MOST_LINES = LINES / 2 /* that the table takes */
};

/* A line of the target's memory that is in use, in this turn. */
typedef struct line {
  uint64_t line;
  uint32_t turn;
} line_t;

struct copied_reductions {
  struct iovec there[PIECES];
  size_t n_there;
  struct iovec own[PIECES]; /* the origin's data */
  size_t n_own, bytes;
  int op, element;
  size_t unit;
  uint64_t low, high; /* all pieces are between these addresses */
  uint32_t turn;
  size_t n_lines;
  line_t table[LINES];
  _Alignas(LINE) char room[ROOM];
};

copied_reductions_t *copied_reductions_new(void)
{
  copied_reductions_t *r = aligned_alloc(LINE, (sizeof *r + LINE - 1) / LINE * LINE);
  if (!r) return NULL;
  r->n_there = r->n_own = r->bytes = r->n_lines = 0;
  r->turn = 1;
  memset(r->table, 0, sizeof r->table);
  return r;
}

void copied_reductions_free(copied_reductions_t *r) { free(r); }

bool copied_reductions_takes(const operation_t *o)
{
  return o->kind == OPERATION_ACCUMULATE && o->bytes <= LONGEST && o->layout->dense &&
         o->from.layout && o->from.layout->dense && !apply_only_reads(o->op);
}

/* --- which lines are in use --- */

static line_t *place_of(copied_reductions_t *r, uint64_t line, bool *used)
{
  size_t first = (size_t)(line * 0x9e3779b97f4a7c15u >> 40);
  for (size_t i = 0; i < LOOKS; i++) {
    line_t *l = &r->table[(first + i) % LINES];
    *used = l->turn == r->turn && l->line == line;
    if (*used || l->turn != r->turn) return l;
  }
  *used = true; /* as far as is known */
  return NULL;
}

/* Marks the lines of a piece as used. False: one of them may be in use. */
static bool use_lines(copied_reductions_t *r, uint64_t begin, uint64_t end, bool is_apart)
{
  bool free_lines = true, used;
  if (r->n_lines > MOST_LINES) return false;
  for (uint64_t line = begin / LINE; line <= (end - 1) / LINE; line++) {
    line_t *l = place_of(r, line, &used);
    if (!l) return false;
    free_lines = free_lines && !used;
    if (!used) r->n_lines++;
    *l = (line_t){line, r->turn};
  }
  return is_apart || free_lines;
}

/* --- pieces --- */

static bool has_room(const copied_reductions_t *r, const operation_t *o)
{
  if (r->bytes == 0) return true;
  return r->op == o->op && r->element == o->layout->element && r->n_there < PIECES &&
         r->n_own < PIECES && r->bytes + (size_t)o->bytes <= ROOM;
}

bool copied_reductions_add(copied_reductions_t *r, const operation_t *o, char *there)
{
  uint64_t begin = (uint64_t)(uintptr_t)there, end = begin + (uint64_t)o->bytes;
  if (!has_room(r, o)) return false;
  bool is_first = r->bytes == 0, is_apart = is_first || begin >= r->high || end <= r->low;
  if (!use_lines(r, begin, end, is_apart)) return false;
  r->low = is_first || begin < r->low ? begin : r->low;
  r->high = is_first || end > r->high ? end : r->high;
  r->op = o->op;
  r->element = o->layout->element;
  r->unit = (size_t)o->layout->unit;
  process_memory_add(r->there, &r->n_there, PIECES, there, (size_t)o->bytes);
  process_memory_add(r->own, &r->n_own, PIECES, o->from.base, (size_t)o->bytes);
  r->bytes += (size_t)o->bytes;
  return true;
}

static apply_t how_of(const copied_reductions_t *r)
{
  return (apply_t){r->op, r->element, r->unit};
}

static int reduce(copied_reductions_t *r)
{
  const apply_t a = how_of(r);
  char *at = r->room;
  int rc = MPI_SUCCESS;
  for (size_t i = 0; i < r->n_own && rc == MPI_SUCCESS; i++) {
    rc = apply_to(&a, at, r->own[i].iov_base, NULL, r->own[i].iov_len / r->unit);
    at += r->own[i].iov_len;
  }
  return rc;
}

static void empty(copied_reductions_t *r)
{
  r->n_there = r->n_own = r->bytes = r->n_lines = 0;
  r->turn++;
}

bool copied_reductions_leave(copied_reductions_t *r, struct inbox *b)
{
  const apply_t how = how_of(r);
  const inbox_pieces_t p = {r->there, r->own, r->n_there, r->n_own, r->bytes};
  bool left = r->bytes == 0 || inbox_leave(b, &how, &p);
  if (left) empty(r);
  return left;
}

int copied_reductions_do(copied_reductions_t *r, window_member_t *m)
{
  const struct iovec room = {r->room, r->bytes};
  if (r->bytes == 0) return MPI_SUCCESS;
  window_reduce_begin(m);
  bool done = process_memory_gather(m->process, &room, 1, r->there, r->n_there);
  int rc = done ? reduce(r) : MPI_SUCCESS;
  if (done && rc == MPI_SUCCESS)
    done = process_memory_scatter(m->process, &room, 1, r->there, r->n_there);
  window_reduce_end(m);
  empty(r);
  return done ? rc : COPIED_REFUSED;
}
