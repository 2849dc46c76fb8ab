"""The short summary: what changed its verdict, in how many steps, drawn; the same words wherever it is shown."""

import os
from pathlib import Path

import pytest
from tests.gate.conftest import MODEL, SPEC

from isrcheck.commands import gate as command
from isrcheck.commands.gate import gate
from isrcheck.evidence import document as doc
from isrcheck.evidence.forms.table import render_trace
from isrcheck.evidence.writers.markdown import markdown_of
from isrcheck.gate import report as summaries
from isrcheck.gate.cells import cells
from isrcheck.gate.judge import Finding, GateVerdict, Status, judge
from isrcheck.gate.report import MOST_CHARACTERS, summary_markdown
from isrcheck.gate.run import GateRunner
from isrcheck.gate.spec import read_gate_spec
from isrcheck.ir.frozen import replace

DIFFERS = SPEC.replace('"violated in 3 steps"', '"holds"')
# What is read in ten seconds.
GOLDEN = """### isrcheck gate: 1 differs, 5 met (exit 21)

1 run, 6 expectations, 1.5 s.

| model | constants | what | expected | found |
|---|---|---|---|---|
| `lamp.py:Lamp` |  | seldom\\_on | holds | **violated in 3 steps** |

<details><summary>lamp.py:Lamp: seldom_on violated in 3 steps</summary>

```mermaid
sequenceDiagram
"""


def verdict_of(folder: Path, spec: str = SPEC) -> GateVerdict:
    """Of the lamp, with paths from `folder`."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        Path("lamp.py").write_text(MODEL, encoding="utf-8")
        Path("lamp.toml").write_text(spec, encoding="utf-8")
        return judge(GateRunner(cells(read_gate_spec(Path("lamp.toml"))), 2).run())
    finally:
        os.chdir(before)


def answer_at_once(verdict: GateVerdict, monkeypatch: pytest.MonkeyPatch) -> None:
    """`isrcheck gate` has this verdict without a run."""

    class AtOnce:
        def __init__(self, *_: object) -> None: ...

        def run(self) -> None: ...

    monkeypatch.setattr(command, "GateRunner", AtOnce)
    monkeypatch.setattr(command, "judge", lambda _: verdict)


def repeated(verdict: GateVerdict, times: int) -> GateVerdict:
    return replace(verdict, cells=verdict.cells * times)


@pytest.fixture(scope="module")
def differs(tmp_path_factory: pytest.TempPathFactory) -> GateVerdict:
    return replace(verdict_of(tmp_path_factory.mktemp("lamp"), DIFFERS), seconds=1.5)


def test_a_summary_is_read_in_ten_seconds(differs: GateVerdict) -> None:
    text = summary_markdown(differs)
    assert text.startswith(GOLDEN)
    trace = next(f.trace for f in differs.cells[0].findings if f.trace and f.status is Status.DIFFERS)
    assert text.endswith(f"\n```mermaid\n{render_trace(trace, 'mermaid')}```\n\n</details>\n")


def test_verdicts_that_changed_stand_first(differs: GateVerdict) -> None:
    cell = differs.cells[0]
    count = Finding("distinct", "count", Status.DIFFERS, "8", "7")
    error = Finding("run", "run", Status.ERROR, "a verdict", "fault: x")
    more = replace(differs, cells=(replace(cell, findings=(error, count, *cell.findings)),))
    rows = [line for line in summary_markdown(more).splitlines() if line.startswith("| `lamp")]
    assert [row.split(" | ")[2] for row in rows] == ["seldom\\_on", "distinct", "run"]


def test_a_summary_is_short_whatever_happened(differs: GateVerdict) -> None:
    cell = differs.cells[0]
    long = Finding("run", "run", Status.ERROR, "a verdict", "fault: " + "many words\n" * 5000)
    many = replace(repeated(differs, 300), cells=(replace(cell, findings=(long,)),) * 300)
    text = summary_markdown(many)
    assert text.count("| `lamp.py:Lamp` |") == 10
    assert "… and 290 more, which the gate's own output has." in text
    assert len(text) < 4000
    assert MOST_CHARACTERS + 1000 < 65_536  # the characters that a comment on GitHub may have
    assert summary_markdown(repeated(differs, 300)).count("```mermaid") == 3


@pytest.mark.parametrize(("limit", "drawn"), [("MOST_CHARACTERS", 1), ("_MOST_MERMAID", 0), ("_MOST_DRAWN", 0)])
def test_only_drawings_that_fit_are_in_a_summary(
    differs: GateVerdict, monkeypatch: pytest.MonkeyPatch, limit: str, drawn: int
) -> None:
    one = len(summary_markdown(differs))
    monkeypatch.setattr(summaries, limit, {"MOST_CHARACTERS": one + 300, "_MOST_MERMAID": 100}.get(limit, 0))
    text = summary_markdown(repeated(differs, 2))
    assert text.count("```mermaid") == drawn
    assert text.count("**violated in 3 steps**") == 2


def test_the_hook_shows_the_words_of_the_summary(
    differs: GateVerdict, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_at_once(differs, monkeypatch)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    assert gate.main(["lamp.toml", "--brief", "--summary", "short.md", "--github"], standalone_mode=False) == 21
    brief = capsys.readouterr().out
    assert "isrcheck gate: 1 differs, 5 met (exit 21)" in brief
    assert "1 run, 6 expectations, 1.5 s." in brief
    assert "mermaid" not in brief
    assert Path("short.md").read_text(encoding="utf-8") == Path("summary.md").read_text(encoding="utf-8")


def test_what_is_interrupted_says_so(differs: GateVerdict) -> None:
    text = summary_markdown(replace(differs, interrupted=True))
    assert "The gate was interrupted: what is missing is not known." in text


def test_the_title_of_a_fold_is_text() -> None:
    shown = markdown_of([doc.Fold("<b>a_b", [doc.Paragraph("c_d")])])
    assert shown == "<details><summary>&lt;b&gt;a_b</summary>\n\nc\\_d\n\n</details>\n"
