"""The lines with `pip install` in the documents work on the files of a release; extras that a message names exist."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from packaging.requirements import Requirement
from tests.structure.sources import CHECKER, MODEL, PYPROJECT, python_files
from tools.release.build import DIST, export, make_release
from tools.release.environments import Environment, new, pythons
from tools.release.recipe import RECIPE, Instruction, Root, bootstrap, instructions
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


TEXT = RECIPE.read_text(encoding="utf-8")
SAID = instructions(TEXT)


def test_its_base_is_pinned_by_a_whole_version() -> None:
    bases = [rest for word, rest in SAID if word == "FROM"]
    assert len(bases) == 1
    assert re.fullmatch(r"docker\.io/library/python:3\.(11|12|13|14)\.\d+-slim-\w+", bases[0])


def test_it_ends_as_another_user_than_root() -> None:
    """By number, which engines that refuse root can read."""
    words = [word for word, _ in SAID]
    user = next(rest for word, rest in SAID if word == "USER")
    assert user.isdecimal()
    assert int(user) > 1000
    assert f"useradd --uid {user} " in TEXT
    assert words.index("USER") < words.index("ENTRYPOINT")
    assert not any(word in ("RUN", "COPY", "ADD") for word in words[words.index("USER") :])


def test_it_installs_the_wheel_of_this_version_with_locked_libraries() -> None:
    assert set(re.findall(r"isrcheck-([\d.]+)-py3", TEXT)) == {__version__}
    assert "--require-hashes -r /tmp/locks/base.txt" in TEXT
    assert "apt-get" not in TEXT  # it takes nothing from elsewhere
    for word, rest in SAID:
        if word == "COPY":
            assert all(file.startswith(("locks/", "dist/")) for file in rest.split()[:-1])


def test_instructions_are_read() -> None:
    text = "# a remark\nRUN a \\\n # another\n && b\n\nUSER 1\n"
    assert instructions(text) == [Instruction("RUN", "a && b"), Instruction("USER", "1")]


@pytest.mark.slow
def test_every_instruction_works(tmp_path: Path) -> None:
    """In a Debian of its own as its root, without a container engine; its Python stands for the image's."""
    if os.geteuid() or not shutil.which("debootstrap"):
        pytest.skip("needs root and debootstrap (on Debian: apt-get install debootstrap)")
    make_release(tmp_path)
    export(tmp_path / "context")
    shutil.move(tmp_path / "dist", tmp_path / "context" / "dist")
    root = Root(tmp_path / "root", tmp_path / "root" / "wheels")
    bootstrap(root.folder)
    lock = tmp_path / "context" / "locks" / "base.txt"
    download = ["python3.11", "-m", "pip", "download", "--only-binary", ":all:", "--require-hashes", "-r", str(lock)]
    subprocess.run([*download, "--dest", str(root.wheels)], check=True, capture_output=True)
    root.execute(SAID, tmp_path / "context")
    assert root.run(["id", "-u"]).stdout == "10001\n"
    assert root.run([*root.entry_point, "--version"]).stdout == f"isrcheck, version {__version__}\n"
    checked = root.run(
        [*root.entry_point, "check", "kip-320", "-c", "replicas=2", "-c", "log_size=1", "-c", "max_records=1"]
    )
    assert checked.returncode == 0, checked.stderr
    assert list((root.folder / "cache").iterdir()), "what was compiled is kept"
