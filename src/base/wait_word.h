/* SPDX-License-Identifier: BSD-3-Clause */
/* A number in memory that processes share, which rises, and for which others wait asleep. */
#ifndef BERTH_BASE_WAIT_WORD_H
#define BERTH_BASE_WAIT_WORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* `value` rises, and may wrap around. All zero is a new one. */
typedef struct wait_word {
  _Atomic uint32_t value, sleepers;
} wait_word_t;

static inline bool wait_word_over(const wait_word_t *w, uint32_t value)
{
  return (int32_t)(atomic_load_explicit(&w->value, memory_order_acquire) - value) >= 0;
}

/* Sleeps until the word is there, or somebody wakes it, or so many nanoseconds have passed, fewer
 * than a second. Whoever sets the word after this process counts as a sleeper wakes it. */
void wait_word_sleep(wait_word_t *w, uint32_t value, long ns);
void wait_word_wake(wait_word_t *w);

/* What was written before is visible to those who see the value. Sleepers are woken. */
static inline void wait_word_set(wait_word_t *w, uint32_t value)
{
  atomic_exchange(&w->value, value);
  if (atomic_load_explicit(&w->sleepers, memory_order_relaxed)) wait_word_wake(w);
}

#endif
