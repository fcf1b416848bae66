/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns and topologies in the formats of other tools: traces that people have already, matrices
 * and graphs; machines as the process-mapping literature, Scotch and SimGrid describe them. What
 * each format holds and loses: docs/formats/exchange.md. */
#ifndef BERTH_EXCHANGE_H
#define BERTH_EXCHANGE_H

#include <berth/error.h>
#include <berth/pattern.h>
#include <berth/topo.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct traffic;
struct berth_import_input;

/* What a pattern may hold and a format may not. */
typedef enum berth_loss {
  BERTH_LOSES_PHASES = 1 << 0,     /* all are one, that occurs once */
  BERTH_LOSES_MESSAGES = 1 << 1,   /* how many there are */
  BERTH_LOSES_SIZES = 1 << 2,      /* a pair's are as large as their mean */
  BERTH_LOSES_BYTES = 1 << 3,      /* how many there are */
  BERTH_LOSES_EMPTY = 1 << 4,      /* messages of no bytes, where a pair sends no others */
  BERTH_LOSES_DIRECTIONS = 1 << 5, /* half of a pair's bytes go in each */
  BERTH_LOSES_SELF = 1 << 6,       /* what ranks send to themselves */
  BERTH_LOSES_ORDER = 1 << 7,      /* that of sends */
  BERTH_LOSES_SITES = 1 << 8,
  BERTH_LOSES_TIMES = 1 << 9, /* and hosts of ranks */
  BERTH_LOSES_COLLECTIVES = 1 << 10,
  BERTH_LOSES_RMA = 1 << 11,
  BERTH_LOSES_CALLS = 1 << 12, /* those that are known by name alone */
  BERTH_LOSES_BASELINE = 1 << 13,
  BERTH_LOSES_IDLE = 1 << 14 /* ranks without traffic behind all others */
} berth_loss_t;

typedef struct berth_exchange {
  const char *name;
  const char *help; /* one line */
  /* Whether a file that begins so is of this format; NULL: can't be told. */
  int (*recognises)(const char *text, size_t n);
  /* For berth_import, which calls it with files of this format alone; NULL: can't be imported. */
  int (*read)(const struct berth_import_input *in, struct traffic *into, berth_error_t *err);
  /* Writes to a file, "-" is standard output; NULL: can't be exported, or is a graph. */
  int (*write)(const berth_pattern_t *p, const char *path, berth_error_t *err);
  unsigned loses; /* of berth_loss_t, what such a file has no place for */
  /* Instead of write, of graphs: a weight of 1 stands for `unit` bytes, see berth_exchange_unit. */
  int (*write_graph)(const berth_pattern_t *p, uint64_t unit, const char *path, berth_error_t *err);
  /* What the weights of all edges, each from both of its ends, have to add up to less than for the
   * tools that read it. */
  uint64_t weights_below;
} berth_exchange_t;

/* All formats, in the order of help texts; and one by name, NULL when there is none. */
BERTH_API const berth_exchange_t *berth_exchanges(size_t *n);
BERTH_API const berth_exchange_t *berth_exchange_find(const char *name);

/* The format that a file seems to be of, by how it begins; NULL with the error filled when none is
 * recognised or the file can't be read. */
BERTH_API const berth_exchange_t *berth_exchange_of(const char *path, berth_error_t *err);

/* What of that this pattern loses in such a file, in *lost; fails when memory is out. A loss by
 * name, as in "left out: phases, call sites"; it is one bit. */
BERTH_API int berth_exchange_lost(const berth_exchange_t *format, const berth_pattern_t *p,
                                  unsigned *lost, berth_error_t *err);
BERTH_API const char *berth_loss_name(berth_loss_t loss);

/* Where *unit is 0, finds how many bytes a weight of 1 stands for in p's graph: one where its
 * weights then are below the format's bound, else what divides all of them, else the least that
 * brings them below it. *rounded: weights aren't exact in *unit. */
BERTH_API int berth_exchange_unit(const berth_exchange_t *format, const berth_pattern_t *p,
                                  uint64_t *unit, int *rounded, berth_error_t *err);

typedef struct berth_import_input {
  size_t n_paths; /* at least 1; "-" is standard input, which needs a format */
  const char *const *paths;
  const berth_exchange_t *format; /* of all files; NULL: each as it begins */
  int ranks;                      /* how many there are; 0: as many as the files say or name */
  uint64_t message_size; /* where a format has bytes without messages: a pair's bytes go in messages
                            of this size, the last one smaller; 0: in one message */
  /* Called with a line for people where something that was to be expected is missing; NULL: nobody
   * is told. */
  void (*note)(const char *text, void *to);
  void *note_to;
} berth_import_t;

/* One pattern of all files, which may be of several formats, as where one has who sends to whom and
 * another one the ranks' times. NULL with the error filled when one breaks the rules of its format,
 * or there are ranks that can't be. */
BERTH_API berth_pattern_t *berth_import(const berth_import_t *in, berth_error_t *err);

/* A format of topologies. */
typedef struct berth_topo_format {
  const char *name;
  const char *help; /* one line */
  /* Whether a file that begins so is of this format; NULL: can't be told. */
  int (*recognises)(const char *text, size_t n);
  /* Reads a file ("-" is standard input) as a topology of that name; NULL with the error filled
   * when it breaks the rules of the format or is no tree. */
  berth_topo_t *(*read)(const char *path, const char *name, berth_error_t *err);
  /* Writes to a file, "-" is standard output; fails where the format can't hold the topology. */
  int (*write)(const berth_topo_t *t, const char *path, berth_error_t *err);
} berth_topo_format_t;

/* All formats, in the order of help texts; and one by name, NULL when there is none. */
BERTH_API const berth_topo_format_t *berth_topo_formats(size_t *n);
BERTH_API const berth_topo_format_t *berth_topo_format_find(const char *name);

/* A topology of a file of that format (NULL: as it begins). It is named `name` (NULL: like the
 * file). NULL with the error filled. */
BERTH_API berth_topo_t *berth_topo_import(const char *path, const berth_topo_format_t *format,
                                          const char *name, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
