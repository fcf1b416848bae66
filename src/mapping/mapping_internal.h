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

/* Writers: see berth_writer_t. */
int mapping_write(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                  berth_error_t *err);
int write_rankfile(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                   berth_error_t *err);
int write_seq(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
              berth_error_t *err);
int write_hydra(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                berth_error_t *err);
int write_intel(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                berth_error_t *err);
int write_slurm(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                berth_error_t *err);
int write_pin(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
              berth_error_t *err);
int write_cray(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
               berth_error_t *err);
int write_permutation(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                      berth_error_t *err);
int write_split_key(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                    berth_error_t *err);
int write_groups(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
                 berth_error_t *err);

/* Their command lines. order_command is for permutation and split-key. */
char *rankfile_command(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                       const char *pin, berth_error_t *err);
char *seq_command(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                  const char *pin, berth_error_t *err);
char *hydra_command(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                    const char *pin, berth_error_t *err);
char *intel_command(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                    const char *pin, berth_error_t *err);
int slurm_needs_pin(const berth_mapping_t *m, const berth_topo_t *t, int *needed,
                    berth_error_t *err);
int intel_needs_pin(const berth_mapping_t *m, const berth_topo_t *t, int *needed,
                    berth_error_t *err);
char *slurm_command(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                    const char *pin, berth_error_t *err);
char *pin_command(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                  const char *pin, berth_error_t *err);
char *order_command_cray(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                         const char *pin, berth_error_t *err);
char *order_command(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                    const char *pin, berth_error_t *err);

#endif
