"""What z3 and cvc5 say of a text in SMT-LIB: unsat, sat, or unknown after so many seconds."""

import os
from collections.abc import Callable
from functools import partial

import z3

from isrcheck.engines.symbolic.unroll import ask
from isrcheck.extras import need
from isrcheck.process.budget import current, poll, poll_memory

cvc5 = need("cvc5")  # which knows many of what z3 does not, and the other way round

REFUTED, SATISFIABLE, UNKNOWN = "unsat", "sat", "unknown"
Say = Callable[[str, float], str]


_BUSIEST = 8.0  # times as long as on an idle machine


def says(solver: Say, text: str, seconds: float) -> str:
    """Within the seconds of a core, and within the budget. Raises OutOfBudget.

    Solvers count by the clock: where others wait for a core, they have as much longer.
    """
    seconds *= min(_BUSIEST, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))
    left = current().left
    answer = solver(text, seconds if left is None else max(0.001, min(seconds, left)))
    poll()
    return answer


def _z3(text: str, seconds: float) -> str:
    solver = z3.Solver()
    solver.set("ctrl_c", False)
    solver.set("timeout", max(1, int(seconds * 1000)))
    solver.from_string(text)
    said = ask(solver, poll_memory)
    return REFUTED if said == z3.unsat else SATISFIABLE if said == z3.sat else UNKNOWN


def _cvc5(text: str, seconds: float, several: bool = False) -> str:
    """`several`: patterns of several terms for a quantifier, where one term would do."""
    terms = cvc5.TermManager()
    solver, symbols = cvc5.Solver(terms), cvc5.SymbolManager(terms)
    solver.setOption("multi-trigger-when-single", str(several).lower())
    solver.setOption("tlimit-per", str(max(1, int(seconds * 1000))))
    parser, said = cvc5.InputParser(solver, symbols), ""
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    while not (command := parser.nextCommand()).isNull():
        said += str(command.invoke(solver, symbols)).strip()
    return said if said in (REFUTED, SATISFIABLE) else UNKNOWN


SOLVERS: dict[str, Say] = {
    "z3": _z3,
    "cvc5": _cvc5,
    "cvc5 --multi-trigger-when-single": partial(_cvc5, several=True),
}
