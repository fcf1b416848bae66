/* SPDX-License-Identifier: BSD-3-Clause */
/* Automatic phases in the making: parts of the run that every rank has in one class. */
#ifndef BERTH_SPOOL_ASSEMBLE_SEGMENT_H
#define BERTH_SPOOL_ASSEMBLE_SEGMENT_H

#include "spool/assemble_internal.h"

enum { MOST_PARTS = 4096 /* of a refinement */, REST = 0 /* phase 0 */ };

/* So many of a class's segments are in one part of the refinement. */
typedef struct piece {
  uint32_t number, part;
  uint64_t times;
} piece_t;

typedef struct pieces {
  piece_t *items;
  size_t n, cap;
} pieces_t;

/* Parts of the refinement are numbered from 1, by their first segment; REST is phase 0. */
typedef struct settling {
  assembly_t *a;
  uint64_t n, longest; /* segments that all ranks reached, and any rank */
  uint32_t *part;      /* of each of the n segments */
  uint16_t *class_of;  /* of each segment of one sequence */
  uint32_t n_parts;
  uint32_t *up;     /* parts that became one: the least of them leads to itself */
  uint32_t *id;     /* the phase of such a part */
  uint64_t *length; /* segments of each part; of each phase in the end */
  bool *lumped, *sends;
  pieces_t *pieces; /* of each sequence, by class */
  uint64_t *times;  /* segments of each class of a rank, */
  bool *uneven;     /* whose counts are not all multiples of that */
} settling_t;

/* How many segments of a sequence are known in their order, and whether there are more. */
uint64_t sequence_length(const assembly_t *a, size_t sequence);
bool sequence_is_longer(const assembly_t *a, size_t sequence);

/* Finds the parts and every sequence's pieces. */
int segments_refine(settling_t *s, berth_error_t *err);

/* The part that stands for those that became one with this. The least part does, so that REST does,
 * and then the first. */
uint32_t part_find(const settling_t *s, uint32_t part);
void part_unite(const settling_t *s, uint32_t a, uint32_t b);

#endif
