"""isrcheck import-cfg."""

from pathlib import Path

import click

from isrcheck.catalogue import find_model
from isrcheck.commands.deliver import hand_over
from isrcheck.commands.options import FILE
from isrcheck.lang.read import read_model
from isrcheck.tla.imported import gate_spec, read_cfg


@click.command("import-cfg")
@click.argument("file", type=FILE)
@click.argument("model")
@click.option("-o", "output", type=FILE, help="Write there instead of standard output.")
def import_cfg(file: Path, model: str, output: Path | None) -> None:
    """Make a spec of the gate from FILE, a configuration that TLC had for a module of MODEL."""
    hand_over(gate_spec(read_cfg(file), read_model(find_model(model)), model), "toml", output)
