"""Takes the picture of the report for the documentation, docs/img/report.png. Needs chromium and chromedriver."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from selenium import webdriver

import sabna

TARGET = Path(__file__).parents[1] / "img" / "report.png"
WIDTH, HEIGHT = 1240, 1180
# The variable that is chosen in the picture.
CHOSEN = "leaf damage"


def main() -> None:
    """Learn, write the report, open it, choose a variable, take the picture."""
    folder = Path(tempfile.mkdtemp())
    sabna.learn("example:greenhouse").save(folder / "report.html")
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/user"):
        options.add_argument(flag)
    with webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver"))) as browser:
        metrics = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        browser.get((folder / "report.html").as_uri())
        node = browser.find_element("css selector", f'.node[aria-label="{CHOSEN}"]')
        browser.execute_script("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", node)
        browser.execute_script("document.activeElement.blur(); scrollTo({top: 0, behavior: 'instant'})")
        TARGET.write_bytes(browser.get_screenshot_as_png())
    print(f"{TARGET}: {TARGET.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
