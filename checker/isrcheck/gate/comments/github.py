"""Comments on a pull request on GitHub."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from isrcheck.gate.comments.forge import Comment, comment_of, request_number
from isrcheck.gate.comments.rest import NotWritten, Rest

_API = "https://api.github.com"
_TRUSTED = ("OWNER", "MEMBER", "COLLABORATOR")  # they may change any comment


class GitHub:
    """Raises NotWritten if the job has no pull request or no token."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        event = _event(environment.get("GITHUB_EVENT_PATH", ""))
        pull = event.get("pull_request")
        pull = pull if isinstance(pull, dict) else {}
        request = request_number(pull.get("number", ""), "pull request")
        repository = environment.get("GITHUB_REPOSITORY", "")
        token = environment.get("GH_TOKEN") or environment.get("GITHUB_TOKEN")
        if not token:
            raise NotWritten("there is no token: set GH_TOKEN to one that may write pull requests")
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository, re.ASCII):
            raise NotWritten("GITHUB_REPOSITORY is not OWNER/NAME")
        self.title = f"pull request {request}"
        self.workflow = environment.get("GITHUB_WORKFLOW", "")
        head = pull.get("head")
        self.commit = str(head.get("sha", "")) if isinstance(head, dict) else ""
        self._comments = f"/repos/{repository}/issues/{request}/comments"
        self._comment = f"/repos/{repository}/issues/comments/"
        self._rest = Rest(
            environment.get("GITHUB_API_URL") or _API,
            {
                "Authorization": f"Bearer {token}",
                "Accept": "application/vnd.github+json",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )

    def comments(self) -> Iterator[Comment]:
        """Of programs, and of people who may change any comment; the author of a fork is neither."""
        for item in self._rest.items(self._comments):
            user = item.get("user")
            by_program = isinstance(user, dict) and user.get("type") == "Bot"
            if by_program or item.get("author_association") in _TRUSTED:
                yield comment_of(item)

    def create(self, body: str) -> None:
        self._rest.call("POST", self._comments, {"body": body})

    def update(self, comment: Comment, body: str) -> None:
        self._rest.call("PATCH", f"{self._comment}{comment.ident}", {"body": body})


def _event(file: str) -> dict[str, Any]:
    try:
        event = json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise NotWritten("GITHUB_EVENT_PATH names no event that can be read") from None
    return event if isinstance(event, dict) else {}
