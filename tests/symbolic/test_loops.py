"""What proofs say where an action sends to members that another variable chooses."""

from tests.symbolic.loops import Sending

from isrcheck import prove


def test_what_a_message_is_sent_to_counts_as_read() -> None:
    (decided,) = prove(Sending, properties=["nothing_sent"]).outcome.properties
    assert decided.verdict.value != "holds"
