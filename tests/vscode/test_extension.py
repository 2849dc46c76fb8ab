"""The extension's manifest fits the server, and Node builds, tests and packages it."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

from isrcheck.editor.server import commands, show
from isrcheck.version import __version__

ROOT = Path(__file__).parents[2]
HOME = ROOT / "editors" / "vscode"
MANIFEST = json.loads((HOME / "package.json").read_text(encoding="utf-8"))
SOURCES = {file.name: file.read_text(encoding="utf-8") for file in sorted((HOME / "src").glob("*.ts"))}


def test_the_commands_are_those_of_the_server() -> None:
    contributed = {each["command"] for each in MANIFEST["contributes"]["commands"]}
    of_server = {f"isrcheck.{name}" for name in show.COMMANDS}
    own = set(re.findall(r'registerCommand\("(isrcheck\.\w+)"', SOURCES["extension.ts"]))
    assert contributed == of_server | own
    words = re.findall(r'"(isrcheck[./]\w+)"', SOURCES["protocol.ts"])
    assert set(words) == of_server | {show.SHOW_TRACE, commands.OUTCOME}


def test_every_setting_is_used_and_said() -> None:
    settings = {name.removeprefix("isrcheck.") for name in MANIFEST["contributes"]["configuration"]["properties"]}
    used = set(re.findall(r'settings\.get(?:<[^>]*>)?\("(\w+)"', SOURCES["server.ts"]))
    assert settings == used | {"trace.server"}  # the client's library reads that one
    assert "isrcheck.command" in (HOME / "README.md").read_text(encoding="utf-8")


def test_nothing_runs_in_a_workspace_that_is_not_trusted() -> None:
    assert MANIFEST["capabilities"]["untrustedWorkspaces"]["supported"] is False


def test_what_npm_installs_has_a_hash_and_names_no_host() -> None:
    locked = json.loads((HOME / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: about for name, about in locked["packages"].items() if name and not about.get("link")}
    assert len(packages) > 100
    assert [name for name, about in packages.items() if not about["integrity"].startswith("sha512-")] == []
    assert [name for name, about in packages.items() if "resolved" in about] == []
    assert locked["packages"][""]["devDependencies"] == MANIFEST["devDependencies"]
    assert "dependencies" not in MANIFEST  # all is in one file of the package


@pytest.mark.parametrize("version", [None, "18.0.0"])
def test_without_node_one_sentence_is_said(tmp_path: Path, version: str | None) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "dirname", "sed", "cat"):
        (tools / name).symlink_to(shutil.which(name) or name)
    if version:
        says = f"#!/bin/sh\ncase $2 in *parseInt*) echo false ;; *) echo {version} ;; esac\n"
        for name in ("node", "npm"):
            (tools / name).write_text(says, encoding="utf-8")
            (tools / name).chmod(0o755)
    done = subprocess.run(
        [tools / "sh", ROOT / "dev", "vsix"], env={"PATH": str(tools)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("dev: the extension is built by Node")
    assert ("install Node 20 or newer" if version is None else f"this is Node {version}.") in line


@pytest.mark.slow
@pytest.mark.skipif(not (shutil.which("node") and shutil.which("npm")), reason="no Node and npm to build the extension")
def test_it_is_built_tested_and_packaged(tmp_path: Path) -> None:
    for name in ("dev", "LICENSE", "checker/isrcheck/version.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(HOME, tmp_path / "editors" / "vscode", ignore=shutil.ignore_patterns("node_modules", "out"))
    done = subprocess.run(
        [tmp_path / "dev", "vsix"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^# pass \d\d$", done.stdout, re.MULTILINE)
    assert re.search(r"^# fail 0$", done.stdout, re.MULTILINE)
    (packaged,) = (tmp_path / "dist").iterdir()
    assert packaged.name == f"isrcheck-{__version__}.vsix"
    with ZipFile(packaged) as files:
        assert sorted(files.namelist()) == [
            "[Content_Types].xml",
            "extension.vsixmanifest",
            "extension/LICENSE.txt",
            "extension/out/extension.js",
            "extension/out/licences.txt",
            "extension/package.json",
            "extension/readme.md",
        ]
        assert json.loads(files.read("extension/package.json"))["version"] == __version__
        assert b"vscode-languageclient" in files.read("extension/out/licences.txt")
