"""The watch page: its HTTP side by default, its face in a real browser."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sabna
from sabna.base.progress import ProgressReport
from sabna.report.watching import Watch, WatchServer
from tests.report.test_browser import browser, find  # noqa: F401

PARENTS = {"a": (), "b": ("a",)}


def report(seconds: float, lower: float, upper: float) -> ProgressReport:
    return ProgressReport(
        {
            "station": "search",
            "seconds": seconds,
            "lower_bound": lower,
            "upper_bound": upper,
            "best_parents": lambda: PARENTS,
        }
    )


@pytest.fixture
def server() -> Iterator[WatchServer]:
    with WatchServer(Watch("data <b>.csv", workers=2)) as started:
        yield started


def ask(
    server: WatchServer, path: str, method: str = "GET", headers: dict[str, str] | None = None
) -> tuple[int, str, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request(method, path, headers=headers or {})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text, answer.headers


def test_the_state_is_what_was_reported(server: WatchServer) -> None:
    server.watch.hear(report(0.5, 90.0, 120.0))
    server.watch.hear(report(1.5, 95.0, 110.0))
    status, text, headers = ask(server, f"/{server.token}/state")
    state = json.loads(text)
    assert status == 200
    assert headers["Cache-Control"] == "no-store"
    assert state["points"] == [[0.5, 90.0, 120.0], [1.5, 95.0, 110.0]]
    assert (state["status"], state["station"], state["lower_bound"], state["workers"]) == ("running", "search", 95.0, 2)
    assert 'data-from="0" data-to="1"' in state["drawing"]
    page = ask(server, f"/{server.token}/")[1]
    assert "data &lt;b&gt;.csv" in page
    assert "<b>" not in page


def test_a_wrong_token_is_refused(server: WatchServer) -> None:
    for path in ("/", "/state", "/x/state", f"/{server.token[:-1]}/state", f"/{server.token}x/", "/%00/", "//"):
        status, text, _ = ask(server, path)
        assert status == 403, path
        assert server.token not in text
    assert ask(server, "/x/stop", "POST", {"X-Sabna": "stop"})[0] == 403
    assert not server.watch.stopping


def test_another_name_for_this_machine_is_refused(server: WatchServer) -> None:
    """A page elsewhere could have its own name point here."""
    assert ask(server, f"/{server.token}/", headers={"Host": f"evil.example:{server.port}"})[0] == 403
    assert ask(server, f"/{server.token}/", headers={"Host": f"localhost:{server.port}"})[0] == 200


def test_it_listens_on_this_machine_only(server: WatchServer) -> None:
    assert server._server.server_address[0] == "127.0.0.1"


def test_stop_needs_the_header_and_ends_the_run_at_its_next_report(server: WatchServer) -> None:
    stop = f"/{server.token}/stop"
    assert ask(server, stop)[0] == 404
    assert ask(server, stop, "POST")[0] == 404
    server.watch.hear(report(1.0, 1.0, 2.0))
    assert ask(server, stop, "POST", {"X-Sabna": "stop"})[0] == 200
    assert json.loads(ask(server, f"/{server.token}/state")[1])["stopping"]
    with pytest.raises(KeyboardInterrupt):
        server.watch.hear(report(1.0, 1.0, 2.0))


def test_the_report_is_there_when_the_run_has_ended(server: WatchServer) -> None:
    assert ask(server, f"/{server.token}/report")[0] == 404
    result = sabna.learn("example:asia")
    ask(server, f"/{server.token}/state")
    server.watch.end(result)
    assert json.loads(ask(server, f"/{server.token}/state")[1])["status"] == "optimal"
    waiting = threading.Thread(target=server.wait_for_reader)
    waiting.start()
    assert "Bayesian network" in ask(server, f"/{server.token}/report")[1]
    waiting.join(5)
    assert not waiting.is_alive()


def test_nobody_is_waited_for_where_nobody_watches(server: WatchServer) -> None:
    server.watch.end(None, "no such file")
    began = time.monotonic()
    server.wait_for_reader()
    assert time.monotonic() - began < 5


def test_many_reports_stay_small() -> None:
    watch = Watch("x")
    for k in range(5000):
        watch.hear(report(float(k), k / 2, 5000.0))
    points = watch.state()["points"]
    assert len(points) <= 601
    assert points[0][0] == 0.0
    assert points[-1][0] == 4999.0


def test_a_run_of_start_can_be_watched() -> None:
    run = sabna.start("example:asia")
    url = run.watch()
    result = run.result()
    port, token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([\w-]+)/", url).groups()  # type: ignore[union-attr]
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=20)
    connection.request("GET", f"/{token}/state")
    assert json.loads(connection.getresponse().read())["status"] == result.status
    assert run.watch() == url


def hard_table(path: Path) -> Path:
    """Scored at once under aic with few parents, and searched longer than anyone waits here."""
    values = np.random.default_rng(0).integers(0, 2, (100, 40))
    names = ",".join(f"V{k}" for k in range(40))
    np.savetxt(path, values, fmt="%d", delimiter=",", header=names, comments="")
    return path


@pytest.mark.browser
def test_the_page_opens_updates_stops_and_goes_on_to_the_report(browser: Any, tmp_path: Path) -> None:  # noqa: F811
    from selenium.webdriver.support.ui import WebDriverWait

    data, out = hard_table(tmp_path / "hard.csv"), tmp_path / "out.json"
    code = "from sabna.cli import main; main()"
    command = [
        sys.executable,
        "-c",
        code,
        "learn",
        str(data),
        "--watch",
        "-o",
        str(out),
        "--json",
        "--score",
        "aic",
        "--max-parents",
        "3",
    ]
    command += ["--time-limit", "120"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert running.stderr is not None
        url = ""
        while not url:
            line = running.stderr.readline()
            url = (re.search(r"http://127\.0\.0\.1:\d+/[\w-]+/", line) or [""])[0]
        browser.get(re.sub(r"/[\w-]+/$", "/wrong-token/", url))
        assert "not that of the run" in find(browser, "body").text
        browser.get(url)
        wait = WebDriverWait(browser, 60)
        wait.until(
            lambda page: find(page, "#status").text == "running" and page.find_elements("css selector", "#plot path")
        )
        wait.until(lambda page: page.find_elements("css selector", "#graph .node"))
        first = find(browser, "#seconds").text
        wait.until(lambda page: find(page, "#seconds").text != first)
        find(browser, "#stop").click()
        wait.until(lambda page: page.current_url.endswith("/report"))
        wait.until(lambda page: "Bayesian network" in page.title)
        assert len(browser.find_elements("css selector", "#graph .node")) == 40
        printed, _ = running.communicate(timeout=60)
    finally:
        running.kill()
    document = json.loads(printed)
    assert document["status"] == "interrupted"
    assert running.returncode == 130
    assert len(sabna.read_result(out).network.variables) == 40


@pytest.mark.browser
def test_on_a_phone_the_newest_part_of_the_gap_is_in_view(server: WatchServer, browser: Any) -> None:  # noqa: F811
    """Once the first seconds were, and the rest had to be scrolled to."""
    from selenium.webdriver.support.wait import WebDriverWait

    for second in range(5):
        server.watch.hear(report(float(second), 90.0 + second, 120.0 - second))
    phone = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    try:
        browser.get(f"http://127.0.0.1:{server.port}/{server.token}/")
        WebDriverWait(browser, 30).until(lambda page: page.find_elements("css selector", "#plot path"))
        place = (
            "const box = document.getElementById('plot').parentElement;"
            "return [box.scrollLeft + box.clientWidth, box.scrollWidth]"
        )
        seen, whole = browser.execute_script(place)
        assert seen >= whole - 1
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
