/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the tables of a running process, without writing or locking anything.
 *
 * Records of messages and calls refer to earlier records: call sites, modules, communicators,
 * windows, lines of operations. So tables are copied twice. The counts come from the first copy,
 * what they refer to from the second, which is complete. */
#ifndef BERTH_SPOOL_SPOOL_SNAPSHOT_H
#define BERTH_SPOOL_SPOOL_SNAPSHOT_H

#include "spool/spool_read.h"

/* Allocated bytes. */
typedef struct spool_bytes {
  unsigned char *bytes;
  size_t size;
} spool_bytes_t;

/* Makes a packed copy of tables in shared memory. Each counter has its value at some moment of
 * the copying. A bin has two counters; its bytes may lack one message that was being counted. A
 * running rank's time ends now. */
int spool_copy(const spool_image_t *live, spool_bytes_t *copy, berth_error_t *err);

/* Makes one image of two copies of the same tables. */
int spool_join(const spool_bytes_t *first, const spool_bytes_t *second, spool_bytes_t *joined,
               berth_error_t *err);

#endif
