"""Each limit in a table of docs/limits.md stands beside a test that is there."""

import re

from tests.docs.pages import ROOT, content

PAGE = content("docs/limits.md")
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def test_every_limit_of_a_table_names_a_test() -> None:
    tables = PAGE.split("| limit | test |\n|---|---|\n")[1:]
    rows = [row for table in tables for row in table.partition("\n\n")[0].splitlines()]
    assert len(rows) > 15
    assert [row for row in rows if not _TEST.search(row)] == []


def test_the_tests_of_the_page_are_there() -> None:
    named = _TEST.findall(PAGE)
    missing = [name for file, name in named if f"def {name}(" not in (ROOT / file).read_text(encoding="utf-8")]
    assert missing == []
