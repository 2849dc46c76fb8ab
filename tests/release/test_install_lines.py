"""The lines with `pip install` in the documents work on the files of a release; extras that a message names exist."""

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from packaging.requirements import Requirement
from tests.structure.sources import CHECKER, MODEL, PYPROJECT, python_files
from tools.release.build import DIST, export, make_release
from tools.release.environments import Environment, new, pythons
from tools.site.repository import ROOT, files_in_git, read_file

from isrcheck.extras import LIBRARIES
from isrcheck.version import __version__

EXTRAS = set(PYPROJECT["project"]["optional-dependencies"])
_INSTALL = re.compile(r"(?<![\w/])(?:\$ )?((?:python -m )?pip install [^`#|\n]+)")
# What a document installs: a clone, the wheel in it, the repository wherever it is, or the locked libraries.
_FORMS = re.compile(
    rf"CHECKOUT(/dist/isrcheck-{re.escape(__version__)}-py3-none-any\.whl)?(\[(?P<extra>\w+)\])?"
    r"|isrcheck(\[(?P<other>\w+)\])? @ git\+https://github\.com/OWNER/isrcheck"
    r"|CHECKOUT/locks/base\.txt"
)
# For git, this checkout is at the address that the documents write.
HERE = {
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": f"url.file://{ROOT}.insteadOf",
    "GIT_CONFIG_VALUE_0": "https://github.com/OWNER/isrcheck",
}
PAGES = [path for path in files_in_git() if path.endswith(".md") and not path.startswith(("docs/adr/", "tests/"))]


def lines() -> list[tuple[str, str]]:
    """Every line of the documents that installs isrcheck, with its page."""
    found = [(page, match.strip()) for page in PAGES for match in _INSTALL.findall(read_file(page))]
    return [(page, line) for page, line in found if re.search(r"CHECKOUT|isrcheck", line)]


def installed(line: str) -> str:
    """What a line installs."""
    return next(word for word in shlex.split(arguments(line)) if not word.startswith("-"))


def arguments(line: str) -> str:
    """What follows `pip install`."""
    return line.partition(" install ")[2]


def test_there_are_lines() -> None:
    pages = {page for page, _ in lines()}
    assert {"docs/install.md", "docs/spark.md", "docs/ci.md", "docs/first-gate.md", "docs/brokers.md"} <= pages


@pytest.mark.parametrize(("page", "line"), lines())
def test_a_line_installs_what_there_is(page: str, line: str) -> None:
    """From a clone, a wheel of this version or a repository, with an extra that the project has."""
    form = _FORMS.fullmatch(installed(line))
    assert form, f"{page}: {line}"
    assert {form["extra"], form["other"]} - {None} <= EXTRAS


@pytest.fixture(scope="module")
def clone() -> Iterator[Path]:
    """What git keeps, with the files of a release in dist/."""
    with TemporaryDirectory() as folder:
        make_release(Path(folder, "made"))
        export(Path(folder, "clone"))
        shutil.copytree(Path(folder, "made", "dist"), Path(folder, "clone", DIST.name))
        yield Path(folder, "clone")


@pytest.fixture(scope="module")
def environment() -> Iterator[Environment]:
    with TemporaryDirectory() as folder:
        yield new(next(iter(pythons().values())), Path(folder))


@pytest.mark.slow
@pytest.mark.parametrize("line", sorted({f"pip install {arguments(line)}" for _, line in lines()}))
def test_a_line_works(environment: Environment, clone: Path, line: str) -> None:
    """Without the libraries that isrcheck needs, which the tests in clean environments install."""
    words = [word.replace("CHECKOUT", str(clone)) for word in shlex.split(line)]
    environment.python("-m", *words, "--no-deps", "--force-reinstall", more=HERE)
    if "locks/" in line:
        environment.python("-c", "import click, llvmlite, msgspec")
        return
    shown = environment.python("-m", "pip", "show", "--files", "isrcheck").stdout
    assert f"Version: {__version__}\n" in shown
    assert "isrmodel/__init__.py" in shown


def sources() -> tuple[Path, ...]:
    return python_files(CHECKER, MODEL, ROOT / "brokers")


def test_every_library_that_is_asked_for_has_an_extra() -> None:
    """In all three packages: need(NAME) knows no other names."""
    texts = [file.read_text(encoding="utf-8") for file in sources()]
    names = {name for each in texts for name in re.findall(r"\bneed\(\"(\w+)\"\)", each)}
    assert len(names) > 5
    assert names <= LIBRARIES.keys()


def test_every_extra_that_a_text_names_is_there() -> None:
    """In messages and in documents."""
    texts = [file.read_text(encoding="utf-8") for file in sources()] + [read_file(page) for page in PAGES]
    forms = re.compile(r"\bextra `(\w+)`|\bthe extra (\w+) with\b|\b(?:isrcheck|CHECKOUT|whl)\[(\w+)\]")
    named = {name for each in texts for match in forms.findall(each) for name in match if name}
    assert {"symbolic", "spark", "editor"} <= named
    assert named <= EXTRAS


def test_the_remedy_of_an_extra_is_what_the_wheel_asks_for() -> None:
    asked = {
        str(Requirement(text)) for texts in PYPROJECT["project"]["optional-dependencies"].values() for text in texts
    }
    assert {str(Requirement(library.requirement)) for library in LIBRARIES.values()} == asked
