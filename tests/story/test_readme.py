"""What the README shows is what happens."""

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def docs() -> list[str]:
    """Every page of docs/, by its path."""
    return [page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").rglob("*.md")]


@cache
def kept() -> frozenset[str]:
    """Every file that git keeps, and every folder with one; outside a checkout, what is there."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    files = [Path(line) for line in listed.stdout.splitlines()] or [p.relative_to(ROOT) for p in ROOT.rglob("*")]
    return frozenset(path.as_posix() for file in files for path in (file, *file.parents))


def isrcheck(words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "isrcheck", *words.split()]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=cwd, check=False)


def test_the_variant_of_the_readme_is_refuted(tmp_path: Path) -> None:
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    command = re.search(r"^    isrcheck (check \./mine.*)$", README, re.MULTILINE)
    assert code
    assert command
    (tmp_path / "mine.py").write_text(code[1], encoding="utf-8")
    done = isrcheck(command[1], tmp_path)
    assert done.returncode == 12
    assert "strong_isr is violated" in done.stdout


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= 900


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md", "reports/README.md", *sorted(docs())])
def test_links_lead_to_files_that_git_keeps(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)", text)
    targets = [os.path.relpath((ROOT / page).parent / link, ROOT) for link in links]
    assert [target for target in targets if target not in kept()] == []


def test_no_page_of_docs_is_alone() -> None:
    pages = {page.removeprefix("docs/") for page in docs() if "/adr/" not in page}
    texts = {page: (ROOT / page).read_text(encoding="utf-8") for page in ["README.md", *docs()]}
    alone = [p for p in pages if not any(p in text for page, text in texts.items() if page != f"docs/{p}")]
    assert alone == []
