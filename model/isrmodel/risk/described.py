"""The settings of a running cluster's topics, from what Kafka's own tools print of them."""

import json
import re
from typing import Any

from isrcheck.errors import UsageError
from isrcheck.ir.frozen import replace
from isrmodel.risk.setting import Setting

_TOPIC = re.compile(r"^Topic: *(?P<name>\S+).*?ReplicationFactor: *(?P<factor>\d+)(?:.*?Configs: *(?P<configs>\S*))?")


def topics(text: str, others: Setting) -> dict[str, Setting]:
    """The setting of each topic, by name.

    `text` is what `kafka-topics.sh --describe` prints, or JSON: a list of {"topic", "replicationFactor", "configs"}.
    `others` has what the text does not say of a topic: the release, acks, and what the brokers have. Raises UsageError
    if no topic is found.
    """
    found = _from_json(text, others) if text.lstrip().startswith(("[", "{")) else _from_lines(text, others)
    if not found:
        raise UsageError("there is no topic in it: give what `kafka-topics.sh --describe` prints, or a list in JSON.")
    return found


def _from_lines(text: str, others: Setting) -> dict[str, Setting]:
    found = {}
    for line in text.splitlines():
        if (match := _TOPIC.match(line.strip())) is not None:
            pairs = (word.partition("=") for word in (match["configs"] or "").split(",") if word)
            found[match["name"]] = _setting(int(match["factor"]), {name: value for name, _, value in pairs}, others)
    return found


def _from_json(text: str, others: Setting) -> dict[str, Setting]:
    try:
        data = json.loads(text)
        listed = data["topics"] if isinstance(data, dict) else data
        return {
            str(each["topic"]): _setting(int(each["replicationFactor"]), each.get("configs", {}), others)
            for each in listed
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        sentence = f"the topics cannot be read ({error}): a list of"
        raise UsageError(f'{sentence} {{"topic": "t", "replicationFactor": 3, "configs": {{}}}}.') from None


def _setting(factor: int, configs: dict[str, Any], others: Setting) -> Setting:
    unclean, flush = configs.get("unclean.leader.election.enable"), configs.get("flush.messages")
    return replace(
        others,
        replication_factor=factor,
        min_isr=int(configs.get("min.insync.replicas", others.min_isr)),
        unclean_election=others.unclean_election if unclean is None else str(unclean).lower() == "true",
        flush_every_record=others.flush_every_record if flush is None else str(flush) == "1",
    )


def assumed(text: str, others: Setting) -> str:
    """What is assumed of topics that do not say their min.insync.replicas, as a sentence; empty if all say it."""
    other = replace(others, min_isr=others.min_isr + 1)
    before, after = topics(text, others), topics(text, other)
    silent = [name for name in before if before[name] != after[name]]
    if not silent:
        return ""
    return (
        f"min.insync.replicas={others.min_isr} is assumed where a topic has no value of its own ({', '.join(silent)}): "
        "the brokers' value is not in the description; --min-isr gives it."
    )
