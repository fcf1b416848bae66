"""browser.py FOLDER SCREENSHOTS: small.html and stencil.html in a browser, against the JSON beside."""
import re, sys
from html import unescape
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from chromium import Browser, load
from looks import check, choose, find_port, finish, narrow, printed, rows, text, tip

work, shots = sys.argv[1:3]
PAIRS = "#port > div:last-of-type"  # behind its call sites


def pairs_of(values):
    """From a table of pairs: who, messages, bytes."""
    return sorted((int(v[0]), int(v[1]), float(v[2]), float(v[3])) for v in values)


# --- what the numbers are, by the program and by a count of its own ---

pattern = [eval(line.replace("null", "None")) for line in open(f"{work}/p.acp", encoding="utf-8")]
phases = {p["id"]: p["repeats"] for p in pattern if p.get("kind") == "phase"}
mapping = {name: load(f"{work}/{name}.json")["pu_of_rank"] for name in ("random", "greedy")}


def expected_pairs(name, first_pu, n_pus, out, phase):
    """Pairs that leave (or enter) a range of PUs; PUs of the testbed are two a host."""
    inside = lambda rank: first_pu <= mapping[name][rank] < first_pu + n_pus
    sums = {}
    for line in pattern:
        if line.get("kind") != "p2p" or phase not in ("all", line["phase"]):
            continue
        times = phases[line["phase"]] if phase == "all" else 1
        for dst, size, count in line["msgs"]:
            a, b = (line["src"], dst) if out else (dst, line["src"])
            if inside(a) and not inside(b):
                m = sums.setdefault((line["src"], dst), [0, 0])
                m[0] += times * count
                m[1] += times * count * size
    return sorted((s, d, m, n) for (s, d), (m, n) in sums.items())


def all_pairs(phase):
    """The messages of all pairs: each leaves the PU that it comes from."""
    return [(s, d, m, n) for r in range(16) for s, d, m, n in
            expected_pairs("random", mapping["random"][r], 1, True, phase)]


def look_at_costs(b):
    head = b.js("return [...document.querySelectorAll('#placements th')].map(x => x.textContent)")
    table = {r[0]: dict(zip(head, r)) for r in rows(b, "#placements")}
    check("whiskers are explained", "Whiskers" in text(b, "figcaption"))
    margins = b.js("""const all = selector => [...document.querySelectorAll(selector)]
      .map(e => (/± [0-9.]+%/.exec(e.textContent) || [""])[0]).filter(Boolean).sort();
      return [all("#placements td"), all(".bars .value")]""")
    check("margins of table and chart", margins[0], margins[1])
    check("there are some", len(margins[0]) > 3)
    check("what shows without scripts is said", b.js("return document.querySelectorAll('noscript').length"), 1)
    check("charts stand in columns", b.js("""
      const [a, b] = [...document.querySelectorAll(".bars .chart")].map(e => e.getBoundingClientRect());
      return a.top === b.top && a.right <= b.left"""))
    check("the conclusion is the first sentence", text(b, "#conclusion"), b.js("""
      const costs = report.placements.map(p => p.cost_s.port);
      const ratio = costs[shown.before] / costs[shown.after];
      const label = i => report.placements[i].label;
      return `Remap by ${label(shown.after)}: ${ratio >= 10 ? `${Number(ratio.toPrecision(3))} times less`
          : `${(100 - 100 / ratio).toFixed(100 - 100 / ratio >= 9.95 ? 0 : 1)}% less`}` + " communication time than in "
          + `${label(shown.before)}` + document.getElementById("conclusion").textContent.match(/, the run .*|\\.$/)[0]"""))
    check("placements", sorted(table), ["greedy.json", "linear", "random.json"])
    for name in ("random", "greedy"):
        for model in ("port", "bound", "sum", "flow"):
            result = load(f"{work}/{name}-{model}.json")["results"][0]
            check(f"{name} by {model}", float(table[f"{name}.json"][model]), result["cost_s"])
            if model == "port":
                check(f"bottleneck of {name}", table[f"{name}.json"]["bottleneck (port)"],
                      result["bottleneck"]["text"])
    priced = {n: load(f"{work}/{n}-port.json")["results"][0] for n in ("random", "greedy")}
    bars = b.js("""return [...document.querySelectorAll("figure .chart [data-placement] title")]
      .map(t => t.textContent)""")
    for name, r in priced.items():
        low, high = (b.js("return format.seconds(arguments[0])", r[f"interval_{x}_s"]) for x in ("low", "high"))
        check(f"interval of {name}", any(f"{name}.json" in t and f"between {low} and {high}" in t
                                         for t in bars))


def look_at_matrix(b):
    left, top, width, _ = b.box("#matrix-0 canvas")
    at = lambda src, dst: (left + (dst + 0.5) * width / 16, top + (src + 0.5) * width / 16)
    choose(b, "phase", "0")
    left, top, width, _ = b.box("#matrix-0 canvas")
    b.mouse("mouseMoved", *at(3, 7))
    pus = mapping["random"]
    check("hovering over a pair", tip(b).split("\n")[:3],
          ["rank 3 → rank 7", "3 messages, 26.46 KiB",
           f"before: {place(pus[3])} → {place(pus[7])}"])
    b.mouse("mouseMoved", *at(3, 9))
    check("hovering over none", tip(b).split("\n")[:2], ["rank 3 → rank 9", "nothing"])
    pixel = """const c = document.querySelector("#matrix-0 canvas"), [src, dst] = arguments;
      const pen = document.createElement("canvas").getContext("2d"), side = c.width / 16;
      pen.drawImage(c, (dst + 0.5) * side, (src + 0.5) * side, 1, 1, 0, 0, 1, 1);
      return [...pen.getImageData(0, 0, 1, 1).data]"""
    bytes_ = b.js(pixel, 3, 4)
    check("nothing has no colour", b.js(pixel, 3, 9)[3], 0)
    choose(b, "quantity", "messages")
    check("messages have other colours", b.js(pixel, 3, 4) != bytes_)
    check("the legend counts messages", text(b, "#matrix-0 .legend").startswith("2"))
    choose(b, "quantity", "bytes")
    middle = b.js(pixel, 8, 9)
    b.js("document.getElementById('log').click()")
    b.settle()
    check("linear colours are others", b.js(pixel, 8, 9) != middle)
    b.js("document.getElementById('log').click()")
    # the wheel zooms where the pointer is, which stays over its cell
    left, top, width, _ = b.box("#matrix-0 canvas")
    b.mouse("mouseWheel", *at(3, 7), deltaX=0, deltaY=-400)
    b.wait("document.querySelector('#matrix-0 canvas').__zoom.k > 1.2")
    b.settle()
    b.mouse("mouseMoved", *at(3, 7))
    check("the same pair after zooming", tip(b).split("\n")[0], "rank 3 → rank 7")
    canvas = b.driver.find_element(By.CSS_SELECTOR, "#matrix-0 canvas")
    b.js("arguments[0].focus()", canvas)
    ActionChains(b.driver).send_keys("0", Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_RIGHT).perform()
    b.settle()
    check("0 shows all", b.js("return arguments[0].__zoom.k", canvas), 1)
    check("arrow keys walk", tip(b).split("\n")[0], "rank 1 → rank 1")
    choose(b, "phase", "all")
    order = sorted(range(16), key=lambda r: mapping["greedy"][r])
    left, top, width, _ = b.box("#matrix-1 canvas")
    b.mouse("mouseMoved", *at(order.index(3), order.index(7)))
    check("in the order of places, with repeats", tip(b).split("\n")[:2],
          ["rank 3 → rank 7", "300 messages, 2.584 MiB"])


def look_at_scattered(b):
    """Why the matrix in the order of places looks scattered: what stays within hosts, by a count of its own."""
    def share(name, key, what):
        inside = total = 0
        for src, dst, *amount in all_pairs(key):
            total += amount[what]
            inside += amount[what] * (mapping[name][src] // 2 == mapping[name][dst] // 2)
        return f"{100 * inside / total:.1f}%"
    for phase, key in (("0", 0), ("all", "all")):
        choose(b, "phase", phase)
        for what, quantity in ((1, "bytes"), (0, "messages")):
            choose(b, "quantity", quantity)
            check(f"within hosts, phase {phase}, {quantity}", text(b, "#scattered").split("within hosts: ")[1:],
                  [f"{share('random', key, what)} of the {quantity} before, {share('greedy', key, what)} after."])
    choose(b, "quantity", "bytes")
    greedy = b.js("return String(shown.after)")
    choose(b, "after", b.js("return String(shown.before)"))
    check("nothing scatters without another placement", text(b, "#scattered"), "")
    choose(b, "after", greedy)


def place(pu):
    return f"h{pu // 2} core {pu % 2}"


def look_at_tree(b):
    choose(b, "phase", "0")
    for role, name in (("before", "random"), ("after", "greedy")):
        result = load(f"{work}/{name}-port.json")["results"][0]
        bottleneck = result["phases"][0]["bottleneck"]
        check(f"bottleneck {role}", bottleneck["text"] in text(b, f'.tree-of[data-role="{role}"] p'))
        # the keyboard begins at the bottleneck
        b.box(f'.tree-of[data-role="{role}"] canvas')
        b.js("document.querySelector(arguments[0]).focus()", f'.tree-of[data-role="{role}"] canvas')
        ActionChains(b.driver).send_keys(Keys.ARROW_UP, Keys.ENTER).perform()
        b.settle()
        check(f"Enter lists {role}", text(b, "#port h3"), f"{bottleneck['text']}, under {name}.json")
        if b.js("return document.querySelector('#port > div:last-of-type .more').style.display") != "none":
            b.js("document.querySelector('#port > div:last-of-type .more').click()")
        check(f"pairs of the bottleneck {role}", pairs_of(rows(b, PAIRS)),
              sorted((p["src"], p["dst"], p["messages"], p["bytes"]) for p in bottleneck["pairs"]))
        listed = {(p["src"], p["dst"]): p["time_s"] for p in bottleneck["pairs"]}
        check(f"times of the bottleneck {role}", [float(r[4]) for r in rows(b, PAIRS)][:20],
              [listed[int(r[0]), int(r[1])] for r in rows(b, PAIRS)][:20])
    for phase, key in (("0", 0), ("all", "all")):
        choose(b, "phase", phase)
        x, y = find_port(b, "before", "uplink of h4, own end")
        check("hovering explains", "of the largest load" in tip(b))
        b.click(x, y)
        b.settle()
        check("a click lists", text(b, "#port h3"), "uplink of h4, own end, under random.json")
        check("below its tree, where it is seen", b.js("""const list = document.getElementById("port");
          const {top, bottom} = list.querySelector("h3").getBoundingClientRect();
          return list.parentNode.dataset.role === "before" && top > 0 && bottom < innerHeight"""))
        found = rows(b, PAIRS)
        check(f"pairs of h4, phase {phase}", pairs_of(found), expected_pairs("random", 8, 2, True, key))
        check("the largest first", [float(r[3]) for r in found],
              sorted((float(r[3]) for r in found), reverse=True))
    check("the dearest phase is named", re.search(r'in phase [01] "(halo|transpose)", the most expensive$',
          text(b, '.tree-of[data-role="before"] p')) is not None)
    x, y = find_port(b, "after", "downlink of B, at C")
    b.click(x, y)
    b.settle()
    if b.js("return document.querySelector('#port > div:last-of-type .more').style.display") != "none":
        b.js("document.querySelector('#port > div:last-of-type .more').click()")
    check("pairs into B", pairs_of(rows(b, PAIRS)), expected_pairs("greedy", 10, 6, False, "all"))
    choose(b, "phase", "2")
    check("nothing in a phase without messages", text(b, "#port p"), "No pair loads it in what is shown.")
    check("nor in its tree", "No port is loaded." in text(b, '.tree-of[data-role="after"] p'))
    check("nor for those who hear it", "no port is loaded" in b.js(
        "return document.querySelector('.tree-of[data-role=\"after\"] canvas').getAttribute('aria-label')"))
    choose(b, "phase", "all")
    left, top, width, height = b.box('.tree-of[data-role="after"] canvas')
    b.mouse("mouseWheel", left + width * 0.6, top + height / 2, deltaX=0, deltaY=-300)
    b.wait("document.querySelector('.tree-of[data-role=\"before\"] canvas').__zoom.k > 1.1")
    choose(b, "load", "bytes")
    check("no error when loads are bytes", b.errors(), [])
    choose(b, "load", "cost_s")


def look_at_tables(b):
    check("call sites", "exchange halo.c:120" in text(b, "#pairs"))
    check("buttons have names", b.js("return [...document.querySelectorAll('th button')].every(x => x.textContent)"))
    check("readers pass keys on", b.js(
        "return [...document.querySelectorAll('canvas[tabindex]')].map(x => x.getAttribute('role'))"),
          ["application"] * 4)
    check("names are cut between characters", b.js("return shorten('😀'.repeat(20), 9)"), "😀😀😀😀…😀😀😀😀")
    check("ranks", [int(r[0]) for r in rows(b, "#ranks")], list(range(16)))
    for r in rows(b, "#ranks"):
        check(f"rank {r[0]}", [int(r[3]), int(r[6])],
              [mapping["random"][int(r[0])], mapping["greedy"][int(r[0])]])
    button = b.driver.find_element(By.CSS_SELECTOR, "#ranks th:nth-child(7) button")
    b.js("arguments[0].scrollIntoView({block: 'center'}); arguments[0].focus()", button)
    ActionChains(b.driver).send_keys(Keys.ENTER).perform()
    check("sorted by the keyboard", [int(r[6]) for r in rows(b, "#ranks")],
          sorted(mapping["greedy"], reverse=True))
    check("which is said", b.js("return document.querySelector('#ranks th:nth-child(7)').ariaSort"),
          "descending")
    b.driver.find_element(By.ID, "rank-filter").send_keys("h3")
    check("a filter", {int(r[0]) for r in rows(b, "#ranks")},
          {r for r in range(16) if 3 in (mapping["random"][r] // 2, mapping["greedy"][r] // 2)})
    sites = b.js("""return [...document.querySelectorAll("#sites tbody tr")].map(
      tr => [...tr.cells].map(td => td.dataset.value))""")
    check("call sites by level", any("exchange halo.c:120" in row[0] for row in sites))
    level_bytes = {name: [level["bytes"] for level in load(f"{work}/{name}-port.json")["results"][0]["levels"]]
                   for name in ("random", "greedy")}
    used = [d for d in range(len(level_bytes["random"])) if level_bytes["random"][d] > 0 or level_bytes["greedy"][d] > 0]
    for k, d in enumerate(used):
        check(f"sites add up to level {d}", [round(sum(float(row[1 + 2 * k + role]) for row in sites)) for role in (0, 1)],
              [round(level_bytes[name][d]) for name in ("random", "greedy")])
    choose(b, "after", b.js("return String(report.placements.findIndex(p => p.label === 'linear'))"))
    look_at_gains(b)
    check("its conclusion", text(b, "#conclusion").startswith(("Remap by linear: ", "Keep ")))
    check("another placement after", text(b, '.tree-of[data-role="after"] p').startswith("after: linear"))
    check("so are its bars", any("after: linear" in t for t in b.js(
        "return [...document.querySelectorAll('.chart .label')].map(t => t.textContent)")))


def look_at_times(b):
    """Time in MPI calls is what `berth show` says."""
    times = load(f"{work}/show.json")["mpi_time"]
    check("times are shown", b.js("return document.getElementById('h-times').parentNode.hidden"), False)
    check("how much of the run", text(b, "#times-all").startswith("32.5% of the run, 3.250 s a rank on average."))
    number = lambda x: None if x is None else float(x)
    keys = ("share", "mean_s", "max_s", "max_rank", "imbalance")
    found = [(r[0], *map(number, r[1:])) for r in rows(b, "#times-functions")]
    check("functions", found[:-1], [(f["op"], *(f[k] for k in keys)) for f in times["functions"]])
    check("the rest", found[-1], ("(other)", times["other_s"] / times["all_s"], times["other_s"] / 16, None, None, None))
    cells = b.js("""return [...document.querySelectorAll("#times-functions tbody tr")].map(
      tr => [...tr.cells].map(td => td.textContent))""")
    check("what is shown of them", cells[:3],
          [["MPI_Isend", "40.4%", "1.313 s", "3.125 s", "7", "2.38"],
           ["MPI_Allreduce", "28.8%", "937.5 ms", "2.500 s", "8", "2.67"],
           ["(other)", "30.8%", "1.000 s", "", "", ""]])
    check("bounds are explained", "≥: at least" in text(b, "#times-sites .caption"))
    check("a bound", b.js("""return [...document.querySelectorAll("#times-sites tbody tr")].map(
      tr => tr.cells[2].textContent)"""), ["3.000 s", "≥ 2.000 s"])
    bars = b.js("""return [...document.querySelectorAll("#times-functions i")].map(
      i => i.getBoundingClientRect().width)""")
    check("bars are as long as shares", [round(w / bars[0], 2) for w in bars], [1, round(15 / 21, 2), round(16 / 21, 2)])
    sites = rows(b, "#times-sites")
    check("call sites", [tuple(map(float, r[:-1])) for r in sites],
          [tuple(s[k] for k in keys) for s in times["sites"]])
    check("their names", [r[-1] for r in sites],
          ["MPI_Isend exchange halo.c:120 < main app.c:44", "MPI_Allreduce norm solve.c:88 < gmres solve.c:140"])
    check("deep ones unfold", b.js("""return [...document.querySelectorAll("#times-sites details li")]
      .map(e => e.textContent)"""), ["norm solve.c:88", "gmres solve.c:140", "main app.c:44"])
    check("communicators", [[r[0], r[1], r[4]] for r in rows(b, "#times-comms")],
          [["0", "16", "MPI_Allreduce 23.1%"], ["1", "4", "MPI_Allreduce 5.8%"]])


def look_at_tuning(b):
    """What was measured of collective calls is shown if there is a file with it."""
    hidden = "return document.getElementById('h-tuning').parentNode.hidden"
    check("no tuning is shown where there is none", b.js(hidden), True)
    b.open(f"{work}/tuned.html")
    check("a tuning is shown", b.js(hidden), False)
    check("how it was measured", text(b, "#tuning-all").startswith("Open MPI 4.1.4, measured in 2.500 s."))
    check("what was chosen", b.js("""return [...document.querySelectorAll("#tuning tbody tr")].map(
      tr => [...tr.cells].map(td => td.textContent))"""),
          [["allreduce", "16", "8", "8 B", "1,200", "recursive_doubling", "2.000 ms", "2.500 ms", "+20.0%",
            "the choice: 1.800 ms to 2.471 ms; the MPI's: 2.000 ms to 4.366 ms"],
           ["bcast", "16", "8", "64.00 KiB", "unknown", "pipeline, 8.000 KiB, overlap 32.00 KiB", "7.500 ms", "unknown", "", ""],
           ["barrier", "4", "unknown", "0 B", "unknown", "not measured", "unknown", "unknown", "", ""]])
    check("its histograms", b.js("return document.querySelectorAll('#tuning svg.times rect').length"), 32)


def look_at_gains(b):
    """Gains, verdicts and moved ranks are against what is chosen as before."""
    def table():
        head = b.js("return [...document.querySelectorAll('#placements th')].map(x => x.textContent)")
        return {r[0]: dict(zip(head, r)) for r in rows(b, "#placements")}
    priced = {n: load(f"{work}/{n}-port.json")["results"][0]["cost_s"] for n in ("random", "greedy")}
    gain = lambda frm, to: (priced[frm] - priced[to]) / priced[frm]
    check("gain over the first", float(table()["greedy.json"]["gain"]), gain("random", "greedy"))
    check("verdict", table()["greedy.json"]["verdict"], "cheaper")
    choose(b, "before", b.js("return String(report.placements.findIndex(p => p.label === 'greedy.json'))"))
    found = table()
    check("gain over another", float(found["random.json"]["gain"]), gain("greedy", "random"))
    check("of itself none", [float(found["greedy.json"][k]) for k in ("gain", "ranks moved", "to other hosts")],
          [0, 0, 0])
    check("its verdict", found["random.json"]["verdict"], "dearer")
    pairs = list(zip(mapping["greedy"], mapping["random"]))
    check("moved", [int(found["random.json"][k]) for k in ("ranks moved", "to other hosts")],
          [sum(x != y for x, y in pairs), sum(x // 2 != y // 2 for x, y in pairs)])
    check("against whom is said", "against greedy.json" in text(b, "#placements .caption"))
    check("that all phases count", "All phases together" in text(b, "#placements .caption"))
    choose(b, "before", "0")


def look_at_print(b):
    """From a window that is wider than the paper."""
    choose(b, "phase", "0")
    b.js("document.querySelector(arguments[0]).focus()", '.tree-of[data-role="before"] canvas')
    ActionChains(b.driver).send_keys("0").perform()
    for paper in ((8.5, 11), (8.27, 11.69)):
        b.pdf(f"{shots}/small.pdf", paperWidth=paper[0], paperHeight=paper[1])
        found, beyond, small = printed(f"{shots}/small.pdf")
        check(f"nothing is cut off on {paper}", beyond, [])
        check(f"nothing is too small on {paper}", small, [])
        for what in ('phase 0 "halo", one of 100; before random.json; after greedy.json',
                     'bytes, logarithmic colours, phase 0 "halo", one of 100',
                     'Load as time, phase 0 "halo", one of 100; 100% is', "order of their numbers",
                     "order of their places: after, greedy.json", "Rows send, columns receive",
                     "from rank", "to rank (receives)", "A group shares a host. h0 h1 h2", "Time in MPI calls", "≥ 2.000 s", " 10 11 12 13 14 15 "):
            check(f"'{what}' is printed", what in found)
        for what in ("Only those with", "▶", "show more", "Colours", "Wheel", "zoom in"):
            check(f"'{what}' isn't printed", what not in found)


def look_at_narrow(b):
    """400 pixels."""
    narrow(b, 400)
    check("no wider than the window", b.js(
        "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
    check("nor is a picture", b.js("""return [...document.querySelectorAll("canvas, svg")]
      .filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth).length"""), 0)
    check("amounts beside each other", b.js("""
      const boxes = [...document.querySelectorAll("#matrix-0 .legend text")].map(e => e.getBoundingClientRect());
      return boxes.every((x, i) => i === 0 || boxes[i - 1].right < x.left)"""))
    check("texts of bars can be read", b.js("""return Math.min(...[...document.querySelectorAll(".chart")]
      .map(e => 13 * e.getBoundingClientRect().width / e.viewBox.baseVal.width)) >= 9"""))
    b.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    b.settle()


def look_at_names(b):
    b.open(f"{work}/names.html")
    check("mappings of one file name", [r[0] for r in rows(b, "#placements")], ["linear", "a/m.json", "b/m.json"])
    check("and in choices", b.js("return [...document.getElementById('after').options].map(o => o.text)"),
          ["linear", "a/m.json", "b/m.json"])
    check("no phase is left out", b.js("return document.getElementById('phases-left').hidden"))
    check("--phase is shown first", b.js("return document.getElementById('phase').value"), "1")
    check("its scale is named", text(b, "#scale").startswith('Load as time, phase 1 "transpose", one of 5; 100% is '))


def look_at_measured(b):
    """A machine whose every number has a spread, and a long name."""
    b.open(f"{work}/measured.html")
    check("the table of costs fits", b.js("""const t = document.querySelector("#placements .table");
      return t.scrollWidth <= t.clientWidth"""))
    check("four models have margins", b.js("return document.querySelectorAll('#placements .margin').length"), 12)
    check("a long name keeps its ends", b.js("""return [...document.querySelectorAll(".bars .label")]
      .filter(e => /^after: a mapping with .*2027[.]json$/.test(e.textContent)).length"""), 8)


def look_at_phases(b):
    """More of them than are listed."""
    b.open(f"{work}/phases.html")
    check("some can be chosen", b.js("return document.getElementById('phase').options.length"), 257)
    check("which is said", text(b, "#phases-left"),
          'The 256 phases that cost most, of 300, can be chosen; "all" has the others, too.')
    choose(b, "phase", "all")
    check("all have all bytes", b.js("return d3.sum(shownPairs().bytes) === report.run.bytes"))
    check("no error with many phases", b.errors(), [])


def look_at_phase_zero(b):
    """What it is, where its name doesn't say it; in pictures, too."""
    for name, expected in (("alone", "0 (the whole run)"), ("calls", "0 (the whole run's point-to-point messages)"),
                           ("only", "0 (no point-to-point messages)"),
                           ("rest", '0 "rest" (what is in no other phase)'), ("named", '0 "halo"')):
        b.open(f"{work}/zero-{name}.html")
        check(f"phase 0, {name}", b.js("return document.getElementById('phase').selectedOptions[0].textContent"), expected)
        check(f"phase 0, {name}, beside the tree", text(b, "#scale").startswith(
            f"Load as time, phase {expected}" + ("." if name == "only" else "; 100%")))
        picture = open(f"{work}/zero-{name}/matrix-ranks.svg", encoding="utf-8").read()
        lines = [unescape(t) for t in re.findall(r"<text[^>]*>([^<]*)</text>", picture)]
        check(f"phase 0, {name}, in a picture", f"phase {expected}" in " ".join(lines))
    b.open(f"{work}/zero-rest.html")
    check("a phase without a name keeps its number", b.js(
        "return [...document.getElementById('phase').options].map(o => o.textContent)[2]"), "1")


def luminance(colour):
    return sum(int(v) for v in re.findall(r"\d+", colour)[:3]) / 3


def look_at_colours(b):
    ground = "return getComputedStyle(document.body).backgroundColor"
    check("light", luminance(b.js(ground)) > 200)
    b.screenshot(f"{shots}/small-light.png")
    b.media(prefers_color_scheme="dark")
    b.settle()
    check("dark as the system", luminance(b.js(ground)) < 60)
    b.screenshot(f"{shots}/small-dark.png")
    choose(b, "theme", "light")
    check("light by choice", luminance(b.js(ground)) > 200)
    choose(b, "theme", "dark")
    b.media(prefers_color_scheme="light")
    check("dark by choice", luminance(b.js(ground)) < 60)
    b.js("window.printed = 0; addEventListener('beforeprint', () => { window.printed++; })")
    b.pdf(f"{shots}/dark.pdf")
    check("printed", b.js("return window.printed"), 1)
    check("dark again after printing", luminance(b.js(ground)) < 60)
    check("no error in dark and print", b.errors(), [])


def look_at_stencil(b):
    b.open(f"{work}/stencil.html")
    check("4,096 ranks", "4,096 ranks" in text(b, "#run"))
    check("no times where there are none", b.js("return document.getElementById('h-times').parentNode.hidden"))
    check("no MPI that is none", "none" in text(b, "#run"), False)
    check("one amount has one colour", b.js("""const legend = document.querySelector("#matrix-0 .legend");
      return [legend.textContent, legend.querySelectorAll("image").length]"""), ["6.250 MiB", 0])
    check("large counts", "2,304,000" in b.js("return document.body.textContent"))
    check("no whiskers are explained", "hiskers" in text(b, "figcaption"), False)
    for selector in ("#matrix-1 canvas", '.tree-of[data-role="before"] canvas'):
        b.box(selector)
        frames = b.frames(selector, 10)
        print(f"{selector}: {frames[len(frames) // 2]:.0f} ms a frame at the median, "
              f"{frames[-1]:.0f} ms at most")
    b.screenshot(f"{shots}/stencil.png")
    left, top, width, _ = b.box("#matrix-0 canvas")
    b.mouse("mouseMoved", left + width / 2, top + width / 2)
    check("hovering finds the diagonal", "100 messages" in tip(b), True)
    check("no error with many ranks", b.errors(), [])


with Browser() as browser:
    browser.open(f"{work}/small.html")
    check("no error at the start", browser.errors(), [])
    check("nothing is fetched", browser.js("return performance.getEntriesByType('resource').length"), 0)
    for look in (look_at_costs, look_at_matrix, look_at_scattered, look_at_tree, look_at_print, look_at_narrow, look_at_colours,
                 look_at_times, look_at_tables):
        look(browser)
    check("no error", browser.errors(), [])
    look_at_tuning(browser)
    look_at_names(browser)
    look_at_measured(browser)
    look_at_stencil(browser)
    look_at_phases(browser)
    look_at_phase_zero(browser)
finish()
