"""Reads a table of sentences as people write it: a file of any usual encoding, or a text with any usual separator."""

import codecs
import csv
import html
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from io import StringIO
from typing import Literal, NamedTuple

from transformer_core.data.spreadsheet import sheet_text
from transformer_core.errors import InputError

MAX_BYTES = 2**20  # bytes of a file

# --- Characters. -----------------------------------------------------------------------------------------------------------

# Other spellings of the same character. Accents that stand alone are typed as apostrophes.
_SPELLINGS = {
    "'": "\u2018\u2019\u201b\u02bc\u2032`\u00b4",  # ‘ ’ ‛ ʼ ′ ` ´
    '"': "\u201c\u201d\u201e\u201f\u2033",  # “ ” „ ‟ ″
    "-": "\u2010\u2011",  # hyphens, one of them never breaks
    # Nothing is seen of these: marks of direction, of a place to break, of the beginning of a file. Joiners of emoji stay.
    "": "\u00ad\u061c\u200b\u200c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff\0",
}
_BLANKS = dict.fromkeys(map(ord, "\u00a0\u2007\u202f\u3000"), " ")  # that do not break, or are wide: also around a separator
_PLAIN = {ord(other): plain for plain, others in _SPELLINGS.items() for other in others}
# Another form of the same letters, blanks or dots. Superscripts, fractions and circled digits stay: x² is not x2.
_SAME = ("<wide>", "<narrow>", "<noBreak>", "<compat>")


def tidy(text: str) -> str:
    """Writes each character in its usual form: straight apostrophes and quotation marks, common widths and blanks, composed
    accents, nothing invisible (the compatible forms of NFKC, but for those that mean something else).
    """
    plain = text.translate(_PLAIN)
    if plain.isascii():
        return plain
    return unicodedata.normalize("NFC", "".join(map(_usual, plain)))


def _usual(character: str) -> str:
    same = unicodedata.decomposition(character).startswith(_SAME)
    return unicodedata.normalize("NFKC", character) if same else character


# --- Files. ----------------------------------------------------------------------------------------------------------------

_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_ARCHIVE = b"PK\x03\x04"  # how a spreadsheet begins
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x19\x1b-\x1f\x7f]")  # what no text has; 1a once marked the end of one
_HIGH = re.compile(rb"[\x80-\xff]+")


def text_of(data: bytes) -> str:
    """Decodes a file: UTF-8 or UTF-16, with a byte order mark or without, else what Windows uses for Chinese (GB 18030) or for
    western languages (cp1252); of a spreadsheet, the first sheet. Raises InputError for what is too large, and for what is no
    text.
    """
    if len(data) > MAX_BYTES:
        raise InputError(
            "The file has {n:,} kB; up to {most:,} can be read. Choose a smaller one.", n=len(data) >> 10, most=MAX_BYTES >> 10
        )
    if data.startswith(_ARCHIVE):
        return sheet_text(data)
    try:
        text = data.decode(_encoding(data))
    except UnicodeDecodeError as error:
        raise InputError("The file is not a text that can be read. Save it again as CSV UTF-8.") from error
    if _NO_TEXT.search(text):
        raise InputError("The file is not a text that can be read. Save it again as CSV UTF-8.")
    return text


def _encoding(data: bytes) -> str:
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return encoding
    zeros = data[::2].count(0), data[1::2].count(0)
    if 4 * max(zeros) > len(data) and not min(zeros):  # every other byte of Latin letters in UTF-16
        return "utf-16-be" if zeros[0] else "utf-16-le"
    for encoding in ("utf-8", "gb18030"):
        try:
            data.decode(encoding)
        except UnicodeDecodeError:
            continue
        # Letters with an accent stand one by one, Chinese characters are two bytes each.
        if encoding == "utf-8" or all(len(run) % 2 == 0 for run in _HIGH.findall(data)):
            return encoding
    return "cp1252"


# --- Rows. -----------------------------------------------------------------------------------------------------------------


class _Separator(NamedTuple):
    """What may stand between two cells.

    Attributes:
        columns: "two" for what is also written in sentences; "several" for as many in every row, more than two; "any" for what
            stands in no sentence.
    """

    text: str
    columns: Literal["two", "several", "any"] = "two"


# Of those that fit as many rows, the first is taken.
_SEPARATORS = (
    _Separator("\t", "any"),
    *map(_Separator, ("=>", "⇒", "->", "→", "➔", " = ", ";")),
    _Separator("|", "any"),
    *map(_Separator, ("=", "＝")),
    _Separator(";", "several"),
    _Separator(","),
    _Separator(",", "several"),
    *map(_Separator, (" — ", " – ", " - ", "：", ": ", "；", "，", "｜")),
)
# For single lines that lack the separator of the others; a comma, or a = without blanks, may be part of a sentence.
_CLEAR_SEPARATORS = ("\t", ";", "|", " = ", " → ", " => ", " -> ")
_OF_FILES = "\t;|,"  # between cells that may be quoted and go on in the next line, as spreadsheets write them
_MOST_COLUMNS = 32
_SAMPLED = 400  # lines by which the separator is found
_LONGEST_CELL = 20  # lines of a quoted cell
_LONGEST_LINE = 2000  # characters that are read of a line
_COLUMN = "\x1f"  # stands for a separator of several characters while a line is split

_RULE = re.compile(r":?-+:?")  # a cell below the heading of a table in Markdown
# The time and the name before a message copied from a chat: “[1/2/26, 10:15] Ann: ”, “01.02.26, 10:15 - Ann: ”.
_CHAT = re.compile(
    r"\u200e?\[?\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s\d{1,2}:\d{2}(:\d{2})?(\s?[AaPp]\.?[Mm]\.?)?\]?(\s-)?\s[^:]{1,40}:\s"
)
_BULLET = re.compile(r"\s*(?:[-*•–]|(\d{1,3})[.)])\s+")
_ANKI = re.compile(r"#(separator|html|tags|deck|notetype|columns|guid|if matches|[a-z]+ column):.*")  # what Anki writes above
_EXCEL = re.compile(r"sep=([\t;,|:])")  # and Excel
_TAG = re.compile(r"<[^<>]{1,200}>")


class Rows(NamedTuple):
    """A table as it was written.

    Attributes:
        cells: those of every row, tidied; an empty row for a line that holds none.
        columns: how many most rows have.
        has_heading: whether a line below the first row says that it names the columns, as in Markdown.
    """

    cells: tuple[tuple[str, ...], ...]
    columns: int
    has_heading: bool

    @property
    def usual(self) -> tuple[int, int]:
        """The two columns that look like sentences and answers: of words that differ from row to row; else the first two."""
        rows = [row for row in self.cells if len(row) > 1][:_SAMPLED]
        varied = []
        for i in range(self.columns):
            cells = [row[i] for row in rows if i < len(row) and any(map(str.isalpha, row[i]))]
            if len(cells) > len(rows) / 2 and len(set(cells)) > len(cells) / 2:
                varied.append(i)
        return (varied[0], varied[1]) if len(varied) > 1 else (0, 1)


def rows_of(text: str) -> Rows:
    """Splits a text into rows and cells: by tabs, as in what is copied from a spreadsheet, semicolons, commas, |, arrows, = or
    what else people put between a sentence and its answer, whichever makes two cells of most lines. Cells may be quoted as in
    CSV. What Anki, Excel, Markdown, lists and chats put around a table is left out.
    """
    plain = text.removeprefix("\ufeff").replace("\0", "").translate(_BLANKS)
    lines = [line[:_LONGEST_LINE] for line in plain.splitlines()]
    lines, told, is_html = _without_head(lines)
    lines = _without_marks(lines)
    separator = told or max(_SEPARATORS, key=lambda each: _fitting(lines[:_SAMPLED], each)[0])
    columns = _fitting(lines, separator)[1]
    rows = []
    for line, cells in _records(lines, separator):
        tidied = [_tidied(cell, is_html) for cell in (cells if len(cells) > 1 else _otherwise(line, cells))]
        while tidied and not tidied[-1]:  # a spreadsheet adds them
            tidied.pop()
        rows.append(tuple(tidied))
    rules = [i for i, row in enumerate(rows) if len(row) > 1 and all(map(_RULE.fullmatch, row))]
    first = next((i for i, row in enumerate(rows) if row), 0)
    for i in rules:
        rows[i] = ()
    return Rows(tuple(rows), columns, first + 1 in rules)


def _tidied(cell: str, is_html: bool) -> str:
    text = html.unescape(_TAG.sub(" ", cell)) if is_html else cell
    return " ".join(tidy(text).split())


def _without_head(lines: list[str]) -> tuple[list[str], _Separator | None, bool]:
    """Blanks the lines that a program writes above a table; with the separator that they name, and whether cells are HTML."""
    is_html, separator = False, None
    for i, line in enumerate(lines):
        if excel := _EXCEL.fullmatch(line.strip(" \r\n")):
            separator = _Separator(excel[1], "any")
        elif not _ANKI.fullmatch(line.strip()):
            break
        is_html |= line.strip().lower() == "#html:true"
        lines[i] = ""
    return lines, separator, is_html


def _without_marks(lines: list[str]) -> list[str]:
    """Takes away what stands at the edges of most lines: the frame of a table in Markdown, who wrote a message, bullets."""
    filled = [line.strip() for line in lines if line.strip()]
    if 2 * sum(line.startswith("|") and line.endswith("|") for line in filled) > len(filled):
        return [line.strip().removeprefix("|").removesuffix("|") for line in lines]
    if 2 * sum(_CHAT.match(line) is not None for line in filled) > len(filled):
        return [_CHAT.sub("", line, count=1) for line in lines]
    bullets = [_BULLET.match(line) for line in filled]
    numbers = [bullet[1] for bullet in bullets if bullet]
    if len(filled) > 1 and numbers in ([None] * len(filled), [str(i + 1) for i in range(len(filled))]):
        return [_BULLET.sub("", line, count=1) for line in lines]
    return lines


def _fitting(lines: Sequence[str], separator: _Separator) -> tuple[int, int]:
    """How many rows a separator makes a pair of, or a row of a table, and the columns of that table."""
    if not any(separator.text in line for line in lines):
        return 0, 2
    rows = [[cell.strip() for cell in cells] for _line, cells in _records(lines, separator)]
    for row in rows:
        while row and not row[-1]:
            row.pop()
    if separator.columns == "two":
        return sum(len(row) == 2 and all(row) for row in rows), 2
    lengths = Counter(len(row) for row in rows if 2 <= len(row) <= _MOST_COLUMNS)
    if separator.columns == "several":
        lengths.pop(2, None)
        return max(((n, length) for length, n in lengths.items()), default=(0, 2))
    total = lengths.total()
    return total, max((length for length, n in lengths.items() if 5 * n >= total), default=2)  # a fifth may have a note


def _records(lines: Sequence[str], separator: _Separator) -> list[tuple[str, list[str]]]:
    """The rows as they stand there, with their cells. An open quotation mark in one does not swallow those after it."""
    records, at = [], 0
    while at < len(lines):
        count = _lines_of_row(lines[at : at + _LONGEST_CELL], separator.text)
        row = "\n".join(lines[at : at + count])
        records.append((row, _cells(row, separator.text)))
        at += count
    return records


def _lines_of_row(lines: Sequence[str], separator: str) -> int:
    """Returns how many lines the first row takes: more than one if a quoted cell is closed in a later line."""
    if separator not in _OF_FILES or lines[0].count('"') % 2 == 0:
        return 1
    for count in range(2, len(lines) + 1):
        row = "\n".join(lines[:count])
        if row.count('"') % 2 == 0:
            try:
                return count if len([*csv.reader(StringIO(row, newline=""), delimiter=separator, strict=True)]) == 1 else 1
            except csv.Error:
                return 1
    return 1


def _cells(row: str, separator: str) -> list[str]:
    if len(separator) > 1:
        return [cell.replace(_COLUMN, separator) for cell in _cells(row.replace(separator, _COLUMN), _COLUMN)]
    row = re.sub(rf'" +(?={re.escape(separator)}|$)', '"', row)  # blanks before a separator are no part of a quoted cell
    try:
        return next(csv.reader(StringIO(row, newline=""), delimiter=separator, skipinitialspace=True, strict=True), [])
    except csv.Error:  # a quotation mark that does not enclose a cell; an open one takes all that follows
        if row.count('"') % 2:
            return next(csv.reader(StringIO(row, newline=""), delimiter=separator, skipinitialspace=True), [])
        return [cell.lstrip() for cell in row.split(separator)]


def _otherwise(line: str, usual: list[str]) -> list[str]:
    """Splits a line by the first separator that makes a pair of it; `usual` if none does."""
    tried = (line.split(separator) for separator in _CLEAR_SEPARATORS)
    return next((cells for cells in tried if len(cells) == 2 and all(map(str.strip, cells))), usual)
