/* SPDX-License-Identifier: BSD-3-Clause */
/* A bell wakes threads that sleep until something has changed. A thread looks at the bell, then
 * looks for work, and sleeps only if the bell hasn't rung in between. */
#ifndef FFT2D_BELL_H
#define FFT2D_BELL_H

#include <pthread.h>
#include <stdatomic.h>

typedef struct {
  atomic_uint rung, sleepers;
  pthread_mutex_t mutex;
  pthread_cond_t cond;
} bell_t;

static inline void bell_make(bell_t *b)
{
  atomic_init(&b->rung, 0);
  atomic_init(&b->sleepers, 0);
  pthread_mutex_init(&b->mutex, NULL);
  pthread_cond_init(&b->cond, NULL);
}

static inline void bell_free(bell_t *b)
{
  pthread_mutex_destroy(&b->mutex);
  pthread_cond_destroy(&b->cond);
}

static inline unsigned bell_look(bell_t *b) { return atomic_load(&b->rung); }

static inline void bell_ring(bell_t *b)
{
  atomic_fetch_add(&b->rung, 1);
  if (atomic_load(&b->sleepers) == 0) return;
  pthread_mutex_lock(&b->mutex);
  pthread_cond_broadcast(&b->cond);
  pthread_mutex_unlock(&b->mutex);
}

/* Returns at once if the bell has rung since `seen` was looked at. */
static inline void bell_wait(bell_t *b, unsigned seen)
{
  pthread_mutex_lock(&b->mutex);
  atomic_fetch_add(&b->sleepers, 1);
  while (atomic_load(&b->rung) == seen) pthread_cond_wait(&b->cond, &b->mutex);
  atomic_fetch_sub(&b->sleepers, 1);
  pthread_mutex_unlock(&b->mutex);
}

#endif
