"""Pins: a sweep's table that was opened at one copy of the app is there at all, as it was, and within a bound."""

import pytest

from explorer import limits
from explorer.model_store.tables import Tables
from transformer_core.training.files import Connection, Files, Unreachable
from transformer_core.training.folder import ModelFolder


@pytest.fixture
def copies(tmp_path):
    """copies(): the tables of one more copy."""
    return lambda: Tables(ModelFolder(tmp_path / "tables", limits.TABLE_BYTES))


def test_what_one_keeps_another_has(copies):
    id = copies().keep("C:/a b\n c.jsonl", b"row\nrow\n")
    assert copies().get(id) == ("a b c.jsonl", b"row\nrow\n")
    assert copies().keep("other.jsonl", b"row\nrow\n") != id, "its name is part of it"


def test_what_is_not_the_one_that_was_opened_is_none(copies, tmp_path):
    id = copies().keep("a.jsonl", b"row")
    (file,) = (tmp_path / "tables").iterdir()
    file.write_bytes(b"a.jsonl\nanother")
    assert copies().get(id) is None
    for other in ("", "0" * 16, "../" + id, id.upper() + "/", "g" * 16):
        assert copies().get(other) is None


def test_they_take_so_many_bytes_at_most(copies, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "TABLE_BYTES", 100)
    one = copies()
    ids = [one.keep(f"{number}", b"x" * 40) for number in range(5)]
    assert sum(file.stat().st_size for file in (tmp_path / "tables").iterdir()) <= 100
    assert one.get(ids[-1]) == copies().get(ids[-1]) == ("4", b"x" * 40) and one.get(ids[0]) is None


def test_where_nothing_can_be_written_they_are_in_memory_and_that_is_said_once(tmp_path, caplog):
    (tmp_path / "file").write_text("no folder")
    tables = Tables(ModelFolder(tmp_path / "file" / "tables"))
    ids = [tables.keep(name, b"row") for name in ("a", "b")]
    assert [tables.get(id) for id in ids] == [("a", b"row"), ("b", b"row")] and tables.get("0" * 16) is None
    assert len(caplog.records) == 1


def test_where_the_address_is_away_they_are_on_this_machine_and_nothing_else_is_said(tmp_path, monkeypatch, caplog):
    def away(self, folder, call, size=0):
        raise Unreachable("away")

    monkeypatch.setattr(Connection, "ask", away)
    folder = ModelFolder(tmp_path / "tables", limits.TABLE_BYTES, Files(Connection(f"file://{tmp_path}/shared")))
    id = Tables(folder).keep("a", b"row")
    assert Tables(folder).get(id) == ("a", b"row") and not caplog.records
