/* SPDX-License-Identifier: BSD-3-Clause */
/* Places that all ranks change at a time: counters whose fetched values are a permutation,
 * compare-and-swap loops, and read-modify-write under exclusive locks. */
#include "random.h"

enum { MOST_TURNS = 12 };

typedef struct {
  window_t *w;
  const basic_t *b;
  int target, region, turns, total; /* turns: of the caller; total: of all ranks */
  ptrdiff_t at;
  MPI_Aint disp;
  bool flush_all;
} place_t;

/* Draws a place for one integer; false: the window has none. */
static bool draw_place(place_t *p, window_t *w)
{
  *p = (place_t){.w = w, .target = (int)draw(w->size), .flush_all = draw(2)};
  p->region = (int)draw(w->regions);
  do p->b = &basics[draw(basic_count)];
  while (p->b->class != 'i' && p->b->class != 'u' && p->b->class != 'a');
  for (int r = 0; r < w->size; r++) {
    int turns = draw(4) ? (int)draw(MOST_TURNS) / (w->size > 3 ? 2 : 1) : 0;
    if (r == p->target && !allowed(ON_MORE, SELF_ATOMIC)) turns = 0;
    p->total += turns;
    if (r == w->rank) p->turns = turns;
  }
  const region_t *r = &w->region[p->target][p->region];
  ptrdiff_t unit = w->unit[p->target], places = (ptrdiff_t)r->size / unit;
  if (places == 0) return false;
  ptrdiff_t disp = (ptrdiff_t)draw(places);
  for (int i = 0; i < 16; i++, disp = (disp + 1) % places) {
    p->at = disp * unit;
    if ((r->align + p->at) % p->b->align || p->at + p->b->size > (ptrdiff_t)r->size) continue;
    p->disp = w->flavor == DYNAMIC ? MPI_Aint_add(r->address, p->at) : (MPI_Aint)disp;
    return true;
  }
  return false;
}

/* Sets the place to 0 at the target and in the model. */
static void begin_place(place_t *p)
{
  window_t *w = p->w;
  region_t *r = &w->region[p->target][p->region];
  memset(r->model + p->at, 0, p->b->size);
  memset(r->unknown + p->at, 0, p->b->size);
  if (w->rank == p->target) {
    lock_self(w);
    memset(w->base[p->region] + p->at, 0, p->b->size);
    unlock_self(w);
  }
  begin_messages(w);
  MPI_Barrier(w->comm);
}

static void end_place(place_t *p)
{
  window_t *w = p->w;
  MPI_Barrier(w->comm);
  end_messages(w);
  long total = p->total;
  memcpy(w->region[p->target][p->region].model + p->at, &total, p->b->size);
  check_window(w);
  operations += p->turns;
}

/* All fetched values together are 0, 1, ... */
static void check_permutation(place_t *p, const long *fetched)
{
  int n = p->w->size, *counts = malloc(n * sizeof *counts), *starts = malloc(n * sizeof *starts);
  long *all = malloc((p->total + 1) * sizeof *all);
  char *seen = calloc(p->total + 1, 1);
  MPI_Allgather(&p->turns, 1, MPI_INT, counts, 1, MPI_INT, p->w->comm);
  for (int r = 0, sum = 0; r < n; sum += counts[r++]) starts[r] = sum;
  MPI_Allgatherv(fetched, p->turns, MPI_LONG, all, counts, starts, MPI_LONG, p->w->comm);
  for (int i = 0; i < p->total; i++) {
    if (all[i] < 0 || all[i] >= p->total || seen[all[i]]) {
      printf("epoch %ld, %s counter at rank %d: value %d of %d is %ld\n", epoch_number, p->b->name,
             p->target, i, p->total, all[i]);
      give_up("the fetched values of a counter are no permutation");
    }
    seen[all[i]] = 1;
  }
  free(counts);
  free(starts);
  free(all);
  free(seen);
}

static void finish_turn(const place_t *p)
{
  if (p->flush_all)
    MPI_Win_flush_all(p->w->win);
  else
    MPI_Win_flush(p->target, p->w->win);
}

void try_counter(window_t *w)
{
  place_t p;
  long fetched[MOST_TURNS] = {0}, one = 1, got[MOST_TURNS] = {0};
  bool each = draw(2), fetch = allowed(ON_CALL, FETCH_OP) && draw(2);
  bool fence = draw(3) == 0, lock = draw(2);
  if (!draw_place(&p, w)) return;
  begin_place(&p);
  if (fence)
    MPI_Win_fence(0, w->win);
  else if (lock)
    MPI_Win_lock(MPI_LOCK_SHARED, p.target, 0, w->win);
  else
    MPI_Win_lock_all(0, w->win);
  for (int i = 0; i < p.turns; i++) {
    MPI_Datatype t = p.b->type;
    if (fetch)
      MPI_Fetch_and_op(&one, &got[i], t, p.target, p.disp, MPI_SUM, w->win);
    else
      MPI_Get_accumulate(&one, 1, t, &got[i], 1, t, p.target, p.disp, 1, t, MPI_SUM, w->win);
    if (each && !fence) finish_turn(&p);
  }
  if (fence)
    MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win);
  else if (lock)
    MPI_Win_unlock(p.target, w->win);
  else
    MPI_Win_unlock_all(w->win);
  for (int i = 0; i < p.turns; i++) memcpy(&fetched[i], &got[i], p.b->size);
  check_permutation(&p, fetched);
  end_place(&p);
}

/* One that is there was swapped: its successor's value. */
static void swap_once(const place_t *p, long *value)
{
  window_t *w = p->w;
  for (long next, got = 0;; *value = got) {
    next = *value + 1;
    MPI_Compare_and_swap(&next, value, &got, p->b->type, p->target, p->disp, w->win);
    finish_turn(p);
    if (got == *value) break;
  }
}

void try_swap(window_t *w)
{
  place_t p;
  long fetched[MOST_TURNS] = {0}, value = 0;
  if (!allowed(ON_CALL, COMPARE) || !draw_place(&p, w)) return;
  begin_place(&p);
  MPI_Win_lock_all(0, w->win);
  for (int i = 0; i < p.turns; i++) {
    swap_once(&p, &value);
    fetched[i] = value++;
  }
  MPI_Win_unlock_all(w->win);
  check_permutation(&p, fetched);
  end_place(&p);
}

void try_mutex(window_t *w)
{
  place_t p;
  bool request = allowed(ON_MORE, REQUESTS) && draw(2);
  if (!draw_place(&p, w)) return;
  begin_place(&p);
  for (int i = 0; i < p.turns; i++) {
    long value = 0;
    MPI_Request r;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, p.target, 0, w->win);
    if (request) {
      MPI_Rget(&value, 1, p.b->type, p.target, p.disp, 1, p.b->type, w->win, &r);
      MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else {
      MPI_Get(&value, 1, p.b->type, p.target, p.disp, 1, p.b->type, w->win);
      MPI_Win_flush(p.target, w->win);
    }
    value++;
    MPI_Put(&value, 1, p.b->type, p.target, p.disp, 1, p.b->type, w->win);
    MPI_Win_unlock(p.target, w->win);
  }
  end_place(&p);
}
