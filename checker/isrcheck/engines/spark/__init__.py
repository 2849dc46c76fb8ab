"""The native kernel's search on the machines of a Spark cluster: the only room that starts Spark."""

from isrcheck.extras import need

need("pyspark")  # for this folder
need("pyarrow")
