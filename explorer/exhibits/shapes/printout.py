"""The numbers and shapes that lecture notes print while they build a model, from the real forward pass, for chosen sizes."""

import streamlit as st

from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.pictures import printout as pictures
from explorer.ui import document
from explorer.ui.widgets import choose, slider
from transformer_core import TransformerConfig
from transformer_core.analysis.accounting import stage_shapes
from transformer_core.analysis.printed_numbers import printed_numbers


def draw(shown: ShownModel) -> None:
    """Draws the part, with controls for its sizes, which are not those of the sidebar."""
    places = st.columns(5)
    batch = slider("print_batch", _("batch size"), 1, pictures.MOST_ROWS, 2, place=places[0])
    length = slider("print_length", _("tokens per sentence"), 1, pictures.LONGEST, 4, place=places[1])
    ends = pictures.WIDTHS[0], pictures.WIDTHS[-1]
    width = slider("print_width", "d_model", *ends, 512, step=pictures.WIDTHS.step, place=places[2])
    p = slider("print_dropout", _("dropout p"), 0.0, pictures.MOST_DROPPED, 0.1, step=0.05, place=places[3])
    with places[4]:
        heads = choose("print_heads", _("heads"), pictures.HEADS)
    choices = pictures.PrintoutChoices(batch, length, width, p, heads)
    _embedded(shown, choices)

    def more() -> None:
        st.markdown(
            _(
                "Lecture notes print numbers and shapes while they build a model with random weights. Here are these printouts "
                "from the real forward pass, for sizes of your choice."
            )
        )
        _more(shown, choices)

    document.details("printout", more)


def _more(shown: ShownModel, choices: pictures.PrintoutChoices) -> None:
    _weights(shown, choices)
    _shapes(pictures.config_of(shown, choices), choices.print_batch, choices.print_length)
    document.try_this(
        _("Choose one head: its weights are (batch, 1, query, key), as notes print them for a single attention."),
        _("Change the number of tokens: only the tensors with both axes, query and key, grow in two directions."),
    )
    document.the_code(stage_shapes, printed_numbers)


def _embedded(shown: ShownModel, choices: pictures.PrintoutChoices) -> None:
    """Draws the embedded tokens."""
    width, p = choices.print_width, choices.print_dropout
    st.markdown(f"**{_('Embedding + position, after dropout')}**")
    document.picture(
        pictures.embedded(shown, choices),
        _("the first {n} of {d} numbers of each token of the first sentence. What was dropped is printed as 0; the others are "
          "1 / (1 − p) = {factor:.3f} times what they were.").format(
              n=min(pictures.COLUMNS, width), d=width, factor=1 / (1 - p)),
    )  # fmt: skip


def _weights(shown: ShownModel, choices: pictures.PrintoutChoices) -> None:
    """Draws the weights that such notes print."""
    length, p = choices.print_length, choices.print_dropout
    st.markdown(
        _(
            "Two things in such numbers look odd: weights that are all the same, and zeros that nobody has put there. The "
            "first come from a mask that is all zeros and so masks **every** key, the second from **dropout**."
        )
    )
    even = 1 / length
    weights = (
        (_("No mask"), pictures.weights, _("the attention weights of head 0: each row adds up to 1.")),
        (_("A mask of zeros, −1e9"), pictures.blocked,
         _("every score is −1e9, so all are equal: each weight is 1 / {length} = {even:.4g}, whatever the words are.").format(
             length=length, even=even)),
        (_("The same after dropout"), pictures.blocked_and_dropped,
         _("what was dropped is printed as 0; the others are {even:.4g} / (1 − p) = {grown:.4g}.").format(
             even=even, grown=even / (1 - p))),
    )  # fmt: skip
    for place, (title, picture, words) in zip(st.columns(3), weights, strict=True):
        with place:
            st.markdown(f"**{title}**")
            document.picture(picture(shown, choices), words)


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
