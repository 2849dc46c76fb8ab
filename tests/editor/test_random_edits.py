"""A thousand random edits of a model: no crash, no hang, and the answer for each text is the last one."""

import random
from pathlib import Path

import pytest
from lsprotocol import types
from tests.editor.session import editor
from tests.editor.test_protocol import MODEL

pytestmark = pytest.mark.slow

EDITS = 1_000
SEED = 37
PIECES = (
    *("self.", "(", ")", "\n", "    ", "def f(self) -> None:", "@action", "0", ":", "=", "node", "'", '"""', "\\"),
    *("\u2028", "\U0001f4a1", "import os", "while True: pass", "\x00"),
)


def position(text: str, offset: int) -> types.Position:
    """In UTF-16, as the client has it."""
    line = text.count("\n", 0, offset)
    start = text.rfind("\n", 0, offset) + 1
    return types.Position(line, len(text[start:offset].encode("utf-16-le", errors="surrogatepass")) // 2)


def test_a_thousand_random_edits(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    folder = tmp_path.resolve()
    log = folder / "processes"
    note = f"\nimport os\nopen({str(log)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
    right = MODEL + note
    file = folder / "lamp.py"
    file.write_text(right)
    with editor(folder, "--max-seconds", "3", "--max-memory", "600M") as own:
        assert own.open(file, right) == []
        text = right
        for number in range(EDITS):
            if number % 6 == 5:
                text = right  # else nothing is run any more
                own.edit(file, text, wait=number % 18 == 17)
                continue
            start = chance.randrange(len(text))
            end = min(len(text), start + chance.choice((0, 0, 1, 5, 40)))
            piece = chance.choice(PIECES)
            span = types.Range(position(text, start), position(text, end))
            text = text[:start] + piece + text[end:]
            own.edit(file, piece, span, wait=chance.random() < 0.3)
            ask = chance.random()
            if ask < 0.1:
                own.hover(file, position(text, chance.randrange(len(text))))
            elif ask < 0.2:
                own.lenses(file)
        assert own.edit(file, right) == []
        assert own.lenses(file)[0][1] == "fill limit in a variant to check it"
        assert not [each for each in own.client.messages if "Error in server" in each.message]
        faults = [each.message for each in own.client.log_messages if "fault" in each.message]
        assert faults == []
        readers = set(map(int, log.read_text().split()))
        assert own.process not in readers
        assert len(readers) > 50
