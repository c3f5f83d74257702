"""A run watched in the browser: one page, served on this machine only while the run lasts.

    watch = Watch("survey.csv")
    with WatchServer(watch) as server:
        print(server.url)                      http://127.0.0.1:PORT/TOKEN/
        result = learn(..., progress=watch.hear)
        watch.end(result)
        server.wait_for_reader()

The server listens on the loopback address, and answers only those who know the token in the address, which is drawn
anew for every run, and only under the names 127.0.0.1 and localhost, so that a page elsewhere on the web can neither
guess it nor reach it by a name of its own. Reading is all that anyone can do, but for one thing: `stop`, which ends the
run as Ctrl-C does, with the best network so far as its result.

The page asks for the state once a second and shows the gap over time, the best network so far and what is being done;
when the run has ended it goes on to the report, which then needs no server any more.
"""

from __future__ import annotations

import hmac
import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from sabna.base.limits import process_memory
from sabna.network import Network
from sabna.network.drawing import graph_svg
from sabna.report.page import asset, content_policy, render_page, style_sheet

if TYPE_CHECKING:
    from collections.abc import Callable

    from sabna.base.progress import ProgressReport
    from sabna.result.result import Result

LOOPBACK = "127.0.0.1"
# Points of the curve that the page is given; beyond them every second one is dropped.
MOST_POINTS = 600
# Seconds between two drawings of the network at least: a drawing takes time from the search.
BETWEEN_DRAWINGS = 2.0
# A page that has not asked for so many seconds is closed.
GONE_AFTER = 5.0
# Seconds that a page is given to fetch the report.
LAST_WAIT = 10.0


class Watch:
    """What is known of a run, for whoever watches it. `hear` is its progress callback."""

    def __init__(self, title: str, workers: int | None = None, interrupt: Callable[[], None] | None = None) -> None:
        self.title, self.workers, self._interrupt = title, workers, interrupt
        self.result: Result | None = None
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._report: ProgressReport | None = None
        self._points: list[tuple[float, float, float]] = []
        self._status, self._message = "running", ""
        self._drawing, self._drawn_at = "", -BETWEEN_DRAWINGS
        self._drawn_edges: dict[str, tuple[str, ...]] | None = None
        self._began = time.monotonic()
        self.asked = -GONE_AFTER  # when a page asked for the state last, on the monotonic clock
        self.fetched = threading.Event()  # the report

    def hear(self, report: ProgressReport) -> None:
        """Take a report; KeyboardInterrupt if the run is to stop."""
        with self._lock:
            self._report = report
            point = report.seconds, report.lower_bound, report.upper_bound
            if point[1] is not None and point[2] is not None:
                if len(self._points) >= MOST_POINTS:
                    del self._points[1::2]
                self._points.append((point[0], point[1], point[2]))
        if self._stopping.is_set() and self._interrupt is None:
            raise KeyboardInterrupt

    def stop(self) -> None:
        """End the run: as Ctrl-C does where `interrupt` can do that, otherwise at its next report."""
        again = self._stopping.is_set()
        self._stopping.set()
        if self._interrupt is not None and self.running and not again:
            self._interrupt()

    @property
    def stopping(self) -> bool:
        """Whether somebody asked for the end."""
        return self._stopping.is_set()

    def end(self, result: Result | None, message: str = "") -> None:
        """The run is over: its result, or what went wrong."""
        with self._lock:
            self.result = result
            self._status = "error" if result is None else result.status
            self._message = message

    @property
    def running(self) -> bool:
        """Whether the run goes on."""
        return self._status == "running"

    def state(self) -> dict[str, Any]:
        """All that the page shows, for JSON."""
        self.asked = time.monotonic()
        elapsed = self.asked - self._began
        with self._lock:
            report, points = self._report, list(self._points)
            state: dict[str, Any] = {"status": self._status, "message": self._message, "stopping": self.stopping}
        state["elapsed"] = elapsed
        state |= {
            "workers": self.workers,
            "memory": process_memory(),
            "points": points,
            "drawing": self._picture(report),
        }
        if report is not None:
            known = ("station", "seconds", "lower_bound", "upper_bound", "evaluated", "expanded", "stored")
            state |= {key: report[key] for key in known}
            state["share"] = report.share
        return state

    def _picture(self, report: ProgressReport | None) -> str:
        """The best network so far; drawn anew when it is another one, and not too often."""
        parents = None if report is None else report.best_parents()
        now = time.monotonic()
        if parents is not None and parents != self._drawn_edges and now - self._drawn_at >= BETWEEN_DRAWINGS:
            self._drawing = graph_svg(Network(list(parents), parents))
            self._drawn_edges, self._drawn_at = parents, now
        return self._drawing


class WatchServer:
    """Serves the page of a Watch from a thread of its own; a context."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.token = secrets.token_urlsafe(16)
        self._server = ThreadingHTTPServer((LOOPBACK, 0), _Handler)
        self._server.daemon_threads = True
        self._server.owner = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True, name="watch")

    @property
    def port(self) -> int:
        """The port, chosen by the system."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{LOOPBACK}:{self.port}/{self.token}/"

    def __enter__(self) -> WatchServer:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def wait_for_reader(self) -> None:
        """After the end: if a page is open, wait until it has fetched the report, or is closed."""
        end = time.monotonic() + LAST_WAIT
        while time.monotonic() < end and time.monotonic() - self.watch.asked < GONE_AFTER:
            if self.watch.fetched.wait(0.1):
                return


def watch_page(watch: Watch) -> str:
    """The page."""
    import jinja2
    from markupsafe import Markup

    style, script = style_sheet(), asset("watch.js")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(asset("watch.html")).render(
        policy=content_policy(style, script, "connect-src 'self';"),
        style=Markup(style),
        script=Markup(script),
        title=watch.title,
    )


class _Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    protocol_version = "HTTP/1.1"
    timeout = 20

    @property
    def _owner(self) -> WatchServer:
        owner: WatchServer = self.server.owner  # type: ignore[attr-defined]
        return owner

    def do_GET(self) -> None:
        """The page, the state, or the report once there is one."""
        watch, what = self._owner.watch, self._asked_for()
        if what == "":
            self._answer(200, watch_page(watch), "text/html")
        elif what == "state":
            self._answer(200, json.dumps(watch.state()), "application/json")
        elif what == "report" and watch.result is not None:
            self._answer(200, render_page(watch.result), "text/html")
            watch.fetched.set()
        elif what is not None:
            self._answer(404, "There is nothing here.", "text/plain")

    def do_POST(self) -> None:
        """Stop. The header keeps forms of other pages out, which cannot send it."""
        what = self._asked_for()
        if what == "stop" and self.headers.get("X-Sabna") == "stop":
            self._owner.watch.stop()
            self._answer(200, "{}", "application/json")
        elif what is not None:
            self._answer(404, "There is nothing here.", "text/plain")

    def _asked_for(self) -> str | None:
        """What stands behind the token; None if the request was refused."""
        owner = self._owner
        token, _, what = self.path.removeprefix("/").partition("?")[0].partition("/")
        named = self.headers.get("Host") in (f"{LOOPBACK}:{owner.port}", f"localhost:{owner.port}")
        if named and hmac.compare_digest(token.encode(), owner.token.encode()):
            return what
        self._answer(403, "The address is not that of the run: use the one that the command printed.", "text/plain")
        return None

    def _answer(self, code: int, text: str, kind: str) -> None:
        content = text.encode("utf-8")
        self.close_connection = True
        try:
            self.send_response(code)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            for name, value in (
                ("Connection", "close"),
                ("Cache-Control", "no-store"),
                ("Referrer-Policy", "no-referrer"),
                ("X-Content-Type-Options", "nosniff"),
                ("X-Frame-Options", "DENY"),
            ):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
        except OSError:  # the reader has left
            pass

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: standard error is the run's."""
