/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules of an MPI that was told which algorithms to take: parameters, and the algorithm of a call
 * then. tests/advice/recorded.sh compares with the MPIs themselves. */
#include "harness.h"
#include "schedule/schedule_told.h"

enum { MOST = 4 };
#define DYNAMIC                                                                                    \
  {                                                                                                \
    "OMPI_MCA_coll_tuned_use_dynamic_rules", "1", NULL                                             \
  }
#define TUNED(name, value)                                                                         \
  {                                                                                                \
    "OMPI_MCA_coll_tuned_" name, value, NULL                                                       \
  }
#define RULES(text)                                                                                \
  {                                                                                                \
    "OMPI_MCA_coll_tuned_dynamic_rules_filename", "file", text                                     \
  }
#define SET(name, value)                                                                           \
  {                                                                                                \
    name, value, NULL                                                                              \
  }

/* For MPI_Bcast, whose number is 7: ranks from 1 and 16 on. */
static const char file[] = "1 # operation\n"
                           "7 # MPI_Bcast\n2\n"
                           "1 # ranks\n3\n0 0 0 0 # its own\n100 2 3 50 # chain\n200 0 0 0\n"
                           "16\n1\n0 1 0 0 # linear\n";

static const struct {
  const char *name, *rules;
  schedule_parameter_t parameter[MOST]; /* until one has no name */
  schedule_op_t op;
  int size;
  int64_t bytes;
  const char *taken; /* algorithm, degree, bytes of a segment */
  const char *unfollowed;
} cases[] = {
    {"nothing", "openmpi-4.1", {{0}}, SCHEDULE_BCAST, 8, 4096, "binary 0 0", ""},
    {"a name",
     "openmpi-4.1",
     {DYNAMIC, TUNED("bcast_algorithm", "pipeline")},
     SCHEDULE_BCAST,
     8,
     4096,
     "pipeline 0 0",
     ""},
    {"a number",
     "openmpi-4.1",
     {DYNAMIC, TUNED("bcast_algorithm", "6")},
     SCHEDULE_BCAST,
     8,
     4096,
     "binomial 0 0",
     ""},
    {"no algorithm",
     "openmpi-4.1",
     {DYNAMIC, TUNED("bcast_algorithm", "ignore")},
     SCHEDULE_BCAST,
     8,
     4096,
     "binary 0 0",
     ""},
    {"one that there isn't",
     "openmpi-4.1",
     {DYNAMIC, TUNED("bcast_algorithm", "12")},
     SCHEDULE_BCAST,
     8,
     4096,
     "binary 0 0",
     "OMPI_MCA_coll_tuned_bcast_algorithm"},
    {"without dynamic rules",
     "openmpi-4.1",
     {TUNED("bcast_algorithm", "6")},
     SCHEDULE_BCAST,
     8,
     4096,
     "binary 0 0",
     ""},
    {"dynamic rules are off",
     "openmpi-4.1",
     {TUNED("use_dynamic_rules", "false"), TUNED("bcast_algorithm", "6")},
     SCHEDULE_BCAST,
     8,
     4096,
     "binary 0 0",
     ""},
    {"dynamic rules in words",
     "openmpi-4.1",
     {TUNED("use_dynamic_rules", "Yes"), TUNED("bcast_algorithm", "6")},
     SCHEDULE_BCAST,
     8,
     4096,
     "binomial 0 0",
     ""},
    {"a segment",
     "openmpi-4.1",
     {DYNAMIC, TUNED("bcast_algorithm", "pipeline"), TUNED("bcast_algorithm_segmentsize", "1024")},
     SCHEDULE_BCAST,
     8,
     4096,
     "pipeline 0 1024",
     ""},
    {"a chain has 4 children",
     "openmpi-4.1",
     {DYNAMIC, TUNED("bcast_algorithm", "chain")},
     SCHEDULE_BCAST,
     8,
     4096,
     "chain 4 0",
     ""},
    {"unless it is told",
     "openmpi-4.1",
     {DYNAMIC, TUNED("bcast_algorithm", "chain"), TUNED("bcast_algorithm_chain_fanout", "2")},
     SCHEDULE_BCAST,
     8,
     4096,
     "chain 2 0",
     ""},
    {"for all chains",
     "openmpi-4.1",
     {DYNAMIC, TUNED("bcast_algorithm", "chain"), TUNED("init_chain_fanout", "3")},
     SCHEDULE_BCAST,
     8,
     4096,
     "chain 3 0",
     ""},
    {"no bytes",
     "openmpi-4.1",
     {DYNAMIC, TUNED("bcast_algorithm", "6")},
     SCHEDULE_BCAST,
     8,
     0,
     "",
     ""},
    {"one rank",
     "openmpi-4.1",
     {DYNAMIC, TUNED("bcast_algorithm", "6")},
     SCHEDULE_BCAST,
     1,
     4096,
     "",
     ""},
    {"another operation",
     "openmpi-4.1",
     {DYNAMIC, TUNED("bcast_algorithm", "6")},
     SCHEDULE_BARRIER,
     8,
     0,
     "recursive_doubling 0 0",
     ""},
    {"parts are told, too",
     "openmpi-4.1",
     {DYNAMIC, TUNED("allreduce_algorithm", "nonoverlapping"), TUNED("bcast_algorithm", "6"),
      TUNED("reduce_algorithm", "1")},
     SCHEDULE_ALLREDUCE,
     8,
     4096,
     "linear 0 0 binomial 0 0",
     ""},
    {"two ranks' algorithm for three",
     "openmpi-4.1",
     {DYNAMIC, TUNED("alltoall_algorithm", "two_proc")},
     SCHEDULE_ALLTOALL,
     3,
     64,
     "linear_sync 0 0",
     ""},
    {"a file, below",
     "openmpi-4.1",
     {DYNAMIC, RULES(file)},
     SCHEDULE_BCAST,
     8,
     99,
     "knomial 4 0",
     ""},
    {"a file", "openmpi-4.1", {DYNAMIC, RULES(file)}, SCHEDULE_BCAST, 8, 100, "chain 3 50", ""},
    {"a file, to its end",
     "openmpi-4.1",
     {DYNAMIC, RULES(file)},
     SCHEDULE_BCAST,
     15,
     199,
     "chain 3 50",
     ""},
    {"a file, above",
     "openmpi-4.1",
     {DYNAMIC, RULES(file)},
     SCHEDULE_BCAST,
     8,
     200,
     "knomial 4 0",
     ""},
    {"a file, more ranks",
     "openmpi-4.1",
     {DYNAMIC, RULES(file)},
     SCHEDULE_BCAST,
     16,
     150,
     "linear 0 0",
     ""},
    {"a file comes first",
     "openmpi-4.1",
     {DYNAMIC, RULES(file), TUNED("bcast_algorithm", "6")},
     SCHEDULE_BCAST,
     16,
     150,
     "linear 0 0",
     ""},
    {"where it says something",
     "openmpi-4.1",
     {DYNAMIC, RULES(file), TUNED("bcast_algorithm", "pipeline")},
     SCHEDULE_BCAST,
     8,
     200,
     "pipeline 0 0",
     ""},
    {"a file that ends early",
     "openmpi-4.1",
     {DYNAMIC, RULES("1\n7\n1\n1\n2\n0 1 0 0\n")},
     SCHEDULE_BCAST,
     8,
     4096,
     "binary 0 0",
     "OMPI_MCA_coll_tuned_dynamic_rules_filename"},
    {"a file that doesn't begin at 0 bytes",
     "openmpi-4.1",
     {DYNAMIC, RULES("1\n7\n1\n1\n1\n8 1 0 0\n")},
     SCHEDULE_BCAST,
     8,
     4096,
     "binary 0 0",
     "OMPI_MCA_coll_tuned_dynamic_rules_filename"},
    {"a file of operations that are looked up otherwise",
     "openmpi-4.1",
     {DYNAMIC, RULES("1\n9\n1\n1\n1\n0 1 0 0\n")},
     SCHEDULE_GATHER,
     8,
     4096,
     "binomial 0 0",
     "OMPI_MCA_coll_tuned_dynamic_rules_filename"},
    {"a file that wasn't kept",
     "openmpi-4.1",
     {DYNAMIC, RULES(NULL)},
     SCHEDULE_BCAST,
     8,
     4096,
     "binary 0 0",
     "OMPI_MCA_coll_tuned_dynamic_rules_filename"},
    {"sizes of communicators in any order",
     "openmpi-4.1",
     {DYNAMIC, RULES("1 7 3  8 1 0 6 0 0  32 1 0 3 0 0  4 1 0 1 0 0")},
     SCHEDULE_BCAST,
     10,
     4096,
     "linear 0 0",
     ""},
    {"fewer ranks than any of them",
     "openmpi-4.1",
     {DYNAMIC, RULES("1 7 2  8 1 0 6 0 0  32 1 0 3 0 0")},
     SCHEDULE_BCAST,
     3,
     4096,
     "binomial 0 0",
     ""},
    {"other components",
     "openmpi-4.1",
     {SET("OMPI_MCA_coll", "^hcoll,sm"), SET("OMPI_MCA_coll_hcoll_enable", "0")},
     SCHEDULE_BCAST,
     8,
     4096,
     "binary 0 0",
     ""},
    {"without tuned",
     "openmpi-4.1",
     {SET("OMPI_MCA_coll", "^tuned"), SET("OMPI_MCA_coll_base_verbose", "9")},
     SCHEDULE_BCAST,
     8,
     4096,
     "binary 0 0",
     "OMPI_MCA_coll"},
    {"basic alone",
     "openmpi-4.1",
     {SET("OMPI_MCA_coll", "basic,self"), SET("OMPI_MCA_coll_sm_priority", "90")},
     SCHEDULE_BCAST,
     8,
     4096,
     "binary 0 0",
     "OMPI_MCA_coll OMPI_MCA_coll_sm_priority"},
    {"MPICH's parameters don't tell Open MPI",
     "openmpi-4.1",
     {SET("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial")},
     SCHEDULE_BCAST,
     8,
     4096,
     "binary 0 0",
     ""},
    {"MPICH", "mpich-4.0", {{0}}, SCHEDULE_BCAST, 9, 1 << 20, "scatter_ring_allgather 0 0", ""},
    {"a name of MPICH",
     "mpich-4.0",
     {SET("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial")},
     SCHEDULE_BCAST,
     9,
     1 << 20,
     "knomial 2 0",
     ""},
    {"auto",
     "mpich-4.0",
     {SET("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "auto")},
     SCHEDULE_BCAST,
     9,
     1 << 20,
     "scatter_ring_allgather 0 0",
     ""},
    {"one that doesn't serve",
     "mpich-4.0",
     {SET("MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", "recursive_doubling")},
     SCHEDULE_ALLGATHER,
     9,
     64,
     "brucks 0 0",
     ""},
    {"one that berth doesn't know",
     "mpich-4.0",
     {SET("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "smp")},
     SCHEDULE_BCAST,
     9,
     1 << 20,
     "scatter_ring_allgather 0 0",
     "MPIR_CVAR_BCAST_INTRA_ALGORITHM"},
    {"other variables",
     "mpich-4.0",
     {SET("MPIR_CVAR_NOLOCAL", "1"), SET("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", "x"),
      SET("MPIR_CVAR_IBCAST_INTRA_ALGORITHM", "gentran_tree")},
     SCHEDULE_BCAST,
     9,
     1 << 20,
     "scatter_ring_allgather 0 0",
     "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE MPIR_CVAR_IBCAST_INTRA_ALGORITHM"},
};

static void describe(const schedule_rules_t *r, const schedule_request_t *q, char out[256])
{
  schedule_stage_t stage[SCHEDULE_STAGES];
  int n = schedule_decide(r, q, stage);
  size_t used = (size_t)snprintf(out, 256, "%s", n < 0 ? "nothing said" : "");
  for (int i = 0; i < n; i++)
    used += (size_t)snprintf(out + used, 256 - used, "%s%s %d %lld", i ? " " : "",
                             stage[i].algorithm->name, stage[i].call.degree,
                             (long long)(stage[i].call.segment * stage[i].element));
}

static void told_rules_follow(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err = {0};
    schedule_rules_t *r;
    size_t n = 0;
    bool follows[MOST];
    char taken[256], unfollowed[256] = "";
    schedule_request_t q = {.call = {.op = cases[i].op,
                                     .size = cases[i].size,
                                     .count = cases[i].bytes,
                                     .commutative = true},
                            .element = 1};
    while (n < MOST && cases[i].parameter[n].name) n++;
    if (schedule_rules_load(cases[i].rules, &r, &err) ||
        schedule_rules_tell(r, cases[i].parameter, n, follows, &err))
      FAIL_ROW(cases[i].name, "%s", err.text);
    describe(r, &q, taken);
    for (size_t k = 0, used = 0; k < n; k++)
      if (!follows[k])
        used += (size_t)snprintf(unfollowed + used, sizeof unfollowed - used, "%s%s",
                                 used ? " " : "", cases[i].parameter[k].name);
    if (strcmp(taken, cases[i].taken) != 0)
      FAIL_ROW(cases[i].name, "found \"%s\", expected \"%s\"", taken, cases[i].taken);
    if (strcmp(unfollowed, cases[i].unfollowed) != 0)
      FAIL_ROW(cases[i].name, "doesn't follow \"%s\", expected \"%s\"", unfollowed,
               cases[i].unfollowed);
    schedule_rules_free(r);
  }
}

int main(void)
{
  static const struct CMUnitTest tests[] = {cmocka_unit_test(told_rules_follow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
