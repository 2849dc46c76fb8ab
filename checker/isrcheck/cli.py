"""The command line: what there is to call, and errors as exit codes; no logic."""

import sys
import traceback

import click

from isrcheck.commands.check import check
from isrcheck.commands.compare import compare
from isrcheck.commands.explore import explore
from isrcheck.commands.export import export
from isrcheck.commands.gate import gate
from isrcheck.commands.import_cfg import import_cfg
from isrcheck.commands.list import list_models
from isrcheck.commands.mutate import mutate
from isrcheck.commands.prove import prove
from isrcheck.commands.query import query
from isrcheck.commands.render import render
from isrcheck.commands.report import report
from isrcheck.commands.schedule import schedule
from isrcheck.commands.simulate import simulate
from isrcheck.commands.sweep import sweep
from isrcheck.errors import LESS_DEEP, TOO_DEEP, IsrcheckError, ModelError
from isrcheck.files import print_anything
from isrcheck.version import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(__version__, prog_name="isrcheck")
def commands() -> None:
    """Decide whether a change to Kafka's replication is safe, by trying every interleaving of a small cluster."""


COMMANDS = (
    list_models,
    check,
    simulate,
    prove,
    explore,
    schedule,
    compare,
    gate,
    mutate,
    sweep,
    report,
    render,
    export,
    query,
    import_cfg,
)
for command in COMMANDS:
    commands.add_command(command)


def main() -> None:
    """Run a command and exit with its code; a user's mistake is one sentence, never a stack trace."""
    print_anything()
    try:
        code = commands.main(prog_name="isrcheck", standalone_mode=False)
    except IsrcheckError as error:
        click.echo(f"isrcheck: {error}", err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except RecursionError:
        click.echo(f"isrcheck: {TOO_DEEP}\n  {LESS_DEEP}", err=True)
        sys.exit(ModelError.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("isrcheck: interrupted.", err=True)
        sys.exit(130)
    except Exception as error:  # whatever it is, it must not exit like a verdict
        traceback.print_exc()
        click.echo(f"isrcheck: a fault of isrcheck itself, no verdict: {type(error).__name__}: {error}", err=True)
        sys.exit(70)
    sys.exit(code if isinstance(code, int) else 0)
