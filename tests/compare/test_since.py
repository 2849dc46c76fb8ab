"""`isrcheck diff`: what a change of a model's text did, and what keeps it from being told."""

import re
import subprocess
from pathlib import Path

import pytest
from tests.compare.mine import MINE, change, git, repository, since
from tests.fixtures.command_line import in_process

import isrcheck
from isrcheck.catalogue import find_model
from isrcheck.compare.since import changes
from isrcheck.engines.contract import Limits
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.registry import engine
from isrcheck.ir.pack import digest
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower


def test_nothing_changed(tmp_path: Path) -> None:
    done = since(repository(tmp_path / "r"))
    assert done.returncode == 0
    assert "Nothing changed: the same verdicts, counts and states." in done.stdout
    assert "Nothing changed in 1 model." in done.stdout


CHANGES: dict[str, tuple[dict[str, str], int, tuple[str, ...]]] = {
    "a comment": (
        {"        self.n += 1": "        # a remark\n        self.n += 1"},
        0,
        ("Nothing changed in 1 model.",),
    ),
    "a weaker guard": (
        {"n < 2": "n < 3"},
        21,
        (
            "small ✓ holds exhaustive ✗ violated 3 steps, replayed",
            "distinct 3 4",
            "1 new reachable state, 0 no longer reachable.",
            "The shortest way to a new state: 3 steps",
            "new_state is reached after 3 steps",
            "n: 2 → 3",
            "1 of 1 model changed; 1 cell flipped.",
        ),
    ),
    "a stronger guard": ({"n < 2": "n < 1"}, 21, ("0 new reachable states, 1 no longer reachable.",)),
    "names": (
        {"def small": "def tiny", "constant(4,": "constant(5,"},
        21,
        (
            "Properties added: tiny. - Properties removed: small.",
            "constant most 4 5",
            "States were not compared: the variables are not the same: n has another domain.",
        ),
    ),
    "a variable": (
        {"    @action": "    m: bool = False\n\n    @action"},
        21,
        ("States were not compared: the variables are not the same: m is new.",),
    ),
    "a text that does not read": (
        {"most: int =": "most ="},
        75,
        ("There is no verdict now: mine.py:9: most has no annotation.",),
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_a_change_did(what: str, tmp_path: Path) -> None:
    replacements, code, sentences = CHANGES[what]
    folder = repository(tmp_path / "r")
    for old, new in replacements.items():
        change(folder, old, new)
    done = since(folder)
    shown = " ".join(done.stdout.split())
    assert done.returncode == code
    assert [sentence for sentence in sentences if sentence not in shown] == []
    assert ("shortest way" in shown) is (what == "a weaker guard")


def test_markdown_for_a_pull_request(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    change(folder, "n < 2", "n < 3")
    git(folder, "tag", "release")
    done = since(folder, "--to", "md", "-o", "comment.md", ref="release")
    assert (done.returncode, done.stdout) == (21, "")
    text = (folder / "comment.md").read_text(encoding="utf-8")
    assert re.match(r"## isrcheck: what changed since `release` \([0-9a-f]{12}\)\n", text)
    assert "| **small** | **✓ holds exhaustive** | **✗ violated 3 steps, replayed** |" in text
    assert "<details><summary>The shortest way to a new state: 3 steps</summary>" in text
    assert text.count("<details>") == text.count("</details>") == 1


def test_the_old_and_the_new_text_never_mix(tmp_path: Path) -> None:
    """Both import a neighbour that changed too: each has to find its own."""
    text = MINE.replace("import Annotated\n", "import Annotated\n\nfrom limits import LIMIT\n").replace(
        'UpTo("most")', "UpTo(LIMIT)"
    )
    folder = repository(tmp_path / "r", text)
    (folder / "models" / "limits.py").write_text("LIMIT = 4\n", encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "-m", "two")
    (folder / "models" / "limits.py").write_text("LIMIT = 1\n", encoding="utf-8")
    done = since(folder)
    assert done.returncode == 21
    assert "n has another domain" in " ".join(done.stdout.split())
    assert "distinct" in done.stdout


def test_a_file_that_did_not_exist_then(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r")
    git(folder, "mv", "models/mine.py", "models/other.py")
    git(folder, "commit", "--quiet", "-m", "two")
    git(folder, "mv", "models/other.py", "models/mine.py")
    done = since(folder)
    assert done.returncode == 21
    assert "It did not exist then: there is no file" in done.stdout
    assert str(tmp_path) not in done.stdout
    assert "isrcheck-since-" not in done.stdout


def test_an_old_text_that_no_longer_reads(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r", MINE.replace("most: int =", "most ="))
    change(folder, "most =", "most: int =")
    done = since(folder)
    assert done.returncode == 21
    assert "no verdict: mine.py:9: most has no annotation." in " ".join(done.stdout.split())


def test_states_that_are_too_many_are_not_called_the_same(tmp_path: Path) -> None:
    done = since(repository(tmp_path / "r"), "--max-states", "2")
    assert done.returncode == 20
    assert "States were not compared: the search for all states ended after 2 states." in done.stdout


def test_no_repository(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "mine.py").write_text(MINE, encoding="utf-8")
    done = since(tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is in no git repository, so there is no earlier state of it" in done.stderr


def test_no_revision(tmp_path: Path) -> None:
    done = since(repository(tmp_path / "r"), ref="--upload-pack=x")
    assert done.returncode == 2
    assert "there is no revision --upload-pack=x in " in done.stderr


def test_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = repository(tmp_path / "r")

    def nothing(*_: object, **__: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(subprocess, "run", nothing)
    done = since(folder)
    assert done.returncode == 2
    assert "git is not on the path: `isrcheck diff` needs it to read earlier models." in done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["specs/x.toml"], "specs/x.toml is a spec, and diff compares models: name the models."),
        (["kip-101", "--to", "csv"], "'csv' is not one of 'txt', 'md'."),
        (["kip-1"], "there is no model kip-1. Did you mean kip-101?"),
        (["kip-101", "-c", "replica=2"], "no model here has a constant replica. Did you mean"),
        (["kip-101", "-c", "replicas=2,3"], "2,3"),
        (["kip-101", "--property", "strong"], "no model here has a property strong. Did you mean"),
        (["no.py:X"], "there is no file no.py: give FILE.py:Class, with the path from here."),
        ([], "missing argument 'MODEL...'."),
    ],
)
def test_wrong_use(words: list[str], sentence: str) -> None:
    done = in_process("diff", "HEAD", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr


SIZES = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
VARIANT = '''from isrmodel import Kip320
from isrmodel.published.replication import Offset
from isrmodel.vocabulary import Replica


class Mine(Kip320):
    """KIP-320 with its own truncation."""
'''
CUT = '''
    def truncation_point(self, follower: Replica, leader: Replica) -> Offset:
        """What the follower knows to be committed."""
        return self.hw[follower]
'''


def words(state: bytes) -> tuple[int, ...]:
    return tuple(int.from_bytes(state[at : at + 8], "little") for at in range(0, len(state), 8))


@pytest.mark.parametrize("name", ["native", "evaluator"])
@pytest.mark.parametrize("model", ["toy-mutex", "kip-101"])
def test_every_state_once_at_its_level(model: str, name: str) -> None:
    constants = SIZES if model == "kip-101" else {}
    found = isrcheck.check(model, properties=(), constants=constants)
    reached = engine(name).states(lower(bind(read_model(find_model(model)), constants)), Limits())
    assert reached.cut is None
    assert tuple(map(len, reached.levels)) == found.levels
    assert digest(words(state) for level in reached.levels for state in level) == found.digest


def by_depth(name: str) -> dict[tuple[int, ...], int]:
    """Every state with the steps to it, by a search of its own."""
    stepper = ScalarStepper(lower(bind(read_model(find_model(name)), SIZES)))
    found, newest = {stepper.initial: 0}, [stepper.initial]
    while newest:
        following = []
        for state in newest:
            for _, after in stepper.steps(state):
                if after is not None and after not in found:
                    found[after] = found[state] + 1
                    following.append(after)
        newest = following
    return found


def test_the_new_states_of_a_variant_of_kip_320(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = repository(tmp_path / "r", VARIANT)
    (tmp_path / "old.py").write_text(VARIANT, encoding="utf-8")
    change(folder, VARIANT, VARIANT + CUT)
    monkeypatch.chdir(folder)
    given = {name: str(value) for name, value in SIZES.items()}
    _, (found,) = changes("HEAD", ["models/mine.py:Mine"], given, (), Limits())
    old, new = by_depth(str(tmp_path / "old.py:Mine")), by_depth(str(folder / "models" / "mine.py:Mine"))
    assert (found.new_states, found.gone) == (len(new.keys() - old.keys()), len(old.keys() - new.keys()))
    assert found.new_states
    assert found.trace is not None
    assert found.trace.length - 1 == min(depth for state, depth in new.items() if state not in old)
