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

typedef struct berth_exchange {
  const char *name;
  const char *help; /* one line */
  /* Whether a file that begins so is of this format; NULL: can't be told. */
  int (*recognises)(const char *text, size_t n);
  /* For berth_import, which calls it with files of this format alone; NULL: can't be imported. */
  int (*read)(const struct berth_import_input *in, struct traffic *into, berth_error_t *err);
  /* Writes to a file, "-" is standard output; NULL: can't be exported. */
  int (*write)(const berth_pattern_t *p, const char *path, berth_error_t *err);
} berth_exchange_t;

/* All formats, in the order of help texts; and one by name, NULL when there is none. */
BERTH_API const berth_exchange_t *berth_exchanges(size_t *n);
BERTH_API const berth_exchange_t *berth_exchange_find(const char *name);

/* The format that a file seems to be of, by how it begins; NULL with the error filled when none is
 * recognised or the file can't be read. */
BERTH_API const berth_exchange_t *berth_exchange_of(const char *path, berth_error_t *err);

typedef struct berth_import_input {
  size_t n_paths; /* at least 1; "-" is standard input, which needs a format */
  const char *const *paths;
  const berth_exchange_t *format; /* of all files; NULL: each as it begins */
  int ranks;                      /* how many there are; 0: as many as the files say or name */
  uint64_t message_size; /* where a format has bytes without messages: a pair's bytes go in messages
                            of this size, the last one smaller; 0: in one message */
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
