/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json_out.h"
#include "pattern/pattern_internal.h"

typedef struct writer {
  json_out_t json;
  uint64_t records;
} writer_t;

static json_out_t *begin(writer_t *w, const char *kind)
{
  json_open(&w->json, NULL, '{', JSON_COMPACT);
  json_put_string(&w->json, "kind", kind);
  w->records++;
  return &w->json;
}

/* Phase and site default to 0, which needs no member. */
static void put_ids(json_out_t *j, int phase, int site)
{
  if (phase) json_put_u64(j, "phase", (uint64_t)phase);
  if (site) json_put_u64(j, "site", (uint64_t)site);
}

static void put_strings(json_out_t *j, const char *key, size_t n, const char *const *strings)
{
  json_open(j, key, '[', JSON_COMPACT);
  for (size_t i = 0; i < n; i++) json_put_string(j, NULL, strings[i]);
  json_close(j);
}

static void put_header(writer_t *w, const berth_pattern_t *p)
{
  json_out_t *j = &w->json;
  json_open(j, NULL, '{', JSON_COMPACT);
  json_put_string(j, "format", "berth-pattern");
  json_put_u64(j, "version", 1);
  json_put_u64(j, "ranks", (uint64_t)p->ranks);
  put_strings(j, "command", p->argc, p->argv);
  json_put_string(j, "mpi", p->mpi);
  if (*p->created) json_put_string(j, "created", p->created);
  if (p->unmodelled.n) json_open(j, "unmodelled", '[', JSON_COMPACT);
  for (size_t i = 0; i < p->unmodelled.n; i++) {
    json_open(j, NULL, '{', JSON_COMPACT);
    json_put_string(j, "op", p->unmodelled.items[i].op);
    json_put_u64(j, "calls", p->unmodelled.items[i].calls);
    json_close(j);
  }
  if (p->unmodelled.n) json_close(j);
  json_close(j);
}

static void put_ranks(writer_t *w, const berth_pattern_t *p)
{
  for (int r = 0; r < p->ranks; r++) {
    const berth_rank_info_t *info = berth_pattern_rank(p, r);
    if (!info) continue;
    json_out_t *j = begin(w, "rank");
    json_put_u64(j, "rank", (uint64_t)r);
    if (*info->host) json_put_string(j, "host", info->host);
    if (info->pu >= 0) json_put_u64(j, "pu", (uint64_t)info->pu);
    json_put_number(j, "wall_s", info->wall_s);
    json_put_number(j, "mpi_s", info->mpi_s);
    if (info->unsure_s > 0) json_put_number(j, "unsure_s", info->unsure_s);
    json_close(j);
  }
}

static void put_phases(writer_t *w, const berth_pattern_t *p)
{
  for (size_t i = 0; i < p->phases.n; i++) {
    json_out_t *j = begin(w, "phase");
    json_put_u64(j, "id", (uint64_t)p->phases.items[i].id);
    json_put_string(j, "name", p->phases.items[i].name);
    json_put_u64(j, "repeats", p->phases.items[i].repeats);
    json_close(j);
  }
}

static void put_sites(writer_t *w, const berth_pattern_t *p)
{
  for (size_t i = 0; i < p->sites.n; i++) {
    const berth_site_t *site = &p->sites.items[i];
    json_out_t *j = begin(w, "site");
    json_put_u64(j, "id", (uint64_t)site->id);
    json_put_string(j, "op", site->op);
    put_strings(j, "frames", site->n_frames, site->frames);
    json_close(j);
  }
}

static void put_comms(writer_t *w, const berth_pattern_t *p)
{
  for (size_t i = 0; i < p->comms.n; i++) {
    const berth_comm_t *comm = &p->comms.items[i];
    json_out_t *j = begin(w, "comm");
    json_put_u64(j, "id", (uint64_t)comm->id);
    json_open(j, "ranks", '[', JSON_COMPACT);
    for (size_t k = 0; k < comm->n_ranks; k++) json_put_u64(j, NULL, (uint64_t)comm->ranks[k]);
    json_close(j);
    json_close(j);
  }
}

static void put_item(json_out_t *j, const berth_message_t *m)
{
  json_open(j, NULL, '[', JSON_COMPACT);
  json_put_u64(j, NULL, (uint64_t)m->dst);
  json_put_u64(j, NULL, m->size);
  json_put_u64(j, NULL, m->count);
  if (m->bytes != m->size * m->count) json_put_u64(j, NULL, m->bytes);
  json_close(j);
}

static int by_site(const void *a, const void *b)
{
  const berth_message_t *m = a, *n = b;
  if (m->site != n->site) return m->site < n->site ? -1 : 1;
  if (m->dst != n->dst) return m->dst < n->dst ? -1 : 1;
  return (m->size > n->size) - (m->size < n->size);
}

/* One line for each site of a source's messages, which are in `m` for this function to sort. */
static void put_source(writer_t *w, berth_message_t *m, size_t n)
{
  qsort(m, n, sizeof *m, by_site);
  for (size_t i = 0; i < n;) {
    int site = m[i].site;
    json_out_t *j = begin(w, "p2p");
    put_ids(j, m[i].phase, site);
    json_put_u64(j, "src", (uint64_t)m[i].src);
    json_open(j, "msgs", '[', JSON_COMPACT);
    for (; i < n && m[i].site == site; i++) put_item(j, &m[i]);
    json_close(j);
    json_close(j);
  }
}

static int put_messages(writer_t *w, const berth_pattern_t *p)
{
  const berth_message_t *m = p->messages.items;
  LIST(berth_message_t) scratch = {0};
  bool enough = true;
  for (size_t i = 0, end; i < p->messages.n && enough; i = end) {
    end = i;
    while (end < p->messages.n && m[end].src == m[i].src && m[end].phase == m[i].phase) end++;
    enough = array_reserve(&scratch.items, &scratch.cap, end - i, sizeof *m);
    if (!enough) break;
    memcpy(scratch.items, m + i, (end - i) * sizeof *m);
    put_source(w, scratch.items, end - i);
  }
  free(scratch.items);
  return enough ? BERTH_OK : BERTH_MISSING;
}

static void put_orders(writer_t *w, const berth_pattern_t *p)
{
  for (size_t i = 0; i < p->orders.n; i++) {
    const berth_order_t *o = &p->orders.items[i];
    json_out_t *j = begin(w, "order");
    put_ids(j, o->phase, 0);
    json_put_u64(j, "src", (uint64_t)o->src);
    if (o->rounds != 1) json_put_u64(j, "rounds", o->rounds);
    json_open(j, "sends", '[', JSON_COMPACT);
    for (size_t k = 0; k < o->n_sends; k++) {
      const berth_send_t *send = &o->sends[k];
      json_open(j, NULL, '[', JSON_COMPACT);
      json_put_u64(j, NULL, (uint64_t)send->dst);
      json_put_u64(j, NULL, send->size);
      json_put_u64(j, NULL, (uint64_t)send->blocking);
      if (send->times != 1) json_put_u64(j, NULL, send->times);
      json_close(j);
    }
    json_close(j);
    json_close(j);
  }
}

/* Bytes of one rank after another; several alike are [bytes, ranks]. */
static void put_shares(json_out_t *j, const char *key, size_t n, const berth_share_t *shares)
{
  json_open(j, key, '[', JSON_COMPACT);
  for (size_t i = 0; i < n; i++) {
    if (shares[i].ranks == 1) {
      json_put_u64(j, NULL, shares[i].bytes);
      continue;
    }
    json_open(j, NULL, '[', JSON_COMPACT);
    json_put_u64(j, NULL, shares[i].bytes);
    json_put_u64(j, NULL, shares[i].ranks);
    json_close(j);
  }
  json_close(j);
}

static void put_colls(writer_t *w, const berth_pattern_t *p)
{
  for (size_t i = 0; i < p->colls.n; i++) {
    const berth_coll_t *c = &p->colls.items[i];
    json_out_t *j = begin(w, "coll");
    put_ids(j, c->phase, c->site);
    json_put_u64(j, "comm", (uint64_t)c->comm);
    json_put_string(j, "op", c->op);
    json_put_u64(j, "bytes", c->bytes);
    json_put_u64(j, "count", c->count);
    if (c->root >= 0)
      json_put_u64(j, "root", (uint64_t)c->root);
    else
      json_put_string(j, "root", NULL);
    if (c->n_shares) put_shares(j, "rank_bytes", c->n_shares, c->shares);
    json_close(j);
  }
}

static void put_rows(writer_t *w, const berth_pattern_t *p)
{
  for (size_t i = 0; i < p->rows.n; i++) {
    const berth_row_t *r = &p->rows.items[i];
    json_out_t *j = begin(w, "row");
    put_ids(j, r->phase, r->site);
    json_put_u64(j, "comm", (uint64_t)r->comm);
    json_put_string(j, "op", r->op);
    json_put_u64(j, "src", (uint64_t)r->src);
    put_shares(j, "rank_bytes", r->n_shares, r->shares);
    json_close(j);
  }
}

static void put_rmas(writer_t *w, const berth_pattern_t *p)
{
  for (size_t i = 0; i < p->rmas.n; i++) {
    const berth_rma_t *r = &p->rmas.items[i];
    json_out_t *j = begin(w, "rma");
    put_ids(j, r->phase, r->site);
    json_put_u64(j, "src", (uint64_t)r->src);
    json_put_u64(j, "win", (uint64_t)r->win);
    json_put_string(j, "sync", r->sync);
    json_put_string(j, "op", r->op);
    json_put_u64(j, "epochs", r->epochs);
    json_open(j, "msgs", '[', JSON_COMPACT);
    for (size_t k = 0; k < r->n_msgs; k++) put_item(j, &r->msgs[k]);
    json_close(j);
    json_close(j);
  }
}

int berth_pattern_save(const berth_pattern_t *p, const char *path, berth_error_t *err)
{
  writer_t w = {.json.out = out_open(path, err)};
  if (!w.json.out) return BERTH_MISSING;
  put_header(&w, p);
  put_ranks(&w, p);
  put_phases(&w, p);
  put_sites(&w, p);
  put_comms(&w, p);
  if (put_messages(&w, p)) {
    out_abort(w.json.out);
    return berth_fail(err, BERTH_MISSING, "out of memory");
  }
  put_orders(&w, p);
  put_colls(&w, p);
  put_rows(&w, p);
  put_rmas(&w, p);
  json_open(&w.json, NULL, '{', JSON_COMPACT);
  json_put_string(&w.json, "kind", "end");
  json_put_u64(&w.json, "records", w.records);
  json_close(&w.json);
  return out_commit(w.json.out, err);
}
