"""The command line, and its exit codes."""

import atexit
import gc
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import click

from isrcheck.commands.headings import sections_of, summary_of, write_sections
from isrcheck.errors import UsageError, nearest
from isrcheck.files import print_anything
from isrcheck.process import own_process
from isrcheck.process.failures import (
    BROKEN_PIPE,
    FAULT,
    INTERRUPTED_SENTENCE,
    exit_code_and_sentence,
    is_broken_pipe,
)
from isrcheck.process.interrupt import INTERRUPTED, is_interrupted, is_work_left, listen
from isrcheck.version import __version__

# Their modules are imported when they are called.
_NAMES = "check compare distinguish explore export gate lsp mutate prove render schedule simulate"
COMMANDS = {name: f"isrcheck.commands.{name}:{name}" for name in [*_NAMES.split(), "sweep"]}
COMMANDS["list"] = "isrcheck.commands.list:list_models"
_EARLY_ENDS = (INTERRUPTED, 20)
# Objects between two collections. What a lowering makes, it keeps: with Python's 700 a quarter of it is collecting.
_COLLECT_AFTER = 100_000


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*COMMANDS, *_offers()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        target = COMMANDS.get(cmd_name) or _offers().get(cmd_name)
        if target is None:
            return None
        module, _, function = target.partition(":")
        command: click.Command = getattr(import_module(module), function)
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        targets = {**COMMANDS, **_offers()}
        sections = {
            title: [(name, summary_of(targets[name])) for name in names] for title, names in sections_of(targets)
        }
        write_sections(formatter, sections)
        click.Command.format_options(self, ctx, formatter)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        is_option = args[0].startswith("-")
        if not is_option and not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            raise UsageError(f"there is no command {args[0]}.{nearest(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)


def _offers() -> dict[str, str]:
    """Return the commands that installed packages offer under isrcheck.commands, as MODULE:FUNCTION by name."""
    from importlib.metadata import entry_points  # here: it takes 0.05 s to import

    return {offer.name: offer.value for offer in entry_points(group="isrcheck.commands")}


_FIRST_LINES = """\b
Begin with
  isrcheck list              the models
  isrcheck check toy-mutex   the verdict on one
  isrcheck check --help      the options of a command"""
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 120}


@click.group(cls=_Commands, context_settings=_SETTINGS, epilog=_FIRST_LINES)
@click.version_option(__version__, prog_name="isrcheck")
def commands() -> None:
    """Decide whether a change to Kafka's replication is safe, by trying every interleaving of a small cluster."""


class _CompletedCode(int):
    """The exit code of a command that ran to its end, told apart from click's Exit, whose code is an int."""


@commands.result_callback()
def _complete(code: object) -> _CompletedCode:
    return _CompletedCode(code if isinstance(code, int) else 0)


class _UsersFile(BaseException):
    """A user's file is about to be run."""


def main() -> NoReturn:
    """Run a command and exit with its code; a user's mistake is one sentence."""
    gc.set_threshold(_COLLECT_AFTER)
    listen()
    print_anything()
    if not _needs_own_process(sys.argv[1:]):
        with suppress(_UsersFile):
            code = _run(_refuse, lambda _: None)
            if is_work_left() or code in _EARLY_ENDS:
                _end_at_once(code)
            sys.exit(code)
    command = own_process.begin(_seconds(sys.argv[1:]))
    command.end(_run(command.begin_loading, command.end_loading))


def _end_at_once(code: int) -> NoReturn:
    """End the process without the seconds in which a large model is given back object by object."""
    atexit._run_exitfuncs()
    os._exit(code)


def _needs_own_process(words: list[str]) -> bool:
    """Whether a user's file may be imported, or LLVM may end the process, as it does without memory."""
    may_import = (".py" in argument or (Path(argument).exists() and not Path(argument).is_dir()) for argument in words)
    return own_process.address_space_limit() is not None or any(may_import)


def _seconds(words: list[str]) -> float | None:
    """--max-seconds before click reads it; None where there is none, or click will refuse it."""
    for argument, following in zip(words, [*words[1:], ""], strict=True):
        option, equals, value = argument.partition("=")
        if option == "--max-seconds":
            with suppress(ValueError):
                return float(value if equals else following)
    return None


def _refuse(file: Path) -> NoReturn:
    raise _UsersFile


def _run(before_import: Callable[[Path], object], after_import: Callable[[Path], object]) -> int:
    try:
        code = _call(before_import, after_import)
        if is_interrupted():
            click.echo(f"isrcheck: {INTERRUPTED_SENTENCE}", err=True)
            code = code if code not in (0, 20) else INTERRUPTED
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        return code
    except click.ClickException as error:
        _show_wrong_usage(error)
        return UsageError.exit_code
    except _UsersFile:
        raise
    except BaseException as error:  # whatever it is, it must not exit like a verdict
        return _report_failure(error)


def _show_wrong_usage(error: click.ClickException) -> None:
    if "\n" in error.format_message():  # the help of a command that was given no words
        error.show()
    else:
        click.echo(f"isrcheck: {wrong_usage_sentence(error)}", err=True)


def wrong_usage_sentence(error: click.ClickException) -> str:
    """Turn what click says of the words of a command into one sentence with the line that helps."""
    message = error.format_message()
    stop = "" if message.endswith((".", "?", "?)")) else "."
    context = error.ctx if isinstance(error, click.UsageError) else None
    remedy = f" `{context.command_path} --help` shows what it takes." if context else ""
    return f"{message[:1].lower()}{message[1:]}{stop}{remedy}"


def _call(before_import: Callable[[Path], object], after_import: Callable[[Path], object]) -> int:
    from isrcheck import catalogue

    files: list[Path] = []
    catalogue.before_import[:] = [before_import, files.append]
    catalogue.after_import[:] = [after_import]
    code = commands.main(prog_name="isrcheck", standalone_mode=False)
    if files and not isinstance(code, _CompletedCode):
        raise SystemExit(code)
    return int(code or 0)


def _report_failure(error: BaseException) -> int:
    code, sentence = exit_code_and_sentence(error)
    try:
        sys.stdout.flush()
    except OSError:  # Python would complain once more at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if is_broken_pipe(error):  # whoever reads the output has seen enough
        return BROKEN_PIPE
    if isinstance(error, UsageError) and is_interrupted():
        code, sentence = INTERRUPTED, INTERRUPTED_SENTENCE  # a search that the user ended is not wrong usage
    if code == FAULT:
        traceback.print_exception(error)
    click.echo(f"isrcheck: {sentence}", err=True)
    return code
