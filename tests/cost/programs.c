/* SPDX-License-Identifier: BSD-3-Clause */
/* Model flow with recorded programs: ranks that wait for messages and for one another. */
#include "cost/flow_machines.h"
#include "cost/slow_flow.h"

/* Steps of a program. */
#define SEND(to, size)                                                                             \
  {                                                                                                \
    to, 0, size, 1, BERTH_STEP_SEND, 0, 0                                                          \
  }
#define SEND_WAIT(to, size)                                                                        \
  {                                                                                                \
    to, 1, size, 1, BERTH_STEP_SEND, 0, 0                                                          \
  }
/* Large messages: they need their receives. */
#define LARGE(to, size)                                                                            \
  {                                                                                                \
    to, 2, size, 1, BERTH_STEP_SEND, 0, 0                                                          \
  }
#define LARGE_WAIT(to, size)                                                                       \
  {                                                                                                \
    to, 3, size, 1, BERTH_STEP_SEND, 0, 0                                                          \
  }
#define LARGE_WAITS(to, size, times)                                                               \
  {                                                                                                \
    to, 3, size, times, BERTH_STEP_SEND, 0, 0                                                      \
  }
#define POSTED(from, times)                                                                        \
  {                                                                                                \
    from, 0, 0, times, BERTH_STEP_POSTED, 0, 0                                                     \
  }
#define ARRIVED(from, times)                                                                       \
  {                                                                                                \
    from, 0, 0, times, BERTH_STEP_ARRIVED, 0, 0                                                    \
  }
#define RECEIVE(from, times)                                                                       \
  {                                                                                                \
    from, 0, 0, times, BERTH_STEP_RECEIVE, 0, 0                                                    \
  }
/* The message came first. */
#define FIRST(from)                                                                                \
  {                                                                                                \
    from, BERTH_RECEIVE_FIRST, 0, 1, BERTH_STEP_RECEIVE, 0, 0                                      \
  }
#define SENT(to)                                                                                   \
  {                                                                                                \
    to, 0, 0, 1, BERTH_STEP_SENT, 0, 0                                                             \
  }
#define MEET(comm)                                                                                 \
  {                                                                                                \
    comm, 0, 0, 1, BERTH_STEP_MEET, 0, 0                                                           \
  }
#define SCAN(comm)                                                                                 \
  {                                                                                                \
    comm, 0, 8, 1, BERTH_STEP_MEET, 0, 0, "MPI_Scan"                                               \
  }
#define FROM(comm, root)                                                                           \
  {                                                                                                \
    comm, 0, 0, 1, BERTH_STEP_FROM_ROOT, root, 0                                                   \
  }
#define TO(comm, root)                                                                             \
  {                                                                                                \
    comm, 0, 0, 1, BERTH_STEP_TO_ROOT, root, 0                                                     \
  }
#define BEGIN(comm, bytes)                                                                         \
  {                                                                                                \
    comm, BERTH_MEET_BEGINS, bytes, 1, BERTH_STEP_MEET, 0, 0, "MPI_Iallreduce"                     \
  }
#define END(comm, bytes)                                                                           \
  {                                                                                                \
    comm, BERTH_MEET_ENDS, bytes, 1, BERTH_STEP_MEET, 0, 0, "MPI_Iallreduce"                       \
  }
#define LOOP(times, steps)                                                                         \
  {                                                                                                \
    0, 0, 0, times, BERTH_STEP_LOOP, 0, steps                                                      \
  }
#define ANY BERTH_ANY_RANK

enum { MOST_STEPS = 12 };

/* Counts what an order sends, as messages. */
static void add_messages(berth_pattern_t *p, int src, const berth_step_t *s, size_t n,
                         uint64_t repeats)
{
  for (size_t i = 0; i < n; i++) {
    if (s[i].kind == BERTH_STEP_LOOP) {
      add_messages(p, src, s + i + 1, s[i].steps, repeats * s[i].times);
      i += s[i].steps;
    } else if (s[i].kind == BERTH_STEP_SEND) {
      uint64_t count = s[i].times * repeats;
      berth_message_t m = {0, 0, src, s[i].peer, s[i].size, count, s[i].size * count};
      assert_int_equal(berth_pattern_add_message(p, &m, NULL), BERTH_OK);
    }
  }
}

static void add_program(berth_pattern_t *p, int src, const berth_step_t *s, size_t n)
{
  berth_error_t err = {0};
  berth_order_t order = {0, src, 1, n, s};
  add_messages(p, src, s, n, 1);
  if (berth_pattern_add_order(p, &order, &err)) fail_msg("%s", err.text);
}

/* Communicator 1 has the ranks 0 to 3. */
static berth_pattern_t *new_pattern(void)
{
  static const int first_four[] = {3, 1, 0, 2};
  berth_pattern_t *p = berth_pattern_new(RANKS, NULL);
  assert_int_equal(berth_pattern_add_comm(p, &(berth_comm_t){1, 4, first_four}, NULL), BERTH_OK);
  return p;
}

/* Hosts with links of 100 B/s in each direction, one rank on each: a message of 100 bytes takes
 * 1 s. */
static const machine_t star = {8, {100, 100, 100, 100, 100, 100, 100, 100}, 0, 0};

static const struct {
  const char *name;
  berth_step_t steps[4][MOST_STEPS]; /* of ranks 0 to 3 */
  double cost, tolerance;            /* relative */
  const char *mpi;                   /* NULL: unknown, which sends nothing before the receive */
} cases[] = {
    /* Without the receive, rank 1 would send from the beginning: 1 s */
    {"one after the other",
     {{SEND(1, 100)}, {RECEIVE(0, 1), SEND(2, 100)}, {RECEIVE(1, 1), SEND(3, 100)}},
     3,
     1e-12},
    {"ping-pong, 5 rounds",
     {{LOOP(5, 2), SEND(1, 100), RECEIVE(1, 1)}, {LOOP(5, 2), RECEIVE(0, 1), SEND(0, 100)}},
     10,
     1e-12},
    /* Rank 2 would wait for rank 0 in another call */
    {"a scan without messages",
     {{SEND_WAIT(1, 100), SCAN(1)}, {SCAN(1)}, {SCAN(1), SEND(3, 100)}, {SCAN(1)}},
     1,
     1e-12},
    /* More rounds than are played */
    {"ping-pong, 1,000 rounds",
     {{LOOP(1000, 2), SEND(1, 100), RECEIVE(1, 1)}, {LOOP(1000, 2), RECEIVE(0, 1), SEND(0, 100)}},
     2000,
     1e-9},
    /* The same ranks, one of them with its first round apart */
    {"ping-pong, folded otherwise",
     {{LOOP(1000, 2), SEND(1, 100), RECEIVE(1, 1)},
      {RECEIVE(0, 1), SEND(0, 100), LOOP(999, 2), RECEIVE(0, 1), SEND(0, 100)}},
     2000,
     0.01},
    /* 1,000 messages through three links: the last one leaves after 1,000 s and needs 2 s more.
     * 16 rounds of 62.5 messages would take 1,125 s */
    {"pipeline",
     {{LOOP(1000, 1), SEND_WAIT(1, 100)},
      {LOOP(1000, 2), RECEIVE(0, 1), SEND_WAIT(2, 100)},
      {LOOP(1000, 2), RECEIVE(1, 1), SEND_WAIT(3, 100)}},
     1002,
     1e-9},
    /* Loops in a loop: the pipeline runs empty between them; 10 * (100 + 2) */
    {"pipeline that runs empty",
     {{LOOP(10, 3), LOOP(100, 1), SEND_WAIT(1, 100), RECEIVE(3, 1)},
      {LOOP(10, 3), LOOP(100, 2), RECEIVE(0, 1), SEND_WAIT(2, 100)},
      {LOOP(10, 3), LOOP(100, 2), RECEIVE(1, 1), SEND_WAIT(3, 100)},
      {LOOP(10, 2), RECEIVE(2, 100), SEND(0, 0)}},
     1020,
     1e-9},
    /* A long message beside: both leave rank 0 by one link, 500 bytes each at half its rate */
    {"beside a loop",
     {{SEND(2, 50000), LOOP(500, 2), SEND(1, 100), RECEIVE(1, 1)},
      {LOOP(500, 2), RECEIVE(0, 1), SEND(0, 0)}},
     1000,
     0.01},
    /* Rank 0 waits for what it sent before it goes on: 1 + 1 + 1 */
    {"sent", {{SEND(1, 100), SENT(1), SEND(2, 100), SENT(2), SEND(3, 100)}}, 3, 1e-12},
    {"nothing sent to wait for", {{SENT(3), SEND(1, 100)}}, 1, 1e-12},
    /* The first message to arrive is rank 2's, after 1 s; rank 1's takes 2 s. Rank 0's 200 bytes
     * go from 1 s on, at first beside rank 1's to rank 3 */
    {"any rank",
     {{RECEIVE(ANY, 1), SEND(3, 200)}, {SEND(3, 100), SEND(0, 100)}, {SEND(0, 50)}},
     3.5,
     1e-12},
    {"all of any rank",
     {{RECEIVE(ANY, 3), SEND(3, 200)}, {SEND(0, 50)}, {SEND(0, 100)}, {SEND(0, 50)}},
     4,
     1e-12},
    /* Rank 0 has taken rank 1's message, so any rank's is another one */
    {"one rank, then any",
     {{RECEIVE(1, 1), RECEIVE(ANY, 1), SEND(3, 100)}, {SEND(0, 50)}, {SEND(0, 150)}},
     3,
     1e-12},
    /* Rank 0's message is over after 3 s, then all go on */
    {"meeting",
     {{SEND_WAIT(1, 300), MEET(1), SEND(1, 100)}, {MEET(1), SEND(2, 100)}, {MEET(1)}, {MEET(1)}},
     4,
     1e-12},
    {"meetings in a loop, 1,000 times",
     {{LOOP(1000, 2), SEND_WAIT(1, 100), MEET(1)},
      {LOOP(1000, 2), MEET(1), SEND_WAIT(2, 100)},
      {LOOP(1000, 1), MEET(1)},
      {LOOP(1000, 2), SEND_WAIT(0, 200), MEET(1)}},
     2001,
     1e-9},
    /* Communicator 1 has its ranks in another order than they have in MPI_COMM_WORLD */
    {"from a root: only it has to come",
     {{SEND_WAIT(1, 300), FROM(1, 2), SEND(1, 100)},
      {FROM(1, 2), SEND(2, 500)},
      {FROM(1, 2), SEND(3, 100)},
      {FROM(1, 2)}},
     5,
     1e-12},
    {"from a root: it comes late",
     {{FROM(1, 2), SEND(1, 100)}, {FROM(1, 2)}, {SEND_WAIT(3, 300), FROM(1, 2)}, {FROM(1, 2)}},
     4,
     1e-12},
    {"to a root: it waits for all",
     {{SEND_WAIT(1, 300), TO(1, 2)}, {TO(1, 2)}, {TO(1, 2), SEND(3, 100)}, {TO(1, 2)}},
     4,
     1e-12},
    {"to a root: others don't wait",
     {{SEND_WAIT(1, 300), TO(1, 2)}, {TO(1, 2), SEND(2, 300)}, {TO(1, 2)}, {TO(1, 2)}},
     3,
     1e-12},
    /* Ranks 1 and 2 wait for rank 0 to come, which then sends for 3 s before it waits */
    {"a non-blocking call",
     {{SEND_WAIT(1, 100), BEGIN(1, 8), SEND_WAIT(1, 300), END(1, 8)},
      {BEGIN(1, 8), END(1, 8), SEND(2, 100)},
      {BEGIN(1, 8), END(1, 8), SEND(3, 500)},
      {BEGIN(1, 8), END(1, 8)}},
     6,
     1e-12},
    /* The second one begins after 3 s */
    {"two non-blocking calls at once",
     {{BEGIN(1, 8), SEND_WAIT(1, 300), BEGIN(1, 16), END(1, 8), END(1, 16)},
      {BEGIN(1, 8), BEGIN(1, 16), END(1, 8), SEND(2, 100), END(1, 16), SEND(3, 100)},
      {BEGIN(1, 8), BEGIN(1, 16), END(1, 8), END(1, 16)},
      {BEGIN(1, 8), BEGIN(1, 16), END(1, 8), END(1, 16)}},
     4,
     1e-12},
    /* One of the members has no such call: nobody is held up */
    {"meeting without a member",
     {{SEND_WAIT(1, 300), MEET(1)}, {MEET(1), SEND(2, 100)}, {MEET(1)}, {SEND(2, 0)}},
     3,
     1e-12},
    /* Rank 1 sends for 3 s before it receives. Buffered, the message would be there after 1 s */
    {"a large message waits for its receive",
     {{LARGE(1, 100), SENT(1), SEND(2, 100)}, {SEND_WAIT(3, 300), RECEIVE(0, 1)}},
     5,
     1e-12},
    {"a blocking one, too",
     {{LARGE_WAIT(1, 100), SEND(2, 100)}, {SEND_WAIT(3, 300), RECEIVE(0, 1)}},
     5,
     1e-12},
    {"a small one doesn't",
     {{SEND_WAIT(1, 100), SEND(2, 100)}, {SEND_WAIT(3, 300), RECEIVE(0, 1)}},
     3,
     1e-12},
    {"a receive that was posted before",
     {{LARGE_WAIT(1, 100), SEND(2, 100)}, {POSTED(0, 1), SEND_WAIT(3, 300), ARRIVED(0, 1)}},
     3,
     1e-12},
    {"the rank goes on without its large message",
     {{LARGE(1, 100), SEND(2, 400)}, {SEND_WAIT(3, 300), RECEIVE(0, 1)}},
     5,
     1e-12},
    /* The second one waits: 1, then 3 to 4; rank 2 posts its receive only then */
    {"the second of two receives",
     {{LARGE(1, 100), LARGE_WAIT(1, 100), LARGE(2, 100)},
      {POSTED(0, 1), SEND_WAIT(3, 300), ARRIVED(0, 1), POSTED(0, 1), ARRIVED(0, 1), SEND(2, 0)},
      {RECEIVE(1, 1), RECEIVE(0, 1)}},
     5,
     1e-12},
    {"a small message takes a receive",
     {{SEND(1, 100), LARGE_WAIT(1, 100), SEND(2, 100)},
      {POSTED(0, 1), SEND_WAIT(3, 300), ARRIVED(0, 1), RECEIVE(0, 1)}},
     5,
     1e-12},
    {"a receive for any rank",
     {{LARGE_WAIT(1, 100), SEND(2, 100)}, {SEND_WAIT(3, 300), RECEIVE(ANY, 1)}},
     5,
     1e-12},
    {"a receive for another rank, and one for any",
     {{LARGE_WAIT(1, 100), SEND(2, 100)},
      {POSTED(3, 1), SEND_WAIT(3, 300), RECEIVE(ANY, 1), ARRIVED(3, 1)},
      {{0}},
      {SEND(1, 0)}},
     5,
     1e-12},
    {"a rank that only receives",
     {{LARGE_WAIT(3, 100), SEND(1, 100)}, {{0}}, {SEND(3, 300)}, {RECEIVE(2, 1), RECEIVE(0, 1)}},
     5,
     1e-12},
    /* Rank 1 may have posted the other one in an earlier phase */
    {"fewer receives than messages: nobody knows",
     {{LARGE_WAIT(1, 100), LARGE_WAIT(1, 100), SEND(2, 100)}, {SEND_WAIT(3, 300), RECEIVE(0, 1)}},
     3,
     1e-12},
    /* A stage can't take the next item before its own has gone: a link at a time is idle. Two
     * stages: 1 s in and 1 s out for each item, rank 0's first alone */
    {"pipeline of large messages",
     {{LOOP(1000, 1), LARGE_WAIT(1, 100)},
      {LOOP(1000, 2), RECEIVE(0, 1), LARGE_WAIT(2, 100)},
      {LOOP(1000, 1), RECEIVE(1, 1)}},
     2000,
     1e-9},
    {"the same, folded otherwise",
     {{LARGE_WAITS(1, 100, 1000)},
      {LOOP(1000, 2), RECEIVE(0, 1), LARGE_WAIT(2, 100)},
      {RECEIVE(1, 1000)}},
     2000,
     1e-9},
    {"the same with a receive ahead",
     {{LARGE_WAITS(1, 100, 1000)},
      {POSTED(0, 1), LOOP(999, 3), POSTED(0, 1), ARRIVED(0, 1), LARGE_WAIT(2, 100), ARRIVED(0, 1),
       LARGE_WAIT(2, 100)},
      {RECEIVE(1, 1000)}},
     1001,
     0.01},
    /* 131,072 bytes take 1310.72 s, the first 65,536 of them half of that */
    {"Open MPI sends 64 KiB at once",
     {{LARGE_WAIT(1, 131072), SEND(2, 100)}, {SEND_WAIT(3, 300000), RECEIVE(0, 1)}},
     3000 + 655.36 + 1,
     1e-12,
     "Open MPI 4.1.4"},
    {"MPICH doesn't",
     {{LARGE_WAIT(1, 131072), SEND(2, 100)}, {SEND_WAIT(3, 300000), RECEIVE(0, 1)}},
     3000 + 1310.72 + 1,
     1e-12,
     "MPICH 4.0.2"},
    {"a receive that is posted while the first part goes",
     {{LARGE_WAIT(1, 131072), SEND(2, 100)}, {SEND_WAIT(3, 10000), RECEIVE(0, 1)}},
     1310.72 + 1,
     1e-12,
     "Open MPI 4.1.4"},
    {"all but the last byte",
     {{LARGE_WAIT(1, 65536), SEND(2, 100)}, {SEND_WAIT(3, 300000), RECEIVE(0, 1)}},
     3000 + 0.01 + 1,
     1e-12,
     "Open MPI 4.1.4"},
    {"nobody waits for the first part of the next message",
     {{LARGE(1, 131072), LARGE_WAIT(1, 131072)},
      {RECEIVE(0, 1), SEND_WAIT(2, 200000), RECEIVE(0, 1)}},
     3310.72 + 655.36,
     1e-12,
     "Open MPI 4.1.4"},
    {"the same if rank 1 receives from anybody",
     {{LARGE_WAIT(1, 131072), SEND(2, 100)}, {SEND_WAIT(3, 300000), RECEIVE(ANY, 1)}},
     3000 + 655.36 + 1,
     1e-12,
     "Open MPI 4.1.4"},
    /* The trace had rank 2's message first. Here rank 1's comes after 1 s, rank 2's 2 s later,
     * while rank 1 gets its answer: 1, 3, 4 */
    {"whoever comes first is served first",
     {{FIRST(2), SEND(2, 100), FIRST(1), SEND(1, 200)},
      {SEND(0, 50), RECEIVE(0, 1)},
      {SEND(0, 250), RECEIVE(0, 1)}},
     4,
     1e-12},
    {"one after the other, as in the trace",
     {{RECEIVE(2, 1), SEND(2, 100), RECEIVE(1, 1), SEND(1, 200)},
      {SEND(0, 50), RECEIVE(0, 1)},
      {SEND(0, 250), RECEIVE(0, 1)}},
     6,
     1e-12},
    /* Rank 1 announces its message at once, rank 2 after 1 s, and rank 0 comes to them after 1.5 s.
     * Rank 1's takes 1 s, and 3 s go to its next one. Rank 2's first would be 1 s more */
    {"large messages are taken when they are announced",
     {{SEND_WAIT(3, 100), FIRST(2), FIRST(1), SEND(3, 100)},
      {LARGE_WAIT(0, 100), SEND(2, 300)},
      {SEND_WAIT(3, 50), LARGE_WAIT(0, 100)}},
     5.5,
     1e-12},
    /* Rank 2's message comes after 1 s, rank 1's after 2.5 s. Both then get 100 bytes by one link
     */
    {"what follows the last turn isn't of it",
     {{FIRST(1), FIRST(2), SEND(2, 100), SEND(1, 100)},
      {SEND(0, 200), RECEIVE(0, 1)},
      {SEND(0, 50), RECEIVE(0, 1)}},
     4.5,
     1e-12},
    /* Rank 2's second message comes at 5 s, rank 1's first at 6. Rank 1 gets its answers at 7, 12
     * and 17. If it were served once before rank 2 is served again, it would take 20 s */
    {"turns in a loop",
     {{LOOP(3, 4), FIRST(2), SEND(2, 100), FIRST(1), SEND(1, 100)},
      {LOOP(3, 2), SEND(0, 400), RECEIVE(0, 1)},
      {LOOP(3, 2), SEND(0, 100), RECEIVE(0, 1), SEND(3, 100)}},
     17,
     1e-12},
    /* Rank 0 needs three messages before it answers. Rank 2's first one, the third, comes after 6 s
     */
    {"receives of unknown ranks between those of one rank",
     {{FIRST(1), FIRST(ANY), FIRST(ANY), FIRST(1), SEND(1, 100), SEND(4, 300)},
      {SEND(0, 100), SEND(0, 100), RECEIVE(0, 1)},
      {SEND_WAIT(3, 500), SEND(0, 100), SEND(0, 100)}},
     10,
     1e-12},
    /* Rank 1 waits for rank 2's answer. Rank 3's message is for later */
    {"any of what was posted for certain ranks",
     {{SEND(1, 100)},
      {POSTED(2, 1), ARRIVED(ANY, 1), SEND(3, 100), RECEIVE(0, 1)},
      {SEND_WAIT(3, 300), SEND(1, 100)}},
     5,
     1e-12},
    {"any of many, most of an earlier phase",
     {{SEND(1, 100)},
      {POSTED(0, 1), POSTED(2, 1), POSTED(3, 1), POSTED(4, 1), POSTED(5, 1), POSTED(6, 1),
       POSTED(7, 1), ARRIVED(ANY, 7), SEND(3, 100)}},
     2,
     1e-12},
    {"the last of them in several waits",
     {{SEND(1, 100)},
      {POSTED(2, 1), POSTED(3, 1), ARRIVED(ANY, 1), ARRIVED(ANY, 1), SEND(3, 100), RECEIVE(0, 1)},
      {SEND_WAIT(3, 300), SEND(1, 100)},
      {SEND(1, 100)}},
     5,
     1e-12},
    /* Both stages send before they receive: recorded programs of an MPI that buffers so much */
    {"both send first",
     {{LARGE_WAIT(1, 100), RECEIVE(1, 1)}, {LARGE_WAIT(0, 100), RECEIVE(0, 1)}},
     2,
     1e-12},
    /* Messages that never come: the programs don't fit together. Each goes on when nothing else
     * happens */
    {"both wait", {{RECEIVE(1, 1), SEND(1, 100)}, {RECEIVE(0, 1), SEND(0, 100)}}, 2, 1e-12},
    {"a message of an earlier phase", {{RECEIVE(3, 5), SEND(1, 100)}}, 1, 1e-12},
};

static size_t n_steps(const berth_step_t *s)
{
  size_t n = 0;
  while (n < MOST_STEPS && s[n].times) n++;
  return n;
}

static void closed_forms(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_topo_t *t = make_machine(&star);
    berth_pattern_t *p = new_pattern();
    if (cases[i].mpi)
      assert_int_equal(berth_pattern_set_origin(p, cases[i].mpi, "", NULL), BERTH_OK);
    for (int r = 0; r < 4; r++)
      if (n_steps(cases[i].steps[r]))
        add_program(p, r, cases[i].steps[r], n_steps(cases[i].steps[r]));
    assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
    double cost = cost_of(p, t, BERTH_MODEL_FLOW, in_order(t));
    if (fabs(cost - cases[i].cost) > cases[i].tolerance * cases[i].cost)
      FAIL_ROW(cases[i].name, "found %.17g, expected %.17g", cost, cases[i].cost);
    if (cost < cost_of(p, t, BERTH_MODEL_BOUND, in_order(t)) * (1 - 1e-9))
      FAIL_ROW(cases[i].name, "less than bound");
    berth_pattern_free(p);
    berth_topo_free(t);
  }
}

/* --- a slow simulation -------------------------------------------------------------------------
 */

enum { MOST_PROGRAM = 500 };

/* What a rank of a slow program has done. */
typedef struct slow_rank {
  berth_step_t *steps; /* without loops */
  size_t n, at;
  int flow_of[MOST_PROGRAM]; /* of its steps that send */
  int needed[RANKS], needed_in_all, visits[2];
  int posted[RANKS], posted_any;
} slow_rank_t;

typedef struct slow_program {
  slow_rank_t rank[RANKS];
  slow_flow_t flow[MOST_FLOWS];
  const berth_step_t *send[MOST_FLOWS];
  double came[MOST_FLOWS]; /* when its receiver saw it; INFINITY: not yet */
  int n;
} slow_program_t;

static int delivered(const slow_program_t *x, int src, int dst)
{
  int n = 0;
  for (int i = 0; i < x->n; i++)
    n += x->flow[i].dst == dst && (src == ANY || x->flow[i].src == src) && x->flow[i].left == 0;
  return n;
}

static bool all_sent(const slow_program_t *x, int src, int dst)
{
  for (int i = 0; i < x->n; i++)
    if (x->flow[i].src == src && x->flow[i].dst == dst && !x->flow[i].held && x->flow[i].left > 0)
      return false;
  return true;
}

static int members(int comm) { return comm ? 4 : RANKS; }

/* Whether a rank that has come to a step may go on. */
static bool may_pass(const slow_program_t *x, int rank, const berth_step_t *s)
{
  const slow_rank_t *me = &x->rank[rank];
  bool all = s->kind == BERTH_STEP_MEET || (s->kind == BERTH_STEP_TO_ROOT && s->root == rank);
  switch (s->kind) {
  case BERTH_STEP_SEND:
    return !(s->mode & 1) || all_sent(x, rank, s->peer);
  case BERTH_STEP_SENT:
    return all_sent(x, rank, s->peer);
  case BERTH_STEP_POSTED:
    return true;
  case BERTH_STEP_ARRIVED:
  case BERTH_STEP_RECEIVE:
    return s->peer == ANY ? delivered(x, ANY, rank) >= me->needed_in_all
                          : delivered(x, s->peer, rank) >= me->needed[s->peer];
  default:
    for (int r = 0; r < members(s->peer); r++)
      if ((all || (s->kind == BERTH_STEP_FROM_ROOT && r == s->root)) &&
          x->rank[r].visits[s->peer] < me->visits[s->peer])
        return false;
    return true;
  }
}

/* The rank comes to its next step. */
static void arrive(slow_program_t *x, int rank)
{
  slow_rank_t *me = &x->rank[rank];
  const berth_step_t *s = &me->steps[me->at++];
  if (s->kind == BERTH_STEP_SEND) x->flow[me->flow_of[me->at - 1]].held = false;
  if (s->kind == BERTH_STEP_RECEIVE || s->kind == BERTH_STEP_POSTED)
    *(s->peer == ANY ? &me->posted_any : &me->posted[s->peer]) += 1;
  if (s->kind == BERTH_STEP_RECEIVE || s->kind == BERTH_STEP_ARRIVED) {
    if (s->peer != ANY) me->needed[s->peer] += 1;
    me->needed_in_all += 1;
  }
  if (s->kind >= BERTH_STEP_MEET) me->visits[s->peer]++;
}

/* Whether a rank's program posts a receive for each message of another one. */
static bool posts_enough(const slow_program_t *x, int src, int dst)
{
  int receives = 0;
  for (size_t i = 0; i < x->rank[dst].n; i++) {
    const berth_step_t *s = &x->rank[dst].steps[i];
    receives += (s->kind == BERTH_STEP_RECEIVE || s->kind == BERTH_STEP_POSTED) &&
                (s->peer == src || s->peer == ANY);
  }
  for (int i = 0; i < x->n; i++) receives -= x->flow[i].src == src && x->flow[i].dst == dst;
  return receives >= 0;
}

/* Finds which messages wait for receives that aren't posted. */
static void look_at_receives(slow_program_t *x)
{
  int before[RANKS][RANKS] = {0};
  for (int i = 0; i < x->n; i++) {
    int src = x->flow[i].src, dst = x->flow[i].dst;
    const slow_rank_t *to = &x->rank[dst];
    x->flow[i].unposted = x->send[i]->mode & 2 && posts_enough(x, src, dst) &&
                          to->posted[src] + to->posted_any <= before[src][dst];
    before[src][dst]++;
  }
}

/* Notes which messages their receivers see: they have been delivered, or they were announced since
 * they need a receive. Earlier ones of the same pair come first. */
static void look_at_messages(slow_program_t *x, double time)
{
  for (int i = 0; i < x->n; i++) {
    bool first = true;
    const slow_flow_t *f = &x->flow[i];
    for (int k = 0; k < i; k++)
      first =
          first && (x->flow[k].src != f->src || x->flow[k].dst != f->dst || x->flow[k].left == 0);
    bool announced = first && !f->held && x->send[i]->mode & 2 && posts_enough(x, f->src, f->dst);
    if (f->left == 0 || announced) x->came[i] = fmin(x->came[i], time);
  }
}

static bool is_first(const berth_step_t *s)
{
  return s->kind == BERTH_STEP_RECEIVE && s->mode == BERTH_RECEIVE_FIRST;
}

/* The message that a rank's next receive from a source is for. -1: there is none. */
static int next_message(const slow_program_t *x, int src, int dst)
{
  int before = x->rank[dst].needed[src];
  for (int i = 0; i < x->n; i++)
    if (x->flow[i].src == src && x->flow[i].dst == dst && before-- == 0) return i;
  return -1;
}

static void swap_steps(slow_rank_t *me, size_t a, size_t b)
{
  berth_step_t step = me->steps[a];
  int flow = me->flow_of[a];
  me->steps[a] = me->steps[b];
  me->flow_of[a] = me->flow_of[b];
  me->steps[b] = step;
  me->flow_of[b] = flow;
}

/* A rank comes to turns, of two steps each: the one whose message came first is next. Returns false
 * if none came. */
static bool choose_turn(slow_program_t *x, int rank)
{
  double first = INFINITY;
  size_t next = 0;
  bool looked[RANKS] = {false};
  slow_rank_t *me = &x->rank[rank];
  for (size_t i = me->at; i < me->n && is_first(&me->steps[i]); i += 2) {
    int src = me->steps[i].peer, message = next_message(x, src, rank);
    double came = message < 0 ? 0 : x->came[message];
    if (!looked[src] && came < first) {
      first = came;
      next = i;
    }
    looked[src] = true;
  }
  for (; first < INFINITY && next > me->at; next -= 2) {
    swap_steps(me, next, next - 2);
    swap_steps(me, next + 1, next - 1);
  }
  return first < INFINITY;
}

/* Lets all ranks go as far as they can. */
static void go_on(slow_program_t *x, double time)
{
  for (bool moved = true, choose = false; moved || !choose;) {
    choose = !moved; /* turns when nothing else moves */
    moved = false;
    look_at_receives(x);
    slow_end_free(x->flow, x->n, time);
    look_at_messages(x, time);
    for (int r = 0; r < RANKS; r++) {
      slow_rank_t *me = &x->rank[r];
      if (me->at == me->n || (me->at > 0 && !may_pass(x, r, &me->steps[me->at - 1]))) continue;
      if (is_first(&me->steps[me->at]) && (!choose || !choose_turn(x, r))) continue;
      arrive(x, r);
      moved = true;
    }
  }
}

static double slow_program_cost(slow_program_t *x, const berth_topo_t *t, const int *pu_of_rank)
{
  double time = 0;
  x->n = 0;
  for (int r = 0; r < RANKS; r++) {
    for (size_t i = 0; i < x->rank[r].n; i++) {
      const berth_step_t *s = &x->rank[r].steps[i];
      if (s->kind != BERTH_STEP_SEND) continue;
      assert_in_range(x->n, 0, MOST_FLOWS - 1);
      x->rank[r].flow_of[i] = x->n;
      x->came[x->n] = INFINITY;
      x->send[x->n] = s;
      x->flow[x->n++] = slow_message(t, r, s->peer, (double)s->size, pu_of_rank);
    }
  }
  do go_on(x, time);
  while (slow_step(t, x->flow, x->n, &time));
  for (int r = 0; r < RANKS; r++) assert_int_equal(x->rank[r].at, x->rank[r].n);
  return time;
}

/* --- random programs that end ------------------------------------------------------------------
 */

enum { EVENTS = 14 };

typedef struct programs {
  berth_step_t step[RANKS][MOST_PROGRAM];
  size_t n[RANKS];
  int ahead[RANKS][RANKS]; /* receives that a rank has posted for another one's next messages */
  int silent;              /* the receives of this rank weren't recorded */
} programs_t;

static void add_step(programs_t *x, int rank, berth_step_kind_t kind, int peer, uint64_t times)
{
  assert_in_range(x->n[rank], 0, MOST_PROGRAM - 1);
  x->step[rank][x->n[rank]++] = (berth_step_t){.kind = kind, .peer = peer, .times = times};
}

static void add_send(programs_t *x, int src, int dst, uint64_t size, int mode)
{
  add_step(x, src, BERTH_STEP_SEND, dst, 1);
  x->step[src][x->n[src] - 1].size = size;
  x->step[src][x->n[src] - 1].mode = (uint16_t)mode;
}

/* A rank serves those that send it messages, and they wait for its answers. A source may have two.
 */
static void serve(programs_t *x, dice_t *d, int rank)
{
  int n = 2 + roll(d, 4), source[5], answer[5];
  for (int i = 0; i < n; i++) {
    source[i] = (rank + 1 + roll(d, RANKS - 1)) % RANKS;
    answer[i] = 1 + roll(d, 500);
    add_send(x, source[i], rank, 1 + (uint64_t)roll(d, 2000), roll(d, BERTH_SEND_MODES));
  }
  for (int i = 0; i < n; i++) {
    add_step(x, rank, BERTH_STEP_RECEIVE, source[i], 1);
    x->step[rank][x->n[rank] - 1].mode = BERTH_RECEIVE_FIRST;
    add_send(x, rank, source[i], (uint64_t)answer[i], roll(d, 2));
  }
  add_step(x, rank, BERTH_STEP_SENT, rank, 1); /* what follows is no turn */
  for (int i = 0; i < n; i++) add_step(x, source[i], BERTH_STEP_RECEIVE, rank, 1);
}

/* What a rank does to get messages. */
static void receive(programs_t *x, dice_t *d, int src, int dst, uint64_t times)
{
  int how = roll(d, 8), *ahead = &x->ahead[dst][src];
  if (dst == x->silent) return;
  if (*ahead >= (int)times) {
    add_step(x, dst, BERTH_STEP_ARRIVED, src, times);
    *ahead -= (int)times;
  } else if (how == 0) {
    add_step(x, dst, BERTH_STEP_POSTED, src, times); /* nobody waits for it */
  } else {
    add_step(x, dst, BERTH_STEP_RECEIVE, how == 1 ? ANY : src, times);
  }
}

/* Something that happens, with all that it needs: each step's conditions are met by what other
 * ranks do in earlier events. */
static void add_event(programs_t *x, dice_t *d)
{
  int src = roll(d, RANKS), dst = roll(d, RANKS), comm = roll(d, 2);
  int kind = roll(d, 15), root = roll(d, members(comm));
  uint64_t times = roll(d, 4) ? 1 : 1 + (uint64_t)roll(d, 3);
  if (kind < 8) {
    add_step(x, src, BERTH_STEP_SEND, dst, times);
    x->step[src][x->n[src] - 1].size = roll(d, 5) ? 1 + (uint64_t)roll(d, 2000) : 0;
    x->step[src][x->n[src] - 1].mode = roll(d, BERTH_SEND_MODES);
    if (src == dst) x->step[src][x->n[src] - 1].mode &= BERTH_SEND_BLOCKS;
    receive(x, d, src, dst, times);
    if (kind < 2) add_step(x, src, BERTH_STEP_SENT, dst, 1);
  } else if (kind < 10) {
    x->ahead[dst][src] += (int)times;
    if (dst != x->silent) add_step(x, dst, BERTH_STEP_POSTED, src, times);
  } else if (kind == 14) {
    serve(x, d, dst);
  } else {
    berth_step_kind_t call = kind == 10   ? BERTH_STEP_FROM_ROOT
                             : kind == 11 ? BERTH_STEP_TO_ROOT
                                          : BERTH_STEP_MEET;
    for (int r = 0; r < members(comm); r++) {
      add_step(x, r, call, comm, 1);
      x->step[r][x->n[r] - 1].root = call == BERTH_STEP_MEET ? 0 : root;
    }
  }
}

/* Steps one by one, without loops. */
static void write_out(programs_t *x, int rank, const berth_step_t *s, size_t n)
{
  for (size_t i = 0; i < n; i++)
    for (uint64_t k = 0; k < s[i].times; k++) {
      add_step(x, rank, s[i].kind, s[i].peer, 1);
      x->step[rank][x->n[rank] - 1].size = s[i].size;
      x->step[rank][x->n[rank] - 1].mode = s[i].mode;
      x->step[rank][x->n[rank] - 1].root = s[i].root;
    }
}

static void add_events(programs_t *x, dice_t *d, int n)
{
  memset(x->ahead, 0, sizeof x->ahead);
  for (; n > 0; n--) add_event(x, d);
}

/* A prologue, a loop whose body all ranks do equally often, and an epilogue; and the same without
 * the loop. */
static void random_programs(uint64_t seed, programs_t *folded, programs_t *plain)
{
  dice_t d = {seed};
  int times = 1 + roll(&d, 4);
  size_t begin[RANKS], end[RANKS];
  *folded = *plain = (programs_t){.silent = roll(&d, 3 * RANKS)};
  add_events(folded, &d, roll(&d, 5));
  for (int r = 0; r < RANKS; r++) {
    begin[r] = folded->n[r];
    add_step(folded, r, BERTH_STEP_LOOP, 0, (uint64_t)times);
  }
  add_events(folded, &d, 1 + roll(&d, EVENTS));
  for (int r = 0; r < RANKS; r++) {
    end[r] = folded->n[r];
    folded->step[r][begin[r]].steps = end[r] - begin[r] - 1;
    if (end[r] == begin[r] + 1) end[r] = folded->n[r] = begin[r];
  }
  add_events(folded, &d, roll(&d, 5));
  for (int r = 0; r < RANKS; r++) {
    const berth_step_t *s = folded->step[r];
    size_t body = begin[r] + (end[r] > begin[r]);
    write_out(plain, r, s, begin[r]);
    for (int k = 0; k < times; k++) write_out(plain, r, s + body, end[r] - body);
    write_out(plain, r, s + end[r], folded->n[r] - end[r]);
  }
}

static double slow_cost_of(programs_t *plain, const berth_topo_t *t, const int *pu_of_rank)
{
  static slow_program_t slow;
  slow = (slow_program_t){0};
  for (int r = 0; r < RANKS; r++)
    slow.rank[r] = (slow_rank_t){.steps = plain->step[r], .n = plain->n[r]};
  return slow_program_cost(&slow, t, pu_of_rank);
}

static void a_slow_simulation_agrees(void **state)
{
  (void)state;
  static programs_t folded, plain;
  int waits = 0, large = 0;
  for (uint64_t seed = 1; seed <= (uint64_t)rounds_of(300); seed++) {
    int pu_of_rank[RANKS];
    char name[32];
    snprintf(name, sizeof name, "seed %d", (int)seed);
    random_programs(seed, &folded, &plain);
    berth_topo_t *t = random_machine(seed, 1);
    berth_pattern_t *p = new_pattern(), *unordered = new_pattern();
    for (int r = 0; r < RANKS; r++) {
      add_program(p, r, folded.step[r], folded.n[r]);
      add_messages(unordered, r, folded.step[r], folded.n[r], 1);
    }
    assert_int_equal(berth_pattern_finish(p, NULL), BERTH_OK);
    assert_int_equal(berth_pattern_finish(unordered, NULL), BERTH_OK);
    random_placement(seed, t, own_names, pu_of_rank);
    double cost = cost_of(p, t, BERTH_MODEL_FLOW, pu_of_rank);
    double expected = slow_cost_of(&plain, t, pu_of_rank);
    if (differ(cost, expected)) FAIL_ROW(name, "found %.17g, expected %.17g", cost, expected);
    waits += cost > 1.05 * cost_of(unordered, t, BERTH_MODEL_FLOW, pu_of_rank);
    for (int r = 0; r < RANKS; r++)
      for (size_t i = 0; i < plain.n[r]; i++) plain.step[r][i].mode &= BERTH_SEND_BLOCKS;
    large += cost > 1.01 * slow_cost_of(&plain, t, pu_of_rank);
    berth_pattern_free(p);
    berth_pattern_free(unordered);
    berth_topo_free(t);
  }
  /* else the programs show nothing */
  assert_in_range(waits, rounds_of(300) / 15, 100000);
  assert_in_range(large, rounds_of(300) / 15, 100000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(a_slow_simulation_agrees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
