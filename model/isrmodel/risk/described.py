"""The settings of a running cluster's topics, from what Kafka's own tools print of them."""

import json
import re
from typing import Any

from isrcheck.errors import UsageError
from isrmodel.risk.setting import Setting

_TOPIC = re.compile(r"^Topic: *(?P<name>\S+).*?ReplicationFactor: *(?P<factor>\d+)(?:.*?Configs: *(?P<configs>\S*))?")


def topics(text: str, kafka: str, acks: str) -> dict[str, Setting]:
    """The setting of each topic, by name.

    `text` is what `kafka-topics.sh --describe` prints, or JSON: a list of {"topic", "replicationFactor", "configs"}.
    min.insync.replicas is 1 where it is not said, as in Kafka. What producers ask for (acks) is not in it. Raises
    UsageError if no topic is found.
    """
    found = _from_json(text, kafka, acks) if text.lstrip().startswith(("[", "{")) else _from_lines(text, kafka, acks)
    if not found:
        raise UsageError("there is no topic in it: give what `kafka-topics.sh --describe` prints, or a list in JSON.")
    return found


def _from_lines(text: str, kafka: str, acks: str) -> dict[str, Setting]:
    found = {}
    for line in text.splitlines():
        if (match := _TOPIC.match(line.strip())) is not None:
            pairs = (word.partition("=") for word in (match["configs"] or "").split(",") if word)
            found[match["name"]] = _setting(
                int(match["factor"]), {name: value for name, _, value in pairs}, kafka, acks
            )
    return found


def _from_json(text: str, kafka: str, acks: str) -> dict[str, Setting]:
    try:
        data = json.loads(text)
        listed = data["topics"] if isinstance(data, dict) else data
        return {
            str(each["topic"]): _setting(int(each["replicationFactor"]), each.get("configs", {}), kafka, acks)
            for each in listed
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        sentence = f"the topics cannot be read ({error}): a list of"
        raise UsageError(f'{sentence} {{"topic": "t", "replicationFactor": 3, "configs": {{}}}}.') from None


def _setting(factor: int, configs: dict[str, Any], kafka: str, acks: str) -> Setting:
    return Setting(
        kafka=kafka,
        replication_factor=factor,
        min_isr=int(configs.get("min.insync.replicas", 1)),
        acks=acks,
        unclean_election=str(configs.get("unclean.leader.election.enable", "false")).lower() == "true",
        flush_every_record=str(configs.get("flush.messages", "")) == "1",
    )
