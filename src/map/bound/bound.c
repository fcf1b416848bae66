/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes a lower bound of the price of all placements.
 * It uses what ranks must send out of parts of the machine, whichever ranks these parts have.
 *
 * Insiders. A cut of the tree at a height (berth_topo_cut) divides the PUs among elements. Let N be
 * the maximum of places of one element. At most N - 1 other ranks are in a rank's element. So the
 * ports of its element carry at least what it exchanges with all partners but the N - 1 heaviest,
 * and the ports of the partners' elements as much. This holds for any weight of messages: bytes, or
 * time on a port. Messages between two ranks on one PU cross the parent's port down to that PU,
 * too; so at a PU no rank is an insider of those ports.
 *
 * Parts. routes_bound gives a minimum for the traffic between elements of all ranks together. It
 * considers who exchanges with whose partners; insiders consider one rank at a time.
 *
 * Models port, bound and flow. In bound, a resource costs at least bytes / C; flow is never below
 * bound. In port it costs at least the sum over ranks of B' / C, B' = min(B, C * T). Proof: let S
 * be the sum of B', and suppose C * cost >= S, and bytes >= S because B >= B'. With available =
 * max(0, C * cost - bytes), one more rank gives
 *   available >= B:      C * cost >= bytes + B >= S + B';
 *   0 < available < B:   C * cost = bytes + available, and grows by (1 - available / B) * C * T >=
 *                        (1 - available / B) * B', to at least bytes + B' >= S + B';
 *   available = 0:       C * cost grows by C * T >= B'.
 * Because t(n) >= n / C, a rank's B' is at least the sum of min(bytes, count * size) over its
 * messages: the weight of bytes below. So the phase costs at least
 *   - X / (sum of C over the elements of a cut), for X bytes that leave elements in all: no
 * element's port carries more than cost * C, and at most as many elements as ranks are used; the
 * same for what enters; and 2 X over the switches' own C, because what leaves an element enters
 * another;
 *   - what one rank alone must send or get through a port of its element, over the largest C;
 *   - the time of what one rank alone must send on the fastest of these ports: in bound and flow
 *     always, in port if it is the only rank in the element.
 *
 * Model sum. At each height a rank's messages pay its element on their way out and on their way in.
 * The minimum is taken over the elements that the rank may be in, of the sum over all partners but
 * the N - 1 most expensive ones; or it is what parts must cut, where each pair has the minimum that
 * it can pay at both ends. Heights add up, because each counts only elements of exactly its height.
 * If the cut also has lower elements, it counts nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "map/bound/bound_routes.h"
#include "map/map_internal.h"
#include "pattern/dense.h"

/* With more ranks, there is only time for routes from a few ranks, which prove nothing. */
enum { MAX_ROUTED = 1 << 17 };

/* Sums of this many terms are exact to this factor. */
static const double slack = 1 - 1e-9;

/* A kind of element in a cut, by its ports. */
typedef struct part {
  int parent_type, type; /* type -1: PUs */
  int n;
} part_t;

typedef struct cut {
  int height, n_parts;
  part_t *part;
  int max_ranks;    /* N: maximum of places of an element */
  bool same_height; /* no element is lower */
} cut_t;

typedef struct bounding {
  const berth_map_problem_t *problem;
  const berth_topo_t *topo;
  int ranks;
  cut_t *cut;
  int n_cuts;
  const berth_message_t *message; /* of the current phase */
  size_t n_messages;
  size_t *first_out, *first_in; /* by rank: indices in message and in `got` */
  size_t *got;                  /* messages by destination, then source */
  double *exchanged;            /* scratch: weight with each partner of a rank */
  int *partner;                 /* parallel to it */
  bool is_over;                 /* the time is up: results are no bounds */
  bool no_memory;
} bounding_t;

static bool is_over(bounding_t *b)
{
  b->is_over = b->is_over || map_time_is_up(b->problem, 1);
  return b->is_over;
}

/* The same for a loop over ranks; it only sometimes reads the clock. */
static bool is_over_at(bounding_t *b, int rank)
{
  enum { LOOK_EVERY = 256 };
  return rank % LOOK_EVERY == 0 ? is_over(b) : b->is_over;
}

/* --- weights of messages -----------------------------------------------------------------------
 */

/* What the weight of a message is; `sends` says for which of its two ranks. */
typedef struct weight {
  double (*of)(const struct weight *w, const berth_message_t *m, bool sends);
  const berth_topo_t *topo;
  const berth_port_dir_t *dir; /* for times */
  const part_t *part;
  int n_parts;
} weight_t;

static double bytes_of(const berth_message_t *m)
{
  double whole = (double)m->count * (double)m->size, exact = (double)m->bytes;
  return whole < exact ? whole : exact;
}

static double bytes_out(const weight_t *w, const berth_message_t *m, bool sends)
{
  (void)w;
  return sends ? bytes_of(m) : 0;
}

static double bytes_in(const weight_t *w, const berth_message_t *m, bool sends)
{
  (void)w;
  return sends ? 0 : bytes_of(m);
}

static double bytes_both(const weight_t *w, const berth_message_t *m, bool sends)
{
  (void)w;
  (void)sends;
  return bytes_of(m);
}

static double seconds_on(const berth_topo_t *t, const berth_port_dir_t *dir,
                         const berth_message_t *m)
{
  if (dir->curve < 0)
    return dir->capacity > 0 ? (double)m->count * (double)m->size / dir->capacity : 0;
  return (double)m->count * berth_curve_time(berth_topo_curve(t, dir->curve), (double)m->size);
}

static double time_out(const weight_t *w, const berth_message_t *m, bool sends)
{
  return sends ? seconds_on(w->topo, w->dir, m) : 0;
}

static double capacity_seconds(double capacity, const berth_message_t *m)
{
  return capacity > 0 ? (double)m->count * (double)m->size / capacity : 0;
}

/* What a message pays at an element on its way out or in, in model sum. */
static double toll(const weight_t *w, const berth_message_t *m, bool sends)
{
  const berth_type_t *above = berth_topo_type(w->topo, w->part->parent_type);
  double time = seconds_on(w->topo, sends ? &above->down.out : &above->down.in, m);
  if (w->part->type < 0) return time;
  const berth_type_t *type = berth_topo_type(w->topo, w->part->type);
  time += seconds_on(w->topo, sends ? &type->up.out : &type->up.in, m);
  return time + capacity_seconds(type->capacity, m);
}

/* --- traffic of a rank with ranks outside
 * ------------------------------------------------------ */

static int falling(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/* Fills b->exchanged with the weights between a rank and each partner. Returns how many. */
static size_t weigh_partners(bounding_t *b, int rank, const weight_t *w)
{
  size_t out = b->first_out[rank], end_out = b->first_out[rank + 1], n = 0;
  size_t in = b->first_in[rank], end_in = b->first_in[rank + 1];
  while (out < end_out || in < end_in) {
    int to = out < end_out ? b->message[out].dst : b->ranks;
    int from = in < end_in ? b->message[b->got[in]].src : b->ranks;
    int partner = to < from ? to : from;
    double weight = 0;
    for (; out < end_out && b->message[out].dst == partner; out++)
      weight += w->of(w, &b->message[out], true);
    for (; in < end_in && b->message[b->got[in]].src == partner; in++)
      weight += w->of(w, &b->message[b->got[in]], false);
    if (partner == rank) continue;
    b->partner[n] = partner;
    b->exchanged[n++] = weight;
  }
  return n;
}

/* The weight between a rank and all its partners but the `insiders` heaviest ones. */
static double outside(bounding_t *b, int rank, int insiders, const weight_t *w)
{
  double sum = 0;
  size_t n = weigh_partners(b, rank, w), first = (size_t)insiders;
  if (first >= n) return 0;
  if (first > 0) qsort(b->exchanged, n, sizeof *b->exchanged, falling);
  for (size_t i = first; i < n; i++) sum += b->exchanged[i];
  return sum;
}

/* The sum of that over all ranks; *max is the maximum. */
static double all_outside(bounding_t *b, int insiders, const weight_t *w, double *max)
{
  double sum = 0;
  *max = 0;
  for (int r = 0; r < b->ranks && !is_over_at(b, r); r++) {
    double x = outside(b, r, insiders, w);
    if (x > *max) *max = x;
    sum += x;
  }
  return sum;
}

/* --- traffic between parts, of all ranks together
 * ---------------------------------------------- */

/* Makes the graph of all pairs, with what they exchange in both directions. */
static bool draw_graph(bounding_t *b, const weight_t *w, routes_graph_t *g)
{
  size_t n = 0;
  *g = (routes_graph_t){.n = b->ranks, .problem = b->problem};
  g->first = malloc(((size_t)b->ranks + 1) * sizeof *g->first);
  g->to = malloc((2 * b->n_messages + 1) * sizeof *g->to);
  g->weight = malloc((2 * b->n_messages + 1) * sizeof *g->weight);
  if (!g->first || !g->to || !g->weight) return false;
  for (int r = 0; r < b->ranks; r++) {
    size_t partners = weigh_partners(b, r, w);
    g->first[r] = n;
    for (size_t i = 0; i < partners; i++) {
      if (b->exchanged[i] == 0) continue;
      g->to[n] = b->partner[i];
      g->weight[n++] = b->exchanged[i];
    }
  }
  g->first[b->ranks] = n;
  return true;
}

/* The minimum that parts of at most `max` ranks exchange; w must be the same at both ends. */
static double must_cut(bounding_t *b, int max, const weight_t *w)
{
  double bound = 0;
  routes_graph_t g = {0};
  if (max >= b->ranks || b->ranks > MAX_ROUTED || is_over(b)) return 0;
  size_t n_phases;
  berth_pattern_phases(b->problem->pattern, &n_phases);
  bool is_drawn = draw_graph(b, w, &g);
  if (is_drawn) bound = routes_bound(&g, max, 1 / (double)n_phases);
  b->no_memory |= !is_drawn || bound < 0;
  free(g.first);
  free(g.to);
  free(g.weight);
  return bound;
}

/* --- models port, bound and flow ----------------------------------------------------------------
 */

/* A port's direction at a part's elements, or NULL. */
static const berth_port_dir_t *dir_of(const bounding_t *b, const part_t *part,
                                      berth_resource_kind_t kind)
{
  const berth_type_t *above = berth_topo_type(b->topo, part->parent_type);
  const berth_type_t *type = part->type < 0 ? NULL : berth_topo_type(b->topo, part->type);
  switch (kind) {
  case BERTH_DOWN_OUT:
    return &above->down.out;
  case BERTH_DOWN_IN:
    return &above->down.in;
  case BERTH_UP_OUT:
    return type ? &type->up.out : NULL;
  case BERTH_UP_IN:
    return type ? &type->up.in : NULL;
  default:
    return NULL;
  }
}

/* Capacities of one kind of resource over a cut; infinite if an element has none. */
typedef struct capacities {
  double sum, max;
} capacities_t;

static capacities_t add_up(const bounding_t *b, const cut_t *cut, berth_resource_kind_t kind)
{
  capacities_t c = {0, 0};
  int n = 0;
  for (int i = 0; i < cut->n_parts; i++) {
    const part_t *part = &cut->part[i];
    const berth_port_dir_t *dir = dir_of(b, part, kind);
    double own = part->type < 0 ? 0 : berth_topo_type(b->topo, part->type)->capacity;
    double capacity = kind == BERTH_SWITCH ? own : dir ? dir->capacity : 0;
    if (capacity == 0) capacity = INFINITY;
    c.sum += part->n * capacity;
    if (capacity > c.max) c.max = capacity;
    n += part->n;
  }
  double of_ranks = b->ranks * c.max; /* at most as many elements as ranks are in use */
  if (b->ranks < n && of_ranks < c.sum) c.sum = of_ranks;
  return c;
}

/* The minimum time of bytes through the cut's resources of a kind: of all elements together, and of
 * one rank. */
static double min_time(const bounding_t *b, const cut_t *cut, berth_resource_kind_t kind,
                       double all, double one)
{
  capacities_t c = add_up(b, cut, kind);
  return fmax(all / c.sum, one / c.max);
}

/* The longest time of one rank's own messages on the fastest port out of its element. */
static double slowest_sender(bounding_t *b, const cut_t *cut, berth_resource_kind_t kind,
                             int insiders)
{
  double slowest = 0;
  for (int r = 0; r < b->ranks && !is_over_at(b, r); r++) {
    double fastest = INFINITY;
    for (int i = 0; i < cut->n_parts; i++) {
      weight_t w = {time_out, b->topo, dir_of(b, &cut->part[i], kind), &cut->part[i], 1};
      fastest = fmin(fastest, w.dir ? outside(b, r, insiders, &w) : 0);
    }
    slowest = fmax(slowest, fastest);
  }
  return slowest;
}

/* The minimum traffic that leaves a cut's elements, and that of one rank out and in. */
typedef struct traffic {
  double all, out, in;
} traffic_t;

static traffic_t leaving(bounding_t *b, int insiders)
{
  traffic_t t;
  double both, out = all_outside(b, insiders, &(weight_t){.of = bytes_out}, &t.out);
  double in = all_outside(b, insiders, &(weight_t){.of = bytes_in}, &t.in);
  t.all = all_outside(b, insiders, &(weight_t){.of = bytes_both}, &both) / 2;
  t.all = fmax(t.all, fmax(out, in));
  if (insiders > 0) t.all = fmax(t.all, must_cut(b, insiders + 1, &(weight_t){.of = bytes_both}));
  return t;
}

static double bound_of_cut(bounding_t *b, const cut_t *cut, bool port)
{
  bool alone = cut->max_ranks == 1;
  int insiders = cut->max_ranks - 1;
  traffic_t t = leaving(b, insiders), down = cut->height == 0 ? leaving(b, 0) : t;
  double bound = min_time(b, cut, BERTH_DOWN_OUT, down.all, down.out);
  bound = fmax(bound, min_time(b, cut, BERTH_DOWN_IN, down.all, down.in));
  bound = fmax(bound, min_time(b, cut, BERTH_UP_OUT, t.all, t.out));
  bound = fmax(bound, min_time(b, cut, BERTH_UP_IN, t.all, t.in));
  bound = fmax(bound, min_time(b, cut, BERTH_SWITCH, 2 * t.all, fmax(t.out, t.in)));
  if (port && !alone) return bound;
  int of_down = cut->height == 0 ? 0 : insiders;
  bound = fmax(bound, slowest_sender(b, cut, BERTH_DOWN_OUT, of_down));
  return fmax(bound, slowest_sender(b, cut, BERTH_UP_OUT, insiders));
}

static double bound_of_phase(bounding_t *b, berth_model_t model)
{
  double bound = 0;
  for (int i = 0; i < b->n_cuts; i++)
    bound = fmax(bound, bound_of_cut(b, &b->cut[i], model == BERTH_MODEL_PORT));
  return bound;
}

/* --- model sum ----------------------------------------------------------------------------------
 */

/* The minimum that a message pays at a cut, at both ends. */
static double both_tolls(const weight_t *w, const berth_message_t *m, bool sends)
{
  (void)sends;
  double out = INFINITY, in = INFINITY;
  for (int i = 0; i < w->n_parts; i++) {
    weight_t one = {toll, w->topo, NULL, &w->part[i], 1};
    out = fmin(out, toll(&one, m, true));
    in = fmin(in, toll(&one, m, false));
  }
  return out + in;
}

static double sum_of_cut(bounding_t *b, const cut_t *cut)
{
  double sum = 0;
  int insiders = cut->height == 0 ? 0 : cut->max_ranks - 1;
  weight_t pair = {both_tolls, b->topo, NULL, cut->part, cut->n_parts};
  for (int r = 0; cut->same_height && r < b->ranks && !is_over_at(b, r); r++) {
    double min = INFINITY;
    for (int i = 0; i < cut->n_parts; i++) {
      weight_t w = {toll, b->topo, NULL, &cut->part[i], 1};
      min = fmin(min, outside(b, r, insiders, &w));
    }
    sum += min;
  }
  if (insiders == 0 || !cut->same_height) return sum;
  return fmax(sum, must_cut(b, insiders + 1, &pair));
}

/* The lowest price of a byte for turning round, over all switches. */
static double turning(const bounding_t *b)
{
  double fastest = 0, time = 0;
  for (int e = 0; e < berth_topo_n_elements(b->topo); e++) {
    int type = berth_topo_element(b->topo, e)->type;
    double capacity = type < 0 ? 0 : berth_topo_type(b->topo, type)->capacity;
    if (type >= 0 && capacity == 0) return 0;
    if (capacity > fastest) fastest = capacity;
  }
  for (size_t i = 0; i < b->n_messages; i++)
    if (b->message[i].src != b->message[i].dst) time += capacity_seconds(fastest, &b->message[i]);
  return time;
}

static double sum_of_phase(bounding_t *b)
{
  double sum = turning(b);
  for (int i = 0; i < b->n_cuts; i++) sum += sum_of_cut(b, &b->cut[i]);
  return sum;
}

/* --- the machine and the pattern ----------------------------------------------------------------
 */

static int add_element(bounding_t *b, cut_t *cut, int e, int places)
{
  const berth_element_t *element = berth_topo_element(b->topo, e);
  int parent_type = berth_topo_element(b->topo, element->parent)->type, i = 0;
  if (places > cut->max_ranks) cut->max_ranks = places;
  cut->same_height &= element->height == cut->height;
  while (i < cut->n_parts &&
         (cut->part[i].parent_type != parent_type || cut->part[i].type != element->type))
    i++;
  if (i == cut->n_parts) {
    part_t *more = realloc(cut->part, ((size_t)i + 1) * sizeof *more);
    if (!more) return BERTH_MISSING;
    cut->part = more;
    cut->part[cut->n_parts++] = (part_t){parent_type, element->type, 0};
  }
  cut->part[i].n++;
  return BERTH_OK;
}

static int cut_machine(bounding_t *b, int height, int *elements, cut_t *cut)
{
  const berth_map_problem_t *p = b->problem;
  int n = berth_topo_cut(b->topo, height, elements), rc = BERTH_OK;
  *cut = (cut_t){.height = height, .same_height = true};
  for (int i = 0, at = 0; i < n && !rc; i++) {
    const berth_element_t *e = berth_topo_element(b->topo, elements[i]);
    int places = at;
    while (at < p->n_pus && p->pus[at] < e->first_pu + e->n_pus) at++;
    places = at - places;
    if (places > 0) rc = add_element(b, cut, elements[i], places);
  }
  return rc;
}

static int cut_all(bounding_t *b, berth_error_t *err)
{
  int height = berth_topo_element(b->topo, 0)->height, rc = BERTH_OK;
  int *elements = malloc((size_t)berth_topo_n_pus(b->topo) * sizeof *elements);
  b->cut = calloc((size_t)height + 1, sizeof *b->cut);
  if (!elements || !b->cut) rc = BERTH_MISSING;
  for (int h = 0; h < height && !rc; h++) rc = cut_machine(b, h, elements, &b->cut[b->n_cuts++]);
  free(elements);
  return rc ? no_memory(err) : BERTH_OK;
}

/* Finds each rank's messages in a phase, given by its index in berth_pattern_phases. */
static int see_phase(bounding_t *b, size_t phase, berth_error_t *err)
{
  size_t n_ranks = (size_t)b->ranks;
  b->message = berth_pattern_messages(b->problem->pattern, phase, &b->n_messages);
  if (pattern_dense(b->problem->pattern, phase)) b->n_messages = 0; /* stand-ins */
  free(b->got);
  b->got = malloc((b->n_messages + 1) * sizeof *b->got);
  if (!b->got) return no_memory(err);
  memset(b->first_out, 0, (n_ranks + 2) * sizeof *b->first_out);
  memset(b->first_in, 0, (n_ranks + 2) * sizeof *b->first_in);
  for (size_t i = 0; i < b->n_messages; i++) {
    b->first_out[b->message[i].src + 1]++;
    b->first_in[b->message[i].dst + 2]++;
  }
  for (size_t r = 0; r <= n_ranks; r++) {
    b->first_out[r + 1] += b->first_out[r];
    b->first_in[r + 1] += b->first_in[r];
  }
  for (size_t i = 0; i < b->n_messages; i++) b->got[b->first_in[b->message[i].dst + 1]++] = i;
  return BERTH_OK;
}

static int bounding_init(bounding_t *b, const berth_map_problem_t *problem, berth_error_t *err)
{
  *b = (bounding_t){.problem = problem, .topo = problem->topo};
  b->ranks = berth_pattern_ranks(problem->pattern);
  size_t n = (size_t)b->ranks;
  b->first_out = malloc((n + 2) * sizeof *b->first_out);
  b->first_in = malloc((n + 2) * sizeof *b->first_in);
  b->exchanged = malloc((n + 1) * sizeof *b->exchanged);
  b->partner = malloc((n + 1) * sizeof *b->partner);
  return b->first_out && b->first_in && b->exchanged && b->partner ? cut_all(b, err)
                                                                   : no_memory(err);
}

static void bounding_clear(bounding_t *b)
{
  for (int i = 0; i < b->n_cuts; i++) free(b->cut[i].part);
  free(b->cut);
  free(b->first_out);
  free(b->first_in);
  free(b->got);
  free(b->exchanged);
  free(b->partner);
}

int map_lower_bound(const berth_map_problem_t *of, double *bound, berth_error_t *err)
{
  size_t n_phases;
  bounding_t b;
  map_pricer_t pricer = {0};
  berth_map_problem_t wide = map_widened(of), *problem = &wide;
  const berth_phase_t *phases = berth_pattern_phases(problem->pattern, &n_phases);
  berth_model_t model = problem->options.objective;
  int rc = bounding_init(&b, problem, err);
  if (!rc) rc = map_pricer_init(&pricer, problem, err);
  double cost = 0, sum = 0;
  for (size_t k = 0; k < n_phases && !rc && !is_over(&b); k++) {
    rc = see_phase(&b, k, err);
    if (rc) break;
    double repeats = (double)phases[k].repeats;
    if (pricer.sum_share > 0 || model == BERTH_MODEL_SUM) sum += repeats * sum_of_phase(&b);
    if (model != BERTH_MODEL_SUM) cost += repeats * bound_of_phase(&b, model);
  }
  *bound =
      slack * (model == BERTH_MODEL_SUM ? sum : pricer.cost_share * cost + pricer.sum_share * sum);
  if (is_over(&b)) *bound = -1;
  if (!rc && b.no_memory) rc = no_memory(err);
  map_pricer_clear(&pricer);
  bounding_clear(&b);
  return rc;
}
