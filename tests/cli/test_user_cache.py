"""Files that isrcheck keeps in the user's cache folder."""

import os
from pathlib import Path

import pytest

from isrcheck import user_cache as user_cache_module
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


def ages(folder: Path, *names: str) -> None:
    """Have been used in this order, long ago."""
    for at, name in enumerate(names):
        os.utime(folder / name, (1000 + at, 1000 + at))


def names_in(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_what_was_used_least_recently_goes_first(tmp_path: Path) -> None:
    cache = CacheFolder(tmp_path)
    for name in "abcd":
        cache.put(name, bytes(1 << 16))
    (tmp_path / "thesis.txt").write_bytes(bytes(1 << 10))
    ages(tmp_path, "thesis.txt", *"abcd")
    assert cache.get("a") == bytes(1 << 16)
    cache.trim(most=300_000)
    assert names_in(tmp_path) == {*"abcd", "thesis.txt"}
    cache.trim(most=200_000)
    assert names_in(tmp_path) == {"a", "d", "thesis.txt"}  # which isrcheck did not write


def test_many_small_files_count_as_what_they_take_on_the_disk(tmp_path: Path) -> None:
    cache = CacheFolder(tmp_path)
    for name in "abcd":
        cache.put(name, b"1")
    for file in cache._files():
        assert file.bytes == max(file.path.stat().st_size, file.path.stat().st_blocks * 512)


def test_the_cache_has_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written in small files is looked at now and then, and in a large one at once."""
    monkeypatch.setattr(user_cache_module, "MOST_BYTES", 1)
    looks: list[int] = []
    monkeypatch.setattr(CacheFolder, "trim", lambda *_: looks.append(1))
    cache = CacheFolder(tmp_path)
    for at in range(64):
        cache.put(str(at), bytes(1 << 19))
    assert 0 < len(looks) < 16
    looks.clear()
    cache.put("large", bytes(16 << 20))
    assert looks == [1]


def test_another_run_may_remove_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = CacheFolder(tmp_path)
    for name in "ab":
        cache.put(name, bytes(1000))
    files = list(cache._files())
    monkeypatch.setattr(CacheFolder, "_files", lambda _: iter(files))
    (tmp_path / "a").unlink()
    cache.trim(most=100)
    assert names_in(tmp_path) == set()
