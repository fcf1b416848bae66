/* SPDX-License-Identifier: BSD-3-Clause */
/* Defines the tables and views of a pattern's database. */
#include "exchange/pattern/sqlite_schema.h"

#include <stddef.h>

#define INT  "INTEGER NOT NULL"
#define TEXT "TEXT NOT NULL"
#define ONCE "in one occurrence of the phase"

static const sqlite_column_t meta[] = {
    {"key", TEXT, "", "format, version, ranks, mpi, created"},
    {"value", "", "", "number or text"},
    {"about", TEXT, "", "what it is"},
};
static const sqlite_column_t command[] = {
    {"place", INT, "", "from 0"},
    {"arg", TEXT, "", "an argument of the traced command"},
};
static const sqlite_column_t parameter[] = {
    {"name", TEXT, "", "an environment variable that the job had set for its MPI"},
    {"value", TEXT, "", "its value"},
    {"text", "TEXT", "", "of the file that the value names; NULL: none, or not kept"},
};
static const sqlite_column_t grid[] = {
    {"grid", INT, "", "a Cartesian grid of all ranks that the program made, from 0"},
    {"dim", INT, "", "its dimension, from 0; ranks of the last one are consecutive"},
    {"ranks", INT, "ranks", "in this dimension"},
    {"periodic", INT, "", "1: its last rank's neighbour is the first one"},
};
static const sqlite_column_t rank[] = {
    {"rank", INT, "rank", "in MPI_COMM_WORLD; each has a row"},
    {"host", "TEXT", "", "where it ran; NULL, here and below: not known"},
    {"pu", "INTEGER", "", "the operating system's index of the PU it ran on"},
    {"wall_s", "REAL", "s", "run time"},
    {"mpi_s", "REAL", "s", "of that inside MPI calls"},
    {"unsure_s", "REAL", "s", "how much more of it may have been inside"},
    {"core_wait_s", "REAL", "s", "outside of MPI calls: ready to run, but without a core", 11},
};
static const sqlite_column_t phase[] = {
    {"id", INT, "", "phase"},
    {"name", TEXT, "", "its name, '' for none"},
    {"repeats", INT, "occurrences", "how often it occurs"},
};
static const sqlite_column_t site[] = {
    {"id", INT, "", "call site"},
    {"op", TEXT, "", "the MPI function that is called there"},
};
static const sqlite_column_t frame[] = {
    {"site", INT, "", "site.id"},
    {"depth", INT, "", "0 for the innermost"},
    {"frame", TEXT, "", "function, file and line, as far as known"},
};
static const sqlite_column_t message[] = {
    {"phase", INT, "", "phase.id"},
    {"site", INT, "", "site.id, 0: not known"},
    {"src", INT, "rank", "who sends"},
    {"dst", INT, "rank", "who receives"},
    {"size", INT, "bytes", "of one message; a representative one where sizes were binned"},
    {"count", INT, "messages", ONCE},
    {"bytes", INT, "bytes", "of all of them, exact, " ONCE},
};
static const sqlite_column_t send_order[] = {
    {"id", INT, "", "list of steps"},
    {"phase", INT, "", "phase.id"},
    {"src", INT, "rank", "who sends"},
    {"rounds", INT, "rounds", "how often the list is gone through " ONCE},
};
static const sqlite_column_t step[] = {
    {"list", INT, "", "send_order.id"},
    {"place", INT, "", "from 0"},
    {"kind", TEXT, "", "send, sent, receive, posted, arrived, meet, from_root, to_root or loop"},
    {"peer", "INTEGER", "",
     "a rank; of the kinds meet and …_root, comm.id; NULL: any rank, or none"},
    {"size", INT, "bytes", "of one message, as in message; of a collective call, as in collective"},
    {"mode", INT, "",
     "of a send: 1: the rank goes on after delivery; 2: starts after its receive was posted; "
     "3: both"},
    {"times", INT, "", "such steps in a row; rounds of a loop"},
    {"root", "INTEGER", "rank", "in MPI_COMM_WORLD; NULL: none"},
    {"steps", INT, "rows", "of a loop: those that follow it in its body"},
    {"op", "TEXT", "", "of the kinds meet and …_root: as in collective; NULL: not known"},
};
static const sqlite_column_t comm[] = {
    {"id", INT, "", "communicator; 0 is MPI_COMM_WORLD and has no row"},
    {"border", INT, "ranks", "of an intercommunicator's first group, 0: one group", 8},
};
static const sqlite_column_t comm_rank[] = {
    {"comm", INT, "", "comm.id"},
    {"place", INT, "", "the rank in the communicator"},
    {"rank", INT, "rank", "in MPI_COMM_WORLD"},
};
static const sqlite_column_t coll[] = {
    {"id", INT, "", "calls of a collective operation"},
    {"phase", INT, "", "phase.id"},
    {"site", INT, "", "site.id, 0: not known"},
    {"comm", INT, "", "comm.id, 0: MPI_COMM_WORLD"},
    {"op", TEXT, "", "the MPI function"},
    {"bytes", INT, "bytes", "of one call at one rank"},
    {"count", INT, "calls", ONCE},
    {"root", "INTEGER", "", "the root's rank in the communicator"},
    {"element", INT, "bytes", "elements are multiples of it, 0: not known", 7},
    {"in_place", INT, "", "1: all ranks had MPI_IN_PLACE (allreduce and alltoalls alone)", 7},
    {"commutative", INT, "", "0: the reduction's operation isn't commutative", 7},
    {"built_in", INT, "", "0: the program made the reduction's operation", 7},
};
static const sqlite_column_t coll_share[] = {
    {"coll", INT, "", "coll.id"},
    {"place", INT, "", "from 0: runs of ranks, in the communicator's order"},
    {"bytes", INT, "bytes", "that each of them gave, in the whole run"},
    {"ranks", INT, "ranks", "how many there are"},
};
static const sqlite_column_t coll_row[] = {
    {"id", INT, "", "what a rank sent in collective calls"},
    {"phase", INT, "", "phase.id"},
    {"site", INT, "", "site.id, 0: not known"},
    {"comm", INT, "", "comm.id, 0: MPI_COMM_WORLD"},
    {"src", INT, "rank", "who sends, in MPI_COMM_WORLD"},
    {"op", TEXT, "", "the MPI function"},
};
static const sqlite_column_t row_share[] = {
    {"coll_row", INT, "", "coll_row.id"},
    {"place", INT, "", "from 0: runs of receivers, in the communicator's order"},
    {"bytes", INT, "bytes", "that each of them was sent, in the whole run"},
    {"ranks", INT, "ranks", "how many there are"},
};
static const sqlite_column_t rma[] = {
    {"id", INT, "", "one-sided operations of a rank"},
    {"phase", INT, "", "phase.id"},
    {"site", INT, "", "site.id, 0: not known"},
    {"src", INT, "rank", "who issues them"},
    {"win", INT, "", "window"},
    {"sync", TEXT, "", "the kind of synchronisation around them"},
    {"op", TEXT, "", "the MPI function"},
    {"epochs", INT, "epochs", "with any of them, " ONCE},
    {"comm", INT, "", "the window's, comm.id, 0: MPI_COMM_WORLD"},
};
static const sqlite_column_t rma_message[] = {
    {"rma", INT, "", "rma.id"},         {"place", INT, "", "from 0"},
    {"dst", INT, "rank", "the target"}, {"size", INT, "bytes", "of one operation, as in message"},
    {"count", INT, "operations", ONCE}, {"bytes", INT, "bytes", "of all of them, exact, " ONCE},
};
static const sqlite_column_t unmodelled[] = {
    {"op", TEXT, "", "an MPI function of which nothing else is known"},
    {"calls", INT, "calls", "by all ranks, in the whole run"},
};
static const sqlite_column_t time[] = {
    {"op", TEXT, "", "an MPI function"},
    {"site", INT, "", "site.id, 0: not known"},
    {"comm", "INTEGER", "", "of collective calls: comm.id, 0: MPI_COMM_WORLD; NULL: other calls"},
    {"total_s", "REAL NOT NULL", "s", "of all ranks inside of these calls, in the whole run"},
    {"max_s", "REAL NOT NULL", "s", "of the rank that spent the most"},
    {"max_rank", INT, "rank", "the lowest one that did"},
};
static const sqlite_column_t packed[] = {
    {"rank", INT, "rank", "where messages aren't contiguous in memory"},
    {"site", INT, "", "site.id, 0: not known"},
    {"receives", INT, "", "1: it receives them; 0: it sends them"},
    {"size", INT, "bytes", "of data of one message"},
    {"pieces", INT, "pieces", "contiguous ones that the data are in"},
    {"span", INT, "bytes", "from the lowest piece to the end of the highest one"},
    {"count", INT, "messages", "in the whole run"},
};
static const sqlite_column_t baseline[] = {
    {"berth", TEXT, "", "the version that priced it; a baseline of `berth check` has a row"},
    {"model", TEXT, "", "the cost model"},
    {"topology", TEXT, "", "the topology's name"},
    {"topology_hash", TEXT, "", "its hash, 16 digits"},
    {"cost_s", "REAL NOT NULL", "s", "the whole run's cost"},
    {"algorithm", TEXT, "", "what placed the ranks"},
    {"one_sided", TEXT, "", "rules by which the cost includes one-sided operations, '': none"},
    {"collectives", TEXT, "", "rules by which it includes collective operations, '': none"},
};
static const sqlite_column_t baseline_phase[] = {
    {"place", INT, "", "from 0"},
    {"id", INT, "", "the baseline's phase"},
    {"name", TEXT, "", "its name"},
    {"cost_s", "REAL NOT NULL", "s", "of one occurrence"},
};
static const sqlite_column_t baseline_rank[] = {
    {"rank", INT, "rank", ""},
    {"pu", INT, "", "the number of its PU in the topology"},
};
static const sqlite_column_t size_bin[] = {
    {"least", INT, "bytes", "the smallest size of a bin: a power of two, or 0"},
    {"most", INT, "bytes", "the largest"},
    {"bin", INT, "", "its number: 0 for no bytes, 1 for one, 2 for 2 and 3, 3 for 4 to 7"},
};
static const sqlite_column_t unit[] = {
    {"tbl", TEXT, "", "table"},
    {"col", TEXT, "", "column"},
    {"unit", TEXT, "", "what the column counts, '' for names and numbers of things"},
    {"about", TEXT, "", "what the column is"},
};

#define TABLE_SINCE(name, key, since)                                                              \
  {                                                                                                \
#name, key, sizeof name / sizeof *name, name, since                                            \
  }
#define TABLE(name, key) TABLE_SINCE(name, key, 0)

const sqlite_table_t sqlite_tables[TABLE_N_TABLES] = {
    [TABLE_META] = TABLE(meta, "key"),
    [TABLE_COMMAND] = TABLE(command, "place"),
    [TABLE_RANK] = TABLE(rank, "rank"),
    [TABLE_PHASE] = TABLE(phase, "id"),
    [TABLE_SITE] = TABLE(site, "id"),
    [TABLE_FRAME] = TABLE(frame, "site, depth"),
    [TABLE_MESSAGE] = TABLE(message, ""),
    [TABLE_SEND_ORDER] = TABLE(send_order, "id"),
    [TABLE_STEP] = TABLE(step, "list, place"),
    [TABLE_COMM] = TABLE(comm, "id"),
    [TABLE_COMM_RANK] = TABLE(comm_rank, "comm, place"),
    [TABLE_COLL] = TABLE(coll, "id"),
    [TABLE_COLL_SHARE] = TABLE(coll_share, "coll, place"),
    [TABLE_COLL_ROW] = TABLE(coll_row, "id"),
    [TABLE_ROW_SHARE] = TABLE(row_share, "coll_row, place"),
    [TABLE_RMA] = TABLE(rma, "id"),
    [TABLE_RMA_MESSAGE] = TABLE(rma_message, "rma, place"),
    [TABLE_UNMODELLED] = TABLE(unmodelled, "op"),
    [TABLE_TIME] = TABLE_SINCE(time, "", 5),
    [TABLE_PARAMETER] = TABLE_SINCE(parameter, "name", 6),
    [TABLE_GRID] = TABLE_SINCE(grid, "grid, dim", 9),
    [TABLE_PACKED] = TABLE_SINCE(packed, "", 10),
    [TABLE_BASELINE] = TABLE(baseline, ""),
    [TABLE_BASELINE_PHASE] = TABLE(baseline_phase, "place"),
    [TABLE_BASELINE_RANK] = TABLE(baseline_rank, "rank"),
    [TABLE_SIZE_BIN] = TABLE(size_bin, "least"),
    [TABLE_UNIT] = TABLE(unit, "tbl, col"),
};

const char *const sqlite_step_kinds[] = {"send", "sent",      "receive", "posted", "arrived",
                                         "meet", "from_root", "to_root", "loop",   NULL};

#define BIN "(SELECT bin FROM size_bin WHERE least <= m.size ORDER BY least DESC LIMIT 1)"

const char sqlite_views[] =
    "CREATE VIEW traffic AS\n"
    "  SELECT 'p2p' AS kind, m.phase, m.site, m.src, m.dst, m.size, " BIN " AS bin,\n"
    "    m.count * p.repeats AS messages, m.bytes * p.repeats AS bytes\n"
    "  FROM message m JOIN phase p ON p.id = m.phase\n"
    "  UNION ALL\n"
    "  SELECT 'rma', r.phase, r.site, r.src, m.dst, m.size, " BIN ",\n"
    "    m.count * coalesce(p.repeats, 1), m.bytes * coalesce(p.repeats, 1)\n"
    "  FROM rma r JOIN rma_message m ON m.rma = r.id LEFT JOIN phase p ON p.id = r.phase;\n"
    "CREATE VIEW pair AS\n"
    "  SELECT kind, phase, src, dst, bin, sum(messages) AS messages, sum(bytes) AS bytes\n"
    "  FROM traffic GROUP BY kind, phase, src, dst, bin;\n"
    "CREATE VIEW coll_pair AS\n"
    "  SELECT phase, site, op, src,\n"
    "    CASE comm WHEN 0 THEN r.rank ELSE (SELECT rank FROM comm_rank c\n"
    "      WHERE c.comm = s.comm AND c.place = r.rank) END AS dst, bytes\n"
    "  FROM (SELECT w.*, s.bytes, s.ranks, (SELECT coalesce(sum(b.ranks), 0) FROM row_share b\n"
    "      WHERE b.coll_row = w.id AND b.place < s.place) AS first\n"
    "    FROM coll_row w JOIN row_share s ON s.coll_row = w.id) s\n"
    "    JOIN rank r ON r.rank >= first AND r.rank < first + ranks\n"
    "  WHERE bytes > 0;\n"
    "CREATE VIEW histogram AS\n"
    "  SELECT kind, phase, bin, least, most, sum(messages) AS messages, sum(bytes) AS bytes\n"
    "  FROM traffic JOIN size_bin USING (bin) GROUP BY kind, phase, bin;\n"
    "CREATE VIEW site_traffic AS\n"
    "  SELECT kind, phase, t.site, s.op, f.frame, sum(messages) AS messages, sum(bytes) AS bytes\n"
    "  FROM traffic t LEFT JOIN site s ON s.id = t.site\n"
    "    LEFT JOIN frame f ON f.site = t.site AND f.depth = 0\n"
    "  GROUP BY kind, phase, t.site;\n";
