"""After a weight was changed: which heads attend otherwise than before."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from explorer.exhibits.heads.head_patterns import Padding
from explorer.i18n import _, n_
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_run import run_of
from explorer.pictures.exhibit import Kind, numbers
from explorer.ui.format import small
from transformer_core.analysis.run import Run
from transformer_core.model.stages import AttentionKind

_LEAST = 0.01  # of a word's attention, for a head to count

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers()
def moved_attention(run: Run, kind: Kind, patterns_padding: Padding = 0) -> np.ndarray:
    """By how much the weights of each head differ at most from those of the model without changes, which reads the same words.
    Shape: (layer, head)
    """
    now, before = (each.padded(patterns_padding, patterns_padding) for each in (run, run.original))
    layers = range(run.cfg.n_layers)
    moved = [np.abs(now.attention(kind, i)["weights"] - before.attention(kind, i)["weights"]) for i in layers]
    return np.stack([each.max(axis=(1, 2)) for each in moved])


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel, kinds: Sequence[AttentionKind], layer: int | None = None, padding: int = 0) -> None:
    """Says how many heads of these attentions, of one layer or of all, attend otherwise since weights were changed; nothing
    where something is cut as well."""
    if not shown.choice.edits or shown.choice.cuts:
        return
    run = run_of(shown)
    moved = np.concatenate([moved_attention(run, kind, padding) for kind in kinds])
    if layer is not None:
        moved = moved[layer : layer + 1]
    if not moved.any():
        words = n_(
            "Every number here is as it was: none depends on the weight that you changed.",
            "Every number here is as it was: none depends on the {n} weights that you changed.",
            len(shown.choice.edits),
        ).format(n=len(shown.choice.edits))
        if shown.answer != shown.original.answer:
            words = _("{said} The answer has changed all the same.").format(said=words)
        st.markdown(words)
        return
    n, top = int((moved >= _LEAST).sum()), small(float(moved.max()), 2)
    if not n:
        words = _(
            "Since the change, no head gives any word as much as {least} more or less attention than before; the largest "
            "difference is {top}. Before and after, the model reads the same words."
        )
        st.markdown(words.format(least=_LEAST, top=top))
        return
    words = n_(
        "Since the change, **{n} of {all} heads** gives some word at least {least} more or less attention than before; the "
        "largest difference is {top}. Before and after, the model reads the same words.",
        "Since the change, **{n} of {all} heads** give some word at least {least} more or less attention than before; the "
        "largest difference is {top}. Before and after, the model reads the same words.",
        n,
    )
    st.markdown(words.format(n=n, all=moved.size, least=_LEAST, top=top))
