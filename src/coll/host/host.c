/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory that ranks on a host share. */
#include "coll/host/host.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "job/process_memory.h"

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

bool host_memory_new(int n, shared_file_t *out)
{
  return shared_file_new("berth-coll", memory_size(n), out);
}

bool host_map(host_t *h, const shared_file_t *from)
{
  size_t size = memory_size(h->n);
  void *memory = shared_file_map(from, size, size);
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

bool host_read(const host_t *h, int member, const void *from, void *to, size_t bytes)
{
  return process_memory_read(h->member[member].process, from, to, bytes);
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
    if (i != h->me && !wait_word_over(&h->member[i].done, before)) return false;
  h->all_did = before;
  return true;
}

void host_hear_all(host_t *h, uint32_t step)
{
  for (int i = 0; i < h->n; i++)
    if (i != h->me) host_hear(h, i, step);
  h->all_did = step - 1;
}
