/* SPDX-License-Identifier: BSD-3-Clause */
/* What `map`, `cost` and `run` share: a pattern, a topology, the PUs that may be used, and linear's
 * cost on them. */
#ifndef BERTH_CLI_INPUTS_H
#define BERTH_CLI_INPUTS_H

#include <argp.h>
#include <berth/map.h>

typedef struct inputs {
  const char *pattern_path, *topology_path;
  int truncated;           /* take what is there of a pattern that was cut off */
  int no_intervals;        /* don't work out how sure costs are */
  berth_map_options_t map; /* begin with berth_map_defaults */
  const char *from_path;   /* --from: a mapping, or NULL */
  const char **pins;       /* --pin: see pins_read */
  size_t n_pins, pins_cap;
  berth_pattern_t *pattern;
  berth_topo_t *topo;
  int *pinned;          /* map.pinned */
  berth_mapping_t from; /* map.from */
} inputs_t;

/* The options that fill an inputs_t, its input: a child of a command's argp, which passes it on at
 * ARGP_KEY_INIT. It insists on both files. */
extern const struct argp inputs_argp;

/* For --objective and --model: the model of that name, or a usage error. */
berth_model_t inputs_model(struct argp_state *state, const char *option, const char *arg);

/* Loads both files, the topology first, and finds where ranks are pinned to and where they are
 * now. Free with inputs_clear, also after a failure. */
int inputs_load(inputs_t *in, berth_error_t *err);
void inputs_clear(inputs_t *in);

/* Places the ranks for `pattern`, which is in->pattern or one phase of it: *out is the mapping with
 * its cost under the objective, *linear_cost_s linear's on the same PUs, *report (or NULL) what was
 * looked at. Free with berth_mapping_clear, whatever is returned. */
int inputs_map(const inputs_t *in, const berth_pattern_t *pattern, const berth_mapper_t *mapper,
               berth_mapping_t *out, double *linear_cost_s, berth_map_report_t *report,
               berth_error_t *err);

/* Fills in the mapping's cost for `pattern` and linear's, as inputs_map does. */
int inputs_price(const inputs_t *in, const berth_pattern_t *pattern, berth_mapping_t *out,
                 double *linear_cost_s, berth_error_t *err);

/* The place (in berth_pattern_phases) of the phase that --phase asks for: the one of that number
 * or, where there is none, of that name. */
int inputs_find_phase(const berth_pattern_t *pattern, const char *asked, size_t *place,
                      berth_error_t *err);

/* For --algorithm: the mapper of that name, or a usage error. */
const berth_mapper_t *inputs_mapper(struct argp_state *state, const char *arg);

/* Rank r on the r-th usable PU: the baseline; the caller frees it. *pu_of_rank is NULL when there
 * are more ranks than PUs. */
int inputs_linear(const inputs_t *in, int **pu_of_rank, berth_error_t *err);
/* Its cost; -1 when there are more ranks. */
int inputs_linear_cost(const inputs_t *in, berth_cost_t *evaluator, berth_model_t model,
                       double *cost, berth_error_t *err);

/* What a run gains when communication gets cheaper from `before` to `after` (report, section 7.1):
 * the relative difference times the share of the run spent in MPI. Returns 0 and sets *known to 0
 * where the pattern doesn't tell that share. */
double inputs_run_gain(const inputs_t *in, double before, double after, int *known);
/* (before - after) / before; 0 when before is 0. */
double relative_gain(double before, double after);

/* True when a curve of the topology says that nobody measured it. */
int inputs_unmeasured(const inputs_t *in);

/* The names of the types of the elements at a depth, "host+switch", "pu" among them, in buf. */
const char *level_types(const berth_topo_t *t, int depth, char *buf, size_t size);

#endif
