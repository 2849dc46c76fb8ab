"""KIP-320 for any number of replicas, records and epochs; and without any of its four rules, nothing."""

import pytest

from isrcheck import prove
from isrcheck.engines.contract import Limits

MUTANTS = (
    "kip-320-without-epoch-start",
    "kip-320-unfenced-high-watermark",
    "kip-320-unfenced-truncation",
    "kip-320-unfenced-fetch",
)


@pytest.mark.slow
def test_kip_320_is_proved_for_any_replicas_records_and_epochs() -> None:
    outcome = prove("kip-320", properties=["strong_isr", "weak_isr"], unbounded=True).outcome
    assert [(p.verdict.value, p.assurance) for p in outcome.properties] == [("holds", "proved")] * 2
    assert {name: outcome.sizes[name] for name in ("replicas", "records", "epochs", "log_size")} == {
        "replicas": "any",
        "records": "any",
        "epochs": "any",
        "log_size": "any",
    }


@pytest.mark.slow
@pytest.mark.parametrize("model", MUTANTS)
def test_without_one_of_its_rules_it_is_not(model: str) -> None:
    outcome = prove(model, properties=["strong_isr"], unbounded=True, limits=Limits(seconds=120)).outcome
    assert outcome.exit == 20
    assert outcome.proofs[0].reason
