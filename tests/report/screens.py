"""screens.py FOLDER SCREENSHOTS: pages of 16, 960 and 4,096 ranks on screens of three widths."""
import sys
from chromium import Browser
from looks import check, finish, narrow

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

# The same of pictures' texts, by picture.
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
    for boxes in b.js(PICTURES):
        check(f"{what}: texts of pictures don't overlap", overlaps(boxes), [])
        check(f"{what}: nor do they leave the window", [x for x in boxes if x[3] > width], [])
    check(f"{what}: what is wider than the page scrolls by itself", b.js("""
      return [...document.querySelectorAll("table")].filter(t =>
        t.getBoundingClientRect().width > t.parentNode.clientWidth + 1 &&
        getComputedStyle(t.parentNode).overflowX !== "auto").length"""), 0)
    check(f"{what}: rows of tables are low", b.js("""return [...document.querySelectorAll("#placements tr, #ranks tr")]
      .map(e => e.getBoundingClientRect().height).filter(h => h > 50)"""), [])


with Browser() as browser:
    for name in sys.argv[3:]:
        browser.open(f"{work}/{name}.html")
        for width in (1400, 800, 400):
            narrow(browser, width)
            look(browser, name, width)
        check(f"{name}: no error", browser.errors(), [])
finish()
