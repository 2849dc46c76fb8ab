"""Thousands of runs on Spark: cells of a grid as tasks, their rows as Parquet, and what SQL makes of them."""

from isrcheck.extras import need

need("pyarrow")  # for every file of this folder
