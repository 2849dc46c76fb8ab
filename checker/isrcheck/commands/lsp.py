"""isrcheck lsp."""

import click

from isrcheck.commands.options import SECONDS_TYPE, SIZE_TYPE, limit_options
from isrcheck.engines.contract import Limits
from isrcheck.extras import need


@click.command()
@limit_options("seconds", "memory", of="the reading of a file", seconds=10.0, memory="1G")
@click.option("--run-seconds", type=SECONDS_TYPE, default=300.0, show_default=True, help="--max-seconds of its runs.")
@click.option("--run-memory", type=SIZE_TYPE, default="4G", show_default=True, help="--max-memory of its runs.")
@click.option("--stdio", is_flag=True, help="Standard input and output, which is all it can; some editors say so.")
def lsp(limits: Limits, run_seconds: float, run_memory: int, stdio: bool) -> None:
    """Serve an editor: errors and verdicts while a model is written.

    An editor starts it and talks to it on standard input and output (docs/editor.md).
    """
    need("pygls")
    from isrcheck.editor.server.documents import ServerLimits
    from isrcheck.editor.server.features import serve

    assert limits.seconds is not None
    assert limits.memory is not None
    serve(ServerLimits(limits.seconds, limits.memory, run_seconds, run_memory))
