"""speed.py LOADS FOLDER NAME…: how soon and how smoothly FOLDER/NAME.html is shown; screenshots."""
import statistics, sys
from chromium import Browser

loads, folder, names = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
with Browser() as b:
    print(b.driver.capabilities["browserName"], b.driver.capabilities["browserVersion"])
    for name in names:
        ready = []
        for _ in range(loads):
            b.open(f"{folder}/{name}.html")
            ready.append(b.js("return performance.getEntriesByName('berth-interactive')[0].startTime"))
        print(f"{name:8} interactive after {statistics.median(ready):.0f} ms "
              f"({min(ready):.0f} to {max(ready):.0f})")
        for what, selector in (("matrix", "#matrix-1 canvas"),
                               ("tree", '.tree-of[data-role="before"] canvas')):
            b.box(selector)
            frames = b.frames(selector, 60)
            print(f"{name:8} zooming the {what}: a frame every {statistics.median(frames):.1f} ms, "
                  f"nine of ten within {frames[len(frames) * 9 // 10]:.1f} ms")
            drawn = b.js("""const t = []; for (let i = 0; i < 20; i++) { const a = performance.now();
              drawings[arguments[0]](); t.push(performance.now() - a); } return t""",
              {"matrix": 1, "tree": 2}[what])
            print(f"{name:8} drawing the {what}: {statistics.median(drawn):.1f} ms")
        for colours in ("light", "dark"):
            b.media(prefers_color_scheme=colours)
            b.screenshot(f"{folder}/{name}-{colours}.png")
        b.media(prefers_color_scheme="light")
