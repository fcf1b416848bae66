"""pictures.py FOLDER: the pictures in it, by their source, their pixels and their words."""
import collections, glob, json, math, os, re, sys
import xml.etree.ElementTree as xml

work = sys.argv[1]
failures = checks = 0


def check(what, found, expected=True):
    global failures, checks
    checks += 1
    if found != expected:
        failures += 1
        print(f"FAILED: {what}: found {str(found)[:400]}, expected {str(expected)[:400]}")


def pixels(path):
    """How many pixels of a PPM have each colour."""
    raw = re.match(rb"P6\s+\d+\s+\d+\s+255\s(.*)", open(path, "rb").read(), re.S)[1]
    return collections.Counter(zip(raw[0::3], raw[1::3], raw[2::3]))


def words(page):
    """[text, left, top, right, bottom] on a page, in the picture's units."""
    scale = 480 / float(re.match(r'<page width="([0-9.]+)"', page)[1])
    found = re.findall(r'<word xMin="([^"]*)" yMin="([^"]*)" xMax="([^"]*)" yMax="([^"]*)">([^<]*)<', page)
    return sorted({(w, *(round(float(v) * scale, 1) for v in box)) for *box, w in found})


def texts(path):
    return ["".join(e.itertext()) for e in xml.parse(path).iter("{http://www.w3.org/2000/svg}text")]


def rects(path):
    return [(e.get("class"), *(float(e.get(k)) for k in ("x", "y", "width", "height")))
            for e in xml.parse(path).iter("{http://www.w3.org/2000/svg}rect")]


def data_of(name):
    text = open(f"{work}/{name}.html", encoding="utf-8").read()
    begin = text.index('<script type="application/json" id="data">') + 42
    return json.loads(text[begin:text.index("</script>", begin)])


def seconds(value):
    unit, times = next((u, t) for u, t in (("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9))
                       if value * t >= 1 or u == "ns")
    value *= times
    return f"{value:.{0 if value >= 999.5 else 1 if value >= 99.95 else 2 if value >= 9.995 else 3}f} {unit}"


def amount(value):
    units = iter(("B", "KiB", "MiB", "GiB"))
    unit = next(units)
    while value >= 1024:
        value, unit = value / 1024, next(units)
    return f"{value:.0f} B" if unit == "B" else \
        f"{value:.{0 if value >= 999.5 else 1 if value >= 99.95 else 2 if value >= 9.995 else 3}f} {unit}"


colours = {"cost": (29, 92, 158), "levels": (29, 92, 158), "sizes": (29, 92, 158),
           "tree": (194, 65, 12), "matrix": (0, 32, 81), "node": (29, 92, 158)}


def look_at_pixels(name, path):
    counts = pixels(path)
    check(f"{name} is on white", counts.get((255, 255, 255), 0) / sum(counts.values()) > 0.1)
    check(f"{name} isn't black", counts.get((0, 0, 0), 0) / sum(counts.values()) < 0.05)
    colour = colours[os.path.basename(path).split(".")[0].split("-")[0]]
    check(f"{name} has its colours", counts.get(colour, 0) > 0)


# every picture, however it came about
def look_at(path, page):
    name, source = os.path.relpath(path, work), open(path, encoding="utf-8").read()
    check(f"{name} has its colours itself", re.findall(r"var\(|--[a-z]|@media|url\(", source), [])
    width = float(re.search(r'viewBox="0 0 (\d+) ', source)[1])
    sizes = [float(s) for s in re.findall(r"font(?:-size)?:\s*([0-9.]+)px", source)]
    check(f"{name} can be read in a column of 8.5 cm",
          bool(sizes) and min(sizes) * 8.5 / 2.54 * 72 / width >= 6.5)
    found = words(page)
    height = float(re.search(r'viewBox="0 0 \d+ (\d+)', source)[1])
    check(f"{name} has words", len(found) > 3)
    check(f"{name} cuts no word off",
          [w for w in found if w[1] < 0 or w[2] < -2 or w[3] > width or w[4] > height + 2], [])
    upright = [w for w in found if w[4] - w[2] < 20]
    check(f"{name}: words beside each other",
          [(a, b) for i, a in enumerate(upright) for b in upright[i + 1:]
           if min(a[3], b[3]) - max(a[1], b[1]) > 2 and min(a[4], b[4]) - max(a[2], b[2]) > 5], [])
    drawn = f"{path[:-4]}.ppm"
    if os.path.exists(drawn):
        look_at_pixels(name, drawn)


for folder in sorted(glob.glob(f"{work}/*.words")):
    pages = re.findall(r"<page .*?</page>", open(folder, encoding="utf-8").read(), re.S)
    paths = sorted(glob.glob(f"{folder[:-6]}/*.svg"))
    n = 9 if os.path.basename(folder).startswith("node") else 8
    check(f"{folder} has a page for each picture", (len(pages), len(paths)), (n, n))
    for path, page in zip(paths, pages):
        look_at(path, page)

# what is shown, and the scale of trees: that of before and after, not of a dearer third
phases = {"phase-0": (0, 'phase 0 "halo", one of 100'), "phase-transpose": (1, 'phase 1 "transpose", one of 5'),
          "phase-all": (None, "all phases, with their repeats")}
for name, (phase, text) in phases.items():
    data = data_of(name)
    check(f"{name}: the page begins with it", data["phase"], phase)
    loads = [next(l for l in p["loads"] if l["phase"] == phase) for p in data["placements"]]
    dearest = [max(l["cost_s"]) for l in loads]
    check(f"{name}: a third is dearer", max(dearest) > max(dearest[data["before"]], dearest[data["after"]]))
    most = seconds(max(dearest[data["before"]], dearest[data["after"]]))
    for role in ("before", "after"):
        tree = " ".join(texts(f"{work}/{name}/tree-{role}.svg"))
        check(f"{name}: the tree {role} says its phase and scale", f"{text}; 100% is {most}" in tree)
        label = data["placements"][data[role]]["label"]
        check(f"{name}: the tree {role} says whose it is", tree.startswith(f"{role}: {label} "))
    sums = {}
    for k, cells in enumerate(data["pairs"]):
        if phase in (None, k):
            for s, d, b in zip(cells["src"], cells["dst"], cells["bytes"]):
                sums[s, d] = sums.get((s, d), 0) + b * (data["phases"][k]["repeats"] if phase is None else 1)
    for order in ("ranks", "before", "after"):
        found = texts(f"{work}/{name}/matrix-{order}.svg")
        check(f"{name}: the matrix by {order} says its phase", text in " ".join(found))
        check(f"{name}: its scale", {amount(min(sums.values())), amount(max(sums.values()))} <= set(found))
check("without --phase it is that of the page", texts(f"{work}/dearest/tree-after.svg"),
      texts(f"{work}/phase-{[0, 'transpose'][data_of('dearest')['phase']]}/tree-after.svg"))

# bands are as wide as their elements, also where a percentage stands on them, which is in the middle
tree = f"{work}/phase-0/tree-after.svg"
shares = [(float(e.get("x")), float(e.get("y"))) for e in xml.parse(tree).iter("{http://www.w3.org/2000/svg}text")
          if e.text.endswith("%") and len(e.text) < 7]
bands = [r for r in rects(tree) if re.fullmatch(r"c\d+", r[0])]
check("there are percentages", len(shares) > 8)
check("bands are as wide as their elements", [(x, y) for x, y in shares if not any(
    abs(b[1] + b[3] / 2 - x) < 0.1 and b[2] - 18 <= y <= b[2] + b[4] + 18 for b in bands)], [])

# axes: ranks, or the hosts that they are on
hosts = [f"h{i}" for i in range(8)]
for order in ("before", "after"):
    found = texts(f"{work}/phase-0/matrix-{order}.svg")
    check(f"hosts at both axes, {order}", [found.count(h) for h in hosts], [2] * 8)
    check(f"axes are named, {order}", {"from rank, at its host", "to rank, at its host"} <= set(found))
found = texts(f"{work}/phase-0/matrix-ranks.svg")
check("axes of ranks", {"from rank", "to rank"} <= set(found) and found.count("14") == 2)

# names
check("mappings of one file name", {"before: linear", "a/m.json", "after: b/m.json"} <=
      set(texts(f"{work}/names/cost.svg")))
tree = " ".join(texts(f"{work}/long/tree-after.svg"))
check("a long name is whole", "a long name, made by greedy for the paper of 2027.json loads" in tree)
check("both ends of it beside bars", any(t.startswith("after: a mapping with") and t.endswith("2027.json")
                                         for t in texts(f"{work}/long/cost.svg")))

sources = [open(f, encoding="utf-8").read() for f in sorted(glob.glob(f"{work}/odd/*.svg"))]
check("only what is no text is replaced", sum(t.replace("\ufffd\ufffd.json", "").count("\ufffd") for t in sources), 0)
whole = re.sub("é é", "éé", " ".join(texts(f"{work}/odd/tree-after.svg")))
check("a port's name is whole, and what follows", f"bottleneck: downlink of {'é' * 124}, at C, " in whole)

# amounts
check("large counts", "2,304,000 (100.0%)" in texts(f"{work}/stencil/sizes.svg"))
found = rects(f"{work}/one/matrix-ranks.svg")
check("one amount has one colour", [r[0] for r in found if re.fullmatch(r"c\d+", r[0])], ["c11"])

# the curves of a node: as many points as the record has, each where its value is
record = json.load(open(f"{work}/big.json", encoding="utf-8"))["types"]["fat"]["node"]
ways = [(e.get("class"), [tuple(map(float, p.split())) for p in re.split("[ML]", e.get("d"))[1:]])
        for e in xml.parse(f"{work}/node/node.svg").iter("{http://www.w3.org/2000/svg}path") if re.fullmatch(r"l\d", e.get("class"))]
drawn = [points for name, points in ways if len(points) > 2]
expected = {name: next(c["points"] for c in record["curves"] if (c["what"], c["name"], c["state"]) == key and c.get("core_numa") in (0, None))
            for name, key in (("memcpy", ("copy", "memcpy", "hot")), ("close", ("memory", "copy", "close")))}
check("lines of a node", [len(points) for points in drawn], [17, 17, 17, 17, 8, 8, 8] + [8] * 4)
for name, points, scale in (("memcpy", drawn[1], math.log), ("close", drawn[4], float)):
    x, y = ([scale(p[k]) for p in expected[name]] for k in (0, 1))
    slope = lambda values, at, k: {round((at[i + 1][k] - at[i][k]) / (values[i + 1] - values[i]) / (at[-1][k] - at[0][k]) * (values[-1] - values[0]), 3)
                                   for i in range(len(at) - 1) if values[i + 1] != values[i]}
    check(f"{name} stands where its values are", [slope(x, points, 0), slope(y, points, 1)], [{1}, {1}])
found = texts(f"{work}/node/node.svg")
check("texts of a node", {"copies by one core, hot buffers", "n times one", "64 MiB", "100 GB/s", "busy cores",
                          "Open MPI 4.1.4: 128.0 KiB in blocks, times a contiguous one"} <= set(found))
check("no values without a curve", texts(f"{work}/node-odd/node.svg").count("nothing was measured"), 3)
check("no picture without a record", os.path.exists(f"{work}/one/node.svg"), False)
print(f"{checks - failures} of {checks} checks passed")
sys.exit(failures > 0)
