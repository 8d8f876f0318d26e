"""What several figure tests do: have Plotly check a figure, and apply the overrides as the browser does."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

import plotly.graph_objects as go

from explorer.figures import lines

TOKENS = ["0 the", "1 <start>", "2 the", "3 &", "4 <b>cat</b>", "5 the", "6 去"]


def checked(build: Callable[..., dict[str, Any]]) -> Callable[..., go.Figure]:
    """The same function, whose figure has gone through Plotly's own check of every property."""

    @wraps(build)
    def built(*args: Any, **kwargs: Any) -> go.Figure:
        return go.Figure(build(*args, **kwargs))

    return built


curves, bars, training_curves = checked(lines.curves), checked(lines.bars), checked(lines.training_curves)
several_runs = checked(lines.several_runs)


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
