"""What the browser's tests share: checks, and how they look at the page."""
import re, subprocess, sys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

failures = checks = 0


def check(what, found, expected=True):
    global failures, checks
    checks += 1
    if found != expected:
        failures += 1
        print(f"FAILED: {what}: found {str(found)[:400]}, expected {str(expected)[:400]}")


def finish():
    print(f"{checks - failures} of {checks} checks passed")
    sys.exit(failures > 0)


def text(b, selector):
    return b.js("return document.querySelector(arguments[0]).textContent", selector)


def tip(b):
    return b.js("const t = document.getElementById('tip'); return t.hidden ? '' : t.textContent")


def rows(b, table):
    """The exact values of a table's cells."""
    return b.js("""return [...document.querySelectorAll(arguments[0] + " tbody tr")].map(
      tr => [...tr.cells].map(td => td.dataset.value))""", table)


def choose(b, which, value):
    b.js("document.getElementById(arguments[0]).scrollIntoView({block: 'center'})", which)
    Select(b.driver.find_element(By.ID, which)).select_by_value(value)
    b.settle()


def narrow(b, width):
    """A window of that width."""
    b.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False})
    b.wait(f"document.querySelector('.tree-of canvas').getBoundingClientRect().width < {width}")
    b.settle()


def find_port(b, role, wanted):
    """Where in the canvas hovering says that a port is: its row first, then the place in it."""
    left, top, width, height = b.box(f'.tree-of[data-role="{role}"] canvas')
    kind = lambda name: re.sub(r" of (.)[^,]*, own end", r" \1", re.sub(r" of .*, at", " at", name))
    def at(x, y):
        b.mouse("mouseMoved", left + x * width, top + y)
        return tip(b).split("\n")[0]
    for y in range(8, int(height), 8):
        here = at(0.5, y)
        if not here or kind(here) != kind(wanted):
            continue
        for x in range(16, 100, 2):
            if at(x / 100, y) == wanted:
                return left + x / 100 * width, top + y
    check(f"a port {wanted} is found", False)
    return left, top


# Boxes of pictures' texts, [text, left, top, right, bottom], by picture.
PICTURES = """
  return [...document.querySelectorAll("svg")].map(svg => [...svg.querySelectorAll("text")].map(e => {
    const b = e.getBoundingClientRect();
    return [e.textContent, b.left, b.top + 2, b.right, b.bottom - 2];
  }).filter(b => b[3] > b[1]));"""


def overlaps(boxes):
    """Which of them overlap, by more than a pixel."""
    boxes = sorted(boxes, key=lambda b: b[1])
    found = []
    for i, a in enumerate(boxes):
        for b in boxes[i + 1:]:
            if b[1] > a[3] - 1:
                break
            if min(a[4], b[4]) - max(a[2], b[2]) > 1:
                found.append((a[0], b[0]))
    return found


def printed(path):
    """The text of a PDF; its words beyond a page's margin of 0.35 in; and those of less than 6.5 points,
    whose boxes are lower than 7.5."""
    run = lambda *more: subprocess.run(["pdftotext", *more, path, "-"], capture_output=True, text=True,
                                       check=True).stdout
    beyond, small = [], []
    for page in run("-bbox").split("<page ")[1:]:
        width = float(re.search(r'width="([0-9.]+)"', page)[1])
        for top, right, bottom, word in re.findall(
                r'yMin="([^"]*)" xMax="([^"]*)" yMax="([^"]*)">([^<]*)<', page):
            if float(right) > width - 25:
                beyond.append(word)
            if float(bottom) - float(top) < 7.5:
                small.append(word)
    return re.sub(r"\s+", " ", run("-raw")), beyond, small
