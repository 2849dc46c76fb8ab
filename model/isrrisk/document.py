"""An answer for people: a table of what goes wrong and how little it takes, and how far was searched."""

from isrcheck.plugin import Block, Document, Heading, Line, Lines, Paragraph, Table, Tone, code, good, strong
from isrrisk.answer import Answer
from isrrisk.budget import by_number, in_words
from isrrisk.frontier import Frontier, LeastLoss
from isrrisk.rings import one_of_each_beyond
from isrrisk.survivals import phrase_of_survivals
from isrrisk.wording import WORDS, is_out_of_reach, sentence_of_expectation, sentence_of_search, within


def frontier_table(frontier: Frontier) -> Document:
    """The table of one search."""
    is_complete = frontier.is_complete
    answer = Answer(
        frontier.setting, [frontier] if is_complete else [], None if is_complete else frontier, None, frontier.budget
    )
    return table_document(answer)


def table_document(answer: Answer) -> Document:
    """The table of losses: the least that causes each and in how many steps; how far was searched."""
    yield Heading(answer.setting.description(), 1)
    for remark in answer.setting.remarks():
        yield Paragraph(remark)
    yield Table(
        ["what goes wrong", "the least that does it", "steps"],
        [(words, *_cells(answer, loss)) for loss, words in WORDS.items()],
    )
    yield _summary(answer)
    yield from document_of_search(answer)


def _summary(answer: Answer) -> Block:
    if answer.last is None:
        return Paragraph("No search is complete: less than this table says may do it, too.")
    if not answer.losses:
        has_faults = any(answer.last.budget.most.values())
        beginning = (
            f"Nothing is lost with {answer.last.budget.description()}"
            if has_faults
            else "Without any fault nothing is lost"
        )
        return Paragraph((good(f"{beginning}{within(answer.pruned)}."),))
    return Paragraph(f"Survives: {phrase_of_survivals(answer.last)}{within(answer.pruned)}.")


def verdict_sentence(answer: Answer) -> str:
    """One sentence for a setting: the least that does harm, or what was searched without any."""
    if answer.losses:
        least = min(answer.losses, key=lambda loss: by_number(loss.faults))
        return f"{WORDS[least.name]} after {in_words(least.faults)}."
    if answer.last is None:
        return "undetermined, no search is complete."
    return f"nothing is lost with {answer.last.budget.description()}{within(answer.pruned)}."


def document_of_search(answer: Answer) -> Document:
    """How far was searched, and what was cut off."""
    if answer.last is not None:
        yield Paragraph((strong("Searched completely"), f" up to {sentence_of_search(answer.last)}"))
    if answer.cut is not None:
        reason = f"cut off {answer.cut.cut}" if answer.cut.cut else "not decided"
        states = f", {answer.cut.states:,} states" if answer.cut.states else ""
        yield Paragraph(f"Not complete: {answer.cut.budget.description()} ({reason}{states}).")


def document_of_next(answer: Answer) -> Document:
    """The ring that is searched next, and that the user may end it."""
    if answer.wider is not None:
        expected = sentence_of_expectation(answer.wider, answer.last)
        next_ring = f"Going on with {answer.wider.budget.description()}{expected}."
        yield Paragraph(next_ring, "Ctrl-C keeps what is complete.")


def document_of_wider(answer: Answer) -> Document:
    """The ring that was not searched, what it and one fault of each kind would take, and how to ask for more."""
    if answer.wider is not None and answer.cut is None:
        yield Paragraph(
            f"Not searched: {answer.wider.budget.description()}{sentence_of_expectation(answer.wider, answer.last)}.",
            *(
                f"One of each kind{sentence_of_expectation(each, answer.last)}."
                for each in one_of_each_beyond(answer, answer.wider)
            ),
            *(() if is_out_of_reach(answer.wider, answer.last) else (_line_of_options(answer),)),
        )


def _line_of_options(answer: Answer) -> Line:
    options = (code(f"--budget {answer.widest.option()}"), " or a limit such as ", code("--max-seconds 600"))
    return ("To go on, add ", *options, ".")


def least_lines(losses: list[LeastLoss]) -> list[Line]:
    """The least faults of each loss."""
    return [in_words(loss.faults) for loss in losses]


def _cells(answer: Answer, loss: str) -> tuple[Lines, Lines]:
    losses = [each for each in answer.losses if each.name == loss]
    if losses:
        steps = [str(each.steps) for each in losses]
        return Lines([*least_lines(losses), *beyond(answer, losses)], Tone.BAD), Lines(steps)
    return Lines([no_loss(answer, loss)], Tone.UNSURE if answer.undecided else Tone.GOOD), Lines([""])


def beyond(answer: Answer, losses: list[LeastLoss]) -> list[Line]:
    """A caveat where a loss was met in a search that was cut off."""
    complete = answer.last.losses if answer.last else []
    return [] if all(loss in complete for loss in losses) else ["less may do it, too"]


def no_loss(answer: Answer, loss: str) -> str:
    """The cell of a loss that was not met."""
    if answer.undecided:
        return "undetermined: not met so far"
    if loss.startswith("acked") and not answer.setting.acknowledges():
        return "no record is ever acknowledged"
    return f"nothing searched{' completely' if answer.cut else ''} does{within(answer.pruned)}"
