/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading patterns: what is refused and how, and what survives damage. */
#include <berth/pattern.h>

#include <zstd.h>

#include "pattern/pattern_frame.h"

#include "harness.h"

#define HEAD      "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4}\n"
#define END(n)    "{\"kind\":\"end\",\"records\":" #n "}\n"
#define P2P(rest) HEAD "{\"kind\":\"p2p\"," rest "}\n" END(1)
/* Two messages of 8 bytes from 0 to 1, from two sites, and an order of rank 0's sends. */
#define SENT                                                                                       \
  "{\"kind\":\"p2p\",\"src\":0,\"msgs\":[[1,8,1]]}\n"                                              \
  "{\"kind\":\"p2p\",\"site\":1,\"src\":0,\"msgs\":[[1,8,1]]}\n"
#define COLL(parts)                                                                                \
  HEAD "{\"kind\":\"coll\",\"op\":\"MPI_Gatherv\",\"bytes\":8,\"count\":1,\"rank_bytes\":" parts   \
       "}\n" END(1)
#define ROW(comm, parts)                                                                           \
  "{\"kind\":\"row\",\"comm\":" comm ",\"op\":\"MPI_Alltoallv\",\"src\":1,\"rank_bytes\":" parts   \
  "}\n"
#define TIME(rest)   HEAD "{\"kind\":\"time\",\"op\":\"MPI_Wait\"," rest "}\n" END(1)
#define PACKED(rest) HEAD "{\"kind\":\"packed\"," rest "}\n" END(1)
#define LAYOUT(item) PACKED("\"rank\":1,\"msgs\":[" item "]")
#define SPENT(t, m)  "\"total_s\":" t ",\"max_s\":" m ",\"max_rank\":0"
#define TWICE                                                                                      \
  HEAD "{\"kind\":\"time\",\"op\":\"MPI_Bcast\"," SPENT(                                           \
      "1", "1") "}\n"                                                                              \
                "{\"kind\":\"time\",\"op\":\"MPI_Bcast\"," SPENT("2", "1") "}\n" END(2)
#define LOOP         "[{\"loop\":1,\"sends\":"
#define ORDER(sends) HEAD SENT "{\"kind\":\"order\",\"src\":0,\"sends\":" sends "}\n" END(3)

static berth_pattern_t *load(const char *text, size_t n, int flags, berth_error_t *err)
{
  const char *path = scratch_file("p", text, n);
  berth_pattern_t *p = berth_pattern_load(path, flags, err);
  unlink(path);
  /* the file's name differs from run to run */
  const char *name = strstr(err->text, "-p:");
  if (name) memmove(err->text, name + 2, strlen(name + 2) + 1);
  return p;
}

static const struct {
  const char *name, *text, *error;
} bad[] = {
    {"empty", "", ": found an empty file, expected a header line"},
    {"no JSON", "hello\n", ":1:1: not valid JSON at 'hello'"},
    {"another format", "{\"format\":\"x\",\"version\":1}\n",
     ":1: format: found \"x\", expected \"berth-pattern\""},
    {"unknown version", "{\"format\":\"berth-pattern\",\"version\":2,\"ranks\":4}\n",
     ":1: version: found 2, expected version 1, the one this berth reads"},
    {"unmodelled calls that are no list",
     "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4,\"unmodelled\":[3]}\n",
     ":1: unmodelled[0]: found 3, expected an object"},
    {"unmodelled calls without a number",
     "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4,\"unmodelled\":[{\"op\":\"x\"}]}\n",
     ":1: unmodelled[0].calls: found nothing, expected a whole number from 0 to 9007199254740992"},
    {"parameters that are no list",
     "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4,\"parameters\":{}}\n",
     ":1: parameters: found an object, expected an array"},
    {"a parameter without a value",
     "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4,\"parameters\":[{\"name\":\"X\"}]}\n",
     ":1: parameters[0].value: found nothing, expected a string"},
    {"a parameter twice",
     "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4,"
     "\"parameters\":[{\"name\":\"X\",\"value\":\"1\"},{\"name\":\"X\",\"value\":\"1\"}]}\n",
     ":1: parameters[1]: found the parameter X a second time"},
    {"grids that are no list",
     "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4,\"grids\":4}\n",
     ":1: grids: found 4, expected an array"},
    {"a grid that is none",
     "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4,\"grids\":[[4]]}\n",
     ":1: grids[0]: found an array, expected an object"},
    {"a grid without dimensions",
     "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4,"
     "\"grids\":[{\"dims\":[],\"periodic\":[]}]}\n",
     ":1: grids[0].dims: found an array, expected 1 to 8 numbers"},
    {"a grid that doesn't say what is periodic",
     "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4,"
     "\"grids\":[{\"dims\":[4,1],\"periodic\":[true]}]}\n",
     ":1: grids[0].periodic: found an array, expected a value for each dimension"},
    {"a grid of no ranks",
     "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4,"
     "\"grids\":[{\"dims\":[4,0],\"periodic\":[true,true]}]}\n",
     ":1: grids[0].dims[1]: found 0, expected a whole number from 1 to 4"},
    {"a grid that is periodic in a number",
     "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4,"
     "\"grids\":[{\"dims\":[4],\"periodic\":[1]}]}\n",
     ":1: grids[0].periodic[0]: found 1, expected true or false"},
    {"a grid of fewer ranks",
     "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4,"
     "\"grids\":[{\"dims\":[2,2],\"periodic\":[true,true]},"
     "{\"dims\":[3],\"periodic\":[true]}]}\n",
     ":1: grids[1]: dims: found a grid of 3 places, expected 4, one for each rank"},
    {"a grid of more ranks",
     "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4,"
     "\"grids\":[{\"dims\":[4,4,4],\"periodic\":[true,true,true]}]}\n",
     ":1: grids[0]: dims: found a grid of more than 16 places, expected 4, one for each rank"},
    {"a parameter's name with a line break",
     "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4,"
     "\"parameters\":[{\"name\":\"X\\n\",\"value\":\"1\"}]}\n",
     ":1: parameters[0].name: found \"X?\", expected a string without control characters"},
    {"no ranks", "{\"format\":\"berth-pattern\",\"version\":1}\n",
     ":1: ranks: found nothing, expected a whole number from 1 to 16777216"},
    {"too many ranks", "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":1e12}\n",
     ":1: ranks: found 1000000000000, expected a whole number from 1 to 16777216"},
    {"no end", HEAD,
     ":1: found the end of the file, expected a line of kind \"end\": the file is "
     "truncated (`BERTH_PATTERN_TRUNCATED` takes what is there)"},
    {"wrong number of records", HEAD END(3),
     ":2: records: found 3, expected 0, the lines between header and end"},
    {"lines after the end", HEAD END(0) "{}\n",
     ":3: found a line after the end line, expected the end of the file"},
    {"unknown kind", HEAD "{\"kind\":\"q2p\"}\n",
     ":2: kind: found \"q2p\", expected rank, phase, site, p2p, order, comm, coll, row, rma, "
     "packed, time or end"},
    {"no object", HEAD "[]\n", ":2: found an array, expected an object"},
    {"source out of range", P2P("\"src\":4,\"msgs\":[]"),
     ":2: src: found 4, expected a whole number from 0 to 3"},
    {"destination out of range", P2P("\"src\":0,\"msgs\":[[1,8,1],[4,8,1]]"),
     ":2: msgs[1][0]: found 4, expected a whole number from 0 to 3"},
    {"negative rank", P2P("\"src\":-1,\"msgs\":[]"),
     ":2: src: found -1, expected a whole number from 0 to 3"},
    {"negative size", P2P("\"src\":0,\"msgs\":[[1,-8,1]]"),
     ":2: msgs[0][1]: found -8, expected a whole number from 0 to 9007199254740992"},
    {"half a byte", P2P("\"src\":0,\"msgs\":[[1,0.5,1]]"),
     ":2: msgs[0][1]: found 0.5, expected a whole number from 0 to 9007199254740992"},
    {"huge number", P2P("\"src\":0,\"msgs\":[[1,1e300,1]]"),
     ":2: msgs[0][1]: found 1e+300, expected a whole number from 0 to 9007199254740992"},
    {"huge product", P2P("\"src\":0,\"msgs\":[[1,9007199254740992,9007199254740992]]"),
     ":2: msgs[0]: found 9007199254740992 messages of 9007199254740992 bytes, expected at most "
     "2^53 bytes in all"},
    {"short item", P2P("\"src\":0,\"msgs\":[[1,8]]"),
     ":2: msgs[0]: found less, expected [destination, size, count] or with bytes as fourth"},
    {"long item", P2P("\"src\":0,\"msgs\":[[1,8,1,8,9]]"),
     ":2: msgs[0]: found more, expected [destination, size, count] or with bytes as fourth"},
    {"no list", P2P("\"src\":0,\"msgs\":7"), ":2: msgs: found 7, expected an array"},
    {"rank twice",
     HEAD "{\"kind\":\"rank\",\"rank\":1,\"wall_s\":1,\"mpi_s\":0}\n"
          "{\"kind\":\"rank\",\"rank\":1,\"wall_s\":1,\"mpi_s\":0}\n" END(2),
     ":3: found rank 1 a second time"},
    {"negative time", HEAD "{\"kind\":\"rank\",\"rank\":1,\"wall_s\":-1,\"mpi_s\":0}\n" END(1),
     ":2: wall_s: found -1, expected a number of at least 0"},
    {"time in MPI alone", HEAD "{\"kind\":\"rank\",\"rank\":1,\"mpi_s\":0}\n" END(1),
     ":2: wall_s: found nothing, expected a number of at least 0"},
    {"wall time alone", HEAD "{\"kind\":\"rank\",\"rank\":1,\"wall_s\":3}\n" END(1),
     ":2: mpi_s: found nothing, expected a number of at least 0"},
    {"more time in MPI than at all",
     HEAD "{\"kind\":\"rank\",\"rank\":1,\"wall_s\":2,\"mpi_s\":5}\n" END(1),
     ":2: mpi_s: found 5, expected at most wall_s, 2"},
    {"more time unsure than at all",
     HEAD "{\"kind\":\"rank\",\"rank\":1,\"wall_s\":2,\"mpi_s\":1,\"unsure_s\":3}\n" END(1),
     ":2: unsure_s: found 3, expected 0 to wall_s, 2"},
    {"longer without a core than at all",
     HEAD "{\"kind\":\"rank\",\"rank\":1,\"wall_s\":2,\"mpi_s\":1,\"core_wait_s\":3}\n" END(1),
     ":2: core_wait_s: found 3, expected 0 to wall_s, 2"},
    {"negative time without a core",
     HEAD "{\"kind\":\"rank\",\"rank\":1,\"wall_s\":2,\"mpi_s\":1,\"core_wait_s\":-1}\n" END(1),
     ":2: core_wait_s: found -1, expected a number of at least 0"},
    {"phase twice", HEAD "{\"kind\":\"phase\",\"id\":1}\n{\"kind\":\"phase\",\"id\":1}\n" END(2),
     ": found phase 1 a second time"},
    {"member of a communicator", HEAD "{\"kind\":\"comm\",\"id\":1,\"ranks\":[0,9]}\n" END(1),
     ":2: ranks[1]: found 9, expected a whole number from 0 to 3"},
    {"a group of all ranks",
     HEAD "{\"kind\":\"comm\",\"id\":1,\"ranks\":[0,1],\"border\":2}\n" END(1),
     ":2: border: found 2, expected less than 2, the ranks of both groups"},
    {"a group of less than none",
     HEAD "{\"kind\":\"comm\",\"id\":1,\"ranks\":[0,1],\"border\":-1}\n",
     ":2: border: found -1, expected a whole number from 0 to 16777216"},
    {"frames of a site", HEAD "{\"kind\":\"site\",\"id\":1,\"op\":\"MPI_Send\",\"frames\":[1]}\n",
     ":2: frames[0]: found 1, expected a string"},
    {"sends without an array", ORDER("7"), ":4: sends: found 7, expected an array"},
    {"short send", ORDER("[[1,8]]"),
     ":4: sends[0]: found less, expected [destination, size, mode] or with times as fourth"},
    {"long send", ORDER("[[1,8,1,1,1]]"),
     ":4: sends[0]: found more, expected [destination, size, mode] or with times as fourth"},
    {"send to nobody", ORDER("[[1,8,1],[4,8,1]]"),
     ":4: sends[1][0]: found 4, expected a whole number from 0 to 3"},
    {"unknown mode", ORDER("[[1,8,4]]"),
     ":4: sends[0][2]: found 4, expected a whole number from 0 to 3"},
    {"never sent", ORDER("[[1,8,1,0]]"),
     ":4: sends[0][3]: found 0, expected a whole number from 1 to 9007199254740992"},
    {"sent too often", ORDER("[[1,8,1,9007199254740992]],\"rounds\":2"),
     ":4: found a step 9007199254740992 times in 2 rounds, expected 1 to 2^53 in all"},
    {"no rounds", ORDER("[],\"rounds\":0"),
     ":4: rounds: found 0, expected a whole number from 1 to 9007199254740992"},
    {"step without a kind", ORDER("[{\"times\":2}]"),
     ":4: sends[0]: found none of \"receive\", \"posted\", \"arrived\", \"sent\", \"meet\" and "
     "\"loop\", expected one"},
    {"receive of a rank beyond", ORDER("[{\"receive\":4}]"),
     ":4: sends[0].receive: found 4, expected a whole number from 0 to 3"},
    {"receive that came first by number", ORDER("[{\"receive\":1,\"first\":1}]"),
     ":4: sends[0].first: found 1, expected true or false"},
    {"receive posted for a rank beyond", ORDER("[{\"posted\":4}]"),
     ":4: sends[0].posted: found 4, expected a whole number from 0 to 3"},
    {"message of a rank beyond", ORDER("[{\"arrived\":-1}]"),
     ":4: sends[0].arrived: found -1, expected a whole number from 0 to 3"},
    {"sent to any rank", ORDER("[{\"sent\":null}]"),
     ":4: sends[0].sent: found null, expected a whole number from 0 to 3"},
    {"no receive", ORDER("[{\"receive\":1,\"times\":0}]"),
     ":4: sends[0].times: found 0, expected a whole number from 1 to 9007199254740992"},
    {"meeting with two roots", ORDER("[{\"meet\":0,\"from\":1,\"to\":1}]"),
     ":4: sends[0]: found both \"from\" and \"to\", expected one of them"},
    {"meeting that begins and ends", ORDER("[{\"meet\":0,\"begins\":true,\"ends\":true}]"),
     ":4: sends[0]: found both \"begins\" and \"ends\", expected one of them"},
    {"meeting with a root beyond", ORDER("[{\"meet\":0,\"to\":4}]"),
     ":4: sends[0].to: found 4, expected a whole number from 0 to 3"},
    {"meeting of a number", ORDER("[{\"meet\":0,\"op\":7}]"),
     ":4: sends[0].op: found 7, expected a string"},
    {"meeting of many bytes", ORDER("[{\"meet\":0,\"op\":\"MPI_Bcast\",\"bytes\":-1}]"),
     ":4: sends[0].bytes: found -1, expected a whole number from 0 to 9007199254740992"},
    {"loop without rounds", ORDER("[{\"loop\":0,\"sends\":[[1,8,1,2]]}]"),
     ":4: sends[0].loop: found 0, expected a whole number from 1 to 9007199254740992"},
    {"loop without steps", ORDER("[[1,8,1,2],{\"loop\":2,\"sends\":[]}]"),
     ":4: found a loop of 0 steps, expected at least 1"},
    {"loop without a list", ORDER("[{\"loop\":2}]"),
     ":4: sends[0].sends: found nothing, expected an array"},
    {"too many rounds in loops",
     ORDER("[{\"loop\":94906266,\"sends\":[{\"loop\":94906266,\"sends\":[[1,8,1]]}]}]"),
     ":4: found a step 94906266 times in 94906266 rounds, expected 1 to 2^53 in all"},
    {"loops in loops in loops",
     ORDER(LOOP LOOP LOOP LOOP LOOP LOOP LOOP LOOP LOOP "[[1,8,1,2]]}]}]}]}]}]}]}]}]}]"),
     ":4: sends[0].sends[0].sends[0].sends[0].sends[0].sends[0].sends[0].sends[0].sends[0].sends: "
     "found loops of depth 9, expected at most 8"},
    {"order of too few in a loop", ORDER("[{\"loop\":3,\"sends\":[[1,8,1]]}]"),
     ": order of rank 0 in phase 0: found 3 sends of 8 bytes to rank 1, expected 2, the count of "
     "its p2p entries"},
    {"order of too few", ORDER("[[1,8,1]]"),
     ": order of rank 0 in phase 0: found 1 sends of 8 bytes to rank 1, expected 2, the count of "
     "its p2p entries"},
    {"order of too many", ORDER("[[1,8,1],[1,8,0,5]]"),
     ": order of rank 0 in phase 0: found 6 sends of 8 bytes to rank 1, expected 2, the count of "
     "its p2p entries"},
    {"rounds make too many", ORDER("[[1,8,1,2]],\"rounds\":3"),
     ": order of rank 0 in phase 0: found 6 sends of 8 bytes to rank 1, expected 2, the count of "
     "its p2p entries"},
    {"order of others", ORDER("[[1,8,1,2],[2,8,0]]"),
     ": order of rank 0 in phase 0: found 1 sends of 8 bytes to rank 2, expected 0, the count of "
     "its p2p entries"},
    {"order of another size", ORDER("[[1,9,1,2]]"),
     ": order of rank 0 in phase 0: found 0 sends of 8 bytes to rank 1, expected 2, the count of "
     "its p2p entries"},
    {"order of another phase", ORDER("[[1,8,1,2]],\"phase\":1"),
     ": order of rank 0 in phase 1: found 2 sends of 8 bytes to rank 1, expected 0, the count of "
     "its p2p entries"},
    {"order twice",
     HEAD SENT "{\"kind\":\"order\",\"src\":0,\"sends\":[[1,8,1,2]]}\n"
               "{\"kind\":\"order\",\"src\":0,\"sends\":[[1,8,0,2]]}\n" END(4),
     ": found an order of rank 0 in phase 0 a second time"},
    {"root of a collective",
     HEAD "{\"kind\":\"coll\",\"op\":\"MPI_Bcast\",\"bytes\":8,\"count\":1,\"root\":4}\n" END(1),
     ":2: root: found 4, expected a whole number from 0 to 3"},
    {"an element of no number", COLL("[[1,4]],\"element\":\"int\""),
     ":2: element: found \"int\", expected a whole number from 0 to 9007199254740992"},
    {"in place by a number", COLL("[[1,4]],\"in_place\":1"),
     ":2: in_place: found 1, expected true or false"},
    {"commutative in words", COLL("[[1,4]],\"commutative\":\"no\""),
     ":2: commutative: found \"no\", expected true or false"},
    {"built in by a list", COLL("[[1,4]],\"built_in\":[]"),
     ":2: built_in: found an array, expected true or false"},
    {"parts without an array", COLL("7"), ":2: rank_bytes: found 7, expected an array"},
    {"a part that is no number", COLL("[1,true,1,1]"),
     ":2: rank_bytes[1]: found true, expected a whole number from 0 to 9007199254740992"},
    {"short item of parts", COLL("[[1]]"),
     ":2: rank_bytes[0]: found less, expected bytes or [bytes, ranks]"},
    {"long item of parts", COLL("[[1,2,3]]"),
     ":2: rank_bytes[0]: found more, expected bytes or [bytes, ranks]"},
    {"parts of no ranks", COLL("[[1,0]]"),
     ":2: rank_bytes[0][1]: found 0, expected a whole number from 1 to 4"},
    {"parts of too many ranks", COLL("[[1,3],[2,2]]"),
     ":2: found bytes of more ranks than the 4 that there are"},
    {"parts of too few ranks", COLL("[[1,3]]"),
     ": MPI_Gatherv: found bytes of 3 ranks, expected those of the 4 of communicator 0"},
    {"parts of another communicator",
     HEAD "{\"kind\":\"comm\",\"id\":1,\"ranks\":[0,2]}\n" ROW("1", "[1,2,3]") END(2),
     ": MPI_Alltoallv: found bytes of 3 ranks, expected those of the 2 of communicator 1"},
    {"row without parts", HEAD "{\"kind\":\"row\",\"op\":\"x\",\"src\":0}\n" END(1),
     ":2: rank_bytes: found nothing, expected an array"},
    {"time without a total", TIME("\"max_s\":1,\"max_rank\":0"),
     ":2: total_s: found nothing, expected a number of at least 0"},
    {"time below 0", TIME(SPENT("-1", "1")),
     ":2: total_s: found -1, expected a number of at least 0"},
    {"time without end", TIME(SPENT("1e999", "1")),
     ":2: total_s: found inf, expected a finite number of at least 0"},
    {"time of text", TIME(SPENT("1", "\"1\"")),
     ":2: max_s: found \"1\", expected a number of at least 0"},
    {"one rank's time above the total", TIME(SPENT("1", "1.5")),
     ":2: max_s: found 1.5, expected at most total_s, 1"},
    {"time above all ranks'", TIME(SPENT("4.1", "1")),
     ":2: total_s: found 4.1, expected at most 4 times max_s, 1"},
    {"time of no rank", TIME("\"total_s\":1,\"max_s\":1"),
     ":2: max_rank: found nothing, expected a whole number from 0 to 3"},
    {"time of a rank beyond", TIME("\"total_s\":1,\"max_s\":1,\"max_rank\":4"),
     ":2: max_rank: found 4, expected a whole number from 0 to 3"},
    {"time at a negative site", TIME("\"site\":-1," SPENT("1", "1")),
     ":2: site: found -1, expected a whole number from 0 to 2147483647"},
    {"time on a negative communicator", TIME("\"comm\":-1," SPENT("1", "1")),
     ":2: comm: found -1, expected a whole number from 0 to 2147483647"},
    {"time of no function", HEAD "{\"kind\":\"time\"," SPENT("1", "1") "}\n" END(1),
     ":2: op: found nothing, expected a string"},
    {"time twice", TWICE, ": found the times of MPI_Bcast a second time"},
    {"time above the rank's in MPI",
     HEAD "{\"kind\":\"rank\",\"rank\":0,\"wall_s\":3,\"mpi_s\":0.5}\n"
          "{\"kind\":\"time\",\"op\":\"MPI_Wait\"," SPENT("1", "1") "}\n" END(2),
     ": max_s of MPI_Wait: found 1, expected at most mpi_s of rank 0, 0.5"},
    {"time of a part alone", TIME("\"site\":3,\"comm\":0," SPENT("1", "1")),
     ": found times of MPI_Wait without one that has neither site nor communicator"},
    {"row twice", HEAD ROW("0", "[[1,4]]") ROW("0", "[[2,4]]") END(2),
     ": MPI_Alltoallv: found a row of rank 1 a second time"},
    {"packed without a rank", PACKED("\"msgs\":[]"),
     ":2: rank: found nothing, expected a whole number from 0 to 3"},
    {"packed at a rank beyond", PACKED("\"rank\":4,\"msgs\":[]"),
     ":2: rank: found 4, expected a whole number from 0 to 3"},
    {"packed at a negative site", PACKED("\"rank\":0,\"site\":-1,\"msgs\":[]"),
     ":2: site: found -1, expected a whole number from 0 to 2147483647"},
    {"packed of which side", PACKED("\"rank\":0,\"receives\":1,\"msgs\":[]"),
     ":2: receives: found 1, expected true or false"},
    {"packed without a list", PACKED("\"rank\":0"), ":2: msgs: found nothing, expected an array"},
    {"a layout that is no list", LAYOUT("7"),
     ":2: msgs[0]: found no array, expected [size, pieces, span, count]"},
    {"a short layout", LAYOUT("[8,2,12]"),
     ":2: msgs[0]: found less, expected [size, pieces, span, count]"},
    {"a long layout", LAYOUT("[8,2,12,1],[8,2,12,1,1]"),
     ":2: msgs[1]: found more, expected [size, pieces, span, count]"},
    {"a layout of half a piece", LAYOUT("[8,2.5,12,1]"),
     ":2: msgs[0][1]: found 2.5, expected a whole number from 0 to 9007199254740992"},
    {"one piece", LAYOUT("[8,1,8,1]"), ":2: msgs[0]: pieces: found 1, expected at least 2"},
    {"less span than data", LAYOUT("[8,2,7,1]"),
     ":2: msgs[0]: span: found 7, expected at least the size, 8"},
    {"too many messages of a layout", LAYOUT("[8,2,9,9007199254740992],[8,2,9,1]"),
     ": found message count 9007199254740993, expected 0 to 9007199254740992"},
};

static void bad_files_get_one_line(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(bad); i++) {
    berth_error_t err = {0};
    berth_pattern_t *p = load(bad[i].text, strlen(bad[i].text), BERTH_PATTERN_STRICT, &err);
    if (p) FAIL_ROW(bad[i].name, "was taken");
    if (strcmp(err.text, bad[i].error) != 0)
      FAIL_ROW(bad[i].name, "\n  found    %s\n  expected %s", err.text, bad[i].error);
    if (err.code != BERTH_BAD_INPUT) FAIL_ROW(bad[i].name, "code %d", err.code);
  }
}

/* One line of each kind. */
static const char whole[] =
    "{\"format\":\"berth-pattern\",\"version\":1,\"ranks\":4,\"command\":[\"./a\",\"-n\",\"8\"],"
    "\"mpi\":\"Open MPI 4.1.4\",\"created\":\"2026-11-20T21:00:00Z\","
    "\"unmodelled\":[{\"op\":\"MPI_File_write\",\"calls\":12}],"
    "\"parameters\":[{\"name\":\"OMPI_MCA_a\",\"value\":\"\"},"
    "{\"name\":\"OMPI_MCA_b\",\"value\":\"/x\",\"text\":\"1 # one\\u000a2\\u000a\"}],"
    "\"grids\":[{\"dims\":[2,1,2],\"periodic\":[true,true,false]}]}\n"
    "{\"kind\":\"phase\",\"id\":0,\"name\":\"all\",\"repeats\":1}\n"
    "{\"kind\":\"phase\",\"id\":1,\"name\":\"\",\"repeats\":1}\n"
    "{\"kind\":\"site\",\"id\":1,\"op\":\"MPI_Isend\",\"frames\":[\"f a.c:1\",\"main a.c:4\"]}\n"
    "{\"kind\":\"comm\",\"id\":1,\"ranks\":[0,2]}\n"
    "{\"kind\":\"comm\",\"id\":2,\"ranks\":[0,2],\"border\":1}\n"
    "{\"kind\":\"coll\",\"site\":2,\"comm\":0,\"op\":\"MPI_Bcast\",\"bytes\":8,\"count\":5,"
    "\"root\":0}\n"
    "{\"kind\":\"coll\",\"site\":4,\"comm\":1,\"op\":\"MPI_Alltoallv\",\"bytes\":5,\"count\":2,"
    "\"root\":null,\"rank_bytes\":[[10,2]]}\n"
    "{\"kind\":\"time\",\"op\":\"MPI_Bcast\",\"total_s\":4.5,\"max_s\":1.25,\"max_rank\":1}\n"
    "{\"kind\":\"time\",\"op\":\"MPI_Bcast\",\"site\":2,\"comm\":0,\"total_s\":4,\"max_s\":1,"
    "\"max_rank\":0}\n"
    "{\"kind\":\"time\",\"op\":\"MPI_Wait\",\"total_s\":0.1,\"max_s\":0.03333333333333333,"
    "\"max_rank\":3}\n"
    "{\"kind\":\"time\",\"op\":\"MPI_Wait\",\"site\":9,\"total_s\":0,\"max_s\":0,"
    "\"max_rank\":0}\n"
    "{\"kind\":\"rank\",\"rank\":0,\"host\":\"node0\",\"pu\":3,\"wall_s\":12.5,\"mpi_s\":3.25,"
    "\"unsure_s\":0.5,\"core_wait_s\":0.25}\n"
    "{\"kind\":\"p2p\",\"site\":1,\"src\":0,\"msgs\":[[1,65536,100],[2,8,20,163]]}\n"
    "{\"kind\":\"p2p\",\"phase\":1,\"src\":0,\"msgs\":[[1,8,23],[2,8,20]]}\n"
    "{\"kind\":\"order\",\"src\":0,\"rounds\":10,\"sends\":[[1,65536,1],[2,8,0,2],[1,65536,0,9]]}\n"
    "{\"kind\":\"order\",\"phase\":1,\"src\":0,\"sends\":[{\"receive\":3,\"first\":true,"
    "\"times\":2},[1,8,3,3],{\"posted\":null},{\"arrived\":null},{\"posted\":2,\"times\":3},"
    "{\"arrived\":2},"
    "{\"loop\":10,\"sends\":[{\"loop\":2,\"sends\":[[1,8,0],[2,8,0],{\"receive\":null}]},"
    "{\"sent\":2},{\"meet\":0,\"times\":2}]},{\"meet\":1,\"from\":2},{\"meet\":1,\"to\":0},"
    "{\"meet\":1,\"op\":\"MPI_Allreduce\",\"bytes\":8},"
    "{\"meet\":1,\"op\":\"MPI_Ibarrier\",\"bytes\":0,\"begins\":true},"
    "{\"meet\":1,\"op\":\"MPI_Ibarrier\",\"bytes\":0,\"ends\":true}]}\n"
    "{\"kind\":\"rma\",\"site\":3,\"src\":0,\"win\":0,\"sync\":\"fence\",\"op\":\"MPI_Put\","
    "\"epochs\":10,\"msgs\":[[1,8,160]]}\n"
    "{\"kind\":\"packed\",\"rank\":0,\"receives\":true,\"msgs\":[[12,3,20,7]]}\n"
    "{\"kind\":\"packed\",\"rank\":0,\"site\":1,\"msgs\":[[65536,2,65537,60],[65536,2,70000,1],"
    "[65536,64,131072,40]]}\n"
    "{\"kind\":\"row\",\"site\":4,\"comm\":1,\"op\":\"MPI_Alltoallv\",\"src\":2,\"rank_bytes\":[4,"
    "6]}\n"
    "{\"kind\":\"packed\",\"rank\":3,\"site\":1,\"msgs\":[[8,2,9,1]]}\n"
    "{\"kind\":\"end\",\"records\":21}\n";

static void a_file_comes_back_byte_for_byte(void **state)
{
  (void)state;
  static const char *const names[] = {"/tmp/berth-test-out.acp", "/tmp/berth-test-out.acp.zst"};
  for (size_t k = 0; k < COUNT(names); k++) {
    berth_error_t err = {0};
    berth_pattern_t *p = load(whole, strlen(whole), BERTH_PATTERN_STRICT, &err), *again;
    assert_non_null(p);
    assert_int_equal(berth_pattern_save(p, names[k], &err), BERTH_OK);
    again = berth_pattern_load(names[k], BERTH_PATTERN_STRICT, &err);
    assert_non_null(again);
    assert_int_equal(berth_pattern_save(again, names[0], &err), BERTH_OK);
    char text[4096];
    FILE *f = fopen(names[0], "r");
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(text, whole);
    unlink(names[k]);
    unlink(names[0]);
    berth_pattern_free(p);
    berth_pattern_free(again);
  }
}

/* Ranks are in groups, each a frame; all messages come back. */
static void groups_of_ranks_are_frames(void **state)
{
  (void)state;
  static const struct {
    int ranks, sends, group;
  } cases[] = {{1, 1, 1024}, {16, 1024, 16}, {100, 65, 16}, {100, 63, 32}, {3000, 1, 1024}};
  static const char name[] = "/tmp/berth-test-out.acp.zst";
  for (size_t i = 0; i < COUNT(cases); i++) {
    berth_error_t err = {0};
    berth_pattern_t *p = berth_pattern_new(cases[i].ranks, &err);
    for (int k = 0; k < cases[i].ranks * cases[i].sends; k++) {
      int src = k % cases[i].ranks, phase = k / cases[i].ranks % 3;
      const berth_message_t m = {phase, 0, src, 0, (uint64_t)k, 1, (uint64_t)k};
      assert_int_equal(berth_pattern_add_message(p, &m, &err), BERTH_OK);
    }
    assert_int_equal(berth_pattern_finish(p, &err), BERTH_OK);
    assert_int_equal(pattern_group(cases[i].ranks, pattern_items(p)), cases[i].group);
    assert_int_equal(berth_pattern_save(p, name, &err), BERTH_OK);
    berth_pattern_t *again = berth_pattern_load(name, BERTH_PATTERN_STRICT, &err);
    if (!again) FAIL_ROW("frames", "%d ranks: %s", cases[i].ranks, err.text);
    size_t n, n_again, phases;
    berth_pattern_phases(p, &phases);
    for (size_t k = 0; k < phases; k++) {
      const berth_message_t *m = berth_pattern_messages(p, k, &n);
      const berth_message_t *found = berth_pattern_messages(again, k, &n_again);
      assert_int_equal(n, n_again);
      assert_memory_equal(m, found, n * sizeof *m);
    }
    berth_pattern_free(p);
    berth_pattern_free(again);
    unlink(name);
  }
}

/* Damage is refused with one line, or changes a value within the rules; nothing crashes. */
static void check_damaged(const char *text, size_t n, const char *what, size_t at, int *refused)
{
  berth_error_t err = {0};
  berth_pattern_t *p = load(text, n, BERTH_PATTERN_STRICT, &err);
  *refused += !p;
  if (!p && (err.code != BERTH_BAD_INPUT || !*err.text || strchr(err.text, '\n'))) {
    print_error("%s at %zu: code %d, '%s'\n", what, at, err.code, err.text);
    fail();
  }
  berth_pattern_free(p);
  p = load(text, n, BERTH_PATTERN_TRUNCATED, &err);
  berth_pattern_free(p);
}

static void every_cut_is_refused(void **state)
{
  (void)state;
  size_t n = strlen(whole);
  int refused = 0;
  for (size_t cut = 0; cut < n - 1; cut++) check_damaged(whole, cut, "cut", cut, &refused);
  assert_int_equal(refused, n - 1); /* only the last line break can go without loss */
}

static void flipped_bytes_are_survived(void **state)
{
  (void)state;
  static const unsigned char flips[] = {0x01, 0x80, 0x20, 0xff};
  char copy[sizeof whole];
  int refused = 0;
  for (size_t i = 0; i < sizeof whole - 1; i++)
    for (size_t k = 0; k < COUNT(flips); k++) {
      memcpy(copy, whole, sizeof whole);
      copy[i] = (char)(copy[i] ^ flips[k]);
      check_damaged(copy, sizeof whole - 1, "flip", i, &refused);
    }
  assert_true(refused > (int)sizeof whole * 2); /* most damage shows */
}

static void compressed_files_detect_all_damage(void **state)
{
  (void)state;
  char packed[4096], copy[4096];
  ZSTD_CCtx *context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  size_t n = ZSTD_compress2(context, packed, sizeof packed, whole, strlen(whole));
  ZSTD_freeCCtx(context);
  assert_false(ZSTD_isError(n));
  int refused = 0;
  for (size_t cut = 0; cut < n; cut++) check_damaged(packed, cut, "cut", cut, &refused);
  assert_int_equal(refused, n);
  for (size_t i = 0; i < n; i++) {
    memcpy(copy, packed, n);
    copy[i] = (char)(copy[i] ^ 0x10);
    check_damaged(copy, n, "flip", i, &refused);
  }
  assert_in_range(refused, 2 * n - 8, 2 * n); /* some bits of a frame are unused */
}

static void what_is_there_of_a_cut_file_can_be_had(void **state)
{
  (void)state;
  berth_error_t err = {0};
  const char *cut = strstr(whole, "{\"kind\":\"end\"");
  berth_pattern_t *p = load(whole, (size_t)(cut - whole) + 20, BERTH_PATTERN_TRUNCATED, &err);
  assert_non_null(p);
  size_t n;
  const berth_message_t *m = berth_pattern_messages(p, 0, &n);
  assert_int_equal(n, 2);
  assert_int_equal(m[1].bytes, 163);
  const berth_cut_t *there = berth_pattern_cut(p);
  assert_non_null(there);
  int lines = 0;
  for (const char *c = whole; c < cut; c++) lines += *c == '\n';
  assert_int_equal(there->lines, lines);
  assert_int_equal(there->senders, 3); /* of p2p and rma lines, a row line, a packed line */
  assert_non_null(strstr(there->why, "found the end of the file"));
  assert_int_equal(err.code, BERTH_OK);
  berth_pattern_free(p);
  p = load(whole, strlen(whole), BERTH_PATTERN_TRUNCATED, &err);
  assert_non_null(p);
  assert_null(berth_pattern_cut(p));
  berth_pattern_free(p);
  assert_null(load("garbage\n", 8, BERTH_PATTERN_TRUNCATED, &err));
}

/* What the cut took from the messages makes an order wrong, which is then left out. */
static void an_order_whose_messages_were_cut_off_is_dropped(void **state)
{
  (void)state;
  static const char text[] = HEAD "{\"kind\":\"order\",\"src\":0,\"sends\":[[1,8,1,2]]}\n"
                                  "{\"kind\":\"order\",\"src\":1,\"sends\":[[0,4,0]]}\n"
                                  "{\"kind\":\"p2p\",\"src\":1,\"msgs\":[[0,4,1]]}\n"
                                  "{\"kind\":\"p2p\",\"src\":0,\"ms";
  berth_error_t err = {0};
  size_t n;
  berth_pattern_t *p = load(text, strlen(text), BERTH_PATTERN_TRUNCATED, &err);
  assert_non_null(p);
  const berth_order_t *o = berth_pattern_orders(p, &n);
  assert_int_equal(n, 1);
  assert_int_equal(o->src, 1);
  assert_int_equal(o->n_steps, 1);
  assert_int_equal(o->steps[0].size, 4);
  berth_pattern_free(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_files_get_one_line),
      cmocka_unit_test(a_file_comes_back_byte_for_byte),
      cmocka_unit_test(groups_of_ranks_are_frames),
      cmocka_unit_test(every_cut_is_refused),
      cmocka_unit_test(flipped_bytes_are_survived),
      cmocka_unit_test(compressed_files_detect_all_damage),
      cmocka_unit_test(what_is_there_of_a_cut_file_can_be_had),
      cmocka_unit_test(an_order_whose_messages_were_cut_off_is_dropped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
