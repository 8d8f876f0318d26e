"""Numbers in words."""

import re
from collections.abc import Sequence

import numpy as np

from explorer.i18n import _, current_language, share_text
from transformer_core.analysis.bootstrap import Estimate
from transformer_core.analysis.damage import Correlation, Damage
from transformer_core.analysis.evaluation_metrics import share_interval
from transformer_core.data.tasks import Task, has_source

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def size_words(count: int) -> str:
    """Formats bytes: `1.5 MB`."""
    return _scaled(count, ("B", "kB", "MB", "GB"))


def count_words(count: int) -> str:
    """Formats a number of operations: `2.4 million`; in Chinese, which counts by ten thousands, `240 万`."""
    if current_language() == "zh_CN":
        return _scaled(count, ("", "万", "亿", "万亿"), 10_000)
    return _scaled(count, ("", _("thousand"), _("million"), _("billion"), _("trillion")))


def share_words(share: float, n: int) -> str:
    """Formats a share found in `n` draws with its 95 % interval: `99.0% (96.4–99.7%)`."""
    low, high = share_interval(share, n)
    return f"{share_text(share, 1)} ({100 * low:.1f}–{high:.1%})"


def right_words(share: float, n: int, task: Task | None) -> str:
    """Formats the share right of `n` held-out rows, with its 95 % interval; of the tokens that count in texts, without one:
    those of a text are not independent."""
    return share_words(share, n) if task is None or has_source(task) else share_text(share, 1)


def measure_name(task: Task | None) -> str:
    """Returns what the share right is called: whole rows count, or single tokens of a text."""
    return _("exact match") if task is None or has_source(task) else _("tokens right")


def estimate_words(estimate: Estimate) -> str:
    """Formats a share with its 95 % interval: `76.5% (71.0–81.9%)`."""
    return f"{share_text(estimate.value, 1)} ({100 * estimate.low:.1f}–{estimate.high:.1%})"


def points_words(estimate: Estimate) -> str:
    """Formats a difference of shares in percentage points, with its 95 % interval: `3.1 (−2.0 … 8.2)`."""
    return true_minus(f"{100 * estimate.value:.1f} ({100 * estimate.low:.1f} … {100 * estimate.high:.1f})")


def damage_words(damage: Damage) -> str:
    """Formats the cost of a cut with its 95 % interval: `0.123 (0.101 … 0.150)`."""
    loss, low, high = (f"{round(each, 3) + 0.0:.3f}" for each in (damage.loss, damage.low, damage.high))  # no "-0.000"
    return true_minus(f"{loss} ({low} … {high})")


def correlation_words(correlation: Correlation) -> str:
    """Formats a rank correlation with its 95 % interval: `0.21 (−0.25 … 0.63)`."""
    return true_minus(f"{correlation.rank:.2f} ({correlation.low:.2f} … {correlation.high:.2f})")


def percent(probability: float) -> str:
    """Formats a probability, `12.34%`; only 0 and 1 read as impossible and certain."""
    return share_text(probability, 2)


def small(value: float, digits: int = 1) -> str:
    """Formats a number by its magnitude, such as a rounding error: `3 × 10⁻⁷`."""
    mantissa, _e, exponent = f"{value:.{digits}g}".partition("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(_RAISED)}" if exponent else mantissa


def digits(value: float) -> str:
    """Formats a number with every digit of a 32-bit number, and no more."""
    return np.format_float_positional(np.float32(value), unique=True, trim="-").replace("-", "−")


def true_minus(text: str) -> str:
    """Replaces the hyphens of negative numbers by minus signs; code such as `x[-1]` stays as it is."""
    return re.sub(r"(`[^`]*`)|(?<![\w.-])-(?=\d)", lambda found: found[1] or "−", text)


def _scaled(value: float, units: Sequence[str], factor: int = 1000) -> str:
    """Divides a number by `factor` for each unit until it is small."""
    place = 0
    while value >= factor and place < len(units) - 1:
        value, place = value / factor, place + 1
    return f"{value:.{0 if place == 0 or value >= 100 else 1}f} {units[place]}".strip()


def plain(text: str) -> str:
    """Escapes text so that Markdown shows it literally: a token such as <unk> is no HTML, and * makes nothing bold."""
    return "".join("\\" + sign if sign in "<*_`[]$\\" else sign for sign in text)


def without_html(markdown: str) -> str:
    """Escapes HTML in Markdown, such as the token <unk>, whether or not it went through `plain`."""
    return re.sub(r"(?<!\\)<", r"\\<", markdown)
