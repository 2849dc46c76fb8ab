"""What Spark says at length is said in a sentence."""

import pytest

from isrcheck.engines.spark.failure import JobFailed, SearchLost, failure
from isrcheck.engines.spark.storage import StorageFailed

CRASH = """An error occurred while calling o52.collectToPython.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 1 in stage 4.0 failed 4 times
\tat org.apache.spark.api.python.BasePythonRunner
Caused by: org.apache.spark.SparkException: Python worker exited unexpectedly (crashed).
"""
OWN = """Job aborted due to stage failure: Task 0 in stage 2.0 failed 1 times
Traceback (most recent call last):
  File "tasks.py", line 43, in read_states
isrcheck.engines.spark.storage.StorageFailed: the checkpoint in /a is damaged: b is not what was written.
"""
MEMORY = """Traceback (most recent call last):
  File "shard.py", line 1, in load
MemoryError: 9 states of one bucket do not fit into a worker: use more partitions
"""


@pytest.mark.parametrize(
    ("text", "place", "sentence"),
    [
        (
            CRASH,
            "/c",
            "Spark gave up at level 5: : org.apache.spark.SparkException: Job aborted due to stage failure: Task 1 in "
            "stage 4.0 failed 4 times; --resume /c goes on from the level before it.",
        ),
        (
            MEMORY,
            None,
            "Spark gave up at level 5: MemoryError: 9 states of one bucket do not fit into a worker: "
            "use more partitions.",
        ),
        ("", None, "Spark gave up at level 5: it does not say why."),
    ],
)
def test_a_lost_search_is_a_sentence(text: str, place: str | None, sentence: str) -> None:
    error = failure(JobFailed(text), 4, place)
    assert isinstance(error, SearchLost)
    assert (str(error), error.exit_code) == (sentence.replace(": : ", ": "), 70)


def test_a_task_speaks_for_itself() -> None:
    error = failure(JobFailed(OWN), 4, "/c")
    assert isinstance(error, StorageFailed)
    assert (str(error), error.exit_code) == ("the checkpoint in /a is damaged: b is not what was written.", 2)
