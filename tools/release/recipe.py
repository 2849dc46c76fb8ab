"""The container's recipe, as its instructions; and a root in which they are executed without a container engine."""

import json
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tools.release.build import ROOT

RECIPE = ROOT / "Containerfile"


class Instruction(NamedTuple):
    """A word such as RUN, and what follows it."""

    keyword: str
    rest: str


def instructions(recipe: str) -> list[Instruction]:
    """The instructions of a recipe, with continued lines joined."""
    joined = re.sub(r"\\\n\s*", "", re.sub(r"^\s*#.*\n", "", recipe, flags=re.MULTILINE))
    lines = [line.strip() for line in joined.splitlines()]
    return [Instruction(*line.split(maxsplit=1)) for line in lines if line]


@dataclass
class Root:
    """A root folder with Debian and its Python, in the place of the base image."""

    folder: Path
    wheels: Path  # what pip installs from: an engine's build has the network, this has none
    environment: dict[str, str] = field(default_factory=dict)
    user: str = "0"
    place: str = "/"
    entry_point: list[str] = field(default_factory=list)

    def execute(self, recipe: list[Instruction], context: Path) -> None:
        """Does what each instruction says; FROM is the root itself."""
        for keyword, rest in recipe:
            match keyword:
                case "FROM" | "CMD":
                    pass
                case "COPY":
                    self._copy(rest.split(), context)
                case "RUN":
                    self.run(["/bin/sh", "-ec", rest]).check_returncode()
                case "ENV":
                    name, _, value = rest.partition("=")
                    self.environment[name] = value.replace("$PATH", self._path())
                case "USER":
                    self.user = rest
                case "WORKDIR":
                    self.place = rest
                case "ENTRYPOINT":
                    self.entry_point = json.loads(rest)
                case _:
                    raise ValueError(f"{keyword} is not an instruction that this test can execute")

    def run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        """Runs a command inside, as the user and in the place that were said last, without a network."""
        shown = {"PATH": self._path(), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/wheels", **self.environment}
        words = " ".join(f"{name}={shlex.quote(value)}" for name, value in shown.items())
        script = f"cd {self.place} && exec env -i HOME=/tmp {words} {shlex.join(command)}"
        isolated = ["unshare", "--net", "--mount", "--pid", "--fork", f"--mount-proc={self.folder / 'proc'}"]
        inside = ["chroot", f"--userspec={self.user}:{self.user}", str(self.folder), "/bin/sh", "-ec", script]
        return subprocess.run([*isolated, *inside], capture_output=True, text=True, check=False)

    def _copy(self, words: list[str], context: Path) -> None:
        *files, to = words
        target = self.folder / to.lstrip("/")
        target.mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copy(context / file, target)

    def _path(self) -> str:
        return self.environment.get("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")


def bootstrap(folder: Path) -> None:
    """Puts Debian with its Python into a folder; takes some minutes and the network."""
    words = ["--variant=minbase", "--include=python3-venv,ca-certificates", "bookworm", str(folder)]
    subprocess.run(["debootstrap", *words], check=True, capture_output=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    (folder / "usr" / "local" / "bin" / "python").symlink_to("/usr/bin/python3")
