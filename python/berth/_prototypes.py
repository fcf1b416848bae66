# SPDX-License-Identifier: BSD-3-Clause
"""The functions of libberth that the module calls, as include/berth/*.h declares them. _library.py
makes ctypes' declarations of this; tests/python/declarations.py holds it to the headers."""

# Passed by value as an int.
INTEGERS = ("berth_model_t", "berth_verdict_t", "berth_operations_t")

# As the headers have them; _library.py makes ctypes' declarations of this.
FUNCTIONS = """
const char *berth_version(void)
void berth_set_memory(uint64_t bytes)

berth_pattern_t *berth_pattern_load(const char *path, int flags, berth_error_t *err)
berth_pattern_t *berth_pattern_copy(const berth_pattern_t *p, berth_error_t *err)
int berth_pattern_save(const berth_pattern_t *p, const char *path, berth_error_t *err)
void berth_pattern_free(berth_pattern_t *p)
int berth_pattern_ranks(const berth_pattern_t *p)
const char *berth_pattern_mpi(const berth_pattern_t *p)
const char *berth_pattern_created(const berth_pattern_t *p)
const char *berth_pattern_rules(const berth_pattern_t *p, berth_operations_t of)
const char *const *berth_pattern_command(const berth_pattern_t *p, size_t *n)
const berth_phase_t *berth_pattern_phases(const berth_pattern_t *p, size_t *n)
const berth_message_t *berth_pattern_messages(const berth_pattern_t *p, size_t phase, size_t *n)
const berth_site_t *berth_pattern_sites(const berth_pattern_t *p, size_t *n)
const berth_comm_t *berth_pattern_comms(const berth_pattern_t *p, size_t *n)
const berth_coll_t *berth_pattern_colls(const berth_pattern_t *p, size_t *n)
const berth_rma_t *berth_pattern_rmas(const berth_pattern_t *p, size_t *n)
const berth_unmodelled_t *berth_pattern_unmodelled(const berth_pattern_t *p, size_t *n)
const berth_parameter_t *berth_pattern_parameters(const berth_pattern_t *p, size_t *n)
const berth_time_t *berth_pattern_times(const berth_pattern_t *p, size_t *n)
const berth_cut_t *berth_pattern_cut(const berth_pattern_t *p)
const berth_rank_info_t *berth_pattern_rank(const berth_pattern_t *p, int rank)
const berth_pattern_t *berth_pattern_of_phase(const berth_pattern_t *p, size_t phase,
  berth_error_t *err)
void berth_pattern_of_phase_free(const berth_pattern_t *of_phase)
double berth_pattern_mpi_share(const berth_pattern_t *p)
double berth_pattern_core_wait_share(const berth_pattern_t *p)
const berth_standard_t *berth_standards(size_t *n)
const berth_standard_t *berth_standard_find(const char *name)
berth_pattern_t *berth_standard_pattern(const berth_standard_t *standard,
  const berth_standard_options_t *options, berth_error_t *err)

berth_scaled_t *berth_scale(const berth_pattern_t *const *traces, size_t n,
  const berth_scale_options_t *options, berth_error_t *err)
void berth_scaled_free(berth_scaled_t *scaled)
berth_pattern_t *berth_scaled_take(berth_scaled_t *scaled)
const berth_scale_part_t *berth_scaled_parts(const berth_scaled_t *scaled, size_t *n)
const berth_scale_grid_t *berth_scaled_grids(const berth_scaled_t *scaled, size_t *n)
const berth_scale_grid_t *berth_scaled_other_grids(const berth_scaled_t *scaled, size_t *n)
const char *berth_scaled_rule(const berth_scaled_t *scaled)
int berth_scaled_grid_recorded(const berth_scaled_t *scaled)
double berth_scaled_unsure(const berth_scaled_t *scaled)
const char *const *berth_scaled_notes(const berth_scaled_t *scaled, size_t *n)
double berth_scaled_kept(const berth_scaled_t *scaled)
double berth_scaled_kept_messages(const berth_scaled_t *scaled)
int berth_scale_compare(const berth_pattern_t *made, const berth_pattern_t *real, double tolerance,
  berth_scale_agreement_t *out, berth_error_t *err)

int berth_collectives_include(berth_pattern_t *p, const char *rules, double *too_many,
  berth_error_t *err)
int berth_collectives_include_by_hosts(berth_pattern_t *p, const char *rules, double half, double
  *too_many, berth_error_t *err)
double berth_collectives_half(double small, double large)
const char *berth_collectives_rules(const char *mpi, int *nearest)
int berth_one_sided_include(berth_pattern_t *p, const char *rules, double *too_many, berth_error_t
  *err)
const char *berth_one_sided_rules(const char *mpi, int *nearest)
berth_pattern_t *berth_resolve_apart(const berth_pattern_t *p, double seconds, berth_resolution_t
  *counts, berth_error_t *err)
const berth_exchange_t *berth_exchanges(size_t *n)
const berth_exchange_t *berth_exchange_find(const char *name)
int berth_exchange_unit(const berth_exchange_t *format, const berth_pattern_t *p, uint64_t *unit,
  int *rounded, berth_error_t *err)
berth_pattern_t *berth_import(const berth_import_t *in, berth_error_t *err)

berth_topo_t *berth_topo_load(const char *path, berth_error_t *err)
int berth_topo_save(const berth_topo_t *t, const char *path, berth_error_t *err)
void berth_topo_free(berth_topo_t *t)
int berth_topo_has_distances(const berth_topo_t *t)
const char *berth_topo_name(const berth_topo_t *t)
int berth_topo_n_curves(const berth_topo_t *t)
int berth_topo_n_types(const berth_topo_t *t)
int berth_topo_n_elements(const berth_topo_t *t)
int berth_topo_n_pus(const berth_topo_t *t)
int berth_topo_n_hosts(const berth_topo_t *t)
const berth_curve_t *berth_topo_curve(const berth_topo_t *t, int curve)
const berth_type_t *berth_topo_type(const berth_topo_t *t, int type)
const berth_element_t *berth_topo_element(const berth_topo_t *t, int element)
const berth_pu_t *berth_topo_pu(const berth_topo_t *t, int pu)
const berth_host_t *berth_topo_host(const berth_topo_t *t, int host)
const char *berth_topo_element_name(const berth_topo_t *t, int element)
uint64_t berth_topo_machine(const berth_topo_t *t)
char *berth_topo_hosts_text(const berth_topo_t *t, berth_error_t *err)
int berth_curve_is_default(const berth_curve_t *curve)
char *berth_host_describe(long pid, berth_error_t *err)
berth_topo_t *berth_topo_from_description(const char *host, const char *description, berth_error_t
  *err)
berth_topo_t *berth_topo_import(const char *path, const berth_topo_format_t *format, const char
  *name, berth_error_t *err)
berth_topo_t *berth_topo_changed(const berth_topo_t *t, size_t n, const char *const *changes,
  berth_error_t *err)
berth_sketch_t *berth_sketch_new(berth_error_t *err)
void berth_sketch_free(berth_sketch_t *s)
int berth_sketch_add(berth_sketch_t *s, const char *word, berth_error_t *err)
size_t berth_sketch_n_models(const berth_sketch_t *s)
const char *berth_sketch_model(const berth_sketch_t *s, size_t i)
void berth_sketch_set_model(berth_sketch_t *s, size_t i, const berth_topo_t *topo)
berth_topo_t *berth_sketch_topo(berth_sketch_t *s, const char *name, berth_error_t *err)
const berth_topo_format_t *berth_topo_format_find(const char *name)
int berth_message_time(const berth_topo_t *t, int from_pu, int to_pu, uint64_t bytes, double
  *seconds, berth_error_t *err)

const char *berth_model_name(berth_model_t model)
berth_coverage_t berth_cost_coverage(const berth_pattern_t *p)
berth_cost_t *berth_cost_new(const berth_pattern_t *p, const berth_topo_t *t, berth_error_t *err)
void berth_cost_free(berth_cost_t *c)
int berth_cost_loads(berth_cost_t *c, berth_model_t model, size_t phase, const int *pu_of_rank,
  berth_load_t **out, size_t *n, berth_error_t *err)
int berth_cost_pairs_on(const berth_cost_t *c, size_t phase, const int *pu_of_rank,
  berth_resource_t resource, berth_pair_load_t **out, size_t *n, berth_error_t *err)
const char *berth_resource_text(const berth_topo_t *t, berth_resource_t r, char *buf, size_t size)
const char *berth_verdict_name(berth_verdict_t verdict)
void berth_assess_options_init(berth_assess_options_t *o, size_t size)
berth_assessment_t *berth_assessment_new(const berth_pattern_t *p, const berth_topo_t *t, const
  berth_assess_options_t *options, size_t n, const int *const *pu_of_rank, berth_error_t *err)
void berth_assessment_free(berth_assessment_t *a)
const berth_estimate_t *berth_assessment_estimate(const berth_assessment_t *a, size_t i)
const char *berth_assessment_sentence(const berth_assessment_t *a, size_t i, const char *reference,
  char *buf, size_t size)
double berth_assessment_explained(const berth_assessment_t *a, size_t i)
const berth_cost_result_t *berth_assessment_reasons(const berth_assessment_t *a, size_t i)
const berth_uncertainty_t *berth_assessment_uncertainty(const berth_assessment_t *a)

int berth_mapping_load(const char *path, int ranks, const berth_topo_t *t, int shared,
  berth_mapping_t *out, berth_error_t *err)
void berth_mapping_clear(berth_mapping_t *m)
int berth_mapping_translate(const berth_mapping_t *m, const berth_topo_t *from, const berth_topo_t
  *to, berth_mapping_t *out, berth_error_t *err)
int berth_pins_read(const char *name, const char *const *wish, size_t n_wishes, const berth_topo_t
  *t, int ranks, int **pinned, berth_error_t *err)
const berth_writer_t *berth_writers(size_t *n)
const berth_writer_t *berth_writer_find(const char *name)

void berth_map_options_init(berth_map_options_t *o, size_t size)
berth_map_watch_t *berth_map_watch_new(void)
void berth_map_watch_free(berth_map_watch_t *w)
void berth_map_watch_stop(berth_map_watch_t *w)
berth_map_progress_t berth_map_watch_progress(berth_map_watch_t *w)
int berth_map_problem_init(berth_map_problem_t *problem, const berth_pattern_t *p, const
  berth_topo_t *t, const berth_map_options_t *options, berth_error_t *err)
void berth_map_problem_clear(berth_map_problem_t *problem)
int berth_map_run(const berth_map_problem_t *problem, const berth_mapper_t *mapper, int
  *pu_of_rank, const char **chosen, berth_error_t *err)
berth_map_sampler_t *berth_map_sampler_new(const berth_map_problem_t *problem, size_t max_samples,
  berth_error_t *err)
void berth_map_sampler_free(berth_map_sampler_t *s)
int berth_map_sample(berth_map_sampler_t *s, uint64_t first, size_t n, double *price,
  berth_error_t *err)
const berth_mapper_t *berth_mappers(size_t *n)
const berth_mapper_t *berth_mapper_find(const char *name)
"""
