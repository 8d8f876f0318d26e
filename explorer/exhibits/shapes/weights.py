"""The weights of one matrix, each of which can be changed by hand: then all pages show the model with it."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import streamlit as st
import torch

from explorer.components import weight_knob
from explorer.exhibits.shared import answer_after, asking, cut_effect, measuring
from explorer.exhibits.shared.asking import Asking, Question
from explorer.exhibits.shared.measuring import Several
from explorer.figures.matrix import Matrices, matrix
from explorer.i18n import _
from explorer.model_on_screen import weight_edits
from explorer.model_on_screen.forward import model_of
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_run import run_of
from explorer.model_on_screen.weight_trials import changed_answers
from explorer.pictures.exhibit import Fit, among, drawn, numbers
from explorer.session import current
from explorer.ui import cuts, document, pickers
from explorer.ui.format import plain
from explorer.ui.minimap import highlight
from explorer.ui.weight_names import kind_of, kind_title, layer_of, weight_title
from explorer.ui.widgets import address_value, choose, set_next
from transformer_core import TransformerConfig
from transformer_core.analysis.run import Run
from transformer_core.analysis.weight_edit import WeightEdit, value_text, weight_shapes, with_weights
from transformer_core.model.stages import CROSS_ATTENTION

UNITS = 32  # feed-forward units that are shown at a time
HUGE = 100.0  # the value of the prediction
TRIED, VALUES = 40, (1.0, 10.0, HUGE)  # weights that are drawn at random, and the values that they are given
_BY_WORD = ("table.weight", "output.weight")  # ends of the names of matrices with a row for each word
_FIRST = (f"{CROSS_ATTENTION}.w_v", "w_v")  # ends of the kind of matrix that is shown at first

# --- Numbers. ---------------------------------------------------------------------------------------------------------


def _of_the_model(parameter: str, run: Run, _said: Any) -> str:
    shapes = weight_shapes(run.cfg)
    return parameter if parameter in shapes else next(iter(shapes))


Parameter = Annotated[str, Fit(_of_the_model)]
Share = Annotated[int, among(lambda run, said: _shares_of(run.cfg, said["parameter"]))]


@numbers()
def matrix_weights(run: Run, parameter: Parameter, share: Share) -> np.ndarray:
    """The weights of a matrix, or of a share of it, as torch keeps them: y_i = Σ_j W_ij x_j. Shape: (row, column)"""
    rows, columns = places(run, parameter, share)
    whole = np.atleast_2d(run.model.get_parameter(parameter).detach().numpy())
    return whole[np.ix_(rows, columns)]


def places(run: Run, parameter: str, share: int) -> tuple[list[int], list[int]]:
    """The rows and columns of a share: those of a head, of UNITS feed-forward units, or the rows of the words on screen."""
    *above, width = run.model.get_parameter(parameter).shape
    height = above[0] if above else 1
    rows, columns = [*range(height)], [*range(width)]
    name = parameter.removesuffix(".weight").rpartition(".")[2]
    if name in ("w_q", "w_k", "w_v", "w_o"):
        d_k = width // run.cfg.n_heads if name == "w_o" else height // run.cfg.n_heads
        some = [*range(share * d_k, (share + 1) * d_k)]
        return (rows, some) if name == "w_o" else (some, columns)
    if name in ("w_1", "w_2"):
        some = [*range(share * UNITS, min((share + 1) * UNITS, run.cfg.d_ff))]
        return (some, columns) if name == "w_1" else (rows, some)
    if name in ("table", "output"):
        read = run.src if parameter.startswith("src") else run.labels if name == "output" else run.tgt
        return [*dict.fromkeys(read)], columns
    return (rows[: max(len(run.src), len(run.tgt))] if name == "positions" else rows), columns


def _shares_of(cfg: TransformerConfig, parameter: str) -> int:
    """Counts the shares into which a matrix is divided."""
    name = parameter.removesuffix(".weight").rpartition(".")[2]
    if name in ("w_q", "w_k", "w_v", "w_o"):
        return cfg.n_heads
    return -(-cfg.d_ff // UNITS) if name in ("w_1", "w_2") else 1


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(matrix_weights)
def _draw_weights(values: np.ndarray, shown: ShownModel, *, parameter: str, share: int) -> Matrices:
    run = run_of(shown)
    rows, columns = places(run, parameter, share)
    by_word, is_linear = parameter.endswith(_BY_WORD), _is_linear(parameter)
    drawing = matrix(
        values,
        rows=shown.vocabulary.decode(rows) if by_word else [str(row) for row in rows],
        columns=[str(column) for column in columns],
        row_title=_("words") if by_word else _("output") if is_linear else "",
        column_title=_("input") if is_linear else _("the numbers of each vector"),
        signed=True,
        cell=15,
    )
    original = np.abs(matrix_weights(run.original, parameter, share))  # the scale stays while a weight is dragged
    top = original[np.isfinite(original)].max(initial=0) or 1
    return replace(drawing, ends=np.array([[-top, top]], np.float32), narrowest=9)


def _is_linear(parameter: str) -> bool:
    """Returns whether vectors are multiplied by it as a matrix, and others come out."""
    return not parameter.endswith((*_BY_WORD, "norm.weight", "positions"))


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    cuts.keep_line(shown)
    about = _("This model is its {n:,} **weights**. Press one, drag its value: every page follows.")
    if cuts.weights_are_locked():
        about = _("This model is its {n:,} **weights**.")
    st.markdown(about.format(n=shown.model.parameters))
    parameter, share = _matrix(shown)
    above = st.container()
    rows, columns = places(run_of(shown), parameter, share)
    picture = matrix_weights.of(shown, parameter=parameter, share=share)
    row, column = _cell(picture.values, rows, columns)
    framed = replace(picture.drawing, framed=(rows.index(row), columns.index(column)))
    document.picture(
        replace(picture, drawing=framed),
        _how_to_read(parameter, any(edit.parameter == parameter for edit in shown.choice.edits)),
        on_click=None if cuts.weights_are_locked() else lambda _panel, down, across: _take_cell(rows[down], columns[across]),
    )
    index = (row, column) if len(weight_shapes(shown.cfg)[parameter]) > 1 else (column,)
    with above:
        _knob(shown, parameter, index, (rows, columns)[-len(index) :])
    if not cuts.weights_are_locked() and shown.original.answer[len(shown.start) :]:
        about = f"{replace(current().on_screen, edit='', cut='')} {parameter} {index}"
        asking.folded("edit", about, lambda: _asking(shown.original, parameter, index))
    cut_effect.draw(shown)
    document.details("weights", lambda: _details(shown, parameter, share))


def _matrix(shown: ShownModel) -> tuple[str, int]:
    """Picks a matrix, its layer, and a head or some feed-forward units of it; returns its name in the model, and the share."""
    by_kind: dict[str, list[str]] = {}
    for name, shape in weight_shapes(shown.cfg).items():
        if len(shape) > 1 or name.endswith("norm.weight"):
            by_kind.setdefault(kind_of(name), []).append(name)
    first = next(kind for end in _FIRST for kind in by_kind if kind.endswith(end))
    with pickers.line():
        kind = choose("weight_kind", _("matrix"), [*by_kind], kind_title, listed=True, default=first)
        layer = pickers.which_layer(shown.cfg) if layer_of(by_kind[kind][0]) is not None else 0
        parameter = by_kind[kind][layer]
        count, share = _shares_of(shown.cfg, parameter), 0
        if count > 1 and kind.endswith(("w_1", "w_2")):
            share = choose("weight_units", _("units"), range(count), lambda at: _units(at, shown.cfg.d_ff), listed=True)
        elif count > 1:
            share = choose("head", _("head"), range(count))
    _highlight(kind, layer)
    return parameter, share


def _units(at: int, d_ff: int) -> str:
    return f"{at * UNITS}–{min((at + 1) * UNITS, d_ff) - 1}"


def _highlight(kind: str, layer: int) -> None:
    stack, _dot, rest = kind.partition(".")
    part = rest.partition(".")[0].removesuffix("_residual")
    if rest and stack in ("encoder", "decoder"):
        highlight(f"{stack}.{part}", layer=layer)


def _cell(values: np.ndarray, rows: Sequence[int], columns: Sequence[int]) -> tuple[int, int]:
    """Returns the row and the column of the chosen weight, in the matrix; by default, the largest that is shown."""
    text = str(address_value("weight", "", lambda text: text if _read_cell(text) else None))
    if (cell := _read_cell(text)) is not None and cell[0] in rows and cell[1] in columns:
        return cell
    down, across = np.unravel_index(np.abs(values).argmax(), values.shape)
    return rows[int(down)], columns[int(across)]


def _read_cell(text: str) -> tuple[int, int] | None:
    found = re.fullmatch(r"([0-9]{1,6})-([0-9]{1,6})", text)
    return None if found is None else (int(found[1]), int(found[2]))


def _take_cell(row: int, column: int) -> None:
    set_next("weight", f"{row}-{column}")


def _knob(shown: ShownModel, parameter: str, index: tuple[int, ...], places: Sequence[Sequence[int]]) -> None:
    edits = weight_edits.read(current().settings.edit)
    value, learned = (model_of(each).get_parameter(parameter)[index].item() for each in (shown.choice, shown.choice.original))
    if not (math.isfinite(value) and math.isfinite(learned)):
        return  # of a file: there is nothing to drag
    edit = WeightEdit(parameter, index, value)
    row, column = index[0] if len(index) > 1 else 0, index[-1]

    def change(text: str) -> None:
        _take_cell(row, column)  # the default may be another one, once this weight is changed
        cuts.change_weights(text)

    weight_knob.show(
        "weight-knob",
        edit,
        learned,
        [each for each in edits if each.place != edit.place],
        setting=current().settings.edit,
        name=_name(shown, edit),
        places=places,
        on_change=change,
        on_cell=lambda typed: _take_cell(typed[0] if len(typed) > 1 else 0, typed[-1]),
        locked=cuts.weights_are_locked(),
    )


def _name(shown: ShownModel, edit: WeightEdit) -> str:
    """Names the matrix of a weight; where each row is a word, with that."""
    name = kind_title(kind_of(edit.parameter))
    if not edit.parameter.endswith(_BY_WORD):
        return name
    return _("{matrix}: “{word}”").format(matrix=name, word=shown.vocabulary.decode(edit.index[:1])[0])


def _how_to_read(parameter: str, is_changed: bool) -> str:
    if parameter.endswith("table.weight"):
        words = _("a row is a word of the sentence, and its cells are the numbers that the model looks up for it.")
    elif parameter.endswith("output.weight"):
        words = _("a row is a word of the answer: times the last vector, number by number, it adds up to the word’s score.")
    elif parameter.endswith("norm.weight"):
        words = _("each number of a vector is multiplied by the cell at its place.")
    elif parameter.endswith("positions"):
        words = _("a row is a position, and its cells are added to the numbers of the word there.")
    else:
        words = _("row 3, column 5: what output 3 takes of input 5.")
    how = _("{row} Blue: above 0, orange: below. A changed weight may lie beyond the scale.")
    if not is_changed:
        how = _("{row} Blue: above 0, orange: below.")
    return how.format(row=words)


def _asking(original: ShownModel, parameter: str, index: tuple[int, ...]) -> Asking:
    n = original.model.parameters
    first = _question(
        original,
        WeightEdit(parameter, index, HUGE),
        _("We set one of {n:,} numbers, {weight}, to {value:.0f}; the rest stays. What becomes of the answer?"),
    )
    embedding = "src_embedding.table.weight" if original.cfg.has_encoder else "tgt_embedding.table.weight"
    word = original.read[-1]
    new = None
    if embedding in weight_shapes(original.cfg) and embedding != parameter:
        told = _("Now one number of “{word}”, where the words go in: it becomes {value:.0f}. What becomes of the answer?")
        new = _question(original, WeightEdit(embedding, (word, 0), HUGE), told)
    because = [
        _("it is one of {n:,}").format(n=n),
        _("everything goes through it"),
        _("a norm evens it out"),
        _("I just guess"),
    ]
    return Asking(first, because, new)


def _question(original: ShownModel, edit: WeightEdit, told: str) -> Question:
    text = told.format(
        n=original.model.parameters,
        weight=plain(weight_title(edit)),
        value=edit.value,
        word=plain(original.vocabulary.decode(edit.index[:1])[0]) if "{word}" in told else "",
    )

    def after() -> ShownModel:
        return replace(original, choice=replace(original.choice, edits=(edit,)))

    return answer_after.question(original, after, text, lambda: cuts.change_to(str(edit)))


def _details(shown: ShownModel, parameter: str, share: int) -> None:
    _some_at_random(shown, parameter, share)
    if _is_linear(parameter):
        document.formula(
            r"y_i=\sum_j W_{ij}\,x_j+b_i",
            _(
                "A linear map: sections 3.2.2 and 3.3 of the paper have one each for queries, keys, values and the output of "
                "attention, and two for feed-forward. W is as torch keeps it: a row for each number that comes out."
            ),
        )
    document.try_this(
        _("Make one weight huge: does the sentence break? Find one that breaks it, and one that does nothing."),
        _("Choose **words of the source**, and drag one number of a word: how far can it go before the answer changes?")
        if shown.cfg.has_encoder
        else "",
        _("Change a weight of W_Q, and look at *Heads*: which lines have moved?"),
    )
    document.the_code(with_weights, matrix_weights)


def _some_at_random(shown: ShownModel, parameter: str, share: int) -> None:
    """Says how many of some weights drawn at random change the answer, each alone."""
    document.section(_("How much hangs on one weight"))
    rows, columns = places(run_of(shown), parameter, share)
    is_matrix = len(weight_shapes(shown.cfg)[parameter]) > 1
    count = min(TRIED, len(rows) * len(columns))
    order = torch.randperm(len(rows) * len(columns), generator=torch.Generator().manual_seed(0))[:count].tolist()
    cells = [(rows[at // len(columns)], columns[at % len(columns)]) for at in order]
    edits = [WeightEdit(parameter, cell if is_matrix else cell[1:], value) for value in VALUES for cell in cells]

    def find(left: Callable[[], float]) -> Several[bool]:
        return Several(changed_answers(shown, edits, left()))

    def picture(now: Several[bool]) -> None:
        if not measuring.is_all(now):
            return
        shares = np.array(now.known).reshape(len(VALUES), count).sum(axis=1)
        told = [
            _("set to {value}: **{k} of {n}** change the answer").format(value=value_text(value), k=k, n=count)
            for value, k in zip(VALUES, shares, strict=True)
        ]
        st.markdown("\n".join(f"- {each}" for each in told))
        st.caption(
            _(
                "{n} of the {all:,} weights in the picture, drawn at random; each was changed alone, in the model without "
                "other changes, for this one sentence."
            ).format(n=count, all=len(rows) * len(columns))
        )

    label = _("Try {n} of these weights, one at a time").format(n=count)
    asked = (shown.choice.original, shown.src, shown.start, parameter, share)
    measuring.step_by_step("weights", asked, find, picture, label)
