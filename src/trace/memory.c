/* SPDX-License-Identifier: BSD-3-Clause */
/* The tracer's memory: the mapped file of the tables, and private pages. */
#include "trace/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "trace/file_limit.h"

region_t memory_region = {.fd = -1};

static pthread_mutex_t region_mutex = PTHREAD_MUTEX_INITIALIZER; /* held while the region grows */

void *memory_alloc(size_t size)
{
  void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

void memory_free(void *p, size_t size)
{
  if (p) munmap(p, size);
}

static size_t left(bool last)
{
  size_t max = memory_region.limit - (last ? 0 : memory_region.reserve),
         taken = memory_region.used + memory_region.beside;
  return taken < max ? max - taken : 0;
}

void *memory_alloc_counted(size_t size, bool last)
{
  pthread_mutex_lock(&region_mutex);
  void *p = size <= left(last) ? memory_alloc(size) : NULL;
  if (p) memory_region.beside += size;
  pthread_mutex_unlock(&region_mutex);
  return p;
}

void memory_free_counted(void *p, size_t size)
{
  if (!p) return;
  memory_free(p, size);
  pthread_mutex_lock(&region_mutex);
  memory_region.beside -= size;
  pthread_mutex_unlock(&region_mutex);
}

/* Makes the folder for this user alone. An existing folder must be the user's own. */
static bool make_dir(const char *dir)
{
  struct stat st;
  if (mkdir(dir, 0700) != 0 && errno != EEXIST) return false;
  return lstat(dir, &st) == 0 && own_is(&st, S_IFDIR);
}

static void open_file(const char *dir, uint64_t job, uint32_t rank)
{
  if (!*dir || !make_dir(dir)) return;
  int n = snprintf(memory_region.path, sizeof memory_region.path, "%s/%016llx-%u" SPOOL_SUFFIX, dir,
                   (unsigned long long)job, rank);
  if (n < 0 || (size_t)n >= sizeof memory_region.path) return;
  memory_region.fd =
      open(memory_region.path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Gives the file its next `size` bytes. Retries after signals of the application. */
static bool allocate(size_t size)
{
  int error;
  file_limit_t limit;
  file_limit_begin(&limit);
  do error = posix_fallocate(memory_region.fd, (off_t)memory_region.used, (off_t)size);
  while (error == EINTR);
  file_limit_end(&limit);
  return error == 0;
}

/* Adds `size` bytes to the tables: in the file, or in memory if the file can't grow. */
static bool grow(size_t size, bool last)
{
  if (size > left(last)) return false;
  if (memory_region.fd >= 0 && !allocate(size)) {
    close(memory_region.fd); /* a full disk or a limit: the file keeps what it has */
    memory_region.fd = -1;
    if (memory_region.used) ((spool_header_t *)(void *)memory_region.base)->missed.in_memory = 1;
  }
  int flags = MAP_FIXED | (memory_region.fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
  void *p = mmap(memory_region.base + memory_region.used, size, PROT_READ | PROT_WRITE, flags,
                 memory_region.fd, memory_region.fd >= 0 ? (off_t)memory_region.used : 0);
  if (p == MAP_FAILED) return false;
  memory_region.used += size;
  return true;
}

bool memory_region_open(const char *dir, uint64_t job, uint32_t rank, size_t limit, size_t reserve)
{
  void *base = mmap(NULL, limit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return false;
  memory_region.base = base;
  memory_region.limit = limit;
  memory_region.reserve = reserve;
  open_file(dir, job, rank);
  if (memory_region.fd < 0) memory_region.path[0] = '\0';
  if (grow(sizeof(spool_header_t), false)) return true;
  munmap(base, limit);
  memory_region.base = NULL;
  return false;
}

spool_block_t *memory_region_block(spool_kind_t kind, size_t bytes)
{
  size_t size = sizeof(spool_block_t) + bytes, unit = SPOOL_BLOCK_SIZE;
  size = (size + unit - 1) / unit * unit;
  pthread_mutex_lock(&region_mutex);
  spool_block_t *b = (spool_block_t *)(memory_region.base + memory_region.used);
  if (grow(size, kind == SPOOL_REST || kind == SPOOL_THREADS)) {
    b->kind = kind;
    b->bytes = size;
    __atomic_store_n(&b->magic, SPOOL_BLOCK_MAGIC, __ATOMIC_RELEASE);
  } else {
    b = NULL;
  }
  pthread_mutex_unlock(&region_mutex);
  return b;
}

void *memory_room(spool_block_t **block, spool_kind_t kind, size_t bytes)
{
  spool_block_t *b = *block;
  if (!b || b->bytes - sizeof *b - b->used < bytes) {
    b = memory_region_block(kind, bytes);
    if (!b) return NULL;
    *block = b;
  }
  return (unsigned char *)(b + 1) + b->used;
}

void memory_publish(spool_block_t *block, size_t bytes)
{
  __atomic_store_n(&block->used, block->used + bytes, __ATOMIC_RELEASE);
}

void *memory_add(spool_block_t **block, spool_kind_t kind, const void *record, size_t bytes)
{
  void *room = memory_room(block, kind, bytes);
  if (!room) return NULL;
  memcpy(room, record, bytes);
  memory_publish(*block, bytes);
  return room;
}

void memory_region_close(bool keep)
{
  if (memory_region.fd >= 0) close(memory_region.fd);
  memory_region.fd = -1;
  if (keep || !memory_region.path[0]) return;
  unlink(memory_region.path);
  rmdir(dirname(memory_region.path)); /* succeeds only if it is empty */
}
