/* SPDX-License-Identifier: BSD-3-Clause */
/* Laws: how an amount depends on the number of ranks and on the grid. */
#ifndef BERTH_SCALE_LAW_H
#define BERTH_SCALE_LAW_H

#include <berth/scale.h>
#include <stdbool.h>

#include "base/grid.h"

/* Where an amount was seen, or is wanted. */
typedef struct scale_place {
  grid_t grid;
  int ranks;
  int line;      /* ranks of a line; of a step, of the dimensions in which it moves */
  unsigned dims; /* in which a message moves; 0: it isn't a step in the grid */
} scale_place_t;

/* The place of amounts that depend on the number of ranks alone. */
static inline scale_place_t scale_place_of(int ranks)
{
  return (scale_place_t){.ranks = ranks, .line = ranks};
}

typedef struct scale_point {
  scale_place_t place;
  double value;
} scale_point_t;

/* value = factor * form(place) + constant; of borders with ghosts, the form has a width. */
typedef struct scale_law {
  int form;
  double factor, constant;
  double power;    /* of the number of ranks, if the form leaves it open */
  double width;    /* of what neighbours sent before, relative to the whole extent */
  unsigned before; /* dimensions that exchange before this one, and so widen its borders */
  bool whole;      /* its lines are all ranks */
  double error;    /* the largest |traced / fitted - 1| */
} scale_law_t;

/* Amounts that follow one law with factors of their own, such as those of neighbours in different
 * directions. */
typedef struct scale_series {
  size_t n;
  scale_point_t point[BERTH_SCALE_TRACES];
  scale_law_t law; /* found */
} scale_series_t;

enum {
  SCALE_LAW_COUNTS = 0, /* numbers of messages and calls */
  SCALE_LAW_BYTES = 1
};

/* Finds the simplest law that fits all series; false if none does within 12%. */
bool scale_law_find(scale_series_t *series, size_t n, int of);

/* The law of one traced size, if the user says how the problem grows. `divided`: what a rank has
 * is divided among the others of its line. */
void scale_law_say(scale_series_t *series, berth_scaling_t scaling, bool divided, bool block);

double scale_law_at(const scale_law_t *law, const scale_place_t *place);
/* Returns buf, or a constant. */
enum { SCALE_LAW_NAME = 80 };
const char *scale_law_name(const scale_law_t *law, char buf[SCALE_LAW_NAME]);

#endif
