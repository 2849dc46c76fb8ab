"""Functions over Arrow batches, as tasks on Spark's workers, without pandas."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

BatchFunction = Callable[[Iterable["pa.RecordBatch"]], Iterator["pa.RecordBatch"]]


def map_in_arrow(rows: "DataFrame", function: BatchFunction, schema: str) -> "DataFrame":
    """What `function` makes of each partition's batches; `schema` is its result's, as DDL ("id long, text string").

    This is DataFrame.mapInArrow, which hands Arrow batches over and still refuses to work where pandas is not
    installed (PySpark 4.1 to 4.3, sql/pandas/functions.py: pandas_udf). All that it does besides is done here.
    """
    from pyspark.sql import DataFrame
    from pyspark.sql.pandas.functions import vectorized_udf  # type: ignore[attr-defined] # its stub omits it
    from pyspark.util import PythonEvalType

    made = vectorized_udf(function, returnType=schema, functionType=PythonEvalType.SQL_MAP_ARROW_ITER_UDF)
    columns = made(*[rows[name] for name in rows.columns])
    return DataFrame(rows._jdf.mapInArrow(columns._jc, False, None), rows.sparkSession)
