/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective calls of which each rank has a part of its own, from tables made by hand. */
#include "spool/assemble/assembly.h"

#include "assemble_images.h"
#include "image.h"

#include "harness.h"

enum { RANKS = 3, MOST_CALLS = 4, MOST_ITEMS = 5 };

/* Calls of a rank: on communicator 1 (ranks 2 and 0, in that order) or 0. Those of '-' are all, and
 * those of A, B, … what of them is of such segments. */
typedef struct calls_case {
  char class;
  uint32_t comm, phase;
  const char *op;
  uint16_t flags;
  uint64_t bytes, count, given;
  uint64_t row[MOST_ITEMS];
  uint32_t site;
} calls_case_t;

typedef struct rank_case {
  const char *classes; /* NULL: no automatic phases */
  calls_case_t calls[MOST_CALLS];
} rank_case_t;

static const struct {
  const char *name;
  rank_case_t rank[RANKS];
  const char
      *expected; /* phase OP/communicator COUNTxBYTES parts and rows, as they stand in files */
  uint64_t rows_lost, rows_undivided;
} cases[] = {
    {"alike",
     {{NULL, {{'-', 0, 0, "Gatherv", 3, 0, 2, 16}}},
      {NULL, {{'-', 0, 0, "Gatherv", 3, 0, 2, 16}}},
      {NULL, {{'-', 0, 0, "Gatherv", 3, 0, 2, 16}}}},
     "0 Gatherv/0 2x8",
     0},
    {"alike, but the mean isn't whole",
     {{NULL, {{'-', 0, 0, "Gatherv", 3, 0, 2, 17}}},
      {NULL, {{'-', 0, 0, "Gatherv", 3, 0, 2, 17}}},
      {NULL, {{'-', 0, 0, "Gatherv", 3, 0, 2, 17}}}},
     "0 Gatherv/0 2x9 [17*3]",
     0},
    {"each has another part",
     {{NULL, {{'-', 0, 0, "Gatherv", 3, 0, 2, 16}}},
      {NULL, {{'-', 0, 0, "Gatherv", 3, 0, 2, 18}}},
      {NULL, {{'-', 0, 0, "Gatherv", 3, 0, 2, 18}}}},
     "0 Gatherv/0 2x9 [16*1 18*2]",
     0},
    {"a rank is missing",
     {{NULL, {{'-', 0, 0, "Gatherv", 3, 0, 2, 16}}}, {NULL}, {NULL}},
     "0 Gatherv/0 2x8 [16*1 0*2]",
     0},
    {"in the order of the communicator",
     {{NULL, {{'-', 1, 0, "Gatherv", 3, 0, 2, 16}}},
      {NULL},
      {NULL, {{'-', 1, 0, "Gatherv", 3, 0, 2, 10}}}},
     "0 Gatherv/1 2x7 [10*1 16*1]",
     0},
    {"parts of a vector that all have",
     {{NULL, {{'-', 1, 0, "Reduce_scatter", 2, 30, 2, 20}}},
      {NULL},
      {NULL, {{'-', 1, 0, "Reduce_scatter", 2, 30, 2, 40}}}},
     "0 Reduce_scatter/1 2x30 [40*1 20*1]",
     0},
    {"two threads",
     {{NULL, {{'-', 1, 0, "Gatherv", 3, 0, 2, 16}, {'-', 1, 0, "Gatherv", 3, 0, 1, 5}}},
      {NULL},
      {NULL, {{'-', 1, 0, "Gatherv", 3, 0, 3, 9}}}},
     "0 Gatherv/1 3x5 [9*1 21*1]",
     0},
    {"phases that repeat have totals",
     {{NULL, {{'-', 0, 2, "Gatherv", 3, 0, 4, 17}}},
      {NULL, {{'-', 0, 2, "Gatherv", 3, 0, 4, 16}}},
      {NULL, {{'-', 0, 2, "Gatherv", 3, 0, 4, 16}}}},
     "2 Gatherv/0 2x4 [17*1 16*2]",
     0},
    {"rows",
     {{NULL, {{'-', 0, 0, "Alltoallv", 7, 0, 2, 12, {0, 12}}}},
      {NULL, {{'-', 0, 0, "Alltoallv", 7, 0, 2, 12, {4, 4, 4}}}},
      {NULL, {{'-', 0, 0, "Alltoallv", 7, 0, 2, 12, {5, 0, 7}}}}},
     "0 Alltoallv/0 2x6; row 0 0 [0*1 12*1 0*1]; row 0 1 [4*3]; row 0 2 [5*1 0*1 7*1]",
     0},
    {"rows of a communicator, in a phase",
     {{NULL, {{'-', 1, 2, "Alltoallv", 7, 0, 2, 3, {1, 2}}}},
      {NULL},
      {NULL, {{'-', 1, 2, "Alltoallv", 7, 0, 2, 12, {0, 12}}}}},
     "2 Alltoallv/1 1x4 [12*1 3*1]; row 2 0 [1*1 2*1]; row 2 2 [0*1 12*1]",
     0},
    {"a row that lacks something, a rank that sends nothing, one that is without a row",
     {{NULL, {{'-', 0, 0, "Alltoallv", 7, 0, 2, 12, {0, 11}}}},
      {NULL, {{'-', 0, 0, "Alltoallv", 7, 0, 2, 0}}},
      {NULL, {{'-', 0, 0, "Alltoallv", 7, 0, 2, 6}}}},
     "0 Alltoallv/0 2x3 [12*1 0*1 6*1]",
     2},
    {"a row beyond the communicator",
     {{NULL, {{'-', 1, 0, "Alltoallv", 7, 0, 1, 6, {1, 2, 3}}}},
      {NULL},
      {NULL, {{'-', 1, 0, "Alltoallv", 7, 0, 1, 6, {1, 5}}}}},
     "0 Alltoallv/1 1x6; row 0 2 [1*1 5*1]",
     1},
    {"in automatic phases",
     {{"AABA",
       {{'-', 0, 0, "Alltoallv", 7, 0, 4, 17, {7, 10}},
        {'A', 0, 0, "Alltoallv", 7, 0, 3, 14, {7, 7}},
        {'B', 0, 0, "Alltoallv", 7, 0, 1, 3, {0, 3}}}},
      {"AABA",
       {{'-', 0, 0, "Alltoallv", 7, 0, 5, 9, {0, 9}},
        {'A', 0, 0, "Alltoallv", 7, 0, 3, 5, {0, 5}},
        {'B', 0, 0, "Alltoallv", 7, 0, 1, 3, {0, 3}}}},
      {"AABA",
       {{'-', 0, 0, "Alltoallv", 7, 0, 4, 0},
        {'A', 0, 0, "Alltoallv", 7, 0, 3, 0},
        {'B', 0, 0, "Alltoallv", 7, 0, 1, 0}}}},
     "0 Alltoallv/0 1x1 [0*1 1*1 0*1]; row 0 1 [0*1 1*1 0*1]; "
     "1 Alltoallv/0 1x2 [14*1 5*1 0*1]; row 1 0 [7*2 0*1]; row 1 1 [0*1 5*1 0*1]; "
     "2 Alltoallv/0 1x2 [3*2 0*1]; row 2 0 [0*1 3*1 0*1]; row 2 1 [0*1 3*1 0*1]",
     0},
    {"a rank that knows no difference: divided, with what is left over in the last",
     {{"AAAA",
       {{'-', 0, 0, "Alltoallv", 7, 0, 4, 17, {7, 10}},
        {'A', 0, 0, "Alltoallv", 7, 0, 4, 17, {7, 10}}}},
      {"AABA"},
      {"AABA"}},
     "1 Alltoallv/0 1x4 [12*1 0*2]; 2 Alltoallv/0 1x5 [5*1 0*2]",
     0,
     2},
    {"the same of a row that lacks something",
     {{"AAAA",
       {{'-', 0, 0, "Alltoallv", 7, 0, 4, 17, {7, 9}},
        {'A', 0, 0, "Alltoallv", 7, 0, 4, 17, {7, 9}}}},
      {"AABA"},
      {"AABA"}},
     "1 Alltoallv/0 1x4 [12*1 0*2]; 2 Alltoallv/0 1x5 [5*1 0*2]",
     2,
     0},
    {"rows for which classes had no room: those of one class are known all the same",
     {{"AABA",
       {{'-', 0, 0, "Alltoallv", 7, 0, 4, 17, {7, 10}},
        {'A', 0, 0, "Alltoallv", 7, 0, 3, 14},
        {'B', 0, 0, "Alltoallv", 7, 0, 1, 3}}},
      {"AABA",
       {{'-', 0, 0, "Alltoallv", 7, 0, 3, 9, {4, 5}}, {'A', 0, 0, "Alltoallv", 7, 0, 3, 9, {4}}}},
      {"AABA"}},
     "1 Alltoallv/0 1x4 [14*1 9*1 0*1]; row 1 1 [4*1 5*1 0*1]; 2 Alltoallv/0 1x3 [3*1 0*2]",
     2,
     0},
    {"of two classes that are one phase, one lacks something",
     {{"AABA",
       {{'-', 0, 0, "Alltoallv", 7, 0, 4, 17, {7}},
        {'A', 0, 0, "Alltoallv", 7, 0, 3, 7, {7}},
        {'B', 0, 0, "Alltoallv", 7, 0, 1, 10}}},
      {"AAAA", {{'-', 0, 0, "Alltoallv", 7, 0, 5, 0}, {'A', 0, 0, "Alltoallv", 7, 0, 5, 0}}},
      {"AABA"}},
     "1 Alltoallv/0 5x2 [17*1 0*2]",
     1,
     0},
    {"died inside of a call that the others counted in a phase",
     {{"AA", {{'-', 0, 0, "Gatherv", 3, 0, 2, 8}, {'A', 0, 0, "Gatherv", 3, 0, 2, 8}}},
      {"AA", {{'-', 0, 0, "Gatherv", 3, 0, 2, 8}, {'A', 0, 0, "Gatherv", 3, 0, 2, 8}}},
      {"AA", {{'-', 0, 0, "Gatherv", 3, 0, 2, 9}, {'A', 0, 0, "Gatherv", 3, 0, 1, 4}}}},
     "1 Gatherv/0 1x4 [8*2 9*1]",
     0},
    {"the same with rows, of which the last one's is put together",
     {{"AA",
       {{'-', 0, 0, "Alltoallv", 7, 0, 2, 8, {8}}, {'A', 0, 0, "Alltoallv", 7, 0, 2, 8, {8}}}},
      {"AA",
       {{'-', 0, 0, "Alltoallv", 7, 0, 2, 8, {0, 8}},
        {'A', 0, 0, "Alltoallv", 7, 0, 2, 8, {0, 8}}}},
      {"AA",
       {{'-', 0, 0, "Alltoallv", 7, 0, 2, 9, {4, 5}}, {'A', 0, 0, "Alltoallv", 7, 0, 1, 4, {4}}}}},
     "1 Alltoallv/0 1x4 [8*2 9*1]; row 1 0 [8*1 0*2]; row 1 1 [0*1 8*1 0*1]; row 1 2 [4*1 5*1 0*1]",
     0},
    {"occurrences that call from two sites have their rows together",
     {{NULL,
       {{'-', 0, 2, "Alltoallv", 7, 0, 1, 3, {0, 3}, 1},
        {'-', 0, 2, "Alltoallv", 7, 0, 3, 9, {2, 0, 7}, 2}}},
      {NULL,
       {{'-', 0, 2, "Alltoallv", 7, 0, 1, 4, {4}, 1},
        {'-', 0, 2, "Alltoallv", 7, 0, 3, 5, {5}, 2}}},
      {NULL,
       {{'-', 0, 2, "Alltoallv", 7, 0, 1, 3, {0, 0, 3}, 1},
        {'-', 0, 2, "Alltoallv", 7, 0, 3, 6, {6}, 2}}}},
     "2 Alltoallv/0 2x3 [12*1 9*2]; row 2 0 [2*1 3*1 7*1]; row 2 1 [9*1 0*2]; "
     "row 2 2 [6*1 0*1 3*1]",
     0},
    {"sites of which each has as many in all occurrences have rows of their own",
     {{NULL,
       {{'-', 0, 2, "Alltoallv", 7, 0, 2, 3, {0, 3}, 1},
        {'-', 0, 2, "Alltoallv", 7, 0, 4, 9, {9}, 2}}}},
     "2 Alltoallv/0 1x2 [3*1 0*2]; row 2 0 [0*1 3*1 0*1]; "
     "2 Alltoallv/0 2x2 [9*1 0*2]; row 2 0 [9*1 0*2]",
     0},
    {"the same behind calls of no phase",
     {{"AA", {{'-', 0, 0, "Gatherv", 3, 0, 5, 5}, {'A', 0, 0, "Gatherv", 3, 0, 2, 2}}},
      {"AA", {{'-', 0, 0, "Gatherv", 3, 0, 5, 5}, {'A', 0, 0, "Gatherv", 3, 0, 2, 2}}},
      {"AA", {{'-', 0, 0, "Gatherv", 3, 0, 5, 5}, {'A', 0, 0, "Gatherv", 3, 0, 1, 1}}}},
     "0 Gatherv/0 3x1 [3*2 4*1]; 1 Gatherv/0 1x1 [2*2 1*1]",
     0},
};

static void put_message_of(image_t *image, const char *classes)
{
  spool_block_t *b = image_block(image, SPOOL_MESSAGES);
  uint64_t all = 0, of[3] = {0};
  for (const char *c = classes; *c; c++) of[image_class(*c)]++, all++;
  image_message(image, b, 0, 0, 8, all);
  b = image_block(image, SPOOL_CLASS_MESSAGES);
  for (uint32_t k = 1; k < COUNT(of); k++)
    if (of[k]) image_message_in(image, b, k, 0, 8, of[k]);
}

static void put_calls(image_t *image, const rank_case_t *c)
{
  const spool_kind_t kinds[] = {SPOOL_COLLS, SPOOL_CLASS_COLLS};
  for (int pass = 0; pass < 2; pass++) {
    spool_block_t *b = image_block(image, kinds[pass]);
    for (uint32_t i = 0; i < MOST_CALLS && c->calls[i].op; i++) {
      const calls_case_t *k = &c->calls[i];
      if ((k->class == '-') != (pass == 0)) continue;
      spool_coll_t coll = {.comm = k->comm, .root = -1, .bytes = k->bytes, .count = k->count};
      coll.given = k->given;
      coll.phase = pass ? image_class(k->class) : k->phase;
      coll.flags = k->flags;
      coll.site = k->site;
      coll.id = k->flags & SPOOL_COLL_ROWS ? (c->classes ? 1 : i + 1) : 0;
      strcpy(coll.name, k->op);
      image_add(image, b, &coll, sizeof coll);
    }
    b = image_block(image, pass ? SPOOL_CLASS_ROWS : SPOOL_ROWS);
    for (uint32_t i = 0; i < MOST_CALLS && c->calls[i].op; i++)
      for (uint32_t j = 0; j < MOST_ITEMS; j++)
        if (c->calls[i].row[j] && (c->calls[i].class == '-') == (pass == 0))
          image_row(image, b, c->classes ? 1 : i + 1, pass ? image_class(c->calls[i].class) : 0, j,
                    c->calls[i].row[j]);
  }
}

static void put_rank(image_t *image, const rank_case_t *c, uint32_t rank)
{
  image_begin(image, rank, RANKS);
  image_phase(image, 0, 1, SPOOL_ORDER_NONE);
  image_comm(image, 1, 111, 2, 0, 1);
  image_sites(image, "MPI_Alltoallv", (const uint64_t[]){0x10, 0x20}, 2);
  if (c->classes) {
    image_automatic(image, SPOOL_AUTO_KEPT, 0);
    image_segments(image, c->classes, 0);
    put_message_of(image, c->classes);
  } else {
    image_phase(image, 2, 2, SPOOL_ORDER_NONE);
  }
  put_calls(image, c);
}

static size_t shares_text(char *text, size_t size, size_t n, const berth_share_t *shares)
{
  size_t at = 0;
  for (size_t i = 0; i < n; i++)
    at += (size_t)snprintf(text + at, size - at, "%s%llu*%llu%s", i ? " " : " [",
                           (unsigned long long)shares[i].bytes, (unsigned long long)shares[i].ranks,
                           i + 1 == n ? "]" : "");
  return at;
}

static void calls_text(const berth_pattern_t *p, char *text, size_t size)
{
  size_t n, n_rows, at = 0;
  const berth_coll_t *c = berth_pattern_colls(p, &n);
  const berth_row_t *r = berth_pattern_rows(p, &n_rows);
  for (size_t i = 0; i < n; i++) {
    at += (size_t)snprintf(text + at, size - at, "%s%d %s/%d %llux%llu", i ? "; " : "", c[i].phase,
                           c[i].op + 4, c[i].comm, (unsigned long long)c[i].count,
                           (unsigned long long)c[i].bytes);
    at += shares_text(text + at, size - at, c[i].n_shares, c[i].shares);
    for (size_t k = 0; k < n_rows; k++) {
      if (r[k].phase != c[i].phase || r[k].comm != c[i].comm || r[k].site != c[i].site) continue;
      at += (size_t)snprintf(text + at, size - at, "; row %d %d", r[k].phase, r[k].src);
      at += shares_text(text + at, size - at, r[k].n_shares, r[k].shares);
    }
  }
}

static void parts_are_exact(void **state)
{
  (void)state;
  static image_t image[RANKS];
  for (size_t i = 0; i < COUNT(cases); i++) {
    char text[1024] = "";
    assembly_stats_t stats;
    for (uint32_t r = 0; r < RANKS; r++) put_rank(&image[r], &cases[i].rank[r], r);
    berth_pattern_t *p = assemble(image, RANKS, &stats);
    calls_text(p, text, sizeof text);
    if (strcmp(text, cases[i].expected) || stats.total.rows_lost != cases[i].rows_lost ||
        stats.total.rows_undivided != cases[i].rows_undivided || stats.total.impossible)
      FAIL_ROW(cases[i].name, "\n  found    %s, %llu rows lost, %llu undivided\n  expected %s",
               text, (unsigned long long)stats.total.rows_lost,
               (unsigned long long)stats.total.rows_undivided, cases[i].expected);
    berth_pattern_free(p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
