"""What the results need to show themselves is in the wheel."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.structure.sources import ROOT

NEEDED = {
    "isrcheck/evidence/forms/page.css",
    "isrcheck/evidence/forms/parts.js",
    "isrcheck/evidence/forms/steps.html",
    "isrcheck/evidence/forms/steps.js",
    "isrcheck/evidence/writers/blocks.html.j2",
    "isrcheck/evidence/writers/fragment.css",
    "isrcheck/evidence/writers/fragment.html.j2",
}


@pytest.mark.slow
def test_scripts_and_styles_are_in_the_wheel(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=600)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(ZipFile(wheel).namelist())
    assert NEEDED - names == set()
    assert [name for name in names if name.endswith(".ipynb")] == []
