"""`isrcheck --help` and that of each command: sections, whole sentences, headings, and lines that fit."""

import subprocess
import sys
from pathlib import Path

import click
import pytest
from tests.fixtures.command_line import in_process

from isrcheck import cli
from isrcheck.commands.headings import OTHERS, SECTIONS, SectionedCommand, sections_of, summary_of
from isrcheck.wrap import columns

TARGETS = {**cli.COMMANDS, **cli._offers()}
MOST_OPTIONS = 12  # without headings


def command(name: str) -> click.Command:
    found = cli.commands.get_command(click.Context(cli.commands), name)
    assert found is not None
    return found


def sentences(help_text: str, width: int) -> dict[str, str]:
    """Each command of the page with its sentence, which may take several lines."""
    known: dict[str, str] = {}
    name = ""
    for line in help_text.split("\nOptions:")[0].splitlines():
        word, _, rest = line.strip().partition("  ")
        if line.startswith("  ") and word in TARGETS:
            name, known[word] = word, rest.strip()
        elif line.startswith("   ") and name:
            known[name] += f" {line.strip()}"
    return known


@pytest.mark.parametrize("width", [60, 80, 120])
def test_each_command_stands_in_one_section_with_its_whole_sentence(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    text = in_process("--help").stdout
    assert max(map(columns, text.splitlines())) <= width
    assert [line[:-1] for line in text.splitlines() if line.endswith(":")] == [*SECTIONS, "Options"]
    assert sentences(text, width) == {name: summary_of(TARGETS[name]) for name in TARGETS}
    assert "..." not in text.split("Options:")[1 if width < 80 else 0].replace("[ARGS]...", "")


def test_each_sentence_is_one_line_at_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = in_process("--help").stdout.splitlines()
    for name, target in TARGETS.items():
        assert any(line.split() == [name, *summary_of(target).split()] for line in lines), name


def test_a_summary_is_what_the_command_itself_says_first() -> None:
    for name, target in TARGETS.items():
        summary = summary_of(target)
        assert summary.endswith("."), name
        assert summary == " ".join((command(name).help or "").split("\n\n")[0].split())


def test_help_imports_no_command() -> None:
    code = "import sys; from isrcheck.cli import commands; commands.main(['--help'], standalone_mode=False)\n"
    code += "print([m for m in sys.modules if m.startswith(('isrcheck.commands.', 'rich')) or m.endswith('command')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "['isrcheck.commands.headings']"


def test_a_command_of_another_package_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "acme_command.py").write_text('def purge() -> None:\n    """Purge\n    it.\n\n    More.\n    """\n')
    monkeypatch.syspath_prepend(tmp_path)
    assert dict(sections_of(["purge", "check", "list"])) == {"Check": ["list", "check"], OTHERS: ["purge"]}
    assert summary_of("acme_command:purge") == "Purge it."
    assert summary_of("acme_command:other") == ""


@pytest.mark.parametrize("name", TARGETS)
def test_many_options_stand_under_headings(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    own = command(name)
    options = [p for p in own.params if isinstance(p, click.Option) and not p.hidden]
    assert isinstance(own, SectionedCommand) or len(options) <= MOST_OPTIONS
    for width in (60, 80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = in_process(name, "--help").stdout.splitlines()
        assert max(map(columns, lines)) <= width
        first = next(number for number, line in enumerate(lines) if line.endswith(":"))
        names = [word for line in lines[first:] if line[:3] == "  -" for word in line.split("  ")[1].split()]
        assert all(names.count(option.opts[-1]) == 1 for option in options)
    if isinstance(own, SectionedCommand):
        assert lines[lines.index("Other:") + 1].split()[:2] == ["-h,", "--help"]
