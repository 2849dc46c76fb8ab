"""KAFKA-15221 (3.5): a leader looks at a follower once, so that what it checked is what it asks for."""

from isrcheck import constant
from isrmodel.kraft.state import State


class Kafka15221(State):
    """Otherwise a fetch of the follower's next incarnation comes between the check and the request."""

    one_look: bool = constant(True, "KAFKA-15221: a leader checks a follower and asks for it in one step")
