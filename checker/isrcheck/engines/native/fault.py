"""The model's own text going wrong while this engine runs."""

from isrcheck.engines.contract import FoundFault


class NativeFault(FoundFault):
    """A fault that machine code met; the reference says what it is."""
