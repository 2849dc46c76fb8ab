"""The commands `isrcheck.check`, `isrcheck.prove` and `isrcheck.explore`, which run what is saved."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

from lsprotocol import types

from isrcheck.editor.facts import FileFacts, Named, Naming, ReadFile, ReadingEnded
from isrcheck.editor.server.app import EditorServer
from isrcheck.editor.server.runs import CommandRun, RunFailed
from isrcheck.editor.server.texts import path_of
from isrcheck.editor.server.verdicts import ModelVerdicts

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
        run = CommandRun(command, await _argument(ls, uri, model), ls.folder / uuid4().hex, ls.limits, say)
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


async def _argument(ls: EditorServer, uri: str, model: str) -> str:
    file = path_of(uri)
    if not file or not Path(file).is_file():
        raise RunFailed("the file is not on disk: save it first.")
    answer = await ls.readers.ask(lambda number: Naming(number, file, model))
    if isinstance(answer, Named):
        return answer.argument
    raise RunFailed(answer.sentence if isinstance(answer, ReadingEnded) else "nothing is known of the model.")


async def _digest(ls: EditorServer, file: str, model: str) -> str:
    """The digest of the text on disk; empty if it cannot be read."""
    answer = await ls.readers.ask(lambda number: ReadFile(number, file, {}))
    models = answer.models if isinstance(answer, FileFacts) else ()
    return next((each.digest for each in models if each.name == model), "")


async def _decide(ls: EditorServer, run: CommandRun, uri: str, model: str) -> dict[str, Any]:
    file = path_of(uri)
    before = await _digest(ls, file, model)
    outcome, traces = await run.outcome()
    unchanged = before == await _digest(ls, file, model)
    ls.book.add(file, model, ModelVerdicts(run.command, outcome, before if unchanged else ""))
    notification = {"uri": uri, "model": model, "command": run.command, "outcome": outcome, "traces": traces}
    ls.protocol.notify(OUTCOME, notification)
    ls.refresh()
    return notification


async def _explore(ls: EditorServer, run: CommandRun, uri: str, model: str) -> dict[str, Any]:
    return {"path": str(await run.page())}
