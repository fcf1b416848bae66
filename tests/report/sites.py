"""sites.py FOLDER: call sites behind what is clicked, in many.html, hosts.html and ranks-960.html."""
import sys
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from chromium import Browser
from looks import check, choose, find_port, finish, rows, text

work = sys.argv[1]


def table(b, panel):
    """The first table: {call site: (messages, bytes, share)}."""
    return {r[0]: tuple(map(float, r[1:])) for r in rows(b, f"{panel} > div:first-of-type")}


def unfold(b, panel):
    b.js("""for (const e of document.querySelectorAll(arguments[0] + " .more"))
      while (e.style.display !== "none") e.click();""", panel)


def load_of(b, element, kind):
    """Bytes of a port before, in what is shown, as the models have them."""
    return b.js("""const [name, kind] = arguments, p = report.placements[shown.before];
      const l = p.loads.find(x => x.phase === (shown.phase === "all" ? null : shown.phase));
      const e = report.machine.element[report.machine.names.indexOf(name)];
      return l.bytes[l.element.findIndex((x, i) => x === e && l.kind[i] === kind)]""", element, kind)


site = lambda s: f"MPI_Send send{s} a.c:{s} < main a.c:90"


def look_at_port(b):
    b.click(*find_port(b, "before", "uplink of h0, own end"))
    b.settle()
    unfold(b, "#port")
    found = table(b, "#port")
    # rank 0 to 15, of which the page has the four largest; rank 1 to 2
    expected = {site(s): (10, 10000 * s) for s in (3, 4, 5, 6)} | {site(1): (10, 5000), "other call sites": (20, 30000)}
    check("call sites of messages", {s: found[s][:2] for s in expected if s in found}, expected)
    calls = [found.get(f"MPI_Allreduce sum{s} b.c:{s}", (0, 0)) for s in (7, 8)]
    check("call sites of collective calls", [round(x, 6) for x in (calls[1][0] / calls[0][0], calls[1][1] / calls[0][1])],
          [3, 3])
    check("nothing else", len(found), 8)
    check("bytes are the port's load", round(sum(v[1] for v in found.values())), round(load_of(b, "h0", 2)))
    check("shares add up", round(sum(v[2] for v in found.values()), 9), 1)
    pairs = {(r[0], r[1]): r[-1] for r in rows(b, "#port > div:last-of-type")}
    check("each pair has its largest", [pairs["0", "15"], pairs["1", "2"]], [site(6), site(1)])
    choose(b, "phase", "0")
    check("they follow the phase", table(b, "#port")[site(6)][:2], (1, 6000))
    choose(b, "phase", "all")


def look_at_pair(b):
    left, top, width, _ = b.box("#matrix-0 canvas")
    b.click(left + 15.5 * width / 16, top + 0.5 * width / 16)
    b.settle()
    unfold(b, "#pair")
    check("which pair", text(b, "#pair h3"), "rank 0 → rank 15, all phases, with their repeats")
    check("where it is", "before: h0 core 0 → h7 core 1" in text(b, "#pair p"))
    found = table(b, "#pair")
    check("its call sites", {s: v[:2] for s, v in found.items() if "Allreduce" not in s},
          {site(s): (10, 10000 * s) for s in (3, 4, 5, 6)} | {"other call sites": (20, 30000)})
    b.js("document.querySelector('#matrix-1 canvas').focus()")
    ActionChains(b.driver).send_keys(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ENTER).perform()
    b.settle()
    check("the keyboard lists, too", text(b, "#pair h3").startswith("rank 0 → rank 8, "))
    check("a pair of collective calls alone", sorted(table(b, "#pair")),
          ["MPI_Allreduce sum7 b.c:7", "MPI_Allreduce sum8 b.c:8"])
    choose(b, "after", "0")
    check("the pair stays in another order", text(b, "#pair h3").startswith("rank 0 → rank 8, "))
    choose(b, "after", "1")
    choose(b, "phase", "0")
    check("and in another phase", text(b, "#pair h3").startswith('rank 0 → rank 8, phase 0 "steps"'))
    check("where it sends nothing", text(b, "#pair p").startswith("nothing; "))
    choose(b, "phase", "all")


def look_at_hosts(b):
    """Calls whose messages depend on hosts have no pairs."""
    b.click(*find_port(b, "before", "uplink of h0, own end"))
    b.settle()
    unfold(b, "#port")
    found = table(b, "#port")
    calls = [found.get(f"MPI_Allreduce sum{s} b.c:{s}", (0, 0)) for s in (7, 8)]
    check("calls by hosts", round(calls[1][1] / calls[0][1], 6), 3)
    check("and all bytes", round(sum(v[1] for v in found.values())), round(load_of(b, "h0", 2)))
    check("that pairs are missing is said", "aren't on the page" in text(b, "#port"))


def look_at_groups(b):
    choose(b, "phase", "all")
    check("ranks are grouped", b.js("return groupSize > 1"))
    left, top, width, _ = b.box("#matrix-0 canvas")
    b.click(left + width / 2, top + width / 4)
    b.settle()
    found = table(b, "#pair")
    size = b.js("return groupSize")
    check("all of a group's bytes", found, {"MPI_Alltoall all-to-all": (size * size, size * size * 4096, 1)})
    check("which is seen", b.js("return document.querySelector('#pair h3').getBoundingClientRect().bottom < innerHeight"))
    listed = rows(b, "#pair > div:last-of-type")
    check("its pairs", bool(listed) and all(r[4] == "MPI_Alltoall all-to-all" for r in listed))
    choose(b, "quantity", "messages")
    check("a group is listed until something else is shown", text(b, "#pair"), "")
    b.click(*find_port(b, "before", "uplink of rack0, own end"))
    b.settle()
    check("all bytes of a port", table(b, "#port")["MPI_Alltoall all-to-all"][1], 320 * 640 * 4096)


with Browser() as browser:
    browser.open(f"{work}/many.html")
    look_at_port(browser)
    look_at_pair(browser)
    browser.open(f"{work}/hosts.html")
    look_at_hosts(browser)
    browser.open(f"{work}/ranks-960.html")
    look_at_groups(browser)
    check("no error", browser.errors(), [])
finish()
