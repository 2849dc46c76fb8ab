"""Scenarios on a cluster, one function a story; its docstring goes into the README of what is recorded."""

from isrbrokers.scenarios import (
    isr,
    last_leader,
    late_answer,
    missed_term,
    refusals,
    replaced_disk,
    stalls,
    swaps,
    truncation,
)
from isrbrokers.scenarios.scenario import Scenario

SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for module in (isr, stalls, truncation, refusals, last_leader, missed_term, replaced_disk, late_answer, swaps)
    for scenario in vars(module).values()
    if isinstance(scenario, Scenario)
}
