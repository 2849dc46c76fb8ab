"""Files that isrcheck keeps in the user's cache folder."""

import os
from pathlib import Path

import pytest

from isrcheck.user_cache import CacheFolder, user_cache


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    cache = CacheFolder(tmp_path / "new" / "folder")
    assert cache.get("name") is None
    cache.put("name", b"content")
    assert cache.get("name") == b"content"
    assert cache.get("other") is None


@pytest.mark.parametrize("damaged", [b"", b"content", b"x" * 200, "flipped", "cut", "longer", "renamed"])
def test_damaged_files_are_not_believed(tmp_path: Path, damaged: bytes | str) -> None:
    cache = CacheFolder(tmp_path)
    cache.put("name", b"content")
    original = (tmp_path / "name").read_bytes()
    changed = {
        "flipped": original[:-1] + bytes([original[-1] ^ 1]),
        "cut": original[:-1],
        "longer": original + b"x",
        "renamed": original,
    }
    name = "renamed" if damaged == "renamed" else "name"
    (tmp_path / name).write_bytes(changed[damaged] if isinstance(damaged, str) else damaged)
    assert cache.get(name) is None


def test_a_folder_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = CacheFolder(tmp_path / "file" / "cache")
    cache.put("name", b"content")
    assert cache.get("name") is None


def test_where_the_folder_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_cache().path == tmp_path / "own"
    monkeypatch.delenv("ISRCHECK_CACHE_DIR")
    assert user_cache().path == tmp_path / "isrcheck"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert user_cache().path == tmp_path / "home" / ".cache" / "isrcheck"


def test_a_user_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ISRCHECK_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 54_321)  # nobody of this number is known here
    cache = user_cache()
    cache.put("name", b"content")
    assert cache.get("name") is None
