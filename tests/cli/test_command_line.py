"""What a person types and what comes back: exit codes, sentences, JSON. No stack trace for a user's mistake."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tests.fixtures.command_line import as_process, in_process

import isrcheck

SMALL = ["-c", "replicas=2", "-c", "log_size=1", "-c", "max_records=1", "-c", "max_leader_epoch=1"]


def refused(*words: str, cwd: Path | None = None, code: int = 2) -> str:
    """The message of a run that must fail with this code, in words and without a stack trace."""
    own = any(".py" in word for word in words)
    done = (as_process if own else in_process)(*words, cwd=cwd)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return done.stderr


def test_a_violation_exits_12_and_shows_its_steps() -> None:
    done = as_process("check", "truncate-to-high-watermark", *SMALL)
    assert done.returncode == 12
    assert "strong_isr is violated after 9 steps" in done.stdout
    assert "r1 learns that it follows r0 in epoch 1: LEO 0 on r1" in done.stdout
    assert "r1 truncates to offset 0, the follower's own high watermark" in done.stdout
    assert done.stderr == ""


def test_what_holds_within_bounds_says_so() -> None:
    done = in_process("check", "kip-320", *SMALL)
    assert done.returncode == 0
    assert "holds within bounds (660 steps pruned)" in done.stdout
    assert "277 distinct states" in done.stdout


def test_json_on_standard_output_is_alone_there() -> None:
    done = in_process("check", "kip-320", *SMALL, "--json", "-")
    outcome = json.loads(done.stdout)
    assert outcome["schema"] == "isrcheck.outcome/2"
    assert outcome["verdict"] == "holds"
    assert outcome["exit"] == 0
    assert outcome["states"] == {
        "distinct": 277,
        "generated": 465,
        "depth": 12,
        "pruned": 660,
        "levels": [1, 4, 12, 18, 36, 44, 48, 48, 30, 22, 12, 2],
        "bits": 37,
        "digest": "f1ea7522879ebc5cb4762275c497a922",
    }
    keys = "schema version model constants engine workers symmetry verdict within_bounds exit "
    keys += "seconds startup_seconds peak_rss_bytes "
    assert list(outcome) == (keys + "states cut properties actions guards_never_held invocation command").split()
    assert [p["name"] for p in outcome["properties"]][:3] == ["weak_isr", "strong_isr", "leader_in_isr"]
    assert outcome["properties"][0] == {
        "name": "weak_isr",
        "kind": "invariant",
        "verdict": "holds",
        "within_bounds": True,
        "assurance": "exhaustive",
        "trace": None,
    }


@pytest.mark.parametrize(("engine", "workers"), [("native", os.cpu_count()), ("reference", 1)])
def test_a_search_has_a_worker_for_each_core(engine: str, workers: int) -> None:
    done = in_process("check", "toy-mutex", "--engine", engine, "--json", "-")
    outcome = json.loads(done.stdout)
    assert outcome["workers"] == workers
    assert "--workers" not in outcome["command"]


def test_events_are_one_json_object_a_line(tmp_path: Path) -> None:
    in_process("check", "kip-320", "-c", "replicas=3", "-c", "log_size=2", "--events", "events", cwd=tmp_path)
    events = [json.loads(line) for line in (tmp_path / "events").read_text(encoding="utf-8").splitlines()]
    assert events[0]["event"] == "started"
    assert events[0]["constants"] == {"replicas": 3, "log_size": 2}
    assert events[-1]["event"] == "finished"
    assert events[-1]["outcome"]["verdict"] == "holds"
    assert {e["schema"] for e in events} == {"isrcheck.events/1"}


def test_the_command_of_an_outcome_runs_it_again() -> None:
    first = json.loads(in_process("check", "kip-101", *SMALL, "--json", "-", "--max-depth", "5").stdout)
    again = json.loads(in_process(*first["command"].split()[1:], "--json", "-").stdout)
    noise = ("seconds", "startup_seconds", "peak_rss_bytes")
    assert {k: v for k, v in first.items() if k not in noise} == {k: v for k, v in again.items() if k not in noise}


def test_a_trace_is_written_and_rendered_without_its_model(tmp_path: Path) -> None:
    done = in_process("check", "truncate-to-high-watermark", *SMALL, "--trace-dir", str(tmp_path), "--json", "-")
    found = next(p for p in json.loads(done.stdout)["properties"] if p["name"] == "weak_isr")
    assert found["trace"]["length"] == 9
    shown = in_process("render", found["trace"]["file"], "--to", "txt")
    assert shown.returncode == 0
    assert shown.stdout.startswith("weak_isr is violated after 8 steps")
    assert shown.stdout.count("\n") > 12
    assert in_process("render", found["trace"]["file"], "--to", "txt", "-o", str(tmp_path / "t.txt")).stdout == ""
    assert (tmp_path / "t.txt").read_text(encoding="utf-8") == shown.stdout


@pytest.mark.parametrize(
    ("words", "code", "cut"),
    [
        (["--max-states", "10"], 20, "after 17 states"),
        (["--max-depth", "4"], 20, "after 4 levels"),
        (["--max-seconds", "0"], 20, "after 0 seconds"),
        (
            ["--max-memory", "1M", "-c", "replicas=3", "-c", "log_size=2"],
            20,
            "at the memory limit, while reading the model",
        ),
    ],
)
def test_a_run_that_is_cut_off_never_reads_like_holds(words: list[str], code: int, cut: str) -> None:
    done = in_process("check", "kip-320", *([] if "replicas=3" in words else SMALL), *words, "--json", "-")
    outcome = json.loads(done.stdout)
    assert done.returncode == code
    assert outcome["verdict"] == "undetermined"
    assert outcome["cut"].startswith(cut)
    assert outcome["states"]["digest"] is None
    assert not any(p["verdict"] == "holds" and p["kind"] != "reachable" for p in outcome["properties"])
    assert all(p["assurance"].startswith(("bounded(", "replayed")) for p in outcome["properties"])


def test_a_violation_found_before_the_cut_is_kept() -> None:
    done = in_process("check", "truncate-to-high-watermark", *SMALL, "--max-depth", "9", "--json", "-")
    outcome = json.loads(done.stdout)
    verdicts = {p["name"]: p["verdict"] for p in outcome["properties"]}
    assert verdicts["weak_isr"] == "violated"
    assert verdicts["strong_isr"] == "undetermined"
    assert outcome["verdict"] == "violated"
    assert done.returncode == 12


def test_a_model_is_found_whatever_its_case_and_dashes() -> None:
    done = in_process("check", "KIP_320", *SMALL, "--json", "-")
    assert (done.returncode, json.loads(done.stdout)["model"]) == (0, "kip-320")
    assert refused("check", "zookeeper") == (
        "isrcheck: there is no model zookeeper. `isrcheck list` shows all. A file of your own is FILE.py:Class.\n"
    )


def test_output_that_is_not_a_terminal_is_as_wide_as_columns_says(monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in (60, 90):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = as_process("check", "kip-320", *SMALL).stdout.splitlines()
        assert columns - 15 <= max(len(line.rstrip()) for line in lines) <= columns


def test_the_same_steps_are_shown_once() -> None:
    constants = ["-c", "replicas=2", "-c", "log_size=2", "-c", "max_records=2", "-c", "max_leader_epoch=2"]
    shown = in_process("check", "kip-101", *constants).stdout
    assert shown.count("\n   1  the controller elects") == 1
    assert "strong_isr is violated after 11 steps, by the same steps as weak_isr" in shown


def test_traces_of_a_file_are_not_hidden(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from isrtoys.counting import BornWrong\n", encoding="utf-8")
    done = as_process("check", "./mine.py:BornWrong", "--trace-dir", "traces", cwd=tmp_path)
    assert done.returncode == 12
    assert {file.name for file in (tmp_path / "traces").iterdir()} == {
        "mine.py-BornWrong-bright.json",
        "mine.py-BornWrong-dark.json",
    }


def test_unknown_names_suggest_the_nearest() -> None:
    assert refused("check", "kip-302") == (
        "isrcheck: there is no model kip-302. Did you mean kip-320? A file of your own is FILE.py:Class.\n"
    )
    assert refused("check", "kip-320", "-c", "replica=2") == (
        "isrcheck: Kip320 has no constant replica. Did you mean replicas?\n"
    )
    assert refused("check", "kip-320", "--property", "strong_irs") == (
        "isrcheck: Kip320 has no property strong_irs. Did you mean strong_isr?\n"
    )
    assert refused("check", "kip-320", "--engine", "referense") == (
        "isrcheck: there is no engine referense. Did you mean reference?\n"
    )


def test_what_another_model_has_is_named_with_that_model() -> None:
    sentence = "isrcheck: StrictMinIsr has no {}. forever-strict-min-isr has it.\n"
    asked = ["check", "isr-strict-min-isr"]
    assert refused(*asked, "--property", "no_flapping") == sentence.format("property no_flapping")
    assert refused(*asked, "--fairness", "followers_alive") == sentence.format("fairness followers_alive")
    assert "Did you mean forever-kafka-8841?" in refused("check", "isr-kafka-8841")


def test_lists_where_one_name_or_value_is_meant() -> None:
    assert refused("check", "kip-320", "--property", "weak_isr,strong_isr").endswith(
        "give the option once for each: --property weak_isr --property strong_isr.\n"
    )
    assert refused("check", "kip-320", "-c", "replicas=2,3").endswith(
        "compare takes lists, as in isrcheck compare MODEL -c replicas=2,3.\n"
    )


def test_unknown_commands_and_options_suggest_the_nearest() -> None:
    assert refused("chekc") == "isrcheck: there is no command chekc. Did you mean check?\n"
    assert refused("zookeeper").startswith("isrcheck: there is no command zookeeper. Known: check, code, ")
    assert refused("check", "kip-320", "--propety", "weak_isr") == (
        "isrcheck: no such option '--propety'. Did you mean '--property'? "
        "`isrcheck check --help` shows what it takes.\n"
    )
    assert refused("check") == "isrcheck: missing argument 'MODEL'. `isrcheck check --help` shows what it takes.\n"
    assert refused("gate", "--json") == "isrcheck: option '--json' requires an argument.\n"
    assert refused("lsp", "x").startswith("isrcheck: got unexpected extra argument (x). ")
    assert refused("--hlep").endswith("Did you mean '--help'? `isrcheck --help` shows what it takes.\n")


def test_a_command_line_without_words_is_answered_with_help() -> None:
    assert refused().startswith("Usage: isrcheck [OPTIONS] COMMAND")


def test_the_package_lists_what_it_offers_and_nothing_else() -> None:
    assert dir(isrcheck) == sorted(isrcheck.__all__)
    assert all(getattr(isrcheck, name) is not None for name in dir(isrcheck))


def test_wrong_constants_are_one_sentence() -> None:
    assert refused("check", "kip-320", "-c", "replicas=0") == (
        "isrcheck: the constant replicas (brokers that hold the partition) is 1 or more, not 0.\n"
    )
    assert refused("check", "kip-320", "-c", "replicas=two") == (
        "isrcheck: the constant replicas is a whole number, not 'two'.\n"
    )
    assert refused("check", "kip-320", "-c", "isr_may_empty=maybe") == (
        "isrcheck: the constant isr_may_empty is true or false, not 'maybe'.\n"
    )
    assert refused("check", "kip-320", "-c", "replicas") == (
        "isrcheck: -c replicas is not a valid constant: write -c NAME=VALUE, such as -c replicas=3.\n"
    )
    assert refused("check", "kip-320", "-c", "replicas=2", "-c", "replicas=3") == (
        "isrcheck: the constant replicas is given twice: 2 and 3.\n"
    )
    assert refused("check", "kip-320", "--max-memory", "much") == (
        "isrcheck: much is not a size of memory: write bytes, or a number with K, M, G or T, such as 8G.\n"
    )


OWN = '''\
from typing import Annotated

from isrcheck import Model, UpTo, action, assume, constant, invariant, require, constant_of


class Counter(Model):
    """Counts."""

    top: int = constant(3, "where it stops")

    count: Annotated[int, UpTo("top")] = 0

    @assume
    def there_is_room(self) -> bool:
        """A counter that cannot count shows nothing."""
        return self.top > 0

    @action
    def up(self) -> None:
        """One more."""
        require(self.count < self.top)
        self.count += 1

    @invariant
    def low(self) -> bool:
        """Below five."""
        return self.count < 5


class Chosen(Model):
    """Its size must be chosen."""

    top: int = constant_of(int, "where it stops")

    count: Annotated[int, UpTo("top")] = 0

    @action
    def up(self) -> None:
        """One more."""
        self.count += 1
'''


def test_a_file_of_ones_own_works_like_a_built_in_model(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    assert as_process("check", "mine.py:Counter", cwd=tmp_path).returncode == 0
    assert as_process("check", "mine.py:Counter", "--deadlock", cwd=tmp_path).returncode == 11
    assert as_process("check", "./mine.py:Counter", "-c", "top=7", cwd=tmp_path).returncode == 12
    assert "low is violated after 5 steps" in as_process("check", "mine.py:Counter", "-c", "top=7", cwd=tmp_path).stdout
    assert "mine.py" in as_process("list", "mine.py:Counter", cwd=tmp_path).stdout


def test_files_that_are_not_models(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    (tmp_path / "broken.py").write_text("from isrcheck import nothing_like_it\n", encoding="utf-8")
    (tmp_path / "wrong.py").write_text("class (\n", encoding="utf-8")
    assert refused("check", "yours.py:Counter", cwd=tmp_path) == (
        "isrcheck: there is no file yours.py: give FILE.py:Class, with the path from here.\n"
    )
    assert refused("check", "mine.py:Countre", cwd=tmp_path) == (
        "isrcheck: mine.py has no model Countre. Did you mean Counter?\n"
    )
    assert refused("check", "broken.py:Counter", cwd=tmp_path, code=75).startswith(
        "isrcheck: broken.py:1:1: the file does not import: ImportError: cannot import name 'nothing_like_it'"
    )
    assert refused("check", "wrong.py:Counter", cwd=tmp_path, code=75) == textwrap.dedent(
        """\
        isrcheck: wrong.py:1:7: the file does not import: invalid syntax.
          1 | class (
            |       ^
          Mend it; `python FILE.py` shows the same.
        """
    )


def test_a_constant_without_default_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    assert refused("check", "mine.py:Chosen", cwd=tmp_path) == (
        "isrcheck: the constant top of Chosen is missing: where it stops. Write -c top=VALUE.\n"
    )


def test_a_false_assumption_exits_10(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    assert refused("check", "mine.py:Counter", "-c", "top=0", cwd=tmp_path, code=10) == (
        "isrcheck: mine.py:14:5: the assumption there_is_room does not hold for top=0: "
        "A counter that cannot count shows nothing.\n"
    )


def test_files_that_are_not_traces(tmp_path: Path) -> None:
    good = tmp_path / "truncate-to-high-watermark-weak_isr.json"
    in_process("check", "truncate-to-high-watermark", *SMALL, "--trace-dir", str(tmp_path))
    text = good.read_text(encoding="utf-8")
    (tmp_path / "cut.json").write_text(text[: len(text) // 2], encoding="utf-8")
    (tmp_path / "other.json").write_text(text.replace("isrcheck.trace/1", "isrcheck.trace/9"), encoding="utf-8")
    (tmp_path / "short.json").write_text(text.replace('"length": 9', '"length": 10'), encoding="utf-8")
    (tmp_path / "plain.json").write_text("[1, 2]", encoding="utf-8")

    def message(name: str) -> str:
        return refused("render", name, "--to", "txt", cwd=tmp_path)

    assert message("nowhere.json") == (
        "isrcheck: there is no file nowhere.json: give a JSON file that `isrcheck check` wrote.\n"
    )
    assert message("cut.json") == "isrcheck: cut.json is not a trace, or was cut short: it is not whole JSON.\n"
    assert message("other.json") == (
        "isrcheck: other.json is not a trace of this version: it has schema isrcheck.trace/9, "
        "and isrcheck.trace/1 was expected.\n"
    )
    assert message("plain.json") == (
        "isrcheck: plain.json is not a trace of this version: it has no schema, and isrcheck.trace/1 was expected.\n"
    )
    assert message("short.json") == (
        "isrcheck: short.json is not a whole trace: its length is stated as 10, and it has 9 states; "
        "the rest is missing.\n"
    )


def test_a_file_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    done = as_process("check", "kip-320", *SMALL, "--json", str(tmp_path / "taken" / "out.json"))
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_card_of_a_model_is_listed() -> None:
    card = in_process("list", "kip-320")
    assert "Fills: " in card.stdout
    assert "max_leader_epoch" in card.stdout


@pytest.mark.parametrize(
    ("module", "heavy"),
    [("isrcheck", "z3 pyspark numba rich click"), ("isrrisk.command", "z3 pyspark pyarrow jinja2")],
)
def test_what_begins_a_command_imports_no_heavy_library(module: str, heavy: str) -> None:
    code = f"import sys, {module}; print([m for m in {heavy.split()} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert done.stdout.strip() == "[]"
