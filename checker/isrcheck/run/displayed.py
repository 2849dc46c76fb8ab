"""Displays in notebooks. `evidence`, a later layer than `run`, draws them: it is loaded by name on demand."""

from importlib import import_module

EVIDENCE = "isrcheck.evidence.notebook"
Columns = dict[str, list[str] | list[int] | list[bool] | list[str | None] | list[int | None] | list[bool | None]]


class Displayed:
    """Shows itself in a notebook."""

    def _repr_html_(self) -> str:
        html: str = import_module(EVIDENCE).html_of(self)
        return html


class Tabular(Displayed):
    """Is a table as well."""

    def table(self) -> Columns:
        """Columns by name, which pandas.DataFrame, polars.DataFrame and pyarrow.table take as they are."""
        columns: Columns = import_module(EVIDENCE).table_of(self)
        return columns
