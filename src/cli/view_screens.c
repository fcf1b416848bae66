/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/view_screens.h"

#include <stdlib.h>
#include <string.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "base/text.h"
#include "cli/cli.h"
#include "pattern/message_merge.h"
#include "pattern/phase_find.h"
#include "topo/topo_levels.h"

static double share(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

/* --- pairs --- */

static void print_pair(void *data, size_t row, FILE *to)
{
  char bytes[TEXT_NUMBER];
  const summary_t *s = ((const view_data_t *)data)->summary;
  const summary_pair_t *p = &s->pairs[row];
  fprintf(to, "%8d -> %-8d %14.0f %12s %6.1f%%", p->src, p->dst, p->sum.messages,
          text_bytes(p->sum.bytes, bytes), share(p->sum.bytes, s->all.bytes));
}

static void print_place(const view_data_t *d, int rank, FILE *to)
{
  const berth_rank_info_t *info = berth_pattern_rank(d->pattern, rank);
  fprintf(to, "rank %d", rank);
  if (info && *info->host) fprintf(to, " ran on %s", info->host);
  if (d->pu_of_rank) {
    const berth_pu_t *pu = berth_topo_pu(d->topo, d->pu_of_rank[rank]);
    fprintf(to, ", is placed on %s, core %d", berth_topo_host(d->topo, pu->host)->name, pu->core);
  }
  fputc('\n', to);
}

static void print_frames(const berth_site_t *site, FILE *to)
{
  fprintf(to, "  %s\n", site ? site->op : "no call site is known");
  for (size_t i = 0; site && i < site->n_frames; i++) {
    char *frame = cli_checked(strdup(site->frames[i]));
    if (!frame) return;
    text_clean(frame); /* it may have line ends */
    fprintf(to, "    %s\n", frame);
    free(frame);
  }
}

/* The messages of a pair, by phase, call site and size. */
static void print_pair_details(void *data, size_t row, FILE *to)
{
  char size[TEXT_NUMBER], bytes[TEXT_NUMBER];
  const view_data_t *d = data;
  const summary_pair_t *pair = &d->summary->pairs[row];
  size_t n_phases, n;
  const berth_phase_t *phases = berth_pattern_phases(d->pattern, &n_phases);
  print_place(d, pair->src, to);
  print_place(d, pair->dst, to);
  for (size_t k = 0; k < n_phases; k++) {
    const berth_message_t *m = berth_pattern_messages(d->pattern, k, &n);
    bool first = true;
    int site = -1;
    size_t i = message_find(m, n, pair->src, pair->dst);
    for (; i < n && m[i].src == pair->src && m[i].dst == pair->dst; i++) {
      if (first)
        fprintf(to, "\nphase %d \"%s\", %llu time%s:\n", phases[k].id, phases[k].name,
                (unsigned long long)phases[k].repeats, text_plural((double)phases[k].repeats));
      if (first || m[i].site != site)
        print_frames(m[i].site ? berth_pattern_site(d->pattern, m[i].site) : NULL, to);
      first = false;
      site = m[i].site;
      fprintf(to, "      %12llu message%s of %s, %s\n", (unsigned long long)m[i].count,
              text_plural((double)m[i].count), text_bytes((double)m[i].size, size),
              text_bytes((double)m[i].bytes, bytes));
    }
  }
}

/* --- the machine --- */

/* An element's name; a PU's numbers. */
static void print_name(const berth_topo_t *t, int element, char *buf, size_t size)
{
  const berth_element_t *e = berth_topo_element(t, element);
  int indent = 2 * e->depth < 24 ? 2 * e->depth : 24;
  if (e->type >= 0) {
    snprintf(buf, size, "%*s%s", indent, "", berth_topo_element_name(t, element));
  } else {
    const berth_pu_t *pu = berth_topo_pu(t, e->first_pu);
    snprintf(buf, size, "%*sPU %d, core %d", indent, "", pu->os_index, pu->core);
  }
}

static void print_load(const berth_topo_t *t, const view_load_t *load, FILE *to)
{
  char bytes[TEXT_NUMBER], cost[TEXT_NUMBER];
  if (load->bytes <= 0)
    fprintf(to, " %10s %9s", "-", "-");
  else
    fprintf(to, " %10s %9s", text_bytes(load->bytes, bytes), topo_text_cost(t, load->cost_s, cost));
}

static void print_element(void *data, size_t row, FILE *to)
{
  enum { NAME = 36 };
  char name[300];
  const view_data_t *d = data;
  print_name(d->topo, (int)row, name, sizeof name);
  fprintf(to, "%-*s", NAME, name);
  if (!d->up) return;
  if (strlen(name) > NAME) fputc(' ', to);
  print_load(d->topo, &d->up[row], to);
  print_load(d->topo, &d->down[row], to);
}

static void print_direction(const berth_topo_t *t, const char *what, const berth_port_dir_t *p,
                            FILE *to)
{
  char rate[TEXT_NUMBER];
  if (p->curve < 0 && p->capacity <= 0) return;
  fprintf(to, "%-26s", what);
  if (p->curve >= 0) fprintf(to, " %s", berth_topo_curve(t, p->curve)->name);
  if (p->capacity > 0) fprintf(to, ", at most %s for all", text_bandwidth(p->capacity, rate));
  fputc('\n', to);
}

/* What the time of a link is. */
static const char *meaning_of_time(berth_model_t model)
{
  switch (model) {
  case BERTH_MODEL_FLOW:
    return "The time is how long this link limited messages, as model flow estimates it. At\n"
           "other times something else limited them. Several links may limit messages at\n"
           "once, so that times of links don't add up to the estimate.";
  case BERTH_MODEL_SUM:
    return "The time is that of all messages on the link, one after another (model sum).";
  case BERTH_MODEL_BOUND:
    return "The time is what the link needs at least for these messages (model bound).";
  default:
    return "The time is what the link needs for these messages, phase by phase (model port).";
  }
}

static void print_ranks(const view_data_t *d, const berth_element_t *e, FILE *to)
{
  int ranks = 0;
  if (!d->pu_of_rank) return;
  for (int r = 0; r < berth_pattern_ranks(d->pattern); r++) {
    int pu = d->pu_of_rank[r];
    if (pu < e->first_pu || pu >= e->first_pu + e->n_pus) continue;
    if (ranks == 0) fputs("\nranks:", to);
    fprintf(to, "%s%d", ranks % 12 ? " " : "\n  ", r);
    ranks++;
  }
  fprintf(to, "\n%s%d rank%s\n", ranks ? "" : "\n", ranks, text_plural(ranks));
}

static void print_element_details(void *data, size_t row, FILE *to)
{
  char name[300];
  const view_data_t *d = data;
  const berth_topo_t *t = d->topo;
  const berth_element_t *e = berth_topo_element(t, (int)row);
  print_name(t, (int)row, name, sizeof name);
  fprintf(to, "%s\n", name + strspn(name, " "));
  if (e->type >= 0) fprintf(to, "type %s\n", berth_topo_type(t, e->type)->name);
  if (e->host >= 0) fprintf(to, "host %s\n", berth_topo_host(t, e->host)->name);
  fprintf(to, "%d PU%s below\n", e->n_pus, text_plural(e->n_pus));
  if (e->type >= 0) {
    const berth_type_t *type = berth_topo_type(t, e->type);
    fputc('\n', to);
    print_direction(t, "its uplink", &type->up.out, to);
    print_direction(t, "its downlink", &type->up.in, to);
    print_direction(t, "links to what is below", &type->down.out, to);
  }
  if (d->up && e->parent >= 0) {
    fputs("\nload over the whole run        bytes      time", to);
    fputs("\n  uplink              ", to);
    print_load(t, &d->up[row], to);
    fputs("\n  downlink            ", to);
    print_load(t, &d->down[row], to);
    fprintf(to, "\n\n%s\n", meaning_of_time(d->model));
  }
  print_ranks(d, e, to);
}

/* --- call sites and phases --- */

static void print_site(void *data, size_t row, FILE *to)
{
  char bytes[TEXT_NUMBER];
  const summary_t *s = ((const view_data_t *)data)->summary;
  const summary_site_t *site = &s->sites[row];
  fprintf(to, "%14.0f %12s %6.1f%%  %s", site->sum.messages, text_bytes(site->sum.bytes, bytes),
          share(site->sum.bytes, s->all.bytes), site->known ? site->known->op : "unknown");
  if (site->known && site->known->n_frames) fprintf(to, "  %s", site->known->frames[0]);
}

static void print_site_details(void *data, size_t row, FILE *to)
{
  char bytes[TEXT_NUMBER];
  const view_data_t *d = data;
  const summary_site_t *site = &d->summary->sites[row];
  size_t n_phases, n;
  const berth_phase_t *phases = berth_pattern_phases(d->pattern, &n_phases);
  print_frames(site->known, to);
  fputs("\nby phase, in one occurrence:\n", to);
  for (size_t k = 0; k < n_phases; k++) {
    summary_amount_t sum = {0};
    const berth_message_t *m = berth_pattern_messages(d->pattern, k, &n);
    for (size_t i = 0; i < n; i++)
      if (m[i].site == site->id) {
        sum.messages += (double)m[i].count;
        sum.bytes += (double)m[i].bytes;
      }
    if (sum.messages > 0)
      fprintf(to, "  %d \"%s\": %.0f message%s, %s\n", phases[k].id, phases[k].name, sum.messages,
              text_plural(sum.messages), text_bytes(sum.bytes, bytes));
  }
}

static void print_phase(void *data, size_t row, FILE *to)
{
  char bytes[TEXT_NUMBER];
  const summary_t *s = ((const view_data_t *)data)->summary;
  const summary_phase_t *p = &s->phases[row];
  double all = p->once.bytes * (double)p->phase->repeats;
  fprintf(to, "%6d %10llu %14.0f %12s %6.1f%%  %s", p->phase->id,
          (unsigned long long)p->phase->repeats, p->once.messages, text_bytes(all, bytes),
          share(all, s->all.bytes), p->phase->name);
}

static void print_phase_details(void *data, size_t row, FILE *to)
{
  char bytes[TEXT_NUMBER];
  const view_data_t *d = data;
  const summary_phase_t *p = &d->summary->phases[row];
  size_t n;
  berth_pattern_messages(d->pattern, row, &n);
  fprintf(to, "phase %d \"%s\"\n%llu occurrence%s\n%.0f message%s in one, %s\n", p->phase->id,
          p->phase->name, (unsigned long long)p->phase->repeats,
          text_plural((double)p->phase->repeats), p->once.messages, text_plural(p->once.messages),
          text_bytes(p->once.bytes, bytes));
}

/* --- collective calls --- */

static const berth_phase_t *phase_of(const berth_pattern_t *p, int id)
{
  size_t n;
  const berth_phase_t *phases = berth_pattern_phases(p, &n);
  for (size_t k = 0; k < n; k++)
    if (phases[k].id == id) return &phases[k];
  return NULL;
}

static double calls_of(const berth_pattern_t *p, const berth_coll_t *c)
{
  const berth_phase_t *phase = phase_of(p, c->phase);
  return (double)c->count * (phase ? (double)phase->repeats : 1);
}

/* A call, with what it is sorted by. */
typedef struct ordered {
  const berth_coll_t *call;
  double bytes, calls;
  size_t place;
} ordered_t;

ORDER_BY(by_bytes, ordered_t, FALLING(bytes) FALLING(calls) RISING(place))

int view_sort_calls(view_data_t *d, berth_error_t *err)
{
  size_t n;
  const berth_coll_t *all = berth_pattern_colls(d->pattern, &n);
  ordered_t *sorted = malloc((n + 1) * sizeof *sorted);
  d->calls = malloc((n + 1) * sizeof *d->calls);
  if (sorted && d->calls) {
    for (size_t i = 0; i < n; i++) {
      double calls = calls_of(d->pattern, &all[i]);
      sorted[i] = (ordered_t){&all[i], calls * (double)all[i].bytes, calls, i};
    }
    qsort(sorted, n, sizeof *sorted, by_bytes);
    for (size_t i = 0; i < n; i++) d->calls[i] = sorted[i].call;
    d->n_calls = n;
  }
  bool done = sorted && d->calls;
  free(sorted);
  return done ? BERTH_OK : no_memory(err);
}

static int ranks_of(const berth_pattern_t *p, int comm)
{
  const berth_comm_t *c = pattern_comm(p, comm);
  return c ? (int)c->n_ranks : berth_pattern_ranks(p);
}

static void print_call(void *data, size_t row, FILE *to)
{
  char each[TEXT_NUMBER], bytes[TEXT_NUMBER];
  const view_data_t *d = data;
  const berth_coll_t *c = d->calls[row];
  const berth_site_t *site = c->site ? berth_pattern_site(d->pattern, c->site) : NULL;
  double calls = calls_of(d->pattern, c);
  fprintf(to, "%12.0f %10s %10s %6d  %s", calls, text_bytes((double)c->bytes, each),
          text_bytes(calls * (double)c->bytes, bytes), ranks_of(d->pattern, c->comm), c->op);
  if (site && site->n_frames) fprintf(to, "  %s", site->frames[0]);
}

/* The ranks that gave the most and the least, if ranks gave different amounts. */
static void print_shares(const berth_pattern_t *p, const berth_coll_t *c, FILE *to)
{
  char most[TEXT_NUMBER], least[TEXT_NUMBER];
  const berth_comm_t *comm = pattern_comm(p, c->comm);
  size_t high = 0, low = 0, high_at = 0, low_at = 0, at = 0; /* shares, and their first ranks */
  if (c->n_shares == 0) return;
  for (size_t i = 0; i < c->n_shares; at += c->shares[i++].ranks) {
    if (c->shares[i].bytes > c->shares[high].bytes) high = i, high_at = at;
    if (c->shares[i].bytes < c->shares[low].bytes) low = i, low_at = at;
  }
  fprintf(to, "rank %d gave the most, %s in all calls, rank %d the least, %s\n",
          comm ? comm->ranks[high_at] : (int)high_at,
          text_bytes((double)c->shares[high].bytes, most), comm ? comm->ranks[low_at] : (int)low_at,
          text_bytes((double)c->shares[low].bytes, least));
}

static void print_call_details(void *data, size_t row, FILE *to)
{
  char bytes[TEXT_NUMBER];
  const view_data_t *d = data;
  const berth_coll_t *c = d->calls[row];
  const berth_phase_t *phase = phase_of(d->pattern, c->phase);
  double calls = calls_of(d->pattern, c);
  fprintf(to, "%.0f call%s of %s at one rank%s\n", calls, text_plural(calls),
          text_bytes((double)c->bytes, bytes), c->n_shares ? " on average" : "");
  print_shares(d->pattern, c, to);
  fprintf(to, "communicator %d, %d ranks", c->comm, ranks_of(d->pattern, c->comm));
  if (c->root >= 0) fprintf(to, ", root %d", c->root);
  if (c->in_place) fputs(", MPI_IN_PLACE", to);
  fputc('\n', to);
  if (phase) fprintf(to, "phase %d \"%s\"\n", phase->id, phase->name);
  fputs("\ncall site, innermost frame first:\n", to);
  const berth_site_t *site = c->site ? berth_pattern_site(d->pattern, c->site) : NULL;
  if (site)
    print_frames(site, to);
  else
    fprintf(to, "  %s, no call site is known\n", c->op);
}

/* --- why lists are empty --- */

static const char *no_pairs(const view_data_t *d)
{
  if (d->n_calls)
    return "No messages from rank to rank. The pattern has collective calls only: Tab leads to "
           "the screen \"collectives\".";
  if (d->summary->n_rmas)
    return "No messages from rank to rank. The pattern has one-sided operations only: `berth show` "
           "lists them.";
  return "No messages: the pattern has none.";
}

static const char *no_sites(const view_data_t *d)
{
  return d->summary->all.messages > 0
             ? "No call sites: the pattern has none of its messages (berth trace --sites 0, or a "
               "pattern that berth imported or made)."
             : "No call sites that send messages: the pattern has no messages from rank to rank.";
}

/* --- all --- */

static view_screen_t machine_screen(view_data_t *d)
{
  static const char *const heads[BERTH_N_MODELS] = {
      [BERTH_MODEL_PORT] =
          "element                                  uplink      time   downlink      time",
      [BERTH_MODEL_BOUND] =
          "element (times: model bound)             uplink      time   downlink      time",
      [BERTH_MODEL_SUM] =
          "element (times: model sum)               uplink      time   downlink      time",
      [BERTH_MODEL_FLOW] =
          "element (time: while it limits)          uplink      time   downlink      time"};
  return (view_screen_t){"machine",
                         d->up ? heads[d->model] : "element",
                         (size_t)berth_topo_n_elements(d->topo),
                         print_element,
                         print_element_details,
                         d,
                         NULL};
}

/* Messages without a call site aren't one. */
static size_t count_sites(const summary_t *s)
{
  return s->n_sites == 1 && !s->sites[0].known ? 0 : s->n_sites;
}

static void add_lists(view_data_t *d, view_screen_t screens[VIEW_SCREENS], size_t *n)
{
  const summary_t *s = d->summary;
  screens[(*n)++] =
      (view_screen_t){"call sites",       "      messages        bytes   share  call site",
                      count_sites(s),     print_site,
                      print_site_details, d,
                      no_sites(d)};
  screens[(*n)++] = (view_screen_t){"phases",
                                    "    id     repeats   messages each    all bytes   share  name",
                                    s->n_phases,
                                    print_phase,
                                    print_phase_details,
                                    d,
                                    NULL};
  if (d->n_calls)
    screens[(*n)++] = (view_screen_t){"collectives",
                                      "       calls  at a rank  all calls  ranks  operation",
                                      d->n_calls,
                                      print_call,
                                      print_call_details,
                                      d,
                                      NULL};
}

size_t view_screens(view_data_t *d, view_screen_t screens[VIEW_SCREENS])
{
  size_t n = 0;
  if (d->summary)
    screens[n++] = (view_screen_t){"pairs",
                                   "  source -> destination       messages        bytes   share",
                                   d->summary->n_pairs,
                                   print_pair,
                                   print_pair_details,
                                   d,
                                   no_pairs(d)};
  if (d->topo) screens[n++] = machine_screen(d);
  if (d->summary) add_lists(d, screens, &n);
  return n;
}

/* Both ends of a link carry the same bytes; the slower end counts. */
static void add_load(view_load_t *link, const berth_load_t *load, double repeats, double *seen)
{
  double bytes = load->bytes * repeats, cost = load->cost_s * repeats;
  if (bytes > seen[0]) link->bytes += bytes - seen[0], seen[0] = bytes;
  if (cost > seen[1]) link->cost_s += cost - seen[1], seen[1] = cost;
}

/* Loads of a phase are ordered by element, so that both ends of a link follow one another. */
static void add_phase(view_data_t *d, const berth_load_t *loads, size_t n, double repeats)
{
  double up[2] = {0}, down[2] = {0};
  for (size_t i = 0; i < n; i++) {
    int element = loads[i].resource.element;
    if (i > 0 && loads[i - 1].resource.element != element)
      memset(up, 0, sizeof up), memset(down, 0, sizeof down);
    switch (loads[i].resource.kind) {
    case BERTH_UP_OUT:
    case BERTH_DOWN_IN:
      add_load(&d->up[element], &loads[i], repeats, up);
      break;
    case BERTH_UP_IN:
    case BERTH_DOWN_OUT:
      add_load(&d->down[element], &loads[i], repeats, down);
      break;
    default:
      break;
    }
  }
}

int view_add_loads(view_data_t *d, const berth_pattern_t *priced, berth_model_t model,
                   const int *pu_of_rank, berth_error_t *err)
{
  size_t n_phases, n, elements = (size_t)berth_topo_n_elements(d->topo);
  const berth_phase_t *phases = berth_pattern_phases(priced, &n_phases);
  d->up = calloc(elements, sizeof *d->up);
  d->down = calloc(elements, sizeof *d->down);
  if (!d->up || !d->down) return no_memory(err);
  d->pu_of_rank = pu_of_rank;
  d->model = model;
  berth_cost_t *c = berth_cost_new(priced, d->topo, err);
  int rc = c ? BERTH_OK : err->code;
  for (size_t k = 0; k < n_phases && !rc; k++) {
    berth_load_t *loads;
    rc = berth_cost_loads(c, model, k, pu_of_rank, &loads, &n, err);
    if (!rc) add_phase(d, loads, n, (double)phases[k].repeats);
    free(loads);
  }
  berth_cost_free(c);
  return rc;
}
