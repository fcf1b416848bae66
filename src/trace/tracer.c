/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts and ends the tracer: the job's identity, the rank's header, threads. */
#include "trace/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/text.h"
#include "interpose/inside.h"
#include "interpose/interposed.h"
#include "trace/core_wait.h"
#include "trace/file_limit.h"
#include "trace/output.h"
#include "trace/parameter.h"
#include "trace/record.h"
#include "trace/type_layout.h"
#include "trace/window.h"

enum {
  DEFAULT_DEPTH = 4,
  MIN_MEMORY = 256 << 10, /* minimum bytes of a rank's tables */
  DEFAULT_MEMORY = 4 << 20,
  FOR_TIMES = SPOOL_BLOCK_SIZE + 4096 /* their first block and index, beside what is asked for */
};
#define MAX_MEMORY ((uint64_t)1 << 36) /* half of what an index can address */

tracer_t tracer;
__thread thread_t *tracer_self __attribute__((tls_model("initial-exec")));

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t exit_key;
static thread_t *idle; /* tables of ended threads, for new ones; access needs the lock */
static spool_block_t *thread_block;
static uint64_t n_threads; /* that have tables; access needs the lock */
static char trace_path[4096], spool_dir[4096];

void tracer_lock(void) { pthread_mutex_lock(&mutex); }
void tracer_unlock(void) { pthread_mutex_unlock(&mutex); }

void tracer_say(const char *format, ...)
{
  if (tracer.rank != 0) return;
  char line[1024] = "berth: ";
  va_list args;
  va_start(args, format);
  vsnprintf(line + 7, sizeof line - 8, format, args);
  va_end(args);
  strcat(line, "\n");
  fputs(line, stderr);
}

static void on_thread_exit(void *thread)
{
  thread_t *t = thread;
  tracer_self = NULL;
  if (tracer.state != TRACER_ON) return; /* in a forked child, nobody may be able to unlock it */
  tracer_lock();
  t->next_idle = idle;
  idle = t;
  tracer_unlock();
}

/* A forked child isn't a rank: it must leave its copy of the mapping alone. */
static void on_fork_child(void)
{
  tracer.state = TRACER_DONE;
  tracer.joined = false;
  tracer_self = NULL;
}

static thread_t *new_thread(void)
{
  thread_t *t = memory_alloc(sizeof *t);
  spool_thread_t *times = t ? memory_room(&thread_block, SPOOL_THREADS, sizeof *times) : NULL;
  if (times) {
    times->id = ++n_threads;
    memory_publish(thread_block, sizeof *times);
    t->times = times;
    t->messages.kind = SPOOL_MESSAGES;
    t->colls.kind = SPOOL_COLLS;
    t->operations.kind = SPOOL_OPERATIONS;
    t->rows.kind = SPOOL_ROWS;
    t->random = (tracer.rank + 1) * 2654435761u;
    t->pause = t->random >> 28;
    for (int i = 0; i < MEMOS; i++) t->memos[i].key = NO_KEY;
    return t;
  }
  memory_free(t, sizeof *t);
  return NULL;
}

/* The part of the limit that is kept for counting by destination alone when the rest is full. */
static size_t reserve_of(size_t limit)
{
  size_t wanted =
      tracer.ranks * (sizeof(spool_message_t) + sizeof(uint32_t)) + 2 * SPOOL_BLOCK_SIZE;
  return wanted < limit / 4 ? wanted : limit / 4;
}

/* Makes tables for the calling thread. If there is no room, returns NULL from now on. */
static thread_t *register_thread(void)
{
  static __thread bool without __attribute__((tls_model("initial-exec")));
  if (without) return NULL;
  tracer_lock();
  thread_t *t = idle;
  if (t)
    idle = t->next_idle;
  else
    t = new_thread();
  tracer_unlock();
  without = !t;
  if (without) add_missed(&missed()->threads, 1);
  if (t) t->waits = (waits_t){0};
  if (t) core_wait_begin(t);
  if (t) pthread_setspecific(exit_key, t);
  tracer_self = t;
  return t;
}

/* Whether the thread is still inside an MPI call. Then the call's frame is above ours (stacks
 * grow downwards), still holds its return address, and is on the stack. Otherwise a jump or an
 * exception left the call. A known pair of caller and distance needs no look at the stack: it is
 * inside MPI, where Fortran's functions call C's. */
static inline bool still_inside(thread_t *t, uintptr_t frame, const void *caller)
{
  if (t->inside <= frame || ((void *const *)t->inside)[1] != t->caller) return false;
  nested_t *known = &t->nested[((uintptr_t)caller * 2654435761u >> 16) % NESTED & ~1u];
  uintptr_t below = t->inside - frame;
  if (LIKELY(known[0].caller == caller && known[0].below == below)) return true;
  if (LIKELY(known[1].caller == caller && known[1].below == below)) return true;
  if (!inside_on_stack(t->inside, t->caller)) return false;
  known[1] = known[0];
  known[0] = (nested_t){caller, below};
  return true;
}

thread_t *tracer_enter_slow(uintptr_t frame, void *caller)
{
  thread_t *t = tracer_self;
  if (t && still_inside(t, frame, caller)) return NULL; /* often, because Fortran calls C */
  mpi_table_load();
  if (berth_interpose_own) return NULL;
  if (atomic_load_explicit(&tracer.state, memory_order_acquire) != TRACER_ON) return NULL;
  if (!t) t = register_thread();
  if (!t) return NULL;
  t->inside = frame;
  t->caller = caller;
  return t;
}

uint64_t tracer_number(const char *name, uint64_t max, uint64_t fallback)
{
  const char *text = getenv(name);
  if (!text || !*text) return fallback;
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  if (*text >= '0' && *text <= '9' && !*end && !errno && value <= max) return value;
  tracer_say("%s: found \"%.40s\", expected a whole number from 0 to %llu; taken as %llu", name,
             text, (unsigned long long)max, (unsigned long long)fallback);
  return fallback;
}

size_t tracer_word(const char *name, const char *const *words)
{
  const char *text = getenv(name);
  char expected[64] = "";
  size_t n_words = 0;
  if (!text || !*text) return 0;
  while (words[n_words]) n_words++;
  for (size_t i = 0; i < n_words; i++) {
    if (strcmp(text, words[i]) == 0) return i;
    size_t used = strlen(expected);
    snprintf(expected + used, sizeof expected - used, "%s%s", text_or(i, n_words), words[i]);
  }
  tracer_say("%s: found \"%.40s\", expected %s; taken as %s", name, text, expected, words[0]);
  return 0;
}

/* Checks the folder that the user named, and the default one, which another user may have made. */
static void check_spool(void)
{
  const char *given = getenv("BERTH_TRACE_SPOOL");
  if (memory_region.path[0] || !*spool_dir) return;
  if (given && *given)
    tracer_say("BERTH_TRACE_SPOOL: cannot make a file in \"%.200s\"; tables are kept in memory, "
               "which a crash loses",
               given);
  else
    tracer_say("\"%.200s\": cannot make a file in this folder; tables are kept in memory, which a "
               "crash loses",
               spool_dir);
}

/* Gives all ranks the same random number. Of two ranks, each sends as many messages as the other:
 * after one message more in one direction, Open MPI 4.1 takes up to 0.15 us longer for each
 * MPI_Allreduce within a host. */
static bool agree_on_job(void)
{
  uint64_t own = 0;
  if (tracer.rank == 0 && getrandom(&own, sizeof own, GRND_NONBLOCK) < 0)
    own = clock_ns() ^ (uint64_t)getpid() << 40;
  return mpi.Allreduce(&own, &tracer.job, 1, mpi.uint64, mpi.sum, tracer.comm) == MPI_SUCCESS;
}

/* Lets the ranks of MPI_COMM_WORLD join. Processes that were spawned together are a job of their
 * own. */
static bool join(MPI_Comm everyone)
{
  MPI_Comm parent;
  int rank, ranks, level = MPI_THREAD_MULTIPLE;
  mpi.Comm_rank(everyone, &rank);
  mpi.Comm_size(everyone, &ranks);
  if (everyone == mpi.comm_world) mpi.Query_thread(&level); /* unknown for sessions */
  if (everyone == mpi.comm_world && mpi.Comm_get_parent(&parent) == MPI_SUCCESS)
    tracer.spawned = parent != mpi.comm_null;
  tracer.rank = (uint32_t)rank;
  tracer.ranks = (uint32_t)ranks;
  tracer.multiple = level == MPI_THREAD_MULTIPLE;
  if (ranks > 1 << 24 || mpi.Comm_dup(everyone, &tracer.comm) != MPI_SUCCESS) return false;
  mpi.Comm_set_errhandler(tracer.comm, mpi.errors_return);
  return agree_on_job();
}

static void fill_header(void)
{
  static const char *const times[] = {"1", "0", NULL};
  spool_header_t *h = region_header();
  h->version = SPOOL_VERSION;
  h->byte_order = SPOOL_BYTE_ORDER;
  h->job = tracer.job;
  h->rank = tracer.rank;
  h->ranks = tracer.ranks;
  h->pu = output_header_pu();
  h->command_bytes = output_header_command(h->command, sizeof h->command);
  h->created = (int64_t)time(NULL);
  h->no_times = tracer_word("BERTH_TRACE_TIMES", times) == 1;
  gethostname(h->host, sizeof h->host - 1);
  mpi_version(h->mpi, sizeof h->mpi);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  memcpy(h->magic, SPOOL_MAGIC, sizeof h->magic);
}

static void once_for_process(void)
{
  pthread_key_create(&exit_key, on_thread_exit);
  pthread_atfork(NULL, NULL, on_fork_child);
}

static void start(MPI_Comm everyone)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  clock_setup();
  clock_mark_t before = clock_mark();
  if (!join(everyone)) return;
  tracer.joined = true;
  output_trace_path(trace_path, sizeof trace_path);
  if (!output_spool_dir(spool_dir, sizeof spool_dir))
    tracer_say("the tables' folder has too long a name; tables are kept in memory");
  size_t limit = tracer_number("BERTH_TRACE_MEMORY", MAX_MEMORY, DEFAULT_MEMORY);
  if (limit < MIN_MEMORY) limit = MIN_MEMORY;
  if (!memory_region_open(spool_dir, tracer.job, tracer.rank, limit + FOR_TIMES, reserve_of(limit)))
    return;
  check_spool();
  if (tracer.rank == 0) interposed_report(tracer_say);
  fill_header();
  if (tracer.rank == 0) parameters_record();
  site_setup((int)tracer_number("BERTH_TRACE_SITES", MAX_DEPTH, DEFAULT_DEPTH));
  comm_setup();
  window_setup();
  type_layout_setup();
  phase_setup();
  pthread_once(&once, once_for_process);
  if (!register_thread()) return;
  phase_begin(tracer_self);
  tracer.begin = clock_mark();
  region_header()->ticks_per_s = clock_ticks_per_s(before, tracer.begin);
  region_header()->begin_tick = tracer.begin.ticks;
  if (!region_header()->no_times) core_wait_setup();
  atomic_store(&tracer.state, TRACER_ON);
}

bool tracer_start(MPI_Comm everyone)
{
  static atomic_flag started = ATOMIC_FLAG_INIT; /* Fortran's MPI_Init may have called C's */
  if (atomic_flag_test_and_set(&started)) return false;
  chain_own_begin();
  start(everyone);
  chain_own_end();
  return true;
}

static void close_header(void)
{
  spool_header_t *h = region_header();
  if (tracer_self) core_wait_outside(tracer_self);
  clock_mark_t end = clock_mark();
  h->ticks_per_s = clock_ticks_per_s(tracer.begin, end);
  h->end_tick = end.ticks;
  h->state = SPOOL_FINISHED;
}

static void finish(void)
{
  int on = TRACER_ON;
  bool recorded = atomic_compare_exchange_strong(&tracer.state, &on, TRACER_DONE);
  if (recorded) {
    segment_end(tracer_self, NULL);
    phase_end(tracer_self);
    close_header();
    window_cleanup();
    type_layout_cleanup();
    comm_cleanup();
  }
  tracer_self = NULL;
  if (!tracer.joined) return;
  tracer.joined = false;
  file_limit_t limit;
  file_limit_begin(&limit);
  bool written = write_trace(trace_path);
  file_limit_end(&limit);
  mpi.Comm_free(&tracer.comm);
  if (recorded) memory_region_close(!written);
}

void tracer_finish(void)
{
  chain_own_begin();
  finish();
  chain_own_end();
}

void tracer_abort(int code)
{
  if (atomic_load(&tracer.state) != TRACER_ON) return;
  spool_header_t *h = region_header(); /* several threads may be here */
  __atomic_store_n(&h->abort_code, code, __ATOMIC_RELAXED);
  __atomic_store_n(&h->state, SPOOL_ABORTED, __ATOMIC_RELAXED);
}
