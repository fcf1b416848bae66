/* SPDX-License-Identifier: BSD-3-Clause */
/* Mappings: which rank runs on which PU. Reading and translating them, pinned ranks, and writers
 * for launchers. File formats: docs/formats/mapping.md, docs/formats/groups.md. */
#ifndef BERTH_MAPPING_H
#define BERTH_MAPPING_H

#include <berth/error.h>
#include <berth/limits.h>
#include <berth/topo.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The PUs that a mapping was made for: those that these options leave. */
typedef struct berth_mapping_scope {
  char *hosts;      /* as in node[01-16]; NULL: all */
  int reserve;      /* cores left free on each host */
  int ranks_per_pu; /* 0: the scope is unknown */
} berth_mapping_scope_t;

typedef struct berth_mapping {
  int ranks;
  int *pu_of_rank;
  char *algorithm; /* "" when the file doesn't say */
  char *model;     /* the objective that cost_s is in, "" when unknown */
  char *topology;  /* the topology's name, "" when unknown */
  double cost_s;   /* negative when unknown */
  berth_mapping_scope_t scope;
  int unfinished; /* its search was stopped (berth_map_watch_stop) */
} berth_mapping_t;

/* Reads a mapping of `ranks` ranks onto t (NULL, -1: not checked): one of berth's own, or what
 * Scotch or METIS wrote (docs/formats/mapping.md). A mapping that says that it is for another
 * machine than t (berth_topo_machine) is an error, and so are two ranks on one PU unless `shared`
 * is true. The caller frees *out with berth_mapping_clear. */
BERTH_API int berth_mapping_load(const char *path, int ranks, const berth_topo_t *t, int shared,
                                 berth_mapping_t *out, berth_error_t *err);
BERTH_API void berth_mapping_clear(berth_mapping_t *m);

/* Translates a mapping from one machine to another, whose hosts correspond one to one in their
 * order: each rank goes to the same core of the corresponding host. Fails with BERTH_BAD_INPUT and
 * names both hosts if the machines have unlike numbers of hosts, or a host other cores. The cost on
 * `to` is unknown. The caller frees *out with berth_mapping_clear, whatever is returned. */
BERTH_API int berth_mapping_translate(const berth_mapping_t *m, const berth_topo_t *from,
                                      const berth_topo_t *to, berth_mapping_t *out,
                                      berth_error_t *err);

/* Reads for each of `ranks` ranks, at least 1, the PU that it is pinned to, -1 for the others: what
 * berth_map_options_t's `pinned` takes. A wish is RANK=PU, with the topology's number of the PU;
 * RANK=HOST:CORE, of the core's threads the one that the fewest ranks are pinned to, the first of
 * these; or the name of a file with such lines, where # starts a comment. `name` is what wishes are
 * called in errors, such as "pinned". The caller frees *pinned, which is NULL without wishes and in
 * a failure: BERTH_USAGE for a wish, BERTH_BAD_INPUT for a line, BERTH_MISSING where a file can't
 * be read. */
BERTH_API int berth_pins_read(const char *name, const char *const *wish, size_t n_wishes,
                              const berth_topo_t *t, int ranks, int **pinned, berth_error_t *err);

/* Writers: what launchers and libraries take (docs/launchers.md). One that cannot express a mapping
 * fails with BERTH_BAD_INPUT and says why, rather than write what a launcher would place otherwise.
 * The mapping's PUs are those of the topology; ranks may share them. */
typedef struct berth_writer {
  const char *name; /* in `berth write NAME=FILE` and `berth map --write NAME=FILE` */
  const char *help; /* one line */
  int (*write)(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
               berth_error_t *err);
  /* The command lines that start ./app with the file, which is named in them as `file` says, and
   * the script of the writer `pin` as `pin` says (NULL: a placeholder); a line for each version of
   * the launcher that differs. The caller frees it. NULL with the error filled in a failure. The
   * function itself is NULL where no launcher takes the file. */
  char *(*command)(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                   const char *pin, berth_error_t *err);
  /* Whether the command starts that script: *needed is 1 or 0. NULL: it never does. */
  int (*needs_pin)(const berth_mapping_t *m, const berth_topo_t *t, int *needed,
                   berth_error_t *err);
} berth_writer_t;

BERTH_API const berth_writer_t *berth_writers(size_t *n);
BERTH_API const berth_writer_t *berth_writer_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
