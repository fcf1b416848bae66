/* SPDX-License-Identifier: BSD-3-Clause */
/* The sizes of messages and their times, and a chain for each phase or collective operation. */
#include <stdlib.h>

#include "base/no_memory.h"
#include "base/order.h"
#include "cost/flow/flow_program.h"
#include "pattern/phase_find.h"

ORDER_VALUES(by_value, uint64_t)

static int make_sizes(flow_plan_t *plan, const berth_cost_t *c, berth_error_t *err)
{
  size_t total = 0, n = 0, count, phases;
  berth_pattern_phases(c->pattern, &phases);
  for (size_t k = 0; k < phases; k++) {
    berth_pattern_messages(c->pattern, k, &count);
    total += count;
  }
  uint64_t *size = plan->size = malloc((total + 1) * sizeof *size);
  if (!size) return no_memory(err);
  for (size_t k = 0; k < phases; k++) {
    const berth_message_t *m = berth_pattern_messages(c->pattern, k, &count);
    for (size_t i = 0; i < count; i++)
      if (n == 0 || size[n - 1] != m[i].size) size[n++] = m[i].size;
  }
  if (n) qsort(size, n, sizeof *size, by_value);
  for (size_t i = 0; i < n; i++)
    if (plan->n_sizes == 0 || size[plan->n_sizes - 1] != size[i]) size[plan->n_sizes++] = size[i];
  return BERTH_OK;
}

/* The number of a resource's curve. */
static int curve_of(const berth_topo_t *t, berth_resource_t r)
{
  const berth_element_t *e = berth_topo_element(t, r.element);
  bool down = r.kind == BERTH_DOWN_OUT || r.kind == BERTH_DOWN_IN;
  if (r.kind == BERTH_SWITCH) return -1;
  const berth_type_t *type =
      berth_topo_type(t, down ? berth_topo_element(t, e->parent)->type : e->type);
  const berth_port_t *port = down ? &type->down : &type->up;
  return r.kind == BERTH_DOWN_OUT || r.kind == BERTH_UP_OUT ? port->out.curve : port->in.curve;
}

static int make_times(flow_plan_t *plan, const berth_cost_t *c, berth_error_t *err)
{
  size_t curves = (size_t)berth_topo_n_curves(c->topo), n = plan->n_sizes;
  plan->curve_of_resource = malloc(((size_t)c->n_resources + 1) * sizeof(int));
  plan->time = malloc((curves * n + 1) * sizeof *plan->time);
  if (!plan->curve_of_resource || !plan->time) return no_memory(err);
  for (int r = 0; r < c->n_resources; r++)
    plan->curve_of_resource[r] = curve_of(c->topo, c->resource[r].is);
  for (size_t k = 0; k < curves; k++)
    for (size_t i = 0; i < n; i++)
      plan->time[k * n + i] =
          berth_curve_time(berth_topo_curve(c->topo, (int)k), (double)plan->size[i]);
  return BERTH_OK;
}

/* Makes a chain whose first phase and number of members are set. */
static int fill_chain(flow_plan_t *plan, const berth_cost_t *c, flow_chain_t *chain,
                      flow_program_t *program, int rounds, berth_error_t *err)
{
  flow_chain_builder_t b = {plan, chain, NULL};
  int rc = program ? flow_phase_make(&b, c, program, rounds, err) : flow_rounds_make(&b, c, err);
  flow_chain_builder_clear(&b);
  return rc;
}

enum { USUAL_ITEMS = 1 << 17, MOST_ITEMS = 1 << 22 };

/* In how many rounds loops are played at most. */
static int most_rounds(const flow_program_t *program)
{
  int rounds = program->waits ? FLOW_MOST_ROUNDS : FLOW_ROUNDS;
  while (rounds > FLOW_ROUNDS && flow_program_items(program, rounds) > USUAL_ITEMS) rounds /= 2;
  while (rounds > 1 && flow_program_items(program, rounds) > MOST_ITEMS) rounds /= 2;
  return rounds;
}

/* A chain for the same phase. */
static flow_chain_t *same_phase(const flow_chain_t *chain, berth_error_t *err)
{
  flow_chain_t *same = calloc(1, sizeof *same);
  if (!same) return no_memory(err), NULL;
  same->first_phase = chain->first_phase;
  same->n_members = 1;
  return same;
}

/* Makes the chain of a phase, and coarser ones if ranks that wait for each other have long
 * loops. */
static int make_phase(flow_plan_t *plan, const berth_cost_t *c, flow_chain_t *chain,
                      flow_program_t *program, int rounds, berth_error_t *err)
{
  bool exact = !program->waits || rounds <= FLOW_LEAST_ROUNDS;
  chain->excess = exact ? 0 : flow_program_excess(program, rounds);
  if (!exact && flow_program_items(program, rounds) > flow_program_items(program, rounds / 2)) {
    chain->coarser = same_phase(chain, err);
    if (!chain->coarser) return BERTH_MISSING;
    if (make_phase(plan, c, chain->coarser, program, rounds / 2, err)) return BERTH_MISSING;
  }
  return fill_chain(plan, c, chain, program, rounds, err);
}

/* Marks the phases of calls that the programs of the last chain play. */
static void mark_played(flow_plan_t *plan, const flow_calls_t *calls)
{
  for (int i = 0; i < calls->n; i++)
    for (int k = 0; k < calls->call[i].n_phases; k++)
      plan->played_by[calls->call[i].first_phase + (size_t)k] = plan->n_chains;
}

/* The last chain of the plan, with and without the messages of calls. */
static int make_program(flow_plan_t *plan, const berth_cost_t *c, flow_program_t *program,
                        berth_error_t *err)
{
  flow_chain_t *chain = &plan->chain[plan->n_chains - 1];
  int rc = flow_program_find_calls(program, c->pattern, chain->first_phase, err);
  if (!rc && program->calls.n && flow_program_items(program, FLOW_LEAST_ROUNDS) > MOST_ITEMS)
    flow_program_drop_calls(program);
  if (!rc && program->calls.n) {
    mark_played(plan, &program->calls);
    rc = make_phase(plan, c, chain, program, most_rounds(program), err);
    flow_program_drop_calls(program);
    if (!rc && !(chain->alone = same_phase(chain, err))) rc = BERTH_MISSING;
    chain = chain->alone;
  }
  return rc ? rc : make_phase(plan, c, chain, program, most_rounds(program), err);
}

static int make_chain(flow_plan_t *plan, const berth_cost_t *c, const berth_phase_t *first,
                      berth_error_t *err)
{
  flow_program_t program;
  flow_chain_t *chain = &plan->chain[plan->n_chains - 1];
  if (first->collective) return fill_chain(plan, c, chain, NULL, 0, err);
  int rc = flow_program_make(&program, c->pattern, chain->first_phase, err);
  if (!rc) rc = make_program(plan, c, &program, err);
  flow_program_clear(&program);
  return rc;
}

/* Chains are phases, or all rounds of the same collective calls. */
static int make_chains(flow_plan_t *plan, const berth_cost_t *c, berth_error_t *err)
{
  size_t n;
  int rc = BERTH_OK;
  const berth_phase_t *phase = berth_pattern_phases(c->pattern, &n);
  plan->chain = calloc(n, sizeof *plan->chain);
  plan->chain_of_phase = malloc(n * sizeof *plan->chain_of_phase);
  plan->played_by = calloc(n, sizeof *plan->played_by);
  if (!plan->chain || !plan->chain_of_phase || !plan->played_by) return no_memory(err);
  for (size_t k = 0, end; k < n && !rc; k = end) {
    end = pattern_call_end(phase, k, n);
    for (size_t i = k; i < end; i++) plan->chain_of_phase[i] = plan->n_chains;
    flow_chain_t *chain = &plan->chain[plan->n_chains++];
    chain->first_phase = k;
    chain->n_members = (int)(end - k);
    rc = make_chain(plan, c, &phase[k], err);
  }
  return rc;
}

int flow_plan_make(flow_plan_t *plan, const berth_cost_t *c, berth_error_t *err)
{
  *plan = (flow_plan_t){0};
  int rc = make_sizes(plan, c, err);
  if (!rc) rc = make_times(plan, c, err);
  if (!rc) rc = make_chains(plan, c, err);
  if (rc) flow_plan_clear(plan);
  return rc;
}

void flow_plan_clear(flow_plan_t *plan)
{
  for (size_t k = 0; plan->chain && k < plan->n_chains; k++) flow_chain_clear(&plan->chain[k]);
  free(plan->chain);
  free(plan->chain_of_phase);
  free(plan->played_by);
  free(plan->size);
  free(plan->curve_of_resource);
  free(plan->time);
  *plan = (flow_plan_t){0};
}
