"""Reads the lexica: tables of tab-separated values in UTF-8, a header row and one entry a line.

A cell holds a word, or several with blanks between them; "-" stands for nothing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

_LEXICA = Path(__file__).parent / "lexica"
_NOTHING = "-"


class TableError(ValueError):
    """A fault in a table; the message names its file and line."""


@dataclass(frozen=True)
class Row:
    """A line of a table.

    Attributes:
        place: its file and line, for messages.
    """

    place: str
    cells: Mapping[str, str]

    def text(self, column: str) -> str:
        if (text := self.optional(column)) is None:
            raise self.error(f"{column} must not be empty")
        return text

    def optional(self, column: str) -> str | None:
        """Returns the text of a cell; None for "-"."""
        text = self.cells[column]
        return None if text == _NOTHING else text

    def one_of(self, column: str, known: Collection[str]) -> str:
        return self._known(column, self.text(column), known)

    def words(self, column: str, known: Collection[str] | None = None) -> tuple[str, ...]:
        """Returns the words of a cell; none for "-". Where `known` is given, each must be in it."""
        words = (self.optional(column) or "").split()
        return tuple(word if known is None else self._known(column, word, known) for word in words)

    def _known(self, column: str, text: str, known: Collection[str]) -> str:
        if text not in known:
            raise self.error(f"{column} {text!r} is none of {', '.join(sorted(known))}")
        return text

    def number(self, column: str) -> float:
        try:
            return float(self.text(column))
        except ValueError:
            raise self.error(f"{column} {self.text(column)!r} is no number") from None

    def error(self, message: str) -> TableError:
        return TableError(f"{self.place}: {message}")


def read(name: str, columns: str, keys: int = 1, folder: Path = _LEXICA) -> list[Row]:
    """Reads a table of these columns, in the order of its lines. No two lines agree in the first `keys` columns.

    Raises:
        TableError: for a line that is not as it should be.
    """
    file = folder / f"{name}.tsv"
    header, *lines = (line.split("\t") for line in file.read_text(encoding="utf-8").splitlines())
    if header != columns.split():
        raise TableError(f"{file}, line 1: the columns are {' '.join(header)}, not {columns}")
    rows = [_row(f"{file}, line {number}", header, cells) for number, cells in enumerate(lines, 2)]
    seen = dict[tuple[str, ...], Row]()
    for row in rows:
        key = tuple(row.cells[column] for column in header[:keys])
        if key in seen:
            raise row.error(f"{' '.join(key)} stands twice: {seen[key].place}")
        seen[key] = row
    return rows


def _row(place: str, header: list[str], cells: list[str]) -> Row:
    if len(cells) != len(header):
        raise TableError(f"{place}: {len(cells)} cells instead of {len(header)}")
    row = Row(place, dict(zip(header, cells, strict=True)))
    for column, cell in row.cells.items():
        if not cell or cell != " ".join(cell.split()):
            raise row.error(f"{column} is empty, or has blanks too many: {cell!r}")
    return row
