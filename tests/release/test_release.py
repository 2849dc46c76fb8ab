"""The files of a release: the same bytes twice, whole, with a bill of materials that says what they bring."""

import io
import json
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

import pytest
from readme_renderer import markdown
from tests.structure.sources import PYPROJECT
from tools.release.build import ROOT, SUMS, commit_time, digest, git, make_release
from tools.release.materials import BASE, MARKER, component_of, read_lock

from isrcheck.version import __version__

WHEEL = f"isrcheck-{__version__}-py3-none-any.whl"
ARCHIVE = f"isrcheck-{__version__}.tar.gz"
BILL = f"isrcheck-{__version__}.cdx.json"


@pytest.fixture(scope="module")
def dist() -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        make_release(Path(folder))
        yield Path(folder, "dist")


@pytest.fixture(scope="module")
def metadata(dist: Path) -> str:
    with ZipFile(dist / WHEEL) as wheel:
        return wheel.read(f"isrcheck-{__version__}.dist-info/METADATA").decode("utf-8")


@pytest.fixture(scope="module")
def bill(dist: Path) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads((dist / BILL).read_text(encoding="utf-8"))
    return parsed


def test_these_are_the_files_and_their_hashes(dist: Path) -> None:
    assert sorted(file.name for file in dist.iterdir()) == sorted([SUMS, WHEEL, ARCHIVE, BILL])
    lines = [line.split("  ") for line in (dist / SUMS).read_text(encoding="utf-8").splitlines()]
    assert {name: hashed for hashed, name in lines} == {name: digest(dist / name) for name in (WHEEL, ARCHIVE, BILL)}


@pytest.mark.slow
def test_they_are_the_same_bytes_elsewhere(dist: Path, tmp_path: Path) -> None:
    """In another clone, under another mask, in another time zone and language, with another hash seed."""
    clone = tmp_path / "a clone"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)], check=True)
    (clone / "left.py").write_text("left here by somebody\n", encoding="utf-8")
    code = "from pathlib import Path; from tools.release.build import made; made(Path('out'))"
    odd = {
        **os.environ,
        "TZ": "Asia/Kathmandu",
        "LANG": "C",
        "PYTHONHASHSEED": "7",
        "PYTHONPATH": f"{clone / 'checker'}",
    }
    subprocess.run([sys.executable, "-c", code], cwd=clone, env=odd, umask=0o077, check=True, capture_output=True)
    assert (clone / "out" / "dist" / SUMS).read_bytes() == (dist / SUMS).read_bytes()


def test_the_wheel_has_the_packages_with_their_types(dist: Path) -> None:
    with ZipFile(dist / WHEEL) as wheel:
        names = wheel.namelist()
        times = {info.date_time for info in wheel.infolist()}
    assert {name.partition("/")[0] for name in names} == {
        "isrbrokers",
        "isrlogs",
        "isrcheck",
        "isrmodel",
        "isrrisk",
        "isrtoys",
        f"isrcheck-{__version__}.dist-info",
    }
    assert {f"{package}/py.typed" for package in ("isrcheck", "isrlogs", "isrmodel", "isrrisk", "isrtoys")} <= set(
        names
    )
    assert len(times) == 1  # the commit's
    for package in PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]:
        kept = git("ls-files", package).decode().splitlines()
        assert {file.partition("/")[2] for file in kept} <= set(names)  # scripts and styles too


def test_the_archive_has_what_git_keeps(dist: Path) -> None:
    with tarfile.open(dist / ARCHIVE) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()} - {"PKG-INFO"}
        assert {member.mtime for member in archive.getmembers()} == {commit_time()}
    with tarfile.open(fileobj=io.BytesIO(git("archive", "HEAD"))) as kept:
        assert names == {member.name for member in kept.getmembers() if member.isfile()}


def test_the_bill_names_what_each_install_brings(bill: dict[str, Any]) -> None:
    """The base install brings what locks/base.txt has; what a package needs is named beside it."""
    brings = {c["name"]: {p["name"]: p["value"] for p in c["properties"]} for c in bill["components"]}
    base = {name for name, told in brings.items() if BASE in told["isrcheck:installs"].split()}
    assert base == set(read_lock(ROOT / "locks" / "base.txt"))
    extras = {install for told in brings.values() for install in told["isrcheck:installs"].split()} - {BASE}
    assert extras == set(PYPROJECT["project"]["optional-dependencies"])
    assert brings["z3-solver"]["isrcheck:installs"] == "symbolic"
    assert brings["py4j"]["isrcheck:installs"] == "spark"
    needs = {d["ref"].split("@")[0]: {r.split("@")[0] for r in d.get("dependsOn", [])} for d in bill["dependencies"]}
    assert needs["pkg:pypi/jinja2"] == {"pkg:pypi/markupsafe"}
    assert "pkg:pypi/py4j" in needs["pkg:pypi/pyspark"]
    assert len(needs["pkg:pypi/isrcheck"]) == len(brings)


def test_the_bill_is_of_this_wheel(bill: dict[str, Any], dist: Path) -> None:
    product = bill["metadata"]["component"]
    assert (product["name"], product["version"]) == ("isrcheck", __version__)
    assert product["hashes"] == [{"alg": "SHA-256", "content": digest(dist / WHEEL)}]
    assert product["licenses"] == [{"license": {"id": "Apache-2.0"}}]
    assert bill["specVersion"] == "1.6"


def test_versions_of_some_pythons_only_are_told_apart() -> None:
    locked = read_lock(ROOT / "locks" / "dev.txt")["networkx"]
    components = [component_of(one, {}) for one in locked]
    assert len(components) == 2
    assert all(MARKER in {each.name for each in component.properties} for component in components)


def test_the_readme_renders_alone(metadata: str) -> None:
    """As an index shows it: every link that is left is on the network, and no sentence speaks of a picture."""
    text = metadata.partition("\n\n")[2]
    warned = io.StringIO()
    html = markdown.render(text, stream=warned)
    assert html is not None
    assert warned.getvalue() == ""
    assert re.findall(r'(?:href|src)="(?!https:|#)([^"]+)"', html) == []
    assert "![" not in text
    assert not re.search(
        r"\b(left|right)\b[,.]?\s*$|on the (left|right)|: the (first|second)|One lane per broker", text, re.MULTILINE
    )
    assert "<table>" in html
    assert "What was found" in html
    assert "in the source archive" in html


def test_the_version_stands_in_one_place() -> None:
    """Other files of a release that have a version have the same."""
    assert "version" in PYPROJECT["project"]["dynamic"]
    assert PYPROJECT["tool"]["hatch"]["version"]["path"] == "checker/isrcheck/version.py"
    listed = git("ls-files", "*package.json").decode().split()
    assert {json.loads((ROOT / file).read_text(encoding="utf-8"))["version"] for file in listed} <= {
        "0.0.0"
    }  # `./dev vsix` fills it
    pages = [ROOT / "README.md", ROOT / "Containerfile", *(ROOT / "docs").glob("*.md")]
    named = {
        match for page in pages for match in re.findall(r"isrcheck-(\d[\d.]*\d)", page.read_text(encoding="utf-8"))
    }
    assert named == {__version__}
