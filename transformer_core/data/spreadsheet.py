"""The first sheet of a spreadsheet in Excel's format (.xlsx, ECMA-376) as text: a line for each row, tabs between its cells."""

import csv
import re
import zipfile
from collections.abc import Iterator
from io import BytesIO, StringIO
from xml.etree import ElementTree

from transformer_core.errors import InputError

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_MAX_BYTES = 8 * 2**20  # of a part of the file, unpacked
_MOST_COLUMNS, _MOST_ROWS = 32, 2000  # that are read


def sheet_text(data: bytes) -> str:
    """Raises InputError for what is no such file, and for one that unpacks to too much."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            sheets = sorted(name for name in archive.namelist() if re.fullmatch(r"xl/worksheets/sheet\d+\.xml", name))
            shared = "xl/sharedStrings.xml"
            strings = _strings(archive, shared) if shared in archive.namelist() else []
            rows = [*_rows(_root(archive, sheets[0]), strings)]
    except (zipfile.BadZipFile, ElementTree.ParseError, KeyError, IndexError, ValueError, RuntimeError, EOFError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            "This is no spreadsheet that can be read. Save it as CSV, or copy its columns and paste them."
        ) from error
    text = StringIO()
    csv.writer(text, delimiter="\t", lineterminator="\n").writerows(rows)
    return text.getvalue()


def _root(archive: zipfile.ZipFile, name: str) -> ElementTree.Element:
    with archive.open(name) as part:
        text = part.read(_MAX_BYTES + 1)
    if len(text) > _MAX_BYTES:
        raise InputError("The spreadsheet is too large. Copy its two columns and paste them.")
    if b"<!DOCTYPE" in text:  # nothing of this format has one, and its entities could unpack to anything
        raise ElementTree.ParseError("a document type")
    return ElementTree.fromstring(text)


def _strings(archive: zipfile.ZipFile, name: str) -> list[str]:
    return [_text_in(item) for item in _root(archive, name).iter(f"{_MAIN}si")]


def _text_in(node: ElementTree.Element) -> str:
    """The text of a cell, all its runs together; how Japanese characters are read (rPh) is no part of it."""
    runs = (each for child in node if child.tag != f"{_MAIN}rPh" for each in child.iter(f"{_MAIN}t"))
    return "".join(each.text or "" for each in runs)


def _rows(sheet: ElementTree.Element, strings: list[str]) -> Iterator[list[str]]:
    for row, _number in zip(sheet.iter(f"{_MAIN}row"), range(_MOST_ROWS), strict=False):
        cells = [""] * _MOST_COLUMNS
        for at, cell in enumerate(row.iter(f"{_MAIN}c")):
            column = _column(cell.get("r", ""), at)
            if column < _MOST_COLUMNS:
                cells[column] = _cell(cell, strings)
        while cells and not cells[-1]:
            cells.pop()
        yield cells


def _column(reference: str, at: int) -> int:
    """The index of a cell's column, from “B3”; `at`: that of a cell which does not say where it stands."""
    index = 0
    for letter in reference.rstrip("0123456789"):
        index = 26 * index + ord(letter) - ord("A") + 1
    return index - 1 if index else at


def _cell(cell: ElementTree.Element, strings: list[str]) -> str:
    kind, value = cell.get("t"), cell.findtext(f"{_MAIN}v") or ""
    if kind == "inlineStr":
        return "".join(map(_text_in, cell.iter(f"{_MAIN}is")))
    return strings[int(value)] if kind == "s" else value
