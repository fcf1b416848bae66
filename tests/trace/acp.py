#!/usr/bin/env python3
"""Looks at traces for the tests.

  acp.py lines FILE            p2p, coll, rma and other lines as truth.c writes them
  acp.py sum                   the same of standard input, equal ones added up
  acp.py pairs FILE            SRC DST MESSAGES BYTES of every pair, sorted
  acp.py monitoring FILE...    the same from Open MPI's pml_monitoring files
  acp.py bins FILE EXPECTED    checks the rule for sizes against sorted p2p lines
  acp.py parts FILE            what each rank gave, as parts.c writes it
  acp.py packed FILE           RANK SIDE OP SIZE PIECES SPAN COUNT of every layout, as packed.c's
                               lines in number
  acp.py natures FILE          OP BYTES CALLS NATURE of every collective call
  acp.py phases FILE           every phase with its messages, calls, one-sided operations and orders,
                               of one occurrence
  acp.py within FILE BEFORE AFTER  checks it against what survive.c put down before and after
  acp.py column FILE NAME      ROW: CELL of a column of a table in Markdown
  acp.py times FILE RANK       the rank's seconds in MPI, and with those that may be
  acp.py sites FILE            OP FRAME < FRAME ... of every site of messages and calls, sorted
  acp.py spent FILE            OP RANKS SITE of every time, sorted, - where it has none; checks that
                               those of functions add up to the ranks' seconds in MPI
"""
import collections
import json
import re
import subprocess
import sys


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    if data[:4] == b"\x28\xb5\x2f\xfd":
        data = subprocess.run(["zstd", "-dcq", path], check=True, stdout=subprocess.PIPE).stdout
    records = [json.loads(line) for line in data.decode().splitlines()]
    assert records[0]["format"] == "berth-pattern"
    assert records[-1] == {"kind": "end", "records": len(records) - 2}, "no end line"
    return records


def repeats(records):
    """How often each phase occurs."""
    return collections.defaultdict(lambda: 1, {r["id"]: r["repeats"] for r in records[1:]
                                               if r["kind"] == "phase"})


def messages(records):
    """(src, dst, size, count, bytes) of every entry, of all occurrences of its phase."""
    times = repeats(records)
    for r in records[1:]:
        if r["kind"] == "p2p":
            k = times[r.get("phase", 0)]
            for dst, size, count, *rest in r["msgs"]:
                yield r["src"], dst, size, k * count, k * (rest[0] if rest else size * count)


def shares(record):
    """Bytes of each of a communicator's ranks."""
    for item in record["rank_bytes"]:
        one, times = item if isinstance(item, list) else (item, 1)
        yield from [one] * times


VARYING = re.compile(r"MPI_I?(\w*neighbor_\w+|\w+[vw](_init)?(_c)?)", re.IGNORECASE)


def parts(record, ranks, times):
    """What each rank gave in calls of which that may differ: all of them the same, if nothing else
    is said."""
    same = [record["bytes"] * record["count"] * times] * len(ranks)
    if "rank_bytes" in record:
        given = list(shares(record))
        assert len(given) == len(ranks), record
        assert given != same or not VARYING.fullmatch(record["op"]), record
    else:
        given = same if VARYING.fullmatch(record["op"]) else []
    members = ",".join(map(str, ranks))
    return [f"part {record['op']} {members} {r} {b}" for r, b in zip(ranks, given)]


def row(record, ranks):
    given = list(shares(record))
    assert len(given) == len(ranks), record
    what = f"row {record['op']} {','.join(map(str, ranks))} {record['src']}"
    return [f"{what} {r} {b}" for r, b in zip(ranks, given) if b]


def all_parts(records):
    """Parts and rows of all phases and call sites; none of neighbourhood collectives."""
    ranks = {r["id"]: r["ranks"] for r in records[1:] if r["kind"] == "comm"}
    ranks[0] = list(range(records[0]["ranks"]))
    times = repeats(records)
    for r in records[1:]:
        if r["kind"] == "coll" and "eighbor" not in r["op"]:
            yield from parts(r, ranks[r["comm"]], times[r.get("phase", 0)])
        if r["kind"] == "row":
            yield from row(r, ranks[r["comm"]])


def lines(records):
    ranks = {0: list(range(records[0]["ranks"]))}
    times = repeats(records)
    for r in records[1:]:
        if r["kind"] == "comm":
            ranks[r["id"]] = r["ranks"]
    for calls in records[0].get("unmodelled", []):
        yield f"unmodelled {calls['op']} {calls['calls']}"
    for src, dst, size, count, _ in messages(records):
        yield f"p2p {src} {dst} {size} {count}"
    for r in records[1:]:
        if r["kind"] == "coll":
            members = ",".join(map(str, ranks[r["comm"]]))
            root = "-" if r["root"] is None else r["root"]
            count = r["count"] * times[r.get("phase", 0)]
            yield f"coll {r['op']} {members} {r['bytes']} {root} {count}"
        if r["kind"] == "rma":
            what = f"{r['src']} {r['win']} {r['sync']} {r['op']}"
            yield f"epochs {what} {r['epochs'] * times[r.get('phase', 0)]}"
            for dst, size, count in r["msgs"]:
                yield f"rma {what} {dst} {size} {count * times[r.get('phase', 0)]}"


def phases(records):
    found = collections.Counter()
    for r in records[1:]:
        phase = r.get("phase", 0)
        if r["kind"] == "p2p":
            for dst, size, count in r["msgs"]:
                found[f"{phase} p2p {r['src']} {dst} {size}"] += count
        if r["kind"] == "coll":
            found[f"{phase} coll {r['op']} {r['bytes']}"] += r["count"]
        if r["kind"] == "rma":
            found[f"{phase} epochs {r['src']} {r['op']}"] += r["epochs"]
            for dst, size, count in r["msgs"]:
                found[f"{phase} rma {r['src']} {dst} {size}"] += count
    result = [f"{key} {count}" for key, count in found.items()]
    for r in records[1:]:
        if r["kind"] == "phase":
            result.append(f"{r['id']} {r['name']} x {r['repeats']}")
        if r["kind"] == "order":
            sends = json.dumps(r["sends"], separators=(",", ":"))
            result.append(f"{r.get('phase', 0)} order {r['src']} {r.get('rounds', 1)} x {sends}")
    return sorted(result)


def add_up(all_lines):
    total = collections.Counter()
    for line in all_lines:
        key, count = line.rsplit(" ", 1)
        total[key] += int(count)
    return sorted(f"{key} {count}" for key, count in total.items() if count)


def pairs(entries):
    total = collections.defaultdict(lambda: [0, 0])
    for src, dst, count, size in entries:
        total[src, dst][0] += count
        total[src, dst][1] += size
    return [f"{s} {d} {m} {b}" for (s, d), (m, b) in sorted(total.items()) if m]


def monitoring(paths):
    """Lines "E SRC DST BYTES bytes MESSAGES msgs sent ..." of each rank's own sends."""
    for path in paths:
        with open(path) as f:
            for line in f:
                words = line.split()
                if words and words[0] == "E":
                    assert words[4] == "bytes" and words[6:8] == ["msgs", "sent"], line
                    yield int(words[1]), int(words[2]), int(words[5]), int(words[3])


def bin_floor(size):
    shift = max(size.bit_length() - 6, 0)
    return size >> shift << shift


def check_bins(path, expected):
    """Counts and bytes of each bin agree, representatives lie in bins, bins are narrow."""
    found, wanted = collections.Counter(), collections.Counter()
    for src, dst, size, count, total in messages(read(path)):
        found[src, dst, bin_floor(size), "count"] += count
        found[src, dst, bin_floor(size), "bytes"] += total
        assert abs(size * count - total) <= count / 2, "the representative is the mean"
    for line in open(expected):
        _, src, dst, size, count = line.split()
        src, dst, size, count = int(src), int(dst), int(size), int(count)
        assert size - bin_floor(size) <= size / 32
        wanted[src, dst, bin_floor(size), "count"] += count
        wanted[src, dst, bin_floor(size), "bytes"] += size * count
    assert +found == +wanted, (found, wanted)
    distinct = len({key[2] for key in found})
    return [f"{distinct} bins agree"]


def check_within(path, before, after):
    """What a program put down about itself before and after: at least what it had finished before,
    at most what it had begun after."""
    records = read(path)
    times = repeats(records)
    least, most, found = {}, {}, collections.Counter()
    for name, at, into in ((before, -2, least), (after, -1, most)):
        for line in open(name):
            words = line.split()
            into[tuple(words[:-2])] = int(words[at])
    for src, dst, size, count, _ in messages(records):
        found[str(src), str(dst), str(size)] += count
    for r in records[1:]:
        if r["kind"] == "coll" and r["op"] == "MPI_Allreduce":
            found["calls",] += r["count"] * times[r.get("phase", 0)]
    assert set(found) <= set(most), set(found) - set(most)
    for key, count in most.items():
        assert least[key] <= found[key] <= count, (key, least[key], found[key], count)
    for counts in least, found:
        del counts["calls",]
    sure = sum(least.values())
    return [f"messages: {sum(found.values())} ({sum(found.values()) - sure} more than finished)"]


def column(path, name):
    with open(path) as f:
        rows = [[cell.strip() for cell in line.strip().strip("|").split("|")]
                for line in f if line.startswith("|")]
    at = rows[0].index(name)
    return [f"{row[0]}: {row[at]}" for row in rows[2:]]


def natures(records):
    times, found = repeats(records), collections.Counter()
    for r in records[1:]:
        if r["kind"] == "coll":
            nature = [f" {k}={r[k]}" for k in ("element", "in_place", "commutative", "built_in") if k in r]
            found[r["op"], r["bytes"], "".join(nature)] += r["count"] * times[r.get("phase", 0)]
    return [f"{op} {size} {count}{nature}" for (op, size, nature), count in found.items()]


def named_sites(records):
    return {r["id"]: r["op"] + " " + " < ".join(r["frames"]) for r in records[1:]
            if r["kind"] == "site"}


def sites(records):
    """Those that times alone refer to are up to the machine."""
    used = {r.get("site") for r in records[1:] if r["kind"] not in ("site", "time")}
    return [name for site, name in named_sites(records).items() if site in used]


def spent(records):
    known = named_sites(records)
    ranks = {r["id"]: r["ranks"] for r in records[1:] if r["kind"] == "comm"}
    ranks[0] = list(range(records[0]["ranks"]))
    in_mpi = sum(r["mpi_s"] for r in records[1:] if r["kind"] == "rank")
    times = [r for r in records[1:] if r["kind"] == "time"]
    whole = {r["op"]: r for r in times if "site" not in r and "comm" not in r}
    total = sum(r["total_s"] for r in whole.values())
    assert in_mpi > 0 and abs(total - in_mpi) < 1e-6 * in_mpi + 1e-8 * len(times) * len(ranks[0]), \
        f"times of {total} s, ranks of {in_mpi} s"
    for r in times:
        assert 0 < r["max_s"] <= r["total_s"] <= r["max_s"] * len(ranks[0]) * (1 + 1e-12), r
        assert r["max_s"] <= whole[r["op"]]["max_s"] * (1 + 1e-12), r
        assert r["max_rank"] in ranks[r.get("comm", 0)], r
        members = ",".join(map(str, ranks[r["comm"]])) if "comm" in r else "-"
        yield f"{r['op']} {members} {known.get(r.get('site'), '-')}"


def packed(records):
    """Layouts by function: call sites of one are added up."""
    ops = {r["id"]: r["op"] for r in records[1:] if r["kind"] == "site"}
    found = collections.Counter()
    for r in records[1:]:
        if r["kind"] == "packed":
            side = "receives" if r.get("receives") else "sends"
            assert r["msgs"] == sorted(r["msgs"]), r
            for size, pieces, span, count in r["msgs"]:
                op = ops.get(r.get("site"), "-")
                found[f"{r['rank']} {side} {op} {size} {pieces} {span}"] += count
    return sorted(f"{line} {count}" for line, count in found.items())


def main():
    what, args = sys.argv[1], sys.argv[2:]
    if what == "lines":
        result = add_up(lines(read(args[0])))
    elif what == "sum":
        result = add_up(line.rstrip("\n") for line in sys.stdin)
    elif what == "pairs":
        result = pairs((s, d, c, b) for s, d, _, c, b in messages(read(args[0])))
    elif what == "monitoring":
        result = pairs(monitoring(args))
    elif what == "bins":
        result = check_bins(*args)
    elif what == "within":
        result = check_within(*args)
    elif what == "parts":
        result = add_up(all_parts(read(args[0])))
    elif what == "phases":
        result = phases(read(args[0]))
    elif what == "column":
        result = column(*args)
    elif what == "times":
        ranks = [r for r in read(args[0])[1:] if r["kind"] == "rank"]
        result = [f"{r['mpi_s']} {r['mpi_s'] + r.get('unsure_s', 0)}" for r in ranks
                  if r["rank"] == int(args[1])]
    elif what == "core_wait":
        result = [str(r.get("core_wait_s")) for r in read(args[0])[1:]
                  if r["kind"] == "rank" and r["rank"] == int(args[1])]
    elif what == "natures":
        result = natures(read(args[0]))
    elif what == "packed":
        result = packed(read(args[0]))
    elif what == "spent":
        result = sorted(spent(read(args[0])))
    elif what == "sites":
        result = sorted(sites(read(args[0])))
    print("\n".join(result))


if __name__ == "__main__":
    main()
