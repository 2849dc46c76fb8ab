"""Where a comment goes, and that there is one of each gate."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote

from isrcheck.gate.comments.rest import NoRequest, NotWritten


@dataclass(frozen=True)
class Comment:
    ident: int
    body: str


class Forge(Protocol):
    """A pull request on GitHub, or a merge request on GitLab. Its calls raise NotWritten."""

    title: str  # of the request, in a sentence
    workflow: str  # a gate of each has a comment of its own
    commit: str

    def comments(self) -> Iterator[Comment]:
        """Those that are or may be this program's own: nobody else can change them."""

    def create(self, body: str) -> None: ...

    def update(self, comment: Comment, body: str) -> None: ...


def mark(workflow: str, key: str) -> str:
    """The first line of a comment, which nobody sees."""
    return f"<!-- isrcheck gate {quote(workflow, safe='')}/{quote(key, safe='')} -->"


def publish(forge: Forge, key: str, markdown: str, has_news: bool) -> str:
    """What was done. Without news a comment is updated and none is made. Raises NotWritten."""
    marked = mark(forge.workflow, key)
    body = f"{marked}\n{markdown}"
    own = next((each for each in forge.comments() if each.body.startswith(marked)), None)
    if own is None and not has_news:
        return f"no comment on {forge.title}: everything is as expected"
    if own is None:
        forge.create(body)
        return f"a comment on {forge.title} was made"
    forge.update(own, body)
    return f"the comment on {forge.title} was updated"


def request_number(text: object, what: str) -> int:
    """Raises NoRequest."""
    if isinstance(text, bool) or not str(text).isascii() or not str(text).isdigit():
        raise NoRequest(f"this job has no {what}")
    return int(str(text))


def comment_of(item: dict[str, Any]) -> Comment:
    """Raises NotWritten."""
    if type(item.get("id")) is not int:
        raise NotWritten("a comment has no number")
    return Comment(item["id"], str(item.get("body") or ""))
