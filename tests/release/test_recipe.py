"""The container's recipe: pinned, without root at the end, and every instruction works."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tools.release.build import export, make_release
from tools.release.recipe import RECIPE, Instruction, Root, bootstrap, instructions

from isrcheck.version import __version__

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
