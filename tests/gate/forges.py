"""A server on this machine that plays the interfaces of GitHub and GitLab, and can fail like them."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "a-token-that-nobody-may-see"  # of this server alone
OWN = {"type": "Bot", "login": "github-actions[bot]", "id": 7}
Json = Any


@dataclass
class PlayedForge:
    """What it keeps, what it was asked, and how it fails."""

    address: str = ""
    comments: list[dict[str, Json]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    refuse: dict[str, int] = field(default_factory=dict)  # an HTTP code by method; 0: the connection ends
    headers: dict[str, str] = field(default_factory=dict)  # of refusals
    garbage: bytes | None = None

    def keep(self, body: str, user: dict[str, Json] = OWN, association: str = "NONE") -> None:
        ident = 100 + len(self.comments)
        self.comments.append(
            {"id": ident, "body": body, "user": user, "author": user, "author_association": association}
        )

    @property
    def bodies(self) -> list[str]:
        return [comment["body"] for comment in self.comments]


class _Handler(BaseHTTPRequestHandler):
    forge: PlayedForge

    def _answer(self) -> None:
        forge, parts = self.forge, urlsplit(self.path)
        forge.asked.append(f"{self.command} {parts.path}")
        forge.tokens.add(self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN") or "")
        said = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        code = forge.refuse.get(self.command)
        if code == 0:
            self.close_connection = True
            return
        if code is not None:
            self._send(code, b'{"message": "no"}', forge.headers)
        elif forge.garbage is not None:
            self._send(200, forge.garbage)
        else:
            body = json.loads(said)["body"] if said else ""
            self._send(200, json.dumps(self._result(parts.path, parse_qs(parts.query), body)).encode())

    def _result(self, path: str, query: dict[str, list[str]], body: str) -> Json:
        forge = self.forge
        if path == "/user":
            return {"id": 7}
        if self.command == "GET":
            page, size = int(query["page"][0]), int(query["per_page"][0])
            return forge.comments[(page - 1) * size : page * size]
        if self.command == "POST":
            forge.keep(body)
            return forge.comments[-1]
        ident = int(path.rpartition("/")[2])
        (kept,) = [comment for comment in forge.comments if comment["id"] == ident]
        kept["body"] = body
        return kept

    def _send(self, code: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(code)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


for _method in ("GET", "POST", "PATCH", "PUT"):
    setattr(_Handler, f"do_{_method}", _Handler._answer)


@contextmanager
def played_forge() -> Iterator[PlayedForge]:
    forge = PlayedForge()
    handler = type("Handler", (_Handler,), {"forge": forge})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        forge.address = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=lambda: server.serve_forever(0.02), daemon=True).start()
        yield forge
        server.shutdown()
