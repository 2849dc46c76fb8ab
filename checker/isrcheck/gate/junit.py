"""A verdict as JUnit XML: a suite for each spec, a test for each expectation.

What is undetermined, could not run or was left out is an error, never skipped: a dashboard shows a skipped test green.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from isrcheck.evidence.forms.table import rendered
from isrcheck.gate.judge import Finding, GateVerdict, JudgedCell, Status
from isrcheck.gate.places import of_finding
from isrcheck.wrap import plain

_UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(verdict: GateVerdict) -> str:
    root = Element("testsuites", name="isrcheck gate", time=f"{verdict.seconds:.3f}")
    for spec, judged in groupby(verdict.cells, lambda j: str(j.cell.terms.spec)):
        _suite(root, spec, list(judged))
    if verdict.vacuous:
        suite = SubElement(root, "testsuite", name="vacuity")
        for each in verdict.vacuous:
            test = SubElement(suite, "testcase", name=_clean(each.what), classname=_clean(each.model))
            SubElement(test, "failure", message=_clean(each.sentence), type="vacuous")
    if verdict.interrupted:
        suite = SubElement(root, "testsuite", name="gate")
        SubElement(SubElement(suite, "testcase", name="whole", classname="gate"), "error", message="interrupted")
    for element in root.iter("testsuite"):
        _count(element)
    _count(root)
    indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _suite(root: Element, spec: str, judged: list[JudgedCell]) -> None:
    suite = SubElement(root, "testsuite", name=_clean(spec), time=f"{sum(j.seconds for j in judged):.3f}")
    for cell in judged:
        share = f"{cell.seconds / len(cell.findings):.3f}"
        for finding in cell.findings:
            name, group = _clean(finding.what), _clean(cell.cell.title)
            test = SubElement(suite, "testcase", name=name, classname=group, time=share)
            if finding.status is not Status.MET:
                kind = "failure" if finding.status is Status.DIFFERS else "error"
                element = SubElement(test, kind, message=_clean(finding.sentence), type=finding.status.value)
                element.text = _clean("\n".join(_about(cell, finding)))


def _about(cell: JudgedCell, finding: Finding) -> Iterator[str]:
    written = of_finding(cell.cell, finding)
    yield f"{written.place}  {written.sentence}".rstrip()
    yield f"expected in {cell.cell.origin}"
    if cell.outcome:
        yield cell.outcome.command
    if finding.trace:
        yield rendered(finding.trace, "txt")


def _count(element: Element) -> None:
    tests = list(element.iter("testcase"))
    element.set("tests", str(len(tests)))
    for name, kind in (("failures", "failure"), ("errors", "error")):
        element.set(name, str(sum(test.find(kind) is not None for test in tests)))


def _clean(text: str) -> str:
    """The text without what XML cannot hold and what would be acted upon."""
    return "\n".join(map(plain, _UNWRITABLE.sub("\ufffd", text).split("\n")))
