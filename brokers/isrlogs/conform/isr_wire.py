"""A leader and its followers as events show them: a fetch is noted, and answered later; records come in batches.

The model's own fetch does both at once. A fetch that waits for records is answered with these, and nothing of that is
noted before the follower fetches again.
"""

from isrcheck import Drawing, action, arrow, require
from isrmodel.isr.admission import Admission
from isrmodel.isr.drawing import DRAWING
from isrmodel.isr.vocabulary import Event
from isrmodel.vocabulary import Follower, Offset


class LeaderOnTheWire(Admission):
    """Steps of which each is one operation of one broker."""

    drawing = Drawing(
        *DRAWING.words,
        arrow("fetch_is_noted", "follower", "leader", "fetch"),
        arrow("answer_arrives", "leader", "follower", "fetch answered"),
    )

    @action(sentence="the leader appends a batch of records")
    def append_until(self, end: Offset) -> None:
        """The leader takes a batch of a producer's records."""
        require(self.leads())
        require(self.log_end < end)
        self.append_age += tuple(0 for _ in range(end - self.log_end))
        self.log_end = end
        self.recompute_high_watermark(Event.APPEND)
        self.follow_definition()

    @action(sentence="a fetch of {follower} arrives")
    def fetch_is_noted(self, follower: Follower) -> None:
        """The leader accounts for a fetch, which is answered later or never."""
        require(self.leads())
        end = self.follower_end[follower]
        self.serve(follower, self.log_end, self.log_end, 0)
        self.follower_end[follower] = end

    @action(sentence="the answer arrives at {follower}")
    def answer_arrives(self, follower: Follower, end: Offset) -> None:
        """The answer to a fetch reaches the follower."""
        require(self.follower_end[follower] < end and end <= self.log_end)
        self.follower_end[follower] = end
