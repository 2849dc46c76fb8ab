"""Fluss: three engines have the same graphs, each report its shortest story, and the page the figures of the spec."""

import os
import re
import subprocess
import sys
import tomllib
from itertools import combinations
from pathlib import Path

import pytest

from isrcheck import Options, check
from isrmodel.fluss import BUCKETS

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "specs" / "fluss.toml"
FAULTS = {"e": "elections", "f": "expiries", "k": "kills", "l": "power_losses"}
LOSSES = ("acked_in_leader", "acked_somewhere", "exposed_in_leader")
DESIGNS = {
    "fluss-0.9": "0.9",
    "fluss": "main",
    "fluss-kip-320": "KIP-320",
    "mended": "mended",
    "unclean": "mended, unclean",
}
ENGINES = ("evaluator", "reference", "native")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "constants", "expected"),
    [
        ("fluss-0.9", {"max_version": 3}, (3_799, 13_133, 20)),
        ("fluss", {"max_epoch": 3, "max_version": 3}, (351, 929, 16)),
        ("fluss", {"lags": 1, "max_version": 3, "lost_notices": 1}, (613, 1_737, 15)),
        ("fluss", {"lags": 1, "max_version": 3, "failovers": 1, "lost_answers": 1}, (3_809, 13_457, 19)),
        ("fluss", {"lags": 2, "max_version": 3, "awaits_caught_up": False}, (1_023, 3_075, 17)),
        ("fluss", {"lags": 1, "max_version": 3, "failed_writes": 1}, (725, 2_007, 16)),
        ("fluss", {"max_version": 3, "power_losses": 1, "expiries": 1}, (2_235, 6_597, 18)),
        ("fluss-kip-101", {"max_version": 2, "max_records": 2}, (327, 767, 15)),
        ("fluss-kip-279", {"max_version": 3, "kills": 1, "stops": 1}, (5_275, 13_917, 22)),
        ("fluss-kip-320", {"max_version": 3, "lags": 1, "epochless": 1}, (1_815, 4_907, 17)),
        ("fluss-kip-320", {"max_version": 3, "kills": 1, "unclean": True}, (777, 1_721, 18)),
    ],
)
def test_three_engines_have_the_same_graph(
    model: str, constants: dict[str, int], expected: tuple[int, int, int]
) -> None:
    graphs = [check(BUCKETS[model], engine=e, properties=[], constants={"replicas": 2, **constants}) for e in ENGINES]
    assert {(each.distinct, each.generated, each.depth) for each in graphs} == {expected}
    assert len({each.digest for each in graphs}) == 1


@pytest.mark.parametrize(
    ("model", "constants", "name", "steps"),
    [
        ("fluss", {"max_version": 2}, "candidates_complete", 8),
        pytest.param("fluss-0.9", {"max_version": 3}, "no_bad_shrink", 4, marks=pytest.mark.slow),
        pytest.param("fluss-0.9", {"max_version": 3}, "isr_never_empty", 6, marks=pytest.mark.slow),
        pytest.param(
            "fluss", {"max_version": 3, "lags": 1, "lost_answers": 1}, "request_not_stuck", 8, marks=pytest.mark.slow
        ),
    ],
)
def test_the_shortest_story_of_a_report(model: str, constants: dict[str, int], name: str, steps: int) -> None:
    """With two servers and one record; specs/fluss.toml has three and what holds with each fix."""
    sizes = {"replicas": 2, **constants}
    options = Options(stop_at_first=True)
    (told,) = check(BUCKETS[model], engine="evaluator", properties=[name], constants=sizes, options=options).properties
    assert told.trace is not None
    assert told.trace.length - 1 == steps


def test_the_page_has_the_figures_of_the_spec() -> None:
    page = (ROOT / "docs" / "fluss.md").read_text(encoding="utf-8")
    runs = tomllib.loads(SPEC.read_text(encoding="utf-8"))["run"]
    told = {
        (name, answer.split()[2])
        for run in runs
        for name, answer in run["expect"].items()
        if answer.startswith("violated in")
    }
    assert [each for each in re.findall(r"`(\w+)`: (\d+)", page) if each not in told] == []


def test_the_table_of_risk_has_the_frontier_of_the_spec() -> None:
    """Each number of faults contains one that loses a record, or lies within one that the spec says loses nothing."""
    page = (ROOT / "docs" / "fluss.md").read_text(encoding="utf-8")
    settings: dict[tuple[int, str], dict[str, dict[frozenset[str], str]]] = {}
    for run in tomllib.loads(SPEC.read_text(encoding="utf-8"))["run"]:
        constants = run["constants"]
        if constants.get("counted"):
            mended, unclean = constants.get("server_epochs"), constants.get("unclean")
            design = "unclean" if unclean else "mended" if mended else run["model"]
            faults = frozenset(letter for letter, name in FAULTS.items() if constants.get(name))
            answers = settings.setdefault((constants["replicas"], design), {name: {} for name in LOSSES})
            for name, answer in run["expect"].items():
                answers[name][faults] = answer
    for (replicas, design), answers in settings.items():
        most = 4 if replicas == 2 else 1 if design == "fluss-0.9" else 2
        acked, somewhere, exposed = (least_faults(answers[name], most) for name in LOSSES)
        assert f"| {replicas} | {DESIGNS[design]} | {acked} | {somewhere} |" in page
        assert exposed == acked or f"with {DESIGNS[design]} at two servers: {exposed}." in page


def least_faults(answers: dict[frozenset[str], str], most: int) -> str:
    """The least faults that lose something; all other faults must be decided by a larger run."""
    lost = [each for each, answer in answers.items() if answer != "holds"]
    least = [each for each in lost if not any(other < each for other in lost)]
    kept = [each for each, answer in answers.items() if answer == "holds"]
    for faults in (frozenset(each) for n in range(most + 1) for each in combinations(FAULTS, n)):
        assert any(each <= faults for each in least) != any(faults <= each for each in kept), sorted(faults)
    return ", ".join(sorted(("+".join(sorted(each)) for each in least), key=len)) or "survives"


@pytest.mark.slow
def test_the_spec_is_met() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "checker"), str(ROOT / "model")))}
    words = [sys.executable, "-m", "isrcheck", "gate", "specs/fluss.toml", "--workers", "1", "--no-github"]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
