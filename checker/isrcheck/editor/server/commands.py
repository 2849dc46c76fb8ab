"""The commands `isrcheck.check`, `isrcheck.prove` and `isrcheck.explore`, each run in a process on what is saved."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from lsprotocol import types

from isrcheck.editor.facts import FileFacts
from isrcheck.editor.server.app import EditorServer
from isrcheck.editor.server.documents import NOTHING, ServerLimits, path_of
from isrcheck.editor.server.show import ModelVerdicts
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
    digest: str  # of the text on disk as the run begins
    folder: Path
    limits: ServerLimits
    say: Callable[[str], object]  # where it stands

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
                if lines and (where := _progress_of(lines[-1])):
                    self.say(where)


def _progress_of(line: bytes) -> str:
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


OUTCOME = "isrcheck/outcome"  # the notification
_ENDED = "the run was ended."


async def check(ls: EditorServer, uri: str, model: str) -> dict[str, Any]:
    """Decide the properties of a model at its default constants."""
    return await _alone(ls, "check", uri, model, _decide)


async def prove(ls: EditorServer, uri: str, model: str) -> dict[str, Any]:
    """Prove them for any number of steps."""
    return await _alone(ls, "prove", uri, model, _decide)


async def explore(ls: EditorServer, uri: str, model: str) -> dict[str, Any]:
    """Write the page on which one walks through a model."""
    return await _alone(ls, "explore", uri, model, _explore)


Work = Callable[[EditorServer, CommandRun, str, str], Awaitable[dict[str, Any]]]


async def _alone(ls: EditorServer, command: str, uri: str, model: str, work: Work) -> dict[str, Any]:
    """A later run of the same ends an earlier one."""
    key = (command, uri, model)
    if earlier := ls.runs.get(key):
        earlier.cancel()
    task = asyncio.create_task(_with_progress(ls, command, uri, model, work))
    ls.runs[key] = task
    try:
        return await task
    except RunFailed as error:
        ls.tell(f"{command} {model}: {error}")
        return {"error": str(error)}
    except asyncio.CancelledError:
        current = asyncio.current_task()
        if current is not None and current.cancelling():  # the request itself
            raise
        return {"error": _ENDED}
    finally:
        if ls.runs.get(key) is task:
            del ls.runs[key]


async def _with_progress(ls: EditorServer, command: str, uri: str, model: str, work: Work) -> dict[str, Any]:
    token = await _token(ls, f"isrcheck {command} {model}")

    def say(where: str) -> None:
        if token:
            ls.work_done_progress.report(token, types.WorkDoneProgressReport(message=where))

    try:
        file = path_of(uri)
        if not file or not Path(file).is_file():
            raise RunFailed("the file is not on disk: save it first.")
        run = CommandRun(command, *await _on_disk(ls, file, model), ls.folder / uuid4().hex, ls.limits, say)
        return await work(ls, run, uri, model)
    finally:
        if token:
            ls.work_done_progress.end(token, types.WorkDoneProgressEnd())
            ls.work_done_progress.tokens.pop(token, None)


async def _token(ls: EditorServer, title: str) -> str:
    """The token of a progress that the user can cancel; empty if the client shows none."""
    window = ls.client_capabilities.window
    if not (window and window.work_done_progress):
        return ""
    token = uuid4().hex
    await ls.work_done_progress.create_async(token)
    ls.work_done_progress.begin(token, types.WorkDoneProgressBegin(title, cancellable=True))
    task = asyncio.current_task()
    ended = ls.work_done_progress.tokens[token]
    ended.add_done_callback(lambda future: task.cancel() if task and future.cancelled() else None)
    return token


async def _on_disk(ls: EditorServer, file: str, model: str) -> tuple[str, str]:
    """Return what the command line calls a model, and the digest of its text on disk, empty if it cannot be read."""
    answer = await ls.readers.ask(file, {}, named=True)
    facts = answer if isinstance(answer, FileFacts) else NOTHING
    digest = next((each.digest for each in facts.models if each.name == model), "")
    return facts.arguments.get(model, f"{file}:{model}"), digest


async def _decide(ls: EditorServer, run: CommandRun, uri: str, model: str) -> dict[str, Any]:
    file = path_of(uri)
    outcome, traces = await run.outcome()
    _, after = await _on_disk(ls, file, model)
    verdicts = ModelVerdicts(run.command, outcome, after if after == run.digest else "")
    ls.book.setdefault((file, model), {})[run.command] = verdicts
    notification = {"uri": uri, "model": model, "command": run.command, "outcome": outcome, "traces": traces}
    ls.protocol.notify(OUTCOME, notification)
    ls.refresh()
    return notification


async def _explore(ls: EditorServer, run: CommandRun, uri: str, model: str) -> dict[str, Any]:
    return {"path": str(await run.page())}
