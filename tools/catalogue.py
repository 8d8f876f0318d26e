"""Updates the catalogues from the sources, with Babel: extracts the messages, updates the .po files, compiles the .mo files.

    python -m tools.catalogue [--check]

The output depends only on the sources and the translations, not on the day or the machine.
"""

import argparse
import ast
import io
import re
import string
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from babel.messages import Catalog
from babel.messages import Message as Entry
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, read_po, write_po

from explorer.i18n.languages import DOMAIN, LOCALE

SOURCES = ("explorer", "pages", "transformer_core")
# The number of leading arguments that are messages.
KEYWORDS = {"_": 1, "N_": 1, "n_": 2, "InputError": 1, "TextError": 1, "CheckpointError": 1, "Reason": 1}

_LINE = re.compile(r"""\s*(#.*|(msgctxt|msgid|msgid_plural|msgstr|msgstr\[\d+\])?\s*"([^"\\]|\\.)*"\s*)?""")

Message = str | tuple[str, str]  # or the forms for one and for many

_HEADERS = ("Language", "Plural-Forms", "MIME-Version", "Content-Type", "Content-Transfer-Encoding")
_COMMENT = "# Filled in by hand; `python -m tools.catalogue` keeps its messages those of the sources."


class _Stable(Catalog):
    """A catalogue whose header has neither dates nor Babel's version."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        headers = [(name, value) for name, value in self._get_mime_headers() if name in _HEADERS]
        return [*headers[:-1], (headers[-1][0], headers[-1][1] + "\n")]


def messages(source: str) -> Iterator[Message]:
    """Yields the messages of a Python file, in order."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)
        texts = [list(_constants(argument)) for argument in call.args[: KEYWORDS.get(str(name), 0)]]
        if name == "n_":
            yield from zip(*texts, strict=False) if len(texts) == 2 else ()
        elif texts:
            yield from texts[0]


def _constants(node: ast.expr) -> Iterator[str]:
    """Yields the strings that an argument may be: a string itself, or either branch of a conditional."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _constants(node.body)
        yield from _constants(node.orelse)


def extract(root: Path) -> dict[Message, list[str]]:
    """Returns every message of the sources below `root`, and the files it is in."""
    found: dict[Message, list[str]] = {}
    for path in sorted(path for folder in SOURCES for path in (root / folder).rglob("*.py")):
        for message in messages(path.read_text(encoding="utf-8")):
            found.setdefault(message, []).append(path.relative_to(root).as_posix())
    return found


def read(language: str, po: bytes) -> Catalog:
    """Parses a .po file (empty: a new language); raises ValueError for a malformed line, or an unknown language."""
    for i, line in enumerate(po.decode().splitlines(), 1):
        if not _LINE.fullmatch(line):  # Babel would drop it, and a translation with it
            raise ValueError(f"line {i} is not a line of a catalogue: {line}")
    try:
        entries = read_po(io.BytesIO(po), locale=language, abort_invalid=True)
    except (PoFileError, LookupError) as error:
        raise ValueError(str(error)) from error
    catalogue = _Stable(locale=language, header_comment=_COMMENT, fuzzy=False)
    for entry in list(entries)[1:]:
        catalogue[entry.id] = entry
    return catalogue


def update(old: Catalog, found: dict[Message, list[str]]) -> Catalog:
    """Returns these messages in their order in the sources, with the translations and translators' comments of `old`.

    A reworded message is new: its old translation is in `lost`, to be carried over by hand.
    """
    new = _Stable(locale=old.locale_identifier, header_comment=_COMMENT, fuzzy=False)
    for message, files in found.items():
        new.add(message, locations=[(file, 0) for file in files])
    for entry in list(new)[1:]:
        before = old[entry.id]
        if before is not None and isinstance(before.id, str) == isinstance(entry.id, str):
            entry.string, entry.user_comments = before.string, before.user_comments
            entry.flags |= before.flags & {"fuzzy"}
        entry.flags -= {"python-format", "python-brace-format"}  # Babel guesses from % and {}; `faults` checks
    return new


def lost(old: Catalog, new: Catalog) -> list[str]:
    """Returns the translations whose messages are no longer in the sources."""
    return [f"{entry.id!r} was {entry.string!r}" for entry in translated(old) if entry.id not in new]


def po_file(catalogue: Catalog) -> bytes:
    """Writes one line per message, however long, and no line numbers: unchanged messages make no diff."""
    file = io.BytesIO()
    write_po(file, catalogue, width=0, include_lineno=False)
    return file.getvalue()


def mo_file(catalogue: Catalog) -> bytes:
    """Writes the .mo file of the translated messages, which is read at run time."""
    shown = _Stable(locale=catalogue.locale_identifier, fuzzy=False)
    for entry in translated(catalogue):
        shown[entry.id] = entry
    file = io.BytesIO()
    write_mo(file, shown)
    return file.getvalue()


def translated(catalogue: Catalog) -> list[Entry]:
    """Returns the messages that are translated in all their forms, and not fuzzy."""
    return [entry for entry in catalogue if entry.id and not entry.fuzzy and all(_forms(entry.string))]


def _forms(text: str | Sequence[str] | None) -> list[str]:
    return [text] if isinstance(text, str) else list(text or [""])


def faults(catalogue: Catalog) -> list[str]:
    """Returns the translations whose placeholders differ from those of their messages."""
    return [
        f"{entry.id!r} has other placeholders than {entry.string!r}"
        for entry in translated(catalogue)
        if not _same_placeholders(_forms(entry.id), _forms(entry.string))
    ]


def _same_placeholders(message: list[str], translation: list[str]) -> bool:
    """Compares placeholders: a plural's last form (for many) has all; the others may leave out what the singular leaves out."""
    one, many = placeholders(message[0]), placeholders(message[-1])
    *few, last = map(placeholders, translation)
    return last == many and all(one & many <= form <= one | many for form in few)


def placeholders(message: str) -> set[str]:
    """Returns the placeholders of a message, with their formats: {"n:,", "name"}; the message itself if braces do not match."""
    try:
        parsed = [(name, spec, how) for _text, name, spec, how in string.Formatter().parse(message) if name is not None]
    except ValueError:
        return {message}
    return {f"{name}{'!' + how if how else ''}{':' + spec if spec else ''}" for name, spec, how in parsed}


def folders(locale: Path) -> list[Path]:
    """Returns the folders of the catalogues: to add a language, add a folder."""
    return sorted(path for path in locale.glob("*/LC_MESSAGES") if path.is_dir())


def files(folder: Path) -> tuple[Path, Path]:
    """Returns the .po and the .mo file of a language."""
    return folder / f"{DOMAIN}.po", folder / f"{DOMAIN}.mo"


def main(arguments: list[str] | None = None, root: Path = LOCALE.parents[1], locale: Path = LOCALE) -> int:
    """Returns 1 if something is wrong with a catalogue, or, with --check, if it does not match the sources."""
    parser = argparse.ArgumentParser(prog="python -m tools.catalogue", description="Updates the catalogues from the sources.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if there is something to write")
    check = parser.parse_args(arguments).check
    found = extract(root)
    return max((_bring_up_to_date(folder, found, check) for folder in folders(locale)), default=0)


def _bring_up_to_date(folder: Path, found: dict[Message, list[str]], check: bool) -> int:
    po, mo = files(folder)
    try:
        old = read(folder.parent.name, po.read_bytes() if po.exists() else b"")
    except ValueError as error:
        print(f"{po}: {error}")
        return 1
    new = update(old, found)
    wrong = faults(new)
    print(f"{folder.parent.name}: {len(translated(new))} of {len(new)} messages translated")
    print(*(f"  no longer in the sources: {line}\n" for line in lost(old, new)), sep="", end="")
    print(*(f"  {line}\n" for line in wrong), sep="", end="")
    right = not wrong
    for path, content in ((po, po_file(new)), (mo, mo_file(new))):
        if not check:
            path.write_bytes(content)
        elif not path.exists() or path.read_bytes() != content:
            print(f"  {path} does not match the sources; run python -m tools.catalogue")
            right = False
    return int(not right)


if __name__ == "__main__":
    sys.exit(main())
