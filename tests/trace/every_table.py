"""What the ground-truth programs of every.py do: a list of cases, each a call of one function of
MPI in one way, and what a trace has to hold of it. One list makes the programs in both languages.

A statement is NAME(ARGUMENTS) of MPI, `*(ARGUMENTS)` the function that the case is about, `! C | F`
other code of each language; `if (CONDITION) ` may stand in front. `loop VARIABLE TIMES` goes on to
`end`, which keeps a call in one place of the program. In arguments

    #x    a count, of MPI_Count in the large-count forms    %x   a list of counts or places
    $x    of MPI_Aint there    @x    MPI_Aint               ~x   MPI_Count    ^x   MPI_Offset
    &x    what MPI writes to                                INT  four bytes in either language

Ranks are 4: `next`, `before` are neighbours on a ring, `own` is the rank in the communicator.
"""
import collections

RANKS = range(4)
N = 4
MANY = 5  # items of most messages
SIZE = 4 * MANY

# function: as in C without MPI_; large: its _c form; arrays: name -> function of rank -> list;
# lines: what the trace has in the case's phase; names: calls that it knows by name alone
Case = collections.namedtuple("Case", "row function large arrays before body after lines names")
cases = []

# What an MPI can't do itself, untraced as well: MPI, bindings, row, functions, what happens.
FAULTS = (
    ("mpich", "C MPIFH MODULE F08", "sends to MPI_PROC_NULL",
     "Isendrecv Isendrecv_replace Psend_init", "it crashes"),
    ("mpich", "C MPIFH MODULE F08", "spawned and connected processes",
     "Comm_spawn Comm_spawn_multiple Comm_accept Comm_connect Comm_join",
     "Debian's build (over UCX) refuses them"),
    ("mpich", "F08", "neighbourhood collectives on a Cartesian grid",
     "Neighbor_alltoallw Ineighbor_alltoallw Neighbor_alltoallw_init",
     "it takes the grid for a distributed graph and fails"),
    ("mpich", "F08", "neighbourhood collectives on a graph",
     "Neighbor_alltoallw Ineighbor_alltoallw Neighbor_alltoallw_init",
     "it takes the graph for a distributed one and fails"),
)


def faulty(mpi, binding, row):
    """The functions of a row that are left out."""
    return {name for m, bindings, r, names, _ in FAULTS for name in names.split()
            if (m, r) == (mpi, row) and binding in bindings.split()}

def case(row, function, body, lines=(), large=False, arrays=None, before=(), after=(), names=None):
    cases.append(Case(row, function, large, arrays or {}, list(before), list(body), list(after),
                      sorted(lines), names or {}))


def lower(name):
    return name[0].lower() + name[1:]


# messages

def p2p(op, dst, size, count=1, ranks=RANKS):
    return [f"p2p MPI_{op} {r} {dst(r)} {size} {count}" for r in ranks]


SENDS = [mode + "send" for mode in ("", "b", "s", "r")]
BLOCKING = [s.capitalize() for s in SENDS] + ["Sendrecv", "Sendrecv_replace"]
NONBLOCKING = ["I" + lower(name) for name in BLOCKING]
PERSISTENT = [s.capitalize() + "_init" for s in SENDS]


def send_arguments(function, dst, src, comm):
    if "replace" in function:
        return f"out, #{MANY}, INT, {dst}, TAG, {src}, TAG, {comm}"
    first = f"out, #{MANY}, INT, {dst}, TAG, "
    return first + (f"in, #{MANY}, INT, {src}, TAG, {comm}" if "recv" in function else comm)


STARTED = ["Start(&qs0)", "Wait(&qs0, IGNORE)"], ["Startall(1, qs)", "Wait(&qs0, IGNORE)"]


def send(row, function, where=("next", "before", "world"), to=lambda r: (r + 1) % N, large=False):
    """One message; two of a persistent request."""
    dst, src, comm = where
    nobody = dst == "MPI_PROC_NULL"
    arguments = send_arguments(function, dst, src, comm)
    post = [f"Irecv(in, ROOM, BYTE, {src}, TAG, {comm}, &r)", "Barrier(world)"]
    before, after, times = post, ["Wait(&r, IGNORE)"], 1
    if "recv" in function or nobody:
        before, after = [], []
    if function in PERSISTENT:
        times = 2
        body = [f"*({arguments}, &qs0)"] + STARTED[0] + STARTED[1]
        if not nobody:
            before = [f"Irecv(in, ROOM, BYTE, {src}, TAG, {comm}, &r)"] + post
            before[0] = before[0].replace("&r", "&q")
            after = ["Wait(&r, IGNORE)", "Wait(&q, IGNORE)"]
        after = after + ["Request_free(&qs0)"]
    elif function[0] == "I":
        body = [f"*({arguments}, &q)", "Wait(&q, IGNORE)"]
    else:
        body = [f"*({arguments}{', IGNORE' if 'recv' in function else ''})"]
    op = function + ("_c" if large else "")
    case(row, function, body, [] if nobody else p2p(op, to, SIZE, times), large, before=before,
         after=after)


READY = {"Psend_init": ["Pready(3, qs0)", "Pready(1, qs0)", "Pready(2, qs0)", "Pready(0, qs0)"],
         "Pready": ["*(3, qs0)", "*(1, qs0)", "*(2, qs0)", "*(0, qs0)"],
         "Pready_range": ["*(2, 3, qs0)", "*(0, 1, qs0)"],
         "Pready_list": ["*(3, %listed, qs0)", "Pready(3, qs0)"]}


def partitioned(row, function, where=("next", "before", "world"), to=lambda r: (r + 1) % N):
    """Each of four partitions is a message, of the request."""
    dst, src, comm = where
    nobody = dst == "MPI_PROC_NULL"
    init = f"Psend_init(out, 4, ~10, INT, {dst}, TAG, {comm}, INFO, &qs0)"
    init = init.replace("Psend_init", "*") if function == "Psend_init" else init
    before = [] if nobody else [
        f"Precv_init(in, 4, ~10, INT, {src}, TAG, {comm}, INFO, &r)", "Start(&r)"]
    after = ["Wait(&qs0, IGNORE)"] + ([] if nobody else ["Wait(&r, IGNORE)", "Request_free(&r)"])
    case(row, function, [init, "Start(&qs0)"] + READY[function],
         [] if nobody else p2p("Psend_init", to, 40, 4), arrays={"listed": lambda r: [2, 0, 1]},
         before=before, after=after + ["Request_free(&qs0)"])


for names, label in ((BLOCKING, "blocking sends"), (NONBLOCKING, "non-blocking sends"),
                     (PERSISTENT, "persistent sends")):
    for name in names:
        send(label, name)
        send("sends, large counts", name, large=True)
        send("sends to MPI_PROC_NULL", name, ("MPI_PROC_NULL", "MPI_PROC_NULL", "world"))
        send("sends on an intercommunicator", name, ("peer", "peer", "inter"),
             lambda r: (r + 2) % N)
for name in READY:
    partitioned("partitioned sends", name)
partitioned("sends to MPI_PROC_NULL", "Psend_init", ("MPI_PROC_NULL", "MPI_PROC_NULL", "world"))
partitioned("sends on an intercommunicator", "Psend_init", ("peer", "peer", "inter"),
            lambda r: (r + 2) % N)


# communicators: on one that was made, its first rank sends to its last one

def made(function, arguments, groups, before=(), inter=False, wait=False, after=(), arrays=None,
         row="communicators, by constructor"):
    """groups: the ranks in order, of each communicator that is made; of an intercommunicator the
    two groups, of which the first of each sends to the last of the other."""
    pairs = [(a[0], b[-1]) for a, b in zip(groups, groups[::-1] if inter else groups)]
    body = [f"*({arguments})"] + (["Wait(&q, IGNORE)"] if wait else [])
    body += ["Comm_rank(made, &own)"]
    body += ["Comm_remote_size(made, &size)" if inter else "Comm_size(made, &size)"]
    last = "Comm_size(made, &n)" if inter else "! n = size | n = size"
    body += [last, f"if (own == 0) Send(out, {MANY}, INT, size - 1, TAG, made)",
             f"if (own == n - 1) Recv(in, {MANY}, INT, 0, TAG, made, IGNORE)"]
    case(row, function, body, [f"p2p MPI_Send {a} {b} {SIZE} 1" for a, b in pairs], arrays=arrays,
         before=before, after=["Comm_free(&made)"] + list(after))


ALL = [[0, 1, 2, 3]]
BACK = [[3, 2, 1, 0]]
LEAD = "! leader = rank < 2 ? 2 : 0 | leader = merge(2, 0, rank < 2)"
made("Comm_dup", "backwards, &made", BACK)
made("Comm_dup_with_info", "backwards, INFO, &made", BACK)
made("Comm_idup", "backwards, &made, &q", BACK, wait=True)
made("Comm_idup_with_info", "backwards, INFO, &made, &q", BACK, wait=True)
made("Comm_create", "world, swapped, &made", [[2, 3, 0, 1]])
made("Comm_create_group", "world, swapped, 9, &made", [[2, 3, 0, 1]])
made("Comm_split", "world, parity, -rank, &made", [[2, 0], [3, 1]])
made("Comm_split_type", "world, MPI_COMM_TYPE_SHARED, -rank, INFO, &made", BACK)
made("Cart_create", "backwards, 2, two, closed, NO, &made", BACK)
made("Cart_sub", "grid, remain, &made", [[3, 1], [2, 0]])
made("Graph_create", "backwards, 4, %ends, %edges, NO, &made", BACK)
made("Dist_graph_create", "backwards, 1, %own_list, %one, %next_list, MPI_UNWEIGHTED, INFO, NO, "
     "&made", BACK)
made("Dist_graph_create_adjacent", "backwards, 1, %before_list, MPI_UNWEIGHTED, 1, %next_list, "
     "MPI_UNWEIGHTED, INFO, NO, &made", BACK)
made("Intercomm_create", "part, 0, world, leader, 8, &made", [[0, 1], [2, 3]], [LEAD], True)
made("Intercomm_merge", "inter, high, &made", [[2, 3, 0, 1]],
     ["! high = rank < 2 | high = rank < 2"])
GROUP = ['Session_init(INFO, MPI_ERRORS_ARE_FATAL, &session)',
         'Group_from_session_pset(session, "mpi://WORLD", &group)']
END = ["Group_free(&group)", "Session_finalize(&session)"]
made("Comm_create_from_group", 'group, "berth", INFO, MPI_ERRORS_ARE_FATAL, &made', ALL, GROUP,
     row="sessions", after=END)
WHOLE = GROUP + [cases[-1].body[0].replace("*", "Comm_create_from_group")] + cases[-1].body[1:] + \
    ["Comm_free(&made)"] + END
for name in "Session_init", "Session_finalize":
    case("sessions", name, [s.replace(name, "*") for s in WHOLE], cases[-1].lines)
made("Intercomm_create_from_groups", 'half, 0, other, 0, "berth", INFO, MPI_ERRORS_ARE_FATAL, '
     '&made', [[0, 1], [2, 3]], GROUP + [
         "Group_incl(group, 2, %mine, &half)", "Group_incl(group, 2, %theirs, &other)"], True,
     row="sessions", after=["Group_free(&half)", "Group_free(&other)"] + END,
     arrays={"mine": lambda r: [r // 2 * 2, r // 2 * 2 + 1],
             "theirs": lambda r: [2 - r // 2 * 2, 3 - r // 2 * 2]})

# Spawned processes are outside of MPI_COMM_WORLD: what passes to them is named and counted. Two
# ranks that connect are in it.

OTHERS = "spawned and connected processes"
TALK = [f"if (rank == 0) Send(out, {MANY}, INT, 0, TAG, made)", "Barrier(made)",
        "Comm_disconnect(&made)"]
case(OTHERS, "Comm_spawn", ["*(path, MPI_ARGV_NULL, 2, INFO, 0, world, &made, "
                            "MPI_ERRCODES_IGNORE)"] + TALK,
     names={"Comm_spawn": N, "Send": 1, "Barrier": N})
case(OTHERS, "Comm_spawn_multiple", ["*(2, paths, MPI_ARGVS_NULL, %ones, infos, 0, world, &made, "
                                     "MPI_ERRCODES_IGNORE)"] + TALK,
     arrays={"ones": lambda r: [1, 1]}, names={"Comm_spawn_multiple": N, "Send": 1, "Barrier": N})
CONNECT = ["if (rank == 0) Comm_accept(port, INFO, 0, MPI_COMM_SELF, &made)",
           "if (rank == 1) Comm_connect(port, INFO, 0, MPI_COMM_SELF, &made)"]
MEET = [f"if (rank == 0) Send(out, {MANY}, INT, 0, TAG, made)",
        f"if (rank == 1) Recv(in, {MANY}, INT, 0, TAG, made, IGNORE)",
        "if (rank < 2) Comm_disconnect(&made)"]
for name in "Comm_accept", "Comm_connect":
    case(OTHERS, name, [s.replace(name, "*") for s in CONNECT] + MEET,
         p2p("Send", lambda r: 1, SIZE, ranks=[0]),
         before=["if (rank == 0) Open_port(INFO, port)",
                 "Bcast(port, MPI_MAX_PORT_NAME, BYTE, 0, world)"],
         after=["if (rank == 0) Close_port(port)"], names={"Comm_accept": 1, "Comm_connect": 1})
case(OTHERS, "Comm_join", ["if (rank < 2) *(fd, &made)"] + MEET,
     p2p("Send", lambda r: 1, SIZE, ranks=[0]), names={"Comm_join": 2})


# collectives, on all ranks in reverse order

def coll(op, size, root="-", count=1, members="3,2,1,0", parts=(), rows=()):
    """parts: bytes of one call of each of the members; rows: what each sends to each of them."""
    what = f"MPI_{op} {members}"
    ranks = members.split(",")
    lines = [f"coll {what} {size} {root} {count}"]
    lines += [f"part {what} {r} {count * part}" for r, part in zip(ranks, parts) if part]
    for r, row in zip(ranks, rows):
        lines += [f"row {what} {r} {d} {count * b}" for d, b in zip(ranks, row) if b]
    return lines


def mean(sizes):
    sizes = list(sizes)
    return (sum(sizes) + len(sizes) // 2) // len(sizes)


def own_count(rank):
    return N - rank  # of the rank in the communicator, from 1


ONE_TO_N = {"counts": lambda r: [1, 2, 3, 4], "displs": lambda r: [0, 16, 32, 48]}


def items(src, dst):
    """Of one rank in the communicator to another: each other, and to some nobody."""
    return (3 * src + 2 * dst) % N


ALL_MINE = {"counts": lambda r: [items(own_count(r) - 1, k) for k in RANKS],
            "back": lambda r: [items(k, own_count(r) - 1) for k in RANKS],
            "displs": lambda r: [0, 16, 32, 48]}
W_PLACES = dict(ALL_MINE, displs=lambda r: [0, 64, 128, 192])
MINE = [4, 8, 12, 16]  # bytes of the ranks in the communicator
TO_EACH = [[4 * items(a, b) for b in RANKS] for a in RANKS]
TO_ALL = [sum(row) for row in TO_EACH]
MEAN = mean(MINE)
BLOCK = f"out, #{MANY}, INT, in, #{MANY}, INT"
V_ARGS = "out, %counts, %displs, {0}, in, %back, %displs, {0}"
# arguments without the communicator, bytes, whether there is a root, arrays
COLLECTIVES = {
    "Barrier": ("", 0, False, {}),
    "Bcast": (f"out, #{MANY}, INT, ROOT", SIZE, True, {}),
    "Gather": (f"{BLOCK}, ROOT", SIZE, True, {}),
    "Gatherv": ("out, #mine, INT, in, %counts, %displs, INT, ROOT", MEAN, True, ONE_TO_N),
    "Scatter": (f"{BLOCK}, ROOT", SIZE, True, {}),
    "Scatterv": ("out, %counts, %displs, INT, in, #mine, INT, ROOT", MEAN, True, ONE_TO_N),
    "Allgather": (BLOCK, SIZE, False, {}),
    "Allgatherv": ("out, #mine, INT, in, %counts, %displs, INT", MEAN, False, ONE_TO_N),
    "Alltoall": (BLOCK, N * SIZE, False, {}),
    "Alltoallv": (V_ARGS.format("INT"), mean(TO_ALL), False, ALL_MINE),
    "Alltoallw": (V_ARGS.format("types"), mean(TO_ALL), False, W_PLACES),
    "Reduce": (f"out, in, #{MANY}, INT, MPI_MAX, ROOT", SIZE, True, {}),
    "Allreduce": (f"out, in, #{MANY}, INT, MPI_MAX", SIZE, False, {}),
    "Scan": (f"out, in, #{MANY}, INT, MPI_MAX", SIZE, False, {}),
    "Exscan": (f"out, in, #{MANY}, INT, MPI_MAX", SIZE, False, {}),
    "Reduce_scatter": ("out, in, %counts, INT, MPI_MAX", 4 * 10, False, ONE_TO_N),
    "Reduce_scatter_block": (f"out, in, #{MANY}, INT, MPI_MAX", N * SIZE, False, {})}
# what each rank gives, and what it sends to each, where that isn't the same
PARTS = {"Gatherv": (MINE, ()), "Scatterv": (MINE, ()), "Allgatherv": (MINE, ()),
         "Alltoallv": (TO_ALL, TO_EACH), "Alltoallw": (TO_ALL, TO_EACH),
         "Reduce_scatter": (MINE, ())}
# on an intercommunicator: two ranks to a group; of a root only the others' blocks are known
PAIRS = {"counts": lambda r: [1, 2], "displs": lambda r: [0, 16]}
PAIRS_MINE = {"counts": lambda r: [r % 2 + 1] * 2, "back": lambda r: [1, 2],
              "displs": lambda r: [0, 16]}
INTER = {"Gatherv": (4, PAIRS), "Scatterv": (4, PAIRS), "Allgatherv": (6, PAIRS),
         "Alltoall": (2 * SIZE, {}), "Alltoallv": (12, PAIRS_MINE),
         "Alltoallw": (12, dict(PAIRS_MINE, displs=lambda r: [0, 64])),
         "Reduce_scatter": (12, PAIRS), "Reduce_scatter_block": (2 * SIZE, {})}
ACROSS = [[0, 0, 4, 4], [0, 0, 8, 8], [4, 4, 0, 0], [8, 8, 0, 0]]
INTER_PARTS = {"Gatherv": ([0, 0, 4, 8], ()), "Scatterv": ([0, 0, 4, 8], ()),
               "Allgatherv": ([4, 8, 4, 8], ()), "Alltoallv": ([8, 16, 8, 16], ACROSS),
               "Alltoallw": ([8, 16, 8, 16], ACROSS), "Reduce_scatter": ([4, 8, 4, 8], ())}
NO_INTER = ("Scan", "Exscan")


ONCE = ["Scatter"]  # MPICH 4.0.2 fails when one is started again


def forms(name, arguments):
    """Blocking, non-blocking and persistent: (function, body, calls, statements after)."""
    plain = arguments.lstrip(", ")
    starts = STARTED[0] + ([] if name in ONCE else STARTED[1])
    return ((name, [f"*({plain})"], 1, []),
            ("I" + lower(name), [f"*({plain}, &q)", "Wait(&q, IGNORE)"], 1, []),
            (name + "_init", [f"*({plain}, INFO, &qs0)"] + starts, 1 if name in ONCE else 2,
             ["Request_free(&qs0)"]))


ROWS = ("blocking collectives", "non-blocking collectives", "persistent collectives")
for name, (arguments, size, rooted, arrays) in COLLECTIVES.items():
    at_one = arguments.replace("ROOT", "1")
    for (function, body, count, after), label in zip(forms(name, at_one + ", backwards"), ROWS):
        for large in (False, True) if name != "Barrier" else (False,):
            case("collectives, large counts" if large else label, function, body,
                 coll(function + ("_c" if large else ""), size, 1 if rooted else "-", count,
                      "3,2,1,0", *PARTS.get(name, ())), large,
                 arrays, ["! mine = 4 - rank | mine = 4 - rank"], after)
    if name in NO_INTER:
        continue
    size, arrays = INTER.get(name, (size, {}))
    for function, body, count, after in forms(name, arguments.replace("ROOT", "root") + ", inter"):
        case("collectives on an intercommunicator", function, body,
             coll(function, size, 1 if rooted else "-", count, "0,1,2,3",
                  *INTER_PARTS.get(name, ())), arrays=arrays,
             before=["! mine = rank % 2 + 1 | mine = mod(rank, 2) + 1"], after=after)

# neighbourhood collectives: whom a rank sends to, and whom it hears from, in order; None: nobody
STAR = {0: [1, 2, 3], 1: [0], 2: [0], 3: [0]}
GRAPHS = {
    "Cartesian grid": ("row", {r: [r - 1 if r > 0 else None, r + 1 if r < 3 else None]
                               for r in RANKS}, None, None),
    # of communicator backwards: rank 0 in it is 3
    "graph": ("star", {3 - a: [3 - b for b in bs] for a, bs in STAR.items()}, None, "3,2,1,0"),
    "distributed graph": ("ring", {r: [(r + 1) % N, (r + 2) % N, (r + 1) % N, r] for r in RANKS},
                          {r: [(r + 3) % N, (r + 2) % N, (r + 3) % N, r] for r in RANKS}, None)}
NEIGHBOURS = {
    "Neighbor_allgather": BLOCK,
    "Neighbor_allgatherv": "out, #mine, INT, in, %back, %displs, INT",
    "Neighbor_alltoall": BLOCK,
    "Neighbor_alltoallv": V_ARGS.format("INT"),
    "Neighbor_alltoallw": "out, %counts, places, types, in, %back, places, types"}


def neighbour_lines(op, to, sizes, times, members):
    """One message to each neighbour, and the call with what ranks send, and the mean of that."""
    found = collections.Counter()
    for r in RANKS:
        for dst, size in zip(to[r], sizes[r]):
            if dst is not None:
                found[r, dst, size] += times
    total = {r: sum(s for d, s in zip(to[r], sizes[r]) if d is not None) for r in RANKS}
    return [f"p2p MPI_{op} {r} {d} {s} {c}" for (r, d, s), c in found.items()] + \
        coll(op, mean(total.values()), count=times, members=members,
             parts=[total[int(r)] for r in members.split(",")])


for kind, (comm, to, heard, members) in GRAPHS.items():
    heard = heard or to
    arrays = {"counts": lambda r, to=to: [r + 1 for _ in to[r]],
              "back": lambda r, heard=heard: [0 if s is None else s + 1 for s in heard[r]],
              "displs": lambda r: [0, 16, 32, 48]}
    for name, arguments in NEIGHBOURS.items():
        fixed = arguments == BLOCK
        sizes = {r: [SIZE if fixed else 4 * (r + 1)] * len(to[r]) for r in RANKS}
        for function, body, count, after in forms(name, f"{arguments}, {comm}"):
            for large in (False, True) if comm == "ring" else (False,):
                op = function + ("_c" if large else "")
                case("neighbourhood collectives, large counts" if large else
                     f"neighbourhood collectives on a {kind}", function, body,
                     neighbour_lines(op, to, sizes, count, members or "0,1,2,3"), large, arrays,
                     ["! mine = rank + 1 | mine = rank + 1"], after)

# one-sided operations, all to the next rank
ORIGIN, TARGET = f"out, #{MANY}, INT", f"THERE, @0, #{MANY}, INT"
OPERATIONS = {
    "Put": (f"{ORIGIN}, {TARGET}, WIN", SIZE),
    "Get": (f"in, #{MANY}, INT, {TARGET}, WIN", SIZE),
    "Accumulate": (f"{ORIGIN}, {TARGET}, MPI_SUM, WIN", SIZE),
    "Get_accumulate": (f"{ORIGIN}, in, #{MANY}, INT, {TARGET}, MPI_SUM, WIN", SIZE),
    "Fetch_and_op": ("out, in, INT, THERE, @0, MPI_SUM, WIN", 4),
    "Compare_and_swap": ("out, out, in, INT, THERE, @0, WIN", 4)}
REQUESTS = {"R" + lower(name): (arguments + ", &q", size)
            for name, (arguments, size) in OPERATIONS.items() if name[0] in "PAG"}
# what opens and ends an epoch
SYNCS = {
    "fence": (["Win_fence(0, WIN)"], ["Win_fence(0, WIN)"]),
    "pscw": (["Win_post(from, 0, WIN)", "Win_start(to, 0, WIN)"],
             ["Win_complete(WIN)", "Win_wait(WIN)"]),
    "lock": (["Win_lock(MPI_LOCK_SHARED, next, 0, WIN)"], ["Win_unlock(next, WIN)"]),
    "lock_all": (["Win_lock_all(0, WIN)"], ["Win_unlock_all(WIN)"])}


def rma(op, sync, size, count, epochs, window=0):
    lines = []
    for r in RANKS:
        lines += [f"rma {r} {window} {sync} MPI_{op} {(r + 1) % N} {size} {count}",
                  f"epochs {r} {window} {sync} MPI_{op} {epochs}"]
    return lines


def operation(row, function, sync, large=False, target="next", window=0):
    """Three in one epoch, one in another, none in a third."""
    arguments, size = {**OPERATIONS, **REQUESTS}[function]
    win = "fenced" if sync == "fence" else "win"
    one = ["*(" + arguments.replace("THERE", target) + ")"]
    one += ["Wait(&q, IGNORE)"] if function in REQUESTS else []
    begin, end = SYNCS[sync]
    body = ["loop i 3"] + begin + ["loop k 3 - 2 * i"] + one + ["end"] + end + ["end"]
    op = function + ("_c" if large else "")
    nobody = target == "MPI_PROC_NULL"
    lines = [] if nobody else rma(op, sync, size, 4, 2, 1 if win == "fenced" else 0)
    case(row, function, [s.replace("WIN", win) for s in body], lines,
         large)


for name in OPERATIONS:
    operation("one-sided operations between fences", name, "fence")
    operation("one-sided operations, start and post", name, "pscw")
for name in {**OPERATIONS, **REQUESTS}:
    operation("one-sided operations, one target locked", name, "lock")
    operation("one-sided operations, all locked", name, "lock_all")
    operation("one-sided operations to MPI_PROC_NULL", name, "lock_all", target="MPI_PROC_NULL")
    if name not in ("Fetch_and_op", "Compare_and_swap"):
        operation("one-sided operations, large counts", name, "lock_all", large=True)
for name, arguments in (("Win_flush", "next, win"), ("Win_flush_all", "win"),
                        ("Win_flush_local", "next, win"), ("Win_flush_local_all", "win")):
    put = "Put(" + OPERATIONS["Put"][0].replace("THERE", "next").replace("WIN", "win") + ")"
    case("flushes, which end no epoch", name,
         ["Win_lock_all(0, win)", "loop k 2", put, f"*({arguments})", "end", "Win_unlock_all(win)"],
         rma("Put", "lock_all", SIZE, 2, 1))

MAKERS = {"Win_create": "memory, @256, $4, INFO, world, &made_win",
          "Win_allocate": "@256, $4, INFO, world, &base, &made_win",
          "Win_allocate_shared": "@256, $4, INFO, world, &base, &made_win",
          "Win_create_dynamic": "INFO, world, &made_win"}


def window_made(row, function, large=False):
    """How many were made before depends on what the MPI has, so the number is left to every.py."""
    dynamic = function == "Win_create_dynamic"
    before = ["Get_address(memory, &address)",
              "Sendrecv(&address, 8, BYTE, before, TAG, &there, 8, BYTE, next, TAG, world, IGNORE)"]
    put = f"Put(out, {MANY}, INT, next, {'there' if dynamic else '@0'}, {MANY}, INT, made_win)"
    attach = ["Win_attach(made_win, memory, @256)"] if dynamic else []
    case(row, function, [f"*({MAKERS[function]})"] + attach +
         ["Win_fence(0, made_win)", put, "Win_fence(MPI_MODE_NOSUCCEED, made_win)"],
         rma("Put", "fence", SIZE, 1, 1, "W"), large, before=before if dynamic else (),
         after=(["Win_detach(made_win, memory)"] if dynamic else []) + ["Win_free(&made_win)"])


for name in MAKERS:
    window_made("windows, by constructor", name)
for name in MAKERS:
    if name != "Win_create_dynamic":
        window_made("windows, large units", name, True)

# MPI-IO, counted by name
FILES = {f"File_{kind}": f"file, {'^0, ' if '_at' in kind else ''}{buffer}, #{MANY}, INT"
         for verb, buffer in (("read", "in"), ("write", "out"))
         for kind in (verb, "i" + verb, verb + "_all", "i" + verb + "_all", verb + "_at",
                      "i" + verb + "_at", verb + "_at_all", "i" + verb + "_at_all",
                      verb + "_shared", "i" + verb + "_shared", verb + "_ordered")}
for large in False, True:
    label = "MPI-IO, counted by name" + (", large counts" if large else "")
    end = "_c" if large else ""
    for name, arguments in FILES.items():
        if "_i" in name:
            body = [f"*({arguments}, &q)", "Wait(&q, IGNORE)"]
        else:
            body = [f"*({arguments}, IGNORE)"]
        case(label, name, body, large=large, names={name + end: N})
        if "_i" not in name and ("_all" in name or "_ordered" in name):
            buffer = "in" if "read" in name else "out"
            case(label, name + "_begin", [f"*({arguments})", f"{name}_end(file, {buffer}, IGNORE)"],
                 large=large, names={name + "_begin" + end: N})
