"""Every phase of the table of interrupts ends by a signal and by its limit, whatever the machine does besides."""

import os
import re
import signal
import time
from pathlib import Path

import click
import pytest
from tests.fixtures.marked_phase import owner_of
from tools.bench._phases import PHASES, Phase
from tools.bench.interrupts import SIGNALS, WAYS, Load, end_in

from isrcheck.cli import commands
from isrcheck.process import interrupt
from isrcheck.process.budget import OutOfBudget, budget
from isrcheck.proofs import solvers

# Interrupted, undetermined, a cut that leaves nothing to say, and verdicts that were known before
ENDS = (130, 20, 2, 0, 12)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("phase", PHASES, ids=lambda phase: phase.title)
def test_every_phase_ends(phase: Phase, way: str, tmp_path: Path) -> None:
    if way not in SIGNALS and not phase.limit:
        return
    end = end_in(phase, way, Load(0), tmp_path)
    assert end.exit in ENDS, end.says
    assert "Traceback" not in end.says


def test_every_command_has_a_phase() -> None:
    assert {phase.command for phase in PHASES} >= {*commands.list_commands(click.Context(commands))}


@pytest.mark.parametrize("phase", PHASES, ids=lambda phase: phase.title)
def test_every_phase_begins_with_a_function_that_there_is(phase: Phase) -> None:
    owner, name = owner_of(re.split(r"[#*]", phase.begins)[0])
    assert callable(getattr(owner, name))


def never_answer() -> solvers.Answer:
    while True:
        time.sleep(1)


def kill_oneself() -> solvers.Answer:
    signal.raise_signal(signal.SIGKILL)
    return solvers.NO_ANSWER


def test_a_solver_that_never_answers_ends_with_the_budget() -> None:
    with budget(0.2), pytest.raises(OutOfBudget):
        solvers._ask_elsewhere(never_answer)


def signal_the_parent() -> solvers.Answer:
    os.kill(os.getppid(), signal.SIGUSR1)
    return never_answer()


def test_a_solver_that_never_answers_ends_with_a_signal() -> None:
    """The signal comes from the child: before that, a function that runs at the fork could take its exception."""
    handler = signal.signal(signal.SIGUSR1, lambda number, frame: interrupt.raise_in(frame, KeyboardInterrupt()))
    try:
        with pytest.raises(KeyboardInterrupt):
            solvers._ask_elsewhere(signal_the_parent)
    finally:
        signal.signal(signal.SIGUSR1, handler)


def test_a_solver_that_dies_has_no_answer() -> None:
    assert solvers._ask_elsewhere(kill_oneself) is None
