"""Tiny models with known answers. Together they use every construct of the language; each engine must decide them.

`TOYS` has them by name, `KNOWN` what is known of each.
"""

from isrcheck.lang.declare import Model
from isrcheck.toys.born_wrong import BornWrong
from isrcheck.toys.cashier import Cashier
from isrcheck.toys.clock import Clock
from isrcheck.toys.counter import Counter
from isrcheck.toys.crossing import Careful, Careless
from isrcheck.toys.evens import Evens
from isrcheck.toys.forks import Forks
from isrcheck.toys.juggler import Juggler
from isrcheck.toys.known import KNOWN as KNOWN
from isrcheck.toys.known import KNOWN_ELSEWHERE as KNOWN_ELSEWHERE
from isrcheck.toys.known import Known as Known
from isrcheck.toys.ledger import Ledger
from isrcheck.toys.lottery import Lottery
from isrcheck.toys.messages import Messages
from isrcheck.toys.mutex import Mutex
from isrcheck.toys.queue import Queue
from isrcheck.toys.ratchet import Ratchet
from isrcheck.toys.seats import Seats
from isrcheck.toys.shelf import Shelf
from isrcheck.toys.thermometer import Thermometer
from isrcheck.toys.train import Yard

TOYS: dict[str, type[Model]] = {
    "toy-clock": Clock,
    "toy-mutex": Mutex,
    "toy-queue": Queue,
    "toy-counter": Counter,
    "toy-messages": Messages,
    "toy-born-wrong": BornWrong,
    "toy-ratchet": Ratchet,
    "toy-cashier": Cashier,
    "toy-evens": Evens,
    "toy-forks": Forks,
    "toy-seats": Seats,
    "toy-crossing": Careful,
    "toy-crossing-careless": Careless,
    "toy-thermometer": Thermometer,
    "toy-ledger": Ledger,
    "toy-shelf": Shelf,
    "toy-train": Yard,
    "toy-lottery": Lottery,
    "toy-juggler": Juggler,
}
