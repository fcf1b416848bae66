/* SPDX-License-Identifier: BSD-3-Clause */
/* Random jobs of up to 40 ranks, some without tables: a team's frames are, put one after the other,
 * what one process writes. */
#include "spool/assemble/job_frame.h"

#include "assemble_images.h"

enum { SITES = 6, COMMON_SITES = 2, CLASSES = 4, STEPS = 12, MOST_CALLS = 6 };

static image_t image[MOST_MEMBERS];
static uint64_t seed;

static uint32_t draw(uint32_t n)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % n;
}

/* What a job's ranks have in common: how phases are told apart, and the class of each segment. */
typedef struct job {
  uint32_t ranks;
  bool automatic, even;
  bool apart;                /* occurrences make a call from two sites */
  bool alike;                /* all ranks give the same in some calls */
  bool told_apart, pcontrol; /* some ranks begin phases, or ask for it, beside automatic ones */
  bool unlike;               /* segments have too many parts */
  uint32_t class_of[STEPS];
} job_t;

static uint64_t segment_sum(uint64_t i) { return (i + 1) * (i + 1) * 0x9e3779b97f4a7c15u; }

static void put_classes(image_t *to, const uint64_t *at, const uint64_t *sum, uint32_t n)
{
  spool_block_t *b = image_block(to, SPOOL_CLASSES);
  for (uint32_t i = 0; i < n; i++) {
    const spool_class_t class = {.number = i, .times = at[i], .sum = sum[i]};
    if (at[i]) image_add(to, b, &class, sizeof class);
  }
}

/* A rank may know no difference between two classes, have none for the segments of one, have had
 * fewer segments than others, or room for the order of some alone. */
static void put_segments(image_t *to, const job_t *job, uint32_t rank)
{
  uint64_t at[CLASSES + 1] = {0}, sum[CLASSES + 1] = {0};
  uint32_t merged = draw(3) ? 0 : draw(CLASSES), none = draw(5) ? 0 : 2 + draw(CLASSES - 1);
  uint32_t steps = draw(8) ? STEPS : STEPS - draw(3);
  uint32_t in_order = rank && draw(5) == 0 ? steps - draw(3) : steps;
  spool_auto_state_t state = rank == 3 && draw(9) == 0 ? SPOOL_AUTO_NO_ROOM : SPOOL_AUTO_KEPT;
  if (job->pcontrol && draw(4) == 0) state = SPOOL_AUTO_PCONTROL;
  image_automatic(to, state, 0);
  spool_block_t *b = image_block(to, SPOOL_SEGMENTS);
  for (uint64_t i = 0; i < steps; i++) {
    uint32_t class = job->class_of[i] == merged ? 1 : job->class_of[i];
    if (class == none) class = 0;
    const spool_segments_t run = {0, class, 1};
    if (i < in_order) image_add(to, b, &run, sizeof run);
    at[class]++;
    sum[class] += segment_sum(i);
  }
  put_classes(to, at, sum, CLASSES + 1);
}

/* Classes that come again and again, with another period at some ranks, so that of some ranks
 * together there are too many parts. */
static void put_unlike_segments(image_t *to, uint32_t rank)
{
  enum { SEGMENTS = 4400, MOST = 68 };
  uint64_t at[MOST] = {0}, sum[MOST] = {0};
  uint32_t period = rank % 4 == 1 ? 67 : 64;
  image_automatic(to, SPOOL_AUTO_KEPT, 0);
  spool_block_t *b = image_block(to, SPOOL_SEGMENTS);
  for (uint32_t i = 0; i < period; i++) {
    const spool_segments_t run = {0, 1 + i, 1};
    image_add(to, b, &run, sizeof run);
  }
  const spool_segments_t again = {period, 0, SEGMENTS - period};
  image_add(to, b, &again, sizeof again);
  for (uint64_t i = 0; i < SEGMENTS; i++) {
    at[1 + i % period]++;
    sum[1 + i % period] += segment_sum(i);
  }
  put_classes(to, at, sum, MOST);
}

/* Counts that segments divide, or don't. */
static uint64_t some_count(const job_t *job)
{
  return job->even ? 27720 * (1 + draw(3)) : 1 + draw(99);
}

static void put_messages(image_t *to, const job_t *job)
{
  uint32_t n = draw(40);
  spool_block_t *b = image_block(to, SPOOL_MESSAGES);
  spool_message_t in_class[40];
  for (uint32_t i = 0; i < n; i++) {
    uint32_t dst = draw(job->ranks), site = draw(SITES + 1), phase = job->automatic ? 0 : draw(4);
    const spool_message_t m = {spool_key(dst, phase, site), 8 * i, some_count(job), 0};
    image_add(to, b, &m, sizeof m);
    in_class[i] = m;
    in_class[i].key = spool_key(dst, 1 + draw(CLASSES), site);
    in_class[i].count = job->even ? m.count : draw((uint32_t)m.count + 1);
  }
  b = image_block(to, SPOOL_CLASS_MESSAGES);
  for (uint32_t i = 0; i < n && job->automatic; i++)
    if (draw(2)) image_add(to, b, &in_class[i], sizeof *in_class);
}

static void put_calls(image_t *to, const job_t *job)
{
  spool_block_t *b = image_block(to, SPOOL_COLLS);
  for (uint32_t i = draw(9); i > 0; i--) {
    spool_coll_t c = {.comm = draw(3),
                      .root = (int32_t)draw(3) - 1,
                      .site = draw(SITES + 1),
                      .phase = job->automatic ? 0 : draw(4),
                      .bytes = draw(4),
                      .count = some_count(job),
                      .op = (uint16_t)draw(2)};
    c.flags = c.op ? SPOOL_COLL_VARIES : 0;
    if (job->ranks < 2) c.root = -1;
    strcpy(c.name, c.op ? "Allgatherv" : "Bcast");
    image_add(to, b, &c, sizeof c);
  }
}

/* Calls that send each rank another number of bytes, and what of them is of a class. */
typedef struct row_call {
  spool_coll_t coll;
  uint32_t class;
  uint64_t bytes[MOST_MEMBERS], in_class[MOST_MEMBERS];
} row_call_t;

static row_call_t draw_row_call(const job_t *job, uint32_t id)
{
  row_call_t r = {.class = 1 + draw(CLASSES)};
  uint64_t unit = job->even ? 27720 : 1, part = draw(3), most = job->even ? 2 : 1 + draw(2);
  uint32_t comm = job->ranks > 1 ? draw(3) : 0, places = comm ? 2 : job->ranks;
  r.coll = (spool_coll_t){.comm = comm,
                          .root = -1,
                          .site = 1 + draw(COMMON_SITES),
                          .phase = job->automatic ? 0 : draw(4),
                          .count = most * unit,
                          .id = id,
                          .flags = SPOOL_COLL_VARIES | SPOOL_COLL_PARTS | SPOOL_COLL_ROWS};
  strcpy(r.coll.name, "Alltoallv");
  for (uint32_t i = 0; i < places; i++) {
    r.bytes[i] = draw(3) ? 2 * unit * draw(5) : 0;
    r.in_class[i] = r.bytes[i] / 2 * part;
    r.coll.given += r.bytes[i];
  }
  if (!part) r.class = 0;
  return r;
}

/* The first occurrence makes a call from one site, the others from another. */
static uint32_t draw_apart(const job_t *job, row_call_t *r)
{
  r[0] = draw_row_call(job, 1);
  r[0].coll.comm = 0;
  r[0].coll.phase = 2;
  r[1] = r[0];
  r[1].coll.id = 2;
  r[0].coll.site = 1;
  r[1].coll.site = 2;
  r[0].coll.count = 1;
  r[1].coll.count = 27719;
  return 2;
}

/* All ranks give the same. */
static row_call_t alike(const job_t *job, uint32_t id)
{
  row_call_t r = {.coll = {.root = -1,
                           .site = 1,
                           .count = 27720,
                           .given = 3 * 27720 * job->ranks,
                           .id = id,
                           .flags = SPOOL_COLL_VARIES | SPOOL_COLL_PARTS | SPOOL_COLL_ROWS}};
  strcpy(r.coll.name, "Alltoallw");
  for (uint32_t i = 0; i < job->ranks; i++) r.bytes[i] = 3 * 27720;
  return r;
}

/* Records, and what they sent to each; some lack something. */
static void put_row_calls(image_t *to, row_call_t *r, uint32_t n, bool classes)
{
  spool_block_t *b = image_block(to, classes ? SPOOL_CLASS_COLLS : SPOOL_COLLS);
  for (uint32_t i = 0; i < n; i++) {
    spool_coll_t c = r[i].coll;
    if (classes && !r[i].class) continue;
    if (classes) c.given = 0, c.phase = r[i].class;
    for (uint32_t k = 0; k < MOST_MEMBERS && classes; k++) c.given += r[i].in_class[k];
    if (classes && c.given < r[i].coll.given && c.count > 1) c.count /= 2;
    image_add(to, b, &c, sizeof c);
  }
  b = image_block(to, classes ? SPOOL_CLASS_ROWS : SPOOL_ROWS);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < MOST_MEMBERS; k++) {
      uint64_t bytes = classes ? r[i].in_class[k] : r[i].bytes[k];
      if (bytes && (!classes || r[i].class) && draw(200))
        image_row(to, b, i + 1, classes ? r[i].class : 0, k, bytes);
    }
}

static void put_rows(image_t *to, const job_t *job)
{
  row_call_t r[MOST_CALLS];
  uint32_t n = job->apart ? draw_apart(job, r) : 0, end = n + draw(MOST_CALLS - 1);
  for (; n < end && n < MOST_CALLS - 1; n++) r[n] = draw_row_call(job, n + 1);
  if (job->alike) r[n] = alike(job, n + 1), n++;
  put_row_calls(to, r, n, false);
  if (job->automatic) put_row_calls(to, r, n, true);
}

static void put_operations(image_t *to, const job_t *job)
{
  const spool_window_t windows[] = {{.id = 1, .number = draw(3)}, {.id = 2, .comm = 1 + draw(2)}};
  image_add(to, image_block(to, SPOOL_WINDOWS), windows, sizeof windows);
  for (uint32_t i = 1; i < 1 + draw(4); i++) {
    const spool_rma_t line = {.id = i,
                              .window = 1 + draw(2),
                              .site = draw(SITES + 1),
                              .phase = job->automatic ? 0 : draw(4),
                              .epochs = some_count(job),
                              .target = -1,
                              .sync = SPOOL_SYNC_FENCE};
    image_rma(to, line, draw(job->ranks), 8, some_count(job));
  }
}

/* Ranks begin phases of the program equally often, or not; one at least begins each. */
static void put_phases(image_t *to, const job_t *job, bool all)
{
  image_phase(to, 0, 1, SPOOL_ORDER_NONE);
  if (job->told_apart && !all && draw(4) == 0) image_phase(to, 1, 1, SPOOL_ORDER_NONE);
  for (uint32_t id = 1; id < 4 && !job->automatic; id++)
    if (draw(4) || all)
      image_phase(to, id, job->even && id < 3 ? 2 * id : 1 + draw(2), SPOOL_ORDER_KEPT);
  spool_block_t *b = image_block(to, SPOOL_STEPS);
  for (uint32_t i = draw(9); i > 0 && !job->automatic; i--) {
    static const uint16_t kinds[] = {SPOOL_STEP_RECEIVE, SPOOL_STEP_POSTED, SPOOL_STEP_MEET,
                                     SPOOL_STEP_FROM_ROOT};
    uint16_t kind = draw(3) ? kinds[draw(4)] : SPOOL_STEP_SEND;
    spool_step_t step = {.phase = draw(4), .kind = kind, .times = 1 + draw(2)};
    step.peer = draw(kind >= SPOOL_STEP_MEET ? 3 : job->ranks);
    if (kind == SPOOL_STEP_SEND) step.size = 8, step.mode = (uint16_t)draw(4);
    image_add(to, b, &step, sizeof step);
  }
}

/* One thread's count; another's don't. */
static void put_times(image_t *to)
{
  static const char *const names[] = {"Waitall", "Bcast", "Barrier"};
  const spool_thread_t threads[] = {{.mpi_ticks = 200, .id = 1}, {.mpi_ticks = 300, .id = 2}};
  spool_block_t *b = image_block(to, SPOOL_THREADS);
  for (size_t i = 0; i < COUNT(threads); i++) image_add(to, b, &threads[i], sizeof *threads);
  for (uint32_t i = draw(4); i > 0; i--) {
    uint32_t op = draw(COUNT(names));
    image_spent(to, names[op],
                (spool_spent_t){.ticks = draw(100),
                                .thread = 1 + draw(3) % 2,
                                .comm = op ? draw(3) : SPOOL_NO_COMM,
                                .site = draw(2) ? 1 + draw(SITES) : 0});
  }
}

/* Layouts of messages, a few of them equal, as those of threads are. */
static void put_packed(image_t *to)
{
  spool_block_t *b = image_block(to, SPOOL_PACKED);
  for (uint32_t i = draw(6); i > 0; i--) {
    const spool_packed_t x = {.site = draw(2) ? 1 + draw(SITES) : 0,
                              .receives = draw(2),
                              .size = 8,
                              .pieces = 2 + draw(2),
                              .span = 9,
                              .count = draw(5)};
    image_add(to, b, &x, sizeof x);
  }
}

static void put_rank(image_t *to, const job_t *job, uint32_t rank, bool first)
{
  uint64_t offsets[SITES];
  image_begin(to, rank, job->ranks);
  sprintf(image_header(to)->host, "node%u", rank / 4);
  image_header(to)->missed = (spool_missed_t){draw(3), 0, 0, 0, 1, rank == 2, 0, draw(2)};
  for (uint32_t i = 0; i < SITES; i++)
    offsets[i] = 0x1000 + 16 * (i < COMMON_SITES ? i : draw(SITES + 2));
  image_sites(to, "MPI_Isend", offsets, SITES);
  uint32_t other = (rank + 1) % job->ranks;
  image_comm(to, 1, 1000 + rank % 3, rank % 3 % job->ranks, other, draw(2));
  image_comm(to, 2, 7, 0, 1 % job->ranks, rank != 1);
  put_phases(to, job, first);
  if (job->unlike) put_unlike_segments(to, rank);
  if (job->automatic && !job->unlike) put_segments(to, job, rank);
  put_messages(to, job);
  put_calls(to, job);
  put_rows(to, job);
  put_operations(to, job);
  put_times(to);
  put_packed(to);
  if (draw(2)) image_unmodelled(to, draw(2) ? "File_write" : "File_read", 1 + draw(5));
}

static void frames_are_the_file(void **state)
{
  (void)state;
  const int times = rounds_of(60);
  for (int round = 0; round < times; round++) {
    assembly_stats_t stats;
    seed = (uint64_t)round;
    int kind = round % 9;
    job_t job = {.ranks = 1 + draw(round % 2 ? 6 : MOST_MEMBERS),
                 .automatic = kind < 3 || draw(2),
                 .even = draw(3),
                 .told_apart = kind == 0,
                 .pcontrol = kind == 1,
                 .unlike = kind == 2};
    job.apart = job.even && !job.automatic && draw(2);
    job.alike = draw(2);
    int n = 0;
    for (int i = 0; i < STEPS; i++)
      job.class_of[i] = i < CLASSES ? (uint32_t)i + 1 : 1 + draw(CLASSES);
    for (uint32_t rank = 0; rank < job.ranks; rank++)
      if (draw(8) || (n == 0 && rank + 1 == job.ranks)) {
        put_rank(&image[n], &job, rank, n == 0);
        n++;
      }
    berth_pattern_free(assemble(image, n, &stats));
  }
}

/* One rank's failure is that of all, whatever it is. */
static void all_fail_together(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    int ranks, broken; /* -1: no rank has a table */
    const char *text;
  } cases[] = {
      {"alone", 1, 0, "rank 0: "},
      {"the first", 5, 0, "rank 0: "},
      {"one in the middle", 20, 9, "rank 9: "},
      {"the last", 18, 17, "rank 17: "},
      {"no table", 3, -1, "found no rank's table"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    static together_t t[MOST_MEMBERS];
    void *contexts[MOST_MEMBERS];
    int n = cases[i].ranks;
    memset(t, 0, sizeof t);
    for (int r = 0; r < n; r++) {
      image_begin(&image[r], (uint32_t)r, (uint32_t)n);
      if (cases[i].broken >= 0) t[r].image = &image[r];
      if (r == cases[i].broken) image_header(&image[r])->version = 0;
      contexts[r] = &t[r];
    }
    run_team((uint32_t)n, run_together, contexts);
    for (int r = 0; r < n; r++)
      if (!t[r].rc || t[r].frame.bytes ||
          strncmp(t[r].err.text, cases[i].text, strlen(cases[i].text)))
        FAIL_ROW(cases[i].name, "rank %d: %d '%s'", r, t[r].rc, t[r].err.text);
  }
}

/* Each rank sends each another number of bytes at some call sites. */
static void put_squared(image_t *to, uint32_t rank, uint32_t ranks, uint32_t sites)
{
  uint64_t offsets[32];
  image_begin(to, rank, ranks);
  for (uint32_t i = 0; i < sites; i++) offsets[i] = 0x1000 + 16 * i;
  image_sites(to, "MPI_Alltoallv", offsets, (int)sites);
  spool_block_t *b = image_block(to, SPOOL_COLLS);
  for (uint32_t i = 1; i <= sites; i++) {
    spool_coll_t c = {.root = -1, .site = i, .count = 1, .id = i, .flags = SPOOL_COLL_VARIES};
    c.flags |= SPOOL_COLL_PARTS | SPOOL_COLL_ROWS;
    strcpy(c.name, "Alltoallv");
    for (uint32_t k = 0; k < ranks; k++) c.given += 1 + (31 * rank + 17 * k + i) % 97;
    image_add(to, b, &c, sizeof c);
  }
  b = image_block(to, SPOOL_ROWS);
  for (uint32_t i = 1; i <= sites; i++)
    for (uint32_t k = 0; k < ranks; k++)
      image_row(to, b, i, 0, k, 1 + (31 * rank + 17 * k + i) % 97);
}

static void run_measured(member_t *m)
{
  together_t *t = m->context;
  run_together(m);
  t->largest = m->largest;
}

/* Rows are as many as ranks squared, and stay with their ranks: nobody is sent more than some bytes
 * for each rank and call. */
static void rows_stay_with_their_ranks(void **state)
{
  (void)state;
  enum { RANKS = 32, CALLS = 20 };
  static together_t t[RANKS];
  void *contexts[RANKS];
  for (uint32_t r = 0; r < RANKS; r++) {
    put_squared(&image[r], r, RANKS, CALLS);
    t[r].image = &image[r];
    contexts[r] = &t[r];
  }
  run_team(RANKS, run_measured, contexts);
  for (uint32_t r = 0; r < RANKS; r++) {
    if (t[r].rc) fail_msg("rank %u: %s", r, t[r].err.text);
    if (t[r].largest > 32 * RANKS * CALLS)
      fail_msg("rank %u received %zu bytes at once", r, t[r].largest);
    frame_library()->free(&t[r].frame);
  }
  assert_int_equal(t[0].stats.total.rows_lost, 0);
}

/* Frames that go through the first rank. */
static out_file_t *collected;

static void run_collect(member_t *m)
{
  job_frame_t *frame = m->context;
  berth_error_t err = {0};
  out_file_t *out = m->team.rank ? NULL : collected;
  if (frame_library()->collect(&m->team, frame, out, &err)) frame->n = 0;
}

static void frames_can_go_through_the_first_rank(void **state)
{
  (void)state;
  static const struct {
    uint32_t ranks, group;
    const char *text;
  } cases[] = {{1, 16, "0 "}, {16, 16, "0 "}, {17, 16, "0 16 "}, {40, 16, "0 16 32 "}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    static char bytes[MOST_MEMBERS][8];
    static job_frame_t frame[MOST_MEMBERS];
    void *contexts[MOST_MEMBERS];
    char *text = NULL;
    size_t n;
    for (uint32_t r = 0; r < cases[i].ranks; r++) {
      frame[r] = (job_frame_t){.group = cases[i].group};
      if (r % cases[i].group == 0)
        frame[r].n = (size_t)sprintf(frame[r].bytes = bytes[r], "%u ", r);
      contexts[r] = &frame[r];
    }
    collected = out_open_memory(&text, &n, NULL);
    run_team(cases[i].ranks, run_collect, contexts);
    assert_int_equal(out_commit(collected, NULL), BERTH_OK);
    assert_string_equal(text, cases[i].text);
    free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(frames_are_the_file),
                                     cmocka_unit_test(all_fail_together),
                                     cmocka_unit_test(rows_stay_with_their_ranks),
                                     cmocka_unit_test(frames_can_go_through_the_first_rank)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
