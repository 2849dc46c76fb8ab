"""Servers and values of both published modules, and what a client knows."""

from enum import Enum

from isrcheck import Sort


class Server(Sort, size="servers", symmetric=True):
    """A voter."""


class Value(Sort, size="values", symmetric=True):
    """A value that a client writes."""


class Client(Enum):
    """A client's knowledge of its value."""

    NOT_WRITTEN = "not written"
    WAITS = "waits"
    KNOWS = "knows that it is committed"


def client_after(client: Client, is_committed: bool) -> Client:
    """A client that waits is told once its value is among what is committed."""
    return Client.KNOWS if client == Client.WAITS and is_committed else client
