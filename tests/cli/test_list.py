"""`isrcheck list`: no model is read while nothing has changed; families, and a model with what a variant fills."""

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures.command_line import as_process, in_process

from isrcheck import Model, catalogue, summaries
from isrcheck.errors import UsageError
from isrcheck.wrap import columns

TEXT = '''
from isrcheck import Model, invariant, action

class Lamp(Model):
    """A lamp{with_what}.

    More is not listed.
    """

    on: bool = False

    @action
    def press(self) -> None:
        self.on = not self.on

    @invariant
    def on_or_off(self) -> bool:
        return self.on or not self.on

MODELS = {{"lamp": Lamp}}
'''


class Package:
    """An installed package with one model, and how often its models were asked for."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "acme_models" / "lamps.py"
        self.file.parent.mkdir()
        (self.file.parent / "__init__.py").write_text("")
        self.write("")
        self.reads = 0

    def write(self, with_what: str) -> None:
        self.file.write_text(TEXT.format(with_what=with_what))

    def known_models(self, read: Callable[[], dict[str, type[Model]]]) -> dict[str, type[Model]]:
        self.reads += 1
        return read()

    def forget(self) -> None:
        for name in [name for name in sys.modules if name.startswith("acme_models")]:
            del sys.modules[name]

    def list(self) -> dict[str, str]:
        """What is listed, in a new process as it were."""
        self.forget()
        return {name: line for family in summaries.families().values() for name, line in family.models.items()}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Package]:
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    offers = (EntryPoint("acme", "acme_models.lamps:MODELS", catalogue.GROUP),)
    for module in (catalogue, summaries):
        monkeypatch.setattr(module, "offers", lambda: offers)
    made, known = Package(tmp_path), catalogue.models_by_name
    monkeypatch.setattr(summaries, "models_by_name", partial(made.known_models, known.__wrapped__))
    yield made
    made.forget()


def test_models_are_read_once(package: Package) -> None:
    assert [package.list() for _ in range(3)] == [{"lamp": "A lamp."}] * 3
    assert package.reads == 1


def test_a_changed_file_is_read_again(package: Package) -> None:
    package.list()
    package.write(" with a switch")
    assert package.list() == package.list() == {"lamp": "A lamp with a switch."}
    assert package.reads == 2


def test_a_new_file_of_the_package_counts(package: Package) -> None:
    package.list()
    (package.file.parent / "more.py").write_text("")
    package.list()
    assert package.reads == 2


@pytest.mark.parametrize("what", ["__version__", "sys.version"])
def test_another_version_reads_again(package: Package, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    package.list()
    monkeypatch.setattr(f"isrcheck.summaries.{what}", "another")
    package.list()
    assert package.reads == 2


def test_a_damaged_entry_is_not_believed(package: Package, tmp_path: Path) -> None:
    package.list()
    (entry,) = (tmp_path / "cache").iterdir()
    entry.write_bytes(entry.read_bytes().replace(b"A lamp", b"A lump"))
    assert package.list() == {"lamp": "A lamp."}
    assert package.reads == 2


def test_a_file_that_changes_while_it_is_read_is_not_kept(package: Package, monkeypatch: pytest.MonkeyPatch) -> None:
    read: Callable[[], Any] = vars(summaries)["models_by_name"]

    def changing() -> Any:
        models = read()
        package.write(f" that changed {package.reads} times")
        return models

    monkeypatch.setattr(summaries, "models_by_name", changing)
    package.list()
    package.list()
    assert package.reads == 2


def test_a_cache_that_cannot_be_written(package: Package, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    assert package.list() == package.list() == {"lamp": "A lamp."}
    assert package.reads == 2


def test_a_model_with_classes_of_another_package_is_not_kept(package: Package, tmp_path: Path) -> None:
    (tmp_path / "lamp_base.py").write_text(TEXT.format(with_what=""))
    package.file.write_text(
        'from lamp_base import Lamp\n\n\nclass Big(Lamp):\n    """Big."""\n\n\nMODELS = {"lamp": Big}\n'
    )
    assert package.list() == package.list() == {"lamp": "Big."}
    assert package.reads == 2


def test_a_package_that_is_gone_is_said_to_be(package: Package) -> None:
    package.list()
    package.file.unlink()
    with pytest.raises(UsageError, match=r"the models of acme_models.lamps:MODELS cannot be loaded: .* again\."):
        package.list()


MODEL = '''"""Lamps with a switch."""

from typing import Annotated

from isrcheck import Model, UpTo, action, constant, history, invariant, policy, require

Level = Annotated[int, UpTo("most")]


class Lamp(Model):
    """A lamp that is dimmed."""

    most: int = constant(2, "the brightest level")

    # What can be seen.
    level: Level = 0  # how bright it is
    was: Level = history(
        0
    )  # how bright it was; "#1" is no comment

    switch: bool = True

    @action
    def turn(self) -> None:
        """Somebody turns it."""
        require(self.level < self.highest())
        self.level += 1

    @policy
    def highest(self) -> Level:
        """The level at which it stops."""
        return self.most

    @policy
    def may_dim(self, level: Level) -> bool:
        """Whether it may be dimmed at a level."""
        raise NotImplementedError

    def is_bright(self) -> bool:
        """Whether it is at its brightest."""
        return self.level == self.most

    @invariant
    def bounded(self) -> bool:
        """It stays within its levels."""
        return self.level <= self.most or self.is_bright() or self.may_dim(self.level)


class Dimmed(Lamp):
    """A lamp that is always dimmed."""

    def may_dim(self, level: Level) -> bool:
        """Always."""
        return True
'''


@pytest.fixture
def lamps(tmp_path: Path) -> Path:
    (tmp_path / "lamps.py").write_text(MODEL, encoding="utf-8")
    return tmp_path


def shown(*words: str, width: int, folder: Path) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        done = as_process("list", *words, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_model_is_shown_with_its_variables_and_who_fills_its_policies(lamps: Path, width: int) -> None:
    page = shown("lamps.py:Dimmed", width=width, folder=lamps)
    assert max(map(columns, page.splitlines())) <= width
    one_line = " ".join(page.split())
    assert "Level 0..most" in one_line
    assert "variables What can be seen. level: Level how bright it is was: Level how bright it was" in one_line
    assert "(history: only properties read it)" in one_line
    assert "highest() -> Level The level at which it stops. filled by Lamp" in one_line
    assert "may_dim(level: Level) -> bool Whether it may be dimmed at a level. filled by Dimmed: Always." in one_line
    assert "is_bright() -> bool Whether it is at its brightest." in one_line
    assert "isrcheck check lamps.py:Dimmed" in page
    assert "[lamps.py" not in page


def test_places_are_shown_where_they_are_asked_for(lamps: Path) -> None:
    assert "may_dim(level: Level) -> bool" in (page := shown("lamps.py:Dimmed", "-v", width=120, folder=lamps))
    assert "filled by Dimmed: Always. [lamps.py:" in page


def test_a_model_is_the_same_in_json(lamps: Path) -> None:
    facts = json.loads(shown("lamps.py:Dimmed", "--json", "-", width=120, folder=lamps))
    assert facts["schema"] == "isrcheck.model/1"
    assert [(v["name"], v["type"], v["comment"], v["group"]) for v in facts["variables"]] == [
        ("level", "Level", "how bright it is", "What can be seen."),
        ("was", "Level", 'how bright it was; "#1" is no comment', "What can be seen."),
        ("switch", "bool", "", ""),
    ]
    policies = {p["name"]: (p["declared_by"], p["filled_by"], p["sentence"], p["as_filled"]) for p in facts["policies"]}
    assert policies == {
        "highest": ("Lamp", "Lamp", "The level at which it stops.", ""),
        "may_dim": ("Lamp", "Dimmed", "Whether it may be dimmed at a level.", "Always."),
    }
    assert facts["command"] == "isrcheck check lamps.py:Dimmed"


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> dict[str, summaries.Family]:
    """Two families, one of which has a model of its name."""
    listed = {
        "published": summaries.Family("Published designs.", {"kip-320": "KIP-320."}),
        "toys": summaries.Family("Tiny models.", {"toy-clock": "A clock.", "toys": "A toy."}),
    }
    monkeypatch.setattr("isrcheck.commands.list.families", lambda: listed)
    monkeypatch.setattr("isrcheck.commands.list.find_model", lambda name: catalogue.find_model("toy-clock"))
    return listed


@pytest.mark.slow
def test_a_plain_list_has_a_line_for_each_family(monkeypatch: pytest.MonkeyPatch) -> None:
    for width, most in ((60, 40), (80, 30), (120, 20)):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = in_process("list").stdout.splitlines()
        assert len(lines) <= most
        assert max(map(columns, lines)) <= width
    assert all(f"  {name} (" in " ".join(lines) for name in ("published", "isr", "kraft", "raft", "toys"))
    assert all(name in in_process("list", "--all").stdout for name in catalogue.models_by_name())


def test_a_package_that_offers_models_itself_is_a_family_by_the_name_of_the_offer() -> None:
    assert catalogue.family_of(catalogue.find_model("toy-clock")) == "toys"


def test_a_package_of_one_module_is_a_family_by_its_own_name(package: Package) -> None:
    assert list(summaries.families()) == ["acme_models"]


@pytest.mark.usefixtures("few")
def test_families_a_family_and_a_model_of_its_name() -> None:
    plain = in_process("list").stdout
    assert "toys (2)" in plain
    assert "toy-clock" not in plain
    family = in_process("list", "toys").stdout
    assert "A clock." in family
    assert "kip-320" not in family
    assert "isrcheck check toy-clock" in family
    assert all(name in in_process("list", "--all").stdout for name in ("kip-320", "toy-clock"))
    assert "variables" in in_process("list", "toys", "--model").stdout


def test_a_model_says_how_its_class_is_imported() -> None:
    for name, statement in (
        ("kip-320", "from isrmodel import Kip320"),
        ("isr-strict-min-isr", "from isrmodel.isr import StrictMinIsr"),
        ("forever-strict-min-isr", "from isrmodel.forever.policies import StrictMinIsrForever"),
    ):
        assert f"\n  {statement}\n  isrcheck check {name}\n" in in_process("list", name).stdout


@pytest.mark.usefixtures("few")
def test_families_are_the_same_in_json(few: dict[str, summaries.Family]) -> None:
    listed = json.loads(in_process("list", "toys", "--json", "-").stdout)
    assert listed["schema"] == "isrcheck.list/1"
    assert listed["families"] == [{"name": "toys", "sentence": "Tiny models.", "models": few["toys"].models}]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("-v",), "--places is of one model: name it"),
        (("toys", "-v"), "--places is of one model, and toys is a family: name a model of it."),
        (("toys", "--all"), "--all is of all models: give it alone."),
    ],
)
@pytest.mark.usefixtures("few")
def test_wrong_use_of_list(words: tuple[str, ...], sentence: str) -> None:
    done = in_process("list", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
