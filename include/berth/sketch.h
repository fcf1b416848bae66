/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines described in a few words: the levels of their tree, and the rates of their links, as
 * data sheets state them. The words are those of `berth topo make`: docs/formats/machine.md.
 *
 *   rack:3 host:10 socket:2 core:16 rack=2x100Gbit/s,1.5us host=100Gbit/s */
#ifndef BERTH_SKETCH_H
#define BERTH_SKETCH_H

#include <berth/topo.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_sketch berth_sketch_t;

/* An empty sketch, which the caller frees. NULL with the error filled when memory is out. */
BERTH_API berth_sketch_t *berth_sketch_new(berth_error_t *err);
BERTH_API void berth_sketch_free(berth_sketch_t *s);

/* Adds a word: a level, a link or another setting, or a brace. BERTH_BAD_INPUT if it isn't one or
 * doesn't fit behind the words before it. The sketch stays as it was. */
BERTH_API int berth_sketch_add(berth_sketch_t *s, const char *word, berth_error_t *err);

/* Adds the words of a file; "-" is standard input. */
BERTH_API int berth_sketch_load(berth_sketch_t *s, const char *path, berth_error_t *err);

/* The name that the words give the machine; NULL if they don't. Borrowed. */
BERTH_API const char *berth_sketch_name(const berth_sketch_t *s);

/* The files that the words name as models of hosts (`like=FILE`): how many, and each one's path.
 * The paths of a file's words are relative to that file. "this" stands for this machine. The caller
 * loads each and sets its topology, whose first host becomes the model. The topology is borrowed
 * until the sketch is freed. */
BERTH_API size_t berth_sketch_n_models(const berth_sketch_t *s);
BERTH_API const char *berth_sketch_model(const berth_sketch_t *s, size_t i);
BERTH_API void berth_sketch_set_model(berth_sketch_t *s, size_t i, const berth_topo_t *topo);

/* The machine, which the caller frees. Without a name, it is called after its only host, or
 * "cluster". NULL with the error filled: BERTH_BAD_INPUT if a level lacks what it needs, a link has
 * no level, or the machine exceeds a limit. */
BERTH_API berth_topo_t *berth_sketch_topo(berth_sketch_t *s, const char *name, berth_error_t *err);

#ifdef __cplusplus
}
#endif

#endif
