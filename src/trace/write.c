/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the trace in MPI_Finalize.
 *
 * The ranks make the trace's frames together (spool/assemble/job_frame.h). The ranks that have a
 * frame write it at its place. This code and its libraries are loaded only then, with their
 * symbols hidden from the application. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "interpose/beside.h"
#include "spool/assemble/job_frame.h"
#include "trace/output.h"
#include "trace/trace_place.h"
#include "trace/trace_team.h"
#include "trace/tracer.h"

/* Of libberth-assemble.so, which is one folder above the tracer. Returns NULL and fills *err on
 * failure. */
static const frame_library_t *load_library(berth_error_t *err)
{
  __typeof__(&frame_library) get = NULL;
  *(void **)&get =
      beside_load("../libberth-assemble.so", "frame_library", err->text, sizeof err->text);
  return get ? get() : NULL;
}

static void say_line(const char *who, const char *line)
{
  (void)who; /* the tracer names itself */
  tracer_say("%s", line);
}

/* The file, and how the frames get into it. */
typedef struct way {
  enum { WAY_NONE, WAY_ROOT, WAY_PARALLEL } kind;
  char path[PATH_MAX];
} way_t;

/* Rank 0 opens the file. Other ranks may write to a new temporary file, but not to a file that
 * is written in place. MPI-IO needs MPI_COMM_SELF, which a program with sessions doesn't have. */
static int open_file(const frame_library_t *lib, const char *path, int group, out_file_t **out,
                     way_t *way, berth_error_t *err)
{
  int initialized = 0;
  if (!*path) {
    snprintf(err->text, sizeof err->text, "its file's name is too long, or its folder is gone");
    return BERTH_MISSING;
  }
  lib->choose_names(output_trace_is_chosen());
  *out = lib->open(path, err);
  if (!*out) return BERTH_MISSING;
  const char *shared = lib->temporary(*out);
  bool several = shared && group < (int)tracer.ranks;
  if (several) several = mpi.Initialized(&initialized) == MPI_SUCCESS && initialized;
  way->kind = several ? WAY_PARALLEL : WAY_ROOT;
  if (several) snprintf(way->path, sizeof way->path, "%s", shared);
  return BERTH_OK;
}

/* Each rank with a frame writes it at its place. Returns true at these ranks if the file is
 * complete. */
static bool write_in_parallel(const char *path, const job_frame_t *frame)
{
  MPI_Comm writers;
  bool good = false;
  if (mpi.Comm_split(tracer.comm, frame->bytes ? 0 : MPI_UNDEFINED, (int)tracer.rank, &writers) !=
          MPI_SUCCESS ||
      !frame->bytes)
    return false;
  good = place_frames(writers, path, frame->bytes, frame->n);
  mpi.Comm_free(&writers);
  return good;
}

/* Writes the frames in parallel. If that isn't possible or fails, rank 0 writes them. */
static int write_frames(const frame_library_t *lib, const char *path, const job_frame_t *frame,
                        berth_error_t *err)
{
  const berth_team_t team = team_of_ranks();
  static way_t way;
  out_file_t *out = NULL;
  int rc = BERTH_OK;
  if (tracer.rank == 0) rc = open_file(lib, path, frame->group, &out, &way, err);
  mpi.Bcast(&way, sizeof way, mpi.byte, 0, tracer.comm);
  if (way.kind == WAY_PARALLEL && !write_in_parallel(way.path, frame)) {
    way.kind = WAY_ROOT;
    if (out) lib->rewind(out);
  }
  if (way.kind == WAY_ROOT) rc = lib->collect(&team, frame, out, err);
  if (out && rc) lib->abort(out);
  if (out && !rc) rc = lib->commit(out, err);
  return rc;
}

/* Whether all ranks have loaded the library, whose functions are collective. */
static bool everybody_has(const frame_library_t *lib, berth_error_t *err)
{
  bool all = team_all(tracer.comm, lib != NULL);
  if (!all && lib) snprintf(err->text, sizeof err->text, "a rank cannot load libberth-assemble.so");
  return all;
}

static bool is_packed(const char *path)
{
  size_t n = strlen(path);
  uint8_t packed = n >= 4 && strcmp(path + n - 4, ".zst") == 0; /* rank 0's path counts */
  return mpi.Bcast(&packed, 1, mpi.byte, 0, tracer.comm) == MPI_SUCCESS && packed;
}

bool write_trace(const char *path)
{
  const berth_team_t team = team_of_ranks();
  const losses_to_t to = {say_line, NULL, "BERTH_TRACE_MEMORY", "BERTH_TRACE_PHASES"};
  berth_error_t err = {0};
  assembly_stats_t stats;
  job_frame_t frame;
  const frame_library_t *lib = load_library(&err);
  int written = everybody_has(lib, &err);
  bool packed = written && is_packed(path);
  if (written)
    written =
        !lib->make(&team, memory_region.base, memory_region.used, packed, &frame, &stats, &err);
  if (written) {
    written = !write_frames(lib, path, &frame, &err);
    lib->free(&frame);
  }
  if (!written)
    tracer_say("cannot write the trace: %s%s%s", err.text,
               memory_region.path[0] ? "; this rank's table is kept in " : "", memory_region.path);
  else if (tracer.rank == 0)
    lib->say_losses(&stats, &to);
  mpi.Bcast(&written, sizeof written, mpi.byte, 0, tracer.comm);
  return written != 0;
}
