"""Dropout in a step of training: which numbers become 0, how the others grow, and that the mean stays."""

import numpy as np
import streamlit as st

from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.pictures import dropout as pictures
from explorer.pictures.dropout import LAST_SEED, MOST_SHARE, DropoutChoices, Place
from explorer.ui import document, pickers
from explorer.ui.minimap import highlight
from explorer.ui.widgets import choose, slider
from transformer_core.analysis.dropout_effect import distance_of_mean, dropped
from transformer_core.model.dropout import Dropout

_USUAL = 0.1  # the paper's base model


def draw(shown: ShownModel) -> None:
    titles: dict[Place, str] = {
        "sum": _("embedding + position"),
        "weights": _("attention weights (head 0)"),
        "active": _("feed-forward units"),
        "output": _("output of self-attention"),
    }
    with pickers.line():
        place = choose("dropout_place", _("where"), list(titles), titles, listed=True)
    with st.container(horizontal=True):
        p = slider("dropout_share", _("dropout p"), 0.0, MOST_SHARE, shown.cfg.dropout or _USUAL, step=0.05)
        seed = slider("dropout_seed", _("seed of the step"), 0, LAST_SEED, 0)
    highlight({"sum": "embedding", "active": "encoder.feed_forward"}.get(place, "encoder"))
    choices = DropoutChoices(place, p, seed)
    _pictures(shown, choices)
    document.details("dropout", lambda: _more(shown, choices))


def _more(shown: ShownModel, choices: DropoutChoices) -> None:
    st.markdown(
        _(
            "In each step of training, dropout sets numbers to 0 at random, each with the probability p, and multiplies the "
            "others by 1 / (1 − p) = {factor:.3f}. In use it does nothing. Here the model's own dropout is applied to numbers "
            "that the encoder computes for your sentence."
        ).format(factor=1 / (1 - choices.dropout_share))
    )
    _means(shown, choices)
    document.formula(
        r"\begin{gathered}\tilde x_i=\frac{m_i}{1-p}\,x_i\\ m_i\in\{0,1\},\quad P(m_i=0)=p\\"
        r"\mathrm E[\tilde x_i]=\frac{1-p}{1-p}\,x_i=x_i\end{gathered}",
        _(
            "Section 5.4 of the paper: on the sums of embeddings and positions, and on the output of each sublayer, with p = "
            "0.1 in the base model. This model's own p is {own:g}; in training it acts on the attention weights and the units "
            "of the feed-forward network as well."
        ).format(own=shown.cfg.dropout),
    )
    document.try_this(
        _("Move the **seed of the step**: in every step, other cells are dropped."),
        _("Set p to 0.5: about half of the cells are dropped, and those that stay are twice as large."),
        _("Choose the **attention weights**: what do the rows add up to now?"),
    )
    document.the_code(Dropout, dropped, distance_of_mean)


def _pictures(shown: ShownModel, choices: DropoutChoices) -> None:
    for panel, (picture, words) in zip(
        document.grid(2),
        (
            (pictures.before, _("the numbers that go in, one row per word.")),
            (
                pictures.after,
                _("what comes out in this step: what was dropped is 0, all others are multiplied by 1 / (1 − p)."),
            ),
        ),
        strict=True,
    ):
        with panel:
            document.picture(picture(shown, choices), words)


def _means(shown: ShownModel, choices: DropoutChoices) -> None:
    p, (before, after) = choices.dropout_share, pictures.before_and_after(shown, choices)
    there = before != 0  # a unit that is silent anyway does not fall
    fallen = int(((after == 0) & there).sum())
    document.section(_("What happens to the mean"))
    st.dataframe(
        {
            "": [_("before"), _("after dropout")],
            _("numbers other than 0"): [int(there.sum()), int((after != 0).sum())],
            _("mean"): [f"{each.mean(dtype=np.float64):.4f}" for each in (before, after)],
            _("root of the mean square"): [f"{np.sqrt((each.astype(np.float64) ** 2).mean()):.4f}" for each in (before, after)],
        },
        hide_index=True,
    )
    document.reading(
        _("{fallen} of {n} numbers were dropped, {share:.1%} (p = {p:g}).").format(
            fallen=fallen, n=int(there.sum()), share=fallen / max(int(there.sum()), 1), p=p
        )
    )
    distances = pictures.distances_of(shown, choices)
    document.picture(
        pictures.mean(shown, choices),
        _("how far the average over so many steps is from the numbers before, as a share of their size: {first:.0%} for one "
          "step, {last:.1%} for the average of {n}. Without the factor 1 / (1 − p), the average would go to 1 − p times those "
          "numbers, at a distance of {p:.0%}.").format(first=distances[0], last=distances[-1], n=pictures.COUNTS[-1], p=p
        ),
    )  # fmt: skip
