#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Drives `berth view` through a terminal that pyte draws: view.py BERTH PATTERN TOPOLOGY MAPPING."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

import pyte

BERTH, PATTERN, TOPOLOGY, MAPPING = sys.argv[1:]
UP, DOWN, LEFT, RIGHT = "\033OA", "\033OB", "\033OD", "\033OC"
HOME, END, PAGE_UP, PAGE_DOWN = "\033OH", "\033OF", "\033[5~", "\033[6~"
passed, failed = 0, 0


class View:
    """The program, and the terminal as a user sees it."""

    def __init__(self, *words, size=(80, 24), env=None):
        self.screen = pyte.Screen(*size)
        self.stream = pyte.ByteStream(self.screen)
        self.bytes = b""
        self.end, terminal = pty.openpty()
        self.set_size(terminal, *size)
        self.before = termios.tcgetattr(terminal)
        self.child = os.fork()
        if self.child == 0:
            for descriptor in range(3):
                os.dup2(terminal, descriptor)
            os.closerange(3, 64)
            os.execve(BERTH, [BERTH, "view", *words], dict(os.environ, TERM="xterm") | (env or {}))
        self.terminal = terminal  # stays open, so that nothing is lost at the end
        self.wait(lambda: " of " in self.line(-1))

    @staticmethod
    def set_size(terminal, columns, rows):
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def line(self, number):
        return self.screen.display[number].rstrip()

    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display)

    def read(self, seconds):
        if not select.select([self.end], [], [], seconds)[0]:
            return False
        piece = os.read(self.end, 65536)
        self.bytes += piece
        self.stream.feed(piece)
        return True

    def wait(self, condition, seconds=60):
        """Reads until the condition holds and nothing more comes; whether it does."""
        limit = time.monotonic() + seconds
        while time.monotonic() < limit and not (condition() and not self.read(0.05)):
            self.read(0.1)
        return condition()

    def press(self, keys, condition):
        os.write(self.end, keys.encode())
        return self.wait(condition)

    def resize(self, columns, rows):
        self.set_size(self.terminal, columns, rows)
        self.screen.resize(rows, columns)
        self.screen.erase_in_display(2)
        os.kill(self.child, signal.SIGWINCH)

    def code(self):
        """The exit code, once the program has ended."""
        limit = time.monotonic() + 60
        while time.monotonic() < limit:
            self.read(0.05)
            ended, status = os.waitpid(self.child, os.WNOHANG)
            if ended:
                while self.read(0.05):
                    pass
                return os.waitstatus_to_exitcode(status)
        os.kill(self.child, signal.SIGKILL)
        return None

    def restored(self):
        return termios.tcgetattr(self.terminal) == self.before and b"\033[?1049l" in self.bytes

    def selected(self):
        """The row that stands in reverse."""
        for y in range(2, self.screen.lines - 1):
            if self.screen.buffer[y][0].reverse:
                return self.line(y)
        return None


def check(name, holds, view=None):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print(f"FAILED: {name}" + (f"\n{view.text()}" if view else ""))


def traffic():
    """Bytes that leave each host, as text: of the pattern and the mapping, without berth."""
    topology = json.load(open(TOPOLOGY))
    pus = []

    def visit(element, host):
        for i in range(element.get("repeat", 1)):
            name = element.get("host", host)
            if "pu" in element:
                pus.append(host)
            for child in element.get("children", []):
                visit(child, name % (element.get("first", 0) + i) if name and "%" in name else name)

    visit(topology["root"], None)
    host_of = [pus[pu] for pu in json.load(open(MAPPING))["pu_of_rank"]]
    sent = dict.fromkeys(pus, 0)
    for line in map(json.loads, open(PATTERN)):
        if line.get("kind") == "p2p":
            for to, size, count, *_ in line["msgs"]:
                if host_of[line["src"]] != host_of[to]:
                    sent[host_of[line["src"]]] += size * count
    return sent


def text_of(size):
    unit = 0
    while size >= 1024:
        size, unit = size / 1024, unit + 1
    return f"{size:.{3 if size < 10 else 2 if size < 100 else 1}f} {['B', 'KiB', 'MiB', 'GiB'][unit]}"


def browse():
    v = View(PATTERN, TOPOLOGY, MAPPING)
    check("screens", re.match(r" 1 pairs  2 machine  3 call sites  4 phases  5 collectives +\S*ladder", v.line(0)), v)
    check("a head", v.line(1).split() == ["source", "->", "destination", "messages", "bytes", "share"], v)
    check("the busiest pair first", re.match(r" +0 -> 8 +11 +2\.500 MiB +5\.1%$", v.line(2)), v)
    check("it is selected", v.selected() == v.line(2), v)
    check("all rows of the terminal", len([y for y in range(2, 23) if v.line(y)]) == 21, v)
    check("the status", v.line(23).startswith("1 of 44   Enter details"), v)
    check("down", v.press(DOWN + DOWN + "j", lambda: v.line(23).startswith("4 of 44")), v)
    check("it is the fourth", re.match(r" +3 -> 11 ", v.selected() or ""), v)
    check("up", v.press(UP + "k", lambda: v.line(23).startswith("2 of 44")), v)
    check("the end", v.press(END, lambda: v.line(23).startswith("44 of 44") and v.selected() == v.line(22)), v)
    check("no further", v.press(DOWN, lambda: v.line(23).startswith("44 of 44")), v)
    check("a page up", v.press(PAGE_UP, lambda: v.line(23).startswith("23 of 44")), v)
    check("the beginning", v.press(HOME, lambda: v.line(23).startswith("1 of 44")), v)
    check("a page down", v.press(PAGE_DOWN, lambda: v.line(23).startswith("22 of 44")), v)
    v.press(HOME, lambda: v.line(23).startswith("1 of 44"))

    check("details", v.press("\r", lambda: "details" in v.line(0)), v)
    check("where ranks are", "rank 0 ran on " in v.text() and ", is placed on h" in v.text(), v)
    check("frames", "    run ladder.c:78" in v.text() and "  MPI_Isend" in v.text(), v)
    check("sizes", re.search(r" 10 messages of 256\.0 KiB, 2\.500 MiB", v.text()), v)
    check("back", v.press("q", lambda: "details" not in v.line(0) and v.line(23).startswith("1 of 44")), v)
    check("details again", v.press("\n", lambda: "details" in v.line(0)), v)
    check("back by Escape", v.press("\033", lambda: "details" not in v.line(0)), v)

    check("the machine", v.press("\t", lambda: v.line(1).startswith("element")), v)
    check("columns of loads", v.line(1).split()[1:] == ["uplink", "time", "downlink", "time"], v)
    sent = traffic()
    check("there is traffic", max(sent.values()) > 1 << 20)
    rows = {line.split()[0]: line for line in v.text().split("\n") if re.match(r" +h\d ", line)}
    for host in list(rows):
        check(f"the uplink of {host}", " ".join(rows[host].split()[1:3]) == text_of(sent[host]), v)
    check("some hosts", len(rows) >= 5, v)
    check("search", v.press("/H3\r", lambda: re.match(r" +h3 ", v.selected() or "")), v)
    check("search for what isn't there", v.press("/nothing like it\r", lambda: "'nothing like it' isn't found" in v.line(23)), v)
    check("search by half", v.press("/pu 1, core\r", lambda: "PU 1, core 1" in (v.selected() or "")), v)
    first = v.line(23)
    check("again", v.press("n", lambda: v.line(23) != first and "PU 1, core 1" in v.selected()), v)
    check("and upwards", v.press("N", lambda: v.line(23) == first), v)
    check("a search that is given up", v.press("/xyz\033", lambda: v.line(23) == first), v)
    check("a wrong letter", v.press("/h4\177\1775\r", lambda: "isn't found" in v.line(23) or v.selected()), v)
    v.press("/ h5\r", lambda: re.match(r" +h5 ", v.selected() or ""))
    check("details of a host", v.press("\r", lambda: "details" in v.line(0) and "2 PUs below" in v.text()), v)
    check("its type and ranks", "type host" in v.text() and "2 ranks" in v.text(), v)
    v.press("q", lambda: "details" not in v.line(0))

    check("call sites", v.press("3", lambda: v.line(1).endswith("call site")), v)
    check("the site", re.match(r" +440 +48\.75 MiB +100\.0%  MPI_Isend  exchange ladder\.c:67", v.line(2)), v)
    check("all its frames", v.press("\r", lambda: "run ladder.c:78" in v.text()), v)
    check("another screen closes details", v.press("\t", lambda: v.line(1).endswith("name")), v)
    check("phases", re.match(r" +0 +1 +484 +48\.75 MiB +100\.0%", v.line(2)), v)
    check("round", v.press("\t", lambda: "all calls" in v.line(1)) and v.press("\t", lambda: "destination" in v.line(1)), v)

    check("help", v.press("h", lambda: "search again" in v.text()), v)
    check("of each key", all(word in v.text() for word in ("PgUp", "Tab", "Enter", "Ctrl-C")), v)
    v.press("q", lambda: "search again" not in v.text())
    check("sideways", v.press(RIGHT, lambda: v.line(2).lstrip().startswith("-> 8") or "0 -> 8" in v.line(2)), v)
    v.press(LEFT, lambda: re.match(r" +0 -> 8 ", v.line(2)))

    v.resize(100, 40)
    check("a larger terminal", v.wait(lambda: v.line(39).startswith("1 of 44") and v.line(38)), v)
    v.resize(40, 8)
    check("a smaller one", v.wait(lambda: v.line(7).startswith("1 of 44") and re.match(r" +0 -> 8 ", v.line(2))), v)
    v.resize(80, 24)
    check("and back", v.wait(lambda: v.line(23).startswith("1 of 44   Enter")), v)
    os.write(v.end, b"q")
    check("q ends", v.code() == 0)
    check("the terminal is as it was", v.restored())


def others():
    v = View(PATTERN, TOPOLOGY)
    v.press("2", lambda: v.line(1).startswith("element"))
    check("the default order has loads", "uplink" in v.line(1) and "MiB" in v.text(), v)
    os.write(v.end, b"\003")
    check("Ctrl-C ends", v.code() == 0 and v.restored())
    v = View(PATTERN)
    check("a pattern alone", v.line(0).startswith(" 1 pairs  2 call sites  3 phases"), v)
    os.kill(v.child, signal.SIGTERM)
    check("a signal ends it", v.code() == -signal.SIGTERM and v.restored())
    v = View(TOPOLOGY)
    check("a machine alone", v.line(0).startswith(" 1 machine ") and v.line(1) == "element", v)
    check("keys of screens that aren't there", v.press("4\t", lambda: v.line(0).startswith(" 1 machine ")), v)
    os.write(v.end, b"q")
    check("its end", v.code() == 0)
    v = View(PATTERN, env={"BERTH_TOPOLOGY": TOPOLOGY})
    check("the environment's topology", "2 machine" in v.line(0), v)
    os.write(v.end, b"q")
    v.code()

    v = View("calls.acp", TOPOLOGY)
    check("calls alone: a screen for them", v.line(0).startswith(" 1 pairs  2 machine  3 call sites  4 phases  5 collectives"), v)
    words = " ".join(v.text().split())
    check("calls alone: no pairs, and why", 'The pattern has collective calls only: Tab leads to the screen "collectives".' in words, v)
    check("no details of nothing", v.press("\r", lambda: v.line(-1).startswith("0 of 0")), v)
    check("calls alone: no call sites, and why", v.press("3", lambda: "no messages from rank to rank" in " ".join(v.text().split())), v)
    check("the largest call first", v.press("5", lambda: re.match(r" +3 +4\.000 MiB +12\.00 MiB +16  MPI_Bcast$", v.line(2))), v)
    check("the other one", re.match(r" +60 +64\.00 KiB +3\.750 MiB +16  MPI_Allreduce  norm solve\.c:7$", v.line(3)), v)
    check("its details", v.press("\r", lambda: "communicator 0, 16 ranks, root 5" in v.text() and "no call site is known" in v.text()), v)
    v.press("q", lambda: "details" not in v.line(0))
    check("all frames of a call", v.press("j\r", lambda: "    main main.c:9" in v.text() and 'phase 0 "all"' in v.text()), v)
    check("calls are loads of links", v.press("2", lambda: "MiB" in v.text()), v)
    os.write(v.end, b"q")
    v.code()
    for name, screen, reason in (("puts.acp", "1", "one-sided operations only: `berth show` lists them"), ("none.acp", "1", "No messages: the pattern has none."),
                                 ("plain.acp", "2", "the pattern has none of its messages (berth trace --sites 0,")):
        v = View(name, size=(40, 12))
        check(f"{name}: a list that is empty says why", v.press(screen, lambda: reason in " ".join(v.text().split())), v)
        check(f"{name}: words stay whole", v.press("h", lambda: "search again" in v.text()) and v.press("q", lambda: reason in " ".join(v.text().split())), v)
        os.write(v.end, b"q")
        v.code()
    for model, head, reason in (("port", "element  ", "(model port)"), ("bound", "element (times: model bound)", "needs at least"),
                                ("sum", "element (times: model sum)", "one after another"), ("flow", "element (time: while it limits)", "how long this link limited messages")):
        v = View(PATTERN, TOPOLOGY, MAPPING, "--model", model)
        v.press("2", lambda: v.line(1).startswith("element"))
        check(f"{model}: its name or what times are", v.line(1).startswith(head) and v.line(1).endswith("time   downlink      time"), v)
        v.press("/ h5\r", lambda: re.match(r" +h5 ", v.selected() or ""))
        check(f"{model}: details explain the time", v.press("\r", lambda: reason in " ".join(v.text().split())), v)
        os.write(v.end, b"qq")
        v.code()
    v = View(PATTERN, TOPOLOGY, "scotch.map")
    check("a mapping that doesn't say what it is", "2 machine" in v.line(0) and v.line(0).endswith("scotch.map"), v)
    os.write(v.end, b"q")
    check("its end", v.code() == 0)

    v = View("many.acp", "many.json")
    check("4,096 ranks", re.search(r"1 of \d{5} ", v.line(23)), v)
    v.press("2", lambda: v.line(1).startswith("element"))
    check("the last PU", v.press(END, lambda: "PU 15, core 15" in (v.selected() or "")), v)
    check("long names", v.press("/00255\r", lambda: "compute-node-with-a-very-long-name-00255" in (v.selected() or "")), v)
    os.write(v.end, b"q")
    check("its end", v.code() == 0)

    v = View("p.acp", "t.json", "m.json")
    for keys in ("1", "\r", "q2", "\r", "q3", "\r", "q4", "\r"):
        v.press(keys, lambda: " of " in v.line(-1))
        v.wait(lambda: True)
    check("names can't steer the terminal", b"\033[31m" not in v.bytes and b"\033[2J" not in v.bytes.replace(b"\033[H\033[2J", b""))
    check("they are shown", v.press("q3", lambda: "::stop-commands::t" in v.text()), v)
    os.write(v.end, b"q")
    check("its end", v.code() == 0)


browse()
others()
print(f"{passed} checks passed" if not failed else f"{failed} of {passed + failed} checks failed")
sys.exit(1 if failed else 0)
