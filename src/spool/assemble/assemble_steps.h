/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's steps and loops of them, while they become an order. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_STEPS_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_STEPS_H

#include <berth/pattern.h>
#include <stdbool.h>

typedef struct steps {
  berth_step_t *items;
  size_t n, cap;
} steps_t;

/* Whether loops end inside what they are in and aren't too deep, and no number is too high if all
 * steps are gone through so often. */
bool steps_are_whole(const steps_t *x, uint64_t rounds);
/* Whether so many single steps are less than an iteration of the last loop. */
bool steps_fit_pending(const steps_t *x, uint64_t pending);
/* Appends so many steps of one more iteration of the last loop. Returns false if memory is out. */
bool steps_add_pending(steps_t *x, uint64_t pending);
/* Leaves the shortest steps whose whole repetitions are all steps. Multiplies *rounds by their
 * number. Returns false if memory is out. */
bool steps_divide(steps_t *x, uint64_t *rounds);

#endif
