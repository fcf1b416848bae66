/* SPDX-License-Identifier: BSD-3-Clause */
/* Building blocks of a chain. */
#include "cost/flow/flow_chain.h"

#include <stdlib.h>

#include "base/no_memory.h"
#include "base/order.h"

ORDER_VALUES(by_value, uint64_t)

int flow_size_find(const flow_plan_t *plan, uint64_t size)
{
  const uint64_t *at = bsearch(&size, plan->size, plan->n_sizes, sizeof size, by_value);
  return (int)(at - plan->size);
}

int flow_chain_reserve(flow_chain_builder_t *b, size_t members, size_t senders, size_t items,
                       size_t messages, berth_error_t *err)
{
  flow_chain_t *c = b->chain;
  if (items > INT32_MAX / 2) return no_memory(err);
  c->member = calloc(members + 1, sizeof *c->member);
  c->sender = malloc((senders + 1) * sizeof *c->sender);
  c->item = malloc((items + 1) * sizeof *c->item);
  c->kind = malloc((messages + 1) * sizeof *c->kind);
  c->kind_of_member = malloc((messages + 1) * sizeof *c->kind_of_member);
  c->connection = malloc((messages + 1) * sizeof *c->connection);
  c->part = malloc((messages + 1) * sizeof *c->part);
  b->last_item = malloc((messages + 1) * sizeof *b->last_item);
  bool enough = c->member && c->sender && c->item && c->kind && c->kind_of_member &&
                c->connection && c->part && b->last_item;
  return enough ? BERTH_OK : no_memory(err);
}

void flow_chain_builder_clear(flow_chain_builder_t *b)
{
  free(b->last_item);
  b->last_item = NULL;
}

void flow_chain_clear(flow_chain_t *chain)
{
  if (chain->coarser) flow_chain_clear(chain->coarser);
  free(chain->coarser);
  if (chain->alone) flow_chain_clear(chain->alone);
  free(chain->alone);
  free(chain->member);
  free(chain->sender);
  free(chain->item);
  free(chain->kind);
  free(chain->kind_of_member);
  free(chain->connection);
  free(chain->part);
  free(chain->turn);
}

void flow_chain_add_sender(flow_chain_builder_t *b, int src)
{
  flow_chain_t *c = b->chain;
  c->sender[c->n_senders++] = (flow_sender_t){src, c->n_items, c->n_kinds, -1};
}

void flow_chain_add_connection(flow_chain_builder_t *b)
{
  flow_chain_t *c = b->chain;
  c->connection[c->n_connections++] = (flow_connection_t){c->n_senders - 1, -1, -1, -1};
}

/* Adds a kind with the parts from `first_part` on. */
static void add_kind(flow_chain_t *c, int dst, int member, size_t first_part, double bytes,
                     double messages)
{
  c->kind[c->n_kinds++] = (flow_kind_t){
      dst, c->n_connections - 1, member, first_part, messages, bytes, bytes > 0 ? bytes : messages};
}

void flow_chain_add_token(flow_chain_builder_t *b, int dst)
{
  flow_chain_t *c = b->chain;
  c->kind[c->n_kinds++] = (flow_kind_t){dst, c->n_connections - 1, 0, c->n_parts, 1, 0, 0};
}

void flow_chain_add_kind(flow_chain_builder_t *b, const berth_message_t *m, size_t n, int member)
{
  double bytes = 0, messages = 0;
  flow_chain_t *c = b->chain;
  size_t first_part = c->n_parts;
  for (size_t i = 0; i < n; i++) {
    bytes += (double)m[i].bytes;
    messages += (double)m[i].count;
    c->part[c->n_parts++] = (flow_part_t){flow_size_find(b->plan, m[i].size), (double)m[i].count};
  }
  add_kind(c, m->dst, member, first_part, bytes, messages);
}

void flow_chain_add_kinds_by_size(flow_chain_builder_t *b, const berth_message_t *m, size_t n)
{
  double bytes = 0, messages = 0;
  flow_chain_t *c = b->chain;
  for (size_t i = 0; i < n; i++) {
    bytes += (double)m[i].bytes;
    messages += (double)m[i].count;
    if (i + 1 < n && m[i + 1].size == m[i].size) continue;
    c->part[c->n_parts++] = (flow_part_t){flow_size_find(b->plan, m[i].size), 1};
    add_kind(c, m->dst, 0, c->n_parts - 1, bytes / messages, 1);
    bytes = messages = 0;
  }
}

/* Adds a kind that is a share of another one's message. */
static void add_share(flow_chain_t *c, int kind, double share, double messages)
{
  flow_kind_t part = c->kind[kind];
  const flow_part_t *whole = &c->part[part.first_part];
  part.first_part = c->n_parts;
  part.messages = messages;
  part.bytes *= share;
  part.volume = part.bytes;
  c->part[c->n_parts++] = (flow_part_t){whole->size, whole->count * share};
  c->kind[c->n_kinds++] = part;
}

int flow_chain_split_kind(flow_chain_builder_t *b, int kind, double head)
{
  flow_chain_t *c = b->chain;
  double share = head / c->kind[kind].bytes;
  add_share(c, kind, share, 0);
  add_share(c, kind, 1 - share, c->kind[kind].messages);
  return c->n_kinds - 2;
}

void flow_chain_add_send(flow_chain_builder_t *b, int kind, double times, bool blocking)
{
  flow_chain_t *c = b->chain;
  int at = c->n_items++, connection = c->kind[kind].connection;
  flow_connection_t *on = &c->connection[connection];
  if (on->first_item < 0)
    on->first_item = at;
  else
    c->item[b->last_item[connection]].next = at;
  b->last_item[connection] = at;
  c->item[at] = (flow_item_t){.kind = kind,
                              .connection = connection,
                              .next = on->first_item,
                              .times = times,
                              .blocking = blocking};
  c->member[c->kind[kind].member].n_sends++;
}

void flow_chain_add_item(flow_chain_builder_t *b, flow_item_t item)
{
  b->chain->item[b->chain->n_items++] = item;
}

/* Lists the kinds of each member, those of a member as they are in the chain. */
static void list_kinds(flow_chain_t *c)
{
  int at = 0;
  for (int k = 0; k < c->n_kinds; k++) c->member[c->kind[k].member].first_kind++;
  for (int m = 0; m <= c->n_members; m++) {
    int n = c->member[m].first_kind;
    c->member[m].first_kind = at;
    at += n;
  }
  for (int k = 0; k < c->n_kinds; k++)
    c->kind_of_member[c->member[c->kind[k].member].first_kind++] = k;
  for (int m = c->n_members; m > 0; m--) c->member[m].first_kind = c->member[m - 1].first_kind;
  c->member[0].first_kind = 0;
}

ORDER_BY(by_src, flow_sender_t, RISING(src))

/* Finds the receiver of a connection, to which these kinds go, unless it is known: parts of split
 * kinds come apart from the others. */
static void find_receiver(flow_chain_t *c, int connection, int dst)
{
  flow_connection_t *to = &c->connection[connection];
  const flow_sender_t key = {.src = dst};
  if (to->receiver >= 0) return;
  flow_sender_t *found = bsearch(&key, c->sender, (size_t)c->n_senders, sizeof key, by_src);
  if (!found) return;
  to->receiver = (int)(found - c->sender);
  to->next_in = found->first_in;
  found->first_in = connection;
}

void flow_chain_finish(flow_chain_builder_t *b)
{
  flow_chain_t *c = b->chain;
  c->sender[c->n_senders] = (flow_sender_t){-1, c->n_items, c->n_kinds, -1};
  c->kind[c->n_kinds] = (flow_kind_t){-1, -1, -1, c->n_parts, 0, 0, 0};
  list_kinds(c);
  for (int k = 0; k < c->n_kinds; k++)
    if (k == 0 || c->kind[k].connection != c->kind[k - 1].connection)
      find_receiver(c, c->kind[k].connection, c->kind[k].dst);
}
