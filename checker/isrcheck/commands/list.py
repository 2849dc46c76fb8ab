"""isrcheck list."""

from collections.abc import Mapping

import click

from isrcheck.catalogue import find_model
from isrcheck.commands.deliver import show_with_json
from isrcheck.errors import UsageError
from isrcheck.families import Family, families
from isrcheck.version import __version__

SCHEMA = "isrcheck.list/1"


@click.command("list")
@click.argument("name", metavar="[FAMILY|MODEL]", required=False)
@click.option("--all", "is_all", is_flag=True, help="The models of every family.")
@click.option("--model", "is_model", is_flag=True, help="The name is a model's, where a family has it too.")
@click.option("-v", "--places", "with_places", is_flag=True, help="Of a MODEL: also where everything is written.")
@click.option("--json", "json_file", metavar="FILE|-", help="Write it as JSON; - is standard output.")
def list_models(name: str | None, is_all: bool, is_model: bool, with_places: bool, json_file: str | None) -> None:
    """Show the models by families, one family, or one model.

    A MODEL is a name from the list, or FILE.py:Class. Its page has its constants, variables, policies, helpers, actions
    and properties: what a variant of it may read, call and fill.
    """
    is_one = name is not None and (is_model or ".py" in name or name not in families())
    _refuse_clashes(name, is_one, {"--all": is_all, "--model": is_model, "--places": with_places})
    if name is not None and is_one:
        _show_model(name, with_places, json_file)
    else:
        _show_families(families() if name is None else {name: families()[name]}, is_all or name is not None, json_file)


def _refuse_clashes(name: str | None, is_one: bool, flags: Mapping[str, bool]) -> None:
    given = [flag for flag, value in flags.items() if value]
    if name is None and {"--model", "--places"} & set(given):
        raise UsageError(f"{given[0]} is of one model: name it, as in isrcheck list kip-320 {given[0]}.")
    if name is not None and not is_one and "--places" in given:
        raise UsageError(f"--places is of one model, and {name} is a family: name a model of it.")
    if "--all" in given and (name is not None or len(given) > 1):
        raise UsageError("--all is of all models: give it alone.")


def _show_model(name: str, with_places: bool, json_file: str | None) -> None:
    from isrcheck.evidence.model_document import (
        model_document,  # here: a plain list reads no model
        model_facts,
        without_places,
    )
    from isrcheck.lang.read import read_model

    facts = model_facts(name, read_model(find_model(name)))
    show_with_json(model_document(facts if with_places else without_places(facts)), facts, json_file)


def _show_families(listed: Mapping[str, Family], with_models: bool, json_file: str | None) -> None:
    from isrcheck.evidence.model_document import families_document, family_document

    blocks = (block for name, family in listed.items() for block in family_document(name, family))
    rows = [{"name": name, **family._asdict()} for name, family in listed.items()]
    facts = {"schema": SCHEMA, "version": __version__, "families": rows}
    show_with_json(blocks if with_models else families_document(listed), facts, json_file)
