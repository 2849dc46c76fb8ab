"""Which events are a partition's, in a run with several topics."""

from isrlogs.conform.reading import by_partitions, settings_of
from isrlogs.observe.event import Event
from isrlogs.observe.records import metadata


def row(kind: str, topic: str | None, partition: int | None, run: str = "c", **fields: str) -> Event:
    return Event(run, "controller", "metadata", 0, None, None, 0, kind, topic, partition, fields, "")


def test_what_is_of_a_topic_is_of_its_partitions_alone() -> None:
    rows = [
        row("stop", None, None),
        row("stop", None, None, run="d"),
        row("config", "a", None, name="min.insync.replicas", value="2"),
        row("config", "b", None, name="min.insync.replicas", value="1"),
        row("append", "a", 0),
        row("append", "b", 0),
        row("append", "__consumer_offsets", 0),
    ]
    found = by_partitions(rows)
    assert {name: [event.kind for event in own] for name, own in found.items()} == {
        "c a-0": ["stop", "config", "append"],
        "c b-0": ["stop", "config", "append"],
    }
    assert [settings_of(None, own) for own in found.values()] == [
        {"min.insync.replicas": "2"},
        {"min.insync.replicas": "1"},
    ]


def test_a_setting_in_the_metadata_log_is_of_its_topic_or_of_all() -> None:
    for kind, topic in ((2, "tv"), (4, None)):
        data = f'{{"resourceType":{kind},"resourceName":"tv","name":"min.insync.replicas","value":"1"}}'
        line = f'| offset: 6 CreateTime: 1 keySize: -1 payload: {{"type":"CONFIG_RECORD","version":0,"data":{data}}}'
        (record,) = metadata(line)
        assert record.topic == topic
