"""Every field and every file of a certificate, changed in many ways: refused, or nothing else said."""

import json
from pathlib import Path

import pytest
from tests.certificates.forge import changed, others, recheck, rewrite, stated_model, ways

from isrcheck import check

WORDS = {"version", "command", "place", "text"}  # for people: no line of a recheck depends on them


def wrongly_confirmed(folder: Path) -> list[str]:
    """The changes of certificate.json with which a recheck says a line that it does not say without them."""
    file = folder / "certificate.json"
    body = json.loads(file.read_text(encoding="utf-8"))
    model = stated_model(folder)
    code, said = recheck(folder, model)
    assert code == 0, said
    wrong = []
    for way in ways(body):
        value = body
        for key in way:
            value = value[key]
        for other in others(value):
            if WORDS.isdisjoint(way) and repr(other) != repr(value):
                file.write_text(json.dumps(changed(body, way, other)), encoding="utf-8")
                again, lines = recheck(folder, model)
                fewer = way[0] == "properties" and {*lines.splitlines()} < {*said.splitlines()}
                if again == 0 and (way[0] == "states" or not (fewer or lines == said)):
                    wrong.append(f"{way} = {other!r}")
    file.write_text(json.dumps(body), encoding="utf-8")
    return wrong


@pytest.mark.parametrize("model", ["toy-counter", "toy-crossing"])
def test_no_change_of_what_states_certify_is_confirmed(model: str, tmp_path: Path) -> None:
    """Fewer properties say less, and nothing wrong."""
    check(model, certificate=tmp_path)
    assert wrongly_confirmed(tmp_path) == []


@pytest.mark.parametrize("stated", [3, 5, 4.0, "4", True])
def test_a_wrong_number_of_states_is_refused(stated: object, tmp_path: Path) -> None:
    check("toy-counter", constants={"limit": 3}, certificate=tmp_path)
    file = tmp_path / "certificate.json"
    body = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(changed(body, ("states", "distinct"), stated)), encoding="utf-8")
    code, said = recheck(tmp_path)
    assert (code, said.count("\n")) == (1, 1)
    assert said.startswith("refused: ")


def test_a_file_outside_the_folder_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "certificate"
    check("toy-counter", certificate=folder)
    (folder / "states.gz").rename(tmp_path / "states.gz")
    body = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    body["files"] = {"../states.gz": body["files"]["states.gz"]}
    (folder / "certificate.json").write_text(json.dumps(body), encoding="utf-8")
    assert recheck(folder) == (1, "refused: certificate.json names other files than states.gz.\n")


def test_fields_that_no_such_certificate_has_are_refused(tmp_path: Path) -> None:
    check("toy-counter", certificate=tmp_path)
    body = json.loads((tmp_path / "certificate.json").read_text(encoding="utf-8"))
    (tmp_path / "certificate.json").write_text(json.dumps({**body, "k": 1, "version": 1}), encoding="utf-8")
    expected = "refused: certificate.json does not have the fields of the kind states: see k, version.\n"
    assert recheck(tmp_path) == (1, expected)
    rewrite(tmp_path, "states.gz", b"")
