/* SPDX-License-Identifier: BSD-3-Clause */
/* The tracer's memory: the mapped file with a rank's tables, and private memory. Nothing uses
 * malloc, which belongs to the application. */
#ifndef BERTH_TRACE_MEMORY_H
#define BERTH_TRACE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "spool/spool_format.h"

/* Zeroed private memory in whole pages; NULL if there is none. */
void *memory_alloc(size_t size);
void memory_free(void *p, size_t size);

/* The same for private memory that grows with the tables (indices, call sites). It counts
 * against their limit. `last` allows using the reserve. */
void *memory_alloc_counted(size_t size, bool last);
void memory_free_counted(void *p, size_t size);

/* The mapped tables. Their addresses don't change while they grow. */
typedef struct region {
  unsigned char *base; /* the header; NULL before memory_region_open */
  size_t used, beside; /* bytes of the tables, and of counted private memory */
  size_t limit;        /* for both together */
  size_t reserve;      /* the part of `limit` that is kept for SPOOL_REST and SPOOL_THREADS */
  int fd;              /* -1: the tables are in memory only */
  char path[4096];     /* "": there is no file */
} region_t;

extern region_t memory_region;

static inline spool_header_t *region_header(void) { return (spool_header_t *)memory_region.base; }

/* Makes the file JOB-RANK.spool in the folder. Makes the folder if needed; it must be this
 * user's. If there can't be a file, the tables are in memory, and are lost if the process dies.
 * Returns false if there is no memory either. */
bool memory_region_open(const char *dir, uint64_t job, uint32_t rank, size_t limit, size_t reserve);

/* A new, empty block with room for at least that many bytes of records; NULL at the limit. */
spool_block_t *memory_region_block(spool_kind_t kind, size_t bytes);

/* Room for one record in *block, which is replaced if it is full; NULL at the limit.
 * memory_publish makes the record visible to readers. Only the block's owner, or the holder of
 * its lock, may call this. */
void *memory_room(spool_block_t **block, spool_kind_t kind, size_t bytes);
void memory_publish(spool_block_t *block, size_t bytes);
/* Both, with a copy of the record. Returns the copy. */
void *memory_add(spool_block_t **block, spool_kind_t kind, const void *record, size_t bytes);

/* Forgets the file, and removes it unless `keep` is true. */
void memory_region_close(bool keep);

#endif
