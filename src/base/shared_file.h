/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that processes of a host share. It is a file without a name, which others open through the
 * process that has it open: so nothing is left behind, whoever dies when, and the system lets
 * nobody open it but processes of the same user. */
#ifndef BERTH_BASE_SHARED_FILE_H
#define BERTH_BASE_SHARED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which file: what a process tells those that are to map it. */
typedef struct shared_file {
  int process, file; /* file -1: there is none */
  uint64_t mark;     /* a random number, with which the memory begins */
} shared_file_t;

/* Makes a file of so many bytes, all zero but for the mark. `name` is what /proc shows. False:
 * errno says why. */
bool shared_file_new(const char *name, size_t bytes, shared_file_t *out);
/* Makes it longer. False: errno says why. */
bool shared_file_grow(const shared_file_t *f, size_t bytes);
void shared_file_close(shared_file_t *f);

/* Maps a file of so many bytes that another process, or this one, has made. `span`, at least as
 * much, is how far the mapping reaches: what is behind the file's end is there when it grows. NULL:
 * errno says why. ESRCH: the process, or its file, isn't the right one; in another namespace it has
 * another number. */
void *shared_file_map(const shared_file_t *f, size_t bytes, size_t span);

#endif
