"""The report in a real browser: it opens without an error, answers to mouse and keyboard, runs nothing from the data.

Needs chromium and chromedriver (`make test-browser` installs them where it can).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.network.networks import asia, hell, large
from tests.report.results import made_up_result

pytestmark = pytest.mark.browser

# No sandbox inside containers; nothing that would reach for the network by itself.
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage "
    "--force-prefers-reduced-motion --window-size=1280,1000"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    chromium, driver = shutil.which("chromium") or shutil.which("chromium-browser"), shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("chromium and chromedriver are not installed; on Debian: apt-get install chromium chromium-driver")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('chromium')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with webdriver.Chrome(options=options, service=webdriver.ChromeService(driver)) as started:
        yield started


@pytest.fixture
def open_report(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Write the report of a network and open it; afterwards the console must be empty and no request gone out."""

    def open_it(network: Any, status: str = "optimal") -> Any:
        made_up_result(network, status).save(tmp_path / "report.html")
        browser.get_log("performance")
        browser.get((tmp_path / "report.html").as_uri())
        return browser

    yield open_it
    assert browser.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
    ours = [request["request"]["url"] for request in asked if request["documentURL"].startswith("file:")]
    assert ours, "the page itself"
    assert [url for url in ours if not url.startswith(("file:", "data:"))] == []


def find(browser: Any, selector: str) -> Any:
    return browser.find_element("css selector", selector)


def texts(browser: Any, selector: str) -> list[str]:
    return [element.text for element in browser.find_elements("css selector", selector)]


def test_a_click_shows_parents_children_and_table(open_report: Callable[..., Any]) -> None:
    page = open_report(asia())
    assert "No variable chosen" in find(page, "#detail").text
    find(page, ".node[aria-label=dysp]").click()
    detail = find(page, "#detail").text
    assert "dysp" in detail
    assert "bronc, either" in detail
    assert len(page.find_elements("css selector", "#detail .cpt tbody tr")) == 4
    assert texts(page, ".node.chosen") == ["dysp"]
    assert texts(page, ".node.parent") == ["bronc", "either"]
    find(page, "#detail a[data-select]").click()
    assert texts(page, ".node.chosen") == ["bronc"]


def test_keyboard_alone_is_enough(open_report: Callable[..., Any]) -> None:
    from selenium.webdriver.common.keys import Keys

    page = open_report(asia())
    for _ in range(30):
        page.switch_to.active_element.send_keys(Keys.TAB)
        if page.switch_to.active_element.get_attribute("data-node") is not None:
            break
    page.switch_to.active_element.send_keys(Keys.ENTER)
    (first,) = texts(page, ".node.chosen")
    assert first == "asia"
    page.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    assert texts(page, ".node.chosen") == ["tub"]
    page.switch_to.active_element.send_keys(Keys.ARROW_UP)
    assert texts(page, ".node.chosen") == ["asia"]
    before = find(page, "#graph svg").get_dom_attribute("viewBox")
    page.switch_to.active_element.send_keys("+")
    assert find(page, "#graph svg").get_dom_attribute("viewBox") != before
    page.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert texts(page, ".node.chosen") == []


def test_names_from_the_data_do_nothing(open_report: Callable[..., Any]) -> None:
    page = open_report(hell())
    page.execute_script("window.alert = () => { window.ran = true }")
    for node in page.find_elements("css selector", ".node"):
        page.execute_script("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", node)
        assert find(page, "#detail h3").text
    assert page.execute_script("return window.ran") is None
    assert len(page.find_elements("css selector", "script")) == 1


def test_zoom_drag_and_the_list_of_variables(open_report: Callable[..., Any]) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.support.select import Select

    page = open_report(large(), "time_limit")
    view = find(page, "#graph svg")
    seen = [view.get_dom_attribute("viewBox")]
    for action in (
        lambda: find(page, "#zoom-in").click(),
        lambda: ActionChains(page).drag_and_drop_by_offset(find(page, "#graph"), 60, 40).perform(),
        lambda: find(page, "#zoom-fit").click(),
    ):
        action()
        seen.append(view.get_dom_attribute("viewBox"))
    assert len(set(seen[:3])) == 3
    assert seen[3] == seen[0]
    assert texts(page, ".node.chosen") == []
    Select(find(page, "#chooser")).select_by_visible_text("V12")
    assert texts(page, ".node.chosen") == ["V12"]


def test_a_part_of_a_name_finds_a_variable_and_its_neighbours(open_report: Callable[..., Any]) -> None:
    from selenium.webdriver.common.keys import Keys

    page = open_report(large())
    metrics = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    find(page, "#finder").send_keys("v12" + Keys.ENTER)
    assert texts(page, ".node.chosen") == ["V12"]
    shown = {node.text for node in page.find_elements("css selector", ".node") if node.is_displayed()}
    assert shown == {"V12", *large().markov_blanket("V12")}
    assert find(page, "#focus").get_dom_attribute("aria-pressed") == "true"
    find(page, "#focus").click()
    assert len([node for node in page.find_elements("css selector", ".node") if node.is_displayed()]) > len(shown)
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_tables_sort(open_report: Callable[..., Any]) -> None:
    page = open_report(asia())
    head = find(page, "#locals thead th.number")
    head.click()
    values = [float(t.replace(",", "")) for t in texts(page, "#locals tbody .number")]
    assert values == sorted(values, reverse=True)
    head.click()
    assert [float(t.replace(",", "")) for t in texts(page, "#locals tbody .number")] == sorted(values)


@pytest.mark.parametrize("width", [360, 820, 1600])
def test_nothing_sticks_out_of_the_page(open_report: Callable[..., Any], width: int) -> None:
    for make in (hell, large):
        page = open_report(make())
        metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
        page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        assert page.execute_script("return document.documentElement.scrollWidth") <= width
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(open_report: Callable[..., Any], scheme: str) -> None:
    page = open_report(asia(), "time_limit")
    page.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    ratios = page.execute_script(CONTRAST)
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert min(ratio for _, ratio in ratios) >= 4.5, sorted(ratios, key=lambda r: r[1])[:3]


# Contrast of WCAG 2.1 between the colour of each text and the first opaque background behind it.
CONTRAST = """
const rgb = (c) => c.match(/[\\d.]+/g).map(Number);
const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
  .reduce((s, v, k) => s + v * [.2126, .7152, .0722][k], 0);
const back = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
  if (c.length < 4 || c[3] === 1) return c; } return [255, 255, 255]; };
return [...document.querySelectorAll("h1,h2,p,dt,dd,td,th,a:not(.node),button,pre,summary span")]
  .filter((e) => e.textContent.trim() && e.getClientRects().length).map((e) => {
    const a = light(rgb(getComputedStyle(e).color)), b = light(back(e));
    return [e.tagName + ": " + e.textContent.trim().slice(0, 30), (Math.max(a, b) + .05) / (Math.min(a, b) + .05)];
  });
"""


def test_everything_is_there_without_javascript(browser: Any, tmp_path: Path) -> None:
    made_up_result(asia()).save(tmp_path / "report.html")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get((tmp_path / "report.html").as_uri())
        assert texts(browser, ".node") == list(asia().variables)
        assert find(browser, ".node[aria-label=dysp]").get_dom_attribute("href") == "#v7"
        assert len(browser.find_elements("css selector", "#v7 .cpt tbody tr")) == 4
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_a_large_drawing_begins_readable_on_a_phone(browser: Any, tmp_path: Path) -> None:
    """Once 76 variables were specks, alone and in focus; and an address bar that went away undid what was zoomed."""
    from selenium.webdriver.common.keys import Keys

    network = large()
    result = made_up_result(network)
    result.save(tmp_path / "report.html")
    phone = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    try:
        browser.get((tmp_path / "report.html").as_uri())
        size = "return document.querySelector('.node text').getBoundingClientRect().height"
        assert browser.execute_script(size) > 7
        assert find(browser, "#part").is_displayed()
        shown = find(browser, "#graph svg").get_dom_attribute("viewBox")
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone | {"height": 740})
        assert find(browser, "#graph svg").get_dom_attribute("viewBox") == shown
        inside = """const at = document.querySelector('.node.chosen').getBoundingClientRect();
        const box = document.getElementById('graph').getBoundingClientRect();
        return at.left >= box.left && at.right <= box.right && at.top >= box.top && at.bottom <= box.bottom"""
        for name in network.variables[::9]:
            browser.execute_script(
                "const c = document.getElementById('chooser'); c.value = arguments[0];"
                "c.dispatchEvent(new Event('change'))",
                str(network.variables.index(name)),
            )
            assert browser.execute_script(inside), name
        drawn = "return [...document.querySelectorAll('.edge')].map((e) => e.getAttribute('d')).join()"
        before = browser.execute_script(drawn)
        name = max(network.variables, key=lambda v: len(network.markov_blanket(v)))
        find(browser, "#finder").send_keys(name, Keys.ENTER)
        boxes = browser.execute_script(
            "return [...document.querySelectorAll('.node.near .box')].map((n) => n.getBoundingClientRect().toJSON())"
        )
        assert len(boxes) == len(network.markov_blanket(name)) + 1
        assert min(box["height"] for box in boxes) > 15  # large enough to read and to tap
        assert not any(
            a["left"] < b["right"] and b["left"] < a["right"] and a["top"] < b["bottom"] and b["top"] < a["bottom"]
            for k, a in enumerate(boxes)
            for b in boxes[:k]
        )
        find(browser, "#focus").click()
        assert browser.execute_script(drawn) == before
        assert browser.find_elements("css selector", ".node[transform]") == []
        find(browser, "#zoom-fit").click()
        assert browser.execute_script(size) < 7
        assert not find(browser, "#part").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
