"""The settings of a running cluster's topics, from what Kafka's own tools print of them."""

import json
import re
from dataclasses import replace
from typing import Any

from isrcheck import UsageError
from isrrisk.setting import Setting

_TOPIC = re.compile(r"^Topic: *(?P<name>\S+).*?ReplicationFactor: *(?P<factor>\d+)(?:.*?Configs: *(?P<configs>\S*))?")


def topics(description: str, others: Setting, file: str = "the description") -> dict[str, Setting]:
    """The setting of each topic, by name.

    `description` is what `kafka-topics.sh --describe` prints, or JSON: a list of {"topic", "replicationFactor",
    "configs"}. `others` has what the description does not say of a topic: the release, acks, and what the brokers have.
    Raises UsageError if no topic is found.
    """
    read = _from_json if description.lstrip().startswith(("[", "{")) else _from_lines
    settings = read(description, others)
    if not settings:
        sentence = f"{file} has no topic, no line `Topic: NAME ... ReplicationFactor: N ...`"
        raise UsageError(f"{sentence}: give all of what `kafka-topics.sh --describe` prints, or a list in JSON.")
    return settings


def _from_lines(description: str, others: Setting) -> dict[str, Setting]:
    settings = {}
    for line in description.splitlines():
        if (match := _TOPIC.match(line.strip())) is not None:
            pairs = (pair.partition("=") for pair in (match["configs"] or "").split(",") if pair)
            settings[match["name"]] = _as_setting(
                int(match["factor"]), {name: value for name, _, value in pairs}, others
            )
    return settings


def _from_json(description: str, others: Setting) -> dict[str, Setting]:
    try:
        data = json.loads(description)
        listed = data["topics"] if isinstance(data, dict) else data
        return {
            str(each["topic"]): _as_setting(int(each["replicationFactor"]), each.get("configs", {}), others)
            for each in listed
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        sentence = f"the topics cannot be read ({error}): a list of"
        raise UsageError(f'{sentence} {{"topic": "t", "replicationFactor": 3, "configs": {{}}}}.') from None


def _as_setting(factor: int, configs: dict[str, Any], others: Setting) -> Setting:
    unclean, flush = configs.get("unclean.leader.election.enable"), configs.get("flush.messages")
    return replace(
        others,
        replication_factor=factor,
        min_isr=int(configs.get("min.insync.replicas", others.min_isr)),
        unclean_election=others.unclean_election if unclean is None else str(unclean).lower() == "true",
        flush_every_record=others.flush_every_record if flush is None else str(flush) == "1",
    )


def assumption(description: str, others: Setting) -> str:
    """The sentence on topics that do not say their min.insync.replicas: what is assumed; empty if all say it."""
    other = replace(others, min_isr=others.min_isr + 1)
    before, after = topics(description, others), topics(description, other)
    silent = [name for name in before if before[name] != after[name]]
    if not silent:
        return ""
    return (
        f"min.insync.replicas={others.min_isr} is assumed where a topic has no value of its own ({', '.join(silent)}): "
        "the brokers' value is not in the description; --min-isr gives it."
    )
