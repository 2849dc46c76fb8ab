"""Prints what tests of agreement recorded about the models that they compared."""

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    lines = [
        (report.nodeid.rpartition("::")[2], value)
        for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
        for name, value in getattr(report, "user_properties", ())
        if name == "random models"
    ]
    for test, value in lines:
        terminalreporter.section(f"what the models of {test} were like")
        for figure in str(value).split("; "):
            terminalreporter.write_line(f"  {figure}")
