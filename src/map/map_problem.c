/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks a mapping problem's options, and finds which PUs it may use and how often. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/field.h"
#include "base/no_memory.h"
#include "base/options.h"
#include "base/order.h"
#include "cost/cost_check.h"
#include "map/map_internal.h"
#include "map/map_watch.h"
#include "pattern/pattern_check.h"

static const berth_map_options_t defaults = {.size = sizeof defaults,
                                             .objective = BERTH_MODEL_PORT,
                                             .seed = 1,
                                             .threads = 1,
                                             .quality = BERTH_QUALITY_ECO,
                                             .min_gain = -1,
                                             .max_moves = -1,
                                             .ranks_per_pu = 1};

void berth_map_options_init(berth_map_options_t *o, size_t size)
{
  options_init(o, size, &defaults, sizeof defaults);
}

double map_time_used(const berth_map_problem_t *problem)
{
  double limit = problem->options.time_limit_s;
  return limit > 0 ? (clock_s() - problem->started_s) / limit : 0;
}

bool map_time_is_up(const berth_map_problem_t *problem, double share)
{
  return watch_is_stopped(problem) || map_time_used(problem) > share;
}

int map_cut_short(const berth_map_problem_t *problem)
{
  enum { FEW_RANKS = 1024 }; /* placed in milliseconds */
  bool large = berth_pattern_ranks(problem->pattern) > FEW_RANKS;
  return large && map_time_is_up(problem, MAP_BUILD_SHARE) ? MAP_CUT_SHORT : BERTH_OK;
}

berth_map_problem_t map_time_slice(const berth_map_problem_t *problem, double end)
{
  berth_map_problem_t slice = *problem;
  double limit = problem->options.time_limit_s;
  if (limit <= 0) return slice;
  slice.started_s = clock_s();
  slice.options.time_limit_s = fmax(problem->started_s + end * limit - slice.started_s, 1e-9);
  return slice;
}

/* Marks the hosts of a list such as node[01-16],login1. */
static int select_hosts(const berth_topo_t *t, const char *list, bool *wanted, berth_error_t *err)
{
  size_t n;
  berth_error_t why = {0};
  const char **names = berth_hostlist(list, &n, &why);
  if (!names) return berth_fail(err, BERTH_USAGE, "`hosts`: %s", why.text);
  int rc = BERTH_OK;
  for (size_t i = 0; i < n && !rc; i++) {
    int h = berth_topo_find_host(t, names[i]);
    if (h < 0)
      rc = berth_fail(err, BERTH_USAGE, "`hosts`: found '%s', expected a host of topology '%s'",
                      names[i], berth_topo_name(t));
    else
      wanted[h] = true;
  }
  free(names);
  return rc;
}

/* A PU that may be used, while places are chosen. */
typedef struct choice {
  int pu, host, core;
  int wanted; /* 2: ranks are pinned to it; 1: a rank is there now. Such a thread comes first in its
                 core */
  bool second;    /* another PU of its core precedes it */
  int places;     /* how many ranks it takes */
  int any_places; /* the same if second threads may be used, too */
} choice_t;

ORDER_BY(by_core, choice_t, RISING(host) RISING(core) FALLING(wanted) RISING(pu))

ORDER_BY(by_pu, choice_t, RISING(pu))

/* Removes the last `reserve` cores of a host with choices c[0 … n - 1], sorted by core. Marks the
 * second PUs of a core. Returns how many choices stay. */
static int trim_host(choice_t *c, int n, int reserve)
{
  while (n > 0 && reserve > 0) {
    int core = c[n - 1].core;
    while (n > 0 && c[n - 1].core == core) n--;
    reserve--;
  }
  for (int i = 0; i < n; i++) c[i].second = i > 0 && c[i - 1].core == c[i].core;
  return n;
}

/* Applies trim_host to each host of the sorted choices. */
static int trim_hosts(choice_t *c, int n, int reserve)
{
  int kept = 0;
  for (int i = 0, end; i < n; i = end) {
    end = i;
    while (end < n && c[end].host == c[i].host) end++;
    int stay = trim_host(c + i, end - i, reserve);
    memmove(c + kept, c + i, (size_t)stay * sizeof *c);
    kept += stay;
  }
  return kept;
}

/* What the options say about each PU. */
typedef struct wishes {
  bool *host;   /* by host: may be used */
  int *pins;    /* by PU: ranks pinned to it */
  bool *now;    /* by PU: a rank is on it now */
  bool *usable; /* by PU: `hosts` and `reserve` allow it */
} wishes_t;

/* Whether prices tell if second threads pay: the cost of shared cores is known, and communication
 * was measured. */
static bool can_trade(const berth_map_problem_t *problem)
{
  const berth_topo_t *t = problem->topo;
  for (int i = 0; i < berth_topo_n_curves(t); i++)
    if (berth_curve_is_default(berth_topo_curve(t, i))) return false;
  return berth_sharing_known(problem->pattern, t, problem->options.objective);
}

/* Sets how many ranks each choice takes. No PU takes more than the fullest must, because
 * computation waits for that one. Second threads get no ranks as long as first threads suffice. If
 * the cost of shared cores is known, a second list has them, too, and ranks that are on one may
 * stay. Pinned ranks get their places in any case. */
static void deal_places(const berth_map_problem_t *problem, const wishes_t *w, choice_t *c, int n)
{
  int firsts = 0, ranks = berth_pattern_ranks(problem->pattern);
  bool known = can_trade(problem);
  for (int i = 0; i < n; i++) {
    c[i].second &= !problem->options.any_thread;
    firsts += !c[i].second;
  }
  int all = ranks <= firsts ? 1 : (ranks - 1) / n + 1;
  for (int i = 0; i < n; i++) {
    bool left_out = c[i].second && ranks <= firsts;
    bool priced = known && berth_topo_slowdown_type(problem->topo, c[i].pu) >= 0;
    c[i].any_places = left_out && !priced ? 0 : all;
    c[i].places = left_out && !w->now[c[i].pu] ? 0 : c[i].any_places;
    if (c[i].places < w->pins[c[i].pu]) c[i].places = w->pins[c[i].pu];
    if (c[i].any_places < c[i].places) c[i].any_places = c[i].places;
  }
}

/* Whether a core of the sorted choices has several places. */
static bool has_shared_core(const choice_t *c, int n)
{
  for (int i = 0, on_core = 0; i < n; i++) {
    bool same = i > 0 && c[i].host == c[i - 1].host && c[i].core == c[i - 1].core;
    on_core = c[i].places + (same ? on_core : 0);
    if (on_core > 1) return true;
  }
  return false;
}

static int list_places(berth_map_problem_t *problem, const choice_t *c, int n, berth_error_t *err)
{
  size_t places = 0, any_places = 0;
  for (int i = 0; i < n; i++) {
    places += (size_t)c[i].places;
    any_places += (size_t)c[i].any_places;
  }
  bool two_lists = any_places > places;
  problem->pus = malloc((places + 1) * sizeof *problem->pus);
  problem->any_pus = two_lists ? malloc(any_places * sizeof *problem->any_pus) : NULL;
  if (!problem->pus || (two_lists && !problem->any_pus)) return no_memory(err);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < c[i].places; k++) problem->pus[problem->n_pus++] = c[i].pu;
    for (int k = 0; two_lists && k < c[i].any_places; k++)
      problem->any_pus[problem->n_any_pus++] = c[i].pu;
    if (c[i].places > problem->max_on_pu) problem->max_on_pu = c[i].places;
  }
  return BERTH_OK;
}

static int too_many(const berth_map_problem_t *problem, int usable, berth_error_t *err)
{
  char hosts[160];
  const berth_map_options_t *o = &problem->options;
  return berth_fail(err, BERTH_BAD_INPUT,
                    "found %d ranks in the pattern, expected at most %lld, the usable %s of "
                    "topology '%s' (%d in all, `reserve` %d, `ranks_per_pu` %d%s%.100s)",
                    berth_pattern_ranks(problem->pattern), (long long)usable * o->ranks_per_pu,
                    o->ranks_per_pu > 1 ? "places on PUs" : "PUs", berth_topo_name(problem->topo),
                    berth_topo_n_pus(problem->topo), o->reserve, o->ranks_per_pu,
                    o->hosts ? field_text(", `hosts` ", hosts, sizeof hosts) : "",
                    o->hosts ? o->hosts : "");
}

static int choose(berth_map_problem_t *problem, wishes_t *w, choice_t *c, berth_error_t *err)
{
  const berth_topo_t *t = problem->topo;
  const berth_map_options_t *o = &problem->options;
  int n = 0, ranks = berth_pattern_ranks(problem->pattern), all = berth_topo_n_pus(t);
  for (int p = 0; p < all; p++) {
    const berth_pu_t *pu = berth_topo_pu(t, p);
    int wanted = w->pins[p] ? 2 : w->now[p];
    if (w->host[pu->host]) c[n++] = (choice_t){p, pu->host, pu->core, wanted, false, 0, 0};
  }
  qsort(c, (size_t)n, sizeof *c, by_core);
  n = trim_hosts(c, n, o->reserve);
  for (int i = 0; i < n; i++) w->usable[c[i].pu] = true;
  if ((long long)n * o->ranks_per_pu < ranks) return too_many(problem, n, err);
  deal_places(problem, w, c, n);
  problem->shares_cores = has_shared_core(c, n);
  qsort(c, (size_t)n, sizeof *c, by_pu);
  return list_places(problem, c, n, err);
}

/* Copies a list of a PU for each rank. NULL if the list is NULL or memory is out. */
static int *copy_pus(const berth_map_problem_t *problem, const int *list)
{
  size_t bytes = (size_t)berth_pattern_ranks(problem->pattern) * sizeof *list;
  int *copy = list ? malloc(bytes) : NULL;
  return copy ? memcpy(copy, list, bytes) : NULL;
}

/* Counts the ranks pinned to each PU, and marks PUs that have a rank now. */
static int take_wishes(const berth_map_problem_t *problem, wishes_t *w, berth_error_t *err)
{
  const berth_map_options_t *o = &problem->options;
  int pus = berth_topo_n_pus(problem->topo), ranks = berth_pattern_ranks(problem->pattern);
  for (int r = 0; r < ranks; r++) {
    int pin = o->pinned ? o->pinned[r] : -1, now = o->from ? o->from[r] : -1;
    if (now >= 0 && now < pus && pin < 0) w->now[now] = true;
    if (pin < 0) continue;
    if (pin >= pus)
      return berth_fail(
          err, BERTH_USAGE,
          "`pinned`: found PU %d for rank %d, expected one from 0 to %d of topology '%s'", pin, r,
          pus - 1, berth_topo_name(problem->topo));
    if (++w->pins[pin] <= o->ranks_per_pu) continue;
    int other = 0; /* an earlier rank pinned to it */
    while (o->pinned[other] != pin) other++;
    return berth_fail(err, BERTH_USAGE,
                      "`pinned`: found PU %d for rank %d, which rank %d has already, expected at "
                      "most %d there (`ranks_per_pu`)",
                      pin, r, other, o->ranks_per_pu);
  }
  return BERTH_OK;
}

int map_take_homes(const berth_map_problem_t *problem, int *home, berth_error_t *err)
{
  const berth_map_options_t *o = &problem->options;
  int ranks = berth_pattern_ranks(problem->pattern), pus = berth_topo_n_pus(problem->topo);
  int *room = calloc((size_t)pus, sizeof *room);
  if (!room) return no_memory(err);
  for (int i = 0; i < problem->n_pus; i++) room[problem->pus[i]]++;
  for (int r = 0; r < ranks; r++)
    if (map_is_pinned(problem, r)) room[o->pinned[r]]--;
  for (int r = 0; r < ranks; r++) {
    int now = o->from[r];
    bool stays = now >= 0 && (map_is_pinned(problem, r) ? now == o->pinned[r] : room[now]-- > 0);
    home[r] = stays ? now : -1;
  }
  free(room);
  return BERTH_OK;
}

/* Refuses a limit that is lower than the number of ranks that must move. */
static int check_moves(const berth_map_problem_t *problem, const int *home, berth_error_t *err)
{
  const berth_map_options_t *o = &problem->options;
  int forced = 0, ranks = berth_pattern_ranks(problem->pattern);
  for (int r = 0; r < ranks; r++) forced += o->from[r] >= 0 && home[r] < 0;
  if (o->max_moves < 0 || forced <= o->max_moves) return BERTH_OK;
  return berth_fail(
      err, BERTH_USAGE,
      "`max_moves`: found %d, expected at least %d, the ranks that must leave their PU in `from`",
      o->max_moves, forced);
}

/* Pins the ranks that may stay where they are. */
static int pin_homes(berth_map_options_t *o, const berth_map_problem_t *problem, const int *home,
                     berth_error_t *err)
{
  int *pinned = (int *)(uintptr_t)o->pinned; /* the problem's copy */
  if (!pinned) o->pinned = copy_pus(problem, home);
  for (int r = 0; pinned && r < berth_pattern_ranks(problem->pattern); r++)
    if (pinned[r] < 0) pinned[r] = home[r];
  return o->pinned ? BERTH_OK : no_memory(err);
}

/* Removes ranks on unusable PUs from `from`. If the options say so, pins the others that have a
 * place there. */
static int settle_from(berth_map_problem_t *problem, const wishes_t *w, berth_error_t *err)
{
  berth_map_options_t *o = &problem->options;
  int ranks = berth_pattern_ranks(problem->pattern), pus = berth_topo_n_pus(problem->topo);
  int *from = (int *)(uintptr_t)o->from; /* the problem's copy */
  if (!from) return BERTH_OK;
  int *home = malloc((size_t)ranks * sizeof *home);
  if (!home) return no_memory(err);
  for (int r = 0; r < ranks; r++)
    if (from[r] < 0 || from[r] >= pus || !w->usable[from[r]]) from[r] = -1;
  int rc = map_take_homes(problem, home, err);
  if (!rc) rc = check_moves(problem, home, err);
  if (!rc && o->stable && o->move_price_s <= 0) rc = pin_homes(o, problem, home, err);
  free(home);
  return rc;
}

/* Refuses pins to unusable PUs. */
static int check_wishes(const berth_map_problem_t *problem, berth_error_t *err)
{
  const berth_map_options_t *o = &problem->options;
  int ranks = berth_pattern_ranks(problem->pattern);
  for (int r = 0; r < ranks; r++) {
    if (!o->pinned || o->pinned[r] < 0 || map_is_usable(problem, o->pinned[r])) continue;
    const berth_pu_t *pu = berth_topo_pu(problem->topo, o->pinned[r]);
    return berth_fail(err, BERTH_USAGE,
                      "`pinned`: found PU %d (%s, core %d) for rank %d, expected one that "
                      "`reserve` and `hosts` leave to ranks",
                      o->pinned[r], berth_topo_host(problem->topo, pu->host)->name, pu->core, r);
  }
  return BERTH_OK;
}

enum { MAX_THREADS = 4096 };

static int check_options(const berth_map_options_t *o, berth_error_t *err)
{
  if (o->threads < 1)
    return berth_fail(err, BERTH_USAGE, "`threads`: found %d, expected at least 1", o->threads);
  if (o->threads > MAX_THREADS) /* OpenMP ends a process that can't have so many */
    return berth_fail(err, BERTH_USAGE, "`threads`: found %d, expected at most %d", o->threads,
                      MAX_THREADS);
  if (o->quality < BERTH_QUALITY_FAST || o->quality > BERTH_QUALITY_STRONG)
    return berth_fail(err, BERTH_USAGE, "`quality`: found number %d, expected %d to %d", o->quality,
                      BERTH_QUALITY_FAST, BERTH_QUALITY_STRONG);
  if (!(o->time_limit_s >= 0))
    return berth_fail(err, BERTH_USAGE, "`time_limit_s`: found %g s, expected at least 0",
                      o->time_limit_s);
  if (!(o->min_gain <= 1))
    return berth_fail(err, BERTH_USAGE, "`min_gain`: found %g%%, expected 0 to 100",
                      100 * o->min_gain);
  if (o->reserve < 0)
    return berth_fail(err, BERTH_USAGE, "`reserve`: found %d, expected at least 0", o->reserve);
  if (o->ranks_per_pu < 1)
    return berth_fail(err, BERTH_USAGE, "`ranks_per_pu`: found %d, expected at least 1",
                      o->ranks_per_pu);
  if (!(o->sum_share >= 0 && o->sum_share <= 1))
    return berth_fail(err, BERTH_USAGE, "`sum_share`: found %g%%, expected 0 to 100",
                      100 * o->sum_share);
  if (!(o->move_price_s >= 0 && isfinite(o->move_price_s)))
    return berth_fail(err, BERTH_USAGE, "`move_price_s`: found %g, expected a number of at least 0",
                      o->move_price_s);
  if (o->max_moves < -1)
    return berth_fail(err, BERTH_USAGE,
                      "`max_moves`: found %d, expected at least 0, or -1 for any number",
                      o->max_moves);
  return BERTH_OK;
}

static int find_places(berth_map_problem_t *problem, berth_error_t *err)
{
  const char *hosts = problem->options.hosts;
  size_t n_hosts = (size_t)berth_topo_n_hosts(problem->topo);
  size_t pus = (size_t)berth_topo_n_pus(problem->topo);
  wishes_t w = {calloc(n_hosts, sizeof *w.host), calloc(pus, sizeof *w.pins),
                calloc(pus, sizeof *w.now), calloc(pus, sizeof *w.usable)};
  choice_t *choices = malloc(pus * sizeof *choices);
  int rc = w.host && w.pins && w.now && w.usable && choices ? BERTH_OK : no_memory(err);
  for (size_t h = 0; !rc && h < n_hosts; h++) w.host[h] = !hosts;
  if (!rc && hosts) rc = select_hosts(problem->topo, hosts, w.host, err);
  if (!rc) rc = take_wishes(problem, &w, err);
  if (!rc) rc = choose(problem, &w, choices, err);
  if (!rc) rc = check_wishes(problem, err);
  if (!rc) rc = settle_from(problem, &w, err);
  free(w.host);
  free(w.pins);
  free(w.now);
  free(w.usable);
  free(choices);
  return rc;
}

int berth_map_problem_init(berth_map_problem_t *problem, const berth_pattern_t *p,
                           const berth_topo_t *t, const berth_map_options_t *given,
                           berth_error_t *err)
{
  berth_map_options_t own = defaults;
  const berth_map_options_t *options = &own;
  *problem = (berth_map_problem_t){.pattern = p, .topo = t, .started_s = clock_s()};
  if (options_take(&own, sizeof own, given, "berth_map_options_init", err)) return BERTH_USAGE;
  problem->options = own;
  problem->options.pinned = copy_pus(problem, options->pinned);
  problem->options.from = copy_pus(problem, options->from);
  bool copied =
      !problem->options.pinned == !options->pinned && !problem->options.from == !options->from;
  int rc = copied ? check_options(options, err) : no_memory(err);
  if (!rc) rc = cost_check_model(options->objective, "objective", err);
  if (!rc) rc = pattern_check_finished(p, err);
  if (!rc) rc = find_places(problem, err);
  if (rc) berth_map_problem_clear(problem);
  return rc;
}

void berth_map_problem_clear(berth_map_problem_t *problem)
{
  free(problem->pus);
  free(problem->any_pus);
  free((void *)(uintptr_t)problem->options.pinned);
  free((void *)(uintptr_t)problem->options.from);
  *problem = (berth_map_problem_t){0};
}
