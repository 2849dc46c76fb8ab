"""Thousands of runs on Spark: cells of a grid as tasks, their rows as Parquet, and what SQL makes of them."""
