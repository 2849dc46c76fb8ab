"""A file stays small enough to be read at once, and a class's name says which class it is."""

import ast
from collections import defaultdict

from tests.structure.sources import CHECKER, LOGS, MODEL, RISK, TOYS, name_of, nodes, python_files, source, tree

LONGEST = 400


def test_no_file_is_longer_than_400_lines() -> None:
    lengths = {name_of(file): len(source(file).splitlines()) for file in python_files(CHECKER, MODEL, RISK, TOYS, LOGS)}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST} == {}


def test_no_two_classes_of_the_checker_share_a_name() -> None:
    places = defaultdict(set)
    for file in python_files(CHECKER):
        for node in nodes(tree(file)):
            if isinstance(node, ast.ClassDef):
                places[node.name].add(name_of(file))
    assert {name: sorted(files) for name, files in places.items() if len(files) > 1} == {}
