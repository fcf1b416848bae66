/* SPDX-License-Identifier: BSD-3-Clause */
#include "one_sided/epoch_items.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"

static bool same_group(const epoch_item_t *a, const epoch_item_t *b)
{
  return a->phase == b->phase && a->win == b->win && strcmp(a->sync, b->sync) == 0;
}

ORDER_BY(item_order, epoch_item_t,
         RISING(phase) RISING(win) RISING_TEXT(sync) RISING(src) RISING(dst) RISING_TEXT(op->op)
             RISING(size) RISING(site))

/* A lock is of one target, so a line's epochs are those of all its targets together. Each has as
 * many operations as the others. */
static uint64_t epochs_of_target(const berth_rma_t *r, int target)
{
  double all = 0, own = 0;
  for (size_t i = 0; i < r->n_msgs; i++) {
    all += (double)r->msgs[i].count;
    own += r->msgs[i].dst == target ? (double)r->msgs[i].count : 0;
  }
  double epochs = all > 0 ? round(own * (double)r->epochs / all) : 1;
  return epochs > 1 ? (uint64_t)epochs : 1;
}

/* Sizes of binned operations are their mean. */
static epoch_item_t item_of(const berth_rma_t *r, const berth_message_t *m,
                            const epoch_operation_t *op, size_t line)
{
  uint64_t epochs = r->epochs ? r->epochs : 1;
  return (epoch_item_t){
      .phase = r->phase,
      .win = r->win,
      .comm = r->comm,
      .sync = r->sync,
      .src = r->src,
      .dst = m->dst,
      .site = r->site,
      .op = op,
      .size = m->bytes == m->size * m->count ? m->size : (m->bytes + m->count / 2) / m->count,
      .count = m->count,
      .epochs = strcmp(r->sync, "lock") == 0 ? epochs_of_target(r, m->dst) : epochs,
      .line = line};
}

/* Adds the items of a line; returns their new number. */
static size_t add_line(epoch_item_t *items, size_t n, const berth_rma_t *r,
                       const epoch_operation_t *op, size_t line)
{
  uint64_t begin = 0;
  for (size_t i = 0; i < r->n_msgs; i++) {
    if (r->msgs[i].count == 0) continue;
    epoch_item_t item = item_of(r, &r->msgs[i], op, line);
    item.begin = begin % item.epochs;
    begin += item.count % item.epochs;
    items[n++] = item;
  }
  return n;
}

epoch_item_t *epoch_items(const berth_pattern_t *p, const epoch_rules_t *rules, size_t *n)
{
  size_t lines, all = 0;
  const berth_rma_t *r = berth_pattern_rmas(p, &lines);
  for (size_t i = 0; i < lines; i++) all += r[i].n_msgs;
  epoch_item_t *items = malloc((all + 1) * sizeof *items);
  *n = 0;
  for (size_t i = 0; items && i < lines; i++) {
    const epoch_operation_t *op = epoch_operation_find(rules, r[i].op);
    if (op) *n = add_line(items, *n, &r[i], op, i);
  }
  if (items) qsort(items, *n, sizeof *items, item_order);
  return items;
}

uint64_t epoch_item_operations(const epoch_item_t *i, uint64_t epoch)
{
  if (epoch >= i->epochs) return 0;
  uint64_t place = epoch >= i->begin ? epoch - i->begin : epoch + i->epochs - i->begin;
  return i->count / i->epochs + (place < i->count % i->epochs);
}

ORDER_VALUES(edge_order, uint64_t)

bool epoch_group_of(const epoch_item_t *item, size_t n, epoch_group_t *out)
{
  size_t edges = 1, kept = 0;
  *out = (epoch_group_t){.item = item};
  while (out->n < n && same_group(&item[out->n], item)) out->n++;
  out->edge = malloc((3 * out->n + 1) * sizeof *out->edge);
  if (!out->edge) return false;
  out->edge[0] = 0;
  for (size_t i = 0; i < out->n; i++) {
    uint64_t more = item[i].count % item[i].epochs;
    if (more > 0) out->edge[edges++] = item[i].begin;
    if (more > 0) out->edge[edges++] = (item[i].begin + more) % item[i].epochs;
    out->edge[edges++] = item[i].epochs;
  }
  qsort(out->edge, edges, sizeof *out->edge, edge_order);
  for (size_t i = 0; i < edges; i++)
    if (kept == 0 || out->edge[kept - 1] != out->edge[i]) out->edge[kept++] = out->edge[i];
  out->n_edges = kept;
  return true;
}
