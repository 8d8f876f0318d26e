"""A fault in a table of words is told with its file and line; every table is read."""

import re
from pathlib import Path

import pytest

import everyday
from everyday.tables import TableError, read

PACKAGE = Path(everyday.__file__).parent


def table(folder, *lines):
    (folder / "nouns.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read("nouns", "english plural kinds", folder=folder)


def test_a_table_is_read_in_the_order_of_its_lines(tmp_path):
    cat, bread = table(tmp_path, "english\tplural\tkinds", "cat\tcats\tanimal pet", "bread\t-\t-")
    assert (cat.text("english"), cat.optional("plural"), cat.words("kinds")) == ("cat", "cats", ("animal", "pet"))
    assert (bread.optional("plural"), bread.words("kinds")) == (None, ())


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["english\tkinds"], "line 1: the columns are english kinds, not english plural kinds"),
        (["english\tplural\tkinds", "cat\tcats\tanimal", "dog\tdogs"], "line 3: 2 cells instead of 3"),
        (["english\tplural\tkinds", "cat\t\tanimal"], "line 2: plural is empty"),
        (["english\tplural\tkinds", "cat\tcats \tanimal"], "line 2: plural is empty, or has blanks too many: 'cats '"),
        (["english\tplural\tkinds", "cat\tcats\tanimal", "cat\tcats\tpet"], r"line 3: cat stands twice: .*line 2"),
    ],
)
def test_a_fault_is_told_with_its_file_and_line(tmp_path, lines, message):
    with pytest.raises(TableError, match=rf"nouns\.tsv, {message}"):
        table(tmp_path, *lines)


def test_a_cell_that_means_nothing_is_told_with_its_file_and_line(tmp_path):
    (row,) = table(tmp_path, "english\tplural\tkinds", "cat\t-\tanimal")
    for read_cell, message in (
        (lambda: row.text("plural"), "plural must not be empty"),
        (lambda: row.words("kinds", {"person", "food"}), "kinds 'animal' is none of food, person"),
        (lambda: row.number("kinds"), "kinds 'animal' is no number"),
    ):
        with pytest.raises(TableError, match=rf"nouns\.tsv, line 2: {message}"):
            read_cell()


def test_every_table_is_read():
    lexica, sources = PACKAGE / "lexica", "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    tables = {path.relative_to(lexica).with_suffix("").as_posix() for path in lexica.rglob("*") if path.is_file()}
    assert tables == set(re.findall(r'"((?:english|french|chinese)/\w+)"', sources))
