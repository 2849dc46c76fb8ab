"""What the gate writes, and our own schemas, against the official ones: SARIF_SCHEMA and JUNIT_XSD name the files.

They are other people's texts and not in this repository: sarif-schema-2.1.0.json of OASIS, and junit-10.xsd of Jenkins'
xUnit plugin. Where they are not there, our own schemas alone are held (test_forms.py); here those are shown to refuse
whatever the official ones refuse.
"""

import json
import os
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest
import xmlschema

SCHEMAS = Path(__file__).parent / "schemas"
Run = Callable[..., int]
Respell = Callable[[str, str], None]


def official(variable: str, what: str) -> Path:
    """The file that a variable of the environment names; without one, the test is skipped."""
    named = os.environ.get(variable)
    if not named:
        pytest.skip(f"{variable} does not name {what}, which is not in this repository")
    return Path(named)


def validator(file: Path) -> Any:
    import jsonschema  # type: ignore[import-untyped]  # it ships no types, and takes three seconds to import

    schema = json.loads(file.read_text(encoding="utf-8"))
    return jsonschema.validators.validator_for(schema)(schema)


@pytest.fixture
def official_sarif() -> Any:
    return validator(official("SARIF_SCHEMA", "OASIS' sarif-schema-2.1.0.json"))


@pytest.fixture
def official_junit() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(official("JUNIT_XSD", "the junit-10.xsd of Jenkins' xUnit plugin"))


@pytest.fixture(params=["met", "differs", "undetermined"])
def written(request: pytest.FixtureRequest, run: Run, respell: Respell) -> tuple[Any, str]:
    """The gate's SARIF and JUnit, for a pass, for differences with a trace, and for runs without an answer."""
    if request.param == "differs":
        respell('"violated in 3 steps"', '"holds"')
        respell('never = ["burn_out"]\n', "")
    if request.param == "undetermined":
        respell("[run.expect]", "limits = { states = 2 }\n[run.expect]")
    run("lamp.toml", "--junit", "junit.xml", "--sarif", "gate.sarif")
    return json.loads(Path("gate.sarif").read_text(encoding="utf-8")), Path("junit.xml").read_text(encoding="utf-8")


def test_the_sarif_is_valid(official_sarif: Any, written: tuple[Any, str]) -> None:
    official_sarif.validate(written[0])


def test_the_junit_is_valid(official_junit: xmlschema.XMLSchema, written: tuple[Any, str]) -> None:
    official_junit.validate(fromstring(written[1]))


def test_our_sarif_schema_refuses_what_the_official_one_refuses(official_sarif: Any, written: tuple[Any, str]) -> None:
    ours = validator(SCHEMAS / "sarif.json")
    refused = [broken for broken in spoilt(written[0]) if not official_sarif.is_valid(broken)]
    assert len(refused) > 20
    assert [broken for broken in refused if ours.is_valid(broken)] == []


def test_our_junit_schema_refuses_what_the_official_one_refuses(
    official_junit: xmlschema.XMLSchema, written: tuple[Any, str]
) -> None:
    ours = xmlschema.XMLSchema(SCHEMAS / "junit.xsd")
    refused = [broken for broken in spoilt_elements(fromstring(written[1])) if not official_junit.is_valid(broken)]
    assert len(refused) > 20
    assert not [broken for broken in refused if ours.is_valid(broken)]


def spoilt(document: Any) -> Iterator[Any]:
    """The document with one thing wrong: left out, of another type, or there twice under another name."""
    for *before, last in ways(document):
        for change in (drop, retype, double):
            broken = inside = deepcopy(document)
            for key in before:
                inside = inside[key]
            change(inside, last)
            yield broken


def ways(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The keys that lead to everything inside a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        yield (*way, key)
        yield from ways(each, (*way, key))


def drop(inside: Any, key: Any) -> None:
    del inside[key]


def retype(inside: Any, key: Any) -> None:
    inside[key] = [] if isinstance(inside[key], dict | int) else 7


def double(inside: Any, key: Any) -> None:
    if isinstance(inside, dict):
        inside[f"{key}_"] = inside[key]


def spoilt_elements(root: Element) -> Iterator[Element]:
    """The same of XML: attributes left out, not numbers, or added; elements called otherwise."""
    for place, element in enumerate(root.iter()):
        for name in element.attrib:
            for value in (None, "many"):
                broken = deepcopy(root)
                at = list(broken.iter())[place]
                if value is None:
                    del at.attrib[name]
                else:
                    at.set(name, value)
                yield broken
        for spoil in (lambda at: at.set("colour", "red"), lambda at: setattr(at, "tag", "thing")):
            broken = deepcopy(root)
            spoil(list(broken.iter())[place])
            yield broken
