"""Thousands of runs, on Spark."""

from isrcheck.extras import need

need("pyarrow")  # for every file of this folder
