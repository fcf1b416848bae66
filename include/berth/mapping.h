/* SPDX-License-Identifier: BSD-3-Clause */
/* Mappings: which rank runs on which PU. Reading and translating them, pins, and writers for
 * launchers. File formats: docs/formats/mapping.md, docs/formats/groups.md. */
#ifndef BERTH_MAPPING_H
#define BERTH_MAPPING_H

#include <berth/error.h>
#include <berth/limits.h>
#include <berth/topo.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The PUs that a mapping may use, as these options restrict them. */
typedef struct berth_mapping_scope {
  char *hosts;      /* as in node[01-16]; NULL: all */
  int reserve;      /* cores left free on each host */
  int ranks_per_pu; /* 0: the scope is unknown */
} berth_mapping_scope_t;

typedef struct berth_mapping {
  int ranks;
  int *pu_of_rank;
  char *algorithm; /* "" when the file doesn't say */
  char *model;     /* the model of cost_s; "" when unknown */
  char *topology;  /* the topology's name, "" when unknown */
  double cost_s;   /* negative when unknown */
  berth_mapping_scope_t scope;
  int unfinished; /* the search was stopped (berth_map_watch_stop) */
} berth_mapping_t;

/* Reads a mapping of `ranks` ranks (-1: any number) onto t (NULL: not checked): berth's own format,
 * or Scotch's or METIS's (docs/formats/mapping.md). Fails if the mapping states another machine
 * than t (berth_topo_machine), or if two ranks are on one PU and `shared` is 0. The caller frees
 * *out with berth_mapping_clear. */
BERTH_API int berth_mapping_load(const char *path, int ranks, const berth_topo_t *t, int shared,
                                 berth_mapping_t *out, berth_error_t *err);
BERTH_API void berth_mapping_clear(berth_mapping_t *m);

/* Translates a mapping from one machine to another, whose hosts correspond in their order. Each
 * rank goes to the same core of the corresponding host. Fails with BERTH_BAD_INPUT if the machines
 * differ in the number of hosts, or two hosts in their cores. The cost on `to` is unknown. The
 * caller frees *out with berth_mapping_clear, also after a failure. */
BERTH_API int berth_mapping_translate(const berth_mapping_t *m, const berth_topo_t *from,
                                      const berth_topo_t *to, berth_mapping_t *out,
                                      berth_error_t *err);

/* Reads pins: a PU for each of `ranks` ranks (at least 1), -1 for ranks without one, as in
 * berth_map_options_t's `pinned`. A wish is one of:
 * - RANK=PU, with the topology's number of the PU;
 * - RANK=HOST:CORE: the core's thread with the fewest pinned ranks, the first of these;
 * - the name of a file with such lines; # starts a comment.
 * `name` is how errors call the wishes, such as "pinned". The caller frees *pinned. It is NULL
 * without wishes and after a failure: BERTH_USAGE for a wish, BERTH_BAD_INPUT for a line,
 * BERTH_MISSING if a file can't be read. */
BERTH_API int berth_pins_read(const char *name, const char *const *wish, size_t n_wishes,
                              const berth_topo_t *t, int ranks, int **pinned, berth_error_t *err);

/* Writers of files for launchers and libraries (docs/launchers.md). If a format can't express a
 * mapping, its writer fails with BERTH_BAD_INPUT and says why, so that no launcher places ranks
 * otherwise. The PUs are those of the topology. Ranks may share them. */
typedef struct berth_writer {
  const char *name; /* in `berth write NAME=FILE` and `berth map --write NAME=FILE` */
  const char *help; /* one line */
  int (*write)(const berth_mapping_t *m, const berth_topo_t *t, const char *path,
               berth_error_t *err);
  /* Returns the command lines that start ./app with the file: one line for each version of the
   * launcher that differs. `file` is the file's name, `pin` the name of the script that writer
   * `pin` made (NULL: a placeholder). The caller frees the result; NULL with the error filled. The
   * member is NULL if no launcher takes the file. */
  char *(*command)(const berth_mapping_t *m, const berth_topo_t *t, const char *file,
                   const char *pin, berth_error_t *err);
  /* Sets *needed to 1 if the command starts that script, else to 0. The member is NULL if it never
   * does. */
  int (*needs_pin)(const berth_mapping_t *m, const berth_topo_t *t, int *needed,
                   berth_error_t *err);
} berth_writer_t;

BERTH_API const berth_writer_t *berth_writers(size_t *n);
BERTH_API const berth_writer_t *berth_writer_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
