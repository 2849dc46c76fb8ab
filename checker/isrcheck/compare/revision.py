"""A repository as it was: its Python files at a revision of git, in a folder of their own."""

import io
import tarfile
from collections.abc import Iterable
from pathlib import Path

from isrcheck.errors import UsageError
from isrcheck.git import git
from isrcheck.wrap import plain

_CHECKER = Path(__file__).resolve().parents[2]


def repository_of(file: Path) -> Path:
    """The top folder of a file's repository. Raises UsageError outside one, and without git."""
    done = git(file.parent, "rev-parse", "--show-toplevel")
    if done.returncode:
        raise UsageError(
            f"{plain(str(file))} is in no git repository, so there is no earlier state of it: `isrcheck diff` "
            "compares models that are checked out."
        )
    return Path(done.stdout.decode(errors="surrogateescape").rstrip("\n")).resolve()


def python_files_at(repository: Path, commit: str, folder: Path) -> None:
    """Writes the Python files of a commit into an empty folder. Raises UsageError."""
    if not git(repository, "ls-tree", "-r", "--name-only", commit, "--").stdout:
        return
    done = git(repository, "archive", "--format=tar", commit, "--", ":(top,glob)**/*.py")
    if done.returncode:
        said = plain(" ".join(done.stderr.decode(errors="replace").split()))
        if "did not match any files" in said:
            return
        raise UsageError(f"git cannot tell the files of {commit[:12]}: {said}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as files:
        # Not an argument: Python 3.11.3 and older do not know it, and there every member is taken as it is.
        files.extraction_filter = getattr(tarfile, "data_filter", None)
        files.extractall(folder)


def paths_at(paths: Iterable[str], repository: Path, folder: Path) -> list[str]:
    """Return Python's search path with the repository's folders replaced by those of a revision below `folder`."""
    moved = []
    for path in paths:
        real = Path(path or ".").resolve()
        own = real.is_relative_to(repository) and "site-packages" not in real.parts and real != _CHECKER
        moved.append(str(folder / real.relative_to(repository)) if own else str(real))
    return moved
