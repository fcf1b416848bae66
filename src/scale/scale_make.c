/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the pattern: what was found, for the number of ranks that was asked for. */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/no_memory.h"
#include "scale/scale_internal.h"

/* A communicator that the pattern has: the lines of a grid. */
typedef struct lines {
  grid_t grid;
  unsigned dims;
  bool first;
  int comm; /* of the first line; the others follow */
} lines_t;

typedef struct maker {
  scale_job_t *job;
  const scale_families_t *families;
  berth_pattern_t *p;
  int ranks, comms;
  size_t n_lines, cap_lines, n_messages, cap_messages;
  lines_t *lines;
  berth_message_t *message; /* one rank's, of one-sided operations */
} maker_t;

static uint64_t whole(double x) { return x < 0.5 ? 0 : (uint64_t)llround(x); }

/* A number that depends on the number of ranks alone, and isn't 0. */
static uint64_t once_at_least(const maker_t *m, const scale_law_t *law)
{
  const scale_place_t place = scale_place_of(m->ranks);
  uint64_t times = whole(scale_law_at(law, &place));
  return times ? times : 1;
}

/* --- what the job is --- */

/* The MPI and what the job had set for it, which say what collective calls send. */
static int add_job(const maker_t *m, berth_error_t *err)
{
  size_t n;
  const berth_pattern_t *last = m->job->trace[m->job->n - 1];
  const berth_parameter_t *p = berth_pattern_parameters(last, &n);
  int rc = berth_pattern_set_origin(m->p, berth_pattern_mpi(last), "", err);
  for (size_t i = 0; i < n && !rc; i++) rc = berth_pattern_add_parameter(m->p, &p[i], err);
  return rc;
}

static int add_phases(const maker_t *m, const scale_repeats_t *repeats, berth_error_t *err)
{
  for (size_t i = 0; i < m->job->n_phases; i++) {
    const berth_phase_t phase = {
        .id = (int)i, .name = m->job->phases[i].name, .repeats = once_at_least(m, &repeats[i].law)};
    if (berth_pattern_add_phase(m->p, &phase, err)) return err->code;
  }
  return BERTH_OK;
}

static int add_sites(const maker_t *m, berth_error_t *err)
{
  for (size_t i = 1; i < m->job->n_sites; i++) {
    const scale_site_t *s = &m->job->sites[i];
    const berth_site_t site = {
        .id = (int)i, .op = s->op, .n_frames = s->n_frames, .frames = s->frames};
    if (berth_pattern_add_site(m->p, &site, err)) return err->code;
  }
  return BERTH_OK;
}

/* --- messages --- */

typedef int take_t(maker_t *m, const berth_message_t *message, berth_error_t *err);

static int take_message(maker_t *m, const berth_message_t *message, berth_error_t *err)
{
  return berth_pattern_add_message(m->p, message, err);
}

static int take_one_sided(maker_t *m, const berth_message_t *message, berth_error_t *err)
{
  return ARRAY_ADD(&m->message, &m->n_messages, &m->cap_messages, *message) ? BERTH_OK
                                                                            : no_memory(err);
}

/* Messages of one pair: so many of each size that their number and bytes are those of the law. */
static int send(maker_t *m, const scale_rule_t *rule, berth_message_t message, double messages,
                double bytes, take_t *take, berth_error_t *err)
{
  const scale_sizes_t *sizes = &rule->sizes;
  uint64_t left = whole(messages) ? whole(messages) : 1, all = left;
  int rc = BERTH_OK;
  double mean = bytes / (double)all;
  for (int i = 0; i < sizes->n && left && !rc; i++) {
    uint64_t count = i + 1 == sizes->n ? left : whole(sizes->part[i] * (double)all);
    if (count > left) count = left;
    message.size = whole(mean * sizes->size[i]);
    message.count = count;
    message.bytes = message.size * count;
    left -= count;
    if (count) rc = take(m, &message, err);
  }
  return rc;
}

static int send_of_rank(maker_t *m, const scale_unit_t *u, const scale_explanation_t *e, int src,
                        take_t *take, berth_error_t *err)
{
  const grid_t *grid = &m->families->family[e->family].made;
  for (int k = 0; k < e->n; k++) {
    const scale_rule_t *rule = &e->rules[k];
    const scale_relation_t *r = &rule->relation;
    const scale_place_t place = scale_relation_place(r, grid, m->ranks);
    double messages = scale_law_at(&rule->messages, &place);
    double bytes = scale_law_at(&rule->bytes, &place) * (rule->each ? messages : 1);
    int most = scale_relation_most(r, grid, src);
    for (int i = 0; i < most; i++) {
      int dst = scale_relation_target(r, grid, src, i);
      const scale_weight_t by = scale_relation_weight(r, grid, i);
      const berth_message_t message = {.phase = u->phase, .site = u->site, .src = src, .dst = dst};
      if (dst >= 0 && send(m, rule, message, messages * by.messages, bytes * by.bytes, take, err))
        return err->code;
    }
  }
  return BERTH_OK;
}

static int make_one_sided(maker_t *m, const scale_unit_t *u, const scale_found_t *f,
                          berth_error_t *err)
{
  uint64_t epochs = once_at_least(m, &f->epochs);
  for (int src = 0; src < m->ranks; src++) {
    m->n_messages = 0;
    if (send_of_rank(m, u, &f->messages, src, take_one_sided, err)) return err->code;
    const berth_rma_t rma = {.phase = u->phase,
                             .site = u->site,
                             .src = src,
                             .win = u->rma->win,
                             .sync = u->rma->sync,
                             .op = u->rma->op,
                             .epochs = epochs,
                             .n_msgs = m->n_messages,
                             .msgs = m->message};
    if (m->n_messages && berth_pattern_add_rma(m->p, &rma, err)) return err->code;
  }
  return BERTH_OK;
}

static int make_messages(maker_t *m, const scale_unit_t *u, const scale_found_t *f,
                         berth_error_t *err)
{
  int rc = BERTH_OK;
  for (int src = 0; src < m->ranks && !rc; src++)
    rc = send_of_rank(m, u, &f->messages, src, take_message, err);
  return rc;
}

/* --- calls --- */

static int add_comm(maker_t *m, const grid_t *grid, unsigned dims, int rank, int *member,
                    berth_error_t *err)
{
  int n = scale_line(grid, dims);
  for (int i = 0; i < n; i++) member[i] = scale_line_rank(grid, dims, rank, i);
  const berth_comm_t comm = {.id = ++m->comms, .n_ranks = (size_t)n, .ranks = member};
  return berth_pattern_add_comm(m->p, &comm, err);
}

/* The identity of the first line's communicator; the others follow. Makes the communicators if
 * there are none of these lines. -1 with the error filled. */
static int comm_of_lines(maker_t *m, const grid_t *grid, unsigned dims, bool first,
                         berth_error_t *err)
{
  for (size_t i = 0; i < m->n_lines; i++) {
    const lines_t *l = &m->lines[i];
    bool same = l->dims == dims && l->first == first && l->grid.n == grid->n;
    for (int d = 0; d < grid->n; d++) same &= l->grid.dims[d] == grid->dims[d];
    if (same) return l->comm;
  }
  const lines_t lines = {*grid, dims, first, m->comms + 1};
  int *member = malloc((size_t)scale_line(grid, dims) * sizeof *member);
  int rc =
      member && ARRAY_ADD(&m->lines, &m->n_lines, &m->cap_lines, lines) ? BERTH_OK : no_memory(err);
  for (int r = 0; r < (first ? 1 : m->ranks) && !rc; r++)
    if (scale_line_place(grid, dims, r) == 0) rc = add_comm(m, grid, dims, r, member, err);
  free(member);
  return rc ? -1 : lines.comm;
}

/* `root` is a place in the line; `count` calls. */
static int add_call(const maker_t *m, const scale_unit_t *u, const scale_call_rule_t *rule,
                    int comm, int root, uint64_t bytes, uint64_t count, uint64_t line,
                    uint64_t repeats, berth_error_t *err)
{
  const berth_coll_t *like = u->coll;
  const berth_share_t share = {bytes * count * repeats, line};
  const berth_coll_t call = {.phase = u->phase,
                             .site = u->site,
                             .comm = comm,
                             .op = like->op,
                             .bytes = bytes,
                             .count = count,
                             .root = root,
                             .n_shares = rule->shared ? 1 : 0,
                             .shares = rule->shared ? &share : NULL,
                             .element = like->element,
                             .in_place = like->in_place,
                             .user_operation = like->user_operation,
                             .uncommutative = like->uncommutative};
  return count ? berth_pattern_add_coll(m->p, &call, err) : BERTH_OK;
}

/* The k-th calls of a line. */
static int add_calls(const maker_t *m, const scale_unit_t *u, const scale_call_rule_t *rule, int k,
                     int comm, const scale_place_t *place, uint64_t repeats, berth_error_t *err)
{
  const uint64_t bytes = whole(scale_law_at(&rule->bytes[k], place));
  const uint64_t found = whole(scale_law_at(&rule->count[k], place)), count = found ? found : 1;
  const uint64_t line = (uint64_t)place->line;
  int rc = BERTH_OK, root = rule->roots == SCALE_ROOT_LAST ? place->line - 1 : rule->root;
  if (rule->roots != SCALE_ROOT_EACH)
    return add_call(m, u, rule, comm, root, bytes, count, line, repeats, err);
  for (uint64_t i = 0; i < line && !rc; i++)
    rc = add_call(m, u, rule, comm, (int)i, bytes, count, line, repeats, err);
  return rc;
}

static int make_calls(maker_t *m, const scale_unit_t *u, const scale_calls_explanation_t *e,
                      const scale_repeats_t *repeats, berth_error_t *err)
{
  const grid_t *grid = &m->families->family[e->family].made;
  const scale_call_rule_t *rule = &e->rule;
  const scale_place_t place = {*grid, m->ranks, scale_line(grid, rule->dims), 0};
  int lines = rule->first ? 1 : m->ranks / place.line;
  int comm = place.line == m->ranks || place.line == 1
                 ? 0
                 : comm_of_lines(m, grid, rule->dims, rule->first, err);
  uint64_t times = once_at_least(m, &repeats[u->phase].law);
  if (comm < 0) return err->code;
  if (place.line == 1 && m->ranks > 1) return BERTH_OK; /* nobody sends anything */
  for (int line = 0; line < lines; line++)
    for (int k = 0; k < rule->n; k++)
      if (add_calls(m, u, rule, k, comm + line, &place, times, err)) return err->code;
  return BERTH_OK;
}

/* --- all --- */

/* At most so many pairs of ranks. The first ranks of lines send once to each of their other ranks.
 */
static double pairs_of(const scale_relation_t *r, const grid_t *grid, int ranks)
{
  return r->kind == SCALE_FROM_FIRST ? ranks : (double)ranks * scale_relation_most(r, grid, 0);
}

/* Whether the messages fit into what a pattern may take: they are in a list. */
static int check_memory(const maker_t *m, const scale_found_t *found, berth_error_t *err)
{
  double messages = 0;
  for (size_t i = 0; i < m->job->n_units; i++) {
    const scale_explanation_t *e = &found[i].messages;
    if (m->job->units[i].kind == SCALE_CALLS || e->why) continue;
    const grid_t *grid = &m->families->family[e->family].made;
    for (int k = 0; k < e->n; k++)
      messages += pairs_of(&e->rules[k].relation, grid, m->ranks) * e->rules[k].sizes.n;
  }
  return budget_allows(messages * sizeof(berth_message_t), "the pattern", err);
}

/* Says which call site an error is about: its law gives an amount that no pattern can have. */
static int name_site(const scale_job_t *job, const scale_unit_t *u, berth_error_t *err)
{
  const scale_site_t *s = &job->sites[u->site];
  const berth_error_t why = *err;
  return berth_fail(err, BERTH_BAD_INPUT, "%s %.80s: with %d ranks: %s",
                    *s->op ? s->op : "an unknown call site", s->n_frames ? s->frames[0] : "",
                    job->options.ranks, why.text);
}

/* What isn't generalised is counted as calls that the pattern doesn't have, by the numbers of the
 * last trace, so that commands say that something is missing. */
static int leave_out(const maker_t *m, const scale_unit_t *u, berth_error_t *err)
{
  const char *op = scale_unit_op(m->job, u);
  const berth_unmodelled_t calls = {*op ? op : "MPI_Send", whole(u->messages)};
  return calls.calls ? berth_pattern_add_unmodelled(m->p, &calls, err) : BERTH_OK;
}

int scale_make(scale_job_t *job, const scale_families_t *families, const scale_found_t *found,
               const scale_repeats_t *repeats, berth_pattern_t *p, berth_error_t *err)
{
  maker_t m = {.job = job, .families = families, .p = p, .ranks = job->options.ranks};
  int rc = check_memory(&m, found, err);
  if (!rc) rc = add_job(&m, err);
  if (!rc) rc = add_phases(&m, repeats, err);
  if (!rc) rc = add_sites(&m, err);
  for (size_t i = 0; i < job->n_units && !rc; i++) {
    const scale_unit_t *u = &job->units[i];
    if (scale_why_not(u, &found[i]))
      rc = leave_out(&m, u, err);
    else if (u->kind == SCALE_CALLS)
      rc = make_calls(&m, u, &found[i].calls, repeats, err);
    else if (u->kind == SCALE_MESSAGES)
      rc = make_messages(&m, u, &found[i], err);
    else
      rc = make_one_sided(&m, u, &found[i], err);
    if (rc == BERTH_BAD_INPUT) rc = name_site(job, u, err);
    scale_step(job, 1);
  }
  free(m.lines);
  free(m.message);
  return rc ? rc : berth_pattern_finish(p, err);
}
