"""What the browser's tests share: checks, and how they look at the page."""
import sys
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
