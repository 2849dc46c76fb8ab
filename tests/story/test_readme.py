"""What the README shows is what happens."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def isrcheck(words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "isrcheck", *words.split()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=cwd, check=False)


def test_the_first_minute_prints_these_steps(tmp_path: Path) -> None:
    command = re.search(r"^    \$ isrcheck (check truncate.*)$", README, re.MULTILINE)
    assert command
    done = isrcheck(command[1], tmp_path)
    assert done.returncode == 12
    shown = README[README.index("   4  leader_writes") : README.index("    exit 12, as expected")]
    for line in shown.splitlines():
        assert line.strip() in done.stdout


def test_the_variant_of_the_readme_is_refuted(tmp_path: Path) -> None:
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    command = re.search(r"^    isrcheck (check \./mine.*)$", README, re.MULTILINE)
    assert code
    assert command
    (tmp_path / "mine.py").write_text(code[1], encoding="utf-8")
    done = isrcheck(command[1], tmp_path)
    assert done.returncode == 12
    assert "strong_isr is violated" in done.stdout


def test_every_page_that_the_readme_points_to_exists() -> None:
    pages = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(pages) > 5
    assert [p for p in pages if not (ROOT / p).exists()] == []
