"""Git, asked by its command."""

import subprocess
from pathlib import Path

from isrcheck.errors import UsageError
from isrcheck.wrap import plain

_SECONDS = 120.0


def commit_of(repository: Path, ref: str) -> str:
    """The commit that a revision names. Raises UsageError if there is none."""
    done = git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if done.returncode:
        raise UsageError(
            f"there is no revision {ref} in {plain(str(repository))}: give a commit, a branch or a tag. A "
            "shallow clone lacks older ones; `git fetch --unshallow` brings them."
        )
    return done.stdout.decode().strip()


def git(folder: Path, *words: str, seconds: float = _SECONDS) -> subprocess.CompletedProcess[bytes]:
    """Run a command of git that reads alone. Raises UsageError without git, or without an answer in time."""
    # Without the option git may refresh its index, and leaves a lock behind in the user's repository where it is ended.
    command = ["git", "--no-optional-locks", "-C", str(folder), *words]
    try:
        return subprocess.run(command, capture_output=True, timeout=seconds, check=False)
    except FileNotFoundError:
        raise UsageError("git is not on the path: `isrcheck diff` needs it to read earlier models.") from None
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(f"git does not answer: {error}.") from None
