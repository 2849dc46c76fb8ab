"""Notes on a merge request on GitLab."""

from collections.abc import Iterator, Mapping

from isrcheck.gate.comments.forge import Comment, comment_of, request_number
from isrcheck.gate.comments.rest import NotWritten, Rest


class GitLab:
    """Raises NotWritten if the job has no merge request or no token."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        request = request_number(environment.get("CI_MERGE_REQUEST_IID", ""), "merge request")
        # a pipeline of a fork has its own CI_PROJECT_ID
        project = request_number(environment.get("CI_MERGE_REQUEST_PROJECT_ID", ""), "merge request")
        token = environment.get("GITLAB_TOKEN")
        if not token:
            raise NotWritten("there is no token: set GITLAB_TOKEN to a project access token with the scope api")
        self.title = f"merge request {request}"
        self.workflow = environment.get("CI_JOB_NAME", "")
        self.commit = environment.get("CI_COMMIT_SHA", "")
        self._notes = f"/projects/{project}/merge_requests/{request}/notes"
        self._rest = Rest(environment.get("CI_API_V4_URL", ""), {"PRIVATE-TOKEN": token})

    def comments(self) -> Iterator[Comment]:
        """Those whose author has this token."""
        own = self._rest.call("GET", "/user")
        author = own.get("id") if isinstance(own, dict) else None
        for item in self._rest.items(self._notes):
            user = item.get("author")
            if isinstance(user, dict) and author is not None and user.get("id") == author and not item.get("system"):
                yield comment_of(item)

    def create(self, body: str) -> None:
        self._rest.call("POST", self._notes, {"body": body})

    def update(self, comment: Comment, body: str) -> None:
        self._rest.call("PUT", f"{self._notes}/{comment.ident}", {"body": body})
