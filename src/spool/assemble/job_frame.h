/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the pattern file of a job, in frames, by all its ranks together. Each rank has its own
 * tables. The bytes equal those of berth_pattern_save for the pattern of all tables. The first
 * rank of each group (pattern_frame.h) gets the group's frame. Writers find their place by the
 * sizes of the frames. */
#ifndef BERTH_SPOOL_ASSEMBLE_JOB_FRAME_H
#define BERTH_SPOOL_ASSEMBLE_JOB_FRAME_H

#include <berth/team.h>

#include "base/out_file.h"
#include "spool/assemble/assembly.h"
#include "spool/trace_losses.h"

typedef struct job_frame {
  char *bytes; /* NULL unless the rank is the first of its group */
  size_t n;
  int group; /* ranks in a group; the same at all ranks */
} job_frame_t;

/* The functions of the library that the tracer loads. */
typedef struct frame_library {
  /* Every rank calls this, with its table or NULL. At the first rank, *stats are those of all.
   * `packed`: the file will be compressed. Either all ranks fail or none. The caller frees the
   * frame's bytes. */
  int (*make)(const berth_team_t *team, const void *image, size_t size, bool packed,
              job_frame_t *frame, assembly_stats_t *stats, berth_error_t *err);
  void (*free)(job_frame_t *frame);
  /* Sends all frames to the first rank, which writes them in order to `out`; `out` is NULL at
   * other ranks. Fails at the ranks that know of a failure. */
  int (*collect)(const berth_team_t *team, const job_frame_t *frame, out_file_t *out,
                 berth_error_t *err);
  void (*say_losses)(const assembly_stats_t *stats, const losses_to_t *to);
  /* Functions of base/out_file.h for the trace's file. */
  void (*choose_names)(bool chosen);
  out_file_t *(*open)(const char *path, berth_error_t *err);
  const char *(*temporary)(const out_file_t *out);
  void (*rewind)(out_file_t *out);
  int (*commit)(out_file_t *out, berth_error_t *err);
  void (*abort)(out_file_t *out);
} frame_library_t;

BERTH_API const frame_library_t *frame_library(void);

#endif
