"""What docs say about installing works before there is a release, from a clone as from a wheel."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.structure.sources import PYPROJECT, ROOT

from isrcheck.version import __version__

INSTALL = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
EXTRAS = sorted(PYPROJECT["project"]["optional-dependencies"])


def test_no_page_asks_a_registry_for_isrcheck() -> None:
    asked = re.compile(r"pip install\b.*[ '\"]isrcheck(\[\w+\])?(?! ?@| ?\[|\w)")
    assert asked.search("pip install 'isrcheck[spark]'")
    wrong = [
        f"{page.relative_to(ROOT)}: {line}"
        for page in [ROOT / "README.md", ROOT / "action.yml", *ROOT.glob("docs/*.md"), *ROOT.glob("checker/**/*.py")]
        for line in page.read_text(encoding="utf-8").splitlines()
        if asked.search(line)
    ]
    assert wrong == []


def test_the_page_lists_the_extras_and_the_pythons() -> None:
    listed = ["symbolic", "spark", "editor", "brokers"]
    assert re.findall(r"^\| `(\w+)` \|", INSTALL, re.MULTILINE) == listed
    assert sorted(re.findall(r"^\| `(\w+)` \|", INSTALL, re.MULTILINE)) == EXTRAS
    assert f"isrcheck-{__version__}-py3-none-any.whl" in INSTALL


def test_the_line_that_is_printed_is_the_one_on_the_page() -> None:
    code = (
        "import sys; sys.executable = '/home/me/.venv/bin/python'; sys.modules['z3'] = None\n"
        "from isrcheck.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "prove", "toy-mutex"], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 2
    assert "".join(f"    {line}\n" for line in done.stderr.splitlines()) in INSTALL


@pytest.mark.parametrize("extra", EXTRAS)
def test_pip_takes_the_path_of_a_clone_with_an_extra(extra: str, tmp_path: Path) -> None:
    assert (
        f"'CHECKOUT[{extra}]'" in "".join(p.read_text(encoding="utf-8") for p in ROOT.glob("docs/*.md"))
        or extra == "graph"
    )
    done = subprocess.run(
        [
            sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--no-build-isolation", "--no-index",
            "--ignore-installed", "--target", str(tmp_path), f"{ROOT}[{extra}]",
        ],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"Would install isrcheck-{__version__}" in done.stdout
    assert "does not provide the extra" not in done.stderr
