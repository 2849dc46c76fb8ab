"""The same search by native and by Spark, on the cluster from its start; and the session that tests of tables share."""

from pathlib import Path
from typing import Any

from tests.fixtures.per_folder import PerFolder

from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.native.engine import search as native_search
from isrcheck.engines.spark.cluster import Settings
from isrcheck.engines.spark.engine import explore
from isrcheck.engines.spark.session import session
from isrcheck.engines.spark.storage import Storage, url_of
from isrcheck.ir.frozen import replace
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.passes.bind import BoundModel
from isrcheck.pipeline.run import OPTIONS as OPTIONS_OF_SWEEPS
from isrlogs.observe.table import OPTIONS as OPTIONS_OF_TABLES

ON_CLUSTER = Settings(buckets=2, local_states=0)


def bound(name: str, **constants: Any) -> BoundModel:
    return bind(read_model(find_model(name)), {key: str(value) for key, value in constants.items()})


def everything(model: BoundModel) -> Request:
    return Request(properties=tuple(each.name for each in model.properties))


def timeless(seen: Searched) -> Searched:
    return replace(seen, seconds=0.0)


def native(model: BoundModel, request: Request) -> Searched:
    return timeless(native_search(model, request))


def on_spark(model: BoundModel, request: Request, place: Path | Storage, settings: Settings = ON_CLUSTER) -> Searched:
    storage = place if isinstance(place, Storage) else Storage(url_of(place))
    return timeless(explore(lower(model), request, settings, storage))


SHARED = PerFolder(lambda: session(workers=2, defaults={**OPTIONS_OF_SWEEPS, **OPTIONS_OF_TABLES}))
