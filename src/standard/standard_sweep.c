/* SPDX-License-Identifier: BSD-3-Clause */
/* Wavefronts (Koch, Baker, Alcouffe, 1992: the KBA algorithm): ranks have columns of points. From
 * each corner of the grid, planes follow one another: a rank waits for what its two neighbours
 * towards the corner send, and sends to the other two. The pattern has the order of all that. */
#include "standard/standard_internal.h"

enum { CORNERS = 4, STEPS_OF_A_PLANE = 4, STEPS = CORNERS * (1 + STEPS_OF_A_PLANE) };

typedef struct sweep {
  standard_job_t *job;
  int site;
  uint64_t planes, face[2]; /* bytes to the neighbour in each dimension */
  int rank;
  size_t n;
  berth_step_t step[STEPS];
} sweep_t;

/* The neighbour in dimension d, in that direction; -1: none. */
static int neighbour(const sweep_t *s, int d, int direction)
{
  const int step[BERTH_STANDARD_DIMS] = {d == 0 ? direction : 0, d == 1 ? direction : 0};
  return grid_neighbour(&s->job->grid, s->rank, step, s->job->periodic);
}

static int add_corner(sweep_t *s, const int *direction, berth_error_t *err)
{
  berth_step_t *loop = &s->step[s->n++];
  *loop = (berth_step_t){.kind = BERTH_STEP_LOOP, .times = s->planes};
  for (int d = 0; d < 2; d++) {
    int from = neighbour(s, d, -direction[d]);
    if (from < 0) continue;
    s->step[s->n++] = (berth_step_t){.kind = BERTH_STEP_RECEIVE, .peer = from, .times = 1};
    loop->steps++;
  }
  for (int d = 0; d < 2; d++) {
    int to = neighbour(s, d, direction[d]), rc = BERTH_OK;
    if (to < 0) continue;
    s->step[s->n++] = (berth_step_t){.kind = BERTH_STEP_SEND,
                                     .peer = to,
                                     .mode = BERTH_SEND_BLOCKS,
                                     .size = s->face[d],
                                     .times = 1};
    loop->steps++;
    const berth_message_t m = {.site = s->site,
                               .src = s->rank,
                               .dst = to,
                               .size = s->face[d],
                               .count = s->planes,
                               .bytes = s->planes * s->face[d]};
    if ((rc = berth_pattern_add_message(s->job->pattern, &m, err))) return rc;
  }
  if (loop->steps == 0) s->n--;
  return BERTH_OK;
}

static int add_rank(sweep_t *s, berth_error_t *err)
{
  int rc = BERTH_OK;
  s->n = 0;
  for (int c = 0; c < CORNERS && !rc; c++)
    rc = add_corner(s, (const int[]){c & 1 ? -1 : 1, c & 2 ? -1 : 1}, err);
  if (rc || s->n == 0) return rc;
  const berth_order_t order = {.src = s->rank, .rounds = 1, .n_steps = s->n, .steps = s->step};
  return berth_pattern_add_order(s->job->pattern, &order, err);
}

int standard_sweep(standard_job_t *job, berth_error_t *err)
{
  sweep_t s = {.job = job,
               .planes = job->block[2],
               .face = {job->block[1] * job->element, job->block[0] * job->element}};
  int rc = BERTH_OK;
  s.site = standard_site(job, "MPI_Send", "downstream", err);
  if (!s.site) return err->code;
  for (s.rank = 0; s.rank < job->ranks && !rc; s.rank++) rc = add_rank(&s, err);
  return rc;
}
