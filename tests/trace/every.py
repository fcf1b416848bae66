#!/usr/bin/env python3
"""Ground truth for every function of MPI that the tracer models, in every binding.

  every.py program MPI BINDING NAMES      what every.c or every.F90 includes: for C, MPIFH, MODULE
                                          or F08, with the functions that the MPI has: NAMES is
                                          nm's output of its libraries
  every.py rows MPI BINDING NAMES TRACE   "KIND: N of M": of the M functions of each kind that the
                                          MPI has, those that the program called and of which the
                                          trace holds all and nothing else; what is missing or wrong
                                          goes to standard error

The program calls each function in a phase of its own (MPI_Pcontrol), so that a trace tells which
message, call or operation is whose. every_table.py has the cases.
"""
import collections
import re
import sys

import acp
from every_table import FAULTS, N, cases, faulty

FIRST_PHASE = 2
BESIDE = {"MPI_Barrier", "MPI_Bcast", "MPI_Sendrecv"}  # what cases need, outside of their phases


def available(binding, path):
    """The functions that there are for a binding, in lower case without mpi_; with _c: large."""
    c = r"MPIX?_(\w+)$"
    mpif = r"mpix?_(\w*[^_\W])_$"
    f08 = r"mpix?_(\w+?)_f08(?:ts)?_(large_)?$"
    pattern = re.compile({"C": c, "F08": f08}.get(binding, mpif))
    found = set()
    for line in open(path):
        match = pattern.match(line.split()[-1].split("@")[0])
        if match and binding == "C" and re.match(r"[A-Z][a-z]", match[1]):
            found.add(match[1].lower())
        elif match and binding == "F08":
            found.add(match[1] + ("_c" if match[2] else ""))
        elif match and binding in ("MPIFH", "MODULE") and not re.search("_(f08|cptr)", match[1]):
            found.add(match[1])
    return found


def extensions(path):
    """Those that have MPIX_ in front."""
    words = [line.split()[-1].split("@")[0].lower() for line in open(path)]
    return {w[5:] for w in words if w.startswith("mpix_")} - {w[4:] for w in words}


def full_name(case):
    return case.function + ("_c" if case.large else "")


# which of the library's functions are of a kind: what the program has to call

OPERATION = r"(put|get|accumulate|get_accumulate|fetch_and_op|compare_and_swap)"
COMMUNICATOR = (r"comm_(i?dup|create|split)(_(with_info|group|type))?|cart_(create|sub)|"
                r"(dist_)?graph_create(_adjacent)?|intercomm_(create|merge)")
NEIGHBOUR = r"i?neighbor_\w+"
# no MPI that is tested has more of these than the standard
KINDS = {
    "blocking sends": r"[bsr]?send(recv(_replace)?)?",
    "non-blocking sends": r"i[bsr]?send(recv(_replace)?)?",
    "persistent sends": r"[bsr]?send_init",
    "partitioned sends": r"psend_init|pready\w*",
    "sends, large counts": r"i?[bsrp]?send(recv(_replace)?|_init)?_c",
    "sends to MPI_PROC_NULL": r"i?[bsrp]?send(recv(_replace)?|_init)?",
    "sends on an intercommunicator": r"i?[bsrp]?send(recv(_replace)?|_init)?",
    "communicators, by constructor": COMMUNICATOR,
    "sessions": r"session_(init|finalize)|comm_create_from_group|intercomm_create_from_groups",
    "spawned and connected processes": r"comm_(spawn(_multiple)?|accept|connect|join)",
    "one-sided operations between fences": OPERATION,
    "one-sided operations, start and post": OPERATION,
    "one-sided operations, one target locked": "r?" + OPERATION,
    "one-sided operations, all locked": "r?" + OPERATION,
    "one-sided operations to MPI_PROC_NULL": "r?" + OPERATION,
    "one-sided operations, large counts": "r?" + OPERATION + "_c",
    "flushes, which end no epoch": r"win_flush\w*",
    "windows, by constructor": r"win_(create|allocate)(_shared|_dynamic)?",
    "windows, large units": r"win_(create|allocate)(_shared|_dynamic)?_c",
    "MPI-IO, counted by name": r"file_i?(read|write)(?!\w*_(end|c)$)\w*",
    "MPI-IO, counted by name, large counts": r"file_i?(read|write)\w*_c"}


PLAIN = ("blocking collectives", "non-blocking collectives", "persistent collectives")
VARYING = "collectives with amounts of each rank"


def varying(names):
    return {n for n in names if re.fullmatch(r"\w*([vw]|reduce_scatter)(_init)?", n)}


def collectives(names):
    """By row: a collective is what has a non-blocking form and isn't a message or a file's."""
    plain = {n for n in names if "i" + n in names
             and not re.match(r"\w*(send|recv|probe)|file_|neighbor_|comm_", n)}
    base = {n for n in plain if not n.endswith("_c")}
    forms = base | {"i" + n for n in base} | {n + "_init" for n in base}
    both = {n for n in names if re.fullmatch(NEIGHBOUR, n)}
    small = {n for n in both if not n.endswith("_c")}
    rows = {"blocking collectives": base, "non-blocking collectives": {"i" + n for n in base},
            "persistent collectives": {n + "_init" for n in base},
            "collectives on an intercommunicator": {
                n for n in forms if "scan" not in n},  # MPI has no scans there
            "collectives, large counts": {n + "_c" for n in forms},
            "neighbourhood collectives, large counts": both - small}
    for row in {case.row for case in cases if case.row.startswith("neighbourhood")} - set(rows):
        rows[row] = small
    rows[VARYING] = varying(set().union(*(rows[row] for row in PLAIN)))
    return {row: found & names for row, found in rows.items()}


def wanted(names):
    """By row, in the order of the table."""
    rows = collectives(names)
    for row, pattern in KINDS.items():
        rows[row] = {n for n in names if re.fullmatch(pattern, n)}
    order = list(dict.fromkeys(case.row for case in cases))
    order.insert(max(map(order.index, PLAIN)) + 1, VARYING)
    return {row: rows[row] for row in order}


# the programs

class C:
    tokens = {"INT": "MPI_INT", "BYTE": "MPI_BYTE", "NO": "0"}
    begin, end = "static void case_{0}(void)\n{{", "}"
    loop, last = "for (int {0} = 0; {0} < {1}; {0}++) {{", "}"

    @staticmethod
    def run(number):
        return f"case_{number}();"

    @staticmethod
    def count(kind, text, large):
        del kind, large
        return text

    @staticmethod
    def new(name):
        return {"qs0": "&qs[0]"}.get(name, "&" + name)

    @staticmethod
    def call(name, arguments):
        return f"{name}({arguments});"

    @staticmethod
    def array(name, rows, kind):
        values = ", ".join("{" + ", ".join(map(str, row)) + "}" for row in rows)
        return (f"static const int all_{name}[][{len(rows[0])}] = {{{values}}};",
                f"{kind} {name}[{len(rows[0])}];"
                f" for (int i = 0; i < {len(rows[0])}; i++) {name}[i] = all_{name}[rank][i];")

    kinds = {None: "int", "count": "MPI_Count", "address": "MPI_Aint"}

    @staticmethod
    def other(text):
        return text.split("|")[0].strip() + ";"


class Fortran(C):
    tokens = {"INT": "MPI_INTEGER", "BYTE": "MPI_BYTE", "NO": ".false.", "qs0": "qs(1)"}
    begin, end = "subroutine case_{0}()", "end subroutine"
    loop, last = "do {0} = 0, {1} - 1", "end do"
    kinds = {None: "integer", "count": "integer(MPI_COUNT_KIND)",
             "address": "integer(MPI_ADDRESS_KIND)"}

    @staticmethod
    def run(number):
        return f"call case_{number}()"

    @staticmethod
    def count(kind, text, large):
        kinds = {"#": "COUNT", "$": "ADDRESS", "@": "ADDRESS", "~": "COUNT", "^": "OFFSET"}
        if kind in "#$" and not large:
            return text
        return f"int({text}, MPI_{kinds[kind]}_KIND)"

    @staticmethod
    def new(name):
        return {"qs0": "qs(1)"}.get(name, name)

    @staticmethod
    def call(name, arguments):
        last = "" if name == "MPI_Pcontrol" else "LAST"
        return f"call {name}({arguments} {last})" if arguments else f"call {name}(ONLY)"

    @staticmethod
    def array(name, rows, kind):
        values = ", ".join(str(x) for row in rows for x in row)
        n = len(rows[0])
        return (f"integer, parameter :: all_{name}({n}, {N}) = reshape([{values}], [{n}, {N}])",
                f"{kind} :: {name}({n})", f"{name} = all_{name}(:, rank + 1)")

    @staticmethod
    def other(text):
        return text.split("|")[1].strip()


SHARED = {"world": "MPI_COMM_WORLD", "IGNORE": "MPI_STATUS_IGNORE", "INFO": "MPI_INFO_NULL"}


def translate(language, case, statement, prefix):
    """A statement of the table in a language."""
    if statement == "end":
        return language.last
    if statement.startswith("loop "):
        return language.loop.format(*statement.split(" ", 2)[1:])
    match = re.fullmatch(r"(if \(.*?\) )?(?:! (.*)|(\*|\w+)\((.*)\))", statement)
    condition, other, name, arguments = match.groups()
    if other:
        return (condition or "") + language.other(other)
    large = name == "*" and case.large
    if name == "*":
        name = prefix + case.function + ("_c" if large and language is C else "")
    else:
        name = "MPI_" + name
    arguments = re.sub(r"([#$@~^])([\w]+)", lambda m: language.count(m[1], m[2], large), arguments)
    arguments = re.sub(r"&(\w+)", lambda m: language.new(m[1]), arguments).replace("%", "")
    tokens = {**SHARED, **language.tokens}
    arguments = re.sub(r'"[^"]*"|\b\w+\b', lambda m: tokens.get(m[0], m[0]), arguments)
    if language is C:
        arguments = arguments.replace("qs0", "qs[0]")
    return (condition or "") + language.call(name, arguments)


def print_case(language, number, case, prefix):
    lines = [[], []]
    for name, of_rank in case.arrays.items():
        rows = [of_rank(r) for r in range(N)]
        longest = max(map(len, rows))
        kind = None if not case.large else "address" if name == "displs" else "count"
        *declared, assigned = language.array(
            name, [row + [0] * (longest - len(row)) for row in rows], language.kinds[kind])
        lines[0] += declared
        lines[1].append(assigned)
    level = [f"Pcontrol({number + FIRST_PHASE})"], ["Pcontrol(1)"]
    statements = case.before + level[0] + case.body + level[1] + case.after
    print(language.begin.format(number))
    for line in lines[0] + lines[1] + [translate(language, case, s, prefix) for s in statements]:
        print("  " + line)
    print(language.end + "\n")


def chosen(mpi, binding, names):
    """The cases that an MPI has the function of, with their numbers."""
    return [(i, case) for i, case in enumerate(cases) if full_name(case).lower() in names
            and full_name(case) not in faulty(mpi, binding, case.row)]


def program(mpi, binding, path):
    names, extra = available(binding, path), extensions(path)
    language = C if binding == "C" else Fortran
    picked = chosen(mpi, binding, names)
    for number, case in picked:
        print_case(language, number, case, "MPIX_" if case.function.lower() in extra else "MPI_")
    print(language.begin.format("all"))
    for number, _ in picked:
        print("  " + language.run(number))
    print(language.end)


# what came of it

def found_lines(records):
    """By phase: the lines that every_table.py has."""
    ops = {r["id"]: r["op"] for r in records[1:] if r["kind"] == "site"}
    ranks = {r["id"]: r["ranks"] for r in records[1:] if r["kind"] == "comm"}
    ranks[0] = list(range(N))
    times = acp.repeats(records)
    phases = collections.defaultdict(list)
    for r in records[1:]:
        lines = phases[r.get("phase", 0)]
        if r["kind"] == "p2p":
            lines += [f"p2p {ops[r['site']]} {r['src']} {d} {s} {c}" for d, s, c in r["msgs"]]
        if r["kind"] == "coll":
            root = "-" if r["root"] is None else r["root"]
            members = ",".join(map(str, ranks[r["comm"]]))
            lines.append(f"coll {r['op']} {members} {r['bytes']} {root} {r['count']}")
            lines += acp.parts(r, ranks[r["comm"]], times[r.get("phase", 0)])
        if r["kind"] == "row":
            lines += acp.row(r, ranks[r["comm"]])
        if r["kind"] == "rma":
            what = f"{r['src']} {r['win']} {r['sync']} {r['op']}"
            lines += [f"rma {what} {d} {s} {c}" for d, s, c in r["msgs"]]
            lines.append(f"epochs {what} {r['epochs']}")
    return {phase: acp.add_up(lines) for phase, lines in phases.items()}


def rows_of(mpi, binding, path, trace):
    names = available(binding, path)
    records = acp.read(trace)
    found = found_lines(records)
    named = {u["op"][4:]: u["calls"] for u in records[0].get("unmodelled", [])}
    exact, window, wrong = collections.defaultdict(set), 2, []
    expected_names = collections.Counter()
    for _, case in chosen(mpi, binding, names):
        expected_names.update(case.names)
    for number, case in chosen(mpi, binding, names):
        lines = case.lines
        if "windows" in case.row:
            lines = [re.sub(r"^(rma|epochs) (\d+) W ", rf"\1 \2 {window} ", s) for s in lines]
            window += 1
        got = found.pop(number + FIRST_PHASE, [])
        right = got == sorted(lines) and all(named.get(n) == expected_names[n] for n in case.names)
        if right:
            exact[case.row].add(full_name(case).lower())
        else:
            wrong += [f"{case.row}: {full_name(case)}:"] + \
                [f"  - {s}" for s in sorted(set(lines) - set(got))] + \
                [f"  + {s}" for s in sorted(set(got) - set(lines))]
    rest = {line.split()[1] for line in found.pop(0, [])}
    wrong += [f"outside of all cases: {op}" for op in sorted(rest - BESIDE)]
    wrong += [f"in phase {phase}: {lines}" for phase, lines in found.items()]
    if named != dict(expected_names):
        wrong.append(f"by name: {dict(set(named.items()) ^ set(expected_names.items()))}")
    exact[VARYING] = varying(set().union(*(exact[row] for row in PLAIN)))
    result = []
    for row, functions in wanted(names).items():
        faults = {name.lower() for name in faulty(mpi, binding, row)}
        called = {full_name(case).lower() for _, case in chosen(mpi, binding, names)
                  if row in (case.row, VARYING)}
        wrong += [f"{row}: {name} is not called" for name in sorted(functions - called - faults)]
        n, m = len(exact[row] & functions), len(functions)
        result.append(f"{row}: {n} of {m}" if m else f"{row}: –")
    return result, wrong


def faults():
    for mpi, bindings, row, names, what in FAULTS:
        yield f"- {mpi}, {', '.join(bindings.split())}: {row}: {', '.join(names.split())}: {what}."


def main():
    what, args = sys.argv[1], sys.argv[2:]
    if what == "program":
        program(*args)
    elif what == "faults":
        print("\n".join(faults()))
    else:
        rows, wrong = rows_of(*args)
        print("\n".join(rows))
        print("\n".join(wrong), file=sys.stderr)
        sys.exit(bool(wrong))


main()
