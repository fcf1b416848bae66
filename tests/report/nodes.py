"""nodes.py FOLDER SCREENSHOTS: the section about the node in big.html, both.html and others, against the
records in big.json and both.json."""
import sys
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select
from chromium import Browser, load
from looks import PICTURES, check, finish, overlaps, printed, rows, text, tip

work, shots = sys.argv[1:3]
record = load(f"{work}/big.json")["types"]["fat"]["node"]


def curve(what, name, state, core=None, memory=None, of=record):
    return next(c for c in of["curves"] if (c["what"], c["name"], c.get("state", ""), c.get("core_numa"), c.get("memory_numa"))
                == (what, name, state, core, memory))


def ys(found):
    return [y for _, y in found["points"]]


def same_curve(what, shown, expected):
    check(what, [shown[k] for k in ("x", "y", "spread", "samples")],
          [[x for x, _ in expected["points"]], ys(expected), expected["spread"], expected["samples"]])


def near(found, expected):
    return len(found) == len(expected) and all(abs(a - b) <= 1e-9 * abs(b) for a, b in zip(found, expected))


# --- the page's data ---

def look_at_curves(node):
    for group in node["copies"]:
        place = (group["state"], group["core_numa"], group["memory_numa"])
        for c in group["curves"]:
            same_curve(f"copies {place} by {c['name']}", c, curve("copy", c["name"], *place))
        sizes = [x for x, _ in curve("copy", "memcpy", *place)["points"]]
        rates = {c["name"]: c["y"] for c in group["curves"]}
        best = [max(rates, key=lambda k: rates[k][i]) for i in range(len(sizes))]
        check(f"the best kernels {place}", [(b["bytes"], b["name"], b["rate"]) for b in group["best"]],
              [(s, k, rates[k][i]) for i, (s, k) in enumerate(zip(sizes, best))])
        check(f"their gain {place}", near([b["times_memcpy"] for b in group["best"]],
                                          [rates[k][i] / rates["memcpy"][i] for i, k in enumerate(best)]))
    check("copies from each NUMA node to each", len(node["copies"]), 8)
    for group in node["memory"]:
        for c, s in zip(group["curves"], group["scaling"]):
            what = f"memory {c['name']} {c['state']} {group['core_numa']}"
            same_curve(what, c, curve("memory", c["name"], c["state"], group["core_numa"], group["memory_numa"]))
            check(f"{what}: times one core", near([s["times"], *s["linear"]], [c["y"][-1] / c["y"][0]] + [c["y"][0] * x for x in c["x"]]))
    check("memory of all cores, and of each NUMA node", len(node["memory"]), 12)


def look_at_work(node):
    for b in node["beside"]:
        same_curve(f"beside {b['name']}", b["computing"], curve("beside", b["name"], "close"))
        same_curve(f"sending {b['name']}", b["sending"], curve("sending", b["name"], "close"))
        alone = dict(curve("memory", b["name"], "close")["points"])
        check(f"what {b['name']} keeps", near(b["kept"][:4], [y / alone[x] for x, y in curve("beside", b["name"], "close")["points"][:4]]))
    for group in node["granules"]:
        for c in group["curves"]:
            same_curve(f"granules {c['name']} {c['state']}", c, curve("granules", c["name"], c["state"]))
        fixed = ys(curve("granules", "static", group["state"]))
        shares = [(y / fixed[i], name, x) for name in ("dynamic", "locked")
                  for i, (x, y) in enumerate(curve("granules", name, group["state"])["points"])]
        share, name, granules = min(shares, key=lambda s: s[0])
        check(f"the best schedule, {group['state']}", [group["best"][k] for k in ("share", "name", "granules")], [share, name, granules])


def look_at_noise(node):
    for z, expected in zip(node["noise"], record["noise"]):
        check(f"noise of PU {z['pu']}", [z["pu"], z["idle"], z["lost"], z["longest_s"], z["period_s"], z["at_least_s"], z["count"]],
              [*(expected.get(k) for k in ("pu", "idle", "lost", "longest", "period")),
               *map(list, zip(*expected["interruptions"]))])
        check("how often", z["per_second"], [n / expected["seconds"] for n in z["count"]])
    all_ = [z for z in record["noise"] if "idle" not in z]
    check("all noise is there", len(node["noise"]), len(record["noise"]))
    check("its mean", near([node["noise_all"]["lost"]], [sum(z["lost"] for z in all_) / len(all_)]))
    check("its maximum", node["noise_all"]["longest_s"], max(z["longest"] for z in all_))


def crossover(mpi, side, size):
    """The smallest block from which on the datatype is no slower (3%) than the program's fastest way."""
    table = lambda by: {b: t for s in record["strided"] if (s["mpi"], s["by"], s["side"]) == (mpi, by, side)
                        for b, n, t in s["points"] if n == size}
    type_, ways = table("type"), [table(by) for by in ("hand", "memcpy", "touch")]
    found = None
    for block in sorted(type_, reverse=True):
        if any(1.03 * way[block] < type_[block] for way in ways):
            break
        found = block
    return found


def look_at_packing(node):
    for p in node["packing"]:
        base = {n: t for s in record["strided"] if s["mpi"] == p["mpi"] and s["by"] == "contiguous" for _, n, t in s["points"]}
        for side in p["sides"]:
            what = f"{p['mpi']}, {side['side']}"
            check(f"{what}: contiguous messages", {s["bytes"]: s["contiguous_s"] for s in side["sizes"]}, base)
            check(f"{what}: crossovers", [s["crossover"] for s in side["sizes"]], [crossover(p["mpi"], side["side"], n) for n in base])
            for t in side["tables"]:
                expected = next(s for s in record["strided"] if (s["mpi"], s["by"], s["side"]) == (p["mpi"], t["by"], side["side"]))
                check(f"{what} by {t['by']}", [list(x) for x in zip(t["block"], t["bytes"], t["seconds"])], expected["points"])
                check(f"{what} by {t['by']}: spreads", t["spread"], expected["spread"])
                check(f"{what} by {t['by']}: ratios", t["ratio"], [s / base[n] for _, n, s in expected["points"]])
    sizes = node["packing"][0]["sides"]
    check("there are crossovers, and none", {s["crossover"] is None for side in sizes for s in side["sizes"]}, {False, True})


def look_at_host(node):
    pus = [e for e in node["host"]["elements"] if "pu" in e]
    check("cores", [e["pu"] for e in pus], list(range(16)))
    for use in ("copy", "read", "write", "transpose"):
        check(f"{use} alone", [e["rates"][use] for e in pus], ys(curve("core", use, "")))
        numas = [e for e in node["host"]["elements"] if e.get("numa") is not None]
        check(f"{use} by NUMA node", [(e["numa"], e["rates"][use]) for e in numas],
              [(k, ys(curve("memory", use, "close", k, k))[-1]) for k in (0, 1)])
    lost = lambda idle: {z["pu"]: z["lost"] for z in record["noise"] if ("idle" in z) == idle}
    check("noise of cores", {e["pu"]: e["noise"]["lost"] for e in pus}, lost(False))
    check("with an idle one", {e["pu"]: e["noise_spare"]["lost"] for e in pus if e["noise_spare"]}, lost(True))


# --- what is drawn ---

def pick(b, label, value):
    """Chooses in the box that a label is for."""
    select = next(l for l in b.driver.find_elements(By.CSS_SELECTOR, "#node label, #node-type") if l.text.startswith(label))
    Select(select.find_element(By.TAG_NAME, "select")).select_by_visible_text(value)
    b.settle()


def focus(b, selector):
    b.js("const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'center'}); e.focus()", selector)
    b.settle()


def press(b, *keys):
    ActionChains(b.driver).send_keys(*keys).perform()
    b.settle()


def values(b, part, chart):
    """The table behind a chart: rows of exact values."""
    b.js("""const d = document.querySelectorAll(`#node-${arguments[0]} details`)[arguments[1]]; d.open = true;""", part, chart)
    b.wait(f"document.querySelectorAll('#node-{part} details')[{chart}].querySelector('tbody tr')")
    b.js("""const d = document.querySelectorAll(`#node-${arguments[0]} details`)[arguments[1]];
      for (const e of d.querySelectorAll(".more")) while (e.style.display !== "none") e.click();""", part, chart)
    return b.js("""return [...document.querySelectorAll(`#node-${arguments[0]} details`)[arguments[1]].querySelectorAll("tbody tr")]
      .map(tr => [...tr.cells].map(td => td.dataset.value))""", part, chart)


def look_at_values(b):
    for part, chart, what, names, state in (("copies", 1, "copy", None, "cold"), ("granules", 1, "granules", None, "unequal"),
                                            ("memory", 0, "memory", ["copy"], None)):
        found = values(b, part, chart)
        if what == "memory":
            expected = [(x, y) for s in ("close", "spread") for x, y in curve("memory", "copy", s)["points"]]
            check(f"values of {part}", sorted((float(r[1]), float(r[2])) for r in found), sorted(map(tuple, expected)))
            continue
        numa = (0, 0) if what == "copy" else (None, None)
        for name in {r[0] for r in found} - {"the fastest kernel"}:
            check(f"values of {part}, {name}", [[float(r[1]), float(r[2])] for r in found if r[0] == name],
                  curve(what, name, state, *numa)["points"])
        check(f"unknown spreads of {part}", None in [r[3] for r in found], what == "copy")


def look_at_drawing(b):
    marks = b.js("""return [...document.querySelectorAll("#node-copies .lines")].map(f => [...f.querySelectorAll(":scope > svg .line")]
      .map(g => [g.dataset.line, g.querySelectorAll(".mark").length, g.querySelectorAll(".whisker").length]))""")
    for lines in marks:
        found = {name: more for name, *more in lines}
        check("points and whiskers of the fastest", found["the fastest kernel"][0], 17)
        check("points and whiskers of memcpy", found["memcpy"], [17, sum((s or 0) > 0.05 for s in curve("copy", "memcpy", "hot", 0, 0)["spread"])])
    check("best kernels are named", "nt-pages-avx512" in b.js("""return [...document.querySelectorAll("#node-copies .labels text")].map(e => e.textContent)"""))
    check("and told", "Fastest: avx512 up to 1 MiB, nt-pages-avx512 from 2 MiB on." in text(b, "#node-copies figcaption"))
    check("the kernel of the libraries", text(b, "#node-copies .says").startswith("From 2 MiB on, nt-pages-avx512 is at least 5% faster"))
    # without colours: other dashes and other marks
    for part in ("copies", "memory", "beside", "granules", "packing"):
        keys = b.js("""return [...document.querySelectorAll(`#node-${arguments[0]} .lines`)].map(f => [...f.querySelectorAll(".key > svg")].map(
          s => getComputedStyle(s.querySelector(".way")).strokeDasharray + (s.querySelector(".mark") ? s.querySelector(".mark").getAttribute("d") : "")))""", part)
        check(f"{part}: lines differ without colours", all(len(k) == len(set(k)) for k in keys if k) and any(keys))
    check("each chart is told", b.js("""return [...document.querySelectorAll("#node .lines > svg")].every(
      s => s.getAttribute("aria-label").length > 30 && s.getAttribute("role") === "application" && s.tabIndex === 0)"""))
    check("cores have what was measured", b.js("""return [...document.querySelectorAll(".core")].map(e => e.innerText.split("\\n").slice(0, 3))""")[1],
          ["PU 1", "7.227 GB/s", "1.10% lost, 1.100 ms"])
    check("bars beside the fastest", [round(w, 2) for w in b.js("""return [...document.querySelectorAll(".core .bar")].map(e => parseFloat(e.style.width) / 100)""")],
          [round(1 - 0.01 * k, 2) for k in range(16)])


def look_at_choices(b):
    pick(b, "Use of memory", "read")
    check("rates of another use", b.js("return document.querySelector('.core span').textContent"), "10.10 GB/s")
    check("also of NUMA nodes", b.js("return [...document.querySelectorAll('.memory')].map(e => e.textContent)"),
          ["101.0 GB/s with all its cores", *["50.50 GB/s with all its cores"] * 2])
    pick(b, "Memory", "from NUMA node 1 to NUMA node 0")
    found = values(b, "copies", 0)
    check("from far memory", [float(r[2]) for r in found if r[0] == "memcpy"], ys(curve("copy", "memcpy", "hot", 0, 1)))
    pick(b, "Point out", "nt")
    check("a kernel is pointed out", b.js("return [...document.querySelectorAll('#node-copies .lines')].map(f => f.querySelectorAll('.l-2 .mark').length)"), [18, 18])
    pick(b, "Rate", "of the cores of NUMA node 1")
    check("memory of a NUMA node", text(b, "#node-memory figcaption"), "copy: rate of all busy cores. 8 cores copy 5.00 times as fast as one: 36.50 GB/s.")
    says = lambda: text(b, "#node-packing .says")
    check("the crossover is told", says(), "From blocks of 16 B on, the datatype is as fast as packing by the program. "
          "(Open MPI 4.1.4, data sent in blocks, messages of 128 KiB)")
    check("and marked", text(b, "#node-packing .note text"), "from 16 B on")
    pick(b, "Blocks", "both in blocks")
    check("there is none", says().startswith("Even at the largest blocks, the datatype is slower"))
    check("nor marked", b.js("return document.querySelectorAll('#node-packing .note').length"), 0)
    pick(b, "Blocks", "data sent in blocks")
    pick(b, "MPI", "MPICH 4.0.2")
    pick(b, "Messages of", "2 MiB")
    check("another MPI and size", "MPICH 4.0.2, data sent in blocks, messages of 2 MiB" in says())
    expected = [c for s in [crossover("MPICH 4.0.2", "send", n) for n in (512, 8192, 131072, 2097152)] for c in [str(s) if s else "Infinity"]]
    check("crossovers by size", [r[2] for r in rows(b, "#node-packing .charts > div")], expected)


def look_at_keys(b):
    focus(b, "#node-granules svg[tabindex]")
    press(b, Keys.ARROW_RIGHT)
    check("the first point", tip(b), "static\n1: 1.000 ms ± 1.0%, 7 samples")
    press(b, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    check("along, and to the next line", tip(b), "dynamic\n4: 1.028 ms ± 9.0%, 7 samples")
    check("it is marked", b.js("return document.querySelector('#node-granules .ring').style.display"), "")
    focus(b, ".node-host")
    check("nothing is left of that", tip(b), "")
    press(b, Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    check("cores by keys", tip(b).split("\n")[:2], ["PU 8, core 8", "copy alone: 6.716 GB/s"])
    check("also with one idle", "one core left idle: 1.30% lost to interruptions, longest 1.800 ms" in tip(b))
    check("the core is outlined", b.js("return document.querySelector('.core.same').dataset.pu"), "8")
    noisiest = "[data-noise='14'] svg"
    focus(b, noisiest)
    press(b, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    check("lengths by keys", tip(b), "PU 14, all cores working\nat least 1.414 us: 208 in 5.000 s, 41.6 a second")
    press(b, Keys.ARROW_DOWN)
    check("with one idle below", tip(b).split("\n")[0], "PU 14, PU 15 idle")
    check("as many as fit first", b.js("return document.querySelectorAll('[data-noise]').length"), 4)
    while b.js("return document.querySelector('#node-noise .more').style.display") != "none":
        b.js("document.querySelector('#node-noise .more').click()")
    check("then all of them", b.js("return document.querySelectorAll('[data-noise]').length"), 16)
    left, top, _, _ = b.box("#node-memory .lines > svg .mark")
    b.mouse("mouseMoved", left + 4, top + 4)
    check("hovering tells a point", tip(b), "neighbours first\n1: 7.300 GB/s ± 8.0%, 7 samples")


def look_at_widths(b, name):
    for width in (1280, 320):
        b.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False})
        b.wait(f"document.querySelector('#node .lines > svg').getBoundingClientRect().width < {width / 2 + 10 if width > 700 else width}")
        b.settle()
        what = f"{name} at {width}"
        check(f"{what}: no wider than the window", b.js("return document.documentElement.scrollWidth <= innerWidth"))
        right = b.js("return document.documentElement.clientWidth")
        for boxes in b.js(PICTURES.replace('"svg"', '"#node svg"')):
            check(f"{what}: texts don't overlap", overlaps(boxes), [])
            check(f"{what}: nor leave the window", [x for x in boxes if x[3] > right + 1], [])
        for theme in ("light", "dark"):
            b.media(prefers_color_scheme=theme)
            b.screenshot(f"{shots}/node-{name}-{width}-{theme}.png", width)
        b.media(prefers_color_scheme="light")
    b.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    b.settle()


def look_at_print(b):
    for paper in ((8.5, 11), (8.27, 11.69)):
        b.pdf(f"{shots}/node.pdf", paperWidth=paper[0], paperHeight=paper[1])
        found, beyond, small = printed(f"{shots}/node.pdf")
        check(f"nothing is cut off on {paper}", beyond, [])
        check(f"nothing is too small on {paper}", small, [])
        for what in ("The node", "Copies by one core", "Memory: from NUMA node 0 to itself.", "Rate: of all cores.", "MPI: Open MPI 4.1.4.",
                     "Use of memory: copy.", "From blocks of 16 B on", "PU 15"):
            check(f"'{what}' is printed", what in found)
        for what in ("Values", "show more", "Point out the"):
            check(f"'{what}' isn't printed", what not in found)


def look_at_both(b):
    b.open(f"{work}/both.html")
    check("types to choose", b.js("return [...document.getElementById('node-type').options].map(o => o.text)"), ["fat", "thin"])
    check("the choice is shown", b.js("return document.getElementById('node-type').offsetWidth > 0"))
    Select(b.driver.find_element(By.ID, "node-type")).select_by_visible_text("thin")
    b.settle()
    thin = load(f"{work}/both.json")["types"]["thin"]["node"]
    check("who is told", "1 host of type thin has ranks." in text(b, "#node-about"))
    check("cores of the other type", b.js("return document.querySelectorAll('.core').length"), 4)
    check("its values", [float(r[2]) for r in values(b, "copies", 0) if r[0] == "loop"], ys(curve("copy", "loop", "hot", 0, 0, of=thin)))
    check("no choice of one", b.js("return [...document.querySelectorAll('#node-copies label')].map(e => e.offsetWidth > 0)"), [False, True])
    check("no packing without a table", b.js("return document.getElementById('node-packing')"), None)
    check("no error with two types", b.errors(), [])


def look_at_odd(b):
    b.open(f"{work}/odd.html")
    check("some is left out", "The page has no room for" in text(b, "#node-about"))
    check("it isn't complete", "(incomplete)" in text(b, "#node-about"))
    check("no processor, no date", "berth calibrate node measured one (incomplete)." in text(b, "#node-about"))
    check("a part without values is told", "Nothing can be drawn." in text(b, "#node"))
    check("an unknown spread", "spread unknown" in b.js("""const s = document.querySelector("#node-memory svg[tabindex]"); s.focus();
      s.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"})); return document.getElementById("tip").textContent"""))
    for option in b.js("return [...document.querySelectorAll('#node-copies label:first-child option')].slice(0, 3).map(o => o.text)"):
        pick(b, "Memory", option)
    check("no error at the edge", b.errors(), [])


with Browser(1280, 900) as browser:
    browser.open(f"{work}/big.html")
    check("no error at the start", browser.errors(), [])
    check("the section is shown", browser.js("return document.getElementById('h-node').parentNode.hidden"), False)
    check("one type is no choice", browser.js("return document.getElementById('node-type').offsetWidth"), 0)
    nodes = browser.js("return report.nodes")
    check("one record", [(n["type"], n["hosts"], n["left_out"]) for n in nodes], [("fat", 1, 0)])
    for look in (look_at_curves, look_at_work, look_at_noise, look_at_packing, look_at_host):
        look(nodes[0])
    look_at_print(browser)
    look_at_drawing(browser)
    look_at_values(browser)
    look_at_keys(browser)
    look_at_widths(browser, "big")
    browser.open(f"{work}/big.html")
    look_at_choices(browser)
    check("no error", browser.errors(), [])
    look_at_both(browser)
    look_at_odd(browser)
    for name in ("plain", "unused"):
        browser.open(f"{work}/{name}.html")
        check(f"no section in {name}", browser.js("return document.getElementById('h-node').parentNode.hidden"), True)
        check(f"no error in {name}", browser.errors(), [])
finish()
