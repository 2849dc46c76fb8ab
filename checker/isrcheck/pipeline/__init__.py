"""Thousands of runs on Spark: cells of a grid as tasks, and their rows as Parquet."""

from isrcheck.extras import need

need("pyarrow")  # for every file of this folder
