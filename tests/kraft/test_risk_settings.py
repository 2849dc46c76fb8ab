"""The settings and budgets that the options of `isrcheck risk` ask for, and what is refused."""

import json

import pytest

from isrcheck.errors import UsageError
from isrrisk.budget import parse_budget, parse_kinds
from isrrisk.described import assumption, topics
from isrrisk.setting import Setting
from isrrisk.settings import budget_asked, combinations, parse_racks

DESCRIBED = (
    "Topic: a\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2,x=1\n"
    "\tTopic: a\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
    "Topic: b\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: unclean.leader.election.enable=true\n"
)


@pytest.mark.parametrize(("kafka", "model"), [("2.8", "2.7"), ("3.4", "3.3"), ("4.0", "4.0"), ("4.2", "4.1")])
def test_a_release_without_a_model_takes_the_last_before_it(kafka: str, model: str) -> None:
    setting = Setting(kafka)
    assert setting.model_release() == model
    says_so = any(f"Kafka {kafka} behaves as {model}" in remark for remark in setting.remarks())
    assert says_so is (kafka != model)


NOT_MODELLED = r"not a valid release|is not modelled"
NOT_READ = r"is not a release that was read\. Known: 2\.7, 2\.8, 3\.0"


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        *((Setting(kafka), NOT_MODELLED) for kafka in ("2.6", "four", "4")),
        *((Setting(kafka), NOT_READ) for kafka in ("9.9", "3.10", "4.77.1")),
        (Setting(replication_factor=100), "give at most 7"),
    ],
)
def test_a_setting_without_a_model_is_a_sentence(setting: Setting, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        setting.model()


def test_min_isr_above_the_replication_factor_gets_a_remark() -> None:
    assert "min.insync.replicas=4 (Kafka takes it for 3)" in Setting("4.1", 3, 4).description()
    assert "min.insync.replicas=4 (no write is accepted)" in Setting("3.6", 3, 4).description()
    assert "Kafka takes it for 3." in " ".join(Setting("4.1", 3, 4).remarks())
    assert "no write with acks=all" in " ".join(Setting("3.6", 3, 4).remarks())


def test_what_new_and_upgraded_clusters_have_is_said() -> None:
    assert "as in new clusters since 4.1" in " ".join(Setting("4.1").remarks())
    assert "off, as by default in 4.0" in " ".join(Setting("4.0").remarks())
    assert Setting("4.1", elr=False).remarks() == []
    assert Setting("3.9.0", 3).has_elr() is False


def test_unclean_elections_are_of_3_9() -> None:
    assert "3.8 under KRaft does not heed" in " ".join(Setting("3.8", unclean_election=True).remarks())
    assert Setting("3.9", unclean_election=True).remarks() == []


def test_eligible_leader_replicas_are_of_4_0() -> None:
    with pytest.raises(UsageError, match=r"Kafka 3\.9 has no eligible leader replicas"):
        Setting("3.9", elr=True).model()


def test_budgets_of_the_command_line() -> None:
    assert parse_budget("kills=1, power_losses=2") == {"kills": 1, "power_losses": 2}
    assert parse_kinds("kill,power") == ["kills", "power_losses"]
    assert parse_budget("kill=1,power=2,fence=0") == {"kills": 1, "power_losses": 2, "fences": 0}
    for wrong in ("killing=1", "kills", "kills=x"):
        with pytest.raises(UsageError, match="--budget"):
            parse_budget(wrong)
    with pytest.raises(UsageError, match="--faults flood"):
        parse_kinds("flood")
    budget, is_given = budget_asked(None, None, None, 0)
    assert (budget.most, is_given) == ({"fences": 1, "kills": 2, "power_losses": 2, "disks": 1}, False)
    budget, is_given = budget_asked(None, "kills=3", None, 0)
    assert (budget.most, is_given) == ({"kills": 3}, True)


def test_a_fault_with_a_number_that_faults_leaves_out_is_refused() -> None:
    with pytest.raises(UsageError, match="--budget kills=1 and --faults fence contradict"):
        budget_asked("fence", "kills=1", None, 0)
    budget, _ = budget_asked("fence,kill", "kills=2", None, 0)
    assert budget.most == {"fences": 1, "kills": 2}


def test_a_layout_of_zones_adds_one_lost_zone_to_the_other_faults() -> None:
    budget, _ = budget_asked(None, None, parse_racks("a,a,b,b,c", 5), 0)
    assert budget.most == {"fences": 1, "kills": 2, "power_losses": 2, "disks": 1, "rack_losses": 1}
    budget, _ = budget_asked("kill", None, parse_racks("a,b,c", 3), 0)
    assert budget.most == {"kills": 2, "rack_losses": 0}


@pytest.mark.parametrize(
    ("racks", "factor", "sentence"),
    [
        ("a,b", 3, "names 2 brokers, and this topic has 3 replicas: give the zone of each replica, as a,b,c"),
        ("a,a,a", 3, "3 brokers in zone a"),
        ("a,,b", 3, "3 replicas"),
    ],
)
def test_a_layout_that_cannot_be_asked_is_a_sentence(racks: str, factor: int, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        parse_racks(racks, factor)


def test_settings_side_by_side() -> None:
    settings = combinations(Setting(), ("elr", "min-isr=1,2"))
    assert list(settings) == [
        "ELR on, min.insync.replicas=1",
        "ELR on, min.insync.replicas=2",
        "ELR off, min.insync.replicas=1",
        "ELR off, min.insync.replicas=2",
    ]
    assert settings["ELR off, min.insync.replicas=1"] == Setting(elr=False, min_isr=1)
    assert combinations(Setting(), ("kafka=3.9,4.4",))["Kafka 3.9"] == Setting("3.9")


@pytest.mark.parametrize("option", ["racks=1,2", "kafka", "min-isr=x", "acks=2", "elr=maybe", "replication-factor=0"])
def test_what_cannot_vary_is_a_sentence(option: str) -> None:
    with pytest.raises(UsageError, match="--vary"):
        combinations(Setting(), (option,))


def test_one_setting_does_not_vary_twice() -> None:
    with pytest.raises(UsageError, match="--vary acks is given twice"):
        combinations(Setting(), ("acks", "acks=1"))


def test_the_topics_of_a_cluster() -> None:
    found = topics(DESCRIBED, Setting(elr=False, min_isr=1))
    assert found == {"a": Setting("4.1", 3, 2, elr=False), "b": Setting("4.1", 2, 1, unclean_election=True, elr=False)}
    listed = json.dumps([{"topic": "a", "replicationFactor": 3, "configs": {"min.insync.replicas": "2"}}])
    assert topics(listed, Setting()) == {"a": Setting("4.1", 3, 2)}
    with pytest.raises(UsageError, match=r"t\.txt has no topic, no line `Topic: NAME \.\.\. ReplicationFactor: N"):
        topics("nothing", Setting(), "t.txt")


def test_what_is_assumed_of_topics_without_a_value_is_said() -> None:
    assert assumption(DESCRIBED, Setting(min_isr=2)).startswith("min.insync.replicas=2 is assumed where")
    assert "(b)" in assumption(DESCRIBED, Setting())
    assert assumption(DESCRIBED.replace("Configs: unclean", "Configs: min.insync.replicas=1,unclean"), Setting()) == ""
