"""Makes a release: python -m tools.release.build [FOLDER].

The wheel, the source archive, the bill of materials and SHA256SUMS, of what git keeps at the commit: the same bytes
whoever makes them, wherever and whenever. It makes everything twice, in two folders, and fails if a byte differs.
"""

import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.release.materials import bill_of_materials

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
SUMS = "SHA256SUMS"


class NotReleasable(Exception):
    """An error that keeps a release from being made, as a sentence."""


def release(out: Path = DIST) -> list[Path]:
    """Makes the files of a release in a folder. Raises NotReleasable."""
    if changed := git("status", "--porcelain").decode().splitlines():
        raise NotReleasable(f"{len(changed)} files differ from the commit, the first is {changed[0][3:]}: commit them.")
    with TemporaryDirectory() as first, TemporaryDirectory() as second:
        files = [make_release(Path(folder)) for folder in (first, second)]
        if different := sorted(set(files[0].items()) ^ set(files[1].items())):
            raise NotReleasable(
                f"made twice, {different[0][0]} is not the same twice: something depends on place or time."
            )
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(Path(first) / "dist", out)
    return sorted(out.iterdir())


def make_release(folder: Path) -> dict[str, str]:
    """Make a release of the commit in an empty folder; its files with their hashes."""
    sources, dist = folder / "sources", folder / "dist"
    export(sources)
    build(sources, dist)
    wheel = next(dist.glob("*.whl"))
    bill = bill_of_materials(sources, wheel, commit_time())
    (dist / f"{wheel.name.partition('-py3')[0]}.cdx.json").write_text(bill, encoding="utf-8")
    hashes = {file.name: digest(file) for file in sorted(dist.iterdir())}
    (dist / SUMS).write_text("".join(f"{hashed}  {name}\n" for name, hashed in hashes.items()), encoding="utf-8")
    return {**hashes, SUMS: digest(dist / SUMS)}


def export(sources: Path) -> None:
    """Write the files that git keeps at the commit, and nothing that lies beside them."""
    archive = git("-c", "tar.umask=0022", "archive", "HEAD")
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        # Not an argument: Python 3.11.3 and older do not know it.
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(sources)


def build(sources: Path, dist: Path) -> None:
    """The source archive of a folder, and the wheel made from that archive."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(dist), str(sources)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(commit_time()), "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, env=environment, umask=0o022, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotReleasable(f"the build failed:\n{done.stdout}{done.stderr}")


def git(*words: str) -> bytes:
    """Run git and return its output."""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=True).stdout


def commit_time() -> int:
    """Return the time of the commit, in seconds: the time of every file of a release."""
    return int(git("log", "-1", "--format=%ct"))


def digest(file: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def main(folder: str = str(DIST)) -> None:
    """Makes the release, and says what is in it."""
    try:
        files = release(Path(folder))
    except NotReleasable as error:
        sys.exit(f"dev: {error}")
    sys.stdout.write("".join(f"{file}\n" for file in files))


if __name__ == "__main__":
    main(*sys.argv[1:])
