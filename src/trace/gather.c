/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Finalize: all tables go to rank 0, which makes one pattern of them and writes it. The code
 * for that, and the libraries that it needs, are loaded there and then, out of sight of the
 * application; other ranks never see them. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "spool/assemble.h"
#include "trace/tracer.h"

enum { TAG = 1, PIECE = 1 << 30 };

/* The functions of libberth-assemble.so, which lies one folder above the tracer. */
typedef struct assembler {
  __typeof__(&assembly_new) new;
  __typeof__(&assembly_add) add;
  __typeof__(&assembly_finish) finish;
  __typeof__(&assembly_free) free;
  __typeof__(&berth_pattern_save) save;
  __typeof__(&berth_pattern_free) free_pattern;
} assembler_t;

static bool load_assembler(assembler_t *a, berth_error_t *err)
{
  static const char name[] = "../libberth-assemble.so";
  Dl_info own = {0};
  char path[PATH_MAX];
  const char *self = dladdr((void *)&gather_tables, &own) ? own.dli_fname : "";
  const char *slash = strrchr(self, '/');
  size_t folder = slash ? (size_t)(slash - self) + 1 : 0;
  snprintf(err->text, sizeof err->text, "%.400s: cannot be loaded", name);
  if (folder + sizeof name > sizeof path) return false;
  memcpy(path, self, folder);
  memcpy(path + folder, name, sizeof name);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    snprintf(err->text, sizeof err->text, "%.400s", why ? why : path);
    return false;
  }
  *(void **)&a->new = dlsym(library, "assembly_new");
  *(void **)&a->add = dlsym(library, "assembly_add");
  *(void **)&a->finish = dlsym(library, "assembly_finish");
  *(void **)&a->free = dlsym(library, "assembly_free");
  *(void **)&a->save = dlsym(library, "berth_pattern_save");
  *(void **)&a->free_pattern = dlsym(library, "berth_pattern_free");
  return a->new && a->add && a->finish && a->free && a->save && a->free_pattern;
}

/* Sends the table when rank 0 asks for it. Large ones go in pieces, since a count is an int. */
static bool send_table(const unsigned char *table, size_t size)
{
  unsigned char go = 0;
  if (size == 0) return true;
  mpi.Recv(&go, 1, mpi.byte, 0, TAG, tracer.comm, MPI_STATUS_IGNORE);
  if (!go) return false;
  for (size_t at = 0; at < size; at += PIECE) {
    size_t n = size - at < PIECE ? size - at : PIECE;
    if (mpi.Send(table + at, (int)n, mpi.byte, 0, TAG, tracer.comm) != MPI_SUCCESS) return false;
  }
  return true;
}

static bool receive_table(unsigned char *table, size_t size, int from)
{
  for (size_t at = 0; at < size; at += PIECE) {
    size_t n = size - at < PIECE ? size - at : PIECE;
    if (mpi.Recv(table + at, (int)n, mpi.byte, from, TAG, tracer.comm, MPI_STATUS_IGNORE) !=
        MPI_SUCCESS)
      return false;
  }
  return true;
}

/* Asks a rank for its table, or tells it to keep it; NULL when it wasn't received. */
static unsigned char *ask_for_table(int rank, uint64_t size, bool wanted)
{
  unsigned char *table = wanted ? memory_alloc(size) : NULL, go = table != NULL;
  if (mpi.Send(&go, 1, mpi.byte, rank, TAG, tracer.comm) != MPI_SUCCESS) go = 0;
  if (!go || receive_table(table, size, rank)) return table;
  memory_free(table, size);
  return NULL;
}

/* Adds every rank's table. All ranks wait to be asked, so it goes on after a failure, of which the
 * first is the one reported. */
static bool add_tables(const assembler_t *a, assembly_t *into, const unsigned char *own,
                       const uint64_t *sizes, berth_error_t *err)
{
  bool good = into != NULL;
  for (uint32_t rank = 0; rank < tracer.ranks; rank++) {
    if (sizes[rank] == 0) continue; /* that rank had no memory for tables */
    unsigned char *table = rank ? ask_for_table((int)rank, sizes[rank], good) : NULL;
    char name[32];
    snprintf(name, sizeof name, "rank %u", rank);
    if (good && rank && !table) {
      snprintf(err->text, sizeof err->text, "%s: its table was not received", name);
      good = false;
    }
    if (good) good = a->add(into, name, rank ? table : own, sizes[rank], err) == BERTH_OK;
    memory_free(table, sizes[rank]);
  }
  return good;
}

/* Never silent about what is missing. */
static void say_what_is_missing(const assembly_stats_t *s)
{
  if (s->found < s->ranks)
    tracer_say("the trace lacks %d of %d ranks, which had no memory for it", s->ranks - s->found,
               s->ranks);
  const spool_missed_t *m = &s->missed;
  if (m->spawned)
    tracer_say("spawned processes, which have a trace of their own: %llu",
               (unsigned long long)m->spawned);
  if (m->outside || m->outside_calls)
    tracer_say("not in the trace, as with processes outside MPI_COMM_WORLD: messages: %llu, "
               "collective calls (of all ranks): %llu",
               (unsigned long long)m->outside, (unsigned long long)m->outside_calls);
  if (m->lost || m->lost_calls)
    tracer_say("not in the trace, as there was no room: messages and one-sided operations: %llu "
               "(bytes: %llu), other calls: %llu",
               (unsigned long long)m->lost, (unsigned long long)m->lost_bytes,
               (unsigned long long)m->lost_calls);
  if (m->threads)
    tracer_say("not in the trace, as there was no room for their tables (BERTH_TRACE_MEMORY): "
               "threads: %llu",
               (unsigned long long)m->threads);
  if (s->coarse)
    tracer_say("messages known by their ranks alone, as there was no room for more "
               "(BERTH_TRACE_MEMORY): %llu (bytes: %llu)",
               (unsigned long long)s->coarse, (unsigned long long)s->coarse_bytes);
  if (s->rows_lost)
    tracer_say("not in the trace, as they aren't known in full (BERTH_TRACE_MEMORY): rows of what "
               "a rank sent to each in collective calls: %llu",
               (unsigned long long)s->rows_lost);
  if (m->stopped || m->stopped_calls)
    tracer_say("not in the trace, as of the time after MPI_Pcontrol(0): messages: %llu, collective "
               "calls (of all ranks): %llu",
               (unsigned long long)m->stopped, (unsigned long long)m->stopped_calls);
  if (*s->phases_note) tracer_say("%s", s->phases_note);
  if (*s->auto_note) tracer_say("%s", s->auto_note);
  if (*s->orders_note) tracer_say("%s", s->orders_note);
  if (*s->unmodelled_note) tracer_say("%s", s->unmodelled_note);
  if (s->impossible)
    tracer_say("not in the trace, as no call can have made them: records: %llu",
               (unsigned long long)s->impossible);
}

static bool write_trace(const unsigned char *own, const uint64_t *sizes, const char *path,
                        berth_error_t *err)
{
  assembler_t a = {0};
  assembly_t *into = NULL;
  berth_pattern_t *pattern = NULL;
  assembly_stats_t stats;
  bool loaded = load_assembler(&a, err);
  if (loaded) into = a.new(err);
  bool good = add_tables(&a, into, own, sizes, err);
  if (good) good = a.finish(into, &pattern, &stats, err) == BERTH_OK;
  if (good && !*path) {
    snprintf(err->text, sizeof err->text, "its file's name is too long, or its folder is gone");
    good = false;
  }
  if (good) good = a.save(pattern, path, err) == BERTH_OK;
  if (good) say_what_is_missing(&stats);
  if (loaded) a.free_pattern(pattern);
  if (loaded) a.free(into);
  return good;
}

static bool gather_at_root(const unsigned char *own, const uint64_t *sizes, const char *path)
{
  berth_error_t err = {0};
  bool written = write_trace(own, sizes, path, &err);
  if (!written)
    tracer_say("cannot write the trace: %s%s%s", err.text,
               region.path[0] ? "; this rank's table is kept in " : "", region.path);
  return written;
}

bool gather_tables(const char *path)
{
  uint64_t size = 0, *sizes = NULL;
  size_t bytes = 0, sizes_bytes = tracer.ranks * sizeof *sizes;
  unsigned char *own = region.base ? region_pack(&bytes) : NULL;
  int written = 0;
  size = own ? bytes : 0;
  if (tracer.rank == 0) sizes = memory_alloc(sizes_bytes);
  if (tracer.rank != 0 || sizes) {
    mpi.Gather(&size, sizeof size, mpi.byte, sizes, sizeof size, mpi.byte, 0, tracer.comm);
    if (tracer.rank == 0)
      written = gather_at_root(own, sizes, path);
    else
      send_table(own, size);
    mpi.Bcast(&written, sizeof written, mpi.byte, 0, tracer.comm);
  }
  memory_free(own, bytes);
  memory_free(sizes, sizes_bytes);
  return written != 0;
}
