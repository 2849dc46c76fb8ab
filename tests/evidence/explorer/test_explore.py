"""The command, the file that it writes, and the sentences for a trace that is not of this model."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.evidence.stories import kip_101

from isrcheck.cli import commands
from isrcheck.errors import IsrcheckError


def explore(*arguments: str | Path) -> str:
    """What the command prints; its own errors are raised."""
    done = CliRunner().invoke(commands, ["explore", *map(str, arguments)], standalone_mode=False)
    if done.exception:
        raise done.exception
    return done.stdout


def test_the_page_is_named_after_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert explore("toy-clock") == "explore-toy-clock.html\n"
    text = (tmp_path / "explore-toy-clock.html").read_text(encoding="utf-8")
    assert "All 12 states are in this file." in text
    assert explore("toy-clock", "-c", "hours=2", "-o", "sub/a.html") == "sub/a.html\n"
    assert "hours=2" in (tmp_path / "sub" / "a.html").read_text(encoding="utf-8")


def test_the_same_page_is_made_again(tmp_path: Path) -> None:
    for name in ("a", "b"):
        explore("kip-101", "--max-states", "60", "-o", tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.slow
def test_five_hundred_states_of_kafka_stay_small(tmp_path: Path) -> None:
    explore("kip-320", "-o", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "The 500 states nearest to the first one are in this file; the model has more." in text
    assert len(text) < 300_000


def test_nothing_outside_is_named(tmp_path: Path) -> None:
    explore("toy-ledger", "-o", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in text.replace("&#39;", "'")
    assert "connect-src 'none'" in text.replace("&#39;", "'")
    assert re.findall(r"https?://[^\s\"'<\\]+", text) == []


def trace_file(folder: Path, change: Callable[[dict[str, Any]], Any] = lambda _: None) -> Path:
    data = json.loads(kip_101().to_json())
    change(data)
    file = folder / "trace.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    return file


def test_a_trace_is_followed(tmp_path: Path) -> None:
    explore(trace_file(tmp_path), "-o", tmp_path / "page.html")
    assert "strong_isr is violated after 9 steps." in (tmp_path / "page.html").read_text(encoding="utf-8")


def rename(data: dict[str, Any]) -> None:
    data["steps"][3]["action"] = "leader_dreams"


def swap(data: dict[str, Any]) -> None:
    data["steps"][4], data["steps"][5] = data["steps"][5], data["steps"][4]


def strange_argument(data: dict[str, Any]) -> None:
    data["steps"][1]["arguments"]["chosen"] = {"set": 5}


def twice(data: dict[str, Any]) -> None:
    data["steps"][2] = data["steps"][1]


def other_value(data: dict[str, Any]) -> None:
    data["steps"][2]["state"]["quorum_epoch"] = 7


def other_property(data: dict[str, Any]) -> None:
    data["property"]["name"] = "log_matching"


def unknown_property(data: dict[str, Any]) -> None:
    data["property"]["name"] = "<b>"


def begins_late(data: dict[str, Any]) -> None:
    del data["steps"][0]
    data["length"] -= 1


def other_model(data: dict[str, Any]) -> None:
    data["model"] = "toy-clock"
    data["constants"] = {}


def unknown_model(data: dict[str, Any]) -> None:
    data["model"] = "kip-1010"


def wrong_constant(data: dict[str, Any]) -> None:
    data["constants"]["replicas"] = [1]


def cut_short(data: dict[str, Any]) -> None:
    data["steps"].pop()


CHANGED = (
    "It is of another model or version, or was changed: make it again with isrcheck check --trace-dir.",
    "FILE does not replay: at step ",
)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (rename, f"{CHANGED[1]}3, TruncateToHighWatermark has no step leader_dreams(leader=r0, epoch=1) with these "
                 f"constants. {CHANGED[0]}"),
        (swap, f"{CHANGED[1]}4, the model's state is another one. {CHANGED[0]}"),
        (twice, f"{CHANGED[1]}2, controller_elects_leader(chosen=r0) cannot happen there. {CHANGED[0]}"),
        (other_value, f"{CHANGED[1]}2, the model's state is another one. {CHANGED[0]}"),
        (other_property, f"{CHANGED[1]}9, log_matching is not decided there. {CHANGED[0]}"),
        (unknown_property, "FILE does not replay: TruncateToHighWatermark has no property <b>."),
        (begins_late, "FILE does not replay: in the initial state, it begins with a step and not with a state. "
                      f"{CHANGED[0]}"),
        (other_model, "FILE does not replay: Clock has no property strong_isr."),
        (strange_argument, f"{CHANGED[1]}1, TruncateToHighWatermark has no step "
                           f"controller_elects_leader(chosen={{\"set\": 5}}) with these constants. {CHANGED[0]}"),
        (unknown_model, "there is no model kip-1010. Did you mean kip-101? A file of your own is FILE.py:Class."),
        (wrong_constant, "the constant replicas is a whole number, not [1]."),
        (cut_short, "FILE is not a whole trace: its length is stated as 10, and it has 9 states; the rest is missing."),
    ],
)  # fmt: skip
def test_a_trace_of_something_else_is_refused(tmp_path: Path, change: Callable[[Any], None], sentence: str) -> None:
    file = trace_file(tmp_path, change)
    with pytest.raises(IsrcheckError) as caught:
        explore(file, "-o", tmp_path / "page.html")
    assert caught.value.exit_code == 2
    assert str(caught.value).replace(str(file), "FILE") == sentence
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["t.json", "-c", "a=1"], "t.json has its own constants: leave -c out."),
        (["toy-clock", "--serve", "-o", "x"],
         "--serve writes no file and has no limit of states: leave -o and --max-states out."),
        (["toy-clock", "--port", "80"], "--port is of --serve: give both, or neither."),
        (["toy-clock", "--property", "last_minut"], "Clock has no property last_minut. Did you mean last_minute?"),
    ],
)  # fmt: skip
def test_wrong_usage_is_one_sentence(arguments: list[str], sentence: str) -> None:
    with pytest.raises(IsrcheckError) as caught:
        explore(*arguments)
    assert caught.value.exit_code == 2
    assert str(caught.value) == sentence
