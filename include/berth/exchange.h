/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns and topologies in other tools' formats: traces, matrices and graphs; machines as the
 * process-mapping literature, Scotch and SimGrid describe them. What each format holds and loses:
 * docs/formats/exchange.md. */
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

/* What a pattern may have and a format can't hold. */
typedef enum berth_loss {
  BERTH_LOSES_PHASES = 1 << 0,     /* all phases become one, which occurs once */
  BERTH_LOSES_MESSAGES = 1 << 1,   /* numbers of messages */
  BERTH_LOSES_SIZES = 1 << 2,      /* all messages of a pair get the mean size */
  BERTH_LOSES_BYTES = 1 << 3,      /* numbers of bytes */
  BERTH_LOSES_EMPTY = 1 << 4,      /* empty messages of pairs that send no others */
  BERTH_LOSES_DIRECTIONS = 1 << 5, /* each direction of a pair gets half of its bytes */
  BERTH_LOSES_SELF = 1 << 6,       /* messages of ranks to themselves */
  BERTH_LOSES_ORDER = 1 << 7,      /* the order of sends */
  BERTH_LOSES_SITES = 1 << 8,
  BERTH_LOSES_TIMES = 1 << 9, /* times and hosts of ranks */
  BERTH_LOSES_COLLECTIVES = 1 << 10,
  BERTH_LOSES_RMA = 1 << 11,
  BERTH_LOSES_CALLS = 1 << 12, /* calls that are known only by name */
  BERTH_LOSES_BASELINE = 1 << 13,
  BERTH_LOSES_IDLE = 1 << 14,  /* trailing ranks without traffic */
  BERTH_LOSES_PACKED = 1 << 15 /* layouts of messages that aren't contiguous */
} berth_loss_t;

typedef struct berth_exchange {
  const char *name;
  const char *help; /* one line */
  /* Whether a file that begins with this text has this format; NULL: unknown for all files. */
  int (*recognises)(const char *text, size_t n);
  /* Reads files of this format, for berth_import. NULL: import isn't supported. */
  int (*read)(const struct berth_import_input *in, struct traffic *into, berth_error_t *err);
  /* Writes to a file; "-" is standard output. NULL: export isn't supported, or write_graph does
   * it. */
  int (*write)(const berth_pattern_t *p, const char *path, berth_error_t *err);
  unsigned loses; /* berth_loss_t bits: what such a file can't hold */
  /* Writes a graph, in which a weight of 1 means `unit` bytes; see berth_exchange_unit. */
  int (*write_graph)(const berth_pattern_t *p, uint64_t unit, const char *path, berth_error_t *err);
  /* Graphs: limit for the sum of all weights, each edge counted at both ends. Tools that read the
   * format fail at this sum. */
  uint64_t weights_below;
} berth_exchange_t;

/* All formats, in the order of help texts; and one by name, NULL if there is none. */
BERTH_API const berth_exchange_t *berth_exchanges(size_t *n);
BERTH_API const berth_exchange_t *berth_exchange_find(const char *name);

/* The format of a file, found from its beginning. NULL with the error filled if no format matches
 * or the file can't be read. */
BERTH_API const berth_exchange_t *berth_exchange_of(const char *path, berth_error_t *err);

/* Sets *lost to what this pattern loses in that format; fails when memory is out. The other
 * function names a loss, which must be a single bit, as in "left out: phases, call sites". */
BERTH_API int berth_exchange_lost(const berth_exchange_t *format, const berth_pattern_t *p,
                                  unsigned *lost, berth_error_t *err);
BERTH_API const char *berth_loss_name(berth_loss_t loss);

/* If *unit is 0, finds how many bytes a weight of 1 means in p's graph: one byte if the sum of
 * weights is then below the format's limit; else the largest unit that divides all weights; else
 * the smallest unit that keeps the limit. *rounded: weights aren't exact in *unit. */
BERTH_API int berth_exchange_unit(const berth_exchange_t *format, const berth_pattern_t *p,
                                  uint64_t *unit, int *rounded, berth_error_t *err);

typedef struct berth_import_input {
  size_t n_paths; /* at least 1; "-" is standard input, which needs a format */
  const char *const *paths;
  const berth_exchange_t *format; /* of all files; NULL: each file's is found from its beginning */
  int ranks;                      /* number of ranks; 0: as the files say */
  uint64_t message_size; /* for formats that have bytes but no messages: a pair's bytes are sent in
                            messages of this size, the last one smaller; 0: in one message */
  /* Called with a line for people if expected data is missing; NULL: not needed. */
  void (*note)(const char *text, void *to);
  void *note_to;
} berth_import_t;

/* Makes one pattern of all files. They may have different formats, for instance one with messages
 * and one with times. NULL with the error filled if a file breaks a rule of its format, or has
 * ranks outside of the allowed ones. */
BERTH_API berth_pattern_t *berth_import(const berth_import_t *in, berth_error_t *err);

/* A format for topologies. */
typedef struct berth_topo_format {
  const char *name;
  const char *help; /* one line */
  /* Whether a file that begins with this text has this format; NULL: unknown for all files. */
  int (*recognises)(const char *text, size_t n);
  /* Reads a file ("-" is standard input) as a topology of that name. NULL with the error filled if
   * it breaks a rule of the format or isn't a tree. */
  berth_topo_t *(*read)(const char *path, const char *name, berth_error_t *err);
  /* Writes to a file; "-" is standard output. Fails if the format can't hold the topology. */
  int (*write)(const berth_topo_t *t, const char *path, berth_error_t *err);
} berth_topo_format_t;

/* All formats, in the order of help texts; and one by name, NULL if there is none. */
BERTH_API const berth_topo_format_t *berth_topo_formats(size_t *n);
BERTH_API const berth_topo_format_t *berth_topo_format_find(const char *name);

/* Reads a topology from a file of that format (NULL: found from its beginning). Its name is `name`
 * (NULL: the file's). NULL with the error filled. */
BERTH_API berth_topo_t *berth_topo_import(const char *path, const berth_topo_format_t *format,
                                          const char *name, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
