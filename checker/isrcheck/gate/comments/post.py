"""From a verdict to a comment, whatever becomes of it."""

import os

from isrcheck.gate.comments.forge import Forge, publish
from isrcheck.gate.comments.github import GitHub
from isrcheck.gate.comments.gitlab import GitLab
from isrcheck.gate.comments.rest import NoRequest, NotWritten
from isrcheck.gate.earlier import Earlier
from isrcheck.gate.judge import GateVerdict
from isrcheck.gate.summary import summary_markdown


def post(verdict: GateVerdict, before: Earlier, key: str) -> tuple[bool, str]:
    """Whether there is nothing more to write, and a sentence. It raises nothing and changes no exit code."""
    try:
        forge = forge_here()
        markdown = summary_markdown(verdict, before, forge.commit)
        return True, f"{publish(forge, key, markdown, verdict.exit != 0 or bool(before))}."
    except NotWritten as reason:
        return isinstance(reason, NoRequest), f"not written as a comment: {reason}."


def forge_here() -> Forge:
    """Where this job runs. Raises NotWritten."""
    if os.environ.get("GITHUB_ACTIONS") == "true":
        return GitHub(os.environ)
    if os.environ.get("GITLAB_CI") == "true":
        return GitLab(os.environ)
    raise NotWritten("neither GITHUB_ACTIONS nor GITLAB_CI is true here")
