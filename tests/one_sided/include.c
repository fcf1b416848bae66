/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided operations become the messages that an MPI sends: sizes and numbers worked out by hand
 * from the headers that src/one_sided/rules_*.c name. */
#include <berth/collectives.h>
#include <berth/one_sided.h>

#include "harness.h"

enum { RANKS = 4, MOST_LINES = 4, MOST_ITEMS = 4 };

/* A line of a pattern; its phase is 1, which occurs `repeats` times. */
typedef struct line {
  int src, win;
  const char *sync, *op;
  uint64_t epochs;
  struct item {
    int dst;
    uint64_t size, count;
  } item[MOST_ITEMS];
  int comm, site;
} line_t;

typedef struct row {
  const char *name, *rules;
  uint64_t repeats;
  line_t line[MOST_LINES];
  const char *phases; /* that are added: NAME xREPEATS SRC>DST:BYTES*COUNT … */
} row_t;

#define OPENMPI "openmpi-4.1"
#define MPICH   "mpich-4.0"
#define LIBRARY "berth"

static const row_t rows[] = {
    /* 16 of the fragment, 24 + 8 of the header, the data to a multiple of 8 */
    {"a put without an epoch",
     OPENMPI,
     1,
     {{0, 0, "none", "MPI_Put", 1, {{1, 13, 1}}}},
     "MPI_Put, window 0, none, round 1: operations x1 0>1:64*1\n"},
    {"no synchronisation is named",
     MPICH,
     1,
     {{0, 0, "", "MPI_Put", 1, {{1, 13, 1}}}},
     "MPI_Put, window 0, round 1: operations x1 0>1:13*1\n"},
    /* 32 + 8160 fill a fragment; a byte more is a message of its own behind a header of 48 */
    {"the largest put in a fragment",
     OPENMPI,
     1,
     {{0, 0, "none", "MPI_Put", 1, {{1, 8160, 1}}}},
     "MPI_Put, window 0, none, round 1: operations x1 0>1:8208*1\n"},
    {"a long put",
     OPENMPI,
     1,
     {{0, 0, "none", "MPI_Put", 1, {{1, 8161, 1}}}},
     "MPI_Put, window 0, none, round 1: operations x1 0>1:48*1 0>1:8161*1\n"},
    {"long puts don't share fragments",
     OPENMPI,
     1,
     {{0, 0, "none", "MPI_Rput", 1, {{1, 9000, 3}}}},
     "MPI_Rput, window 0, none, round 1: operations x1 0>1:48*3 0>1:9000*3\n"},
    /* 32 headers of 40 bytes a fragment */
    {"long accumulates do",
     OPENMPI,
     1,
     {{0, 0, "none", "MPI_Accumulate", 1, {{1, 9000, 33}}}},
     "MPI_Accumulate, window 0, none, round 1: operations x1 0>1:56*1 0>1:1296*1 0>1:9000*33\n"},
    {"but not with requests",
     OPENMPI,
     1,
     {{0, 0, "none", "MPI_Raccumulate", 1, {{1, 9000, 2}}}},
     "MPI_Raccumulate, window 0, none, round 1: operations x1 0>1:56*2 0>1:9000*2\n"},
    /* 204 puts of 40 bytes fit: 1000 are 4 fragments of 204 and one of 184 */
    {"many puts",
     OPENMPI,
     1,
     {{0, 0, "none", "MPI_Put", 1, {{1, 8, 1000}}}},
     "MPI_Put, window 0, none, round 1: operations x1 0>1:7376*1 0>1:8176*4\n"},
    {"sizes share fragments",
     OPENMPI,
     1,
     {{0, 0, "none", "MPI_Put", 1, {{1, 8000, 1}, {1, 8, 5}}}},
     /* 5 * 40 and no room for 8032 */
     "MPI_Put, window 0, none, round 1: operations x1 0>1:216*1 0>1:8048*1\n"},
    {"a get comes back",
     OPENMPI,
     1,
     {{0, 0, "none", "MPI_Get", 1, {{1, 100, 3}}}},
     "MPI_Get, window 0, none, round 1: operations x1 0>1:112*1\n"
     "MPI_Get, window 0, none, round 2: replies x1 1>0:100*3\n"},
    {"gets with requests don't share",
     OPENMPI,
     1,
     {{0, 0, "none", "MPI_Rget", 1, {{1, 100, 3}}}},
     "MPI_Rget, window 0, none, round 1: operations x1 0>1:48*3\n"
     "MPI_Rget, window 0, none, round 2: replies x1 1>0:100*3\n"},
    {"both ways",
     OPENMPI,
     1,
     {{0, 0, "none", "MPI_Fetch_and_op", 1, {{1, 8, 2}}}},
     "MPI_Fetch_and_op, window 0, none, round 1: operations x1 0>1:112*1\n"
     "MPI_Fetch_and_op, window 0, none, round 2: replies x1 1>0:8*2\n"},
    {"both values go along",
     OPENMPI,
     1,
     {{0, 0, "none", "MPI_Compare_and_swap", 1, {{1, 8, 2}}}},
     "MPI_Compare_and_swap, window 0, none, round 1: operations x1 0>1:56*2\n"
     "MPI_Compare_and_swap, window 0, none, round 2: replies x1 1>0:8*2\n"},
    {"MPICH puts and gets data alone",
     MPICH,
     1,
     {{0, 0, "none", "MPI_Put", 1, {{1, 100, 3}}}, {0, 0, "none", "MPI_Get", 1, {{2, 50, 2}}}},
     "MPI_Get and MPI_Put, window 0, none, round 1: operations x1 0>1:100*3 0>2:0*2\n"
     "MPI_Get and MPI_Put, window 0, none, round 2: replies x1 2>0:50*2\n"},
    {"MPICH's active messages",
     MPICH,
     1,
     {{0, 0, "none", "MPI_Accumulate", 1, {{1, 100, 3}}},
      {0, 0, "none", "MPI_Get_accumulate", 1, {{1, 50, 2}}},
      {0, 0, "none", "MPI_Compare_and_swap", 1, {{1, 4, 1}}}},
     "MPI_Accumulate, MPI_Compare_and_swap and 1 other, window 0, none, round 1: operations x1 "
     "0>1:64*1 0>1:138*2 0>1:188*3\n"
     "MPI_Accumulate, MPI_Compare_and_swap and 1 other, window 0, none, round 2: replies x1 "
     "1>0:24*3 1>0:28*1 1>0:74*2\n"},
    {"to oneself nothing is sent", OPENMPI, 1, {{2, 0, "lock", "MPI_Put", 1, {{2, 8, 1}}}}, ""},
    {"no bytes aren't sent, but the lock is",
     OPENMPI,
     1,
     {{2, 0, "lock", "MPI_Put", 1, {{0, 0, 1}}}},
     "MPI_Put, window 0, lock, round 1: locks x1 2>0:16*1\n"
     "MPI_Put, window 0, lock, round 2: grants x1 0>2:16*1\n"
     "MPI_Put, window 0, lock, round 3: operations x1 2>0:40*1\n"
     "MPI_Put, window 0, lock, round 4: replies x1 0>2:16*1\n"},
    /* start and complete: a post of 2 bytes, 8 bytes behind the operations */
    {"pscw",
     OPENMPI,
     5,
     {{0, 2, "pscw", "MPI_Put", 3, {{1, 8, 3}, {3, 8, 6}}}},
     "MPI_Put, window 2, pscw, round 1: posts x15 1>0:2*1 3>0:2*1\n"
     "MPI_Put, window 2, pscw, round 2: operations x15 0>1:64*1 0>3:104*1\n"},
    {"pscw of MPICH",
     MPICH,
     1,
     {{0, 2, "pscw", "MPI_Accumulate", 3, {{1, 8, 3}}}},
     "MPI_Accumulate, window 2, pscw, round 1: posts x3 1>0:32*1\n"
     "MPI_Accumulate, window 2, pscw, round 2: operations x3 0>1:96*1\n"
     "MPI_Accumulate, window 2, pscw, round 3: replies x3 1>0:24*1\n"
     "MPI_Accumulate, window 2, pscw, round 4: ends x3 0>1:32*1\n"},
    /* 30 operations in 10 epochs: each has 3, so target 1 has 4 epochs and target 2 has 6 */
    {"a lock is of one target",
     OPENMPI,
     1,
     {{0, 0, "lock", "MPI_Get", 10, {{1, 8, 12}, {2, 8, 18}}}},
     "MPI_Get, window 0, lock (epochs 1 to 4), round 1: locks x4 0>1:16*1 0>2:16*1\n"
     "MPI_Get, window 0, lock (epochs 1 to 4), round 2: grants x4 1>0:16*1 2>0:16*1\n"
     "MPI_Get, window 0, lock (epochs 1 to 4), round 3: operations x4 0>1:136*1 0>2:136*1\n"
     "MPI_Get, window 0, lock (epochs 1 to 4), round 4: replies x4 1>0:8*3 1>0:16*1 2>0:8*3 "
     "2>0:16*1\n"
     "MPI_Get, window 0, lock (epochs 5 to 6), round 1: locks x2 0>2:16*1\n"
     "MPI_Get, window 0, lock (epochs 5 to 6), round 2: grants x2 2>0:16*1\n"
     "MPI_Get, window 0, lock (epochs 5 to 6), round 3: operations x2 0>2:136*1\n"
     "MPI_Get, window 0, lock (epochs 5 to 6), round 4: replies x2 2>0:8*3 2>0:16*1\n"},
    {"lock_all locks targets in Open MPI",
     OPENMPI,
     1,
     {{0, 0, "lock_all", "MPI_Put", 1, {{1, 8, 2}, {2, 8, 1}}}},
     "MPI_Put, window 0, lock_all, round 1: locks x1 0>1:16*1 0>2:16*1\n"
     "MPI_Put, window 0, lock_all, round 2: grants x1 1>0:16*1 2>0:16*1\n"
     "MPI_Put, window 0, lock_all, round 3: operations x1 0>1:120*1 0>2:80*1\n"
     "MPI_Put, window 0, lock_all, round 4: replies x1 1>0:16*1 2>0:16*1\n"},
    {"lock_all locks the window in MPICH",
     MPICH,
     1,
     {{0, 0, "lock_all", "MPI_Put", 1, {{1, 8, 2}}, .comm = 7}},
     "MPI_Put, window 0, lock_all, round 1: locks x1 0>1:32*1 0>3:32*1\n"
     "MPI_Put, window 0, lock_all, round 2: grants x1 1>0:32*1 3>0:32*1\n"
     "MPI_Put, window 0, lock_all, round 3: operations x1 0>1:8*2\n"
     "MPI_Put, window 0, lock_all, round 4: ends x1 0>1:32*1 0>3:32*1\n"
     "MPI_Put, window 0, lock_all, round 5: acknowledgements x1 1>0:32*1 3>0:32*1\n"},
    {"an unlock that has no room in the fragment",
     OPENMPI,
     1,
     {{0, 0, "lock", "MPI_Put", 1, {{1, 8160, 1}}}},
     "MPI_Put, window 0, lock, round 1: locks x1 0>1:16*1\n"
     "MPI_Put, window 0, lock, round 2: grants x1 1>0:16*1\n"
     "MPI_Put, window 0, lock, round 3: operations x1 0>1:40*1 0>1:8208*1\n"
     "MPI_Put, window 0, lock, round 4: replies x1 1>0:16*1\n"},
    /* a fence of three ranks: recursive halving of 3 blocks, then a tree of barriers */
    {"a fence",
     MPICH,
     2,
     {{0, 0, "fence", "MPI_Put", 3, {{1, 8, 3}}, .comm = 7}},
     "MPI_Put, window 0, fence, round 1: operations x6 0>1:8*1\n"
     "MPI_Put, window 0, fence: barrier of 0 B, 3 ranks: dissemination, round 1 x6 0>1:0*1 "
     "1>3:0*1 3>0:0*1\n"
     "MPI_Put, window 0, fence: barrier of 0 B, 3 ranks: dissemination, round 2 x6 0>3:0*1 "
     "1>0:0*1 3>1:0*1\n"},
    {"a fence of a window with one rank",
     OPENMPI,
     1,
     {{2, 0, "fence", "MPI_Put", 3, {{2, 8, 3}}, .comm = 8}},
     ""},
    /* ranks with fewer epochs are idle in the last ones */
    {"different epochs",
     MPICH,
     1,
     {{0, 0, "none", "MPI_Put", 10, {{1, 8, 20}}}, {1, 0, "none", "MPI_Get", 4, {{2, 8, 4}}}},
     "MPI_Get and MPI_Put, window 0, none (epochs 1 to 4), round 1: operations x4 0>1:8*2 1>2:0*1\n"
     "MPI_Get and MPI_Put, window 0, none (epochs 1 to 4), round 2: replies x4 2>1:8*1\n"
     "MPI_Put, window 0, none (epochs 5 to 10), round 1: operations x6 0>1:8*2\n"},
    {"no multiple of the epochs",
     MPICH,
     1,
     {{0, 0, "none", "MPI_Put", 3, {{1, 8, 7}, {2, 8, 2}}}},
     "MPI_Put, window 0, none (epochs 1 to 1), round 1: operations x1 0>1:8*3\n"
     "MPI_Put, window 0, none (epochs 2 to 3), round 1: operations x2 0>1:8*2 0>2:8*1\n"},
    {"another target in each epoch",
     MPICH,
     1,
     {{0, 0, "none", "MPI_Put", 6, {{1, 8, 2}, {2, 8, 3}, {3, 8, 1}}}},
     "MPI_Put, window 0, none (epochs 1 to 2), round 1: operations x2 0>1:8*1\n"
     "MPI_Put, window 0, none (epochs 3 to 5), round 1: operations x3 0>2:8*1\n"
     "MPI_Put, window 0, none (epochs 6 to 6), round 1: operations x1 0>3:8*1\n"},
    {"no epochs are one",
     MPICH,
     1,
     {{0, 0, "none", "MPI_Put", 0, {{1, 8, 7}}}},
     "MPI_Put, window 0, none, round 1: operations x1 0>1:8*7\n"},
    {"call sites of the same epochs",
     OPENMPI,
     1,
     {{0, 0, "none", "MPI_Put", 2, {{1, 8, 2}}, .site = 1},
      {0, 0, "none", "MPI_Put", 2, {{1, 8, 4}}, .site = 2}},
     "MPI_Put, window 0, none, round 1: operations x2 0>1:136*1\n"},
    {"windows follow one another",
     MPICH,
     1,
     {{0, 1, "none", "MPI_Put", 2, {{1, 8, 2}}}, {0, 0, "none", "MPI_Put", 1, {{1, 8, 4}}}},
     "MPI_Put, window 0, none, round 1: operations x1 0>1:8*4\n"
     "MPI_Put, window 1, none, round 1: operations x2 0>1:8*1\n"},
    /* berth's library: 32 of the message, 4 of the operation; lock and unlock are marks */
    {"a lock of the library",
     LIBRARY,
     1,
     {{0, 0, "lock", "MPI_Put", 2, {{1, 100, 2}}}},
     "MPI_Put, window 0, lock, round 1: operations x2 0>1:136*1\n"
     "MPI_Put, window 0, lock, round 2: replies x2 1>0:28*1\n"},
    /* 1,024 puts of 12 bytes are 12,288, which are enough */
    {"a message of the library has enough",
     LIBRARY,
     1,
     {{0, 0, "none", "MPI_Put", 1, {{1, 8, 2000}}}},
     "MPI_Put, window 0, none, round 1: operations x1 0>1:11744*1 0>1:12320*1\n"},
    {"its largest put in a message",
     LIBRARY,
     1,
     {{0, 0, "none", "MPI_Put", 1, {{1, 8191, 1}}}},
     "MPI_Put, window 0, none, round 1: operations x1 0>1:8227*1\n"},
    {"its long put",
     LIBRARY,
     1,
     {{0, 0, "none", "MPI_Put", 1, {{1, 8192, 1}}}},
     "MPI_Put, window 0, none, round 1: operations x1 0>1:36*1 0>1:8192*1\n"},
    {"its end of an epoch behind a long put",
     LIBRARY,
     1,
     {{0, 0, "pscw", "MPI_Put", 1, {{1, 8192, 1}}}},
     "MPI_Put, window 0, pscw, round 1: operations x1 0>1:32*1 0>1:36*1 0>1:8192*1\n"},
    {"results of its message come together",
     LIBRARY,
     1,
     {{0, 0, "lock", "MPI_Get", 1, {{1, 100, 3}}}},
     "MPI_Get, window 0, lock, round 1: operations x1 0>1:44*1\n"
     "MPI_Get, window 0, lock, round 2: replies x1 1>0:328*1\n"},
    {"results that are enough",
     LIBRARY,
     1,
     {{0, 0, "none", "MPI_Get", 1, {{1, 4000, 6}}}},
     "MPI_Get, window 0, none, round 1: operations x1 0>1:40*1 0>1:48*1\n"
     "MPI_Get, window 0, none, round 2: replies x1 1>0:8028*1 1>0:16028*1\n"},
    /* 16,264 bytes have room, 4 of them for what the reduction is */
    {"its reductions are divided",
     LIBRARY,
     1,
     {{0, 0, "none", "MPI_Accumulate", 1, {{1, 20000, 1}}}},
     "MPI_Accumulate, window 0, none, round 1: operations x1 0>1:3776*1 0>1:16296*1\n"},
    /* 10,004, then 6,256 of the next fill a message; its other 3,744 and 10,004 are enough */
    {"and fill messages",
     LIBRARY,
     1,
     {{0, 0, "none", "MPI_Accumulate", 1, {{1, 10000, 6}}}},
     "MPI_Accumulate, window 0, none, round 1: operations x1 0>1:13784*2 0>1:16296*2\n"},
    {"its fence ends by hosts",
     LIBRARY,
     2,
     {{0, 0, "fence", "MPI_Put", 3, {{1, 8, 3}}, .comm = 7}},
     "MPI_Put, window 0, fence, round 1: operations x6 0>1:44*1\n"
     "MPI_Put, window 0, fence: reduce_scatter_block of 4 B, 3 ranks: by hosts x6\n"},
};

static const int odd[] = {0, 1, 3}, alone[] = {2};

static berth_pattern_t *pattern_of(const row_t *row)
{
  berth_pattern_t *p = berth_pattern_new(RANKS, NULL);
  berth_pattern_add_phase(p, &(berth_phase_t){1, "own", row->repeats}, NULL);
  berth_pattern_add_comm(p, &(berth_comm_t){7, COUNT(odd), odd}, NULL);
  berth_pattern_add_comm(p, &(berth_comm_t){8, COUNT(alone), alone}, NULL);
  for (size_t i = 0; i < MOST_LINES && row->line[i].op; i++) {
    const line_t *l = &row->line[i];
    berth_message_t msgs[MOST_ITEMS];
    berth_rma_t r = {1, l->site, l->src, l->win, l->sync, l->op, l->epochs, 0, msgs, l->comm};
    for (size_t k = 0; k < MOST_ITEMS && l->item[k].count; k++)
      msgs[r.n_msgs++] = (berth_message_t){.dst = l->item[k].dst,
                                           .size = l->item[k].size,
                                           .count = l->item[k].count,
                                           .bytes = l->item[k].size * l->item[k].count};
    assert_int_equal(berth_pattern_add_rma(p, &r, NULL), BERTH_OK);
  }
  assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
  return p;
}

/* The phases that were added, a line each. */
static char *added(const berth_pattern_t *p)
{
  char *text;
  size_t length, n_phases, n;
  FILE *f = open_memstream(&text, &length);
  const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
  for (size_t k = 0; k < n_phases; k++) {
    if (!phases[k].collective) continue;
    fprintf(f, "%s x%llu", phases[k].name, (unsigned long long)phases[k].repeats);
    const berth_message_t *m = berth_pattern_messages(p, k, &n);
    for (size_t i = 0; i < n; i++)
      fprintf(f, " %d>%d:%llu*%llu", m[i].src, m[i].dst, (unsigned long long)m[i].size,
              (unsigned long long)m[i].count);
    fputc('\n', f);
  }
  fclose(f);
  return text;
}

static void rows_become_messages(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    size_t n;
    double too_many;
    berth_error_t err;
    berth_pattern_t *p = pattern_of(&rows[i]);
    if (berth_one_sided_include(p, rows[i].rules, &too_many, &err))
      FAIL_ROW(rows[i].name, "%s", err.text);
    char *found = added(p);
    if (strcmp(found, rows[i].phases) != 0)
      FAIL_ROW(rows[i].name, "found\n%sexpected\n%s", found, rows[i].phases);
    const berth_rma_t *r = berth_pattern_rmas(p, &n);
    for (size_t k = 0; k < n; k++) assert_int_equal(r[k].included, 1);
    assert_true(too_many == 0);
    assert_string_equal(berth_pattern_rules(p, BERTH_ONE_SIDED), rows[i].rules);
    free(found);
    berth_pattern_free(p);
  }
}

/* MPICH sends each put as it is, so all bytes and puts of random lines must be there: whatever
 * epochs they are divided into, and in no more of them than the line with the most has. */
static void all_operations_are_there(void **state)
{
  (void)state;
  srand(7);
  for (int round = 0; round < rounds_of(200); round++) {
    uint64_t puts = 0, bytes = 0, sum = 0, sum_bytes = 0, most = 0, own;
    row_t row = {"", MPICH, 1 + (uint64_t)(rand() % 3), {{0}}, ""};
    for (int i = 0; i < MOST_LINES; i++) {
      row.line[i] = (line_t){i, 0, "none", "MPI_Put", 1 + (uint64_t)(rand() % 20), {{0}}, 0, 0};
      own = 0;
      for (int k = 0, end = 1 + rand() % MOST_ITEMS; k < end; k++) {
        struct item one = {(i + 1 + k % 3) % RANKS, 1 + (uint64_t)(rand() % 9),
                           1 + (uint64_t)(rand() % 50)};
        row.line[i].item[k] = one;
        puts += one.count * row.repeats;
        own += one.count;
        bytes += one.count * one.size * row.repeats;
      }
      if (own > row.line[i].epochs) own = row.line[i].epochs;
      if (own > most) most = own;
    }
    size_t n_phases, n;
    uint64_t epochs = 0;
    berth_pattern_t *p = pattern_of(&row);
    assert_int_equal(berth_one_sided_include(p, MPICH, NULL, NULL), BERTH_OK);
    const berth_phase_t *phases = berth_pattern_phases(p, &n_phases);
    for (size_t k = 0; k < n_phases; k++) {
      const berth_message_t *m = berth_pattern_messages(p, k, &n);
      for (size_t i = 0; i < n; i++) sum += m[i].count * phases[k].repeats;
      for (size_t i = 0; i < n; i++) sum_bytes += m[i].bytes * phases[k].repeats;
      epochs += phases[k].collective ? phases[k].repeats : 0;
    }
    assert_int_equal(sum, puts);
    assert_int_equal(sum_bytes, bytes);
    assert_int_equal(epochs, most * row.repeats);
    berth_pattern_free(p);
  }
}

/* --- what stays as it is --- */

static const struct {
  const char *name;
  row_t row;
  double too_many;
} left[] = {
    {"an operation that berth doesn't know",
     {"", OPENMPI, 1, {{0, 0, "fence", "MPI_Own", 1, {{1, 8, 1}}}}, ""},
     0},
    {"a window of a communicator that isn't there",
     {"", OPENMPI, 1, {{0, 0, "fence", "MPI_Put", 1, {{1, 8, 1}}, .comm = 9}}, ""},
     0},
    {"more bytes than a pattern has",
     {"", OPENMPI, 1, {{0, 0, "lock", "MPI_Put", 1, {{1, 1ull << 52, 2}}}}, ""},
     2},
    {"more operations",
     {"", OPENMPI, 3, {{0, 0, "", "MPI_Rget", 1, {{1, 1, 1ull << 52}}}}, ""},
     3 * 0x1p52},
    {"more epochs",
     {"", MPICH, 4, {{0, 0, "", "MPI_Put", 1ull << 52, {{1, 1, 1ull << 52}}}}, ""},
     4 * 0x1p52},
};

static void what_does_not_fit_stays_as_it_is(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(left); i++) {
    size_t n;
    double too_many;
    berth_error_t err;
    berth_pattern_t *p = pattern_of(&left[i].row);
    if (berth_one_sided_include(p, left[i].row.rules, &too_many, &err))
      FAIL_ROW(left[i].name, "%s", err.text);
    char *found = added(p);
    if (*found || too_many != left[i].too_many)
      FAIL_ROW(left[i].name, "found %.17g operations too many and\n%s", too_many, found);
    assert_int_equal(berth_pattern_rmas(p, &n)->included, 0);
    free(found);
    berth_pattern_free(p);
  }
}

static void unknown_rules_are_refused(void **state)
{
  (void)state;
  berth_error_t err;
  berth_pattern_t *p = pattern_of(&rows[0]);
  assert_int_equal(berth_one_sided_include(p, "mpich", NULL, &err), BERTH_USAGE);
  assert_string_equal(err.text, "rules of one-sided operations: found 'mpich', expected "
                                "openmpi-4.1, mpich-4.0 or berth");
  berth_pattern_free(p);
}

static void rules_stand_for_an_mpi(void **state)
{
  (void)state;
  static const struct {
    const char *mpi, *rules;
    int nearest;
  } mpis[] = {{"Open MPI 4.1.4", OPENMPI, 0},  {"Open MPI 5.0.1", OPENMPI, 1},
              {"MPICH 4.0.2", MPICH, 0},       {"MPICH 4.2.0", MPICH, 1},
              {"Intel(R) MPI 2021", MPICH, 1}, {"", OPENMPI, 1}};
  for (size_t i = 0; i < COUNT(mpis); i++) {
    int nearest = -1;
    assert_string_equal(berth_one_sided_rules(mpis[i].mpi, &nearest), mpis[i].rules);
    assert_int_equal(nearest, mpis[i].nearest);
  }
}

/* --- beside collective operations, and in files --- */

/* The numbers of calls are different whichever is included first. */
static void both_may_be_included(void **state)
{
  (void)state;
  for (int first = 0; first < 2; first++) {
    size_t n;
    int seen = 0;
    berth_pattern_t *p = pattern_of(&rows[0]);
    berth_pattern_add_coll(p, &(berth_coll_t){1, 0, 0, "MPI_Barrier", 0, 1, -1}, NULL);
    assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
    for (int i = 0; i < 2; i++)
      assert_int_equal(i == first ? berth_one_sided_include(p, OPENMPI, NULL, NULL)
                                  : berth_collectives_include(p, OPENMPI, NULL, NULL),
                       BERTH_OK);
    const berth_phase_t *phases = berth_pattern_phases(p, &n);
    for (size_t k = 0; k < n; k++) {
      assert_true(phases[k].collective == seen || phases[k].collective == seen + 1);
      seen = phases[k].collective;
    }
    assert_int_equal(seen, 2);
    berth_pattern_free(p);
  }
}

static void a_saved_pattern_has_nothing_that_was_added(void **state)
{
  (void)state;
  size_t n, all;
  berth_pattern_t *p = pattern_of(&rows[0]);
  assert_int_equal(berth_one_sided_include(p, OPENMPI, NULL, NULL), BERTH_OK);
  const char *path = scratch_file("saved.acp", "", 0);
  assert_int_equal(berth_pattern_save(p, path, NULL), BERTH_OK);
  berth_pattern_phases(p, &all);
  berth_pattern_free(p);
  p = berth_pattern_load(path, BERTH_PATTERN_STRICT, NULL);
  berth_pattern_phases(p, &n);
  assert_int_equal(n, all - 1);
  berth_pattern_messages(p, 0, &n);
  assert_int_equal(n, 0);
  assert_string_equal(berth_pattern_rules(p, BERTH_ONE_SIDED), "");
  berth_pattern_free(p);
  unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_become_messages),
      cmocka_unit_test(all_operations_are_there),
      cmocka_unit_test(what_does_not_fit_stays_as_it_is),
      cmocka_unit_test(unknown_rules_are_refused),
      cmocka_unit_test(rules_stand_for_an_mpi),
      cmocka_unit_test(both_may_be_included),
      cmocka_unit_test(a_saved_pattern_has_nothing_that_was_added),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
