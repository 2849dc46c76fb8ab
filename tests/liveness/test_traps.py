"""Each way in which other checkers were seen to answer wrongly has a test, which the page names."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "temporal.md"
TABLE = re.compile(r"(?<=<!-- traps -->\n).*?(?=<!-- end of traps -->)", re.DOTALL)


def test_every_row_names_tests_that_are_there() -> None:
    (table,) = TABLE.findall(PAGE.read_text(encoding="utf-8"))
    rows = table.splitlines()[2:]
    assert len(rows) > 20
    for row in rows:
        named = re.findall(r"`([\w/]+\.py)::(\w+)`", row)
        assert named, row
        for file, test in named:
            folder = ROOT if "/" in file else Path(__file__).parent
            assert f"\ndef {test}(" in (folder / file).read_text(encoding="utf-8"), test
