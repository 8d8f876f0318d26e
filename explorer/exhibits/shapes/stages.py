"""The model as built, tensor by tensor: first as blocks whose sides are in proportion, then as a list."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from explorer.components import shape_map
from explorer.exhibits.shapes.sizes import sizes_of
from explorer.i18n import _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_stage import PROBABILITIES, shown_stage
from explorer.pictures.model import BlockChoices
from explorer.pictures.model import blocks as blocks_picture
from explorer.session import current
from explorer.ui import document, pickers
from explorer.ui.fragment import fragment
from explorer.ui.widgets import address_value, set_next
from transformer_core import Transformer, TransformerConfig
from transformer_core.analysis import shape_map as blocks
from transformer_core.analysis.accounting import stage_shapes
from transformer_core.analysis.stage_code import stage_code
from transformer_core.model.stages import (
    DECODER,
    ENCODER,
    FEED_FORWARD,
    MEMORY,
    OUTPUT,
    SELF_ATTENTION,
    SublayerPath,
    at_layer,
    embedding_stage,
    norm_stage,
    parse_stage,
)


def draw(shown: ShownModel) -> None:
    """Draws the part."""
    picture = st.container()
    with pickers.line():
        layer = pickers.which_layer(shown.cfg, _("all layers have the same shapes"))
    sizes = sizes_of(shown)
    with picture:
        _model(shown, sizes, layer)
    document.details("stages", lambda: _list(shown.cfg, sizes, layer))


@fragment  # selecting a block concerns nothing else on the page
def _model(shown: ShownModel, sizes: tuple[int, int, int], layer: int) -> None:
    every = {block.name: block for block in blocks.shape_map(shown.cfg, *sizes)}
    named = {"", PROBABILITIES, *every}
    chosen = at_layer(
        str(address_value("stages_block", "", lambda text: text if at_layer(text, layer) in named else None)), layer
    )
    data = shape_map.numbers(shown.cfg, sizes, layer, shown.sentences) | shape_map.words(shown.cfg)
    live = blocks_picture.live(BlockChoices(layer, beside=sizes[0] - 1))
    shape_map.show(
        data | {"selected": _details(shown, every, chosen, sizes[0]), "live": live},
        "shape-map",
        select=lambda stage: set_next("stages_block", stage),
    )
    batch, tokens = sizes[0], len(shown.read)
    document.caption(
        _(
            "each block is a table of numbers, and below it stand its sizes. ({batch}, {src}, {d}) is {batch} × {src} tokens "
            "with {d} numbers each; of four sizes, the second counts the heads, drawn as sheets. ▲ and ▼ mark what has just "
            "grown or shrunk."
        ).format(batch=batch, src=tokens, d=shown.cfg.d_model)
    )


def _details(shown: ShownModel, every: Mapping[str, blocks.Block], name: str, batch: int) -> dict[str, Any] | None:
    """Returns the details of the selected block; None if none is selected."""
    if not name:
        return None
    code = stage_code(shown.cfg, name) if name in every else None
    return shape_map.details(every.get(name), shown_stage(shown, name), code, batch, shown.cfg.has_encoder)


def _list(cfg: TransformerConfig, sizes: tuple[int, int, int], layer: int) -> None:
    document.caption(
        _(
            "in the picture, a side is as long as the square root of its size: four times as many tokens make it twice as "
            "long. The last block, **logits**, comes from the *linear* layer: at each place a score for each of the {vocab:,} "
            "tokens of the vocabulary."
        ).format(vocab=cfg.tgt_vocab)
    )
    document.section(_("Every stage, in order"))
    every = stage_shapes(cfg, *sizes)
    listed = [stage for stage in every if parse_stage(stage.name).layer in (layer, None)]
    session = current()
    before, session.last_shapes = session.last_shapes, {stage.name: stage.shape for stage in every}
    changed = [stage.name in before and before[stage.name] != stage.shape for stage in listed]
    st.dataframe(
        {
            _("changed"): ["●" if mark else "" for mark in changed],
            _("stage"): [stage.name for stage in listed],
            _("axes"): ["(" + ", ".join(stage.axes) + ")" for stage in listed],
            _("shape"): [str(stage.shape) for stage in listed],
        },
        hide_index=True,
        height=35 * len(listed) + 40,
        column_config={_("changed"): st.column_config.TextColumn(width=70)},
    )
    document.caption(
        _(
            "one row per tensor, from first to last; the name says where in the model it arises. ● marks a shape that the last "
            "change has changed: {n} of {all}."
        ).format(n=sum(changed), all=len(listed))
    )
    _kept(cfg, {stage.name: stage.shape for stage in every})
    document.try_this(
        _(
            "Change the number of **heads** (a power of 2): shapes change (●), and with this score the number of parameters, "
            "too."
        )
        if cfg.has_score_weights
        else _("Change the number of **heads** (a power of 2): shapes change (●), the number of parameters does not."),
        _(
            "Type a longer source: the encoder's scores and weights grow with the square of its length, its other tensors in "
            "proportion. And in the decoder?"
        )
        if cfg.has_encoder
        else _("Type a longer text: scores and weights grow with the square of its length, all other tensors in proportion."),
    )
    document.the_code(blocks.shape_map, stage_code, Transformer)


def _kept(cfg: TransformerConfig, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Says that the input of the first stack, its parts' outputs and its output have one shape."""
    handed = "residual" if cfg.norm == "pre" else norm_stage(pre=False)
    stack, end = (ENCODER, MEMORY) if cfg.has_encoder else (DECODER, OUTPUT)
    parts = [SublayerPath(stack, i, part) for i in range(cfg.n_layers) for part in (SELF_ATTENTION, FEED_FORWARD)]
    chain = [embedding_stage(stack, "sum"), *(part.stage(handed) for part in parts), end]
    st.code("\n→ ".join(f"{name} {shapes[name]}" for name in chain), language=None, wrap_lines=True)
    inside = [parts[0].stage("scores"), parts[1].stage("hidden")]
    words = _(
        "**the encoder keeps its shape**: what enters it, what each of its {n} parts hands to the next, and what leaves it "
        "are {shape}. Inside a part there are others: `{scores}` is {a}, `{hidden}` is {b}. Only because a part "
        "gives back the shape that it was given can its input be added to its output, and can layers be stacked."
    )
    if not cfg.has_encoder:
        words = _(
            "**the shape is kept**: what enters the first layer, what each of the {n} parts hands to the next, and what leaves "
            "the last are {shape}. Inside a part there are others: `{scores}` is {a}, `{hidden}` is {b}. Only because a part "
            "gives back the shape that it was given can its input be added to its output, and can layers be stacked."
        )
    document.caption(
        words.format(
            n=len(parts),
            shape=" · ".join(sorted({str(shapes[name]) for name in chain})),
            scores=inside[0],
            a=shapes[inside[0]],
            hidden=inside[1],
            b=shapes[inside[1]],
        )
    )
