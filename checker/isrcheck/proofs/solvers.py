"""The answers of z3 and cvc5 to a text in SMT-LIB: unsat, sat, or unknown after so many seconds."""

import os
import pickle
import re
from collections.abc import Callable
from functools import partial
from typing import cast

import z3

from isrcheck.engines.symbolic.unroll import ask
from isrcheck.extras import need
from isrcheck.process import supervised
from isrcheck.process.budget import OutOfBudget, current, poll, poll_memory

cvc5 = need("cvc5")  # which knows many of what z3 does not, and the other way round

REFUTED, SATISFIABLE, UNKNOWN = "unsat", "sat", "unknown"
Answer = tuple[str, frozenset[str]]  # with the labels of the lemmas that refute a script, if it asks for a core
NO_ANSWER: Answer = UNKNOWN, frozenset()
Solver = Callable[[str, float], Answer]

_LOOK_SECONDS = 0.05
_BUSIEST = 8.0  # times as long as on an idle machine


def ask_solver(solver: Solver, script: str, seconds: float) -> Answer:
    """Ask a solver, within seconds of a core and within the budget. Raises OutOfBudget.

    Solvers count by the clock: where others wait for a core, they have as much longer.
    """
    seconds *= min(_BUSIEST, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))
    left = current().left
    answer = solver(script, seconds if left is None else max(0.001, min(seconds, left)))
    poll()
    return answer


def _ask_elsewhere(work: Callable[[], Answer]) -> Answer | None:
    """Ask in a process that a signal ends, and the budget: cvc5 hears neither, and z3 not always.

    Return None if it ended without an answer. Raises OutOfBudget, also for its memory.
    """

    def answer(channel: supervised.Channel) -> None:
        said: Answer | OutOfBudget
        try:
            said = work()
        except OutOfBudget as over:
            said = over
        channel.say(pickle.dumps(said))

    child = supervised.start(answer)
    try:
        message, is_over = None, False
        while message is None and not is_over:
            poll()
            is_over = child.code() is not None  # asked first: what it said before is read after
            message = child.next_message(_LOOK_SECONDS)
    finally:
        child.kill()
    said = None if message is None else pickle.loads(message)
    if isinstance(said, OutOfBudget):
        raise said
    return cast(Answer | None, said)


def _ask_z3(script: str, seconds: float) -> Answer:
    solver = z3.Solver()
    solver.set("ctrl_c", False)
    solver.set("timeout", max(1, int(seconds * 1000)))
    solver.from_string(script)
    said = ask(solver, poll_memory)
    if said == z3.unsat:
        return REFUTED, frozenset(str(each.decl().name()) for each in solver.unsat_core())
    return SATISFIABLE if said == z3.sat else UNKNOWN, frozenset()


def _ask_cvc5(script: str, seconds: float, several: bool = False) -> Answer:
    """Return cvc5's answer on a script. With `several` a quantifier's pattern may be of several terms."""
    terms = cvc5.TermManager()
    solver, symbols = cvc5.Solver(terms), cvc5.SymbolManager(terms)
    solver.setOption("multi-trigger-when-single", str(several).lower())
    solver.setOption("tlimit-per", str(max(1, int(seconds * 1000))))
    parser, said = cvc5.InputParser(solver, symbols), ""
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "obligation")
    while not (command := parser.nextCommand()).isNull():
        said += str(command.invoke(solver, symbols)).strip()
    answer = next((each for each in (REFUTED, SATISFIABLE) if said.startswith(each)), UNKNOWN)
    return answer, labels_of_core(said, script) if answer == REFUTED else frozenset()


def labels_of_core(said: str, script: str) -> frozenset[str]:
    """The labels in an unsatisfiable core as cvc5 prints it; without one, all labels of the script."""
    is_core = re.fullmatch(r"unsat\s*\((\s*\|[^|]*\|)*\s*\)", said)
    return frozenset(re.findall(r"\|([^|]*)\|" if is_core else r":named \|([^|]*)\|", said if is_core else script))


def _solve(ask_solver: Solver, script: str, seconds: float) -> Answer:
    return _ask_elsewhere(lambda: ask_solver(script, seconds)) or NO_ANSWER


SOLVERS: dict[str, Solver] = {
    "z3": partial(_solve, _ask_z3),
    "cvc5": partial(_solve, _ask_cvc5),
    "cvc5 --multi-trigger-when-single": partial(_solve, partial(_ask_cvc5, several=True)),
}
