/* SPDX-License-Identifier: BSD-3-Clause */
/* Automatic phases in the making: parts of the run that every rank has in one class. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_SEGMENT_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_SEGMENT_H

#include "spool/assemble/assemble_load.h"

enum { MAX_PARTS = 4096 /* of a refinement */, REST = 0 /* phase 0 */ };

/* So many of a class's segments are in one part of the refinement. */
typedef struct piece {
  uint32_t number, part;
  uint64_t times;
} piece_t;

typedef struct pieces {
  piece_t *items;
  size_t n, cap;
} pieces_t;

/* What decides whether there are automatic phases. */
typedef struct common {
  bool any;        /* they were asked for */
  bool told_apart; /* the program tells phases apart */
  uint32_t stop;   /* the lowest rank that rules them out, UINT32_MAX: none does; */
  bool threads;    /* it has collective calls of several threads */
  bool no_room;    /* a rank didn't put down all of its segments */
  bool longer;     /* the same, of segments whose classes are known */
  bool several;    /* ranks' classes are not all the same: the hash of one's and its bytes */
  uint64_t hash, bytes;
  uint64_t n; /* segments that all ranks reached, in the order that is known */
} common_t;

/* Parts of the refinement are numbered from 1, by their first segment; REST is phase 0. */
typedef struct settling {
  assembly_t *a;
  uint64_t n, longest; /* segments that all ranks reached, and any rank */
  uint32_t *part;      /* of each of the n segments */
  uint16_t *class_of;  /* of each segment of one sequence */
  bool some;           /* there may be phases */
  bool by_class;       /* all ranks have the same classes, which are the parts */
  uint32_t n_parts;
  uint32_t *up;     /* parts that became one: the least of them leads to itself */
  uint32_t *id;     /* the phase of such a part */
  uint64_t *length; /* segments of each part; of each phase in the end */
  bool *lumped, *sends;
  pieces_t *pieces; /* of each sequence, by class */
  uint64_t *times;  /* segments of each class of a rank, */
  bool *uneven;     /* whose counts are not all multiples of that */
} settling_t;

/* The number of the classes of a rank's segments in `sequences`; -1 when memory is out. */
long refine_segments_intern(assembly_t *a, const rank_load_t *load);
/* Makes phases of the classes of all ranks, before phases_settle. */
int segments_settle(assembly_t *a, int rc, berth_error_t *err);

/* How many segments of a sequence are known in their order, and whether there are more. */
uint64_t refine_sequence_length(const assembly_t *a, size_t sequence);
bool refine_sequence_is_longer(const assembly_t *a, size_t sequence);

/* Finds the parts, and then every sequence's pieces. */
int refine_segments(settling_t *s, berth_error_t *err);
int refine_segments_cut(settling_t *s, berth_error_t *err);
/* Makes of parts the common refinement with those of n segments of which `lumped` are REST: false
 * when memory is out; s->n is 0 when there are too many. */
bool refine_segments_by(settling_t *s, const uint16_t *part, const bool *lumped);

/* The part that stands for those that became one with this. The least part does, so that REST does,
 * and then the first. */
uint32_t refine_part_find(const settling_t *s, uint32_t part);
void refine_part_unite(const settling_t *s, uint32_t a, uint32_t b);
void refine_parts_unite(uint32_t *up, uint32_t a, uint32_t b); /* the same of s->up */

/* What a team's members tell each other of segments, in this order, as in assemble_team.h. */
int team_common(const assembly_t *a, common_t *c, int rc, berth_error_t *err);
int team_parts(settling_t *s, int rc, berth_error_t *err);   /* the refinement of all */
int team_unions(settling_t *s, int rc, berth_error_t *err);  /* parts that any one united */
int team_senders(settling_t *s, int rc, berth_error_t *err); /* parts in which any rank sends, and
                                                                their lengths */

#endif
