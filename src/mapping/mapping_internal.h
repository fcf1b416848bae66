/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that readers and writers of mappings share inside the module. */
#ifndef BERTH_MAPPING_MAPPING_INTERNAL_H
#define BERTH_MAPPING_MAPPING_INTERNAL_H

#include <berth/mapping.h>
#include <stdbool.h>

/* What a mapping must satisfy. */
typedef struct mapping_rules {
  int ranks;             /* -1: any number */
  int pus;               /* the topology's number of PUs */
  int shared;            /* ranks may share a PU */
  const berth_topo_t *t; /* the topology whose PU numbers the mapping must use; NULL: any */
} mapping_rules_t;

#define MAPPING_PU_TAKEN                                                                           \
  "found PU %d, which rank %d has already, expected a free one (sharing a PU is taken only with "  \
  "`shared`)"

/* Whether a text is Scotch's or METIS's, not JSON; and a reader for it, with mapping_parse's
 * contract. The caller clears *m, also after a failure. */
bool parts_recognises(const char *text, size_t n);
int parts_parse(const char *text, size_t n, const char *name, const mapping_rules_t *rules,
                berth_mapping_t *m, berth_error_t *err);

/* Reads a mapping from n bytes of text; otherwise as berth_mapping_load. */
int mapping_parse(const char *text, size_t n, const char *name, const mapping_rules_t *rules,
                  berth_mapping_t *out, berth_error_t *err);

/* Writers and their command lines: see berth_writer_t. order_command is for permutation and
 * split-key. */
typedef int mapping_write_t(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                            berth_error_t *err);
typedef char *mapping_command_t(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                                const char *pin, berth_error_t *err);
typedef int mapping_needs_pin_t(const berth_mapping_t *m, const berth_topo_t *t, int *needed,
                                berth_error_t *err);
mapping_write_t mapping_write, write_rankfile, write_seq, write_hydra, write_intel, write_slurm,
    write_pin, write_cray, write_permutation, write_split_key, write_groups;
mapping_command_t openmpi_command_rankfile, openmpi_command_seq, hydra_command, intel_command,
    slurm_command, pin_command, order_command_cray, order_command;
mapping_needs_pin_t slurm_needs_pin, intel_needs_pin;

#endif
