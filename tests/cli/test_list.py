"""`isrcheck list`: families, and a model with what a variant fills."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pytest
from tests.fixtures.command_line import as_process, in_process

from isrcheck import catalogue, cli
from isrcheck.commands.headings import OTHERS, SECTIONS, SectionedCommand, sections_of, summary_of
from isrcheck.errors import UsageError
from isrcheck.families import Family, families
from isrcheck.wrap import columns

TEXT = '''
from isrcheck import Model, invariant, action

class Lamp(Model):
    """A lamp.

    More is not listed.
    """

    on: bool = False

    @action
    def press(self) -> None:
        self.on = not self.on

    @invariant
    def on_or_off(self) -> bool:
        return self.on or not self.on

MODELS = {"lamp": Lamp}
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed package with one model: the module's file."""
    file = tmp_path / "acme_models" / "lamps.py"
    file.parent.mkdir()
    (file.parent / "__init__.py").write_text("")
    file.write_text(TEXT)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    offers = (EntryPoint("acme", "acme_models.lamps:MODELS", catalogue.GROUP),)
    monkeypatch.setattr(catalogue, "offers", lambda: offers)
    monkeypatch.setattr("isrcheck.families.models_by_name", catalogue.models_by_name.__wrapped__)
    yield file
    for name in [name for name in sys.modules if name.startswith("acme_models")]:
        del sys.modules[name]


def test_a_model_is_listed_with_its_first_paragraph(package: Path) -> None:
    assert families() == {"acme_models": Family("", {"lamp": "A lamp."})}


def test_a_listed_model_is_not_read(package: Path) -> None:
    package.write_text(TEXT.replace("not self.on\n\n    @inv", "print()\n\n    @inv"))
    assert families()["acme_models"].models == {"lamp": "A lamp."}


def test_a_package_that_is_gone_is_said_to_be(package: Path) -> None:
    package.unlink()
    with pytest.raises(UsageError, match=r"the models of acme_models.lamps:MODELS cannot be loaded: .* again\."):
        families()


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
def few(monkeypatch: pytest.MonkeyPatch) -> dict[str, Family]:
    """Two families, one of which has a model of its name."""
    listed = {
        "published": Family("Published designs.", {"kip-320": "KIP-320."}),
        "toys": Family("Tiny models.", {"toy-clock": "A clock.", "toys": "A toy."}),
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


def test_a_package_of_one_module_is_a_family_by_its_own_name(package: Path) -> None:
    assert list(families()) == ["acme_models"]


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
def test_families_are_the_same_in_json(few: dict[str, Family]) -> None:
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


TARGETS = {**cli.COMMANDS, **cli._offers()}
MOST_OPTIONS = 12  # without headings
CLASS_NAME = re.compile("[A-Z][a-z]+[A-Z][a-z]")


def command(name: str) -> click.Command:
    found = cli.commands.get_command(click.Context(cli.commands), name)
    assert found is not None
    return found


def sentences(help_text: str, width: int) -> dict[str, str]:
    """Each command of the page with its sentence, which may take several lines."""
    known: dict[str, str] = {}
    name = ""
    for line in help_text.split("\nOptions:")[0].splitlines():
        word, _, rest = line.strip().partition("  ")
        if line.startswith("  ") and word in TARGETS:
            name, known[word] = word, rest.strip()
        elif line.startswith("   ") and name:
            known[name] += f" {line.strip()}"
    return known


@pytest.mark.parametrize("width", [60, 80, 120])
def test_each_command_stands_in_one_section_with_its_whole_sentence(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    text = in_process("--help").stdout
    assert max(map(columns, text.splitlines())) <= width
    assert [line[:-1] for line in text.splitlines() if line.endswith(":")] == [*SECTIONS, "Options"]
    assert sentences(text, width) == {name: summary_of(TARGETS[name]) for name in TARGETS}
    assert "..." not in text.split("Options:")[1 if width < 80 else 0].replace("[ARGS]...", "")


def test_each_sentence_is_one_line_at_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = in_process("--help").stdout.splitlines()
    for name, target in TARGETS.items():
        assert any(line.split() == [name, *summary_of(target).split()] for line in lines), name


def test_a_summary_is_what_the_command_itself_says_first() -> None:
    for name, target in TARGETS.items():
        summary = summary_of(target)
        assert summary.endswith("."), name
        assert summary == " ".join((command(name).help or "").split("\n\n")[0].split())


def test_help_imports_no_command() -> None:
    code = "import sys; from isrcheck.cli import commands; commands.main(['--help'], standalone_mode=False)\n"
    code += "print([m for m in sys.modules if m.startswith(('isrcheck.commands.', 'rich')) or m.endswith('command')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "['isrcheck.commands.headings']"


def test_a_command_of_another_package_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "acme_command.py").write_text('def purge() -> None:\n    """Purge\n    it.\n\n    More.\n    """\n')
    monkeypatch.syspath_prepend(tmp_path)
    assert dict(sections_of(["purge", "check", "list"])) == {"Check": ["list", "check"], OTHERS: ["purge"]}
    assert summary_of("acme_command:purge") == "Purge it."
    assert summary_of("acme_command:other") == ""


@pytest.mark.parametrize("name", TARGETS)
def test_many_options_stand_under_headings(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    own = command(name)
    options = [p for p in own.params if isinstance(p, click.Option) and not p.hidden]
    assert isinstance(own, SectionedCommand) or len(options) <= MOST_OPTIONS
    assert not [option.help for option in options if CLASS_NAME.search(option.help or "")]
    for width in (60, 80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = in_process(name, "--help").stdout.splitlines()
        assert max(map(columns, lines)) <= width
        first = next(number for number, line in enumerate(lines) if line.endswith(":"))
        names = [word for line in lines[first:] if line[:3] == "  -" for word in line.split("  ")[1].split()]
        assert all(names.count(option.opts[-1]) == 1 for option in options)
    if isinstance(own, SectionedCommand):
        assert lines[lines.index("Other:") + 1].split()[:2] == ["-h,", "--help"]
