"""A Chromium without a window, by its driver; for pages in files."""
import base64, json, shutil, tempfile, time
from selenium import webdriver
from selenium.webdriver.chrome.service import Service


class Browser:
    """with Browser() as b: …; ends the browser in any case."""

    def __init__(self, width=1300, height=1000):
        options = webdriver.ChromeOptions()
        options.add_argument(f"--user-data-dir={tempfile.mkdtemp()}")
        options.add_argument(f"--window-size={width},{height}")
        # as root, with little shared memory, with no network services of its own
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                         "--disable-background-networking", "--no-first-run"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.size = width, height

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def open(self, path):
        """Loads a page and waits until it can be used."""
        self.driver.get(f"file://{path}")
        self.wait("document.documentElement.dataset.ready === 'true'")

    def wait(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not self.js(f"return {condition}"):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.02)

    def settle(self):
        """Until what was asked for is drawn."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")

    def media(self, **features):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": k.replace("_", "-"), "value": v} for k, v in features.items()]})

    def mouse(self, kind, x, y, **more):
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def touch_screen(self, width, height):
        """A phone's window, whose pointer is a finger. Holds for what is opened after it."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 2, "mobile": True})
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 5})

    def no_touch_screen(self):
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def fingers(self, *paths):
        """Puts a finger on the first point of each path, moves all of them together, lifts them."""
        for k, points in enumerate(zip(*paths)):
            self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {
                "type": "touchMove" if k else "touchStart",
                "touchPoints": [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]})
            self.settle()
        self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        self.settle()

    def box(self, selector):
        """Where an element is in the window: [left, top, width, height], scrolled to be seen."""
        return self.js("""const e = document.querySelector(arguments[0]);
          e.scrollIntoView({block: "center"});
          const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height];""", selector)

    def errors(self):
        """What the console has said since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def screenshot(self, path, width=None):
        """The whole page, in a window of that width."""
        frame = {"width": width or self.size[0], "height": self.size[1], "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", frame)
        self.settle()
        frame["height"] = min(self.js("return document.documentElement.scrollHeight"), 8000)
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", frame)
        self.settle()
        image = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": {
            "x": 0, "y": 0, "width": frame["width"], "height": frame["height"], "scale": 1}})
        with open(path, "wb") as file:
            file.write(base64.b64decode(image["data"]))
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.settle()

    def pdf(self, path, **more):
        pages = self.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True, **more})
        with open(path, "wb") as file:
            file.write(base64.b64decode(pages["data"]))

    def frames(self, selector, steps=30):
        """Zooms in and out over an element: the milliseconds between frames, sorted."""
        return sorted(self.driver.execute_async_script("""
          const [selector, steps, done] = arguments, e = document.querySelector(selector);
          const b = e.getBoundingClientRect(), times = [];
          let last = null, n = 0;
          const step = now => {
            if (last !== null) times.push(now - last);
            last = now;
            if (n++ === steps) { done(times); return; }
            e.dispatchEvent(new WheelEvent("wheel", {deltaY: n % steps < steps / 2 ? -60 : 60,
              clientX: b.left + b.width / 3, clientY: b.top + b.height / 3, bubbles: true,
              cancelable: true, view: window}));
            requestAnimationFrame(step);
          };
          requestAnimationFrame(step);""", selector, steps))


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)
