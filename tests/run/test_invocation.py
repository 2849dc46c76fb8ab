"""What was asked is one value; the line that runs it again is rendered from it, and from nothing else."""

import pickle

import pytest

from isrcheck import Limits, Options, check, prove, simulate
from isrcheck.engines.contract import Bounded, Cluster, NotStarted, Proved, Sampled, Searched
from isrcheck.run.invocation import Invocation, SimulationInvocation, line

SMALL = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}


def test_a_line_has_the_options_that_have_a_value() -> None:
    assert line("check", "a b.py:M", c=["n=1", "m=true"], deadlock=True, symmetry=False, max_seconds=0.0) == (
        "isrcheck check 'a b.py:M' -c n=1 -c m=true --deadlock --max-seconds 0"
    )
    assert line("x", workers=None, max_states=0) == "isrcheck x --max-states 0"


LINES: dict[str, tuple[Invocation, str]] = {
    "nothing": (Invocation(model="m"), "isrcheck check m --engine native"),
    "no property": (Invocation(model="m", properties=()), "isrcheck check m --property none --engine native"),
    "limits": (
        Invocation(model="m", limits=Limits(5, 4, 0.5, 1 << 30)),
        "isrcheck check m --engine native --max-states 5 --max-depth 4 --max-seconds 0.5 --max-memory 1073741824",
    ),
    "options": (
        Invocation(
            model="m",
            constants={"n": 3, "pace": "every-tick"},
            properties=("p", "q"),
            engine="spark",
            options=Options(
                workers=2,
                symmetry=True,
                deadlock=True,
                stop_at_first=True,
                cluster=Cluster("local[2]", (("a", "b c"),)),
            ),
        ),
        "isrcheck check m -c n=3 -c pace=every-tick --property p --property q --deadlock --workers 2 --engine spark "
        "--symmetry --stop-at-first --master 'local[2]' --spark-conf 'a=b c'",
    ),
    "walks": (
        SimulationInvocation(model="m", walks=10, steps=5, seed=3),
        "isrcheck simulate m --walks 10 --steps 5 --seed 3",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_the_line_of_an_invocation(name: str) -> None:
    invocation, expected = LINES[name]
    assert invocation.line == expected


def test_the_line_of_facts_leaves_the_workers_out() -> None:
    invocation = Invocation(model="m", options=Options(workers=8, deadlock=True))
    assert invocation.to_dict() == {"properties": None, "line": "isrcheck check m --deadlock --engine native"}


def test_constants_are_values_once_the_model_is_read() -> None:
    outcome = check("kip-320", constants={n: str(v) for n, v in SMALL.items()}, workers=2)
    assert outcome.invocation.constants == {**SMALL, "isr_may_empty": True}
    assert pickle.loads(pickle.dumps(outcome.invocation)) == outcome.invocation
    assert outcome.workers == 2


def test_what_a_run_found_is_of_one_type() -> None:
    assert isinstance(check("toy-mutex").result, Searched)
    assert isinstance(check("toy-mutex", engine="symbolic", limits=Limits(depth=2)).result, Bounded)
    assert isinstance(simulate("toy-mutex", walks=5, steps=5).result, Sampled)
    assert isinstance(prove("toy-mutex").outcome.result, Proved)
    assert isinstance(check("toy-mutex", limits=Limits(seconds=0)).result, NotStarted)
