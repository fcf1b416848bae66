"""screens.py FOLDER SCREENSHOTS: pages of 16, 960 and 4,096 ranks on screens of three widths."""
import re, sys
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from chromium import Browser
from looks import PICTURES, check, choose, finish, narrow, overlaps, tip

work, shots = sys.argv[1:3]

# Boxes of the texts that the trees' canvases draw, [text, left, top, right, bottom]; with the colours beside
# each at four points that lie above and below its middle.
CANVAS = """
  const drawn = [], fill = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function(text, x, y) {
    fill.call(this, text, x, y);
    const w = this.measureText(text).width;
    const from = x - {left: 0, center: w / 2, right: w}[this.textAlign];
    drawn.push({canvas: this.canvas, box: [text, from, y - 6, from + w, y + 6]});
  };
  drawEverything();
  CanvasRenderingContext2D.prototype.fillText = fill;
  const s = sharpness.value;
  return [...document.querySelectorAll(".tree-of canvas")].map(canvas => {
    const copy = document.createElement("canvas"), pen = copy.getContext("2d", {willReadFrequently: true});
    copy.width = canvas.width;
    copy.height = canvas.height;
    pen.drawImage(canvas, 0, 0);
    const at = (x, y) => pen.getImageData(Math.round(x * s), Math.round(y * s), 1, 1).data.join();
    return {width: canvas.width / s, texts: drawn.filter(d => d.canvas === canvas).map(({box}) => {
      const [text, left, top, right, bottom] = box;
      return {box, ground: [left - 1, right + 1].flatMap(x => [top + 2, bottom - 2].map(y => at(x, y)))};
    })};
  });"""

def look(b, name, width):
    what = f"{name} at {width}"
    check(f"{what}: no wider than the window", b.js(
        "return document.documentElement.scrollWidth <= innerWidth"))
    trees = b.js(CANVAS)
    check(f"{what}: there are names", all(len(t["texts"]) > 10 for t in trees))
    for t in trees:
        boxes = [x["box"] for x in t["texts"]]
        check(f"{what}: names in trees don't overlap", overlaps(boxes), [])
        check(f"{what}: nor are they cut off", [x for x in boxes if x[1] < 0 or x[3] > t["width"] + 1], [])
        check(f"{what}: shares stand on one colour", [x["box"][0] for x in t["texts"]
              if x["box"][0].endswith("%") and len(set(x["ground"])) > 1], [])
    right = b.js("return document.documentElement.clientWidth")
    for boxes in b.js(PICTURES):
        check(f"{what}: texts of pictures don't overlap", overlaps(boxes), [])
        check(f"{what}: nor do they leave the window", [x for x in boxes if x[3] > right], [])
    check(f"{what}: what is wider than the page scrolls by itself", b.js("""
      return [...document.querySelectorAll("table")].filter(t =>
        t.getBoundingClientRect().width > t.parentNode.clientWidth + 1 &&
        getComputedStyle(t.parentNode).overflowX !== "auto").length"""), 0)
    check(f"{what}: rows of tables are low", b.js("""return [...document.querySelectorAll("#placements tr, #pairs tr, #ranks tr")]
      .map(e => e.getBoundingClientRect().height).filter(h => h > 50)"""), [])


# Of each picture of ranks on hosts: each rank's number, host and whether the number fits its box.
PLACES = """
  return [...document.querySelectorAll(".places-of")].map(p => ({
    role: p.dataset.role,
    wide: [...p.querySelectorAll(".hosts")].some(e => e.scrollWidth > e.clientWidth),
    ranks: [...p.querySelectorAll("[data-rank]")].map(e => [
      Number(e.dataset.rank), e.textContent, e.closest(".host").querySelector(".title").textContent,
      e.scrollWidth <= e.clientWidth && e.getBoundingClientRect().right <= e.closest(".host").getBoundingClientRect().right,
      e.dataset.group, getComputedStyle(e).backgroundColor])}));"""


def luminance(colour):
    linear = [(v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4)
              for v in (int(x) / 255 for x in re.findall(r"\d+", colour)[:3])]
    return sum(a * b for a, b in zip((0.2126, 0.7152, 0.0722), linear))


def look_at_places(b, name, width):
    what = f"{name} at {width}: ranks on hosts"
    b.js("document.querySelectorAll('#places .more').forEach(e => e.click())")
    host = b.js("""return Object.fromEntries(["before", "after"].map(role => {
      const p = report.placements[shown[role]];
      return [role, p.host_of_rank.map(h => report.machine.hosts[h])] }))""")
    pictures = b.js(PLACES)
    check(f"{what}, before and after", [p["role"] for p in pictures], ["before", "after"])
    for p in pictures:
        found = sorted((r[0], r[2]) for r in p["ranks"])
        check(f"{what}: each rank once, {p['role']}", found, list(enumerate(host[p["role"]])))
        check(f"{what}: numbers are in their boxes", [r[:2] for r in p["ranks"] if str(r[0]) != r[1] or not r[3]], [])
        check(f"{what}: no wider than there is room", p["wide"], False)
    for theme in ("light", "dark"):
        b.media(prefers_color_scheme=theme)
        colours = {r[5] for p in b.js(PLACES) for r in p["ranks"]}
        ink = luminance(b.js("return getComputedStyle(document.querySelector('[data-group]')).color"))
        check(f"{what}: numbers can be read, {theme}", [c for c in colours if (luminance(c) + 0.05) / (ink + 0.05) < 4.5], [])
    b.media(prefers_color_scheme="light")


def look_at_groups(b, name):
    """What ranks have in common after is their group, whose colour they have before, too."""
    groups = b.js("""return [...document.getElementById("group-level").options].map(o => o.value)""")
    for level in groups:
        choose(b, "group-level", level)
        pictures = b.js(PLACES)
        before, after = ({r[0]: r[4:] for r in p["ranks"]} for p in pictures)
        check(f"{name}: groups are the same before, level {level}", before, after)
        element = b.js("""return report.placements[shown.after].pu_of_rank.map(pu => report.machine.element.findIndex(
          (e, i) => report.machine.depth[i] === Number(arguments[0]) && pu >= report.machine.first_pu[i] &&
          pu < report.machine.first_pu[i] + report.machine.n_pus[i]))""", level)
        check(f"{name}: they are elements, level {level}", {r: int(v[0]) for r, v in after.items()}, dict(enumerate(element)))
        few = len(set(element)) <= 8
        check(f"{name}: a colour each, level {level}", not few or len({v[1] for v in after.values()}) == len(set(element)))
        check(f"{name}: explained, level {level}", b.js("return document.querySelectorAll('#groups i').length"),
              len(set(element)) if few else 0)
    left, top, _, _ = b.box('.places-of[data-role="before"] [data-rank="3"]')
    b.mouse("mouseMoved", left + 3, top + 3)
    check(f"{name}: the group of a rank is outlined", sorted(b.js(
        "return [...document.querySelectorAll('.places-of[data-role=\"after\"] .same')].map(e => Number(e.dataset.rank))")),
          [r for r, e in enumerate(element) if e == element[3]])
    check(f"{name}: and named", [tip(b).startswith("rank 3\nbefore: "), "group: " in tip(b)], [True, True])


def look_at_lists(b, name):
    """What clicks list fits a phone, too."""
    left, top, width, _ = b.box("#matrix-0 canvas")
    b.click(left + width * 0.3, top + width * 0.3 + 2)
    check(f"{name}: a cell lists", b.js("return document.querySelectorAll('#pair h3').length"), 1)
    b.box('.tree-of[data-role="before"] canvas')
    b.js("document.querySelector(arguments[0]).focus()", '.tree-of[data-role="before"] canvas')
    ActionChains(b.driver).send_keys(Keys.ARROW_UP, Keys.ENTER).perform()
    b.settle()
    bottleneck = b.js("""const c = report.placements[shown.before].phases[shown.phase].bottleneck.text;
      return `${c}, under ${report.placements[shown.before].label}`""")
    check(f"{name}: the bottleneck lists", b.js("return document.querySelector('#port h3').textContent"), bottleneck)
    check(f"{name}: its call sites", b.js("""return document.querySelectorAll("#port > div:first-of-type tbody tr").length > 0
      && d3.sum([...document.querySelectorAll("#port > div:first-of-type tbody tr")], tr => Number(tr.cells[3].dataset.value))"""), 1)
    check(f"{name}: rows of pairs are low", b.js("""return [...document.querySelectorAll("#port > div:last-of-type tr")]
      .map(e => e.getBoundingClientRect().height).filter(h => h > 50)"""), [])
    check(f"{name}: lists are no wider than the window", b.js("return document.documentElement.scrollWidth <= innerWidth"))


def look_at_host(b):
    """A host without parts, whose PUs have two ranks or none."""
    check("ranks on one host", [[r[1] for r in p["ranks"]] for p in b.js(PLACES)], [["1", "3", "0", "2"]])
    check("PUs", b.js("return [...document.querySelectorAll('.pu')].map(e => e.children.length)"), [2, 0, 2])
    check("a free PU", b.js("return document.querySelectorAll('.pu')[1].title"), "PU 1: free")
    check("there are no groups to choose", b.js(
        "return [...document.querySelectorAll('#group-level, #group-hint')].some(e => e.offsetWidth > 0)"), False)


def look_at_nothing(b):
    """One rank that sends nothing: sections without data say so."""
    text = lambda selector: b.js("return document.querySelector(arguments[0]).textContent", selector)
    check("alone: the head", "1 rank on" in text("#run") and "no messages between ranks" in text("#run"))
    check("alone: no share of nothing", text("#scattered"), "")
    check("alone: sizes", text("[aria-labelledby=h-sizes]").count("no messages"), 2)
    check("alone: pairs", "No messages between ranks." in text("#pairs"))
    check("alone: no error", b.errors(), [])


# How many times a canvas is larger than at first.
SCALE = "return document.querySelector(arguments[0]).__zoom.k"
SEEN = "return getComputedStyle(document.querySelector(arguments[0])).display !== 'none'"


def look_at_phone(b, name):
    """One finger scrolls the page wherever it begins, two zoom a drawing; tips don't stay behind."""
    b.touch_screen(390, 844)
    b.open(f"{work}/{name}.html")
    for selector, section in (("#matrix-0 canvas", "h-matrix"), ('.tree-of[data-role="before"] canvas', "h-tree")):
        what = f"{name} on a phone, {selector}"
        left, top, width, height = b.box(selector)
        x, y = left + width * 0.6, top + height * 0.6
        b.fingers([(x, y)])
        check(f"{what}: a tap doesn't zoom", b.js(SCALE, selector), 1)
        left, top, width, height = b.box(selector)
        x, y = left + width * 0.6, top + height * 0.6
        b.js("tip.show('what is under the finger', arguments[0], arguments[1])", x, y)
        was = b.js("return scrollY")
        b.fingers([(x, y - 12 * k) for k in range(16)])
        b.wait(f"scrollY > {was + 100} || performance.now() - (window.since = window.since || performance.now()) > 3000")
        check(f"{what}: a swipe scrolls the page", b.js("return scrollY") > was + 100)
        b.settle()
        check(f"{what}: the tip is gone", tip(b), "")
        check(f"{what}: a swipe doesn't zoom", b.js(SCALE, selector), 1)
        left, top, width, height = b.box(selector)
        x, y, was = left + width / 2, top + height / 2, b.js("return scrollY")
        b.fingers([(x - 10 - 8 * k, y) for k in range(10)], [(x + 10 + 8 * k, y) for k in range(10)])
        check(f"{what}: two fingers zoom", b.js(SCALE, selector) > 2)
        check(f"{what}: and don't scroll", b.js("return scrollY"), was)
        for kind, seen in ((".fingers", True), (".pointer", False)):
            check(f"{what}: hints {kind}", b.js(SEEN, f"[aria-labelledby={section}] {kind}"), seen)
    check(f"{name} on a phone: no error", b.errors(), [])
    b.no_touch_screen()
    b.open(f"{work}/{name}.html")
    for kind, seen in ((".fingers", False), (".pointer", True)):
        check(f"{name} with a mouse: hints {kind}", b.js(SEEN, f"[aria-labelledby=h-matrix] {kind}"), seen)


with Browser() as browser:
    browser.open(f"{work}/host.html")
    look_at_host(browser)
    browser.open(f"{work}/alone.html")
    look_at_nothing(browser)
    look_at_phone(browser, "ranks-16")
    for name in sys.argv[3:]:
        browser.open(f"{work}/{name}.html")
        for width in (1400, 800, 400):
            narrow(browser, width)
            look(browser, name, width)
            look_at_places(browser, name, width)
        look_at_lists(browser, name)
        narrow(browser, 1400)
        look_at_groups(browser, name)
        check(f"{name}: no error", browser.errors(), [])
        for width in (1400, 800, 400):
            for theme in ("light", "dark"):
                browser.media(prefers_color_scheme=theme)
                browser.screenshot(f"{shots}/{name}-{width}-{theme}.png", width)
        browser.media(prefers_color_scheme="light")
finish()
