"""The lines of a program that draw its numbers with plotly, plainly: a heat map, curves or bars."""

from html import unescape
from typing import Any

import numpy as np

from explorer.figures.matrix import Matrices
from explorer.figures.style import Figure
from explorer.programs.template import Code, ProgramTemplate, filled, listed, written

SHOW = "figure.show()"  # the last line of every drawing, also of a template's


def lines_of(drawing: Any, template: ProgramTemplate, gaps: dict[str, Any]) -> list[str]:
    """Returns the lines that draw `values`."""
    if template.draw is not None:
        return filled(template.draw, gaps).splitlines()
    if isinstance(drawing, Matrices):
        labels = dict(zip(("rows", "columns"), (filled(text, gaps) for text in template.labels or ()), strict=False))
        return _of_matrices(drawing, labels)
    return _of_figure(drawing)


def _of_matrices(drawn: Matrices, labels: dict[str, str]) -> list[str]:
    lines, ticks = [], {}
    for name, given in (("rows", drawn.rows), ("columns", drawn.columns)):
        if list(given) != [str(i) for i in range(len(given))]:
            lines += [f"{name} = {labels[name]}"] if name in labels else [f"{name} = {listed(given)}"]
            ticks[name] = f"tickvals=list(range(len({name}))), ticktext={name}"
    low, high = drawn.ends.min(axis=0)[0], drawn.ends.max(axis=0)[1]
    look = f'colorscale="{"RdBu" if drawn.signed else "Blues"}"'
    ends = f"cmin={_short(low)}, cmax={_short(high)}"
    title = f"title={written(drawn.axes)}, " if drawn.axes else ""
    count = len(drawn.values)
    if count == 1 and not drawn.names:
        size = max(300, min(900, 26 * len(drawn.rows) + 200))
        lines += [
            f"figure = go.Figure(go.Heatmap(z=values, {look}, {ends.replace('c', 'z', 1).replace(' c', ' z')}))",
            f"figure.update_layout({title}height={size})",
        ]
    else:
        wide = min(count, drawn.wide)
        high_rows = -(-count // wide)
        names = [drawn.names.format(i=i) for i in range(count)] if isinstance(drawn.names, str) else list(drawn.names)
        lines += [
            f"names = {listed(names)}",
            f"figure = make_subplots(rows={high_rows}, cols={wide}, subplot_titles=names, shared_yaxes=True)",
            "for i, panel in enumerate(values):",
            f'    figure.add_trace(go.Heatmap(z=panel, coloraxis="coloraxis"), row=i // {wide} + 1, col=i % {wide} + 1)',
            f"figure.update_layout({title}height={320 * high_rows})",
            f"figure.update_layout(coloraxis=dict({look}, {ends}))",
        ]
    if "columns" in ticks:
        lines.append(f"figure.update_xaxes({ticks['columns']})")
    return [*lines, f'figure.update_yaxes(autorange="reversed"{", " if "rows" in ticks else ""}{ticks.get("rows", "")})', SHOW]


def _of_figure(figure: Figure) -> list[str]:
    """Returns the lines for curves or bars over one x."""
    traces, layout = figure["data"], figure["layout"]
    kind = "bar" if traces[0]["type"] == "bar" else "scatter"
    names = [unescape(each.get("name", "")) for each in traces]
    lines = [*_places(np.asarray(traces[0]["x"])), f"names = {listed(names)}", "figure = go.Figure()"]
    lines += ["for name, row in zip(names, values):", f"    figure.add_{kind}(x=x, y=row, name=name)"]
    for axis in ("xaxis", "yaxis"):
        settings = layout.get(axis, {})
        given = [f"title={written(unescape(settings['title']['text']))}"] if settings.get("title", {}).get("text") else []
        given += ['type="log"'] if settings.get("type") == "log" else []
        ticks = settings.get("ticktext") if kind == "bar" else None
        if ticks is not None:
            lines.append(f"ticks = {listed([unescape(str(each)) for each in ticks])}")
            given.append("tickvals=x, ticktext=ticks")
        if given:
            lines.append(f"figure.update_{axis.replace('axis', 'axes')}({', '.join(given)})")
    return [*lines, SHOW]


def _places(x: np.ndarray) -> list[str]:
    whole = x.dtype.kind in "iu" and len(x) > 1
    if whole and (np.diff(x) == x[1] - x[0]).all() and x[1] > x[0]:
        first, step = int(x[0]), int(x[1] - x[0])
        behind = int(x[-1]) + step
        ends = f"{behind}" if not first and step == 1 else f"{first}, {behind}" if step == 1 else f"{first}, {behind}, {step}"
        return [f"x = list(range({ends}))"]
    return [f"x = {listed([Code(_short(each)) for each in x])}"]


def _short(value: Any) -> str:
    """Writes a number with as few digits as say it exactly."""
    return f"{value.item()!r}" if isinstance(value, np.float64 | np.integer) else str(np.float32(value))
