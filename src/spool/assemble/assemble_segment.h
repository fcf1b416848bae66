/* SPDX-License-Identifier: BSD-3-Clause */
/* Automatic phases in the making: parts of the run that every rank has in one class. */
#ifndef BERTH_SPOOL_ASSEMBLE_ASSEMBLE_SEGMENT_H
#define BERTH_SPOOL_ASSEMBLE_ASSEMBLE_SEGMENT_H

#include "spool/assemble/assemble_load.h"

enum { MAX_PARTS = 4096 /* of a refinement */, REST = 0 /* phase 0 */ };

/* A number of a class's segments that are in one part of the refinement. */
typedef struct piece {
  uint32_t number, part;
  uint64_t times;
} piece_t;

typedef struct pieces {
  piece_t *items;
  size_t n, cap;
} pieces_t;

/* Facts that decide whether there are automatic phases. */
typedef struct common {
  bool any;        /* they were requested */
  bool told_apart; /* the program tells phases apart itself */
  uint32_t stop;   /* the lowest rank that rules them out; UINT32_MAX: none */
  bool threads;    /* that rank has collective calls of several threads */
  bool no_room;    /* a rank had no room for all of its segments */
  bool longer;     /* the same, but the segments' classes are known */
  bool several;    /* ranks have different classes; hash and length of one rank's */
  uint64_t hash, bytes;
  uint64_t n; /* segments that all ranks reached, in a known order */
} common_t;

/* Parts of the refinement are numbered from 1 in the order of their first segments. REST is
 * phase 0. */
typedef struct settling {
  assembly_t *a;
  uint64_t n, longest; /* segments that all ranks reached; those of the longest rank */
  uint32_t *part;      /* by segment */
  uint16_t *class_of;  /* by segment of one sequence */
  bool some;           /* there may be phases */
  bool by_class;       /* all ranks have the same classes; each is a part */
  uint32_t n_parts;
  uint32_t *up;     /* united parts: each leads to the smallest one, which leads to itself */
  uint32_t *id;     /* the phase of a part that leads */
  uint64_t *length; /* segments of each part; at the end, of each phase */
  bool *lumped, *sends;
  pieces_t *pieces; /* by sequence and class */
  uint64_t *times;  /* segments of each class of a rank */
  bool *uneven;     /* classes with counts that aren't multiples of `times` */
} settling_t;

/* The index in `sequences` of a rank's classes; -1 if memory is out. */
long refine_segments_intern(assembly_t *a, const rank_load_t *load);
/* Makes phases of the ranks' classes. Call it before phases_settle. */
int segments_settle(assembly_t *a, int rc, berth_error_t *err);

/* The number of segments of a sequence in a known order, and whether it has more. */
uint64_t refine_sequence_length(const assembly_t *a, size_t sequence);
bool refine_sequence_is_longer(const assembly_t *a, size_t sequence);

/* Finds the parts, and every sequence's pieces. */
int refine_segments(settling_t *s, berth_error_t *err);
int refine_segments_cut(settling_t *s, berth_error_t *err);
/* Refines the parts by n segments, of which `lumped` ones are REST. Returns false if memory is
 * out. Sets s->n to 0 if there are too many parts. */
bool refine_segments_by(settling_t *s, const uint16_t *part, const bool *lumped);

/* The part that leads the united ones in s->up. It is the smallest: REST if it is among them, else
 * the first. */
uint32_t refine_part_find(uint32_t *up, uint32_t part);
void refine_parts_unite(uint32_t *up, uint32_t a, uint32_t b);

/* The facts about segments that a team exchanges, in this order (assemble_team.h). */
int team_common(const assembly_t *a, common_t *c, int rc, berth_error_t *err);
int team_parts(settling_t *s, int rc, berth_error_t *err);  /* the common refinement */
int team_unions(settling_t *s, int rc, berth_error_t *err); /* parts that any member united */
int team_senders(settling_t *s, int rc,
                 berth_error_t *err); /* parts in which any rank sends, and their lengths */

#endif
