"""A toy of letters of several kinds: a union of records in a set, in a row and in an optional variable.

Each of two penpals asks once, gets an answer, and reads; a letter is never taken out of the post.
"""

from typing import Annotated

from isrcheck import Model, Record, Sort, UpTo, action, each, invariant, reachable, require


class Penpal(Sort, size="2", symmetric=True):
    """A friend who writes letters; there are two."""


class Enquiry(Record):
    by: Penpal
    urgent: bool


class Reply(Record):
    """A letter with the fields of an enquiry: two named tuples with these fields would be equal."""

    by: Penpal
    urgent: bool


class Silence(Record):
    """Says nothing."""


Letter = Enquiry | Reply | Silence
Pile = Annotated[tuple[Letter, ...], UpTo("2")]


class Post(Model):
    """A correspondence: enquiries are answered, and letters that were read lie on a pile."""

    sent: frozenset[Letter] = frozenset()
    pile: dict[Penpal, Pile] = each(Penpal, ())
    last: Letter | None = None

    @action
    def ask(self, by: Penpal, urgent: bool) -> None:
        require(not any(self.is_of(letter, by) for letter in self.sent))
        self.sent |= {Enquiry(by, urgent)}

    @action
    def answer(self, enquiry: Enquiry, by: Penpal) -> None:
        require(enquiry in self.sent and enquiry.by != by)
        self.sent |= {Reply(by, enquiry.urgent) if enquiry.urgent else Silence()}

    @action
    def read(self, letter: Letter, by: Penpal) -> None:
        require(letter in self.sent and letter not in self.pile[by])
        match letter:
            case Enquiry(by=sender) | Reply(by=sender) if sender != by:
                self.pile[by] += (letter,)
            case Silence():
                self.pile[by] = ()
            case _:
                require(self.last != letter)
        self.last = letter

    @invariant
    def replies_follow_enquiries(self) -> bool:
        return all(
            any(isinstance(q, Enquiry) and q.by != a.by and q.urgent for q in self.sent)
            for a in self.sent
            if isinstance(a, Reply)
        )

    @invariant
    def both_are_read_apart(self) -> bool:
        """False: an enquiry and its answer, with equal fields, lie side by side."""
        return not any(
            isinstance(x, Enquiry) and isinstance(y, Reply) and x.by == y.by and x.urgent == y.urgent
            for pal in Penpal
            for x in self.pile[pal]
            for y in self.pile[pal]
        )

    @reachable
    def silence_is_read(self) -> bool:
        return isinstance(self.last, Silence)

    def is_of(self, letter: Letter, pal: Penpal) -> bool:
        return not isinstance(letter, Silence) and letter.by == pal
