"""Writes the outlines of the letters of the app's font, from which drawings that are taken home draw their words: readers of
SVG have other fonts, and few take one that a file brings.

    python -m tools.glyphs [--out explorer/components/take_home/glyphs/outlines.json]

To be run anew when Streamlit brings another version of its font.
"""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit
from fontTools.pens.basePen import decomposeQuadraticSegment
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.ttLib import TTFont

FONT = "SourceSansVF-Upright.*.woff2"
WEIGHTS = 400, 600, 700
# The first and the last of each range: Latin with its accents, Greek, Cyrillic, punctuation, raised and lowered figures,
# arrows, mathematics, shapes. What is not among them is left as text.
RANGES = (
    *((0x21, 0x17F), (0x1CD, 0x1DC), (0x218, 0x21B), (0x2C6, 0x2DD), (0x384, 0x3CE), (0x400, 0x45F)),
    *(
        (0x1E80, 0x1E85),
        (0x1EA0, 0x1EF9),
        (0x2010, 0x203A),
        (0x2070, 0x209C),
        (0x20AC, 0x20AC),
        (0x2190, 0x22FF),
        (0x25A0, 0x25FF),
    ),
)

Point = tuple[float, float]


def course(glyphs: Mapping[str, Any], name: str) -> str:
    """Returns the outline of a letter as SVG writes it, in thousandths of its size, each point from the one before."""
    pen = DecomposingRecordingPen(glyphs)
    glyphs[name].draw(pen)
    at, start, written = (0, 0), (0, 0), ""

    def to(command: str, *points: Point) -> None:
        nonlocal at, written
        rounded = [(round(x), round(-y)) for x, y in points]
        numbers = [f"{number}" for x, y in rounded for number in (x - at[0], y - at[1])]
        written += command + " ".join(numbers).replace(" -", "-")
        at = rounded[-1]

    for command, points in pen.value:
        match command:
            case "moveTo":
                to("m", *points)
                start = at
            case "lineTo":
                to("l", *points)
            case "qCurveTo":
                for control, point in decomposeQuadraticSegment(points):
                    to("q", control, point)
            case "closePath":
                written += "z"
                at = start
            case _:
                raise NotImplementedError(f"{command} of {name}")
    return written


def outlines(font: TTFont, weight: int) -> dict[str, str]:
    """Returns the outline of each letter at a weight."""
    letters, glyphs = font.getBestCmap(), font.getGlyphSet(location={"wght": weight})
    codes = (code for first, last in RANGES for code in range(first, last + 1))
    return {chr(code): course(glyphs, letters[code]) for code in codes if code in letters}


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("explorer/components/take_home/glyphs/outlines.json"))
    out: Path = parser.parse_args().out
    (file,) = Path(streamlit.__file__).parent.glob(f"static/static/media/{FONT}")
    font = TTFont(file)
    assert font["head"].unitsPerEm == 1000
    made = {str(weight): outlines(font, weight) for weight in WEIGHTS}
    out.write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{out}: {sum(map(len, made.values()))} letters, {out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
