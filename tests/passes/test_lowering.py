"""Regressions of lowering, each named after what broke: the evaluator must do what CPython does, state by state."""

import textwrap
from pathlib import Path
from typing import Any

import pytest
from tests.models.compare import Seen, compare
from tests.models.loading import HEADER, load

TYPES = '''
class Node(Sort, size="nodes"):
    """Some."""


class Color(Enum):
    RED = "red"
    BLUE = "blue"


Small = Annotated[int, UpTo("top")]
Large = Annotated[int, UpTo(1500)]
Numbers = Annotated[tuple[Small, ...], UpTo(3)]
Marks = Annotated[tuple[Small | None, ...], UpTo(2)]


class Note(NamedTuple):
    size: Small
    color: Color
    mark: Small | None


Notes = Annotated[tuple[Note, ...], UpTo(2)]
'''

FLIP = """
flag: bool = False

@action
def flip(self) -> None:
    self.flag = not self.flag
"""
PUSH = """
numbers: Numbers = ()

@action
def push(self, n: Small) -> None:
    self.numbers = self.numbers + (n,)
"""


@pytest.fixture
def agree(tmp_path: Path) -> Any:
    """Both engines on a model with these parts in its body."""

    def run(*parts: str, **constants: Any) -> Seen:
        head = 'nodes: int = constant(2, "how many")\ntop: int = constant(2, "how far")\n'
        body = textwrap.indent(head + "\n".join(textwrap.dedent(part) for part in parts), "    ")
        return compare(load(f"{HEADER}{TYPES}\n\nclass Written(Model):\n{body}\n", tmp_path), **constants)

    return run


def test_the_negative_number_is_not_none(agree: Any) -> None:
    seen = agree(
        FLIP,
        """
        a: Small = 0
        maybe: Small | None = None

        @action
        def go(self) -> None:
            x = self.a - 2 if self.flag else None
            require(x is not None)
            self.a = 1

        @invariant
        def differ(self) -> bool:
            return (self.a - 1) != self.maybe
        """,
    )
    assert (seen.distinct, seen.found) == (4, frozenset())


def test_a_slice_up_to_none_is_everything(agree: Any) -> None:
    seen = agree(
        PUSH,
        """
        maybe: Small | None = None

        @action
        def cut(self, n: Small | None) -> None:
            self.maybe = n
            self.numbers = self.numbers[:self.maybe]

        @action
        def drop(self, n: Small | None) -> None:
            self.numbers = self.numbers[n:2]
        """,
    )
    assert seen.undecided == 0
    assert seen.distinct == 160


def test_the_inner_source_of_a_comprehension_is_read_only_where_the_outer_one_goes(agree: Any) -> None:
    seen = agree(
        PUSH,
        """
        lists: dict[Small, Numbers] = each(int, ())

        @action
        def put(self) -> None:
            self.lists[1] = self.numbers

        @invariant
        def low(self) -> bool:
            return all(
                x <= 2 for i in range(3) if i < len(self.numbers) for x in self.lists[self.numbers[i]] for j in range(x)
            )
        """,
    )
    assert seen.undecided == 0


def test_none_that_is_filtered_out_is_not_added(agree: Any) -> None:
    seen = agree(
        """
        marks: dict[Node, Small | None] = each(Node, None)

        @action
        def put(self, n: Node, k: Small | None) -> None:
            self.marks[n] = k

        @invariant
        def little(self) -> bool:
            return sum(self.marks[n] for n in Node if self.marks[n] is not None) <= 3

        @invariant
        def low(self) -> bool:
            return max((self.marks[n] for n in Node if self.marks[n] is not None), default=0) <= 1
        """
    )
    assert seen.undecided == 0
    assert seen.found == {"little", "low"}


@pytest.mark.parametrize(("nodes", "errors"), [(1, 0), (2, 7)])
def test_the_only_element_may_be_none_for_max(agree: Any, nodes: int, errors: int) -> None:
    """max() compares the elements that there are, and one alone is compared with nothing."""
    seen = agree(
        """
        marks: dict[Node, Small | None] = each(Node, None)

        @action
        def put(self, n: Node, k: Small | None) -> None:
            self.marks[n] = k

        @reachable
        def high(self) -> bool:
            return max(self.marks[n] for n in Node) == 2
        """,
        nodes=nodes,
    )
    assert seen.undecided == errors


def test_a_local_name_of_a_branch_that_never_ends_is_not_missed(agree: Any) -> None:
    seen = agree(
        """
        a: Small = 0

        @action
        def go(self, k: Small, j: Small) -> None:
            if k == self.a:
                require(k != j)
                x = 1
            else:
                x = 2
            self.a = x
        """
    )
    assert seen.distinct == 3


def test_the_outer_key_of_a_nested_write_is_read(agree: Any) -> None:
    """self.x[k][j] = v reads self.x[k], so a k above its bound is an error; a j above its bound prunes."""
    outer = agree(
        """
        a: Small = 0
        x: dict[Small, dict[Node, Small]] = each(int, each(Node, 0))

        @action
        def go(self, n: Node) -> None:
            self.x[self.a + 1][n] = 1
            self.a += 1
        """
    )
    assert (outer.pruned, outer.undecided > 0) == (0, True)
    inner = agree(
        """
        a: Small = 0
        x: dict[Node, dict[Small, Small]] = each(Node, each(Small, 0))

        @action
        def go(self, n: Node) -> None:
            self.x[n][self.a + 1] = 1
            self.a += 1
        """
    )
    assert (inner.pruned, inner.undecided) == (8, 0)


def test_a_set_in_a_set_is_above_a_bound_if_its_element_is(agree: Any) -> None:
    seen = agree(
        """
        a: Small = 0
        sets: frozenset[frozenset[Small]] = frozenset()

        @action
        def go(self, k: Small) -> None:
            self.sets |= {frozenset({self.a, k + 1})}
        """
    )
    assert (seen.distinct, seen.pruned, seen.undecided) == (4, 4, 0)


@pytest.mark.parametrize("fields", ["k + 1, Color.RED, k - 3", "k - 3, Color.RED, k + 1"])
def test_an_element_that_is_both_above_and_outside_is_an_error(agree: Any, fields: str) -> None:
    seen = agree(
        f"""
        notes: frozenset[Note] = frozenset()

        @action
        def go(self, k: Small) -> None:
            require(k == 2)
            self.notes |= {{Note({fields})}}
        """
    )
    assert (seen.pruned, seen.undecided) == (0, 1)


@pytest.mark.parametrize(
    ("kind", "argument", "read"), [("Note | None", "None", "x.size"), ("Notes", "()", "x[0].size")]
)
def test_what_has_no_value_is_an_error_only_where_it_is_read(agree: Any, kind: str, argument: str, read: str) -> None:
    seen = agree(
        FLIP,
        f"""
        a: Small = 0

        def part(self, x: {kind}) -> Small:
            return {read} if self.flag else 0

        @action
        def go(self) -> None:
            self.a = self.part({argument})
        """,
    )
    assert (seen.distinct, seen.undecided) == (2, 1)


def test_a_map_assigned_whole_with_too_many_keys_prunes(agree: Any) -> None:
    seen = agree(
        """
        x: dict[Small, Small] = each(int, 0)

        @action
        def long(self) -> None:
            self.x = {j: 0 for j in range(self.top + 2)}

        @action
        def right(self, k: Small) -> None:
            self.x = {j: k for j in range(self.top + 1)}
        """
    )
    assert (seen.distinct, seen.pruned, seen.undecided) == (3, 3, 0)


def test_a_map_assigned_whole_with_too_few_keys_is_an_error(agree: Any) -> None:
    seen = agree(
        """
        x: dict[Small, Small] = each(int, 0)

        @action
        def short(self) -> None:
            self.x = {j: 0 for j in range(self.top)}
        """
    )
    assert (seen.pruned, seen.undecided) == (0, 1)


@pytest.mark.parametrize("size", ["self.top", "self.top + 1", "self.top + 2"])
def test_a_map_assigned_over_another_range_has_the_keys_of_that_range(agree: Any, size: str) -> None:
    seen = agree(
        f"""
        a: Small = 0
        x: dict[Small, Small] = each(int, 0)
        y: dict[Node, dict[Small, Small]] = each(Node, each(Small, 0))

        @action
        def read(self, k: Small) -> None:
            self.x = {{j: 0 for j in range({size})}}
            self.a = self.x[k + 1]
            self.x = {{j: 0 for j in range(self.top + 1)}}

        @action
        def write(self, k: Small) -> None:
            self.x = {{j: 0 for j in range({size})}}
            self.x[k + 1] = k
            self.a = k
            require(k != 1)

        @action
        def nested(self, n: Node, k: Small) -> None:
            self.y = {{m: {{j: 0 for j in range({size})}} for m in Node}}
            self.y[n][k] += 1
            self.a = k
        """
    )
    assert seen.undecided > 0 or seen.pruned > 0


def test_a_key_above_its_bound_prunes_after_a_whole_map_was_assigned(agree: Any) -> None:
    seen = agree(
        """
        x: dict[Small, Small] = each(int, 0)

        @action
        def go(self, k: Small) -> None:
            self.x = {j: j for j in range(self.top + 1)}
            self.x[k + 1] = 1
        """
    )
    assert (seen.pruned > 0, seen.undecided) == (True, 0)


def test_slots_beyond_a_sequence_of_records_are_zero(agree: Any) -> None:
    """A field that may be None, given a number, was 0 instead of None in the slots that were not there."""
    seen = agree(
        """
        last: Note | None = None
        notes: Notes = ()
        marks: Marks = ()
        by: dict[Node, Note | None] = each(Node, None)

        @action
        def go(self, k: Small, c: Color) -> None:
            self.last = Note(k, c, None)
            self.notes = self.notes[1:] + (Note(k, c, k),)
            self.marks = (k,)

        @action
        def off(self) -> None:
            self.last = self.notes[-1] if len(self.notes) > 1 else None

        @action
        def put(self, n: Node) -> None:
            self.by[n] = self.last if self.last is None else self.last._replace(mark=0)

        @reachable
        def as_made(self) -> bool:
            return self.notes == (Note(1, Color.RED, 1),) and self.marks == (1,)
        """
    )
    assert seen.found == {"as_made"}
    assert seen.undecided == 0


def test_arguments_of_two_kinds_are_not_equal(agree: Any) -> None:
    seen = agree(
        """
        node: Node | None = None
        color: Color = Color.RED

        @action
        def go(self, x: Node) -> None:
            self.node = x

        @action
        def come(self, x: Color) -> None:
            self.color = x

        @step
        def is_node(self, before: Self, taken: Taken) -> bool:
            return taken.x == self.node

        @step
        def is_color(self, before: Self, taken: Taken) -> bool:
            return taken.x == self.color
        """
    )
    assert (seen.found, seen.undecided) == ({"is_node", "is_color"}, 0)


def test_an_element_of_a_set_made_on_the_spot_is_not_its_own_duplicate(agree: Any) -> None:
    seen = agree(
        """
        a: Small = 0
        b: Small = 0

        @action
        def go(self, k: Small, j: Small) -> None:
            self.a = len(frozenset({k, j}))
            self.b = sum(1 for n in frozenset(Node)) - sum(1 for x in frozenset({k, j, k}) if x > 2)

        @invariant
        def counted(self) -> bool:
            return len(frozenset(Node)) == 2 and all(x != 1 for x in frozenset({self.a})) or self.a == 1
        """
    )
    assert (seen.distinct, seen.undecided, seen.found) == (3, 0, frozenset())


def test_a_sum_over_a_thousand_keys_is_no_deep_recursion(agree: Any) -> None:
    seen = agree(
        """
        x: dict[Large, bool] = each(int, False)

        @action
        def go(self) -> None:
            self.x[0] = not self.x[0]

        @invariant
        def few(self) -> bool:
            return sum(1 for k in range(1501) if self.x[k]) <= 1
        """
    )
    assert (seen.distinct, seen.found) == (2, frozenset())
