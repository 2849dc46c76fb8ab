"""A run of `isrcheck risk`: its searches, and what is shown of them when."""

import json
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from isrcheck import Limits
from isrcheck.plugin import (
    Document,
    GpuRemark,
    Paragraph,
    Progress,
    ProgressLine,
    console,
    hand_over,
    replace,
    show_document,
    worst,
    write_aside,
)
from isrrisk.advice import Advice, advice_document, advise
from isrrisk.against import Earlier, judge_topics
from isrrisk.answer import Answer, as_json
from isrrisk.budget import FaultBudget
from isrrisk.comparison import comparison_document
from isrrisk.document import document_of_next, document_of_search, document_of_wider, table_document
from isrrisk.earlier import earlier_frontier, keep
from isrrisk.frontier import Frontier, LeastLoss
from isrrisk.rings import EXPECTED_AT_MOST, answer_by_rings, expect_nothing, states_expected
from isrrisk.search import frontier, seconds_left
from isrrisk.setting import Setting, is_alike
from isrrisk.settings import ZoneLayout
from isrrisk.story import story_document, worst_loss
from isrrisk.zones import zones_document


@dataclass
class RiskRun:
    """The questions of one command, and how they are searched and shown."""

    settings: Mapping[str, Setting]
    widest: FaultBudget
    is_widest_asked: bool
    layout: ZoneLayout | None
    remark: str
    limits: Limits
    engine: str
    workers: int
    records: int
    uses_cache: bool
    json_file: str | None
    trace_dir: Path | None
    earlier: Earlier | None = None  # of --against: the names of `settings` are its topics as they were and are
    began: float = field(default_factory=time.monotonic)
    _shown: list[LeastLoss] | None = None  # the losses of the last table

    def decide(self, advice: bool) -> int:
        """Search, show and write every answer; the exit code."""
        with ProgressLine(console(stderr=True), None) as self._progress:
            is_native = self.engine == "native"
            self._hear: Callable[[Progress], None] = GpuRemark(self._progress) if is_native else self._progress
            answers = self._answers()
            advised = self._advise(answers) if advice else None
        if advised is not None:
            self._show(advice_document(advised))
        if self.earlier is not None:
            document, code = judge_topics(self.earlier, answers)
            self._show(document)
            return code
        codes = {each.exit(self.is_widest_asked) for each in answers.values()}
        return worst(codes if len(answers) == len(self.settings) else {20, *codes})

    def _answers(self) -> dict[str, Answer]:
        """The answer to every setting; those that are one question for the model are searched once."""
        answers: dict[str, Answer] = {}
        for name, setting in self.settings.items():
            alike = next((each for each in answers.values() if is_alike(each.setting, setting)), None)
            answers[name] = replace(alike, setting=setting) if alike else self._answer(setting)
            if answers[name].was_interrupted:
                break
        self._deliver(answers)
        return answers

    def _answer(self, setting: Setting) -> Answer:
        goes_on = self.is_widest_asked or self.limits != Limits()
        expect = states_expected if self.engine == "native" else expect_nothing
        return answer_by_rings(
            setting, self.widest, lambda ring: self._search(setting, ring), goes_on, self._tell, expect
        )

    def _search(self, setting: Setting, budget: FaultBudget, most_states: int | None = None) -> Frontier:
        """The frontier from an earlier search of the same question, else from a search."""
        earlier = earlier_frontier(setting, budget, self.records, self.engine) if self.uses_cache else None
        if earlier is not None:
            return earlier
        limits = seconds_left(self.limits, self.began)
        if most_states is not None and limits.states is None and self.engine == "native":
            limits = replace(limits, states=most_states)
        searched = frontier(
            setting, budget, limits, self.workers, self.records, progress=self._hear, engine=self.engine
        )
        keep(searched, self.records, self.engine)
        return searched

    def _tell(self, answer: Answer) -> None:
        """Show a complete ring while the next one is searched."""
        if len(self.settings) > 1:
            return
        self._show_new(answer)
        self._show(document_of_next(answer))
        if self.json_file and self.json_file != "-":
            self._write_json([answer])

    def _show_new(self, answer: Answer) -> None:
        """Show the table, or only how far was searched where the table says nothing new."""
        is_new = self._shown is None or [_key(each) for each in answer.losses] != [_key(each) for each in self._shown]
        self._show(table_document(answer) if is_new else document_of_search(answer))
        self._shown = answer.losses

    def _deliver(self, answers: Mapping[str, Answer]) -> None:
        if not answers:
            pass
        elif not any(answer.last or answer.losses for answer in answers.values()) and self._was_interrupted(answers):
            self._show([Paragraph("Interrupted before a search was complete: nothing is known of these settings.")])
        elif len(self.settings) == 1:
            (answer,) = answers.values()
            self._show_new(answer)
            self._show(self._rest(answer))
        else:
            self._show(comparison_document(answers))
        if unasked := [name for name in self.settings if name not in answers]:
            self._show([Paragraph(f"Not searched, since the user ended the run: {', '.join(unasked)}.")])
        if self.remark:
            self._show([Paragraph(self.remark)])
        if self.trace_dir:
            _save(answers, self.trace_dir)
        self._write_json(list(answers.values()))

    def _was_interrupted(self, answers: Mapping[str, Answer]) -> bool:
        return any(answer.was_interrupted for answer in answers.values())

    def _rest(self, answer: Answer) -> Document:
        yield from document_of_wider(answer)
        loss = worst_loss(answer.losses)
        if loss is not None:
            yield from story_document(loss)
        yield from zones_document(self.layout, loss, self.widest)

    def _advise(self, answers: Mapping[str, Answer]) -> Advice | None:
        """Advice for one setting whose search was not cut off."""
        if len(self.settings) != 1 or self.json_file == "-":
            return None
        (answer,) = answers.values()
        if answer.cut is not None:
            return None
        with suppress(KeyboardInterrupt):
            return advise(answer, lambda setting, budget: self._search(setting, budget, 2 * EXPECTED_AT_MOST))
        return None

    def _show(self, document: Document) -> None:
        if self.json_file != "-":
            with self._progress.hide():
                show_document(document)

    def _write_json(self, answers: list[Answer]) -> None:
        if self.json_file:
            facts = [as_json(each) for each in answers]
            content = json.dumps(facts if len(self.settings) != 1 else facts[0], indent=2) + "\n"
            hand_over(content, None if self.json_file == "-" else Path(self.json_file))


def _key(loss: LeastLoss) -> tuple[object, ...]:
    return loss.name, tuple((name, n) for name, n in loss.faults if n)


def _save(answers: Mapping[str, Answer], folder: Path) -> None:
    """Write each story as FOLDER/SETTING-PROPERTY-FAULTS.json, for `isrcheck render`."""
    for each in answers.values():
        setting = re.sub(r"[^\w.]+", "-", each.setting.description())
        for loss in each.losses:
            faults = "-".join(f"{name}{number}" for name, number in loss.faults if number)
            write_aside(folder / f"{setting}-{loss.name}-{faults}.json", loss.trace.to_json())
