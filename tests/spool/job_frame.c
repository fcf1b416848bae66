/* SPDX-License-Identifier: BSD-3-Clause */
/* Random jobs of up to 40 ranks, some without tables: a team's frames are, put one after the other,
 * what one process writes. */
#include "spool/job_frame.h"

#include "assemble_images.h"

enum { SITES = 6, CLASSES = 4, STEPS = 12 };

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
  uint32_t class_of[STEPS];
} job_t;

static void put_segments(image_t *to, const job_t *job, uint32_t rank)
{
  uint64_t at[CLASSES + 1] = {0}, sum[CLASSES + 1] = {0};
  uint32_t merged = draw(3) ? 0 : draw(CLASSES), steps = draw(8) ? STEPS : STEPS - draw(3);
  image_automatic(to, rank == 3 && draw(9) == 0 ? SPOOL_AUTO_NO_ROOM : SPOOL_AUTO_KEPT, 0);
  spool_block_t *b = image_block(to, SPOOL_SEGMENTS);
  for (uint64_t i = 0; i < steps; i++) {
    uint32_t class = job->class_of[i] == merged ? 1 : job->class_of[i];
    const spool_segments_t run = {0, class, 1};
    image_add(to, b, &run, sizeof run);
    at[class]++;
    sum[class] += (i + 1) * (i + 1) * 0x9e3779b97f4a7c15u;
  }
  b = image_block(to, SPOOL_CLASSES);
  for (uint32_t i = 1; i <= CLASSES; i++) {
    const spool_class_t class = {.number = i, .times = at[i], .sum = sum[i]};
    if (at[i]) image_add(to, b, &class, sizeof class);
  }
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

/* Ranks begin phases of the program equally often, or not. */
static void put_phases(image_t *to, const job_t *job)
{
  image_phase(to, 0, 1, SPOOL_ORDER_NONE);
  for (uint32_t id = 1; id < 4 && !job->automatic; id++)
    if (draw(4)) image_phase(to, id, job->even && id < 3 ? 2 * id : 1 + draw(2), SPOOL_ORDER_KEPT);
  spool_block_t *b = image_block(to, SPOOL_SENDS);
  for (uint32_t i = draw(4); i > 0 && !job->automatic; i--) {
    const spool_send_t send = {draw(job->ranks), draw(4), 8, 1 + draw(2), draw(2), 0};
    image_add(to, b, &send, sizeof send);
  }
}

static void put_rank(image_t *to, const job_t *job, uint32_t rank)
{
  uint64_t offsets[SITES];
  image_begin(to, rank, job->ranks);
  sprintf(image_header(to)->host, "node%u", rank / 4);
  image_header(to)->missed = (spool_missed_t){draw(3), 0, 0, 0, 1, rank == 2, 0, draw(2)};
  for (int i = 0; i < SITES; i++) offsets[i] = 0x1000 + 16 * draw(SITES + 2);
  image_sites(to, "MPI_Isend", offsets, SITES);
  uint32_t other = (rank + 1) % job->ranks;
  image_comm(to, 1, 1000 + rank % 3, rank % 3 % job->ranks, other, draw(2));
  image_comm(to, 2, 7, 0, 1 % job->ranks, rank != 1);
  put_phases(to, job);
  if (job->automatic) put_segments(to, job, rank);
  put_messages(to, job);
  put_calls(to, job);
  put_operations(to, job);
  if (draw(2)) image_unmodelled(to, draw(2) ? "File_write" : "File_read", 1 + draw(5));
}

static void frames_are_the_file(void **state)
{
  (void)state;
  const char *rounds = getenv("BERTH_TEST_ROUNDS");
  int times = 60 * (rounds ? atoi(rounds) : 1);
  for (int round = 0; round < times; round++) {
    assembly_stats_t stats;
    seed = (uint64_t)round;
    job_t job = {
        .ranks = 1 + draw(round % 2 ? 6 : MOST_MEMBERS), .automatic = draw(2), .even = draw(3)};
    int n = 0;
    for (int i = 0; i < STEPS; i++)
      job.class_of[i] = i < CLASSES ? (uint32_t)i + 1 : 1 + draw(CLASSES);
    for (uint32_t rank = 0; rank < job.ranks; rank++)
      if (draw(8) || (n == 0 && rank + 1 == job.ranks)) put_rank(&image[n++], &job, rank);
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

/* Frames that go through the first rank. */
static out_file_t *collected;

static void run_collect(member_t *m)
{
  job_frame_t *frame = m->context;
  berth_error_t err = {0};
  out_file_t *out = m->team.rank ? NULL : collected;
  if (job_library()->collect(&m->team, frame, out, &err)) frame->n = 0;
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
                                     cmocka_unit_test(frames_can_go_through_the_first_rank)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
