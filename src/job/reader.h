/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 reads and writes files by a library of its own, libberth-reader.so, which has the reader
 * of JSON. A file that can't be used gets one line. */
#ifndef BERTH_JOB_READER_H
#define BERTH_JOB_READER_H

#include <berth/groups.h>
#include <berth/tuning.h>
#include <stdbool.h>

/* `name` is the variable that names the file, for errors. */
bool reader_load_groups(const char *name, const char *path, int ranks, berth_groups_t *out);
void reader_clear_groups(berth_groups_t *g);
bool reader_load_tuning(const char *name, const char *path, int ranks, berth_tuning_t *out);
/* A line says what isn't kept if it can't be written. */
bool reader_save_tuning(const char *name, const char *path, const berth_tuning_t *t,
                        const char *what);
void reader_clear_tuning(berth_tuning_t *t);

#endif
