/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules: what the built-in ones choose for calls on both sides of their borders, and what the
 * reader says of files that it refuses. */
#include "harness.h"
#include "schedule/schedule_rules.h"

enum { IN_ORDER = 1, USER = 2 }; /* a reduction's operation: not commutative, the program's own */

static const struct {
  const char *rules;
  schedule_op_t op;
  int size;
  int64_t bytes;
  int element, operation;
  const char *stages; /* their algorithms, with the operation where it is another */
} calls[] = {
    /* Open MPI: sizes of communicators */
    {"openmpi-4.1", SCHEDULE_BARRIER, 1, 0, 1, 0, ""},
    {"openmpi-4.1", SCHEDULE_BARRIER, 3, 0, 1, 0, "recursive_doubling"},
    {"openmpi-4.1", SCHEDULE_BARRIER, 4, 0, 1, 0, "linear"},
    {"openmpi-4.1", SCHEDULE_BARRIER, 7, 0, 1, 0, "linear"},
    {"openmpi-4.1", SCHEDULE_BARRIER, 8, 0, 1, 0, "recursive_doubling"},
    {"openmpi-4.1", SCHEDULE_BARRIER, 64, 0, 1, 0, "bruck"},
    {"openmpi-4.1", SCHEDULE_BARRIER, 256, 0, 1, 0, "tree"},
    {"openmpi-4.1", SCHEDULE_BARRIER, 4096, 0, 1, 0, "bruck"},
    /* sizes of blocks */
    {"openmpi-4.1", SCHEDULE_BCAST, 8, 0, 1, 0, ""},
    {"openmpi-4.1", SCHEDULE_BCAST, 8, 7, 1, 0, "knomial"},
    {"openmpi-4.1", SCHEDULE_BCAST, 8, 8, 1, 0, "binary"},
    {"openmpi-4.1", SCHEDULE_BCAST, 8, 64, 1, 0, "knomial"},
    {"openmpi-4.1", SCHEDULE_BCAST, 8, 4096, 4, 0, "binary"},
    {"openmpi-4.1", SCHEDULE_BCAST, 8, 32768, 4, 0, "linear"},
    {"openmpi-4.1", SCHEDULE_BCAST, 16, 1048572, 4, 0, "binomial"},
    {"openmpi-4.1", SCHEDULE_BCAST, 16, 1048576, 4, 0, "scatter_allgather"},
    {"openmpi-4.1", SCHEDULE_BCAST, 512, 16384, 1, 0, "split_binary_tree"},
    {"openmpi-4.1", SCHEDULE_BCAST, 512, 16384, 16384, 0, "chain"},
    /* a reduction's operation; too few elements for an algorithm */
    {"openmpi-4.1", SCHEDULE_REDUCE, 8, 8192, 4, 0, "binomial"},
    {"openmpi-4.1", SCHEDULE_REDUCE, 8, 8188, 4, 0, "binary"},
    {"openmpi-4.1", SCHEDULE_REDUCE, 8, 8188, 4, IN_ORDER, "linear"},
    {"openmpi-4.1", SCHEDULE_REDUCE, 8, 8192, 4, IN_ORDER, "in_order_binary"},
    {"openmpi-4.1", SCHEDULE_REDUCE, 2, 4, 4, 0, "linear"},
    {"openmpi-4.1", SCHEDULE_REDUCE, 2, 4, 1, 0, "rabenseifner"},
    {"openmpi-4.1", SCHEDULE_ALLREDUCE, 8, 8188, 4, USER, "recursive_doubling"},
    {"openmpi-4.1", SCHEDULE_ALLREDUCE, 8, 8192, 4, USER, "rabenseifner"},
    {"openmpi-4.1", SCHEDULE_ALLREDUCE, 8, 8192, 8192, 0, "reduce:linear bcast:linear"},
    {"openmpi-4.1", SCHEDULE_ALLREDUCE, 8, 1048576, 4, IN_ORDER,
     "reduce:in_order_binary bcast:linear"},
    {"openmpi-4.1", SCHEDULE_ALLREDUCE, 3, 4, 4, 0, "recursive_doubling"},
    {"openmpi-4.1", SCHEDULE_ALLREDUCE, 3, 65536, 4, 0, "ring"},
    /* conditions of algorithms; stages with the blocks of all */
    {"openmpi-4.1", SCHEDULE_ALLGATHER, 2, 4, 4, 0, "two_proc"},
    {"openmpi-4.1", SCHEDULE_ALLGATHER, 8, 4, 4, 0, "recursive_doubling"},
    {"openmpi-4.1", SCHEDULE_ALLGATHER, 7, 4, 4, 0, "bruck"},
    {"openmpi-4.1", SCHEDULE_ALLGATHER, 33, 1024, 4, 0, "ring"},
    {"openmpi-4.1", SCHEDULE_ALLGATHER, 34, 1024, 4, 0, "neighbor"},
    {"openmpi-4.1", SCHEDULE_ALLTOALL, 2, 3, 1, 0, "two_proc"},
    {"openmpi-4.1", SCHEDULE_ALLTOALL, 16, 511, 1, 0, "bruck"},
    {"openmpi-4.1", SCHEDULE_ALLTOALL, 16, 512, 1, 0, "linear_sync"},
    {"openmpi-4.1", SCHEDULE_REDUCE_SCATTER_BLOCK, 8, 4, 4, 0, "recursive_halving"},
    {"openmpi-4.1", SCHEDULE_REDUCE_SCATTER_BLOCK, 8, 2048, 4, IN_ORDER,
     "reduce:linear scatter:binomial"},
    {"openmpi-4.1", SCHEDULE_GATHER, 4, 1024, 4, 0, "linear"},
    {"openmpi-4.1", SCHEDULE_SCATTER, 8, 16384, 4, 0, "linear_nb"},
    {"openmpi-4.1", SCHEDULE_SCAN, 5, 4, 4, 0, "linear"},
    {"openmpi-4.1", SCHEDULE_EXSCAN, 5, 4, 4, 0, "linear"},
    /* MPICH: sizes of communicators; 8 counts as below 8 for alltoall alone */
    {"mpich-4.0", SCHEDULE_BARRIER, 1, 0, 1, 0, ""},
    {"mpich-4.0", SCHEDULE_BARRIER, 2, 0, 1, 0, "dissemination"},
    {"mpich-4.0", SCHEDULE_BCAST, 7, 1048576, 4, 0, "knomial"},
    {"mpich-4.0", SCHEDULE_BCAST, 8, 0, 4, 0, ""},
    {"mpich-4.0", SCHEDULE_BCAST, 8, 12288, 4, 0, "knomial"},
    {"mpich-4.0", SCHEDULE_BCAST, 8, 12289, 1, 0, "scatter_recursive_doubling_allgather"},
    {"mpich-4.0", SCHEDULE_BCAST, 8, 524288, 4, 0, "scatter_recursive_doubling_allgather"},
    {"mpich-4.0", SCHEDULE_BCAST, 8, 524292, 4, 0, "scatter_ring_allgather"},
    {"mpich-4.0", SCHEDULE_BCAST, 9, 12292, 4, 0, "scatter_ring_allgather"},
    {"mpich-4.0", SCHEDULE_ALLTOALL, 8, 4, 4, 0, "scattered"},
    {"mpich-4.0", SCHEDULE_ALLTOALL, 9, 256, 4, 0, "brucks"},
    {"mpich-4.0", SCHEDULE_ALLTOALL, 9, 257, 1, 0, "scattered"},
    {"mpich-4.0", SCHEDULE_ALLTOALL, 9, 32768, 4, 0, "scattered"},
    {"mpich-4.0", SCHEDULE_ALLTOALL, 9, 32772, 4, 0, "pairwise"},
    {"mpich-4.0", SCHEDULE_ALLTOALL, 8, 32772, 4, 0, "pairwise_xor"},
    {"mpich-4.0", SCHEDULE_ALLGATHER, 8, 65535, 1, 0, "recursive_doubling"},
    {"mpich-4.0", SCHEDULE_ALLGATHER, 8, 65536, 1, 0, "ring"},
    {"mpich-4.0", SCHEDULE_ALLGATHER, 5, 16383, 1, 0, "brucks"},
    {"mpich-4.0", SCHEDULE_ALLGATHER, 5, 16384, 1, 0, "ring"},
    /* a reduction's operation; too few elements */
    {"mpich-4.0", SCHEDULE_REDUCE, 8, 2048, 4, 0, "binomial"},
    {"mpich-4.0", SCHEDULE_REDUCE, 8, 2052, 4, 0, "reduce_scatter_gather"},
    {"mpich-4.0", SCHEDULE_REDUCE, 8, 2052, 4, USER, "binomial"},
    {"mpich-4.0", SCHEDULE_REDUCE, 8, 2052, 4, IN_ORDER | USER, "binomial_in_order"},
    {"mpich-4.0", SCHEDULE_REDUCE, 8, 7168, 1024, 0, "binomial"},
    {"mpich-4.0", SCHEDULE_REDUCE, 8, 8192, 1024, 0, "reduce_scatter_gather"},
    {"mpich-4.0", SCHEDULE_ALLREDUCE, 4, 8, 1, 0, "recursive_doubling"},
    {"mpich-4.0", SCHEDULE_ALLREDUCE, 4, 9, 1, 0, "reduce_scatter_allgather"},
    {"mpich-4.0", SCHEDULE_ALLREDUCE, 4, 9, 1, USER, "recursive_doubling"},
    {"mpich-4.0", SCHEDULE_ALLREDUCE, 7, 12, 4, 0, "recursive_doubling"},
    {"mpich-4.0", SCHEDULE_ALLREDUCE, 7, 16, 4, 0, "reduce_scatter_allgather"},
    {"mpich-4.0", SCHEDULE_REDUCE_SCATTER_BLOCK, 8, 65535, 1, 0, "recursive_halving"},
    {"mpich-4.0", SCHEDULE_REDUCE_SCATTER_BLOCK, 8, 65536, 1, 0, "pairwise"},
    {"mpich-4.0", SCHEDULE_REDUCE_SCATTER_BLOCK, 8, 65536, 1, IN_ORDER | USER, "noncommutative"},
    {"mpich-4.0", SCHEDULE_REDUCE_SCATTER_BLOCK, 7, 4, 4, IN_ORDER | USER, "recursive_doubling"},
    {"mpich-4.0", SCHEDULE_GATHER, 7, 4, 4, 0, "binomial"},
    {"mpich-4.0", SCHEDULE_SCATTER, 7, 1048576, 4, 0, "binomial"},
    {"mpich-4.0", SCHEDULE_SCAN, 7, 4, 4, 0, "recursive_doubling"},
    {"mpich-4.0", SCHEDULE_EXSCAN, 7, 4, 4, 0, "recursive_doubling"},
    /* operations whose blocks may differ, with equal ones */
    {"openmpi-4.1", SCHEDULE_ALLTOALLV, 3, 0, 4, 0, "pairwise"},
    {"openmpi-4.1", SCHEDULE_ALLTOALLV, 4, 4, 4, 0, "linear"},
    {"openmpi-4.1", SCHEDULE_ALLTOALLV, 64, 4, 4, 0, "pairwise"},
    {"openmpi-4.1", SCHEDULE_ALLTOALLV, 1024, 4, 4, 0, "linear"},
    {"openmpi-4.1", SCHEDULE_ALLGATHERV, 4, 0, 4, 0, ""},
    {"openmpi-4.1", SCHEDULE_ALLGATHERV, 2, 2048, 4, 0, "two_proc"},
    {"openmpi-4.1", SCHEDULE_ALLGATHERV, 6, 255, 1, 0, "gatherv:linear bcast:binary"},
    {"openmpi-4.1", SCHEDULE_ALLGATHERV, 6, 256, 1, 0, "neighbor"},
    {"openmpi-4.1", SCHEDULE_ALLGATHERV, 7, 256, 1, 0, "ring"},
    {"openmpi-4.1", SCHEDULE_ALLGATHERV, 512, 4096, 1, 0, "neighbor"},
    {"openmpi-4.1", SCHEDULE_REDUCE_SCATTER, 3, 4, 4, 0, "ring"},
    {"openmpi-4.1", SCHEDULE_REDUCE_SCATTER, 2, 32768, 4, 0, "butterfly"},
    {"openmpi-4.1", SCHEDULE_REDUCE_SCATTER, 8, 32764, 4, 0, "recursive_halving"},
    {"openmpi-4.1", SCHEDULE_REDUCE_SCATTER, 8, 32768, 4, 0, "ring"},
    {"openmpi-4.1", SCHEDULE_REDUCE_SCATTER, 8, 4, 4, IN_ORDER,
     "reduce:in_order_binary "
     "scatterv:linear"},
    {"openmpi-4.1", SCHEDULE_GATHERV, 9, 4, 4, 0, "linear"},
    {"mpich-4.0", SCHEDULE_ALLTOALLV, 9, 65536, 4, 0, "scattered"},
    {"mpich-4.0", SCHEDULE_ALLGATHERV, 8, 65535, 1, 0, "recursive_doubling"},
    {"mpich-4.0", SCHEDULE_ALLGATHERV, 8, 65536, 1, 0, "pipelined_ring"},
    {"mpich-4.0", SCHEDULE_ALLGATHERV, 5, 16383, 1, 0, "brucks"},
    {"mpich-4.0", SCHEDULE_SCATTERV, 9, 4, 4, 0, "linear"},
    {"mpich-4.0", SCHEDULE_REDUCE_SCATTER, 8, 65535, 1, 0, "recursive_halving"},
    {"mpich-4.0", SCHEDULE_REDUCE_SCATTER, 8, 65536, 1, 0, "pairwise"},
    {"mpich-4.0", SCHEDULE_REDUCE_SCATTER, 8, 0, 1, 0, ""},
    {"mpich-4.0", SCHEDULE_REDUCE_SCATTER, 8, 0, 1, IN_ORDER | USER, "noncommutative"},
    {"mpich-4.0", SCHEDULE_REDUCE_SCATTER, 7, 4, 4, IN_ORDER | USER, "recursive_doubling"}};

/* Calls with blocks of different sizes: `bytes` of the first rank, and nothing of the others. */
static const struct {
  const char *rules;
  schedule_op_t op;
  int size;
  int64_t bytes;
  int operation;
  const char *stages;
} unequal[] = {{"openmpi-4.1", SCHEDULE_ALLGATHERV, 6, 1535, 0, "gatherv:linear bcast:binary"},
               {"openmpi-4.1", SCHEDULE_ALLGATHERV, 6, 1536, 0, "neighbor"},
               {"openmpi-4.1", SCHEDULE_ALLGATHERV, 6, 3, 0, "gatherv:linear bcast:binary"},
               {"openmpi-4.1", SCHEDULE_REDUCE_SCATTER, 8, 262143, 0, "recursive_halving"},
               {"openmpi-4.1", SCHEDULE_REDUCE_SCATTER, 8, 262144, 0, "ring"},
               {"mpich-4.0", SCHEDULE_ALLGATHERV, 8, 524287, 0, "recursive_doubling"},
               {"mpich-4.0", SCHEDULE_ALLGATHERV, 8, 524288, 0, "pipelined_ring"},
               {"mpich-4.0", SCHEDULE_REDUCE_SCATTER, 8, 8, IN_ORDER | USER, "recursive_doubling"},
               {"mpich-4.0", SCHEDULE_REDUCE_SCATTER, 8, 524288, 0, "pairwise"}};

static schedule_rules_t *load(const char *name)
{
  berth_error_t err = {0};
  schedule_rules_t *rules;
  if (schedule_rules_load(name, &rules, &err)) FAIL_ROW(name, "%s", err.text);
  return rules;
}

/* The stages in words: "linear", "reduce:linear bcast:linear", "nothing said". */
static void describe(const schedule_rules_t *rules, const schedule_request_t *q, char out[256])
{
  schedule_stage_t stage[SCHEDULE_STAGES];
  int n = schedule_decide(rules, q, stage);
  size_t used = (size_t)snprintf(out, 256, "%s", n < 0 ? "nothing said" : "");
  for (int i = 0; i < n; i++) {
    bool other = stage[i].call.op != q->call.op;
    used += (size_t)snprintf(out + used, 256 - used, "%s%s%s%s", i ? " " : "",
                             other ? schedule_op_name(stage[i].call.op) : "", other ? ":" : "",
                             stage[i].algorithm->name);
  }
}

static void rules_choose(void **state)
{
  (void)state;
  schedule_rules_t *rules = NULL;
  for (size_t i = 0; i < COUNT(calls); i++) {
    char found[256];
    schedule_request_t q = {.call = {.op = calls[i].op,
                                     .size = calls[i].size,
                                     .count = calls[i].bytes / calls[i].element,
                                     .commutative = !(calls[i].operation & IN_ORDER)},
                            .element = calls[i].element,
                            .user_operation = calls[i].operation};
    if (!rules || strcmp(schedule_rules_name(rules), calls[i].rules) != 0) {
      schedule_rules_free(rules);
      rules = load(calls[i].rules);
    }
    describe(rules, &q, found);
    if (strcmp(found, calls[i].stages) != 0)
      FAIL_ROW(calls[i].rules, "%s of %lld bytes on %d ranks: found \"%s\", expected \"%s\"",
               schedule_op_name(calls[i].op), (long long)calls[i].bytes, calls[i].size, found,
               calls[i].stages);
  }
  schedule_rules_free(rules);
}

static void rules_see_unequal_blocks(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(unequal); i++) {
    char found[256];
    int64_t own[8] = {unequal[i].bytes};
    schedule_rules_t *rules = load(unequal[i].rules);
    schedule_blocks_t *blocks = schedule_blocks_new(unequal[i].op, unequal[i].size, own);
    schedule_request_t q = {.call = {.op = unequal[i].op,
                                     .size = unequal[i].size,
                                     .blocks = blocks,
                                     .commutative = !(unequal[i].operation & IN_ORDER)},
                            .element = 1,
                            .user_operation = unequal[i].operation};
    describe(rules, &q, found);
    if (strcmp(found, unequal[i].stages) != 0)
      FAIL_ROW(unequal[i].rules, "%s of %lld bytes on %d ranks: found \"%s\", expected \"%s\"",
               schedule_op_name(unequal[i].op), (long long)unequal[i].bytes, unequal[i].size, found,
               unequal[i].stages);
    schedule_rules_free(rules);
    free(blocks);
  }
}

/* A broadcast of MPICH divides bytes, one of Open MPI elements. */
static void stages_have_elements(void **state)
{
  (void)state;
  static const struct {
    const char *rules;
    int64_t element, count;
  } rows[] = {{"openmpi-4.1", 4, 262144}, {"mpich-4.0", 1, 1048576}};
  for (size_t i = 0; i < COUNT(rows); i++) {
    schedule_stage_t stage[SCHEDULE_STAGES];
    schedule_rules_t *rules = load(rows[i].rules);
    schedule_request_t q = {.call = {.op = SCHEDULE_BCAST, .size = 16, .count = 262144},
                            .element = 4};
    assert_int_equal(schedule_decide(rules, &q, stage), 1);
    assert_int_equal(stage[0].element, rows[i].element);
    assert_int_equal(stage[0].call.count, rows[i].count);
    schedule_rules_free(rules);
  }
}

/* --- files --- */

#define HEAD  "{\"format\":\"berth-collectives\",\"version\":1,\"name\":\"x\","
#define RULES "\"rules\":{\"bcast\":["
#define DEEP8                                                                                      \
  "{\"rules\":[{\"rules\":[{\"rules\":[{\"rules\":[{\"rules\":[{\"rules\":[{\"rules\":[{\"rules\":["

static const struct {
  const char *text, *said; /* behind the file's name */
} broken[] = {
    {"[", ":1:2: not valid JSON: found the end of the text"},
    {"[]", ": found an array, expected an object"},
    {"{\"format\":\"berth-topology\",\"version\":1}",
     ": format: found \"berth-topology\", expected \"berth-collectives\""},
    {"{\"format\":\"berth-collectives\",\"version\":2,\"name\":\"x\"}",
     ": version: found 2, expected version 1, the one this berth reads"},
    {"{\"format\":\"berth-collectives\",\"version\":1,\"rules\":{}}",
     ": name: found nothing, expected a string"},
    {HEAD "\"algorithms\":{}}", ": rules: found nothing, expected an object"},
    {HEAD "\"rules\":[]}", ": rules: found an array, expected an object"},
    {HEAD "\"rules\":{\"broadcast\":[]}}",
     ": rules.broadcast: found the operation \"broadcast\", expected one such as \"bcast\""},
    {HEAD "\"rules\":{\"bcast\":{}}}",
     ": rules.bcast: found an object, expected an array of rules"},
    {HEAD RULES "1]}}", ": rules.bcast[0]: found 1, expected an object"},
    {HEAD RULES "{}]}}",
     ": rules.bcast[0]: found 0 of \"algorithm\", \"stages\" and \"rules\", expected one"},
    {HEAD RULES "{\"algorithm\":\"linear\",\"stages\":[]}]}}",
     ": rules.bcast[0]: found 2 of \"algorithm\", \"stages\" and \"rules\", expected one"},
    {HEAD RULES "{\"ranks_above\":4,\"algorithm\":\"linear\"}]}}",
     ": rules.bcast[0].ranks_above: found the condition \"ranks_above\", expected one such as "
     "\"ranks_below\""},
    {HEAD RULES "{\"ranks\":-1,\"algorithm\":\"linear\"}]}}",
     ": rules.bcast[0].ranks: found -1, expected a whole number from 0 to 9007199254740992"},
    {HEAD RULES "{\"ranks\":\"4\",\"algorithm\":\"linear\"}]}}",
     ": rules.bcast[0].ranks: found \"4\", expected a whole number from 0 to 9007199254740992"},
    {HEAD RULES "{\"power_of_two\":1,\"algorithm\":\"linear\"}]}}",
     ": rules.bcast[0].power_of_two: found 1, expected true or false"},
    {HEAD RULES "{\"ranks\":1,\"bytes\":1,\"elements\":1,\"total_bytes\":1,\"built_in\":true,"
                "\"algorithm\":\"linear\"}]}}",
     ": rules.bcast[0].built_in: found more than 4 conditions, expected no more"},
    {HEAD RULES "{\"algorithm\":7}]}}", ": rules.bcast[0].algorithm: found 7, expected a string"},
    {HEAD RULES "{\"algorithm\":\"ring\"}]}}",
     ": rules.bcast[0].algorithm: found the algorithm \"ring\", expected one that berth knows "
     "for bcast"},
    {HEAD RULES "{\"algorithm\":\"knomial\"}]}}",
     ": rules.bcast[0].algorithm: found no degree for \"knomial\", expected one"},
    {HEAD "\"algorithms\":{\"bcast\":{\"knomial\":{\"degree\":1}}},\"rules\":{}}",
     ": algorithms.bcast.knomial: found degree 1 for \"knomial\", expected at least 2"},
    {HEAD RULES "{\"stages\":{}}]}}",
     ": rules.bcast[0].stages: found an object, expected an array"},
    {HEAD RULES "{\"stages\":[{}]}]}}",
     ": rules.bcast[0].stages[0].op: found nothing, expected a string"},
    {HEAD RULES "{\"stages\":[{\"op\":\"send\"}]}]}}",
     ": rules.bcast[0].stages[0].op: found the operation \"send\", expected one such as \"bcast\""},
    {HEAD "\"rules\":{\"alltoallv\":[{\"stages\":[{\"op\":\"gatherv\"}]}]}}",
     ": rules.alltoallv[0].stages[0].op: found \"gatherv\" as a stage of alltoallv, expected an "
     "operation with as many blocks"},
    {HEAD "\"algorithms\":{\"scatterv\":{\"linear\":{\"divides\":\"bytes\"}}},\"rules\":{}}",
     ": algorithms.scatterv.linear.divides: found \"bytes\" for scatterv, expected elements, which "
     "its blocks have"},
    {HEAD RULES "{\"stages\":[{\"op\":\"bcast\",\"algorithm\":\"ring\"}]}]}}",
     ": rules.bcast[0].stages[0].algorithm: found the algorithm \"ring\", expected one that "
     "berth knows for bcast"},
    {HEAD RULES "{\"stages\":[{\"op\":\"bcast\"},{\"op\":\"bcast\"},{\"op\":\"bcast\"},"
                "{\"op\":\"bcast\"},{\"op\":\"bcast\"},{\"op\":\"bcast\"},{\"op\":\"bcast\"}]}]}}",
     ": rules.bcast[0].stages: found 7 stages, expected at most 6"},
    {HEAD RULES "{\"stages\":[{\"op\":\"bcast\",\"among\":\"racks\"}]}]}}",
     ": rules.bcast[0].stages[0].among: found \"racks\", expected groups of ranks such as "
     "\"hosts\""},
    {HEAD "\"rules\":{\"gather\":[{\"stages\":[{\"op\":\"gather\",\"among\":\"hosts\"}]}]}}",
     ": rules.gather[0].stages[0].among: found groups of ranks for gather, expected an operation "
     "with one block"},
    {HEAD RULES "{\"stages\":[{\"op\":\"bcast\",\"bytes\":0}]}]}}",
     ": rules.bcast[0].stages[0].bytes: found 0, expected a whole number from 1 to "
     "9007199254740992"},
    {HEAD RULES "{\"stages\":[{\"op\":\"bcast\",\"amogn\":\"hosts\"}]}]}}",
     ": rules.bcast[0].stages[0].amogn: found the member \"amogn\", expected one such as "
     "\"algorithm\""},
    {HEAD RULES "{\"stages\":[\"bcast\"]}]}}",
     ": rules.bcast[0].stages[0]: found \"bcast\", expected an object"},
    {HEAD RULES "{\"stages\":[{\"op\":\"bcast\",\"bytes\":4}]}]}}",
     ": rules.bcast[0].stages[0]: found \"bytes\" without \"among\", expected both"},
    {HEAD RULES "{\"stages\":[{\"op\":\"gather\",\"among\":\"hosts\"}]}]}}",
     ": rules.bcast[0].stages[0].among: found groups of ranks for gather, expected an operation "
     "with one block"},
    {HEAD "\"algorithms\":{\"bcast\":{\"t\":{\"stages\":[{\"op\":\"bcast\",\"among\":\"hosts\"}"
          "]}}}," RULES "{\"stages\":[{\"op\":\"bcast\",\"algorithm\":\"t\"}]}]}}",
     ": rules.bcast[0].stages[0].algorithm: found \"t\", which has stages on groups of ranks, "
     "expected another algorithm"},
    {HEAD RULES "{\"apart\":1,\"algorithm\":\"linear\"}]}}",
     ": rules.bcast[0].apart: found 1, expected true or false"},
    {HEAD RULES DEEP8 DEEP8 "{\"rules\":[]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}]}}",
     ": rules.bcast[0].rules[0].rules[0].rules[0].rules[0].rules[0].rules[0].rules[0].rules[0]."
     "rules[0].rules[0].rules[0].rules[0].rules[0].rules[0].rules[0].rules[0].: found rules "
     "within more than 16 others, expected fewer"},
    {HEAD "\"algorithms\":[],\"rules\":{}}", ": algorithms: found an array, expected an object"},
    {HEAD "\"algorithms\":{\"send\":{}},\"rules\":{}}",
     ": algorithms.send: found the operation \"send\", expected one such as \"bcast\""},
    {HEAD "\"algorithms\":{\"bcast\":[]},\"rules\":{}}",
     ": algorithms.bcast: found an array, expected an object"},
    {HEAD "\"algorithms\":{\"bcast\":{\"linear\":1}},\"rules\":{}}",
     ": algorithms.bcast.linear: found 1, expected an object"},
    {HEAD "\"algorithms\":{\"bcast\":{\"flat\":{}}},\"rules\":{}}",
     ": algorithms.bcast.flat: found the algorithm \"flat\", expected one that berth knows for "
     "bcast"},
    {HEAD "\"algorithms\":{\"bcast\":{\"flat\":{\"as\":\"star\"}}},\"rules\":{}}",
     ": algorithms.bcast.flat: found the algorithm \"star\", expected one that berth knows for "
     "bcast"},
    {HEAD "\"algorithms\":{\"bcast\":{\"chain\":{\"degree\":0}}},\"rules\":{}}",
     ": algorithms.bcast.chain.degree: found 0, expected a whole number from 1 to 2147483647"},
    {HEAD "\"algorithms\":{\"bcast\":{\"linear\":{\"segment\":8}}},\"rules\":{}}",
     ": algorithms.bcast.linear.segment: found the member \"segment\", expected \"stages\" alone "
     "or members such as \"degree\""},
    {HEAD "\"algorithms\":{\"bcast\":{\"linear\":{\"segment_bytes\":0}}},\"rules\":{}}",
     ": algorithms.bcast.linear.segment_bytes: found 0, expected a whole number from 1 to "
     "9007199254740992"},
    {HEAD "\"algorithms\":{\"bcast\":{\"linear\":{\"divides\":\"bits\"}}},\"rules\":{}}",
     ": algorithms.bcast.linear.divides: found \"bits\", expected \"elements\", "
     "\"single_elements\" or \"bytes\""},
    {HEAD "\"algorithms\":{\"bcast\":{\"x\":{\"stages\":[],\"degree\":2}}},\"rules\":{}}",
     ": algorithms.bcast.x.stages: found the member \"stages\", expected \"stages\" alone or "
     "members such as \"degree\""},
    {HEAD "\"algorithms\":{\"bcast\":{\"linear\":{\"otherwise\":\"linear\"}}},\"rules\":{}}",
     ": algorithms.bcast.linear.otherwise: found \"linear\", which leads to itself, expected "
     "another algorithm"},
    {HEAD "\"algorithms\":{\"bcast\":{\"linear\":{\"otherwise\":\"binary\"},"
          "\"binary\":{\"otherwise\":\"linear\"}}},\"rules\":{}}",
     ": algorithms.bcast.binary.otherwise: found \"linear\", which leads to itself, expected "
     "another algorithm"},
    {HEAD
     "\"algorithms\":{\"bcast\":{\"x\":{\"stages\":[{\"op\":\"bcast\",\"algorithm\":\"x\"}]}}},"
     "\"rules\":{}}",
     ": algorithms.bcast.x.stages[0].algorithm: found \"x\", which leads to itself, expected "
     "another algorithm"},
    {HEAD
     "\"algorithms\":{\"bcast\":{\"linear\":{\"otherwise\":\"chain\"},\"chain\":{\"degree\":1,"
     "\"otherwise\":\"pipeline\"},\"pipeline\":{\"otherwise\":\"binary\"},\"binary\":{"
     "\"otherwise\":\"binomial\"},\"binomial\":{\"otherwise\":\"binomial_blocks\"},"
     "\"binomial_blocks\":{\"otherwise\":\"split_binary_tree\"},\"split_binary_tree\":{"
     "\"otherwise\":\"knomial\"},\"knomial\":{\"degree\":2,\"otherwise\":\"scatter_allgather\"}}},"
     "\"rules\":{}}",
     ": algorithms.bcast.knomial.otherwise: found more than 8 algorithms that lead to each "
     "other, expected fewer"}};

static void broken_files_are_refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(broken); i++) {
    berth_error_t err = {0};
    schedule_rules_t *rules;
    const char *path = scratch_file("rules.json", broken[i].text, strlen(broken[i].text));
    int rc = schedule_rules_load(path, &rules, &err);
    unlink(path);
    const char *said = strncmp(err.text, path, strlen(path)) ? err.text : err.text + strlen(path);
    if (rc != BERTH_BAD_INPUT || rules || strcmp(said, broken[i].said) != 0)
      FAIL_ROW(broken[i].text, "found %d \"%s\", expected \"%s\"", rc, said, broken[i].said);
  }
  berth_error_t err = {0};
  schedule_rules_t *rules;
  assert_int_equal(schedule_rules_load("no-such-rules", &rules, &err), 4);
  assert_string_equal(err.text, "no-such-rules: cannot open: No such file or directory");
}

/* Files that load, and what they say of a broadcast of 8 bytes on 4 ranks. */
static const struct {
  const char *text, *stages;
} taken[] = {
    {HEAD "\"rules\":{}}", "nothing said"},
    {HEAD "\"algorithms\":null,\"rules\":{}}", "nothing said"},
    {HEAD RULES "]}}", "nothing said"},
    {HEAD RULES "{\"ranks\":5,\"algorithm\":\"linear\"}]}}", "nothing said"},
    {HEAD RULES "{\"ranks_at_most\":4,\"bytes_below\":9,\"algorithm\":\"linear\"}]}}", "linear"},
    {HEAD RULES
     "{\"rules\":[{\"bytes\":7,\"algorithm\":\"binary\"}]},{\"algorithm\":\"linear\"}]}}",
     "linear"},
    {HEAD "\"algorithms\":{\"bcast\":{\"split_binary_tree\":{\"segment_bytes\":8,"
          "\"otherwise\":\"star\"},\"star\":{\"as\":\"linear\"}}}," RULES
          "{\"algorithm\":\"split_binary_tree\"}]}}",
     "linear"},
    {HEAD RULES "{\"stages\":[{\"op\":\"scatter\",\"algorithm\":\"linear\"},{\"op\":\"allgather\","
                "\"algorithm\":\"ring\"}]}]}}",
     "scatter:linear allgather:ring"},
    /* rules of stages that lead to themselves, or to more than a call has */
    {HEAD RULES "{\"stages\":[{\"op\":\"bcast\"}]}]}}", "nothing said"},
    {HEAD
     "\"algorithms\":{\"bcast\":{\"x\":{\"stages\":[{\"op\":\"barrier\",\"algorithm\":\"linear\"},"
     "{\"op\":\"barrier\",\"algorithm\":\"linear\"},{\"op\":\"barrier\",\"algorithm\":\"linear\"},"
     "{\"op\":\"barrier\",\"algorithm\":\"linear\"}]}}}," RULES
     "{\"stages\":[{\"op\":\"bcast\",\"algorithm\":\"x\"},{\"op\":\"bcast\","
     "\"algorithm\":\"x\"}]}]}}",
     "nothing said"},
    /* each rank has a host of its own: leaders are all ranks */
    {HEAD RULES "{\"apart\":true,\"hosts\":4,\"root_leads\":true,\"consecutive\":true,"
                "\"algorithm\":\"linear\"}]}}",
     "linear"},
    {HEAD RULES "{\"stages\":[{\"op\":\"bcast\",\"among\":\"hosts\",\"algorithm\":\"linear\"},"
                "{\"op\":\"bcast\",\"among\":\"leaders\",\"algorithm\":\"chain4\"}]}],"
                "\"reduce\":[]},\"algorithms\":{\"bcast\":{\"chain4\":{\"as\":\"linear\"}}}}",
     "linear"},
    {HEAD RULES "{\"stages\":[{\"op\":\"bcast\",\"among\":\"leaders_onward\","
                "\"algorithm\":\"linear\"}]}]}}",
     "nothing said"}};

/* What MPICH makes of calls on hosts: its stages, each with its groups and how many there are. */
static const struct {
  const char *hosts; /* a letter for each rank's */
  schedule_op_t op;
  schedule_way_t way;
  int64_t bytes;
  int root, operation;
  const char *stages;
} on_hosts[] = {
    {"aabb", SCHEDULE_BARRIER, SCHEDULE_BLOCKING, 0, 0, 0,
     "barrier:hosts:2 barrier:leaders:1 bcast:hosts:2"},
    {"abcd", SCHEDULE_BARRIER, SCHEDULE_BLOCKING, 0, 0, 0, "barrier:all_ranks:1"},
    {"aaab", SCHEDULE_BARRIER, SCHEDULE_BLOCKING, 0, 0, 0,
     "barrier:hosts:1 barrier:leaders:1 bcast:hosts:1"},
    {"aaaa", SCHEDULE_BARRIER, SCHEDULE_BLOCKING, 0, 0, 0, "barrier:hosts:1 bcast:hosts:1"},
    {"aabb", SCHEDULE_BARRIER, SCHEDULE_NONBLOCKING, 0, 0, 0, "barrier:all_ranks:1"},
    {"aabb", SCHEDULE_BCAST, SCHEDULE_BLOCKING, 8, 0, 0, "bcast:leaders:1 bcast:hosts:2"},
    {"aabb", SCHEDULE_BCAST, SCHEDULE_BLOCKING, 8, 3, 0,
     "bcast:root_and_leader:1 bcast:leaders:1 bcast:hosts:2"},
    {"aabb", SCHEDULE_BCAST, SCHEDULE_BLOCKING, 0, 0, 0, ""},
    {"aabb", SCHEDULE_BCAST, SCHEDULE_BLOCKING, 0, 3, 0, "bcast:root_and_leader:1"},
    /* from 8 ranks on sizes matter, and whether their number is a power of two */
    {"aaaabbbb", SCHEDULE_BCAST, SCHEDULE_BLOCKING, 12284, 5, 0,
     "bcast:root_and_leader:1 bcast:leaders:1 bcast:hosts:2"},
    {"aaaabbbb", SCHEDULE_BCAST, SCHEDULE_BLOCKING, 12288, 5, 0,
     "bcast:root_host:1 bcast:leaders:1 bcast:other_hosts:1"},
    {"aaaabbbb", SCHEDULE_BCAST, SCHEDULE_BLOCKING, 12288, 4, 0, "bcast:leaders:1 bcast:hosts:2"},
    {"aaaabbbb", SCHEDULE_BCAST, SCHEDULE_BLOCKING, 524288, 5, 0, "bcast:all_ranks:1"},
    {"aaaabbbbb", SCHEDULE_BCAST, SCHEDULE_BLOCKING, 12288, 5, 0, "bcast:all_ranks:1"},
    {"aaaabbbbb", SCHEDULE_BCAST, SCHEDULE_NONBLOCKING, 1 << 20, 4, 0,
     "bcast:leaders:1 bcast:hosts:2"},
    {"abab", SCHEDULE_REDUCE, SCHEDULE_BLOCKING, 2048, 2, 0,
     "reduce:other_hosts:1 reduce:leaders:1 reduce:root_host:1"},
    {"abab", SCHEDULE_REDUCE, SCHEDULE_BLOCKING, 2052, 2, 0,
     "reduce:hosts:2 reduce:leaders_to_rank_0:1 bcast:rank_0_and_root:1"},
    {"abab", SCHEDULE_REDUCE, SCHEDULE_BLOCKING, 2052, 0, 0,
     "reduce:hosts:2 reduce:leaders_to_rank_0:1"},
    {"abab", SCHEDULE_REDUCE, SCHEDULE_BLOCKING, 8, 0, IN_ORDER, "reduce:all_ranks:1"},
    {"abab", SCHEDULE_REDUCE, SCHEDULE_NONBLOCKING, 1 << 20, 2, 0,
     "reduce:other_hosts:1 reduce:leaders:1 reduce:root_host:1"},
    {"abab", SCHEDULE_ALLREDUCE, SCHEDULE_BLOCKING, 8, 0, 0,
     "reduce:hosts:2 allreduce:leaders:1 bcast:hosts:2"},
    {"abab", SCHEDULE_ALLREDUCE, SCHEDULE_BLOCKING, 8, 0, IN_ORDER, "allreduce:all_ranks:1"},
    {"abab", SCHEDULE_ALLREDUCE, SCHEDULE_NONBLOCKING, 8, 0, 0, "allreduce:all_ranks:1"},
    {"aaaa", SCHEDULE_ALLREDUCE, SCHEDULE_BLOCKING, 8, 0, IN_ORDER, "allreduce:hosts:1"},
    /* only if the ranks of each host follow one another */
    {"aabbbc", SCHEDULE_SCAN, SCHEDULE_BLOCKING, 8, 0, 0,
     "scan:hosts:2 bcast:lasts_and_leaders:2 scan:leaders:1 bcast:leaders_onward:2 bcast:hosts:2 "
     "bcast:other_hosts:1"},
    {"aabbbc", SCHEDULE_SCAN, SCHEDULE_NONBLOCKING, 8, 0, 0,
     "scan:hosts:2 bcast:lasts_and_leaders:2 scan:leaders:1 bcast:leaders_onward:2 "
     "bcast:other_hosts:1"},
    {"abab", SCHEDULE_SCAN, SCHEDULE_BLOCKING, 8, 0, 0, "scan:all_ranks:1"},
    {"aabb", SCHEDULE_GATHER, SCHEDULE_BLOCKING, 8, 0, 0, "gather:all_ranks:1"}};

static void describe_on_hosts(const schedule_rules_t *rules, const schedule_request_t *q,
                              char *found)
{
  schedule_pieces_t p = {0};
  int rc = schedule_decide_by_hosts(rules, q, &p, NULL);
  sprintf(found, rc ? "nothing said" : "");
  for (size_t i = 0, end; i < p.n && !rc; i = end) {
    for (end = i; end < p.n && p.piece[end].step == p.piece[i].step;) end++;
    found += sprintf(found, "%s%s:%s:%zu", i ? " " : "", schedule_op_name(p.piece[i].stage.call.op),
                     schedule_among_name(p.piece[i].among), end - i);
  }
  schedule_pieces_clear(&p);
}

static void calls_are_composed_by_hosts(void **state)
{
  (void)state;
  schedule_rules_t *rules = load("mpich-4.0");
  for (size_t i = 0; i < COUNT(on_hosts); i++) {
    char found[256];
    int host[16], size = (int)strlen(on_hosts[i].hosts);
    for (int r = 0; r < size; r++) host[r] = on_hosts[i].hosts[r];
    schedule_hosts_t *hosts = schedule_hosts_new(size, host);
    schedule_request_t q = {.element = 4, .way = on_hosts[i].way, .hosts = hosts};
    q.call = (schedule_call_t){.op = on_hosts[i].op,
                               .size = size,
                               .root = on_hosts[i].root,
                               .count = on_hosts[i].bytes / 4,
                               .commutative = on_hosts[i].operation != IN_ORDER};
    describe_on_hosts(rules, &q, found);
    free(hosts);
    if (strcmp(found, on_hosts[i].stages) != 0)
      FAIL_ROW(on_hosts[i].hosts, "%s of %lld bytes, root %d: found \"%s\", expected \"%s\"",
               schedule_op_name(q.call.op), (long long)on_hosts[i].bytes, q.call.root, found,
               on_hosts[i].stages);
  }
  schedule_rules_free(rules);
}

static void own_files_are_taken(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(taken); i++) {
    char found[256];
    schedule_request_t q = {.call = {.op = SCHEDULE_BCAST, .size = 4, .count = 8}, .element = 1};
    const char *path = scratch_file("rules.json", taken[i].text, strlen(taken[i].text));
    schedule_rules_t *rules = load(path);
    unlink(path);
    assert_string_equal(schedule_rules_name(rules), "x");
    describe(rules, &q, found);
    schedule_rules_free(rules);
    if (strcmp(found, taken[i].stages) != 0)
      FAIL_ROW(taken[i].text, "found \"%s\", expected \"%s\"", found, taken[i].stages);
  }
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules_choose),         cmocka_unit_test(rules_see_unequal_blocks),
      cmocka_unit_test(stages_have_elements), cmocka_unit_test(broken_files_are_refused),
      cmocka_unit_test(own_files_are_taken),  cmocka_unit_test(calls_are_composed_by_hosts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
