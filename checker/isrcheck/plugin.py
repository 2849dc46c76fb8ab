"""Names that a command of another package imports, besides those of `isrcheck` itself (docs/adr/003)."""

from typing import TYPE_CHECKING, Any

from isrcheck.catalogue import find_model, is_pattern, load_file, match_models
from isrcheck.commands.deliver import hand_over, show_document
from isrcheck.commands.headings import SectionedCommand
from isrcheck.commands.options import COUNT, FILE, console, limit_options, parse_conf, parse_constants
from isrcheck.engines.contract import Cluster, Progress
from isrcheck.engines.gpu.remark import GpuRemark
from isrcheck.errors import nearest, quantity
from isrcheck.evidence.document import (
    Block,
    Column,
    Document,
    Heading,
    Line,
    Lines,
    Paragraph,
    Piece,
    Table,
    Tone,
    bad,
    code,
    good,
    quiet,
    strong,
    unsure,
)
from isrcheck.evidence.outcome_document import story_blocks
from isrcheck.evidence.progress import ProgressLine
from isrcheck.evidence.writers.html import fragment_of
from isrcheck.extras import need
from isrcheck.files import as_json, read_mark, refuse_another, refuse_unwritable, umask, write_aside
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import ModelIR
from isrcheck.ir.show import show
from isrcheck.lang.declare import member
from isrcheck.lang.read import read_model
from isrcheck.packages import fingerprint, packages_with_models
from isrcheck.process.budget import OutOfBudget, budget, poll, poll_by_timer
from isrcheck.run.outcome import worst
from isrcheck.run.trace import TraceStep, trace_of
from isrcheck.user_cache import user_cache

if TYPE_CHECKING:
    from isrcheck.engines.spark.session import session

__all__ = [
    "COUNT",
    "FILE",
    "SectionedCommand",
    "console",
    "limit_options",
    "parse_conf",
    "parse_constants",
]  # options, for click
__all__ += ["GpuRemark", "ProgressLine"]  # where a search stands
__all__ += ["OutOfBudget", "budget", "poll", "poll_by_timer"]  # limits of a run
__all__ += ["hand_over", "show_document", "story_blocks", "worst", "write_aside"]  # what a command shows and writes
__all__ += ["Block", "Column", "Document", "Heading", "Line", "Lines", "Paragraph", "Piece", "Table", "Tone"]
__all__ += ["bad", "code", "fragment_of", "good", "quiet", "strong", "unsure"]
__all__ += ["nearest", "need", "quantity"]  # for errors of one sentence; need() imports an optional library or says so
__all__ += ["Cluster", "Progress", "TraceStep", "replace", "trace_of"]  # besides what `isrcheck.check` takes and gives
__all__ += ["is_pattern", "match_models", "read_mark", "refuse_another"]  # names of models, and folders with a mark
__all__ += ["ModelIR", "find_model", "load_file", "read_model"]  # a model by its name, one of a file, and as it is read
__all__ += ["member", "show"]  # a sort's member, and a value as people write it
__all__ += ["as_json", "refuse_unwritable", "session", "umask"]  # tables on Spark, and the files beside them
__all__ += ["fingerprint", "packages_with_models", "user_cache"]  # earlier answers, and the sources behind them


def __getattr__(name: str) -> Any:
    """Import `session` when it is asked for: PySpark takes a second, more than most commands take without it."""
    if name != "session":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from isrcheck.engines.spark import session as spark

    return spark.session
