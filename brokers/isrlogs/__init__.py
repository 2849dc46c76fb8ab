"""Logs of brokers, read and judged: `observe` reads events of partitions, `conform` looks for a behaviour of a model.

Read `observe/event.py` first, and `conform/run.py`. Both are commands of isrcheck, offered in pyproject.toml.
"""
