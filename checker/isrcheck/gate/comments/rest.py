"""JSON over HTTP, as GitHub and GitLab speak it."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from isrcheck.wrap import plain

_TIMEOUT = 10.0  # s, of a connection and of each read
_MOST_BYTES = 8 << 20  # of an answer: a hundred comments of 64 KiB
_A_PAGE = 100  # comments; the most that both give
_MOST_PAGES = 20
_HERE = ("127.0.0.1", "::1", "localhost")


class NotWritten(Exception):
    """Why there is no comment, as the rest of a sentence; never with a token."""


class NoRequest(NotWritten):
    """A job of a branch, where nobody misses a comment."""


class _NoRedirect(HTTPRedirectHandler):
    """urllib would send the token to wherever an answer points."""

    def redirect_request(self, *_: object) -> None:
        return None


class Rest:
    """What is below one address, with one token."""

    def __init__(self, root: str, headers: Mapping[str, str]) -> None:
        self._root = root.rstrip("/")
        self._headers = {**headers, "User-Agent": "isrcheck", "Content-Type": "application/json"}
        with suppress(ValueError):
            parts = urlsplit(root)
            self._host = parts.hostname or ""
            if self._host and (parts.scheme == "https" or (parts.scheme == "http" and self._host in _HERE)):
                return
        raise NotWritten("the address of the interface does not begin with https, and a token is not sent there")

    def call(self, method: str, path: str, body: Mapping[str, str] | None = None) -> Any:
        """The answer. Raises NotWritten."""
        data = None if body is None else json.dumps(body).encode()
        try:
            request = Request(f"{self._root}{path}", data, self._headers, method=method)
            with build_opener(_NoRedirect).open(request, timeout=_TIMEOUT) as answer:
                return json.loads(answer.read(_MOST_BYTES))
        except HTTPError as error:
            error.close()
            raise NotWritten(f"{self._host} {_refusal(error)}") from None
        except URLError as error:
            raise NotWritten(f"{self._host} cannot be reached: {plain(str(error.reason))}") from None
        except OSError as error:
            raise NotWritten(f"{self._host} cannot be reached: {type(error).__name__}") from None
        except Exception:  # of http.client, which quotes a token with a line end; of JSON
            raise NotWritten(f"{self._host} and the token or the answer do not fit") from None

    def items(self, path: str) -> Iterator[dict[str, Any]]:
        """Those of a list, page by page. Raises NotWritten."""
        for page in range(1, _MOST_PAGES + 1):
            found = self.call("GET", f"{path}?per_page={_A_PAGE}&page={page}")
            if not isinstance(found, list):
                raise NotWritten(f"{self._host} gave no list of comments")
            yield from (item for item in found if isinstance(item, dict))
            if len(found) < _A_PAGE:
                return


def _refusal(error: HTTPError) -> str:
    code, headers = error.code, error.headers
    if code == 429 or (code == 403 and (headers.get("x-ratelimit-remaining") == "0" or "retry-after" in headers)):
        return f"answers {code}: its rate limit is reached"
    if code == 401:
        return f"answers {code}: the token is not valid"
    if code in (403, 404):
        return f"answers {code}: the token may not write here, as for a pull request from a fork"
    return f"answers {code}"
