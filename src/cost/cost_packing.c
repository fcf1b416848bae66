/* SPDX-License-Identifier: BSD-3-Clause */
/* What messages of derived datatypes cost more than contiguous ones. Each layout is looked up once
 * for each measured type of hosts. */
#include <berth/packing.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "cost/packing_reference.h"
#include "pattern/phase_find.h"

/* Messages that are packed alike. */
typedef struct layout {
  int receives;
  int of_calls; /* blocks of collective calls, which are no messages of their own */
  int members;  /* ranks that such a call is an exchange of; 0: it is none */
  int both;     /* what they give and what they take isn't contiguous */
  uint64_t size, pieces, span;
  size_t first; /* scratch: its place in the pattern's list */
} layout_t;

ORDER_BY(by_layout, layout_t,
         RISING(receives) RISING(of_calls) RISING(members) RISING(both) RISING(size) RISING(pieces)
             RISING(span))

/* Of a layout on a type of hosts. NAN: unknown. */
typedef struct price {
  double seconds, by_program_s;
  berth_packer_t by;
} price_t;

struct berth_packing {
  const berth_topo_t *topo;
  const berth_packed_t *packed; /* of the pattern; rising by rank */
  size_t n, n_layouts, n_types;
  size_t *layout; /* of each of them */
  price_t *price; /* by type of hosts, then by layout */
};

static berth_side_t side_of(int receives)
{
  return receives ? BERTH_SIDE_RECEIVE : BERTH_SIDE_SEND;
}

/* A block's share of what exchanges with all others take longer. The own one is no exchange. */
static double exchanged_s(const berth_node_t *node, const char *known, const layout_t *l)
{
  if (l->members < 2) return NAN;
  berth_side_t side = l->both ? BERTH_SIDE_BOTH : side_of(l->receives);
  double seconds = berth_node_exchange_packing_s(node, known, side, (double)l->size,
                                                 (double)l->pieces, (double)l->span);
  return seconds * (l->members - 1) / l->members / (l->both ? 2 : 1);
}

/* Whether a message of its own is packed, so that links say what a contiguous one takes. */
static bool is_compared(const layout_t *l) { return l->pieces > 1 && l->size > 0 && !l->of_calls; }

/* `known`: the MPI of the node's tables. */
static price_t price_of(const berth_node_t *node, const char *known, const packing_reference_t *r,
                        const layout_t *l)
{
  price_t p = {.by = BERTH_PACKER_TYPE};
  double size = (double)l->size, pieces = (double)l->pieces, span = (double)l->span;
  double longer_s = is_compared(l) ? packing_reference_longer_s(r, l->size) : 0;
  p.seconds = berth_node_packing_s(node, known, side_of(l->receives), size, pieces, span);
  longer_s += fmax(0, exchanged_s(node, known, l) - p.seconds);
  p.by_program_s =
      berth_node_packed_by_program_s(node, known, side_of(l->receives), size, pieces, span, &p.by);
  p.seconds += longer_s;
  p.by_program_s += longer_s;
  if (p.by != BERTH_PACKER_TYPE) p.by_program_s = fmax(0, p.by_program_s); /* it is contiguous */
  return p;
}

ORDER_VALUES(by_size, uint64_t)

/* The sizes of messages that links are asked about, *n of them, rising. */
static uint64_t *find_sizes(const berth_packing_t *k, const layout_t *l, size_t *n)
{
  uint64_t *size = malloc((k->n_layouts + 1) * sizeof *size);
  size_t all = 0;
  for (size_t i = 0; size && i < k->n_layouts; i++)
    if (is_compared(&l[i])) size[all++] = l[i].size;
  if (size && all) qsort(size, all, sizeof *size, by_size);
  *n = 0;
  for (size_t i = 0; i < all; i++)
    if (i == 0 || size[i] != size[*n - 1]) size[(*n)++] = size[i];
  return size;
}

/* The prices of all layouts on one type of hosts. `size`: n that links are asked about. */
static int find_prices(const berth_packing_t *k, int type, const char *mpi, const layout_t *l,
                       const uint64_t *size, size_t n, berth_error_t *err)
{
  const berth_node_t *node = berth_topo_type(k->topo, type)->node;
  const char *known = node ? berth_node_strided_mpi(node, mpi) : NULL;
  price_t *price = &k->price[(size_t)type * k->n_layouts];
  packing_reference_t r = {0};
  int rc = known ? packing_reference_find(k->topo, type, known, size, n, &r, err) : BERTH_OK;
  for (size_t i = 0; !rc && i < k->n_layouts; i++)
    price[i] = known ? price_of(node, known, &r, &l[i]) : (price_t){NAN, NAN, BERTH_PACKER_TYPE};
  packing_reference_clear(&r);
  return rc;
}

/* A call site of collective calls. */
typedef struct call_site {
  int site, members; /* as in layout_t */
  bool given, taken; /* in pieces */
} call_site_t;

ORDER_BY(by_call_site, call_site_t, RISING(site) FALLING(members))

/* Whether each rank sends to each other one. */
static bool is_all_to_all(const char *op)
{
  return strncmp(op, "MPI_Alltoall", 12) == 0 || strncmp(op, "MPI_Ialltoall", 13) == 0;
}

static int members_of(const berth_pattern_t *p, const berth_coll_t *c)
{
  const berth_comm_t *comm = pattern_comm(p, c->comm);
  if (!is_all_to_all(c->op)) return 0;
  return comm ? (int)comm->n_ranks : berth_pattern_ranks(p);
}

ORDER_BY(by_their_site, call_site_t, RISING(site))

/* NULL: it has none. Nobody knows what site 0 is. */
static call_site_t *find_site(call_site_t *list, size_t n, int site)
{
  return n && site ? bsearch(&(call_site_t){.site = site}, list, n, sizeof *list, by_their_site)
                   : NULL;
}

/* Those of the pattern, *n of them, rising. */
static call_site_t *find_call_sites(const berth_packing_t *k, const berth_pattern_t *p, size_t *n)
{
  size_t all;
  const berth_coll_t *c = berth_pattern_colls(p, &all);
  call_site_t *list = malloc((all + 1) * sizeof *list);
  for (size_t i = 0; list && i < all; i++)
    list[i] = (call_site_t){.site = c[i].site, .members = members_of(p, &c[i])};
  if (list && all) qsort(list, all, sizeof *list, by_call_site);
  *n = 0;
  for (size_t i = 0; list && i < all; i++)
    if (i == 0 || list[i].site != list[*n - 1].site) list[(*n)++] = list[i];
  for (size_t i = 0; list && i < k->n; i++) {
    call_site_t *here = find_site(list, *n, k->packed[i].site);
    if (here) *(k->packed[i].receives ? &here->taken : &here->given) = true;
  }
  return list;
}

static layout_t layout_of(const berth_packed_t *x, const call_site_t *calls)
{
  layout_t l = {.receives = x->receives, .size = x->size, .pieces = x->pieces, .span = x->span};
  l.of_calls = calls != NULL;
  l.members = calls ? calls->members : 0;
  l.both = l.members > 0 && calls->given && calls->taken;
  return l;
}

/* Numbers the layouts: sorts them, and counts equal ones once. */
static layout_t *find_layouts(berth_packing_t *k, const berth_pattern_t *p)
{
  size_t n_sites;
  call_site_t *site = find_call_sites(k, p, &n_sites);
  layout_t *l = site ? malloc((k->n + 1) * sizeof *l) : NULL;
  for (size_t i = 0; l && i < k->n; i++) {
    l[i] = layout_of(&k->packed[i], find_site(site, n_sites, k->packed[i].site));
    l[i].first = i;
  }
  free(site);
  if (l && k->n) qsort(l, k->n, sizeof *l, by_layout);
  for (size_t i = 0; l && i < k->n; i++) {
    if (i == 0 || by_layout(&l[k->n_layouts - 1], &l[i]) != 0) {
      layout_t here = l[i];
      l[k->n_layouts++] = here;
    }
    k->layout[l[i].first] = k->n_layouts - 1;
  }
  return l;
}

static int prepare(berth_packing_t *k, const berth_pattern_t *p, berth_error_t *err)
{
  k->layout = malloc((k->n + 1) * sizeof *k->layout);
  size_t n_sizes = 0;
  layout_t *l = k->layout ? find_layouts(k, p) : NULL;
  uint64_t *size = l ? find_sizes(k, l, &n_sizes) : NULL;
  k->price = malloc((k->n_types * k->n_layouts + 1) * sizeof *k->price);
  int rc = size && k->price ? BERTH_OK : no_memory(err);
  for (size_t t = 0; !rc && t < k->n_types; t++)
    rc = find_prices(k, (int)t, berth_pattern_mpi(p), l, size, n_sizes, err);
  free(size);
  free(l);
  return rc;
}

berth_packing_t *berth_packing_new(const berth_pattern_t *p, const berth_topo_t *t,
                                   berth_model_t model, berth_error_t *err)
{
  berth_packing_t *k = calloc(1, sizeof *k);
  if (!k) return no_memory_null(err);
  bool times = model != BERTH_MODEL_SUM && !berth_topo_has_distances(t);
  k->topo = t;
  k->packed = berth_pattern_packed(p, &k->n);
  k->n_types = (size_t)berth_topo_n_types(t);
  if (!times) k->n = 0;
  if (!prepare(k, p, err)) return k;
  berth_packing_free(k);
  return NULL;
}

void berth_packing_free(berth_packing_t *k)
{
  if (!k) return;
  free(k->layout);
  free(k->price);
  free(k);
}

static const price_t *price_at(const berth_packing_t *k, size_t i, const int *pu_of_rank)
{
  int host = berth_topo_pu(k->topo, pu_of_rank[k->packed[i].rank])->host;
  int type = berth_topo_element(k->topo, berth_topo_host(k->topo, host)->element)->type;
  return &k->price[(size_t)type * k->n_layouts + k->layout[i]];
}

double berth_packing_messages(const berth_packing_t *k)
{
  double n = 0;
  for (size_t i = 0; i < k->n; i++) n += (double)k->packed[i].count;
  return n;
}

double berth_packing_unknown(const berth_packing_t *k, const int *pu_of_rank)
{
  double n = 0;
  for (size_t i = 0; i < k->n; i++)
    if (isnan(price_at(k, i, pu_of_rank)->seconds)) n += (double)k->packed[i].count;
  return n;
}

/* What a rank packs. A message in blocks may save the slow way of contiguous ones, but once: at
 * both of its ends the tables have the whole message, and a link carries both ways at the same
 * time. */
typedef struct rank_time {
  double spent, saved[2]; /* by `receives` */
} rank_time_t;

static void add_time(rank_time_t *t, int receives, double seconds)
{
  if (seconds > 0)
    t->spent += seconds;
  else if (seconds < 0)
    t->saved[receives] -= seconds;
}

static double time_of(const rank_time_t *t) { return t->spent - fmax(t->saved[0], t->saved[1]); }

double berth_packing_evaluate(const berth_packing_t *k, const int *pu_of_rank)
{
  double most = -INFINITY;
  rank_time_t here = {0};
  for (size_t i = 0; i < k->n; i++) {
    double seconds = (double)k->packed[i].count * price_at(k, i, pu_of_rank)->seconds;
    add_time(&here, k->packed[i].receives != 0, seconds);
    if (i + 1 < k->n && k->packed[i + 1].rank == k->packed[i].rank) continue;
    most = fmax(most, time_of(&here));
    here = (rank_time_t){0};
  }
  return k->n ? most : 0;
}

/* --- call sites --- */

/* What one rank has at a call site; and the sums of all ranks. */
typedef struct share {
  int site, receives, rank;
  double messages, bytes, pieces, seconds, by_program_s;
  double by[BERTH_PACKERS]; /* messages, by the fastest way to pack them */
} share_t;

ORDER_BY(by_site, share_t, RISING(site) RISING(receives) RISING(rank))

static int add_share(const berth_packing_t *k, size_t i, const price_t *price, share_t **list,
                     size_t *n, size_t *cap)
{
  const berth_packed_t *x = &k->packed[i];
  share_t *last = *n ? &(*list)[*n - 1] : NULL;
  double count = (double)x->count;
  if (!last || last->site != x->site || last->receives != x->receives || last->rank != x->rank) {
    share_t new = {.site = x->site, .receives = x->receives, .rank = x->rank};
    if (!ARRAY_ADD(list, n, cap, new)) return 0;
    last = &(*list)[*n - 1];
  }
  last->messages += count;
  last->bytes += count * (double)x->size;
  last->pieces += count * (double)x->pieces;
  last->seconds += count * price->seconds;
  last->by_program_s += count * price->by_program_s;
  last->by[price->by] += count;
  return 1;
}

static berth_packer_t most_frequent(const double *by)
{
  berth_packer_t best = BERTH_PACKER_TYPE;
  for (berth_packer_t i = 0; i < BERTH_PACKERS; i++)
    if (by[i] > by[best]) best = i;
  return best;
}

/* One site of the shares of its ranks: sums, and the times of the rank with the most. */
static berth_packing_site_t sum_up(const share_t *s, size_t n)
{
  berth_packing_site_t to = {.site = s->site, .receives = s->receives, .seconds = -INFINITY};
  double by[BERTH_PACKERS] = {0};
  for (size_t i = 0; i < n; i++) {
    to.messages += s[i].messages;
    to.bytes += s[i].bytes;
    to.pieces += s[i].pieces;
    for (int b = 0; b < BERTH_PACKERS; b++) by[b] += s[i].by[b];
    if (s[i].seconds <= to.seconds) continue;
    to.seconds = s[i].seconds;
    to.by_program_s = s[i].by_program_s;
  }
  to.pieces /= to.messages;
  to.by = most_frequent(by);
  return to;
}

ORDER_BY(by_seconds, berth_packing_site_t, FALLING(seconds) RISING(site) RISING(receives))

int berth_packing_sites(const berth_packing_t *k, const int *pu_of_rank, berth_packing_site_t **out,
                        size_t *n, berth_error_t *err)
{
  share_t *share = NULL;
  size_t n_shares = 0, cap = 0;
  bool memory = true;
  *n = 0;
  for (size_t i = 0; i < k->n && memory; i++) {
    const price_t *price = price_at(k, i, pu_of_rank);
    if (!isnan(price->seconds)) memory = add_share(k, i, price, &share, &n_shares, &cap);
  }
  *out = malloc((n_shares + 1) * sizeof **out);
  if (!memory || !*out) {
    free(share);
    free(*out);
    *out = NULL;
    return no_memory(err);
  }
  if (n_shares) qsort(share, n_shares, sizeof *share, by_site);
  for (size_t i = 0, end; i < n_shares; i = end) {
    for (end = i; end < n_shares && share[end].site == share[i].site &&
                  share[end].receives == share[i].receives;)
      end++;
    (*out)[(*n)++] = sum_up(&share[i], end - i);
  }
  free(share);
  if (*n) qsort(*out, *n, sizeof **out, by_seconds);
  return BERTH_OK;
}
