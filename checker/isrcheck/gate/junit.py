"""A verdict as JUnit XML: a suite for each spec, a test for each expectation.

What is undetermined, could not run or was left out is an error, never skipped: a dashboard shows a skipped test green.
"""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from isrcheck.evidence.forms.table import rendered
from isrcheck.gate.judge import Finding, GateVerdict, JudgedCell, Status
from isrcheck.gate.places import of_finding
from isrcheck.wrap import plain

_UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(verdict: GateVerdict) -> str:
    """The whole document."""
    root = Element("testsuites", name="isrcheck gate", time=f"{verdict.seconds:.3f}")
    for spec in dict.fromkeys(str(j.cell.terms.spec) for j in verdict.cells):
        _suite(root, spec, [j for j in verdict.cells if str(j.cell.terms.spec) == spec])
    if verdict.vacuous:
        _vacuous(root, verdict)
    if verdict.interrupted:
        suite = SubElement(root, "testsuite", name="gate")
        SubElement(SubElement(suite, "testcase", name="whole", classname="gate"), "error", message="interrupted")
    for suite in root:
        _count(suite, [suite])
    _count(root, list(root))
    indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _suite(root: Element, spec: str, judged: list[JudgedCell]) -> None:
    suite = SubElement(root, "testsuite", name=clean(spec), time=f"{sum(j.seconds for j in judged):.3f}")
    for cell in judged:
        share = cell.seconds / len(cell.findings)
        for finding in cell.findings:
            test = SubElement(suite, "testcase", name=clean(finding.what), classname=clean(cell.cell.title))
            test.set("time", f"{share:.3f}")
            if finding.status is not Status.MET:
                _wrong(test, cell, finding)


def _wrong(test: Element, cell: JudgedCell, finding: Finding) -> None:
    kind = "failure" if finding.status is Status.DIFFERS else "error"
    element = SubElement(test, kind, message=clean(finding.sentence), type=finding.status.value)
    element.text = clean("\n".join(_about(cell, finding)))


def _about(cell: JudgedCell, finding: Finding) -> Iterator[str]:
    written = of_finding(cell.cell, finding)
    yield f"{written.place}  {written.sentence}".rstrip()
    yield f"expected in {cell.cell.origin}"
    if cell.outcome:
        yield cell.outcome.command
    if finding.trace:
        yield rendered(finding.trace, "txt")


def _vacuous(root: Element, verdict: GateVerdict) -> None:
    suite = SubElement(root, "testsuite", name="vacuity")
    for vacuous in verdict.vacuous:
        test = SubElement(suite, "testcase", name=clean(vacuous.what), classname=clean(vacuous.model))
        SubElement(test, "failure", message=clean(vacuous.sentence), type="vacuous")


def _count(element: Element, suites: list[Element]) -> None:
    tests = [test for suite in suites for test in suite.iter("testcase")]
    element.set("tests", str(len(tests)))
    for name, kind in (("failures", "failure"), ("errors", "error")):
        element.set(name, str(sum(test.find(kind) is not None for test in tests)))


def clean(text: str) -> str:
    """The text without what XML cannot hold and what would be acted upon."""
    lines = _UNWRITABLE.sub("\ufffd", text).split("\n")
    return "\n".join(map(plain, lines))
