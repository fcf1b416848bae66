/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes which call sites send what, for the page: its list of call sites, and the share of each in
 * pairs of ranks and in levels of the machine.
 * Messages of collective calls are divided among the call sites of the same calls, as
 * berth_cost_sites does. */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/json_out.h"
#include "base/no_memory.h"
#include "base/order.h"
#include "cost/cost_sites.h"
#include "pattern/dense.h"
#include "pattern/message_merge.h"
#include "report/report_internal.h"

/* Maximum of call sites on the page; of pairs with all of their call sites; of call sites of
 * another pair, and of a collective call. */
enum { MAX_SITES = 1000, TOP_PAIRS = 20, SITES_OF_PAIR = 4, SITES_OF_CALL = 20 };

/* The place of a call site in the page's list. */
static int place_of(const berth_report_t *r, int id)
{
  size_t n;
  const berth_site_t *first = berth_pattern_sites(r->pattern, &n);
  const berth_site_t *site = berth_pattern_site(r->pattern, id);
  return site ? r->place[site - first] : REPORT_NO_SITE;
}

/* --- the list --- */

typedef struct site_weight {
  size_t site;
  double weight;
} site_weight_t;

ORDER_BY(heaviest, site_weight_t, FALLING(weight) RISING(site))

/* Weighs call sites by bytes and messages. */
static void weigh(const berth_report_t *r, site_weight_t *w, double *of_call)
{
  size_t n_sites;
  const berth_site_t *first = berth_pattern_sites(r->pattern, &n_sites);
  for (size_t k = 0; k < r->summary.n_phases; k++) {
    size_t n;
    const berth_phase_t *phase = r->summary.phases[k].phase;
    const berth_message_t *m = berth_pattern_messages(r->pattern, k, &n);
    double repeats = (double)phase->repeats;
    bool shares = cost_shares_sites(r->pattern, phase);
    for (size_t i = 0; i < n && !shares; i++) {
      const berth_site_t *site = berth_pattern_site(r->pattern, m[i].site);
      if (site) w[site - first].weight += repeats * (double)(m[i].bytes + m[i].count);
    }
    if (!shares) continue;
    cost_weigh_sites(r->pattern, phase, of_call);
    for (size_t i = 0; i < n_sites; i++) w[i].weight += repeats * of_call[i];
  }
}

ORDER_VALUES(ascending, size_t)

int report_list_sites(berth_report_t *r, berth_error_t *err)
{
  size_t n;
  berth_pattern_sites(r->pattern, &n);
  site_weight_t *w = malloc((n + 1) * sizeof *w);
  double *of_call = malloc((n + 1) * sizeof *of_call);
  r->site = malloc((n + 1) * sizeof *r->site);
  r->place = malloc((n + 1) * sizeof *r->place);
  int rc = w && of_call && r->site && r->place ? BERTH_OK : no_memory(err);
  if (!rc) {
    for (size_t i = 0; i < n; i++) w[i] = (site_weight_t){.site = i};
    weigh(r, w, of_call);
    qsort(w, n, sizeof *w, heaviest);
    for (size_t i = 0; i < n; i++) r->place[i] = REPORT_OTHER_SITE;
    for (size_t i = 0; i < n && i < MAX_SITES && w[i].weight > 0; i++)
      r->site[r->n_sites++] = w[i].site;
    qsort(r->site, r->n_sites, sizeof *r->site, ascending);
    for (size_t i = 0; i < r->n_sites; i++) r->place[r->site[i]] = (int)i;
  }
  free(w);
  free(of_call);
  return rc;
}

void report_put_call_sites(json_out_t *j, const berth_report_t *r)
{
  size_t n;
  const berth_site_t *first = berth_pattern_sites(r->pattern, &n);
  json_open(j, "call_sites", '[', JSON_LINES);
  for (size_t i = 0; i < r->n_sites; i++) {
    const berth_site_t *site = &first[r->site[i]];
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_u64(j, "id", (uint64_t)site->id);
    json_put_string(j, "op", site->op);
    json_put_strings(j, "frames", site->frames, site->n_frames);
    json_close(j);
  }
  json_close(j);
}

/* --- levels --- */

void report_put_site_levels(json_out_t *j, const berth_report_t *r, const rated_t *p)
{
  json_open(j, "sites", '[', JSON_LINES);
  for (size_t i = 0; i < p->n_sites; i++) {
    const berth_site_traffic_t *s = &p->site[i];
    int place = place_of(r, s->site);
    if (place == REPORT_OTHER_SITE) continue;
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_number(j, "site", place);
    json_open(j, "bytes", '[', JSON_ONE_LINE);
    for (size_t d = 0; d < p->cost->n_levels; d++) json_put_number(j, NULL, s->bytes[d]);
    json_close(j);
    json_close(j);
  }
  json_close(j);
}

/* --- the largest pairs --- */

typedef struct site_sum {
  int place;
  double messages, bytes;
} site_sum_t;

typedef struct pair_sites {
  site_sum_t *site;
  size_t n, cap;
} pair_sites_t;

static int add_site(pair_sites_t *to, int place, double messages, double bytes, berth_error_t *err)
{
  size_t i = 0;
  while (i < to->n && to->site[i].place != place) i++;
  if (i == to->n && !ARRAY_ADD(&to->site, &to->n, &to->cap, (site_sum_t){.place = place}))
    return no_memory(err);
  to->site[i].messages += messages;
  to->site[i].bytes += bytes;
  return BERTH_OK;
}

/* Adds one message of a phase, of calls divided among their call sites. */
static int add_message(const berth_report_t *r, const berth_phase_t *phase,
                       const berth_message_t *m, double *weight, pair_sites_t *out,
                       berth_error_t *err)
{
  int rc = BERTH_OK;
  double repeats = (double)phase->repeats;
  double messages = repeats * (double)m->count, bytes = repeats * (double)m->bytes;
  if (!cost_shares_sites(r->pattern, phase))
    return add_site(out, place_of(r, m->site), messages, bytes, err);
  size_t n;
  double sum = cost_weigh_sites(r->pattern, phase, weight);
  berth_pattern_sites(r->pattern, &n);
  for (size_t i = 0; i <= n && !rc; i++)
    if (weight[i] > 0)
      rc = add_site(out, i < n ? r->place[i] : REPORT_NO_SITE, weight[i] / sum * messages,
                    weight[i] / sum * bytes, err);
  return rc;
}

ORDER_BY(descending, site_sum_t, FALLING(bytes) FALLING(messages) RISING(place))

static int find_sites(const berth_report_t *r, const summary_pair_t *pair, double *weight,
                      pair_sites_t *out, berth_error_t *err)
{
  int rc = BERTH_OK;
  *out = (pair_sites_t){0};
  for (size_t k = 0; k < r->summary.n_phases && !rc; k++) {
    size_t n;
    const berth_message_t *m = berth_pattern_messages(r->pattern, k, &n);
    size_t i = message_find(m, n, pair->src, pair->dst);
    for (; i < n && m[i].src == pair->src && m[i].dst == pair->dst && !rc; i++)
      rc = add_message(r, r->summary.phases[k].phase, &m[i], weight, out, err);
  }
  if (out->n) qsort(out->site, out->n, sizeof *out->site, descending);
  return rc;
}

static void put_sum(json_out_t *j, const site_sum_t *sum)
{
  json_open(j, NULL, '{', JSON_ONE_LINE);
  json_put_number(j, "site", sum->place);
  json_put_number(j, "messages", sum->messages);
  json_put_number(j, "bytes", sum->bytes);
  json_close(j);
}

int report_put_top_pairs(json_out_t *j, const berth_report_t *r, berth_error_t *err)
{
  int rc = BERTH_OK;
  size_t n;
  berth_pattern_sites(r->pattern, &n);
  double *weight = malloc((n + 1) * sizeof *weight);
  if (!weight) return no_memory(err);
  json_open(j, "top_pairs", '[', JSON_LINES);
  for (size_t i = 0; i < r->summary.n_pairs && i < TOP_PAIRS && !rc; i++) {
    const summary_pair_t *pair = &r->summary.pairs[i];
    pair_sites_t sites;
    rc = find_sites(r, pair, weight, &sites, err);
    json_open(j, NULL, '{', JSON_ONE_LINE);
    json_put_u64(j, "src", (uint64_t)pair->src);
    json_put_u64(j, "dst", (uint64_t)pair->dst);
    json_put_number(j, "messages", pair->sum.messages);
    json_put_number(j, "bytes", pair->sum.bytes);
    json_open(j, "sites", '[', JSON_ONE_LINE);
    for (size_t k = 0; k < sites.n; k++) put_sum(j, &sites.site[k]);
    json_close(j);
    json_close(j);
    free(sites.site);
  }
  json_close(j);
  free(weight);
  return rc;
}

/* --- all pairs of the page --- */

/* What a call site sends from one rank to another. */
typedef struct part {
  int src, dst, place;
  double messages, bytes;
} part_t;

typedef struct parts {
  part_t *part; /* sorted by src and dst, the largest first */
  size_t n, cap;
} parts_t;

ORDER_BY(by_site, part_t, RISING(src) RISING(dst) RISING(place))
ORDER_BY(by_size, part_t, RISING(src) RISING(dst) FALLING(bytes) FALLING(messages) RISING(place))

/* Merges parts of the same call site. */
static void merge(parts_t *parts)
{
  size_t n = parts->n;
  if (n == 0) return;
  qsort(parts->part, n, sizeof *parts->part, by_site);
  parts->n = 0;
  for (size_t i = 0; i < n; i++) {
    part_t one = parts->part[i], *last = parts->n ? &parts->part[parts->n - 1] : NULL;
    if (last && by_site(last, &one) == 0) {
      last->messages += one.messages;
      last->bytes += one.bytes;
    } else {
      parts->part[parts->n++] = one;
    }
  }
  qsort(parts->part, parts->n, sizeof *parts->part, by_size);
}

static int add_parts(const berth_report_t *r, size_t phase, double repeats, parts_t *out,
                     berth_error_t *err)
{
  size_t n;
  const berth_message_t *m = berth_pattern_messages(r->pattern, phase, &n);
  if (!array_reserve(&out->part, &out->cap, out->n + n, sizeof *out->part)) return no_memory(err);
  for (size_t i = 0; i < n; i++)
    out->part[out->n++] = (part_t){m[i].src, m[i].dst, place_of(r, m[i].site),
                                   repeats * (double)m[i].count, repeats * (double)m[i].bytes};
  return BERTH_OK;
}

/* The parts of a list of pairs. Behind the listed phases is the sum of all others, in which
 * messages of calls have no call sites. Free part. */
static int find_parts(const berth_report_t *r, size_t list, parts_t *out, berth_error_t *err)
{
  int rc = BERTH_OK;
  *out = (parts_t){0};
  if (list < r->n_listed) rc = add_parts(r, r->listed[list], 1, out, err);
  for (size_t k = 0, at = 0; list == r->n_listed && k < r->summary.n_phases && !rc; k++) {
    const berth_phase_t *phase = r->summary.phases[k].phase;
    bool is_listed = at < r->n_listed && r->listed[at] == k;
    at += is_listed;
    if (!is_listed && !cost_is_of_calls(phase))
      rc = add_parts(r, k, (double)phase->repeats, out, err);
  }
  merge(out);
  return rc;
}

typedef struct pair_parts {
  const part_t *first;
  size_t n;
} pair_parts_t;

/* The parts of each pair. Both lists are sorted by ranks. */
static pair_parts_t *find_pair_parts(const parts_t *parts, const cells_t *pairs)
{
  pair_parts_t *of = calloc(pairs->n + 1, sizeof *of);
  const part_t *p = parts->part, *end = p + parts->n;
  for (size_t i = 0; of && i < pairs->n; i++) {
    const cell_t *c = &pairs->cell[i];
    while (p < end && (p->src < c->src || (p->src == c->src && p->dst < c->dst))) p++;
    of[i].first = p;
    for (; p < end && p->src == c->src && p->dst == c->dst; p++) of[i].n++;
  }
  return of;
}

/* The call site of a pair, or REPORT_OTHER_SITE if it is divided. */
static int only_site(const pair_parts_t *of, const cell_t *pair)
{
  bool all = of->n == 1 && of->first->messages >= pair->messages;
  return all ? of->first->place : REPORT_OTHER_SITE;
}

/* Writes the parts of pairs that several call sites send to. */
static void put_divided(json_out_t *j, const pair_parts_t *of, const cells_t *pairs, size_t *room)
{
  static const char *const keys[] = {"pair", "site", "messages", "bytes"};
  size_t before = *room;
  json_open(j, "divided", '{', JSON_ONE_LINE);
  for (int what = 0; what < 4; what++) {
    *room = before;
    json_open(j, keys[what], '[', JSON_COMPACT);
    for (size_t i = 0; i < pairs->n; i++) {
      if (only_site(&of[i], &pairs->cell[i]) != REPORT_OTHER_SITE) continue;
      size_t n = of[i].n < SITES_OF_PAIR ? of[i].n : SITES_OF_PAIR;
      if (n > *room) continue;
      *room -= n;
      for (size_t k = 0; k < n; k++) {
        const part_t *p = &of[i].first[k];
        const double values[] = {(double)i, p->place, p->messages, p->bytes};
        json_put_number(j, NULL, values[what]);
      }
    }
    json_close(j);
  }
  json_close(j);
}

static void put_only(json_out_t *j, const pair_parts_t *of, const cells_t *pairs)
{
  json_open(j, "site", '[', JSON_COMPACT);
  for (size_t i = 0; i < pairs->n; i++)
    json_put_number(j, NULL, only_site(&of[i], &pairs->cell[i]));
  json_close(j);
}

/* Writes the shares of call sites in all pairs of a phase. */
static void put_shares(json_out_t *j, const site_sum_t *site, size_t n, double sum)
{
  json_open(j, "shares", '{', JSON_ONE_LINE);
  for (int what = 0; what < 2; what++) {
    json_open(j, what ? "share" : "site", '[', JSON_COMPACT);
    for (size_t i = 0; i < n; i++)
      json_put_number(j, NULL, what ? site[i].bytes / sum : site[i].place);
    json_close(j);
  }
  json_close(j);
}

/* The same of calls, divided by the bytes that ranks gave. */
static int put_call(json_out_t *j, const berth_report_t *r, const berth_phase_t *phase,
                    berth_error_t *err)
{
  size_t n, used = 0;
  berth_pattern_sites(r->pattern, &n);
  site_sum_t *site = malloc((n + 1) * sizeof *site);
  double *weight = malloc((n + 1) * sizeof *weight);
  int rc = site && weight ? BERTH_OK : no_memory(err);
  double sum = rc ? 0 : cost_weigh_sites(r->pattern, phase, weight);
  for (size_t i = 0; i <= n && !rc; i++)
    if (weight[i] > 0)
      site[used++] =
          (site_sum_t){.place = i < n ? r->place[i] : REPORT_NO_SITE, .bytes = weight[i]};
  if (used) qsort(site, used, sizeof *site, descending);
  if (!rc) put_shares(j, site, used < SITES_OF_CALL ? used : SITES_OF_CALL, sum);
  free(site);
  free(weight);
  return rc;
}

/* Whether one call site sends all messages of a listed phase. */
static bool has_one_site(const berth_report_t *r, size_t list, int *place)
{
  size_t n;
  if (list == r->n_listed) return false;
  const berth_message_t *m = berth_pattern_messages(r->pattern, r->listed[list], &n);
  for (size_t i = 1; i < n; i++)
    if (m[i].site != m[0].site) return false;
  *place = n ? place_of(r, m[0].site) : REPORT_NO_SITE;
  return true;
}

int report_put_pair_sites(json_out_t *j, const berth_report_t *r, size_t list, const cells_t *pairs,
                          size_t *room, berth_error_t *err)
{
  const berth_phase_t *phase = list < r->n_listed ? r->summary.phases[r->listed[list]].phase : NULL;
  bool counted = phase && (phase->by_hosts || pattern_dense(r->pattern, r->listed[list]) != NULL);
  if (phase && (counted || cost_shares_sites(r->pattern, phase))) {
    json_put_bool(j, "counted", counted); /* the list has stand-ins, or nothing */
    return put_call(j, r, phase, err);
  }
  site_sum_t only = {.bytes = 1};
  if (has_one_site(r, list, &only.place)) {
    put_shares(j, &only, 1, 1);
    return BERTH_OK;
  }
  parts_t parts;
  int rc = find_parts(r, list, &parts, err);
  pair_parts_t *of = rc ? NULL : find_pair_parts(&parts, pairs);
  if (!rc && !of) rc = no_memory(err);
  if (!rc) {
    put_only(j, of, pairs);
    put_divided(j, of, pairs, room);
  }
  free(of);
  free(parts.part);
  return rc;
}
