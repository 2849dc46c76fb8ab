"""Changing the ISR by request to the controller (KIP-497)."""

from isrmodel.async_isr.async_isr import AsyncIsr as AsyncIsr
from isrmodel.async_isr.async_isr import IsrByRequest as IsrByRequest
from isrmodel.async_isr.async_isr_mutants import AsyncIsrCommittedOnly as AsyncIsrCommittedOnly
from isrmodel.async_isr.async_isr_mutants import AsyncIsrProposedOnly as AsyncIsrProposedOnly
