/* SPDX-License-Identifier: BSD-3-Clause */
/* A job's ranks make one pattern of their tables, each holding its own, and its file in frames:
 * what berth_pattern_save writes of the pattern of all tables, to the byte. The first rank of each
 * group of ranks (pattern_frame.h) gets the group's frame; those who write them know where by their
 * sizes. */
#ifndef BERTH_SPOOL_ASSEMBLE_JOB_FRAME_H
#define BERTH_SPOOL_ASSEMBLE_JOB_FRAME_H

#include <berth/team.h>

#include "base/out_file.h"
#include "spool/assemble/assembly.h"

typedef struct job_frame {
  char *bytes; /* NULL where the rank is not the first of its group */
  size_t n;
  int group; /* ranks in a group; the same at all ranks */
} job_frame_t;

/* What the tracer uses of the library that it loads. */
typedef struct frame_library {
  /* Every rank calls this, with its table or NULL where it has none. *stats are those of all at the
   * first rank. `packed`: the file will be compressed. All ranks fail, or none does; bytes are the
   * caller's to free. */
  int (*make)(const berth_team_t *team, const void *image, size_t size, bool packed,
              job_frame_t *frame, assembly_stats_t *stats, berth_error_t *err);
  void (*free)(job_frame_t *frame);
  /* The frames go through the first rank, which writes them one after the other to `out`; NULL at
   * others. Fails at ranks that know of a failure. */
  int (*collect)(const berth_team_t *team, const job_frame_t *frame, out_file_t *out,
                 berth_error_t *err);
  /* The file: base/out_file.h. */
  void (*choose_names)(bool chosen);
  out_file_t *(*open)(const char *path, berth_error_t *err);
  const char *(*temporary)(const out_file_t *out);
  void (*rewind)(out_file_t *out);
  int (*commit)(out_file_t *out, berth_error_t *err);
  void (*abort)(out_file_t *out);
} frame_library_t;

BERTH_API const frame_library_t *frame_library(void);

#endif
