"""Zones of brokers: what the loss of one is in the model, and which brokers a story loses."""

from isrcheck.plugin import Document, Paragraph
from isrrisk.budget import FaultBudget
from isrrisk.frontier import LeastLoss
from isrrisk.settings import ZoneLayout
from isrrisk.story import brokers_lost_at_once


def zones_document(layout: ZoneLayout | None, loss: LeastLoss | None, widest: FaultBudget) -> Document:
    """The meaning of a zone, and which two brokers of a story are one."""
    if layout is None:
        if widest.most.get("rack_losses"):
            yield Paragraph(
                "A rack is any two brokers here, which lose power at once: --racks says which zones there are."
            )
        return
    single = [zone for zone, brokers in layout.brokers().items() if len(brokers) == 1]
    if layout.pairs:
        zones = " or ".join(layout.pairs)
        yield Paragraph(f"The loss of a rack is that of zone {zones}: its two brokers lose power at once.")
    if single:
        yield Paragraph(f"Zone {' or '.join(single)} is one broker: its loss is one power loss.")
    lost = brokers_lost_at_once(loss.trace) if loss is not None else None
    if lost is not None:
        sentence = f"In the story {lost[0]} and {lost[1]} are the two brokers of zone {next(iter(layout.pairs))}"
        yield Paragraph(f"{sentence}; brokers are alike, so any two that share a zone may be meant.")
