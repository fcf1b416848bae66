/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/host/host_orders.h"

typedef enum order_kind { ORDER_COPY, ORDER_REDUCE, ORDER_END } order_kind_t;

/* In the speaker's line. A copy's data are in the room of the same step if members can't read
 * where they are. */
typedef struct order {
  order_kind_t kind;
  span_t part;      /* elements */
  const char *from; /* where part.first is in the speaker's memory */
} order_t;
_Static_assert(sizeof(order_t) <= HOST_SMALL, "an order");

static order_t *order_of(const host_t *h, int member, uint32_t step)
{
  return (order_t *)(void *)host_place(h, member, step)->small;
}

/* `bytes` of what it is about are put into the room. */
static uint32_t give(host_t *h, order_t order, size_t bytes)
{
  uint32_t step = host_begin(h);
  host_free_bytes(h, step, bytes ? HOST_ROOM : HOST_SMALL);
  *order_of(h, h->me, step) = order;
  if (bytes) memcpy(host_room(h, h->me, step), order.from, bytes);
  host_told(h, step);
  return step;
}

int host_order_reduction(const host_orders_t *o, span_t part, void *to)
{
  host_t *h = o->h;
  give(h, (order_t){ORDER_REDUCE, part, NULL}, 0);
  return host_reduce(h, h->me, o->in + (size_t)part.first * o->element, to,
                     (size_t)(part.end - part.first), o->reduce);
}

int64_t host_order_copy(const host_orders_t *o, span_t part, bool waits)
{
  host_t *h = o->h;
  const char *from = o->out + (size_t)part.first * o->element;
  int64_t most = (int64_t)(HOST_ROOM / o->element);
  if (!waits && !host_is_free(h, h->step + 1, h->one_copy ? HOST_SMALL : HOST_ROOM)) return 0;
  if (!h->one_copy && part.end - part.first > most) part.end = part.first + most;
  size_t bytes = (size_t)(part.end - part.first) * o->element;
  give(h, (order_t){ORDER_COPY, part, from}, h->one_copy ? 0 : bytes);
  host_end(h);
  return part.end - part.first;
}

void host_order_end(const host_orders_t *o)
{
  uint32_t step = give(o->h, (order_t){ORDER_END, {0, 0}, NULL}, 0);
  host_end(o->h);
  if (o->h->one_copy && o->out) host_all_done(o->h, step);
}

static bool copy_part(const host_t *h, int speaker, uint32_t step, const order_t *order, char *out,
                      size_t element)
{
  char *to = out + (size_t)order->part.first * element;
  size_t bytes = (size_t)(order->part.end - order->part.first) * element;
  if (h->one_copy) return host_read(h, speaker, order->from, to, bytes);
  memcpy(to, host_room(h, speaker, step), bytes);
  return true;
}

int host_follow(host_t *h, int speaker, const void *in, void *out, size_t element,
                const reduction_t *r)
{
  int rc = MPI_SUCCESS, code;
  for (;;) {
    uint32_t step = host_begin(h);
    host_hear(h, speaker, step);
    const order_t order = *order_of(h, speaker, step);
    code = MPI_SUCCESS;
    if (order.kind == ORDER_COPY && !copy_part(h, speaker, step, &order, out, element))
      code = MPI_ERR_INTERN;
    if (order.kind != ORDER_REDUCE) host_end(h);
    if (order.kind == ORDER_REDUCE)
      code = host_reduce(h, speaker, (const char *)in + (size_t)order.part.first * element, NULL,
                         (size_t)(order.part.end - order.part.first), r);
    if (rc == MPI_SUCCESS) rc = code;
    if (order.kind == ORDER_END) return rc;
  }
}
