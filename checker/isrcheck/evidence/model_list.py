"""The list of models: a line each."""

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table


def print_models(lines: Mapping[str, str], console: Console) -> None:
    """Names, and what each model is."""
    table = Table(box=None, pad_edge=False)
    table.add_column("model", style="bold", no_wrap=True)
    table.add_column("what it is")
    for name, line in lines.items():
        table.add_row(name, line)
    console.print(table)
