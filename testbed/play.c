/* SPDX-License-Identifier: BSD-3-Clause */
/* play: an MPI program that sends what a pattern file says, and times it. README.md beside it tells
 * how phases, repeats, orders and binned sizes are played.
 *
 * Rank 0 reads the file and broadcasts it, so that the other hosts need not have it. There are no
 * mutable globals: under SMPI all ranks live in one process. */
#include <berth/pattern.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 7, BROADCAST_AT_ONCE = 1 << 20 };

static const char usage[] =
    "usage: play [OPTION]… PATTERN\n"
    "Plays a pattern (.acp): in each phase every rank posts an MPI_Irecv for every message to it,\n"
    "an MPI_Isend for every message of its own, and waits for all of them. Where the pattern has\n"
    "the order of a rank's sends and of nothing else, it sends in that order, and by MPI_Send what\n"
    "blocks. Prints for every repetition the seconds that one iteration took: the time of its loop\n"
    "on the slowest rank, divided by the iterations. Start it with as many ranks as the pattern\n"
    "has.\n"
    "\n"
    "  --iterations N    times that the whole pattern is played in a repetition (default 10)\n"
    "  --repetitions N   timed loops (default 1)\n"
    "  --warm-up N       times that it is played before the first of them (default 1)\n"
    "  --no-barrier      start a phase when this rank is ready; otherwise a phase starts on all\n"
    "                    ranks when it has ended on all, which is what the models price\n";

typedef struct options {
  const char *pattern;
  int iterations, repetitions, warm_up;
  bool no_barrier, help;
} options_t;

/* Messages of one size in a row, as they are broadcast: all numbers of one type. */
typedef struct entry {
  int64_t dst, count, bytes, blocking; /* bytes of all of them */
} entry_t;

/* What a rank sends in a phase: n entries from `first` on, so many rounds. */
typedef struct part {
  int64_t phase, src, rounds, first, n; /* phase: its place in the order of play */
} part_t;

/* The pattern as every rank gets it. */
typedef struct score {
  int64_t code, ranks, n_phases, n_parts, n_entries;
  int64_t *repeats;
  part_t *parts; /* by phase and source */
  entry_t *entries;
} score_t;

/* One message of this rank, and where in the payload it lies. */
typedef struct transfer {
  int peer, bytes;
  size_t offset;
  bool blocking;
} transfer_t;

/* What this rank does in one phase: receives first, then sends. */
typedef struct step {
  int64_t repeats;
  transfer_t *transfers;
  int n_receives, n;
} step_t;

typedef struct player {
  step_t *steps;
  int64_t n_steps;
  bool barrier;   /* before each phase */
  char *in, *out; /* payload; the phases share it */
  MPI_Request *requests;
} player_t;

/* --- reading ---------------------------------------------------------------------------------- */

/* Reads a whole number of at least `low`; false when the text is something else. */
static bool read_count(const char *text, int low, int *value)
{
  char *end;
  errno = 0;
  long number = strtol(text, &end, 10);
  if (errno || end == text || *end || number < low || number > 1000000000) return false;
  *value = (int)number;
  return true;
}

static int read_options(int argc, char **argv, options_t *o, berth_error_t *err)
{
  static const struct option known[] = {{"iterations", required_argument, NULL, 'i'},
                                        {"repetitions", required_argument, NULL, 'r'},
                                        {"warm-up", required_argument, NULL, 'w'},
                                        {"no-barrier", no_argument, NULL, 'n'},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  int key;
  opterr = 0;
  while ((key = getopt_long(argc, argv, "", known, NULL)) != -1) {
    if (key == 'h') return o->help = true, BERTH_OK;
    if (key == 'n') {
      o->no_barrier = true;
      continue;
    }
    int *value = key == 'i' ? &o->iterations : key == 'r' ? &o->repetitions : &o->warm_up;
    if (key == '?')
      return berth_fail(err, BERTH_USAGE, "option '%s'; see play --help", argv[optind - 1]);
    if (!read_count(optarg, key != 'w', value))
      return berth_fail(err, BERTH_USAGE, "'%s', expected a number of times; see play --help",
                        optarg);
  }
  if (argc - optind != 1)
    return berth_fail(err, BERTH_USAGE, "expected one pattern, found %d names; see play --help",
                      argc - optind);
  o->pattern = argv[optind];
  return BERTH_OK;
}

/* A message is one MPI call, whose count is an int. */
static int check_message(const char *name, const berth_message_t *m, berth_error_t *err)
{
  uint64_t largest = m->count ? m->bytes / m->count + (m->bytes % m->count != 0) : 0;
  if (m->size > largest) largest = m->size; /* an order sends binned messages as that */
  if (largest <= INT_MAX) return BERTH_OK;
  return berth_fail(err, BERTH_BAD_INPUT, "%s: a message of %llu bytes from %d to %d, at most %d",
                    name, (unsigned long long)largest, m->src, m->dst, INT_MAX);
}

/* The messages of one rank in a phase, in the order in which berth lists them. */
static int copy_messages(score_t *score, const berth_message_t *m, size_t n, const char *name,
                         berth_error_t *err)
{
  for (size_t i = 0; i < n; i++, m++) {
    if (check_message(name, m, err)) return err->code;
    score->entries[score->n_entries++] =
        (entry_t){m->dst, (int64_t)m->count, (int64_t)m->bytes, false};
  }
  return BERTH_OK;
}

/* The same in the order in which the rank sent them. */
static void copy_order(score_t *score, const berth_order_t *order)
{
  for (size_t i = 0; i < order->n_steps; i++) {
    const berth_step_t *s = &order->steps[i];
    score->entries[score->n_entries++] = (entry_t){
        s->peer, (int64_t)s->times, (int64_t)(s->times * s->size), s->mode & BERTH_SEND_BLOCKS};
  }
}

static bool is_sends_only(const berth_order_t *order)
{
  for (size_t i = 0; i < order->n_steps; i++)
    if (order->steps[i].kind != BERTH_STEP_SEND) return false;
  return true;
}

/* Messages of the source that those at m are of; orders are sorted like messages. An order that
 * also says what the rank waits for isn't followed. */
static int copy_part(score_t *score, int64_t phase, const berth_message_t *m, size_t n,
                     const berth_order_t *order, const char *name, berth_error_t *err)
{
  part_t *part = &score->parts[score->n_parts++];
  if (order && !is_sends_only(order)) order = NULL;
  *part = (part_t){phase, m->src, order ? (int64_t)order->rounds : 1, score->n_entries, 0};
  int64_t first = score->n_entries;
  int rc = copy_messages(score, m, n, name, err); /* checks them in any case */
  if (!rc && order) {
    score->n_entries = first;
    copy_order(score, order);
  }
  part->n = score->n_entries - first;
  return rc;
}

static int copy_parts(score_t *score, const berth_pattern_t *p, const char *name,
                      berth_error_t *err)
{
  size_t n, n_orders, n_phases;
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  const berth_order_t *o = berth_pattern_orders(p, &n_orders);
  for (size_t phase = 0; phase < n_phases; phase++) {
    const berth_message_t *m = berth_pattern_messages(p, phase, &n);
    int id = phases[phase].id;
    score->repeats[phase] = (int64_t)phases[phase].repeats;
    for (size_t i = 0, end; i < n; i = end) {
      for (end = i; end < n && m[end].src == m[i].src;) end++;
      for (; n_orders && (o->phase < id || (o->phase == id && o->src < m[i].src)); o++) n_orders--;
      const berth_order_t *order = n_orders && o->phase == id && o->src == m[i].src ? o : NULL;
      if (copy_part(score, (int64_t)phase, m + i, end - i, order, name, err)) return err->code;
    }
  }
  return BERTH_OK;
}

static int allocate_score(score_t *score)
{
  score->repeats = calloc((size_t)score->n_phases + 1, sizeof *score->repeats);
  score->parts = calloc((size_t)score->n_parts + 1, sizeof *score->parts);
  score->entries = calloc((size_t)score->n_entries + 1, sizeof *score->entries);
  return score->repeats && score->parts && score->entries ? BERTH_OK : BERTH_MISSING;
}

/* Allocates as much as the pattern can need, and copies it. */
static int copy_score(score_t *score, const berth_pattern_t *p, const char *name,
                      berth_error_t *err)
{
  size_t n_phases, n;
  berth_pattern_phases(p, &n_phases);
  score->n_phases = (int64_t)n_phases;
  for (size_t i = 0; i < n_phases; i++) {
    berth_pattern_messages(p, i, &n);
    score->n_entries += (int64_t)n;
  }
  score->n_parts = score->n_entries;
  const berth_order_t *orders = berth_pattern_orders(p, &n);
  for (size_t i = 0; i < n; i++) score->n_entries += (int64_t)orders[i].n_steps;
  if (allocate_score(score)) return berth_fail(err, BERTH_MISSING, "%s: not enough memory", name);
  score->n_parts = score->n_entries = 0;
  return copy_parts(score, p, name, err);
}

static int read_score(score_t *score, const char *name, int ranks, berth_error_t *err)
{
  size_t n_colls, n_rmas;
  berth_pattern_t *p = berth_pattern_load(name, BERTH_PATTERN_STRICT, err);
  if (!p) return err->code;
  score->ranks = berth_pattern_ranks(p);
  if (score->ranks != ranks)
    berth_fail(err, BERTH_BAD_INPUT, "%s: a pattern of %d ranks, started with %d", name,
               (int)score->ranks, ranks);
  else
    copy_score(score, p, name, err);
  berth_pattern_colls(p, &n_colls);
  berth_pattern_rmas(p, &n_rmas);
  if (!err->code && n_colls + n_rmas > 0)
    fprintf(stderr, "play: %s: collective and one-sided operations are left out\n", name);
  berth_pattern_free(p);
  return err->code;
}

/* Broadcasts from rank 0, in parts that an int can count. */
static void broadcast(int64_t *numbers, int64_t n)
{
  for (int64_t done = 0; done < n; done += BROADCAST_AT_ONCE) {
    int64_t part = n - done < BROADCAST_AT_ONCE ? n - done : BROADCAST_AT_ONCE;
    MPI_Bcast(numbers + done, (int)part, MPI_INT64_T, 0, MPI_COMM_WORLD);
  }
}

static void no_memory(void)
{
  fputs("play: not enough memory\n", stderr);
  MPI_Abort(MPI_COMM_WORLD, BERTH_MISSING);
}

/* Gives every rank what rank 0 has read, or the code of its failure. */
static int share_score(score_t *score, int me)
{
  broadcast(&score->code, 5); /* code, ranks, n_phases, n_parts, n_entries */
  if (score->code) return (int)score->code;
  if (me != 0 && allocate_score(score)) no_memory();
  broadcast(score->repeats, score->n_phases);
  broadcast(&score->parts->phase, score->n_parts * (int64_t)(sizeof(part_t) / 8));
  broadcast(&score->entries->dst, score->n_entries * (int64_t)(sizeof(entry_t) / 8));
  return BERTH_OK;
}

/* --- playing ---------------------------------------------------------------------------------- */

/* Bytes of the k-th of an entry's messages. Where sizes were binned they differ by one byte at
 * most, and add up to what the entry holds. */
static int message_bytes(const entry_t *e, int64_t k)
{
  return (int)(e->bytes / e->count + (k < e->bytes % e->count));
}

/* Adds an entry's messages with a peer, behind what lies below `offset`, and returns where they
 * end. */
static size_t add_entry(step_t *step, const entry_t *e, int64_t peer, size_t offset)
{
  for (int64_t k = 0; k < e->count; k++) {
    int bytes = message_bytes(e, k);
    step->transfers[step->n++] = (transfer_t){(int)peer, bytes, offset, e->blocking};
    offset += (size_t)bytes;
  }
  return offset;
}

/* Adds this rank's messages of a phase, receives or sends, and returns their bytes. Both sides of a
 * pair walk the entries in the same order, so that its messages match one by one. */
static size_t add_transfers(step_t *step, const score_t *score, int64_t phase, int me, bool sends)
{
  size_t offset = 0;
  for (const part_t *p = score->parts; p < score->parts + score->n_parts; p++) {
    if (p->phase != phase || (sends && p->src != me)) continue;
    for (int64_t round = 0; round < p->rounds; round++)
      for (const entry_t *e = score->entries + p->first; e < score->entries + p->first + p->n; e++)
        if (sends || e->dst == me) offset = add_entry(step, e, sends ? e->dst : p->src, offset);
  }
  return offset;
}

/* How many messages this rank sends and gets in a phase; INT_MAX or more where they are too many.
 */
static int64_t count_transfers(const score_t *score, int64_t phase, int me)
{
  int64_t n = 0;
  for (const part_t *p = score->parts; p < score->parts + score->n_parts; p++)
    for (int64_t i = p->first; p->phase == phase && i < p->first + p->n && n < INT_MAX; i++)
      n += p->rounds * score->entries[i].count * ((p->src == me) + (score->entries[i].dst == me));
  return n;
}

/* Works out what this rank does in each phase. */
static player_t make_player(const score_t *score, bool barrier, int me)
{
  player_t player = {.steps = calloc((size_t)score->n_phases + 1, sizeof(step_t)),
                     .n_steps = score->n_phases,
                     .barrier = barrier};
  size_t in = 0, out = 0, most = 0;
  if (!player.steps) no_memory();
  for (int64_t phase = 0; phase < score->n_phases; phase++) {
    step_t *step = &player.steps[phase];
    int64_t n = count_transfers(score, phase, me);
    step->repeats = score->repeats[phase];
    step->transfers = n < INT_MAX ? calloc((size_t)n + 1, sizeof(transfer_t)) : NULL;
    if (!step->transfers) no_memory();
    size_t bytes = add_transfers(step, score, phase, me, false);
    if (bytes > in) in = bytes;
    step->n_receives = step->n;
    bytes = add_transfers(step, score, phase, me, true);
    if (bytes > out) out = bytes;
    if ((size_t)n > most) most = (size_t)n;
  }
  player.in = calloc(in + 1, 1);
  player.out = calloc(out + 1, 1);
  player.requests = calloc(most + 1, sizeof(MPI_Request));
  if (!player.in || !player.out || !player.requests) no_memory();
  return player;
}

static void free_player(player_t *player)
{
  for (int64_t i = 0; i < player->n_steps; i++) free(player->steps[i].transfers);
  free(player->steps);
  free(player->in);
  free(player->out);
  free(player->requests);
}

static void play_step(const player_t *player, const step_t *step)
{
  MPI_Request *requests = player->requests;
  const transfer_t *t = step->transfers;
  if (player->barrier) MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < step->n_receives; i++)
    MPI_Irecv(player->in + t[i].offset, t[i].bytes, MPI_BYTE, t[i].peer, TAG, MPI_COMM_WORLD,
              &requests[i]);
  int n = step->n_receives;
  for (int i = step->n_receives; i < step->n; i++) {
    const char *from = player->out + t[i].offset;
    if (t[i].blocking)
      MPI_Send(from, t[i].bytes, MPI_BYTE, t[i].peer, TAG, MPI_COMM_WORLD);
    else
      MPI_Isend(from, t[i].bytes, MPI_BYTE, t[i].peer, TAG, MPI_COMM_WORLD, &requests[n++]);
  }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static void play(const player_t *player, int iterations)
{
  for (int i = 0; i < iterations; i++)
    for (int64_t s = 0; s < player->n_steps; s++)
      for (int64_t k = 0; k < player->steps[s].repeats; k++) play_step(player, &player->steps[s]);
}

/* Plays and returns the seconds of an iteration on the slowest rank (at rank 0). */
static double play_timed(const player_t *player, int iterations)
{
  double slowest = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  play(player, iterations);
  double seconds = (MPI_Wtime() - begin) / iterations;
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return slowest;
}

static void perform(const options_t *o, const score_t *score, int me)
{
  player_t player = make_player(score, !o->no_barrier, me);
  play(&player, o->warm_up);
  for (int i = 0; i < o->repetitions; i++) {
    double seconds = play_timed(&player, o->iterations);
    if (me == 0) printf("%.6f seconds per iteration\n", seconds);
    if (me == 0) fflush(stdout);
  }
  free_player(&player);
}

int main(int argc, char **argv)
{
  int me, ranks;
  options_t o = {.iterations = 10, .repetitions = 1, .warm_up = 1};
  score_t score = {0};
  berth_error_t err = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int code = read_options(argc, argv, &o, &err);
  if (!code && !o.help && me == 0) score.code = read_score(&score, o.pattern, ranks, &err);
  if (me == 0 && err.code) fprintf(stderr, "play: %s\n", err.text);
  if (me == 0 && o.help) fputs(usage, stdout);
  if (!code && !o.help) {
    code = share_score(&score, me);
    if (!code) perform(&o, &score, me);
  }
  free(score.repeats);
  free(score.parts);
  free(score.entries);
  MPI_Finalize();
  return code;
}
