"""Headless Chromium, where there is one: loads a page, and hands back the document that it became."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync --enable-logging=stderr --virtual-time-budget=4000""".split()


def chromium() -> str:
    """The browser's path; the test is skipped where there is none."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("no Chromium here (on Debian: apt-get install chromium), so the page is not tried in a browser")
    return found


def loaded(page: Path, fragment: str = "", width: int = 1280) -> tuple[str, str]:
    """The document after its script has run, and what the console said."""
    with tempfile.TemporaryDirectory() as profile:
        address = f"{page.resolve().as_uri()}{fragment}"
        size = f"--window-size={width},900"
        done = subprocess.run(
            [chromium(), *FLAGS, f"--user-data-dir={profile}", size, "--dump-dom", address],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    return done.stdout, "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)
