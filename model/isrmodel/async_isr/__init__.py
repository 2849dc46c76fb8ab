"""Changing the ISR by request to the controller (KIP-497).

Read `protocol.py`, then `async_isr.py` and the mutants that must fail. `lemmas.py` is for proofs only.
"""

from isrmodel.async_isr.async_isr import AsyncIsr as AsyncIsr
from isrmodel.async_isr.async_isr_mutants import AsyncIsrCommittedOnly as AsyncIsrCommittedOnly
from isrmodel.async_isr.async_isr_mutants import AsyncIsrProposedOnly as AsyncIsrProposedOnly
from isrmodel.async_isr.protocol import IsrByRequest as IsrByRequest
