/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll/coll_tags.h"

#include <pthread.h>
#include <stdint.h>

enum { WORDS = TAG_LAST / 64 + 1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t taken[WORDS] = {(1u << TAG_FIRST) - 1}; /* a bit for each */

int tag_take(void)
{
  int tag = -1;
  pthread_mutex_lock(&lock);
  for (int word = 0; word < WORDS && tag < 0; word++) {
    if (taken[word] == UINT64_MAX) continue;
    int bit = __builtin_ctzll(~taken[word]);
    if (word * 64 + bit > TAG_LAST) break;
    taken[word] |= (uint64_t)1 << bit;
    tag = word * 64 + bit;
  }
  pthread_mutex_unlock(&lock);
  return tag;
}

void tag_release(int tag)
{
  if (tag < 0) return;
  pthread_mutex_lock(&lock);
  taken[tag / 64] &= ~((uint64_t)1 << tag % 64);
  pthread_mutex_unlock(&lock);
}
