/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory that ranks on a host share. It is a file without a name, which others open through the
 * one who made it: so nothing is left behind, whoever dies when. */
#include "coll/host.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static size_t members_size(int n)
{
  const size_t page = 4096;
  return ((size_t)n * sizeof(host_member_t) + page - 1) / page * page;
}

static size_t memory_size(int n) { return members_size(n) + (size_t)n * HOST_ROOMS * HOST_ROOM; }

int host_memory_new(int n)
{
  int file = memfd_create("berth-coll", MFD_CLOEXEC);
  if (file >= 0 && ftruncate(file, (off_t)memory_size(n)) != 0) {
    close(file);
    return -1;
  }
  return file;
}

bool host_map(host_t *h, int process, int file)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", process, file);
  int own = open(path, O_RDWR | O_CLOEXEC);
  if (own < 0) return false;
  void *memory = mmap(NULL, memory_size(h->n), PROT_READ | PROT_WRITE, MAP_SHARED, own, 0);
  close(own);
  if (memory == MAP_FAILED) return false;
  h->member = memory;
  h->rooms = (char *)memory + members_size(h->n);
  h->mapped = memory_size(h->n);
  return true;
}

void host_unmap(host_t *h)
{
  if (h->mapped) munmap(h->member, h->mapped);
  h->mapped = 0;
  free(h->work);
  h->work = NULL;
  h->work_room = 0;
}

/* What others read for a try: not in the memory that all share. */
static uint64_t token;
enum { TOKEN = 0x6274 };

typedef struct offer {
  int process;
  const uint64_t *token;
} offer_t;

void host_offer(const host_t *h)
{
  const offer_t own = {(int)getpid(), &token};
  token = TOKEN;
  h->member[h->me].process = own.process;
  memcpy(h->member[h->me].place[0].small, &own, sizeof own);
}

bool host_try(const host_t *h)
{
  int next = (h->me + 1) % h->n;
  offer_t offer;
  uint64_t found = 0;
  memcpy(&offer, h->member[next].place[0].small, sizeof offer);
  return host_read(h, next, offer.token, &found, sizeof found) && found == TOKEN;
}

bool host_read(const host_t *h, int member, const void *from, void *to, size_t bytes)
{
  for (size_t at = 0; at < bytes;) {
    const struct iovec there = {(char *)(uintptr_t)from + at, bytes - at};
    const struct iovec here = {(char *)to + at, bytes - at};
    ssize_t got = process_vm_readv(h->member[member].process, &here, 1, &there, 1, 0);
    if (got <= 0) return false;
    at += (size_t)got;
  }
  return true;
}

char *host_work(host_t *h, size_t bytes)
{
  if (bytes > h->work_room) {
    free(h->work);
    h->work = malloc(bytes);
    h->work_room = h->work ? bytes : 0;
  }
  return h->work;
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

void host_hear_all(host_t *h, uint32_t step)
{
  for (int i = 0; i < h->n; i++)
    if (i != h->me) host_hear(h, i, step);
  h->all_did = step - 1;
}
