/* SPDX-License-Identifier: BSD-3-Clause */
/* What `map`, `cost` and `run` share: a pattern, a topology, the PUs that may be used, and linear's
 * cost on them. */
#ifndef BERTH_CLI_OPTIONS_INPUTS_H
#define BERTH_CLI_OPTIONS_INPUTS_H

#include <berth/assess.h>
#include <berth/map.h>
#include <berth/reserve.h>
#include <berth/sharing.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/json_out.h"
#include "cli/options/option.h"

typedef struct inputs {
  const char *pattern_path, *topology_path;
  bool several;                /* the command takes several topologies */
  const char *baseline_option; /* that takes another pattern; NULL: there is none */
  option_words_t topologies;   /* all of them, the first one is topology_path */
  const char *collectives;     /* rules, "auto" or "none"; NULL: auto, if berth has rules */
  const char *one_sided;       /* rules, "auto" or "none"; NULL: auto */
  int truncated;               /* read a truncated pattern as far as it goes */
  int no_intervals;            /* don't work out how sure costs are */
  berth_map_options_t map;     /* begin with berth_map_defaults */
  berth_map_watch_t *watch;    /* of inputs_map's runs, borrowed, or NULL */
  const char *from_path;       /* --from: a mapping, or NULL */
  option_words_t pins;         /* --pin: see berth_pins_read */
  option_words_t changes;      /* --set: see berth_topo_changed */
  berth_pattern_t *pattern;
  berth_topo_t *topo;
  bool places_anyway; /* where --reserve auto can't tell it leaves no core free, instead of failing
                       */
  bool chose_reserve; /* by --reserve auto: `reserve` says why */
  berth_reserve_t reserve;
  int *pinned;          /* map.pinned */
  berth_mapping_t from; /* map.from */
  /* Of the mappings that usable_load read: the scope of the first, borrowed from it, and whether
   * another one's differs. */
  const char *scope_hosts;
  int scope_reserve, scope_ranks_per_pu; /* 0: none was read */
  bool scopes_differ;
} inputs_t;

/* The options that fill an inputs_t. Commands check them by inputs_check. */
extern const option_table_t inputs_options;

/* Takes the pattern and the topologies out of the files that were named without an option, and
 * leaves the others in `files`, where there may be `more`. A topology that isn't named comes from
 * the environment or the project file (defaults.h). A usage error if an input is missing after all,
 * or standard input is asked for twice. */
void inputs_check(struct argp_state *state, inputs_t *in, option_words_t *files, bool more);

/* The usage error of a command that has another file, and no topology. */
void inputs_refuse_no_topology(struct argp_state *state, const char *beside);

/* A usage error where standard input is asked for twice, by the inputs (NULL: none) and n more
 * files (NULL: not given). */
void inputs_check_stdin(struct argp_state *state, const inputs_t *in, size_t n,
                        const char *const *files);

option_take_t inputs_reserve; /* an int for map.reserve, or auto (the program's options alone) */
option_take_t inputs_model;   /* berth_model_t */
option_take_t inputs_quality; /* berth_quality_t */
option_take_t inputs_mapper;  /* const berth_mapper_t * */

/* Loads both files, the topology first, and finds where ranks are pinned to and where they are
 * now. Free with inputs_clear, also after a failure. */
int inputs_load(inputs_t *in, berth_error_t *err);
void inputs_clear(inputs_t *in);

/* The changes of --set as a member "changes"; nothing if there are none. */
void inputs_put_changes(json_out_t *j, const inputs_t *in);

/* Places the ranks for `pattern`, which is in->pattern or one phase of it: *out is the mapping,
 * without its cost, *report (or NULL) what was tried. Free with berth_mapping_clear, whatever is
 * returned. */
int inputs_map(const inputs_t *in, const berth_pattern_t *pattern, const berth_mapper_t *mapper,
               berth_mapping_t *out, berth_map_report_t *report, berth_error_t *err);

/* Estimates n placements for such a pattern under the objective, beside the default order on the
 * same PUs if it fits. `options` has what else is asked for. NULL on failure. */
berth_assessment_t *inputs_assess(const inputs_t *in, const berth_pattern_t *pattern,
                                  berth_assess_options_t options, size_t n,
                                  const int *const *pu_of_rank, berth_error_t *err);

/* The place (in berth_pattern_phases) of the phase that --phase asks for: the one of that number
 * or, where there is none, of that name. */
int inputs_find_phase(const berth_pattern_t *pattern, const char *asked, size_t *place,
                      berth_error_t *err);

/* Rank r on the r-th usable PU: the baseline; the caller frees it. *pu_of_rank is NULL when there
 * are more ranks than PUs. */
int inputs_linear(const inputs_t *in, int **pu_of_rank, berth_error_t *err);

#endif
