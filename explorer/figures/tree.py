"""A search tree that grows downwards, with kept and dropped candidates."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from explorer.figures.style import BLUE, GREEN, GREY, PAGE, Figure, figure
from explorer.i18n import _

_CROWDED = 6  # nodes in a row from which on a phone shows the labels of kept ones alone
_ROW = 68  # pixels from one step to the next


def tree(
    parents: Sequence[np.ndarray],
    scores: Sequence[np.ndarray],
    *,
    labels: Sequence[Sequence[str]],
    own: Sequence[np.ndarray],
    kept: Sequence[np.ndarray],
    ended: Sequence[np.ndarray],
    best: Sequence[int],
    root: str,
) -> Figure:
    """Draws the candidates of a beam search, one row per step, below those that they continue, the better siblings on the left.

    Kept ones have a frame and their score, finished ones a double frame; dropped ones have no frame and a ×.

    Args:
        parents, scores: per step one array each, (candidate,); a parent is an index into the step before. Scores are sums of
            log-probabilities, in nats.
        labels: the tokens of the candidates; own: their own log-probabilities, in nats.
        kept, ended: booleans of the same shape.
        best: the indices of the best answer, step by step.
        root: the start token.
    """
    for level in zip(parents, scores, labels, own, kept, ended, strict=True):
        if len({len(values) for values in level}) > 1:
            raise ValueError(f"a step has {' and '.join(str(len(values)) for values in level)} values for its candidates")
    places = _places(parents, scores)
    across = max((len(x) for x in places), default=1)
    kinds: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in ("dropped", "kept", "best")}
    data, notes = [], [_word(escape(root), 0.0, 0, GREY, 1)]
    for step, (x, up) in enumerate(zip(places, parents, strict=True)):
        above = np.zeros(1) if step == 0 else places[step - 1]
        for i in range(len(x)):
            on_best = step < len(best) and best[step] == i
            xs, ys = kinds["best" if on_best else "kept" if kept[step][i] else "dropped"]
            xs += [float(above[up[i]]), float(x[i]), np.nan]
            ys += [step, step + 1, np.nan]
            word = escape(labels[step][i])
            if kept[step][i]:
                colour = GREEN if ended[step][i] else BLUE
                mark = "■ " if ended[step][i] else ""
                total = f"{scores[step][i]:z.2f}".replace("-", "−")
                text = f"{mark}<b>{word}</b><br>{total}"
                notes.append(_word(text, float(x[i]), step + 1, colour, 4 if on_best else 2))
            else:
                notes.append(_word(f"× {word}", float(x[i]), step + 1, "rgba(0,0,0,0)", 0) | {"opacity": 0.75})
    for name, (colour, width, dash) in {
        "dropped": (GREY, 1, "dot"),
        "kept": (BLUE, 2, "solid"),
        "best": (BLUE, 5, "solid"),
    }.items():
        xs, ys = kinds[name]
        line = {"color": colour, "width": width, "dash": dash}
        data.append(
            {"type": "scatter", "mode": "lines", "x": np.array(xs), "y": np.array(ys), "line": line, "hoverinfo": "skip"}
            | {"name": name}
        )
    for step, x in enumerate(places):
        data.append(_dots(x, step, scores[step], own[step], labels[step], kept[step], ended[step]))
    layout: dict[str, Any] = {
        "xaxis": {"visible": False, "range": [-across / 2 - 0.1, across / 2 + 0.1], "fixedrange": True},
        "yaxis": {
            "range": [len(places) + 0.45, -0.45],
            "tickvals": list(range(len(places) + 1)),
            "ticktext": [_("start"), *(str(i + 1) for i in range(len(places)))],
            "title": {"text": _("step"), "standoff": 18},
            "showgrid": False,
            "zeroline": False,
            "ticks": "",
            "fixedrange": True,
        },
        "annotations": notes,
        "hovermode": "closest",
        "uirevision": f"{[len(x) for x in places]}",
        "dragmode": False,
    }
    narrow: dict[str, Any] = {}
    dark = {f"layout.annotations.{i}.bgcolor": PAGE["dark"] for i in range(len(notes))}
    for i, note in enumerate(notes):
        at = f"layout.annotations.{i}"
        narrow |= {f"{at}.borderpad": 2}
        if across > _CROWDED:
            text = "×" if note["text"].startswith("× ") else note["text"].partition("<br>")[0]
            narrow |= {f"{at}.text": text, f"{at}.borderpad": 1}
            if i and note["borderwidth"]:
                narrow[f"{at}.yshift"] = 10 if i % 2 else -10  # neighbours would overlap
    drawn = figure(data, layout, alt=describe(labels, scores, kept, best), height=_ROW * len(places) + 90, narrow=narrow)
    drawn["layout"]["meta"]["dark"] |= dark
    return drawn


def describe(
    labels: Sequence[Sequence[str]], scores: Sequence[np.ndarray], kept: Sequence[np.ndarray], best: Sequence[int]
) -> str:
    """Describes the tree in words: how much of it was kept, and the best answer."""
    words = " ".join(labels[step][place] for step, place in enumerate(best))
    sentence = _(
        "a tree of {steps} steps: {kept} candidates kept, {dropped} dropped; the best answer is “{words}”, {score:z.2f}"
    )
    return sentence.format(
        steps=len(labels),
        kept=sum(int(k.sum()) for k in kept),
        dropped=sum(int((~k).sum()) for k in kept),
        words=words,
        score=float(scores[len(best) - 1][best[-1]]) if len(best) else 0.0,
    )


def _places(parents: Sequence[np.ndarray], scores: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Returns the position of every candidate in its row, centred on 0, one apart: ordered by parent, then by score."""
    places: list[np.ndarray] = []
    for step, (up, score) in enumerate(zip(parents, scores, strict=True)):
        above = np.zeros(1) if step == 0 else places[-1]
        order = np.lexsort((-score, above[up]))
        x = np.empty(len(up))
        x[order] = np.arange(len(up)) - (len(up) - 1) / 2
        places.append(x)
    return places


def _word(text: str, x: float, y: float, colour: str, width: float) -> dict[str, Any]:
    return {
        "text": text,
        "x": x,
        "y": y,
        "showarrow": False,
        "bgcolor": PAGE["light"],
        "bordercolor": colour,
        "borderwidth": width,
        "borderpad": 3,
        "font": {"size": 12},
    }


def _dots(
    x: np.ndarray,
    step: int,
    score: np.ndarray,
    own: np.ndarray,
    labels: Sequence[str],
    kept: np.ndarray,
    ended: np.ndarray,
) -> dict[str, Any]:
    """The hover text of one row."""
    verdict = [
        _("finished") if end and keep else _("kept") if keep else _("dropped") for keep, end in zip(kept, ended, strict=True)
    ]
    words = _("step {step} · {label} · {verdict}<br>log-probability {own:.4f} (probability {p:.4f})<br>sum so far {score:.4f}")
    return {
        "type": "scatter",
        "mode": "markers",
        "x": x.astype(np.float32),
        "y": np.full(len(x), step + 1, np.float32),
        "marker": {"size": 26, "opacity": 0},
        "name": str(step + 1),
        "hovertext": [
            words.format(step=step + 1, label=escape(label), verdict=mark, own=o, p=float(np.exp(o)), score=s)
            for label, mark, o, s in zip(labels, verdict, own.tolist(), score.tolist(), strict=True)
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
