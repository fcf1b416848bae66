/* SPDX-License-Identifier: BSD-3-Clause */
/* Model flow with recorded programs: ranks that wait for messages and for one another. */
#include "cost/program_patterns.h"

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
enum { MOST_STEPS = 12 };

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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(closed_forms)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
