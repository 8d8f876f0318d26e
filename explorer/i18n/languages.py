"""The languages of the app, and the choice of one for a browser."""

import re
from collections.abc import Iterable
from pathlib import Path

ENGLISH = "en"  # the language of the sources: it needs no catalogue
PSEUDO = "xx"  # made of the English messages, for tests: see pseudo.py
DOMAIN = "explorer"
LOCALE = Path(__file__).parents[1] / "locale"

_OWN_NAMES = {ENGLISH: "English", "zh_CN": "简体中文"}
_TRADITIONAL = {"hant", "tw", "hk", "mo"}  # parts of a tag that mean traditional Chinese characters
_QUALITY = re.compile(r";\s*q\s*=\s*([\d.]+)")


def offered(folder: Path) -> dict[str, str]:
    """Returns the languages on offer, English first: id -> name in that language."""
    codes = sorted(path.parents[1].name for path in folder.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))
    return {language: _OWN_NAMES.get(language, language) for language in (ENGLISH, *codes)}


LANGUAGES = offered(LOCALE)


def find_language(tag: str) -> str | None:
    """Returns the id of the language of a tag ("zh", "zh-Hans", "zh_CN", "en-GB"; also "xx"), or None."""
    first, *rest = tag.strip().replace("_", "-").lower().split("-")
    if first == PSEUDO:
        return PSEUDO
    if first == "zh" and "hans" not in rest and not _TRADITIONAL.isdisjoint(rest):
        return None
    return next((language for language in LANGUAGES if language.split("_")[0] == first), None)


def html_tag(language: str) -> str:
    """Returns the tag of a language for a page: it tells screen readers how to speak, and browsers which forms of Chinese
    characters to draw. The pseudo-locale is English with marks."""
    return (ENGLISH if language == PSEUDO else language).replace("_", "-")


def best_language(accept: str | Iterable[str]) -> str:
    """Returns the language for these preferences, best first, or this Accept-Language header; English if none fits."""
    tags = _by_quality(accept) if isinstance(accept, str) else accept
    return next((language for tag in tags if (language := find_language(tag)) in LANGUAGES and language), ENGLISH)


def _by_quality(header: str) -> list[str]:
    """Returns the tags of an Accept-Language header, best first, without those it excludes (q=0)."""
    qualities = {}
    for entry in header.split(","):
        tag = entry.split(";")[0]
        quality = _QUALITY.search(entry)
        qualities[tag] = _number(quality[1]) if quality else 1.0
    return sorted((tag for tag in qualities if qualities[tag]), key=lambda tag: -qualities[tag])


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
