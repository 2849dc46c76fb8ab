"""Commands that the test of a page passes over, each kind with the reason."""

import re

# By what the command has in it.
KINDS = {
    r"/data/|/var/log/|\bHOST\b|\[8\]": "names a machine or a disk of the reader's",
    r" trace\.json|\b(RUN|EVENTS|CHECKOUT|TOPICS|TLC\.json|SPEC\.toml|DIR2|Mine)\b": "names a file of the reader's",
    r"--on kafka|stall3-4\.1\.1": "needs brokers, with Java and Kafka",
    r"--open|^isrcheck lsp": "goes on until the reader ends it",
    r"^(cd|pip|\./dev)\b": "needs what a test does not install or build",
    r"--engine gpu": "needs a GPU; tests/gpu/test_commands.py has an emulated one",
    r"java -cp": "needs Java and TLC",
    r"missed-4\.1\.1": "reads a record that is not kept in git",
    r"--engine spark|specs/sweeps/policies": "takes tens of minutes",
}
# By page and the beginning of the command.
COMMANDS = {
    ("docs/ci.md", "isrcheck gate"): "makes all runs of specs/*.toml, which tests/gate/test_own_gate.py does",
    ("docs/gate.md", "isrcheck gate"): "makes all runs of specs/*.toml, which tests/gate/test_own_gate.py does",
    ("docs/first-gate.md", ""): "tests/story/test_first_gate.py follows this page",
    ("docs/policies.md", "isrcheck check"): "tests/isr/test_policies_page.py runs these, with their verdicts",
    ("docs/install.md", "isrcheck prove"): "is shown where z3 is missing; tests/machines has such an environment",
}


def reason(page: str, command: str) -> str | None:
    """Return why a command of a page is not run; None if it is."""
    for pattern, why in KINDS.items():
        if re.search(pattern, command):
            return why
    for (where, begins), why in COMMANDS.items():
        if page == where and command.startswith(begins):
            return why
    return None
