"""Parses numbers with a decimal point or a decimal comma, where only one number can be meant."""

import math
import re
import unicodedata

_NUMBER = re.compile(r"([+-]?)([\d.,]+)(e[+-]?\d+)?", re.IGNORECASE)
_THOUSANDS = r"\d{{1,3}}(?:{mark}\d{{3}})+"
_SPACES = re.compile(r"(?<=\d) (?=\d{3}(?!\d))")  # spaces between groups of three digits


def as_number(text: str, whole: bool) -> float | None:
    """Parses a number; None if the text is none, is ambiguous, or not finite. `whole`: fractions are none either."""
    if any(unicodedata.category(letter) == "No" for letter in text):
        return None  # 10² or ½, whose normal form would be 102 or 1⁄2
    match = _NUMBER.fullmatch(_SPACES.sub("", unicodedata.normalize("NFKC", text).replace("−", "-").strip()))
    digits = _with_a_point(match[2], whole) if match else None
    if match is None or digits is None:
        return None
    value = float(match[1] + digits + (match[3] or ""))
    if not math.isfinite(value) or (whole and not value.is_integer()):
        return None
    return int(value) if whole else value


def is_of_two(text: str, whole: bool) -> bool:
    """True if a text may name one of two numbers: 1,000 is one, or a thousand."""
    return as_number(text, whole) is None and re.fullmatch(r"[+-]?[1-9]\d{0,2}[.,]\d{3}", text.strip()) is not None


def _with_a_point(digits: str, whole: bool) -> str | None:
    """Writes a point before the decimals and no other mark; None if that is ambiguous, or there are no digits."""
    marks = re.sub(r"\d", "", digits)
    if not marks or len(digits) == len(marks):
        return digits if not marks else None
    last = marks[-1]
    if len(marks) == 1:
        is_a_thousand_too = re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", digits) and (whole or last == ",")
        return None if is_a_thousand_too else digits.replace(",", ".")
    if marks == last * len(marks):
        return digits.replace(last, "") if re.fullmatch(_THOUSANDS.format(mark=re.escape(last)), digits) else None
    head, _mark, decimals = digits.rpartition(last)
    other = marks[0]
    return f"{head.replace(other, '')}.{decimals}" if re.fullmatch(_THOUSANDS.format(mark=re.escape(other)), head) else None
