"""JUnit, SARIF, GitHub and JSON: valid, located, whole, and never green where the gate is not."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from isrcheck.gate import worker

SCHEMAS = Path(__file__).parent / "schemas"
Run = Callable[..., int]
Respell = Callable[[str, str], None]


def validator(file: Path) -> Any:
    import jsonschema  # type: ignore[import-untyped]  # it ships no types, and takes three seconds to import

    schema = json.loads(file.read_text(encoding="utf-8"))
    return jsonschema.validators.validator_for(schema)(schema)


def all_forms(run: Run) -> int:
    """The gate's exit code; SARIF and JUnit are valid by our schemas, and by the official ones where they are named."""
    code = run("lamp.toml", "--junit", "junit.xml", "--sarif", "gate.sarif", "--json", "gate.json", "--github")
    import xmlschema

    for file in (SCHEMAS / "junit.xsd", os.environ.get("JUNIT_XSD")):  # junit-10.xsd of Jenkins' xUnit plugin
        if file:
            xmlschema.XMLSchema(file).validate("junit.xml")
    for file in (SCHEMAS / "sarif.json", os.environ.get("SARIF_SCHEMA")):  # sarif-schema-2.1.0.json of OASIS
        if file:
            validator(Path(file)).validate(json.loads(Path("gate.sarif").read_text(encoding="utf-8")))
    return code


@pytest.fixture(autouse=True)
def summary(monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    return Path("summary.md")


def test_forms_of_a_pass(run: Run, summary: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert all_forms(run) == 0
    assert "::error" not in capsys.readouterr().out
    assert summary.read_text(encoding="utf-8").startswith("### isrcheck gate: as expected\n")
    suites = ElementTree.parse("junit.xml").getroot()
    assert (suites.get("tests"), suites.get("failures"), suites.get("errors")) == ("6", "0", "0")
    log = json.loads(Path("gate.sarif").read_text(encoding="utf-8"))["runs"][0]
    assert log["results"] == []
    assert log["invocations"] == [{"executionSuccessful": True, "exitCode": 0}]


def test_forms_of_a_difference(run: Run, respell: Respell, summary: Path, capsys: pytest.CaptureFixture[str]) -> None:
    respell('"violated in 3 steps"', '"holds"')
    respell('never = ["burn_out"]\n', "")
    assert all_forms(run) == 21
    line = Path("lamp.py").read_text(encoding="utf-8").splitlines().index("    def seldom_on(self) -> bool:") + 1
    result, vacuous = json.loads(Path("gate.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("lamp.py", line)
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"] for step in steps] == [
        "0. initial state",
        "1. switch_on(): seen 0 → 1, on False → True",
        "2. switch_off(): on True → False",
        "3. switch_on(): seen 1 → 2, on False → True",
    ]
    assert (result["ruleId"], vacuous["ruleId"]) == ("seldom_on", "gate/vacuity")
    rules = json.loads(Path("gate.sarif").read_text(encoding="utf-8"))["runs"][0]["tool"]["driver"]["rules"]
    assert rules[0]["shortDescription"]["text"] == "It is switched on <at most> once."
    suites = ElementTree.parse("junit.xml").getroot()
    assert (suites.get("tests"), suites.get("failures"), suites.get("errors")) == ("6", "2", "0")
    out = capsys.readouterr().out
    spec = Path("lamp.toml").read_text(encoding="utf-8").splitlines()
    expected_at = spec.index('seldom_on = "holds"  # switched on twice') + 1
    said = f"lamp.py:Lamp: seldom_on: expected holds, found violated in 3 steps. Expected in lamp.toml:{expected_at}."
    assert f"::error file=lamp.py,line={line},col=5,title=isrcheck%3A seldom_on differs::{said}\n" in out
    text = summary.read_text(encoding="utf-8")
    assert "### isrcheck gate: 1 differs, 1 vacuous, 4 met (exit 21)\n" in text
    assert "**violated in 3 steps**" in text


def test_undetermined_is_an_error_in_every_form(
    run: Run, respell: Respell, summary: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    respell("[run.expect]", "limits = { states = 2 }\n[run.expect]")
    assert all_forms(run) == 20
    suites = ElementTree.parse("junit.xml").getroot()
    assert (suites.get("failures"), suites.get("errors")) == ("0", "6")
    results = json.loads(Path("gate.sarif").read_text(encoding="utf-8"))["runs"][0]
    assert {r["level"] for r in results["results"]} == {"error"}
    assert results["invocations"] == [{"executionSuccessful": False, "exitCode": 20}]
    assert capsys.readouterr().out.count("::error ") == 6
    assert "### isrcheck gate: 6 undetermined, 0 met (exit 20)" in summary.read_text(encoding="utf-8")
    found = json.loads(Path("gate.json").read_text(encoding="utf-8"))
    assert (found["schema"], found["exit"]) == ("isrcheck.gate/2", 20)
    assert {f["status"] for f in found["cells"][0]["findings"]} == {"undetermined"}


def test_a_workflow_is_told_without_being_asked(
    run: Run, respell: Respell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    respell("distinct = 7", "distinct = 8")
    assert run("lamp.toml") == 21
    assert "::error file=lamp.py" in capsys.readouterr().out
    assert run("lamp.toml", "--no-github") == 21
    assert "::error" not in capsys.readouterr().out


def test_json_alone_on_standard_output(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("lamp.toml", "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["exit"] == 0


def test_traces_and_drawings_of_what_differed(run: Run, respell: Respell) -> None:
    respell('"violated in 3 steps"', '"holds"')
    assert run("lamp.toml", "--trace-dir", "traces") == 21
    files = sorted(Path("traces").iterdir())
    assert [file.suffix for file in files] == [".json", ".svg", ".txt"]
    assert json.loads(files[0].read_text(encoding="utf-8"))["length"] == 4


def test_what_an_error_says_is_shown_and_never_run(
    run: Run, summary: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("<script>alert(1)</script> | \x1b[31m\x00 100%\n::error ::ж")

    monkeypatch.setattr(worker, "check", broken)
    assert all_forms(run) == 70
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\n::error ::ж" not in out
    assert "100%25" in out
    assert "<script>" not in summary.read_text(encoding="utf-8")
    assert "<script>" not in Path("junit.xml").read_text(encoding="utf-8")
    error = ElementTree.parse("junit.xml").getroot().find(".//error")
    assert error is not None
    assert "<script>alert(1)</script>" in str(error.get("message"))


# Our schemas are strict: they refuse what the official ones refuse, which are other people's texts and not in git.


@pytest.fixture
def official(request: pytest.FixtureRequest) -> Path:
    """The schema that a variable of the environment names."""
    if not (file := os.environ.get(request.param)):
        pytest.skip(f"{request.param} does not name the official schema")
    return Path(file)


@pytest.fixture(params=["met", "differs", "undetermined"])
def written(request: pytest.FixtureRequest, run: Run, respell: Respell) -> tuple[Any, Element]:
    """The gate's SARIF and JUnit, for a pass, for differences with a trace, and for runs without an answer."""
    if request.param == "differs":
        respell('"violated in 3 steps"', '"holds"')
        respell('never = ["burn_out"]\n', "")
    if request.param == "undetermined":
        respell("[run.expect]", "limits = { states = 2 }\n[run.expect]")
    run("lamp.toml", "--junit", "junit.xml", "--sarif", "gate.sarif")
    return json.loads(Path("gate.sarif").read_text(encoding="utf-8")), ElementTree.parse("junit.xml").getroot()


@pytest.mark.parametrize("official", ["SARIF_SCHEMA"], indirect=True)
def test_our_sarif_schema_refuses_what_the_official_one_refuses(official: Path, written: tuple[Any, Element]) -> None:
    ours, theirs = validator(SCHEMAS / "sarif.json"), validator(official)
    refused = [broken for broken in spoilt(written[0], (drop, retype, double)) if not theirs.is_valid(broken)]
    assert len(refused) > 20
    assert [broken for broken in refused if ours.is_valid(broken)] == []


@pytest.mark.parametrize("official", ["JUNIT_XSD"], indirect=True)
def test_our_junit_schema_refuses_what_the_official_one_refuses(official: Path, written: tuple[Any, Element]) -> None:
    import xmlschema

    ours, theirs = xmlschema.XMLSchema(SCHEMAS / "junit.xsd"), xmlschema.XMLSchema(official)
    refused = [broken for broken in spoilt_elements(written[1]) if not theirs.is_valid(broken)]
    assert len(refused) > 20
    assert not [broken for broken in refused if ours.is_valid(broken)]


@pytest.mark.parametrize("written", ["differs"], indirect=True)
def test_our_sarif_schema_refuses_another_type_and_another_name_everywhere(written: tuple[Any, Element]) -> None:
    ours = validator(SCHEMAS / "sarif.json")
    for result in written[0]["runs"][0]["results"]:
        result.get("properties", {})["constants"] = {}  # their names are the model's
    broken = [each for each in spoilt(written[0], (retype, double)) if each != written[0]]
    assert len(broken) > 200
    assert [each for each in broken if ours.is_valid(each)] == []


Spoil = Callable[[Any, Any], None]


def spoilt(document: Any, spoils: Sequence[Spoil]) -> Iterator[Any]:
    """The document with one thing wrong: left out, of another type, or there twice under another name."""
    for *before, last in ways(document):
        for spoil in spoils:
            broken = inside = deepcopy(document)
            for key in before:
                inside = inside[key]
            spoil(inside, last)
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
