/* SPDX-License-Identifier: BSD-3-Clause */
/* Automatic phases, from tables made by hand. */
#include "spool/assemble/assembly.h"

#include "assemble_images.h"
#include "image.h"

#include "harness.h"

enum { MOST_RANKS = 3, MOST_ENTRIES = 4 };

/* What a rank has: its segments, a letter for the class of each (A is 1; 0 is none; of those after
 * a | the order wasn't put down), and messages to rank 0 by class; those of '-' are of no class. */
typedef struct rank_case {
  const char *classes;
  struct {
    char class;
    uint64_t size, count;
  } sent[MOST_ENTRIES];
  uint32_t state;
  char counting;
} rank_case_t;

typedef struct segments_case {
  const char *name;
  int ranks;
  rank_case_t rank[MOST_RANKS];
  const char *expected; /* "phase x repeats: source size*count …" of each phase */
  const char *note;
} segments_case_t;

#define KNOWN_TO "automatic phases end with collective call "
#define REST_0   " of all ranks, as their tables were full; what follows is in phase 0"

static const segments_case_t cases[] = {
    {"all alike",
     2,
     {{"AABA", {{'A', 8, 6}, {'B', 9, 1}}}, {"AABA", {{'A', 7, 3}, {'B', 9, 5}}}},
     "1x3: 0 8*2, 1 7*1; 2x1: 0 9*1, 1 9*5",
     ""},
    {"a rank that knows no difference",
     2,
     {{"AAAA", {{'A', 8, 8}}}, {"AABA", {{'A', 7, 3}, {'B', 9, 5}}}},
     "1x3: 0 8*2, 1 7*1; 2x1: 0 8*2, 1 9*5",
     ""},
    {"its counts cannot be divided",
     2,
     {{"AAAA", {{'A', 8, 7}}}, {"AABA", {{'A', 7, 3}, {'B', 9, 5}}}},
     "1x1: 0 8*7, 1 7*3, 1 9*5",
     ""},
    {"its bytes can, all together repeat",
     2,
     {{"AAAA", {{'A', 8, 8}}}, {"AABB", {{'A', 7, 4}, {'B', 7, 4}}}},
     "1x2: 0 8*2, 1 7*2; 2x2: 0 8*2, 1 7*2",
     ""},
    {"each rank knows another difference",
     2,
     {{"AABB", {{'A', 8, 4}, {'B', 9, 2}}}, {"ABAB", {{'A', 7, 2}, {'B', 6, 6}}}},
     "1x1: 0 8*2, 1 7*1; 2x1: 0 8*2, 1 6*3; 3x1: 0 9*1, 1 7*1; 4x1: 0 9*1, 1 6*3",
     ""},
    {"counts that vary", 1, {{"ABABAB", {{'A', 8, 7}, {'B', 9, 3}}}}, "1x1: 0 8*7; 2x3: 0 9*1", ""},
    {"a phase without messages",
     2,
     {{"ABBA", {{'A', 8, 2}}}, {"ABBA", {{'A', 8, 2}}}},
     "1x2: 0 8*1, 1 8*1",
     ""},
    {"a rank without messages", 2, {{"ABBA", {{'A', 8, 2}}}, {"AAAA"}}, "1x2: 0 8*1", ""},
    {"one segment", 2, {{"A", {{'A', 8, 2}}}, {"A", {{'A', 9, 2}}}}, "0x1: 0 8*2, 1 9*2", ""},
    {"one phase that repeats", 1, {{"AAA", {{'A', 8, 3}}}}, "1x3: 0 8*1", ""},
    {"no segment", 1, {{"", {{'-', 8, 3}}}}, "0x1: 0 8*3", ""},
    {"cut off in a segment",
     2,
     {{"ABAB", {{'A', 8, 2}, {'B', 9, 2}, {'-', 8, 1}}}, {"ABAB", {{'A', 8, 2}, {'-', 7, 1}}}},
     "0x1: 0 8*1, 1 7*1; 1x2: 0 8*1, 1 8*1; 2x2: 0 9*1",
     ""},
    {"a rank came further",
     2,
     {{"ABABAC", {{'A', 8, 3}, {'B', 9, 2}, {'C', 5, 1}}}, {"ABAB", {{'A', 8, 2}, {'B', 7, 2}}}},
     "0x1: 0 5*1, 0 8*1; 1x2: 0 8*1, 1 8*1; 2x2: 0 9*1, 1 7*1",
     ""},
    {"a rank came further, with counts that vary",
     2,
     {{"ABA", {{'A', 8, 5}, {'B', 9, 1}}}, {"AB", {{'A', 8, 1}, {'B', 7, 1}}}},
     "1x1: 0 8*5, 1 8*1; 2x1: 0 9*1, 1 7*1",
     ""},
    {"died while it counted",
     1,
     {{"ABABA", {{'A', 8, 4}, {'A', 7, 6}, {'B', 9, 2}}, .counting = 'A'}},
     "0x1: 0 8*1; 1x3: 0 7*2, 0 8*1; 2x2: 0 9*1",
     ""},
    {"died while it counted a class for the first time",
     1,
     {{"AA", {{'A', 8, 2}, {'B', 7, 6}}, .counting = 'B'}},
     "0x1: 0 7*6; 1x2: 0 8*1",
     ""},
    {"too many classes at a rank",
     2,
     {{"AAB0", {{'A', 8, 2}, {'B', 9, 1}, {'-', 7, 3}}}, {"AABB", {{'A', 8, 2}, {'B', 9, 2}}}},
     "0x1: 0 7*3, 1 9*1; 1x2: 0 8*1, 1 8*1; 2x1: 0 9*1, 1 9*1",
     ""},
    {"told apart by the program, at one rank",
     2,
     {{"AABA", {{'A', 8, 6}, {'B', 9, 1}}},
      {"AABA", {{'A', 7, 3}, {'B', 9, 5}}, SPOOL_AUTO_PCONTROL}},
     "0x1: 0 8*6, 0 9*1, 1 7*3, 1 9*5",
     ""},
    {"threads",
     2,
     {{"AABA", {{'A', 8, 6}, {'B', 9, 1}}}, {"A", {{'A', 7, 3}}, SPOOL_AUTO_THREADS}},
     "0x1: 0 8*6, 0 9*1, 1 7*3",
     "no automatic phases: several threads of rank 1 make collective calls of all ranks"},
    {"too long to be put down, all alike",
     2,
     {{"AB|ABAC", {{'A', 8, 6}, {'B', 9, 2}, {'C', 5, 1}}},
      {"AB|ABAC", {{'A', 7, 3}, {'B', 6, 2}}}},
     "1x3: 0 8*2, 1 7*1; 2x2: 0 9*1, 1 6*1; 3x1: 0 5*1",
     ""},
    {"too long to be put down, different only later",
     2,
     {{"AB|ABAB", {{'A', 8, 6}, {'B', 9, 3}}}, {"AB|ABBA", {{'A', 7, 3}, {'B', 6, 3}}}},
     "0x1: 0 8*4, 0 9*2, 1 6*2, 1 7*2; 1x1: 0 8*2, 1 7*1; 2x1: 0 9*1, 1 6*1",
     KNOWN_TO "2" REST_0},
    {"too long to be put down, a rank that knows no difference",
     2,
     {{"AAAA|AA", {{'A', 8, 6}}}, {"AABB|AB", {{'A', 7, 3}, {'B', 6, 3}}}},
     "0x1: 0 8*2, 1 6*1, 1 7*1; 1x2: 0 8*1, 1 7*1; 2x2: 0 8*1, 1 6*1",
     KNOWN_TO "4" REST_0},
    {"no room",
     2,
     {{"ABAB", {{'A', 8, 2}, {'B', 9, 2}}},
      {"ABA", {{'A', 7, 2}, {'B', 9, 5}, {'-', 6, 1}}, SPOOL_AUTO_NO_ROOM}},
     "0x1: 0 9*1, 1 6*1; 1x2: 0 8*1, 1 7*1; 2x1: 0 9*1, 1 9*5",
     KNOWN_TO "3" REST_0},
    {"no room from the beginning",
     2,
     {{"AB", {{'A', 8, 1}, {'B', 9, 1}}}, {"", {{'-', 6, 1}}, SPOOL_AUTO_NO_ROOM}},
     "0x1: 0 8*1, 0 9*1, 1 6*1",
     "no automatic phases: their tables were full before the first collective call of all ranks; "
     "all "
     "is in phase 0"},
};

static void put_rank(image_t *image, const rank_case_t *c, uint32_t rank, uint32_t ranks,
                     size_t back)
{
  image_begin(image, rank, ranks);
  image_phase(image, 0, 1, SPOOL_ORDER_NONE);
  image_automatic(image, c->state, c->counting ? (uint32_t)(c->counting - 'A' + 1) : 0);
  image_segments(image, c->classes, back);
  spool_block_t *b = image_block(image, SPOOL_MESSAGES);
  for (size_t i = 0; i < MOST_ENTRIES; i++)
    if (c->sent[i].count) image_message(image, b, 0, 0, c->sent[i].size, c->sent[i].count);
  b = image_block(image, SPOOL_CLASS_MESSAGES);
  for (size_t i = 0; i < MOST_ENTRIES; i++)
    if (c->sent[i].count && c->sent[i].class != '-')
      image_message_in(image, b, (uint32_t)(c->sent[i].class - 'A' + 1), 0, c->sent[i].size,
                       c->sent[i].count);
}

static void phases_text(const berth_pattern_t *p, char *text, size_t size)
{
  size_t n, k, at = 0;
  const berth_phase_t *phases = berth_pattern_phases(p, &n);
  *text = '\0';
  for (size_t i = 0; i < n; i++) {
    at += (size_t)snprintf(text + at, size - at, "%s%dx%llu:", i ? "; " : "", phases[i].id,
                           (unsigned long long)phases[i].repeats);
    const berth_message_t *m = berth_pattern_messages(p, i, &k);
    for (size_t j = 0; j < k; j++)
      at += (size_t)snprintf(text + at, size - at, "%s %d %llu*%llu", j ? "," : "", m[j].src,
                             (unsigned long long)m[j].size, (unsigned long long)m[j].count);
  }
}

static void phases_are_what_every_rank_has_in_one_class(void **state)
{
  (void)state;
  static image_t image[MOST_RANKS];
  for (size_t i = 0; i < COUNT(cases); i++)
    for (size_t back = 0; back < 3; back++) {
      const segments_case_t *c = &cases[i];
      for (int r = 0; r < c->ranks; r++)
        put_rank(&image[r], &c->rank[r], (uint32_t)r, (uint32_t)c->ranks, back);
      char text[512];
      assembly_stats_t stats;
      berth_pattern_t *p = assemble(image, c->ranks, &stats);
      phases_text(p, text, sizeof text);
      if (strcmp(text, c->expected) || strcmp(stats.auto_note, c->note) || stats.total.impossible)
        FAIL_ROW(c->name, "%s, note \"%s\"", text, stats.auto_note);
      berth_pattern_free(p);
    }
}

static void phases_have_names_of_their_own(void **state)
{
  (void)state;
  static image_t image;
  const rank_case_t rank = {"ABA", {{'A', 8, 2}, {'B', 9, 1}, {'-', 7, 1}}};
  static const char *const names[] = {"rest", "phase 1", "phase 2"};
  size_t n;
  put_rank(&image, &rank, 0, 1, 0);
  berth_pattern_t *p = assemble(&image, 1, NULL);
  const berth_phase_t *phases = berth_pattern_phases(p, &n);
  assert_int_equal(n, COUNT(names));
  for (size_t i = 0; i < n; i++) assert_string_equal(phases[i].name, names[i]);
  berth_pattern_free(p);
}

/* A call that MPI refused was taken back from phase 0; threads that no class knows; a bin. */
static void phase_0_says_how_much_there_is(void **state)
{
  (void)state;
  static image_t image;
  assembly_stats_t stats;
  char text[256];
  size_t n;
  const rank_case_t rank = {"AABA", {{'A', 8, 6}, {'-', 8, 2}, {'B', 9, 1}}};
  put_rank(&image, &rank, 0, 1, 0);
  const spool_message_t bin = {spool_key(0, 0, 0) | SPOOL_BIN, 4096, 6, 60 | SPOOL_TOUCHED};
  image_add(&image, image_block(&image, SPOOL_MESSAGES), &bin, sizeof bin);
  const spool_message_t of_class = {spool_key(0, 1, 0) | SPOOL_BIN, 4096, 3, 30};
  image_add(&image, image_block(&image, SPOOL_CLASS_MESSAGES), &of_class, sizeof of_class);
  spool_coll_t call = {.root = -1, .bytes = 8, .count = 3, .op = 3, .name = "Allreduce"};
  call.flags = SPOOL_COLL_TOUCHED;
  image_add(&image, image_block(&image, SPOOL_COLLS), &call, sizeof call);
  call.phase = 1;
  call.count = 4;
  image_add(&image, image_block(&image, SPOOL_CLASS_COLLS), &call, sizeof call);
  berth_pattern_t *p = assemble(&image, 1, &stats);
  phases_text(p, text, sizeof text);
  /* of calls there are 3 in class A, which isn't more often than its segments */
  assert_string_equal(text, "0x1: 0 8*2, 0 4106*3; 1x3: 0 8*2, 0 4106*1; 2x1: 0 9*1");
  const berth_coll_t *calls = berth_pattern_colls(p, &n);
  assert_true(n == 1 && calls->phase == 1 && calls->count == 1);
  assert_int_equal(stats.total.messages, 15);
  assert_int_equal(stats.total.bytes, 8 * 8 + 9 + 6 * 4096 + 60);
  berth_pattern_free(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(phases_are_what_every_rank_has_in_one_class),
      cmocka_unit_test(phases_have_names_of_their_own),
      cmocka_unit_test(phase_0_says_how_much_there_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
