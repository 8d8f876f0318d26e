"""A check of the model on screen against torch.nn.Transformer, run when asked."""

from collections.abc import Hashable, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import streamlit as st
import torch

from explorer.figures.differences import differences
from explorer.i18n import _
from explorer.model_on_screen.model_at_step import ModelAtStep
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.torch_checks import Checked, check_of, check_of_random, rows_on_screen
from explorer.session import current
from explorer.ui import document, pickers
from explorer.ui.format import small
from explorer.ui.setting_names import value_name
from explorer.ui.widgets import choose
from transformer_core import TransformerConfig
from transformer_core.analysis.parity import MOVED, SABOTAGES, TOLERANCE, Difference, Parity, parity
from transformer_core.analysis.torch_reference import without_counterpart
from transformer_core.model.stages import ENCODER, LOGITS, MEMORY, OUTPUT, parse_stage

NUMPY_TESTS = "tests/transformer_core/model/test_against_numpy.py"  # tests of the settings for which torch has no counterpart
_MOST = 3_000_000  # parameters: a check of more would keep other visitors waiting
_NOTHING = "nothing"
_KEY = "against_torch"
_PRECISIONS = tuple(str(dtype).removeprefix("torch.") for dtype in TOLERANCE)


def draw(shown: ShownModel) -> None:
    """Draws the buttons, and the result of the check."""
    st.markdown(
        _(
            "PyTorch has a Transformer of its own: `torch.nn.Transformer`. Given the same weights and the same tokens, it must "
            "compute the same numbers as the model here, up to rounding: in every stage that both have, in the gradients, and "
            "in the weights after one step of training."
        )
        if shown.cfg.has_encoder
        else _(
            "PyTorch has layers of its own: those of `torch.nn.TransformerEncoder`, with a causal mask, are those of a decoder "
            "alone. Given the same weights and the same tokens, they must compute the same numbers as the model here, up to "
            "rounding: in every stage that both have, in the gradients, and in the weights after one step of training."
        )
    )
    sabotages = {
        _NOTHING: _("nothing"),
        "swapped": _("Q and K swapped"),
        "unscaled": _("no ÷ √d_k"),
        "eps": _("another eps in a norm"),
    }
    refused = _refusal(shown.model)
    this = ("this", shown.choice.whole, rows_on_screen(shown))
    asked = current().measured.get(_KEY)
    drawn = asked[1] if isinstance(asked, tuple) and asked[0] == "random" else None
    with pickers.row("parity"):
        st.button(
            _("Check this model"),
            key="check-this-model",
            icon=":material/rule:",
            type="primary",
            on_click=_ask,
            args=(this,),
            disabled=refused is not None,
        )
        another = ("random", 0 if drawn is None else drawn + 1)
        st.button(_("Check random sizes"), key="check-random", icon=":material/casino:", on_click=_ask, args=(another,))
        chosen = choose(
            "against_torch_broken",
            _("break in our model"),
            [_NOTHING, *SABOTAGES],
            sabotages,
            help=_(
                "What to break in the first layer of the model here, once the weights have been copied. The check has to "
                "notice it."
            ),
        )
    sabotage = next((each for each in SABOTAGES if each == chosen), None)
    if refused is not None:
        st.info(refused)
    elif shown.choice.cuts:
        st.caption(_("The whole model is checked, without your cuts."))
    check = None
    if drawn is not None:
        with st.spinner(_("Checking…")):
            check = check_of_random(drawn, sabotage, shown.cfg.stacks)
        _show(check, _sizes(check))
    elif asked == this and refused is None:
        with st.spinner(_("Checking…")):
            check = check_of(*this[1:], sabotage)
        _show(check, _("The model on screen and its sentence."))
    document.details("against_torch", lambda: _details(check))


def _ask(asked: Hashable) -> None:
    current().measured[_KEY] = asked


def _refusal(model: ModelAtStep) -> str | None:
    """Says why the model on screen cannot be checked."""
    if lacking := without_counterpart(model.cfg):
        return _(
            "`torch.nn.Transformer` has no counterpart for this model: {what}. The tests of this project compare each such "
            "setting with a model written out in numpy (`{tests}`). Random sizes can be checked here."
        ).format(what=", ".join(_reasons(model.cfg)[name] for name in lacking), tests=NUMPY_TESTS)
    if model.parameters > _MOST:
        return _("This model has {n:,} parameters; here, models of up to {most:,} are checked.").format(
            n=model.parameters, most=_MOST
        )
    return None


def _reasons(cfg: TransformerConfig) -> dict[str, str]:
    """Names, for each setting that torch may lack, the thing that it lacks."""
    return {
        "layer_norm": _("layer norm with the unbiased standard deviation"),
        "score": _("scores of the kind “{score}” in place of the scaled dot product").format(score=cfg.score),
        "residual": _("no residual connections"),
        "cross_attention": _("no cross-attention"),
        "position": _("positions that attention itself knows (“{kind}”)").format(kind=value_name(cfg.position)),
    }


def _sizes(check: Checked) -> str:
    cfg = check.cfg
    words = _(
        "A model of random sizes and weights: {norm}-norm, layers: {layers}, d_model {width}, heads: {heads}, d_ff {d_ff}; "
        "source {src}, target {tgt}, some of it padding."
    )
    if not cfg.has_encoder:
        words = _(
            "A model of random sizes and weights: {norm}-norm, layers: {layers}, d_model {width}, heads: {heads}, d_ff {d_ff}; "
            "texts {tgt}, some of it padding."
        )
    return words.format(
        norm=value_name(cfg.norm),
        layers=cfg.n_layers,
        width=cfg.d_model,
        heads=cfg.n_heads,
        d_ff=cfg.d_ff,
        src=check.src,
        tgt=check.tgt,
    )


def _details(checked: Checked | None) -> None:
    if checked is not None:
        _tables(checked.found)
    document.try_this(
        _("Break something, and see from which stage on the numbers differ, and whether float32 is enough to notice."),
        _("Check several random sizes, one after another."),
        _("Turn off the residual connections in the sidebar: torch has no such model."),
    )
    document.the_code(parity)


def _show(checked: Checked, what: str) -> None:
    if all(each.all_equal for each in checked.found):
        st.success(_all_equal(checked.found), icon=":material/check:")
    else:
        st.error(_different(checked.found), icon=":material/close:")
    names = [each.name for each in checked.found[0].stages]
    picture = differences(
        names,
        {name: np.array([each.relative for each in one.stages]) for name, one in zip(_PRECISIONS, checked.found, strict=True)},
        dict(zip(_PRECISIONS, TOLERANCE.values(), strict=True)),
        groups=_groups(names),
        y_title=_("relative difference"),
        written=small,
    )
    document.picture(
        picture,
        _(
            "one column per stage, in the order of computation: its largest difference from torch's, divided by its largest "
            "value, on a logarithmic scale. Below the dotted line of its precision it is rounding; a red cross is more than "
            "that."
        ),
        "parity",
    )
    how = _(
        "Every parameter is moved first, by {moved:g} × a standard normal number: at the start of learning, gains are 1 and "
        "biases 0, and a norm too many would hardly show. Both precisions took {seconds:.1f} s, with torch {version}."
    ).format(moved=MOVED, seconds=checked.seconds, version=torch.__version__)
    st.caption(f"{what} {how}")


def _all_equal(check: Sequence[Parity]) -> str:
    single, double = check
    return _(
        "Equal up to rounding: {n} stages, {g} gradients, and {g} weights and biases after one step of Adam. The largest "
        "relative difference is {single} in float32 and {double} in float64."
    ).format(
        n=len(double.stages), g=len(double.gradients), single=small(single.worst.relative), double=small(double.worst.relative)
    )


def _different(check: Sequence[Parity]) -> str:
    single, double = check
    first = double.first_different
    if first is None:
        return _("The stages are equal, but the gradients or the training step differ: {name}, by {most}.").format(
            name=f"`{double.worst.name}`", most=small(double.worst.relative, 2)
        )
    words = _(
        "They differ. The first stage that does is {name}, by {most} of its largest value; of {all} stages, {n} differ in "
        "float64."
    ).format(
        name=f"`{first.name}`",
        most=small(first.relative, 2),
        all=len(double.stages),
        n=sum(not double.is_equal(each) for each in double.stages),
    )
    if not single.all_equal:
        return words
    hidden = _("In float32 all differences stay below the tolerance of {value}: only float64 shows it.")
    return f"{words} {hidden.format(value=small(TOLERANCE[torch.float32]))}"


def _groups(names: Sequence[str]) -> dict[str, int]:
    """The titles of the layers and outputs that stages belong to, each with the index of its first stage."""
    titles = pickers.kind_titles()
    ends = {MEMORY: _("memory"), OUTPUT: _("output"), LOGITS: _("output")}

    def group(name: str) -> str:
        if name in ends:
            return ends[name]
        stage = parse_stage(name)
        return f"{titles['encoder' if stage.stack == ENCODER else 'decoder']} {stage.layer}"

    groups, at = {}, 0
    for title, each in groupby(names, group):
        groups[title] = at
        at += len(list(each))
    return groups


def _tables(check: Sequence[Parity]) -> None:
    """Draws a table with a row for each stage, one for all gradients, and one for all weights after a training step."""
    single, double = check

    def row(title: str, of: Sequence[Difference], also: Sequence[Difference]) -> dict[str, Any]:
        equal = all(map(single.is_equal, of)) and all(map(double.is_equal, also))
        worst = [max(each, key=lambda one: one.relative) for each in (of, also)]
        return {
            _("what"): title,
            _("verdict"): _("✓ equal") if equal else _("✗ differs"),
            _("largest value"): small(worst[1].size, 3),
            **{name: small(one.largest, 2) for name, one in zip(_PRECISIONS, worst, strict=True)},
        }

    rows = [row(a.name, [a], [b]) for a, b in zip(single.stages, double.stages, strict=True)]
    rows.append(row(_("gradients: {n}").format(n=len(double.gradients)), single.gradients, double.gradients))
    rows.append(row(_("weights after one step of Adam: {n}").format(n=len(double.step)), single.step, double.step))
    st.dataframe(rows, hide_index=True, key="parity-table")
    document.caption(
        _(
            "the largest difference, in both precisions. Of the gradients, and of the weights after a step, the row shows the "
            "one tensor of all that differs most."
        )
    )
