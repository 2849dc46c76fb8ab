"""`isrcheck list` reads no model while nothing has changed, and never shows what is no longer so."""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from isrcheck import Model, catalogue, summaries
from isrcheck.errors import UsageError

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
        return summaries.summaries()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Package]:
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    offers = (EntryPoint("acme", "acme_models.lamps:MODELS", catalogue.GROUP),)
    for module in (catalogue, summaries):
        monkeypatch.setattr(module, "offers", lambda: offers)
    made, known = Package(tmp_path), catalogue.known_models
    monkeypatch.setattr(summaries, "known_models", partial(made.known_models, known.__wrapped__))
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
    read: Callable[[], Any] = vars(summaries)["known_models"]

    def changing() -> Any:
        models = read()
        package.write(f" that changed {package.reads} times")
        return models

    monkeypatch.setattr(summaries, "known_models", changing)
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
