/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks an operation, and gives it to the way by which its target is reached. */
#include "rma/operation.h"

#include <inttypes.h>

#include "job/reduction.h"
#include "rma/access.h"
#include "rma/apply.h"
#include "rma/copies.h"
#include "rma/epoch.h"
#include "rma/rma_error.h"
#include "rma/rma_request.h"
#include "rma/stream.h"

static bool reduces(operation_kind_t kind) { return kind >= OPERATION_ACCUMULATE; }

/* --- checks; they return codes --- */

static int check_numbers(const rma_window_t *w, const operation_call_t *c)
{
  if (c->target < 0 || c->target >= w->size)
    return error_code(MPI_ERR_RANK, "found target rank %d, expected one from 0 to %d", c->target,
                      w->size - 1);
  if (c->origin_count < 0 || c->count < 0 || c->result_count < 0)
    return error_code(MPI_ERR_COUNT, "found a count of %" PRId64 ", expected at least 0",
                      c->origin_count < 0 ? c->origin_count
                      : c->count < 0      ? c->count
                                          : c->result_count);
  return MPI_SUCCESS;
}

static int take_layout(MPI_Datatype type, bool whole, layout_t **out, const char *whose)
{
  int wrong;
  *out = layout_take(type, whole, &wrong);
  if (LIKELY(*out != NULL)) return MPI_SUCCESS;
  if (wrong == MPI_ERR_NO_MEM) return error_code(wrong, "memory is out");
  return error_code(wrong,
                    "found a datatype of the %s that the MPI doesn't describe, expected "
                    "a valid one",
                    whose);
}

/* A side's data are as many bytes as the target's. */
static int check_side(const operation_side_t *s, const operation_t *o, const char *whose)
{
  int64_t bytes = s->layout->size * s->count;
  if (LIKELY(bytes == o->bytes)) return MPI_SUCCESS;
  return error_code(MPI_ERR_TRUNCATE,
                    "found %" PRId64 " bytes of data at the %s and %" PRId64
                    " at the target, expected the same number",
                    bytes, whose, o->bytes);
}

static int check_range(const rma_window_t *w, const rma_target_t *t, const operation_call_t *c,
                       const operation_t *o)
{
  if (o->bytes == 0) return MPI_SUCCESS;
  int64_t low = o->layout->low, high = o->layout->high, more = (o->count - 1) * o->layout->extent;
  if (more > 0) high += more;
  if (more < 0) low += more;
  if (w->flavor == MPI_WIN_FLAVOR_DYNAMIC) {
    uint64_t begin = (uint64_t)(o->offset + low);
    if (t->member < 0 ||
        window_memory_attached(&w->memory, t->member, begin, (uint64_t)(high - low)))
      return MPI_SUCCESS;
    return error_code(MPI_ERR_RMA_RANGE,
                      "found %" PRId64 " bytes at address 0x%" PRIx64
                      " of rank %d, expected memory that it has attached",
                      high - low, begin, c->target);
  }
  if (LIKELY(c->displacement >= 0 && o->offset + low >= 0 &&
             (uint64_t)(o->offset + high) <= t->size))
    return MPI_SUCCESS;
  return error_code(c->displacement < 0 ? MPI_ERR_DISP : MPI_ERR_RMA_RANGE,
                    "found bytes %" PRId64 " to %" PRId64
                    " of rank %d's window, expected some from "
                    "0 to %" PRIu64,
                    o->offset + low, o->offset + high - 1, c->target, t->size - 1);
}

static int check_op(const operation_call_t *c, const operation_t *o)
{
  if (!reduces(c->kind)) return MPI_SUCCESS;
  if (c->kind == OPERATION_COMPARE) {
    if (apply_is_compared(c->type)) return MPI_SUCCESS;
    return error_code(MPI_ERR_TYPE, "found a datatype that can't be compared, expected an integer, "
                                    "MPI_BYTE or a logical type");
  }
  if (o->op < 0) return error_code(MPI_ERR_OP, "found an operation that isn't predefined");
  if (o->bytes == 0 || apply_is_defined(o->op, o->layout->element)) return MPI_SUCCESS;
  return error_code(MPI_ERR_OP, "found an operation that isn't defined for the target's datatype");
}

/* --- from the program's arguments --- */

static void release(const operation_t *o)
{
  layout_release(o->from.layout);
  layout_release(o->to.layout);
  layout_release(o->layout);
}

/* The caller releases it, whatever this returns. */
static int describe(rma_window_t *w, const operation_call_t *c, operation_t *o)
{
  const rma_target_t *t = &w->target[c->target];
  bool whole = reduces(c->kind);
  *o = (operation_t){.kind = c->kind, .op = -1, .count = c->count, .compare = c->compare};
  if (whole) o->op = reduction_op_number(c->op);
  bool only_reads = whole && c->kind != OPERATION_COMPARE && apply_only_reads(o->op);
  int rc = take_layout(c->type, whole, &o->layout, "target");
  if (rc == MPI_SUCCESS && c->kind != OPERATION_GET && !only_reads) {
    o->from = (operation_side_t){(char *)(uintptr_t)c->origin, NULL, c->origin_count};
    rc = take_layout(c->origin_type, whole, &o->from.layout, "origin");
  }
  if (rc == MPI_SUCCESS && c->kind != OPERATION_PUT && c->kind != OPERATION_ACCUMULATE) {
    o->to = (operation_side_t){c->result, NULL, c->result_count};
    rc = take_layout(c->result_type, whole, &o->to.layout, "result");
  }
  if (rc != MPI_SUCCESS) return rc;
  o->offset = c->displacement * t->unit;
  o->bytes = o->layout->size * c->count;
  if (o->from.layout) rc = check_side(&o->from, o, "origin");
  if (rc == MPI_SUCCESS && o->to.layout) rc = check_side(&o->to, o, "result");
  if (rc == MPI_SUCCESS) rc = check_op(c, o);
  return rc == MPI_SUCCESS ? check_range(w, t, c, o) : rc;
}

/* --- ways --- */

static int by_copies(rma_window_t *w, rma_target_t *t, const operation_t *o, MPI_Request *request)
{
  int rc = o->kind == OPERATION_PUT   ? copies_put(w, t, o)
           : o->kind == OPERATION_GET ? copies_get(w, t, o)
                                      : copies_reduce(w, t, o);
  return rc == MPI_SUCCESS && request ? copies_flush(w, t) : rc;
}

static int carry_out(rma_window_t *w, rma_target_t *t, const operation_t *o, MPI_Request *request)
{
  int rc = MPI_SUCCESS;
  if (t->way == WAY_MESSAGE) {
    rma_count(RMA_SENT);
    return stream_operation(w, t, o, request);
  }
  if (o->bytes > 0 && t->way == WAY_MEMORY) {
    rma_count(t == &w->target[w->rank] ? RMA_OWN : RMA_IN_MEMORY);
    rc = access_do(t->memory, &w->memory.member[t->member], o);
  } else if (o->bytes > 0) {
    rma_count(RMA_COPIED);
    rc = by_copies(w, t, o, request);
  }
  return rc == MPI_SUCCESS && request ? request_done(request) : rc;
}

/* --- puts and gets of what has one layout --- */

/* A predefined datatype that the thread has used last, and where its data lie. */
typedef struct last_type {
  MPI_Datatype type;
  layout_t *layout;
} last_type_t;
static __thread last_type_t last_type __attribute__((tls_model("initial-exec")));

/* Most operations put, get or accumulate elements of a predefined type that lie together, in memory
 * of this host. They need no description. NULL: it isn't such an operation. */
static layout_t *plain_layout(const rma_window_t *w, const operation_call_t *c)
{
  bool gets = c->kind == OPERATION_GET;
  if (c->kind > OPERATION_ACCUMULATE || c->request || w->flavor == MPI_WIN_FLAVOR_DYNAMIC ||
      (gets ? c->result_type : c->origin_type) != c->type ||
      (gets ? c->result_count : c->origin_count) != c->count)
    return NULL;
  if (LIKELY(last_type.type == c->type && last_type.layout != NULL)) return last_type.layout;
  if (reduction_number(c->type) < 0) return NULL;
  int wrong;
  layout_t *l = layout_take(c->type, false, &wrong);
  if (l && l->dense) last_type = (last_type_t){c->type, l};
  return l && l->dense ? l : NULL;
}

/* A predefined operation that the thread has used last, with a datatype. */
static __thread reduction_t last_reduction __attribute__((tls_model("initial-exec")));

/* Whether the elements can be reduced where they are. */
static bool has_kernel(const operation_call_t *c, const layout_t *l, const char *there)
{
  reduction_t *r = &last_reduction;
  if (UNLIKELY(r->type != c->type || r->op != c->op || !r->kernel)) {
    if (reduction_op_number(c->op) < 0 || !reduction_of(c->type, c->op, SIZE_MAX, r)) return false;
  }
  uintptr_t both = (uintptr_t)c->origin | (uintptr_t)there;
  return r->kernel && both % (size_t)l->unit == 0;
}

static bool accumulate(window_member_t *m, const operation_call_t *c, const layout_t *l,
                       char *there)
{
  if (!has_kernel(c, l, there)) return false;
  window_reduce_begin(m);
  last_reduction.kernel(c->origin, there, there, (size_t)c->count);
  window_reduce_end(m);
  return true;
}

/* In memory that is mapped here. False: do it otherwise. */
static bool do_in_memory(rma_window_t *w, rma_target_t *t, const operation_call_t *c,
                         const layout_t *l, uint64_t offset, size_t bytes)
{
  char *there = t->memory + offset;
  if (c->kind == OPERATION_PUT)
    access_copy(there, c->origin, bytes);
  else if (c->kind == OPERATION_GET)
    access_copy(c->result, there, bytes);
  else if (!accumulate(&w->memory.member[t->member], c, l, there))
    return false;
  rma_count(t == &w->target[w->rank] ? RMA_OWN : RMA_IN_MEMORY);
  return true;
}

/* Carries it out. False: it isn't such an operation, or something is wrong with it. */
static bool do_plain(rma_window_t *w, rma_target_t *t, const operation_call_t *c, int *rc)
{
  bool puts = c->kind == OPERATION_PUT;
  if (t->way == WAY_MESSAGE && !puts) return false;
  const layout_t *l = plain_layout(w, c);
  if (!l || c->displacement < 0) return false;
  uint64_t offset = (uint64_t)(c->displacement * t->unit), bytes = (uint64_t)(l->size * c->count);
  if (UNLIKELY(offset > t->size || bytes > t->size - offset || bytes == 0)) return false;
  *rc = MPI_SUCCESS;
  if (LIKELY(t->way == WAY_MEMORY)) return do_in_memory(w, t, c, l, offset, bytes);
  if (t->way == WAY_MESSAGE) return stream_put_on(w, t, c->origin, offset, bytes);
  if (c->kind == OPERATION_ACCUMULATE) return false;
  rma_count(RMA_COPIED);
  char *own = puts ? (char *)(uintptr_t)c->origin : c->result;
  *rc = copies_plain(w, t, puts, own, (int64_t)offset, bytes);
  return true;
}

int operation_do(rma_window_t *w, const operation_call_t *c)
{
  operation_t o;
  if (c->target == MPI_PROC_NULL) return c->request ? request_done(c->request) : MPI_SUCCESS;
  int rc = check_numbers(w, c);
  if (rc != MPI_SUCCESS) return error_raise(w->handle, rc);
  rma_target_t *t = &w->target[c->target];
  if (UNLIKELY(atomic_load_explicit(&t->ready, memory_order_acquire) != w->epoch))
    rc = epoch_open(w, c->target);
  if (rc == MPI_SUCCESS && !do_plain(w, t, c, &rc)) {
    rc = describe(w, c, &o);
    if (rc == MPI_SUCCESS) rc = carry_out(w, t, &o, c->request);
    release(&o);
  }
  return rc == MPI_SUCCESS ? rc : error_raise(w->handle, rc);
}
