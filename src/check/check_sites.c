/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the call sites from which a pair of ranks sends, and those from which it sends more.
 * Numbers of call sites differ between recordings. A site is identified by its call and frames. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/no_memory.h"
#include "check/check_internal.h"
#include "cost/cost_sites.h"
#include "pattern/message_merge.h"

typedef struct site_list {
  berth_check_site_t *items;
  size_t n, cap;
} site_list_t;

/* Returns the text behind the character at s, and behind the line number or offset that it
 * begins. */
static const char *step(const char *text, const char *s)
{
  bool line = *s == ':', offset = s - text > 1 && s[-2] == '+' && s[-1] == '0' && *s == 'x';
  s++;
  return s + strspn(s, line ? "0123456789" : offset ? "0123456789abcdef" : "");
}

bool check_same_place(const char *a, const char *b)
{
  const char *s = a, *t = b;
  while (*s && *s == *t) {
    s = step(a, s);
    t = step(b, t);
  }
  return *s == *t;
}

char *check_place_text(const char *text)
{
  char *out = malloc(strlen(text) + 1);
  size_t n = 0;
  for (const char *s = text; out && *s; s = step(text, s)) out[n++] = *s;
  if (out) out[n] = '\0';
  return out;
}

static bool same_text(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* Whether two sites are equal; `same` compares frames. */
static bool same_site(const berth_site_t *a, const berth_site_t *b,
                      bool (*same)(const char *a, const char *b))
{
  if (!a || !b) return a == b;
  if (strcmp(a->op, b->op) != 0 || a->n_frames != b->n_frames) return false;
  for (size_t i = 0; i < a->n_frames; i++)
    if (!same(a->frames[i], b->frames[i])) return false;
  return true;
}

/* Finds or adds the entry of a site. NULL when memory is out. */
static berth_check_site_t *entry(site_list_t *list, const berth_site_t *site)
{
  for (size_t i = 0; i < list->n; i++)
    if (same_site(list->items[i].site, site, same_text)) return &list->items[i];
  if (!ARRAY_GROW(&list->items, list->n, &list->cap)) return NULL;
  list->items[list->n] = (berth_check_site_t){.site = site};
  return &list->items[list->n++];
}

typedef struct traffic {
  double messages, bytes;
} traffic_t;

/* Adds messages from a call site; `is_was`: they are the baseline's. */
static bool add_traffic(site_list_t *list, const berth_site_t *at, traffic_t t, bool is_was)
{
  berth_check_site_t *site = entry(list, at);
  if (!site) return false;
  *(is_was ? &site->was_messages : &site->messages) += t.messages;
  *(is_was ? &site->was_bytes : &site->bytes) += t.bytes;
  return true;
}

/* Divides messages of collective calls among the call sites of these. */
static bool add_calls(const check_side_t *side, const berth_phase_t *phase, traffic_t t,
                      bool is_was, site_list_t *list)
{
  size_t n;
  const berth_site_t *site = berth_pattern_sites(side->pattern, &n);
  double *weight = malloc((n + 1) * sizeof *weight);
  double sum = weight ? cost_weigh_sites(side->pattern, phase, weight) : 0;
  bool enough = weight != NULL;
  for (size_t i = 0; i <= n && enough; i++) {
    double part = weight[i] / sum;
    if (part > 0)
      enough = add_traffic(list, i < n ? &site[i] : NULL,
                           (traffic_t){part * t.messages, part * t.bytes}, is_was);
  }
  free(weight);
  return enough;
}

/* Adds the pair's messages of one phase, `times` times. */
static bool add_phase(const check_side_t *side, size_t k, double times, bool is_was,
                      const berth_check_pair_t *pair, site_list_t *list)
{
  size_t n;
  bool enough = true;
  traffic_t of_calls = {0};
  const berth_message_t *m = berth_pattern_messages(side->pattern, k, &n);
  for (size_t i = message_find(m, n, pair->src, pair->dst);
       i < n && m[i].src == pair->src && m[i].dst == pair->dst && enough; i++) {
    const berth_site_t *site = berth_pattern_site(side->pattern, m[i].site);
    traffic_t t = {times * (double)m[i].count, times * (double)m[i].bytes};
    if (site || !cost_is_of_calls(&side->phases[k])) {
      enough = add_traffic(list, site, t, is_was);
    } else {
      of_calls.messages += t.messages;
      of_calls.bytes += t.bytes;
    }
  }
  if (of_calls.messages > 0 && enough)
    enough = add_calls(side, &side->phases[k], of_calls, is_was, list);
  return enough;
}

static bool add_all(const check_side_t *side, const berth_check_pair_t *pair, site_list_t *list)
{
  bool enough = true;
  for (size_t k = 0; k < side->n_phases && enough; k++)
    enough = add_phase(side, k, (double)side->phases[k].repeats, false, pair, list);
  return enough;
}

/* Matches sites that only the baseline has with sites that only the pattern has, if they are equal
 * apart from line numbers, which change when a program does. Sites with equal traffic are matched
 * first. */
static void match_moved(site_list_t *list, bool as_much)
{
  for (size_t i = 0; i < list->n; i++) {
    berth_check_site_t *was = &list->items[i];
    for (size_t k = 0; k < list->n && !was->messages && was->was_messages; k++) {
      berth_check_site_t *now = &list->items[k];
      bool equal = now->messages == was->was_messages && now->bytes == was->was_bytes;
      if (!now->messages || now->was_messages || (as_much && !equal) ||
          !same_site(now->site, was->site, check_same_place))
        continue;
      now->was_messages = was->was_messages;
      now->was_bytes = was->was_bytes;
      was->was_messages = was->was_bytes = 0;
    }
  }
}

static bool is_there(const berth_check_site_t *s) { return s->messages || s->was_messages; }

static bool grew(const berth_check_site_t *s)
{
  return s->bytes > s->was_bytes || s->messages > s->was_messages;
}

static bool changed(const berth_check_site_t *s)
{
  return s->bytes != s->was_bytes || s->messages != s->was_messages;
}

/* Keeps the entries for which `tells` is true, if there are any. */
static bool keep(site_list_t *list, bool (*tells)(const berth_check_site_t *s))
{
  size_t kept = 0;
  for (size_t i = 0; i < list->n; i++) kept += tells(&list->items[i]);
  if (!kept) return false;
  kept = 0;
  for (size_t i = 0; i < list->n; i++)
    if (tells(&list->items[i])) list->items[kept++] = list->items[i];
  list->n = kept;
  return true;
}

static int compare_sites(const berth_site_t *a, const berth_site_t *b)
{
  if (!a || !b) return (a != NULL) - (b != NULL);
  int order = strcmp(a->op, b->op);
  for (size_t i = 0; i < a->n_frames && i < b->n_frames && !order; i++)
    order = strcmp(a->frames[i], b->frames[i]);
  return order ? order : (a->n_frames > b->n_frames) - (a->n_frames < b->n_frames);
}

static int by_place(const void *a, const void *b)
{
  return compare_sites(((const berth_check_site_t *)a)->site,
                       ((const berth_check_site_t *)b)->site);
}

static int falling(double a, double b) { return (a < b) - (a > b); }

static int by_growth(const void *a, const void *b)
{
  const berth_check_site_t *s = a, *t = b;
  int order = falling(s->bytes - s->was_bytes, t->bytes - t->was_bytes);
  if (!order) order = falling(s->messages - s->was_messages, t->messages - t->was_messages);
  if (!order) order = falling(s->bytes, t->bytes);
  return order ? order : compare_sites(s->site, t->site);
}

int check_sites(const check_job_t *job, size_t k, size_t was_k, berth_check_pair_t *pair,
                berth_error_t *err)
{
  site_list_t list = {0};
  bool enough = k == CHECK_ALL    ? add_all(&job->now, pair, &list)
                : k == CHECK_NONE ? true
                                  : add_phase(&job->now, k, 1, false, pair, &list);
  if (enough && was_k != CHECK_NONE) enough = add_phase(&job->was, was_k, 1, true, pair, &list);
  if (!enough) {
    free(list.items);
    return no_memory(err);
  }
  if (list.n) qsort(list.items, list.n, sizeof *list.items, by_place);
  match_moved(&list, true);
  match_moved(&list, false);
  keep(&list, is_there);
  if (!keep(&list, grew)) keep(&list, changed);
  if (list.n) qsort(list.items, list.n, sizeof *list.items, by_growth);
  size_t max = job->options->max_sites;
  pair->sites = list.items;
  pair->n_sites = list.n;
  pair->n_listed = list.n < max ? list.n : max;
  return BERTH_OK;
}
