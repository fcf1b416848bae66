/* SPDX-License-Identifier: BSD-3-Clause */
/* The tracer's memory: the mapped file that a rank's tables live in, and private memory. Nothing
 * here goes through malloc, which belongs to the application. */
#ifndef BERTH_TRACE_MEMORY_H
#define BERTH_TRACE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "spool/spool_format.h"

/* Zeroed private memory, whole pages; NULL when there is none. */
void *memory_alloc(size_t size);
void memory_free(void *p, size_t size);

/* The same for what is beside the mapped tables and grows with them (indices, call sites): it
 * counts against their limit. `last` may take of the reserve. */
void *memory_alloc_counted(size_t size, bool last);
void memory_free_counted(void *p, size_t size);

/* The mapped tables. Addresses stay the same while they grow. */
typedef struct region {
  unsigned char *base; /* the header; NULL before memory_region_open */
  size_t used, beside; /* bytes of the tables, and counted ones of private memory */
  size_t limit;        /* of both together */
  size_t reserve;      /* of these, what is left for SPOOL_REST and SPOOL_THREADS */
  int fd;              /* -1 when tables have to live in memory alone */
  char path[4096];     /* "" when there is no file */
} region_t;

extern region_t memory_region;

static inline spool_header_t *region_header(void) { return (spool_header_t *)memory_region.base; }

/* Makes the file JOB-RANK.spool in the folder, which is made if need be and must be ours alone.
 * Where there can be no file the tables live in memory, and are lost if the process dies. Returns
 * false when there is no memory either. */
bool memory_region_open(const char *dir, uint64_t job, uint32_t rank, size_t limit, size_t reserve);

/* A new, empty block that holds at least so many bytes of records; NULL at the limit. */
spool_block_t *memory_region_block(spool_kind_t kind, size_t bytes);

/* Room for one record in *block, which is replaced when it is full. The record becomes visible to
 * readers by memory_publish. The block is the caller's own, or the caller holds its lock. */
void *memory_room(spool_block_t **block, spool_kind_t kind, size_t bytes);
void memory_publish(spool_block_t *block, size_t bytes);

/* Forgets the file, and removes it when `keep` is false. */
void memory_region_close(bool keep);

#endif
