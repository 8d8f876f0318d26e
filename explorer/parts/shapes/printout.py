"""The numbers and shapes that lecture notes print while they build a model, from the real forward pass, for chosen sizes."""

from dataclasses import replace
from typing import Any

import streamlit as st

from explorer.figures.matrix import matrix
from explorer.i18n import _
from explorer.inference.shared_cache import shared_cache
from explorer.inference.shown_model import ShownModel
from explorer.ui import document
from explorer.ui.widgets import choose, slider
from transformer_core import TransformerConfig
from transformer_core.analysis.printed_numbers import PrintedNumbers, printed_numbers
from transformer_core.model.accounting import stage_shapes

_COLUMNS = 12  # of the embedded tokens, that are drawn


def draw(shown: ShownModel) -> None:
    """Draws the part, with controls for its sizes, which are not those of the sidebar."""
    places = st.columns(5)
    batch = slider("print_batch", _("batch size"), 1, 16, 2, place=places[0])
    length = slider("print_length", _("tokens per sentence"), 1, 32, 4, place=places[1])
    width = slider("print_width", "d_model", 8, 1024, 512, step=8, place=places[2])
    p = slider("print_dropout", _("dropout p"), 0.0, 0.5, 0.1, step=0.05, place=places[3])
    with places[4]:
        heads = choose("print_heads", _("heads"), [8, 1, 2, 4])
    # One layer: all have the same shapes.
    cfg = replace(shown.cfg, d_model=width, n_heads=heads, d_ff=4 * width, n_layers=1, max_len=length, tgt_max_len=None)
    found = _printed(cfg, batch, length, p)
    _embedded(cfg, found, length, p)

    def more() -> None:
        st.markdown(
            _(
                "Lecture notes print numbers and shapes while they build a model with random weights. Here are these printouts "
                "from the real forward pass, for sizes of your choice."
            )
        )
        _more(cfg, found, batch, length, p)

    document.details("printout", more)


def _more(cfg: TransformerConfig, found: PrintedNumbers, batch: int, length: int, p: float) -> None:
    _weights(found, length, p)
    _shapes(cfg, batch, length)
    document.try_this(
        _("Choose one head: its weights are (batch, 1, query, key), as notes print them for a single attention."),
        _("Change the number of tokens: only the tensors with both axes, query and key, grow in two directions."),
    )
    document.the_code(stage_shapes, printed_numbers)


def _embedded(cfg: TransformerConfig, found: PrintedNumbers, length: int, p: float) -> None:
    """Draws the embedded tokens."""
    n = min(_COLUMNS, cfg.d_model)
    tokens: dict[str, Any] = {"rows": length, "row_title": _("token")}
    st.markdown(f"**{_('Embedding + position, after dropout')}**")
    values = found.dropped[:, :n]
    document.picture(
        matrix(values, columns=n, column_title=_("dimension"), signed=True, cell=30, **tokens),
        _("the first {n} of {d} numbers of each token of the first sentence. What was dropped is printed as 0; the others are "
          "1 / (1 − p) = {factor:.3f} times what they were.").format(n=n, d=cfg.d_model, factor=1 / (1 - p)),
          "printed-embedded",
    )  # fmt: skip


def _weights(found: PrintedNumbers, length: int, p: float) -> None:
    """Draws the weights that such notes print."""
    tokens: dict[str, Any] = {"rows": length, "row_title": _("token")}
    st.markdown(
        _(
            "Two things in such numbers look odd: weights that are all the same, and zeros that nobody has put there. The "
            "first come from a mask that is all zeros and so masks **every** key, the second from **dropout**."
        )
    )
    even = 1 / length
    weights = (
        (_("No mask"), "printed-weights", found.weights, _("the attention weights of head 0: each row adds up to 1.")),
        (_("A mask of zeros, −1e9"), "printed-blocked", found.blocked,
         _("every score is −1e9, so all are equal: each weight is 1 / {length} = {even:.4g}, whatever the words are.").format(
             length=length, even=even)),
        (_("The same after dropout"), "printed-dropped", found.blocked_dropped,
         _("what was dropped is printed as 0; the others are {even:.4g} / (1 − p) = {grown:.4g}.").format(
             even=even, grown=even / (1 - p))),
    )  # fmt: skip
    for place, (title, key, values, words) in zip(st.columns(3), weights, strict=True):
        with place:
            st.markdown(f"**{title}**")
            keys: dict[str, Any] = {"columns": length, "column_title": _("key")}
            document.picture(matrix(values, cell=30, **tokens | keys), words, key)


def _shapes(cfg: TransformerConfig, batch: int, length: int) -> None:
    """Draws the shapes that such notes print."""
    document.section(_("The shapes that are printed"))
    st.markdown(
        _(
            "For two sentences of four tokens and d_model 512, ids (2, 4) become (2, 4, 512) and stay so to the end of the "
            "stack; the attention weights of one head are (2, 4, 4). With the sizes chosen above:"
        )
    )
    stages = stage_shapes(cfg, batch, length, length)
    names = ["src", *(stage.name for stage in stages)]
    of_one_head = [str((stage.shape[0], *stage.shape[2:])) if stage.axes[:2] == ("batch", "head") else "" for stage in stages]
    st.dataframe(
        {
            _("stage"): names,
            _("axes"): ["(batch, src)", *("(" + ", ".join(stage.axes) + ")" for stage in stages)],
            _("shape"): [str((batch, length)), *(str(stage.shape) for stage in stages)],
            _("of one head"): ["", *of_one_head],
        },
        hide_index=True,
        height=35 * len(names) + 40,
        key="printout",
    )
    kept = sum(stage.shape == (batch, length, cfg.d_model) for stage in stages)
    document.reading(
        _(
            "from first to last, with one layer in each stack. {n} of {all} tensors have the shape {shape}, that of the "
            "embedded input."
        ).format(n=kept, all=len(stages), shape=(batch, length, cfg.d_model))
    )


@shared_cache(16 * 2**20)
def _printed(cfg: TransformerConfig, batch: int, length: int, p: float) -> PrintedNumbers:
    return printed_numbers(cfg, batch, length, p)
