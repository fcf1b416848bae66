/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the trace in MPI_Finalize.
 *
 * The ranks make the trace's frames together (spool/assemble/job_frame.h). The ranks that have a
 * frame write it at its place. This code and its libraries are loaded only then, with their
 * symbols hidden from the application. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "spool/assemble/job_frame.h"
#include "trace/output.h"
#include "trace/trace_place.h"
#include "trace/trace_team.h"
#include "trace/tracer.h"

/* Loads libberth-assemble.so, which is one folder above the tracer. Returns NULL and fills *err
 * on failure. */
static const frame_library_t *load_library(berth_error_t *err)
{
  static const char name[] = "../libberth-assemble.so";
  Dl_info own = {0};
  char path[PATH_MAX];
  const char *self = dladdr((void *)&write_trace, &own) ? own.dli_fname : "";
  const char *slash = strrchr(self, '/');
  size_t folder = slash ? (size_t)(slash - self) + 1 : 0;
  __typeof__(&frame_library) get = NULL;
  snprintf(err->text, sizeof err->text, "%.400s: cannot be loaded", name);
  if (folder + sizeof name > sizeof path) return NULL;
  memcpy(path, self, folder);
  memcpy(path + folder, name, sizeof name);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library) *(void **)&get = dlsym(library, "frame_library");
  if (get) return get();
  const char *why = dlerror();
  snprintf(err->text, sizeof err->text, "%.400s", why ? why : path);
  return NULL;
}

/* Says how many things there are, if any. */
static void say_number(const char *what, uint64_t n)
{
  if (n) tracer_say("%s: %llu", what, (unsigned long long)n);
}

static void say_calls(const char *why, uint64_t messages, uint64_t calls)
{
  if (messages || calls)
    tracer_say("not included (%s): messages: %llu, collective calls (of all ranks): %llu", why,
               (unsigned long long)messages, (unsigned long long)calls);
}

/* Always tells the user what is missing. */
static void say_what_is_missing(const assembly_stats_t *s)
{
  const totals_t *t = &s->total;
  const spool_missed_t *m = &t->missed;
  const char *const notes[] = {s->phases_note, s->auto_note, s->orders_note, s->unmodelled_note};
  int found = (int)t->found;
  if (found < s->ranks)
    tracer_say("the trace lacks %d of %d ranks, which had no memory for it", s->ranks - found,
               s->ranks);
  say_number("spawned processes, which have a trace of their own", m->spawned);
  say_calls("with processes outside MPI_COMM_WORLD", m->outside, m->outside_calls);
  if (m->lost || m->lost_calls)
    tracer_say(
        "not included (no memory left): messages and one-sided operations: %llu (bytes: %llu), "
        "other calls: %llu",
        (unsigned long long)m->lost, (unsigned long long)m->lost_bytes,
        (unsigned long long)m->lost_calls);
  say_number("not included (no memory for their tables, see BERTH_TRACE_MEMORY): threads",
             m->threads);
  if (t->coarse)
    tracer_say("messages counted by source and destination only (no memory left, see "
               "BERTH_TRACE_MEMORY): %llu (bytes: %llu)",
               (unsigned long long)t->coarse, (unsigned long long)t->coarse_bytes);
  say_number("not included (incomplete, see BERTH_TRACE_MEMORY): rows of per-destination amounts "
             "in collective calls",
             t->rows_lost);
  say_number("not included (can't be divided among automatic phases, see BERTH_TRACE_PHASES): rows "
             "of per-destination amounts in collective calls",
             t->rows_undivided);
  say_calls("made after MPI_Pcontrol(0)", m->stopped, m->stopped_calls);
  for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
    if (*notes[i]) tracer_say("%s", notes[i]);
  say_number("not included (no call can have made them): records", t->impossible);
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
    say_what_is_missing(&stats);
  mpi.Bcast(&written, sizeof written, mpi.byte, 0, tracer.comm);
  return written != 0;
}
