/* SPDX-License-Identifier: BSD-3-Clause */
#include "rma/allocated.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "rma/rma.h"

/* Each holds a file open. What there are more of, the MPI allocates. */
enum { MOST = 64, HEAD = 4096 /* bytes before the memory: the file's mark */ };

typedef struct piece {
  char *mapped; /* NULL: there is none */
  allocated_place_t place;
} piece_t;

static piece_t pieces[MOST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Whether the program needs more alignment than a page has. */
static bool needs_alignment(MPI_Info info)
{
  char value[32] = "";
  int there = 0;
  if (info == mpi.info_null) return false;
  mpi.Info_get(info, "mpi_minimum_memory_alignment", sizeof value - 1, value, &there);
  return there && strtol(value, NULL, 10) > HEAD;
}

static piece_t *find(const char *base, size_t bytes)
{
  for (int i = 0; i < MOST; i++) {
    piece_t *p = &pieces[i];
    if (p->mapped && base >= p->mapped + HEAD && base < p->mapped + p->place.bytes &&
        bytes <= (size_t)(p->mapped + p->place.bytes - base))
      return p;
  }
  return NULL;
}

static void *map_new(piece_t *p, size_t bytes)
{
  if (!shared_file_new("berth-rma", bytes, &p->place.file)) return NULL;
  p->place.bytes = bytes;
  p->mapped = shared_file_map(&p->place.file, bytes, bytes);
  if (p->mapped) return p->mapped + HEAD;
  shared_file_close(&p->place.file);
  return NULL;
}

void *allocated_new(MPI_Aint size, MPI_Info info)
{
  void *found = NULL;
  int i = 0;
  if (!rma_job.ready || size <= 0 || (size_t)size > SIZE_MAX / 2 || needs_alignment(info))
    return NULL;
  pthread_mutex_lock(&lock);
  while (i < MOST && pieces[i].mapped) i++;
  if (i < MOST) found = map_new(&pieces[i], (size_t)size + HEAD);
  pthread_mutex_unlock(&lock);
  return found;
}

bool allocated_free(void *base)
{
  pthread_mutex_lock(&lock);
  piece_t *p = find(base, 0);
  bool is_own = p && base == p->mapped + HEAD;
  if (is_own) {
    munmap(p->mapped, p->place.bytes);
    shared_file_close(&p->place.file);
    p->mapped = NULL;
  }
  pthread_mutex_unlock(&lock);
  return is_own;
}

allocated_place_t allocated_find(const void *base, size_t bytes)
{
  allocated_place_t place = {.file = {.file = -1}};
  if (bytes == 0) return place;
  pthread_mutex_lock(&lock);
  const piece_t *p = find(base, bytes);
  if (p) {
    place = p->place;
    place.offset = (uint64_t)((const char *)base - p->mapped);
  }
  pthread_mutex_unlock(&lock);
  return place;
}
