"""One comment of a gate, updated in place on GitHub and on GitLab; whatever fails, the gate's answer stays."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from tests.gate.conftest import SPEC
from tests.gate.forges import TOKEN, PlayedForge, played_forge
from tests.gate.verdicts import answer_at_once, repeated, verdict_of

from isrcheck.commands.gate import gate
from isrcheck.gate.comments.forge import mark
from isrcheck.gate.judge import GateVerdict

Comment = Callable[..., str]
PULL = {"pull_request": {"number": 12, "head": {"sha": "0123abcd99"}}}
COMMENTS = "/repos/owner/name/issues/12/comments"
NOTES = "/projects/5/merge_requests/12/notes"


@pytest.fixture(scope="module")
def met(tmp_path_factory: pytest.TempPathFactory) -> GateVerdict:
    return verdict_of(tmp_path_factory.mktemp("met"))


@pytest.fixture(scope="module")
def differs(tmp_path_factory: pytest.TempPathFactory) -> GateVerdict:
    return verdict_of(tmp_path_factory.mktemp("differs"), SPEC.replace('"violated in 3 steps"', '"holds"'))


@pytest.fixture
def forge() -> Iterator[PlayedForge]:
    with played_forge() as played:
        yield played


def of_github(forge: PlayedForge) -> dict[str, str]:
    Path("event.json").write_text(json.dumps(PULL), encoding="utf-8")
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": "summary.md",
        "GITHUB_API_URL": forge.address,
        "GITHUB_EVENT_PATH": "event.json",
        "GITHUB_REPOSITORY": "owner/name",
        "GITHUB_WORKFLOW": "models",
        "GH_TOKEN": TOKEN,
    }


def of_gitlab(forge: PlayedForge) -> dict[str, str]:
    return {
        "GITLAB_CI": "true",
        "CI_API_V4_URL": forge.address,
        "CI_MERGE_REQUEST_IID": "12",
        "CI_MERGE_REQUEST_PROJECT_ID": "5",
        "CI_JOB_NAME": "models",
        "CI_COMMIT_SHA": "0123abcd99",
        "GITLAB_TOKEN": TOKEN,
    }


FORGES = {"github": of_github, "gitlab": of_gitlab}


@pytest.fixture
def comment(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Comment:
    """What the gate says of its comment; its exit code is that of its verdict."""

    def call(verdict: GateVerdict, environment: Mapping[str, str], *words: str) -> str:
        for name in ("GITHUB_ACTIONS", "GITLAB_CI", "GH_TOKEN", "GITHUB_TOKEN", "GITLAB_TOKEN"):
            monkeypatch.delenv(name, raising=False)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        answer_at_once(verdict, monkeypatch)
        assert gate.main(["lamp.toml", "--comment", *words], standalone_mode=False) == verdict.exit
        said = capsys.readouterr()
        assert TOKEN not in said.out + said.err
        return said.err.removeprefix("isrcheck: ").strip()

    return call


@pytest.mark.parametrize(("name", "what"), [("github", "pull request 12"), ("gitlab", "merge request 12")])
def test_a_comment_is_made_and_then_updated_in_place(
    forge: PlayedForge, comment: Comment, met: GateVerdict, differs: GateVerdict, name: str, what: str
) -> None:
    here = FORGES[name](forge)
    assert comment(met, here) == f"no comment on {what}: everything is as expected."
    assert forge.comments == []
    assert comment(differs, here) == f"a comment on {what} was made."
    (body,) = forge.bodies
    assert body.startswith(f"{mark('models', '')}\n### isrcheck gate: 1 differs, 5 met (exit 21)\n")
    assert "commit `0123abcd`" in body
    assert "```mermaid\nsequenceDiagram\n" in body
    assert comment(met, here) == f"the comment on {what} was updated."
    (body,) = forge.bodies
    assert body.startswith(f"{mark('models', '')}\n### isrcheck gate: as expected\n")
    assert forge.tokens == {f"Bearer {TOKEN}" if name == "github" else TOKEN}


def test_what_is_asked_of_github_and_gitlab(forge: PlayedForge, comment: Comment, differs: GateVerdict) -> None:
    for _ in range(2):
        comment(differs, of_github(forge))
    assert forge.asked == [
        f"GET {COMMENTS}", f"POST {COMMENTS}",
        f"GET {COMMENTS}", "PATCH /repos/owner/name/issues/comments/100",
    ]  # fmt: skip
    forge.asked.clear()
    forge.comments.clear()
    for _ in range(2):
        comment(differs, of_gitlab(forge))
    assert forge.asked == [
        "GET /user", f"GET {NOTES}", f"POST {NOTES}",
        "GET /user", f"GET {NOTES}", f"PUT {NOTES}/100",
    ]  # fmt: skip


@pytest.mark.parametrize("name", FORGES)
def test_a_comment_is_found_behind_a_hundred_others(
    forge: PlayedForge, comment: Comment, differs: GateVerdict, name: str
) -> None:
    for _ in range(150):
        forge.keep("looks good")
    comment(differs, FORGES[name](forge))
    assert "was updated" in comment(differs, FORGES[name](forge))
    assert len(forge.comments) == 151


@pytest.mark.parametrize("name", FORGES)
def test_each_workflow_and_key_has_its_own_comment(
    forge: PlayedForge, comment: Comment, differs: GateVerdict, name: str
) -> None:
    here = FORGES[name](forge)
    for workflow, key in (("models", ""), ("models", "long"), ("night --> <b>", "long")):
        said = comment(differs, {**here, "GITHUB_WORKFLOW": workflow, "CI_JOB_NAME": workflow}, "--comment-key", key)
        assert "was made" in said
    marks = [body.splitlines()[0] for body in forge.bodies]
    assert len(set(marks)) == 3
    assert [text.count("-->") for text in marks] == [1, 1, 1]


@pytest.mark.parametrize("name", FORGES)
def test_the_mark_in_somebody_elses_comment_is_not_followed(
    forge: PlayedForge, comment: Comment, differs: GateVerdict, name: str
) -> None:
    stranger = {"type": "User", "login": "mallory", "id": 666}
    forge.keep(f"{mark('models', '')}\nI change this later", stranger, "CONTRIBUTOR")
    forge.keep(f"quoted: {mark('models', '')}")
    assert "was made" in comment(differs, FORGES[name](forge))
    assert forge.bodies[0].endswith("I change this later")
    assert len(forge.comments) == 3


REFUSALS = [
    (403, {}, "answers 403: the token may not write here, as for a pull request from a fork"),
    (404, {}, "answers 404: the token may not write here, as for a pull request from a fork"),
    (401, {}, "answers 401: the token is not valid"),
    (403, {"X-RateLimit-Remaining": "0"}, "answers 403: its rate limit is reached"),
    (429, {"Retry-After": "60"}, "answers 429: its rate limit is reached"),
    (302, {"Location": "http://127.0.0.1:9/elsewhere"}, "answers 302"),
    (502, {}, "answers 502"),
    (422, {}, "answers 422"),
]


@pytest.mark.parametrize("name", FORGES)
@pytest.mark.parametrize(("code", "headers", "said"), REFUSALS)
def test_what_is_refused_is_in_the_summary_of_the_job(
    forge: PlayedForge, comment: Comment, differs: GateVerdict,
    name: str, code: int, headers: dict[str, str], said: str,
) -> None:  # fmt: skip
    forge.refuse, forge.headers = {"POST": code}, headers
    sentence = f"ot written as a comment: 127.0.0.1 {said}."
    assert comment(differs, FORGES[name](forge)) == f"n{sentence}"
    assert forge.comments == []
    if name == "github":
        summary = Path("summary.md").read_text(encoding="utf-8")
        assert summary.startswith("### isrcheck gate: 1 differs, 5 met (exit 21)\n")
        assert f"N{sentence}" in summary


@pytest.mark.parametrize("name", FORGES)
def test_a_network_that_fails(forge: PlayedForge, comment: Comment, differs: GateVerdict, name: str) -> None:
    forge.refuse = {"GET": 0}
    said = comment(differs, FORGES[name](forge))
    assert said.startswith("not written as a comment: 127.0.0.1 cannot be reached: ")
    gone = {**FORGES[name](forge), "GITHUB_API_URL": "http://127.0.0.1:1", "CI_API_V4_URL": "http://127.0.0.1:1"}
    assert comment(differs, gone).startswith("not written as a comment: 127.0.0.1 cannot be reached: ")


@pytest.mark.parametrize("name", FORGES)
@pytest.mark.parametrize(
    "answer", [b"<html>", b"{}", b"[1, null]", b"", b"\xff", b'[{"id": "x", "user": 3}]', b"[" * 9999]
)
def test_an_answer_that_is_something_else(
    forge: PlayedForge, comment: Comment, differs: GateVerdict, name: str, answer: bytes
) -> None:
    forge.garbage = answer
    comment(differs, FORGES[name](forge))


def test_a_token_that_is_no_header_is_not_shown(forge: PlayedForge, comment: Comment, differs: GateVerdict) -> None:
    for name, variable in (("github", "GH_TOKEN"), ("gitlab", "GITLAB_TOKEN")):
        said = comment(differs, {**FORGES[name](forge), variable: f"{TOKEN}\nX: y"})
        assert said == "not written as a comment: 127.0.0.1 and the token or the answer do not fit."
    assert forge.asked == []


def test_a_token_goes_nowhere_in_the_clear(forge: PlayedForge, comment: Comment, differs: GateVerdict) -> None:
    for address in ("http://forge.invalid", "ftp://127.0.0.1", "forge", "https://", "http://127.0.0.1.forge.invalid"):
        said = comment(differs, {**of_gitlab(forge), "CI_API_V4_URL": address})
        assert "does not begin with https" in said


MISSING = [
    ("github", {"GH_TOKEN": ""}, "there is no token: set GH_TOKEN"),
    ("github", {"GITHUB_EVENT_PATH": "none.json"}, "GITHUB_EVENT_PATH names no event"),
    ("github", {"GITHUB_REPOSITORY": "a/b/../c"}, "GITHUB_REPOSITORY is not OWNER/NAME"),
    ("gitlab", {"GITLAB_TOKEN": ""}, "there is no token: set GITLAB_TOKEN"),
    ("gitlab", {"CI_MERGE_REQUEST_IID": ""}, "this job has no merge request"),
    ("github", {"GITHUB_ACTIONS": "false"}, "neither GITHUB_ACTIONS nor GITLAB_CI is true here"),
]


@pytest.mark.parametrize(("name", "changed", "said"), MISSING)
def test_what_a_job_lacks_is_said(
    forge: PlayedForge, comment: Comment, differs: GateVerdict, name: str, changed: dict[str, str], said: str
) -> None:
    assert comment(differs, {**FORGES[name](forge), **changed}).startswith(f"not written as a comment: {said}")
    assert forge.asked == []


def test_a_push_has_no_pull_request(forge: PlayedForge, comment: Comment, differs: GateVerdict) -> None:
    here = of_github(forge)
    for event in ("{}", "[]", '{"pull_request": 3}', '{"pull_request": {"number": "1/../2"}}'):
        Path("event.json").write_text(event, encoding="utf-8")
        assert comment(differs, here) == "not written as a comment: this job has no pull request."
    assert "as a comment" not in Path("summary.md").read_text(encoding="utf-8")


def test_a_comment_is_never_too_long(forge: PlayedForge, comment: Comment, differs: GateVerdict) -> None:
    comment(repeated(differs, 400), of_github(forge))
    assert len(forge.bodies[0]) < 65_536
