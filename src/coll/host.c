/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory that ranks on a host share. It is a file without a name, which others open through the
 * one who made it: so nothing is left behind, whoever dies when. */
#include "coll/host.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t members_size(int n)
{
  const size_t page = 4096;
  return ((size_t)n * sizeof(host_member_t) + page - 1) / page * page;
}

static size_t memory_size(int n) { return members_size(n) + (size_t)n * HOST_PLACES * HOST_ROOM; }

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
}

/* What all have done is known until then; now it is looked up. */
void host_free_place_slow(host_t *h, uint32_t step)
{
  uint32_t least = step - 1;
  for (int i = 0; i < h->n; i++) {
    if (i == h->me) continue;
    wait_word_t *done = &h->member[i].done;
    wait_for(done, step - HOST_PLACES, i);
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
