"""The command line of all this."""

from pathlib import Path

from tests.cli.test_command_line import refused
from tests.fixtures.command_line import in_process as isrcheck

SMALL = ["-c", "replicas=2", "-c", "log_size=1", "-c", "max_records=1", "-c", "max_leader_epoch=1"]


def test_a_model_and_its_trace_are_written_to_a_folder(tmp_path: Path) -> None:
    made = isrcheck("export", "toy-counter", "--to", "tla", "-o", str(tmp_path / "out"))
    assert made.returncode == 0, made.stderr
    assert [Path(line).name for line in made.stdout.split()] == ["Counter.tla", "MCCounter.tla", "MCCounter.cfg"]
    isrcheck("check", "toy-counter", "--trace-dir", str(tmp_path))
    trace = tmp_path / "toy-counter-below_three.json"
    made = isrcheck("render", str(trace), "--to", "tla", "-o", str(tmp_path / "out"))
    assert made.returncode == 0, made.stderr
    assert "TraceStates == <<[" in (tmp_path / "out" / "CounterTrace.tla").read_text(encoding="utf-8")


def test_an_environment_is_chosen(tmp_path: Path) -> None:
    words = ["export", "forever-kafka-7152", "-o", str(tmp_path), "--fairness"]
    made = isrcheck(*words, "followers_alive", "--to", "tla")
    assert made.returncode == 0, made.stderr
    assert "/\\ Fairness /\\ FollowersAlive" in (tmp_path / "MCKafka7152Forever.tla").read_text(encoding="utf-8")
    assert "has no fairness followers_alife" in isrcheck(*words, "followers_alife", "--to", "tla").stderr
    assert "write it with --to tla" in isrcheck(*words, "followers_alive", "--to", "dot").stderr


def test_tlc_s_trace_is_rendered_like_ours() -> None:
    file = Path(__file__).parent / "tlc-trace.json"
    shown = isrcheck("render", str(file), "--model", "truncate-to-high-watermark", *SMALL, "--to", "txt")
    assert shown.returncode == 0, shown.stderr
    assert "8  replica_becomes_follower(follower=r1, leader=r0, epoch=1)" in shown.stdout


def test_wrong_usage_is_one_sentence(tmp_path: Path) -> None:
    said = refused("export", "toy-counter", "--to", "tla")
    assert said == "isrcheck: --to tla writes several files: give a folder with -o DIR.\n"
    (tmp_path / "f").write_text("", encoding="utf-8")
    said = refused("export", "toy-counter", "--to", "tla", "-o", str(tmp_path / "f"))
    assert said == f"isrcheck: {tmp_path / 'f'} is a file, and --to tla writes several: give a folder.\n"
    said = refused("export", "toy-counter", "--to", "tla", "--by", "n", "-o", str(tmp_path))
    assert said == (
        "isrcheck: --to tla exports a model's text, not its states: leave --by, --trace and --property out.\n"
    )
    said = refused("render", str(tmp_path / "f"), "--to", "txt", "-c", "replicas=2")
    assert said == (
        "isrcheck: a trace of isrcheck has its constants: leave -c out, or name the model of TLC's with --model.\n"
    )
