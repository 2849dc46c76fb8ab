"""Lays out Graphviz text from standard input as SVG, with the libraries in pygraphviz's wheel: python bundled.py.

A program of its own, run by its path: what the C libraries print or break stays in that process. It needs no `dot`.
"""

import sys

import pygraphviz

sys.stdout.buffer.write(
    pygraphviz.AGraph(string=sys.stdin.buffer.read().decode("utf-8")).draw(format="svg", prog="dot")
)
