"""A model walked live, on this machine."""

import json
import sys
import threading
from collections import OrderedDict
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from isrcheck.errors import IsrcheckError, ModelError, UsageError
from isrcheck.evidence.explorer.explored_model import ExploredModel, Footstep, Walker, error_sentence, refusals
from isrcheck.evidence.explorer.page import live_page

ADDRESS = "127.0.0.1"
MOST_KEPT = 5_000  # footsteps


class Server(ThreadingHTTPServer):
    """Serves one subject; `port` 0 takes a free one. Raises UsageError if the port cannot be had."""

    daemon_threads = True

    def __init__(self, subject: ExploredModel, port: int) -> None:
        self.page = live_page(subject).encode()
        self.subject = subject
        self.walker = Walker(subject)
        self.kept: OrderedDict[tuple[int, ...], Footstep] = OrderedDict()  # by path
        self.lock = threading.Lock()
        try:
            super().__init__((ADDRESS, port), _Handler)
        except OSError as error:
            why = error.strerror or error
            raise UsageError(f"port {port} cannot be had: {why}. Give another, or --port 0 for any.") from None
        self.hosts = {f"{name}:{self.server_port}" for name in (ADDRESS, "localhost")}

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore an error of a connection: a browser may close it at any time."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    @property
    def address(self) -> str:
        return f"http://{ADDRESS}:{self.server_port}/"

    def view_at(self, path: tuple[int, ...]) -> dict[str, Any]:
        """The page's view at the end of a path. Raises UsageError or ModelError."""
        with self.lock:
            step = self._footstep(path)
            answers = self.subject.stepper.answers(step.state)
            return {
                "values": self.subject.values(step.state),
                "before": self.subject.values(step.before.state) if step.before else None,
                "moves": [[i, True] for i, answer in enumerate(answers) if isinstance(answer, tuple)],
                "why": [(dict(reason), instances) for reason, instances in refusals(answers).items()],
                "picture": self._picture(step),
                "losses": step.losses,
                "standing": self.walker.property_statuses(step),
                "exact": True,
            }

    def _footstep(self, path: tuple[int, ...]) -> Footstep:
        known = next((n for n in range(len(path), 0, -1) if path[:n] in self.kept), 0)
        step = self.kept[path[:known]] if known else self.walker.start
        for number, instance in enumerate(path[known:], known):
            if not 0 <= instance < len(self.subject.stepper.instances):
                raise UsageError(f"step {number + 1} is not a step of this model.")
            after = self.subject.stepper.answers(step.state)[instance]
            if not isinstance(after, tuple):
                raise UsageError(f"step {number + 1}, {self.subject.stepper.call(instance)}, cannot happen there.")
            step = self.kept[path[: number + 1]] = self.walker.onward(step, instance, after)
        while len(self.kept) > MOST_KEPT:
            self.kept.popitem(last=False)
        return step

    def _picture(self, step: Footstep) -> str:
        rows, back = [step.row], step.before
        while back:
            rows.append(back.row)
            back = back.before
        return next(iter(self.walker.pictures(rows)))


class _Handler(BaseHTTPRequestHandler):
    """Answers / and /state?path=3.0.12."""

    server: Server
    server_version = "isrcheck"
    sys_version = ""
    timeout = 60  # seconds of silence

    def do_GET(self) -> None:
        # A page elsewhere that has made its own name mean this machine still gives that name here.
        if self.headers.get("Host") not in self.server.hosts:
            return self._say(HTTPStatus.FORBIDDEN, f"This is {self.server.address}, and is asked by that name only.")
        parts = urlsplit(self.path)
        if parts.path == "/":
            return self._send(HTTPStatus.OK, "text/html", self.server.page)
        if parts.path == "/state":
            return self._state(parse_qs(parts.query).get("path", [""])[-1])
        return self._say(HTTPStatus.NOT_FOUND, "There is nothing by that name here.")

    def _state(self, words: str) -> None:
        if not all(number.isascii() and number.isdigit() and len(number) < 9 for number in words.split(".") if words):
            return self._say(HTTPStatus.BAD_REQUEST, "A path is positions of instances, such as 3.0.12.")
        path = tuple(int(step) for step in words.split(".") if words)
        try:
            view = self.server.view_at(path)
        except ModelError as error:
            return self._say(HTTPStatus.UNPROCESSABLE_ENTITY, error_sentence(error))
        except IsrcheckError as error:
            return self._say(HTTPStatus.NOT_FOUND, str(error))
        return self._send(HTTPStatus.OK, "application/json", json.dumps(view).encode())

    def _say(self, status: HTTPStatus, sentence: str) -> None:
        self._send(status, "text/plain", f"{sentence}\n".encode())

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Content-Security-Policy", "frame-ancestors 'none'")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name that http.server gives it
        """Log nothing: requests are not for the terminal."""
