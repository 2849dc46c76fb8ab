"""Runs of the command line for an editor: each in a process of its own, with limits, progress and an end."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isrcheck.editor.server.readers import ServerLimits
from isrcheck.errors import quantity

_LOOK_SECONDS = 0.25  # between looks at the events of a run
_GRACE_SECONDS = 10.0  # beyond --max-seconds, to end by itself
_RENDER_SECONDS = 60.0
_LONGEST_SENTENCE = 2_000
_EXPLORED_STATES = "200"  # in a page: of the slowest example, Raft, each takes 0.13 s of CPU
_FORMS = ("svg", "html")


class RunFailed(Exception):
    """A run without an outcome; its sentence is what the command line said."""


@dataclass(frozen=True)
class CommandRun:
    """One command on one model, below a folder that is its own."""

    command: str
    model: str  # the argument of the command line
    folder: Path
    limits: ServerLimits
    say: Callable[[str], object]  # where it stands
    _files: dict[str, Path] = field(default_factory=dict)

    async def outcome(self) -> tuple[dict[str, Any], dict[str, dict[str, str]]]:
        """Run check or prove: its JSON, and the files of each trace by the property's name. Raises RunFailed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file, events = self.folder / "outcome.json", self.folder / "events.jsonl"
        words = [self.command, self.model, "--json", str(file), *self._limits()]
        if self.command == "check":
            words += ["--events", str(events), "--trace-dir", str(self.folder)]
        _, errors = await self._run(words, self.limits.run_seconds + _GRACE_SECONDS, events)
        try:
            outcome: dict[str, Any] = json.loads(file.read_bytes())
        except (OSError, ValueError):
            raise RunFailed(errors) from None
        return outcome, await self._draw_traces(outcome)

    async def page(self) -> Path:
        """Run explore: a page that needs no other file. Raises RunFailed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / "explore.html"
        self.say("collecting states")
        code, errors = await self._run(
            ["explore", self.model, "-o", str(file), "--max-states", _EXPLORED_STATES], self.limits.run_seconds
        )
        if code or not file.exists():
            raise RunFailed(errors)
        return file

    def _limits(self) -> list[str]:
        return ["--max-seconds", f"{self.limits.run_seconds:g}", "--max-memory", f"{self.limits.run_memory >> 20}M"]

    async def _draw_traces(self, outcome: dict[str, Any]) -> dict[str, dict[str, str]]:
        files = {}
        for each in outcome["properties"]:
            trace = (each.get("trace") or {}).get("file")
            if trace:
                files[each["name"]] = {"trace": trace, **(await self._drawings(each, Path(trace)))}
        return files

    async def _drawings(self, about: dict[str, Any], trace: Path) -> dict[str, str]:
        """Draw the trace of a violated property in each form; return the files by form."""
        drawn = {}
        for form in _FORMS if about["verdict"] == "violated" else ():
            self.say(f"drawing {about['name']}")
            file = trace.with_suffix(f".{form}")
            code, _ = await self._run(["render", str(trace), "--to", form, "-o", str(file)], _RENDER_SECONDS)
            if code == 0 and file.exists():
                drawn[form] = str(file)
        return drawn

    async def _run(self, words: list[str], seconds: float, events: Path | None = None) -> tuple[int, str]:
        """The exit code, and what it said on standard error; killed with all that it started when this is cancelled."""
        process = await asyncio.create_subprocess_exec(
            *[sys.executable, "-P", "-m", "isrcheck", *words],  # -P: as the command isrcheck, without this folder
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=PIPE,
            start_new_session=True,
        )
        watching = asyncio.create_task(self._watch(events)) if events else None
        try:
            _, errors = await asyncio.wait_for(process.communicate(), seconds)
        except TimeoutError:
            raise RunFailed(f"undetermined: the run did not end within {seconds:g} seconds, and was ended.") from None
        finally:
            if watching:
                watching.cancel()
            _end(process)
        return process.returncode or 0, errors.decode(errors="replace").strip()[-_LONGEST_SENTENCE:]

    async def _watch(self, events: Path) -> None:
        """Say where the run stands, as often as there is news."""
        read = 0
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            with suppress(OSError):
                data = events.read_bytes()
                *lines, _ = data[read:].split(b"\n")
                read += sum(len(line) + 1 for line in lines)
                if lines and (where := _where(lines[-1])):
                    self.say(where)


def _where(line: bytes) -> str:
    with suppress(ValueError, KeyError, TypeError):
        event = json.loads(line)
        match event["event"]:
            case "phase":
                return str(event["phase"])
            case "progress":
                return f"depth {event['depth']}, {quantity(event['distinct'], 'state')}"
            case "verdict":
                return "looking for what is vacuous"
    return ""


def _end(process: Process) -> None:
    """Kill a process with those that it started."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
