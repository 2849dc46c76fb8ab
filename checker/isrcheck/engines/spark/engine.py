"""The Spark engine as the others are asked: a bound model in, an exploration out."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from isrcheck.engines.contract import Cluster, Request, Searched
from isrcheck.engines.native.checkpoint import search_key
from isrcheck.engines.native.codegen import program
from isrcheck.engines.native.machine import text_of
from isrcheck.engines.spark.level_log import LevelLog
from isrcheck.engines.spark.search import search_levels
from isrcheck.engines.spark.session import is_local, master_of
from isrcheck.engines.spark.settings import Settings, settings_of
from isrcheck.engines.spark.shard import KernelPlan
from isrcheck.engines.spark.storage import Storage, url_of
from isrcheck.errors import UsageError
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.passes import lower
from isrcheck.passes.bind import BoundModel


def search(model: BoundModel, request: Request) -> Searched:
    """Explore a model on Spark. Raises UsageError, ModelError, FoundFault or SearchLost."""
    if request.limits.memory is not None:
        raise UsageError(
            "--max-memory is not for --engine spark, whose workers hold one level of one partition: "
            "use more partitions, --spark-conf spark.isrcheck.partitions=N."
        )
    cluster = request.cluster or Cluster()
    settings = settings_of(cluster, request.workers)
    with _storage(cluster, request) as storage:
        return explore(lower(model), request, settings, storage)


def explore(system: ScalarSystem, request: Request, settings: Settings, storage: Storage) -> Searched:
    """Explore a system, its levels kept in this directory."""
    made = program(system, request.properties, request.symmetry, exchanging=True)
    text = text_of(made)
    log = LevelLog(storage, search_key(text, system, request), settings.buckets)
    if request.checkpoint is not None and request.checkpoint.resume:
        log.resume()
    else:
        log.begin()
    plan = KernelPlan(made, text, log.key, log.buckets)
    return search_levels(system, request, settings, plan, log)


@contextmanager
def _storage(cluster: Cluster, request: Request) -> Iterator[Storage]:
    """Where levels are kept. Raises UsageError for a cluster without a directory that its machines share."""
    if request.checkpoint is not None:
        yield Storage(url_of(request.checkpoint.directory), durable=True)
        return
    master = master_of(cluster, request.workers)
    if not is_local(master):
        raise UsageError(
            f"a search on {master} keeps its levels where all machines find them: give --checkpoint such a place, "
            "for instance hdfs://HOST/DIR."
        )
    with tempfile.TemporaryDirectory(prefix="isrcheck-levels-", ignore_cleanup_errors=True) as folder:
        yield Storage(url_of(folder))
