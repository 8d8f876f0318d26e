"""What several figure tests do: read arrays back, and apply the overrides as the browser does."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
import plotly.graph_objects as go

from explorer.figures import lines
from explorer.figures import matrix as matrix_module

TOKENS = ["0 the", "1 <start>", "2 the", "3 &", "4 <b>cat</b>", "5 the", "6 去"]


def checked(build: Callable[..., dict[str, Any]]) -> Callable[..., go.Figure]:
    """The same function, whose figure has gone through Plotly's own check of every property."""

    @wraps(build)
    def built(*args: Any, **kwargs: Any) -> go.Figure:
        return go.Figure(build(*args, **kwargs))

    return built


matrix, matrices = checked(matrix_module.matrix), checked(matrix_module.matrices)
curves, bars, training_curves = checked(lines.curves), checked(lines.bars), checked(lines.training_curves)


def z(trace: Any) -> np.ndarray:
    return np.asarray(trace.z, dtype=np.float64)


def text(trace: Any) -> np.ndarray:
    return np.asarray(trace.text)


def as_drawn(figure: go.Figure, *kinds: str) -> go.Figure:
    """The figure after its overrides ("dark", "narrow"), set by path.

    A list on the way must be long enough. Names may be new, but plotly has to know them: it raises ValueError otherwise.
    """
    plain = json.loads(figure.to_json())
    for kind in kinds:
        for path, value in figure.layout.meta[kind].items():
            *way, last = path.split(".")
            target = plain
            for step in way:
                target = target[int(step)] if isinstance(target, list) else target.setdefault(step, {})
            assert isinstance(target, dict), path
            target[last] = value
    return go.Figure(plain)


def panels(figure: go.Figure) -> list[tuple[float, float, float, float]]:
    """(left, right, bottom, top) of every panel, as shares of the figure; all of it where no domain is given."""
    found = []
    for trace in figure.data:
        if not trace.name:  # the masked cells lie over the values of the same panel
            x = figure.layout["xaxis" + (trace.xaxis or "x")[1:]].domain or (0.0, 1.0)
            y = figure.layout["yaxis" + (trace.yaxis or "y")[1:]].domain or (0.0, 1.0)
            found.append((*x, *y))
    return found
