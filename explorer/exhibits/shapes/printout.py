"""The numbers and shapes that lecture notes print while they build a model, from the real forward pass, for chosen sizes."""

from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import streamlit as st
import torch

from explorer.figures.matrix import Matrices, matrix
from explorer.i18n import _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.exhibit import drawn, numbers_of_choices, numbers_of_sizes
from explorer.pictures.registry import Ends, OneOf
from explorer.ui import document
from explorer.ui.widgets import choose, slider
from transformer_core.analysis.accounting import stage_shapes
from transformer_core.analysis.dropout_effect import dropped
from transformer_core.model.config import TransformerConfig
from transformer_core.model.stages import attention_kinds, attention_path, embedding_stage
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer

MOST_ROWS, LONGEST, MOST_DROPPED = 16, 32, 0.5  # the ends of the knobs
HEADS = (8, 1, 2, 4)
WIDTHS = range(8, 1024 + 1, 8)
COLUMNS = 12  # numbers of each embedded token that are drawn
SEED = 0  # of weights, tokens and dropout

Rows = Annotated[int, Ends(1, MOST_ROWS)]
Length = Annotated[int, Ends(1, LONGEST)]
Width = Annotated[int, OneOf(WIDTHS)]
Share = Annotated[float, Ends(0.0, MOST_DROPPED)]
HeadCount = Annotated[int, OneOf(HEADS)]

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers_of_sizes()
def printed_embedded(
    cfg: TransformerConfig,
    print_batch: Rows,
    print_length: Length,
    print_width: Width,
    print_dropout: Share,
    print_heads: HeadCount,
) -> np.ndarray:
    """Random tokens, embedded with random weights, after dropout, as lecture notes print them. Shape: (token, d_model)"""
    embedded = first_sentence(small(cfg, print_length, print_width, print_heads), print_batch, print_length)
    return dropped(embedded[0], print_dropout, SEED)


@numbers_of_sizes()
def printed_weights(
    cfg: TransformerConfig,
    print_batch: Rows,
    print_length: Length,
    print_width: Width,
    print_dropout: Share,
    print_heads: HeadCount,
) -> np.ndarray:
    """Attention weights of random tokens, those of head 0, as lecture notes print them. Shape: (query, key)"""
    return first_sentence(small(cfg, print_length, print_width, print_heads), print_batch, print_length)[1]


@numbers_of_choices()
def printed_blocked(
    print_batch: Rows, print_length: Length, print_width: Width, print_dropout: Share, print_heads: HeadCount
) -> np.ndarray:
    """Attention weights where every score is -1e9, as lecture notes print them. Shape: (query, key)"""
    scores = torch.full((print_length, print_length), -1e9)
    return scores.softmax(dim=-1).numpy()


@numbers_of_choices()
def printed_dropped(
    print_batch: Rows, print_length: Length, print_width: Width, print_dropout: Share, print_heads: HeadCount
) -> np.ndarray:
    """Attention weights where every score is -1e9, after dropout, as lecture notes print them. Shape: (query, key)"""
    weights = printed_blocked(print_batch, print_length, print_width, print_dropout, print_heads)
    return dropped(weights, print_dropout, SEED)


def small(cfg: TransformerConfig, length: int, width: int, heads: int) -> TransformerConfig:
    """The model in the sizes that were chosen, with one layer: all have the same shapes."""
    return replace(cfg, d_model=width, n_heads=heads, d_ff=4 * width, n_layers=1, max_len=length, tgt_max_len=None)


@numbers_of_sizes()
def first_sentence(cfg: TransformerConfig, batch: int, length: int) -> tuple[np.ndarray, np.ndarray]:
    """The first sentence of a batch of random tokens in an encoder, or a decoder alone, with random weights: its embedded
    tokens, and the weights of head 0 of its first attention. Shape: (token, d_model), (query, key)
    """
    luck = torch.Generator().manual_seed(SEED)
    model = Transformer(cfg, luck).eval()
    ids = torch.randint(1, cfg.read_vocab, (batch, length), generator=luck)
    with torch.inference_mode(), Trace() as trace:
        if cfg.has_encoder:
            model.encode(ids)
        else:
            model(ids[:, :0], ids)
    first = attention_kinds(cfg)[0]  # "encoder", or "decoder"
    embedded = trace[embedding_stage(first, "sum")]  # (batch, token, d_model)
    weights = trace[attention_path(first, 0).stage("weights")]  # (batch, head, query, key)
    return embedded[0].clone().numpy(), weights[0, 0].clone().numpy()  # without the rest of the batch, which a view would keep


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(printed_embedded)
def _draw_embedded(values: np.ndarray, _shown: ShownModel, *, print_width: int, **_chosen: float) -> Matrices:
    n = min(COLUMNS, print_width)
    return _of_tokens(values[:, :n], columns=n, column_title=_("dimension"), signed=True)


@drawn(printed_weights, printed_blocked, printed_dropped)
def _draw_weights(values: np.ndarray, _shown: ShownModel, **_chosen: float) -> Matrices:
    return _of_tokens(values, columns=len(values), column_title=_("key"))


def _of_tokens(values: np.ndarray, **columns: Any) -> Matrices:
    return matrix(values, rows=len(values), row_title=_("token"), cell=30, **columns)


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    """Draws the part, with controls for its sizes, which are not those of the sidebar."""
    places = st.columns(5)
    batch = slider("print_batch", _("batch size"), 1, MOST_ROWS, 2, place=places[0])
    length = slider("print_length", _("tokens per sentence"), 1, LONGEST, 4, place=places[1])
    width = slider("print_width", "d_model", WIDTHS[0], WIDTHS[-1], 512, step=WIDTHS.step, place=places[2])
    p = slider("print_dropout", _("dropout p"), 0.0, MOST_DROPPED, 0.1, step=0.05, place=places[3])
    with places[4]:
        heads = choose("print_heads", _("heads"), HEADS)
    _embedded(shown, batch, length, width, p, heads)

    def more() -> None:
        st.markdown(
            _(
                "Lecture notes print numbers and shapes while they build a model with random weights. Here are these printouts "
                "from the real forward pass, for sizes of your choice."
            )
        )
        _details(shown, batch, length, width, p, heads)

    document.details("printout", more)


def _details(shown: ShownModel, batch: int, length: int, width: int, p: float, heads: int) -> None:
    _weights(shown, batch, length, width, p, heads)
    _shapes(small(shown.cfg, length, width, heads), batch, length)
    document.try_this(
        _("Choose one head: its weights are (batch, 1, query, key), as notes print them for a single attention."),
        _("Change the number of tokens: only the tensors with both axes, query and key, grow in two directions."),
    )
    document.the_code(stage_shapes, first_sentence, printed_embedded, printed_weights, printed_blocked, printed_dropped)


def _embedded(shown: ShownModel, batch: int, length: int, width: int, p: float, heads: int) -> None:
    """Draws the embedded tokens."""
    st.markdown(f"**{_('Embedding + position, after dropout')}**")
    document.picture(
        printed_embedded.of(shown, batch, length, width, p, heads),
        _(
            "the first {n} of {d} numbers of each token of the first sentence. What was dropped is printed as 0; the others "
            "are 1 / (1 − p) = {factor:.3f} times what they were."
        ).format(n=min(COLUMNS, width), d=width, factor=1 / (1 - p)),
    )


def _weights(shown: ShownModel, batch: int, length: int, width: int, p: float, heads: int) -> None:
    """Draws the weights that such notes print."""
    st.markdown(
        _(
            "Two things in such numbers look odd: weights that are all the same, and zeros that nobody has put there. The "
            "first come from a mask that is all zeros and so masks **every** key, the second from **dropout**."
        )
    )
    even, chosen = 1 / length, (batch, length, width, p, heads)
    weights = (
        (
            _("No mask") if shown.cfg.has_encoder or not shown.cfg.causal else _("The causal mask"),
            printed_weights.of(shown, *chosen),
            _("the attention weights of head 0: each row adds up to 1."),
        ),
        (
            _("A mask of zeros, −1e9"),
            printed_blocked.of(shown, *chosen),
            _(
                "every score is −1e9, so all are equal: each weight is 1 / {length} = {even:.4g}, whatever the words are."
            ).format(length=length, even=even),
        ),
        (
            _("The same after dropout"),
            printed_dropped.of(shown, *chosen),
            _("what was dropped is printed as 0; the others are {even:.4g} / (1 − p) = {grown:.4g}.").format(
                even=even, grown=even / (1 - p)
            ),
        ),
    )
    for place, (title, picture, words) in zip(st.columns(3), weights, strict=True):
        with place:
            st.markdown(f"**{title}**")
            document.picture(picture, words)


def _shapes(cfg: TransformerConfig, batch: int, length: int) -> None:
    """Draws the shapes that such notes print."""
    document.section(_("The shapes that are printed"))
    st.markdown(
        _(
            "For two sentences of four tokens and d_model 512, ids (2, 4) become (2, 4, 512) and stay so to the end of the "
            "stack; the attention weights of one head are (2, 4, 4). With the sizes chosen above:"
        )
    )
    stages, first = stage_shapes(cfg, batch, length if cfg.has_encoder else 0, length), "src" if cfg.has_encoder else "tgt"
    names = [first, *(stage.name for stage in stages)]
    of_one_head = [str((stage.shape[0], *stage.shape[2:])) if stage.axes[:2] == ("batch", "head") else "" for stage in stages]
    st.dataframe(
        {
            _("stage"): names,
            _("axes"): [f"(batch, {first})", *("(" + ", ".join(stage.axes) + ")" for stage in stages)],
            _("shape"): [str((batch, length)), *(str(stage.shape) for stage in stages)],
            _("of one head"): ["", *of_one_head],
        },
        hide_index=True,
        height=35 * len(names) + 40,
        key="printout",
    )
    kept = sum(stage.shape == (batch, length, cfg.d_model) for stage in stages)
    words = _(
        "from first to last, with one layer in each stack. {n} of {all} tensors have the shape {shape}, that of the "
        "embedded input."
    )
    if not cfg.has_encoder:
        words = _(
            "from first to last, with one layer. {n} of {all} tensors have the shape {shape}, that of the embedded input."
        )
    document.caption(words.format(n=kept, all=len(stages), shape=(batch, length, cfg.d_model)))
