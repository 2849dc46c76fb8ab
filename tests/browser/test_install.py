"""`./dev test` installs Chromium where there is none and it may, and where it cannot the tests go on."""

import os
import subprocess
from pathlib import Path

import pytest

DEV = Path(__file__).parents[2] / "dev"
CALLS = """timeout 120 apt-get update -qq
timeout 300 apt-get install -qq -y --no-install-recommends chromium
"""


def installed(
    folder: Path, user: int = 0, present: str = "", fails: bool = False, **environment: str
) -> tuple[str, str]:
    """What was called on a machine that has these commands only, and what was said."""
    calls = folder / "calls"
    calls.touch()
    ends = 1 if fails else 0
    commands = {"id": f"echo {user}", "apt-get": "", "timeout": f'echo "timeout $*" >>{calls}; exit {ends}'}
    for name, text in {**commands, **({present: ""} if present else {})}.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    text = DEV.read_text(encoding="utf-8")
    start = text.index("install_browser() {")
    function = text[start : text.index("\n}\n", start) + 3]
    done = subprocess.run(
        ["/bin/sh", "-euc", f"{function}install_browser"],
        env={"PATH": str(folder), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == ""
    return calls.read_text(encoding="utf-8"), done.stderr


def test_it_is_installed_where_it_is_missing(tmp_path: Path) -> None:
    assert installed(tmp_path) == (CALLS, "dev: installing chromium for the tests in tests/browser\n")


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome"])
def test_one_that_is_there_is_enough(tmp_path: Path, name: str) -> None:
    assert installed(tmp_path, present=name) == ("", "")


def test_nothing_is_installed_for_another_user_or_against_ones_wish(tmp_path: Path) -> None:
    assert installed(tmp_path, user=1000) == ("", "")
    assert installed(tmp_path, ISRCHECK_NO_CHROMIUM="1") == ("", "")


def test_a_failure_is_said_and_the_tests_go_on(tmp_path: Path) -> None:
    calls, said = installed(tmp_path, fails=True)
    assert calls == CALLS.splitlines(keepends=True)[0]
    assert said.endswith("dev: chromium could not be installed; the tests in a browser are skipped\n")
    assert os.access(DEV, os.X_OK)
