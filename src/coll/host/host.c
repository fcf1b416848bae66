/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory that ranks on a host share. It is a file without a name, which others open through the
 * one who made it: so nothing is left behind, whoever dies when. */
#include "coll/host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* At the beginning of the memory. */
typedef struct head {
  _Alignas(64) uint64_t mark;
} head_t;

static size_t members_size(int n)
{
  const size_t page = 4096;
  return (sizeof(head_t) + (size_t)n * sizeof(host_member_t) + page - 1) / page * page;
}

static size_t memory_size(int n) { return members_size(n) + (size_t)n * HOST_ROOMS * HOST_ROOM; }

static const uint64_t token = 0x6265727468636f6c;

host_file_t host_hello(void) { return (host_file_t){(int)getpid(), -1, 0, &token}; }

/* A file that exceeds the process's limit would end it by a signal. */
static bool may_make(size_t size)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= size) return true;
  errno = EFBIG;
  return false;
}

bool host_memory_new(int n, host_file_t *out)
{
  if (!may_make(memory_size(n))) return false;
  out->file = memfd_create("berth-coll", MFD_CLOEXEC);
  bool made =
      out->file >= 0 && ftruncate(out->file, (off_t)memory_size(n)) == 0 &&
      getrandom(&out->mark, sizeof out->mark, 0) == sizeof out->mark &&
      pwrite(out->file, &out->mark, sizeof out->mark, offsetof(head_t, mark)) == sizeof out->mark;
  if (made) return true;
  int reason = errno;
  host_file_close(out);
  errno = reason;
  return false;
}

void host_file_close(host_file_t *f)
{
  if (f->file >= 0) close(f->file);
  f->file = -1;
}

/* Maps a file that may be another one: in another namespace the process has another number. */
static void *map_file(int file, size_t size, uint64_t mark)
{
  struct stat s;
  if (fstat(file, &s) != 0) return NULL;
  if (s.st_size != (off_t)size) {
    errno = ESRCH; /* as if it weren't there */
    return NULL;
  }
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return NULL;
  if (((const head_t *)memory)->mark == mark) return memory;
  munmap(memory, size);
  errno = ESRCH; /* as if it weren't there */
  return NULL;
}

bool host_map(host_t *h, const host_file_t *from)
{
  char path[64];
  size_t size = memory_size(h->n);
  snprintf(path, sizeof path, "/proc/%d/fd/%d", from->process, from->file);
  int own = open(path, O_RDWR | O_CLOEXEC);
  if (own < 0) return false;
  void *memory = map_file(own, size, from->mark);
  int reason = errno;
  close(own);
  errno = reason;
  if (!memory) return false;
  h->memory = memory;
  h->member = (host_member_t *)(void *)((char *)memory + sizeof(head_t));
  h->rooms = (char *)memory + members_size(h->n);
  h->mapped = size;
  h->member[h->me].process = (int)getpid();
  return true;
}

void host_unmap(host_t *h)
{
  if (h->mapped) munmap(h->memory, h->mapped);
  h->mapped = 0;
  space_free(&h->work);
  space_free(&h->blocks);
}

static bool read_memory(int process, const void *from, void *to, size_t bytes)
{
  for (size_t at = 0; at < bytes;) {
    const struct iovec there = {(char *)(uintptr_t)from + at, bytes - at};
    const struct iovec here = {(char *)to + at, bytes - at};
    ssize_t got = process_vm_readv(process, &here, 1, &there, 1, 0);
    if (got <= 0) return false;
    at += (size_t)got;
  }
  return true;
}

bool host_try(const host_file_t *other)
{
  uint64_t found = 0;
  return read_memory(other->process, other->token, &found, sizeof found) && found == token;
}

bool host_read(const host_t *h, int member, const void *from, void *to, size_t bytes)
{
  return read_memory(h->member[member].process, from, to, bytes);
}

void host_all_done(host_t *h, uint32_t step)
{
  uint32_t least = h->step - 1;
  for (int i = 0; i < h->n; i++) {
    if (i == h->me) continue;
    wait_word_t *done = &h->member[i].done;
    wait_for(done, step, i);
    uint32_t did = atomic_load_explicit(&done->value, memory_order_relaxed);
    if ((int32_t)(did - least) < 0) least = did;
  }
  h->all_did = least;
}

bool host_is_free(host_t *h, uint32_t step, size_t bytes)
{
  uint32_t before = host_step_before(step, bytes);
  if ((int32_t)(h->all_did - before) >= 0) return true;
  for (int i = 0; i < h->n; i++)
    if (i != h->me && !wait_over(&h->member[i].done, before)) return false;
  h->all_did = before;
  return true;
}

void host_hear_all(host_t *h, uint32_t step)
{
  for (int i = 0; i < h->n; i++)
    if (i != h->me) host_hear(h, i, step);
  h->all_did = step - 1;
}
