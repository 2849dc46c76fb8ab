"""Local states of brokers in the states of a model, by its own text, and as the harness writes them.

Many states differ in what the controller knows alone, and a step of one broker depends on nothing that others hold.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.ir.codec import codec
from isrcheck.ir.pack import Field, pack_scalars
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes.bind import BoundModel
from isrmodel.kraft.state import Acks, Heard, Image
from isrmodel.vocabulary import Replica

_ACKS = {Acks.ALL: -1, Acks.ONE: 1, Acks.NONE: 0}
_NOT_A_BROKERS = {"images", "unreported"}  # though they have keys like r0
_NOBODY = "-"
NONE = 2**32 - 1  # in place of a step's key: no broker takes it; of the last edge to a state: it is not reached


class LocalState(NamedTuple):
    """The state of one broker, as the harness writes it, and what it learns where it learns that."""

    line: str
    learned: str  # leader, epoch, ISR, partition epoch
    session: int
    is_leading: bool
    is_down: bool
    refuses_writes: bool  # as a leader whose ISR is too small
    follows: int | None  # the leader from which it fetches
    asks: tuple[int, int, int] | None  # leader epoch, ISR and partition epoch, if what it asks for is granted
    knows: tuple[int, int, int]

    def serves(self, follower: "LocalState") -> bool:
        """Whether a fetch of a follower finds a leader of its epoch; one that is down answers nobody."""
        return self.is_down or (self.is_leading and self.knows[0] == follower.knows[0])


View = tuple[int, ...]  # numbers of local states, broker by broker, and of what was acknowledged


class BrokerViews:
    """The local states of a model's states, by the numbers of their bits."""

    def __init__(self, model: BoundModel, system: ScalarSystem) -> None:
        self.model = model
        self._stepper = ReferenceStepper(model)
        self._initial = self._stepper.values(self._stepper.initial)
        self.brokers: list[Replica] = sorted(self._initial["session"], key=repr)
        self._number_of = {broker: number for number, broker in enumerate(self.brokers)}
        self._packing = pack_scalars(system.scalars)
        named = list(zip(self._packing.fields, (each.name for each in system.scalars), strict=True))
        masks = [sum(_bits(f) for f, name in named if _is_of(name, repr(broker))) for broker in self.brokers]
        acked = sum(_bits(f) for f, name in named if re.search(r"\backed\b", name))
        down = next(f for f, name in named if name == "down")
        self.masks = [*(mask | 1 << _place(down) + number for number, mask in enumerate(masks)), acked]
        self.bits: Sequence[Sequence[int]] = []  # of each mask, its bits in states by number
        self._local_states: dict[tuple[int, int], LocalState] = {}
        self._acked_lines: dict[int, str] = {}

    def number_of(self, broker: Replica) -> int:
        """The number of a broker."""
        return self._number_of[broker]

    def write(self, view: View) -> str:
        """Write a view as the harness does: broker by broker, and what was acknowledged."""
        number = view[-1]
        if number not in self._acked_lines:
            acked = self._values(self.bits[-1][number])["acked"]
            self._acked_lines[number] = ",".join(sorted(f"{each.offset}@{each.epoch}" for each in acked))
        locally = (self.local_state(view, broker).line for broker in range(len(self.brokers)))
        return "|".join([*locally, self._acked_lines[number]])

    def local_state(self, view: View, broker: int) -> LocalState:
        """The local state of a broker."""
        number = view[broker]
        if (number, broker) not in self._local_states:
            values = self._values(self.bits[broker][number])
            self._local_states[number, broker] = self._describe(values, self.brokers[broker])
        return self._local_states[number, broker]

    def _values(self, bits: int) -> dict[str, Any]:
        words = [bits >> 64 * at & (1 << 64) - 1 for at in range(self._packing.words)]
        left = iter(self._packing.unpack(words))
        return {name: codec(of).unflatten(left) for name, of in self.model.domains.items()}

    def mask(self, members: Iterable[Replica]) -> int:
        """Brokers as a mask."""
        return sum(1 << self._number_of[each] for each in members)

    def _describe(self, values: Mapping[str, Any], broker: Replica) -> LocalState:
        known: Image = values["known"][broker]
        version, request = values["seen"][broker], values["request"][broker]
        leader = -1 if known.leader is None else self._number_of[known.leader]
        isr = self.mask(known.isr)
        return LocalState(
            line=self._write(values, broker),
            learned=f"{leader} {known.epoch} {isr} {version} {(1 << len(self.brokers)) - 1}",
            session=values["session"][broker],
            is_leading=known.leader == broker,
            is_down=broker in values["down"],
            refuses_writes=self._refuses_writes(values, broker),
            follows=None if leader == -1 or known.leader == broker or broker in values["down"] else leader,
            asks=None if request is None else (request.epoch, self.mask(request.isr), request.base + 1),
            knows=(known.epoch, isr, version),
        )

    def _refuses_writes(self, values: Mapping[str, Any], broker: Replica) -> bool:
        known: Image = values["known"][broker]
        if known.leader != broker or broker in values["down"] or self.model.constants["acks"] != Acks.ALL:
            return False
        state = self._stepper.state_of({**self._initial, **values})
        return not self._stepper.ask("accepts", state, leader=broker, isr=known.isr)

    def _write(self, values: Mapping[str, Any], broker: Replica) -> str:
        known: Image = values["known"][broker]
        parts = [".".join(map(str, values["log"][broker])), str(values["hw"][broker])]
        if broker in values["down"]:
            return ";".join([*parts, "down"])
        leads = known.leader == broker
        parts.append(f"{int(leads)},{known.epoch or -1},{values['seen'][broker]}")
        return ";".join([*parts, *(self._of_leader(values, broker) if leads else self._of_follower())])

    def _of_follower(self) -> Iterator[str]:
        yield from ("0,0", _NOBODY, ",".join(_NOBODY for _ in self.brokers), "0")

    def _of_leader(self, values: Mapping[str, Any], leader: Replica) -> Iterator[str]:
        """Yield ISR and maximal ISR, the request, the fetches that it heard of, and whom it may add."""
        state = self._stepper.state_of({**self._initial, **values})
        pending = self._stepper.ask("request_pending", state, leader=leader)
        isr, heard, remembered = values["known"][leader].isr, values["heard"][leader], values["remembered"][leader]
        yield f"{self.mask(isr)},{self.mask(self._stepper.ask('maximal_isr', state, leader=leader))}"
        yield f"{self.mask(pending.isr)},{pending.base}" if pending else _NOBODY
        yield ",".join(_write_fetch(heard[f], remembered[f]) for f in self.brokers)
        others = [f for f in self.brokers if f != leader and f not in isr and heard[f] is not None]
        may = [f for f in others if self._stepper.ask("may_be_added", state, leader=leader, follower=f)]
        yield str(self.mask(may if pending is None else ()))

    def write_line(self, leader: int, name: str = "write") -> str:
        """The line for the harness of a write."""
        return f"{name} {leader} {_ACKS[self.model.constants['acks']]}"

    def line(self, action: str, given: Mapping[str, Any], after: View, answer_first: bool) -> str:
        """The line for the harness that tells it of a step."""
        n = {name: self._number_of.get(value, value) for name, value in given.items()}
        match action:
            case "learn" | "register":
                local = self.local_state(after, n["broker"])
                name = "granted" if answer_first else action
                return f"{name} {n['broker']} {local.learned}" + (f" {local.session}" if name == "register" else "")
            case "write":
                return self.write_line(n["leader"])
            case "ask_add":
                return f"add {n['leader']} {n['follower']}"
            case "ask_drop":
                return f"drop {n['leader']} {1 << n['follower'] | 1 << n['also']}"
            case "refuse_ineligible":
                return f"refuse {n['leader']}"
            case "lose_power":
                return f"power {n['broker']} {n['kept']}"
            case "stop" | "kill":
                return f"{action} {n['broker']}"
        return f"{'lost' if action == 'lose_response' else 'fetch'} {n['follower']} {n['leader']}"


def _write_fetch(heard: Heard | None, remembered: tuple[Heard, ...]) -> str:
    """Write offset and session of a follower's last fetch, after ~ if its leader only remembers it."""
    if heard is not None:
        return f"{heard.offset}@{heard.session}"
    return f"~{remembered[0].offset}@{remembered[0].session}" if remembered else _NOBODY


def _place(field: Field) -> int:
    return 64 * field.position + field.shift


def _bits(field: Field) -> int:
    return ((1 << field.bits) - 1) << _place(field)


def _is_of(name: str, broker: str) -> bool:
    """Whether a scalar is in a map by brokers, under this one; of the metadata, what no broker asks is left out."""
    match = re.match(r"(?:len\()?(\w+)\[(\w+)\]", name)
    if match is None or match[2] != broker:
        return False
    return match[1] not in _NOT_A_BROKERS and not name.endswith((".elr", ".last_known"))
