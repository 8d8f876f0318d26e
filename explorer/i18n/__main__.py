"""Updates the catalogues from the sources: extract, update, compile. Needs Babel (requirements-dev.txt)."""

import argparse
import sys
from pathlib import Path

from explorer.i18n import catalogue
from explorer.i18n.catalogue import Message
from explorer.i18n.languages import LOCALE


def main(arguments: list[str] | None = None, root: Path = LOCALE.parents[1], locale: Path = LOCALE) -> int:
    """Returns 1 if something is wrong with a catalogue, or, with --check, if it does not match the sources."""
    parser = argparse.ArgumentParser(prog="python -m explorer.i18n", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if there is something to write")
    check = parser.parse_args(arguments).check
    found = catalogue.extract(root)
    return max((_update(folder, found, check) for folder in catalogue.folders(locale)), default=0)


def _update(folder: Path, found: dict[Message, list[str]], check: bool) -> int:
    po, mo = catalogue.files(folder)
    try:
        old = catalogue.read(folder.parent.name, po.read_bytes() if po.exists() else b"")
    except ValueError as error:
        print(f"{po}: {error}")
        return 1
    new = catalogue.update(old, found)
    faults = catalogue.faults(new)
    print(f"{folder.parent.name}: {len(catalogue.translated(new))} of {len(new)} messages translated")
    print(*(f"  no longer in the sources: {line}\n" for line in catalogue.lost(old, new)), sep="", end="")
    print(*(f"  {line}\n" for line in faults), sep="", end="")
    right = not faults
    for path, content in ((po, catalogue.po_file(new)), (mo, catalogue.mo_file(new))):
        if not check:
            path.write_bytes(content)
        elif not path.exists() or path.read_bytes() != content:
            print(f"  {path} does not match the sources; run python -m explorer.i18n")
            right = False
    return int(not right)


if __name__ == "__main__":
    sys.exit(main())
