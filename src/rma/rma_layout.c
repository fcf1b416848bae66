/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts are made once for each datatype, and kept as its attribute. */
#include "rma/rma_layout.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "job/reduction.h"
#include "rma/layout_pieces.h"

/* Layouts of predefined types, by their number; and of the program's, as attributes. */
static _Atomic(layout_t *) predefined[REDUCTION_TYPES][2];
static int keyval[2] = {MPI_KEYVAL_INVALID, MPI_KEYVAL_INVALID};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of attributes */

layout_t *layout_new(size_t n)
{
  if (n > (SIZE_MAX - sizeof(layout_t)) / sizeof(layout_run_t)) return NULL;
  layout_t *l = malloc(sizeof *l + n * sizeof l->run[0]);
  if (!l) return NULL;
  *l = (layout_t){.users = 1, .n = n, .element = -1};
  return l;
}

void layout_keep(layout_t *l)
{
  if (!l->stays) atomic_fetch_add_explicit(&l->users, 1, memory_order_relaxed);
}

void layout_release(layout_t *l)
{
  if (l && !l->stays && atomic_fetch_sub_explicit(&l->users, 1, memory_order_acq_rel) == 1) free(l);
}

static layout_t *make(MPI_Datatype type, bool whole, int *wrong)
{
  pieces_t p = {.whole = whole, .element = PIECES_NO_ELEMENT};
  MPI_Count low, extent;
  bool made = pieces_of(&p, type) && mpi.Type_get_extent_x(type, &low, &extent) == MPI_SUCCESS;
  layout_t *l = made && !p.full ? layout_new(p.n) : NULL;
  *wrong = made ? MPI_ERR_NO_MEM : MPI_ERR_TYPE;
  if (l) {
    memcpy(l->run, p.run, p.n * sizeof *p.run);
    l->extent = extent;
    l->element = p.element < 0 ? -1 : p.element;
    l->unit = p.unit;
    l->low = p.n ? INT64_MAX : 0;
    l->high = p.n ? INT64_MIN : 0;
    for (size_t i = 0; i < p.n; i++) {
      const layout_run_t *r = &l->run[i];
      int64_t last = r->offset + (r->count - 1) * r->stride;
      int64_t low_end = r->offset < last ? r->offset : last;
      int64_t high_end = (r->offset > last ? r->offset : last) + r->length;
      l->size += r->length * r->count;
      if (low_end < l->low) l->low = low_end;
      if (high_end > l->high) l->high = high_end;
    }
    l->dense = p.n == 1 && l->run[0].count == 1 && l->run[0].offset == 0 && l->size == l->extent;
  }
  free(p.run);
  return l;
}

layout_t *layout_take(MPI_Datatype type, bool whole, int *wrong)
{
  int number = reduction_number(type), there = 0;
  layout_t *l = NULL;
  if (number >= 0) {
    l = atomic_load_explicit(&predefined[number][whole], memory_order_acquire);
    if (LIKELY(l != NULL)) return l;
  }
  if (!may_be_type(type) || type == mpi.type_null) {
    *wrong = MPI_ERR_TYPE;
    return NULL;
  }
  pthread_mutex_lock(&lock);
  if (number >= 0)
    l = predefined[number][whole];
  else if (mpi.Type_get_attr(type, keyval[whole], &l, &there) != MPI_SUCCESS || !there)
    l = NULL;
  if (!l) {
    l = make(type, whole, wrong);
    if (l && number >= 0) {
      l->stays = true;
      atomic_store_explicit(&predefined[number][whole], l, memory_order_release);
    } else if (l && mpi.Type_set_attr(type, keyval[whole], l) != MPI_SUCCESS) {
      pthread_mutex_unlock(&lock);
      return l; /* it isn't remembered */
    }
  }
  if (l) layout_keep(l);
  pthread_mutex_unlock(&lock);
  return l;
}

size_t layout_unit(int element)
{
  int wrong;
  if (element < 0 || element >= REDUCTION_TYPES) return 0;
  layout_t *l = layout_take(reduction_type(element), true, &wrong);
  return l ? (size_t)l->unit : 0;
}

static int copy_nothing(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
  (void)type, (void)key, (void)extra, (void)in, (void)out;
  *flag = 0;
  return MPI_SUCCESS;
}

static int delete_layout(MPI_Datatype type, int key, void *layout, void *extra)
{
  (void)type, (void)key, (void)extra;
  layout_release(layout);
  return MPI_SUCCESS;
}

void layout_setup(void)
{
  for (int i = 0; i < 2; i++) mpi.Type_create_keyval(copy_nothing, delete_layout, &keyval[i], NULL);
}

void layout_forget(void)
{
  for (int i = 0; i < 2; i++) {
    mpi.Type_free_keyval(&keyval[i]);
    for (int k = 0; k < REDUCTION_TYPES; k++) {
      free(predefined[k][i]);
      predefined[k][i] = NULL;
    }
  }
}

layout_walk_t layout_walk(layout_t *l, char *base, int64_t count)
{
  return (layout_walk_t){.l = l, .base = base, .left = l->n > 0 ? count : 0};
}

/* To the next piece. */
static void step(layout_walk_t *w)
{
  w->done = 0;
  if (++w->piece < w->l->run[w->run].count) return;
  w->piece = 0;
  if (++w->run < w->l->n) return;
  w->run = 0;
  w->left--;
  w->base += w->l->extent;
}

size_t layout_next(layout_walk_t *w, size_t most, char **at)
{
  if (w->left <= 0) return 0;
  const layout_run_t *r = &w->l->run[w->run];
  if (w->l->dense) { /* all that is left is one piece */
    int64_t there = w->left * r->length - w->done;
    size_t n = (uint64_t)there < most ? (size_t)there : most;
    *at = w->base + w->done;
    w->done += (int64_t)n;
    w->base += w->done / r->length * r->length;
    w->left -= w->done / r->length;
    w->done %= r->length;
    return n;
  }
  size_t n = (uint64_t)(r->length - w->done) < most ? (size_t)(r->length - w->done) : most;
  *at = w->base + r->offset + w->piece * r->stride + w->done;
  w->done += (int64_t)n;
  if (w->done == r->length) step(w);
  return n;
}

size_t layout_copy(layout_walk_t *to, layout_walk_t *from, size_t most)
{
  size_t all = 0;
  while (all < most) {
    char *source, *place;
    layout_walk_t before = *from;
    size_t n = layout_next(from, most - all, &source);
    if (n == 0) break;
    size_t room = layout_next(to, n, &place);
    if (room < n) { /* go back, and take as much as there is room for */
      *from = before;
      if (room == 0) break;
      layout_next(from, room, &source);
    }
    memmove(place, source, room);
    all += room;
  }
  return all;
}

void layout_copy_in(layout_walk_t *to, const char *from, size_t bytes)
{
  char *place;
  for (size_t at = 0, n; at < bytes && (n = layout_next(to, bytes - at, &place)) > 0; at += n)
    memcpy(place, from + at, n);
}

void layout_copy_out(char *to, layout_walk_t *from, size_t bytes)
{
  char *place;
  for (size_t at = 0, n; at < bytes && (n = layout_next(from, bytes - at, &place)) > 0; at += n)
    memcpy(to + at, place, n);
}
