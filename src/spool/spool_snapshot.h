/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the tables of a process that goes on counting. Nothing is written or locked.
 *
 * A record of messages or calls refers to call sites, modules, communicators, windows and lines of
 * operations that were put down before it. So tables are copied twice: the counts are those of the
 * first copy, and what they refer to is taken from the second, which has all of it. */
#ifndef BERTH_SPOOL_SPOOL_SNAPSHOT_H
#define BERTH_SPOOL_SPOOL_SNAPSHOT_H

#include "spool/spool_read.h"

/* Bytes of malloc. */
typedef struct spool_bytes {
  unsigned char *bytes;
  size_t size;
} spool_bytes_t;

/* A packed copy of tables in shared memory: each counter as it was at some
 * moment of the copying. Of a bin, whose messages and bytes are two counters, the bytes may lack
 * those of the one message that was being counted. A rank that is running has its time end now. */
int spool_copy(const spool_image_t *live, spool_bytes_t *copy, berth_error_t *err);

/* Makes one image of two copies of the same tables. */
int spool_join(const spool_bytes_t *first, const spool_bytes_t *second, spool_bytes_t *joined,
               berth_error_t *err);

#endif
