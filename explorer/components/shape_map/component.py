"""The model as built, each tensor a block with its sides in proportion, from the tokens to the probabilities.

The blocks are small and sent with the picture; the numbers of a block are sent when it is selected. The browser, which has
drawn the former setting, finds what has grown since.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import streamlit as st

from explorer.components import register
from explorer.components.shared.arrays import pack
from explorer.figures.matrix import describe
from explorer.figures.style import palette
from explorer.i18n import _
from explorer.model_on_screen.shown_stage import PROBABILITIES, ShownStage
from transformer_core import TransformerConfig
from transformer_core.analysis.shape_map import Block, cost_of, shape_map
from transformer_core.analysis.stage_code import CodeLines
from transformer_core.model.stages import (
    CROSS_ATTENTION,
    DECODER,
    EMBEDDING,
    ENCODER,
    FEED_FORWARD,
    LOGITS,
    SELF_ATTENTION,
    STACKS,
    norm_stage,
    stacks_of,
)

_component = register("shape_map")
_TONES = {
    EMBEDDING: "embedding",
    SELF_ATTENTION: "attention",
    CROSS_ATTENTION: "attention",
    FEED_FORWARD: "feed",
    None: "output",
}
_AXES = ("batch", "src", "tgt", "head", "d_model", "d_k", "d_ff", "vocab")  # queries and keys are tokens, and d_v is d_k
_NORMS = tuple(f".{norm_stage(pre)}" for pre in (True, False))


def show(data: dict[str, Any], key: str, select: Callable[[str], None]) -> None:
    """Draws the model; `select(id)` is called when another block is selected, with "" for none.

    Args:
        data: `numbers` and `words` in one; as "selected" the `details` of the selected block, or None; as "live" its name and
            choices as a picture that follows a dragged knob (see `components.live`), or None.
    """

    def selected() -> None:
        select(str(st.session_state[key]["selected"]))

    _component(key=key, data=data, on_selected_change=selected)


def numbers(cfg: TransformerConfig, sizes: tuple[int, int, int], layer: int, sentences: tuple[str, str]) -> dict[str, Any]:
    """Returns the picture without its words: the blocks of one layer of each stack and those before and after, in groups, with
    their costs.

    Args:
        sizes: (batch, source length, target length).
        sentences: the source, and the decoder's input.
    """
    blocks = shape_map(cfg, *sizes)
    groups: dict[tuple[str, str | None], list[Block]] = {}
    for block in blocks:
        groups.setdefault((block.stack, block.part), []).append(block)
    largest = max(blocks, key=lambda block: block.count)
    axes = {axis: size for block in blocks for axis, size in block.axes}
    return {
        "columns": [
            {
                "stack": stack,
                "sentence": sentence,
                "groups": [_group(*place, of_all, layer) for place, of_all in groups.items() if place[0] == stack],
            }
            for stack, sentence in zip(STACKS, sentences, strict=True)
            if stack in stacks_of(cfg)
        ],
        "layer": layer,
        "layers": cfg.n_layers,
        "axes": [[axis, axes[axis]] for axis in _AXES if axis in axes],
        "about": {
            "n": len(blocks),
            "layers": cfg.n_layers,
            "src": sizes[1],
            "tgt": sizes[2],
            "d": cfg.d_model,
            "h": cfg.n_heads,
            "largest": largest.name,
            "count": largest.count,
        },
    }


def _group(stack: str, part: str | None, blocks: Sequence[Block], layer: int) -> dict[str, Any]:
    """Returns the blocks of one layer, their costs, and those of all layers."""
    here = [block for block in blocks if block.layer in (layer, None)]
    drawn = [_sent(block.name, block.axes) for block in here]
    if here[-1].name == LOGITS:  # the probabilities after it are no stage of the model
        drawn.append(_sent(PROBABILITIES, here[-1].axes) | {"after": True})
    return {
        "id": ".".join(filter(None, (stack, part))),
        "tone": _TONES[part],
        "in_layer": here[0].layer is not None,
        "cost": asdict(cost_of(here)),
        "norm": sum(block.parameters for block in here if block.name.endswith(_NORMS)),
        "in_all": asdict(cost_of(blocks)),
        "blocks": drawn,
    }


def _sent(name: str, axes: tuple[tuple[str, int], ...]) -> dict[str, Any]:
    return {"id": name, "label": name.rpartition(".")[2], "axes": [list(axis) for axis in axes]}


def words(causal: bool) -> dict[str, Any]:
    """Returns the words of the picture; `causal`: whether the decoder's self-attention is masked."""
    return {"palette": palette(), "texts": _texts(causal)}


def details(block: Block | None, stage: ShownStage, code: CodeLines | None, batch: int) -> dict[str, Any]:
    """Returns the data of a selected block: its numbers, its axes, its line of code, and its costs.

    Args:
        block, code: None for the probabilities, which are no stage.
    """
    values = stage.values.astype(np.float32)
    sheets = [_("head {i}").format(i=i) for i in range(len(values))] if "head" in stage.axes else []
    rows, columns = (
        given or tuple(map(str, range(n))) for given, n in zip((stage.rows, stage.columns), values.shape[1:], strict=True)
    )
    told = [describe(sheet, np.isfinite(sheet), rows, columns) for sheet in values]
    return {
        "id": stage.name,
        "values": pack(values),
        "rows": list(stage.rows),
        "columns": list(stage.columns),
        "is_share": stage.is_share,
        "sheets": sheets,
        "alt": "; ".join([f"{name}: {words}" for name, words in zip(sheets, told, strict=True)] if sheets else told),
        "note": _what_is_shown(stage, batch),
        "code": "" if code is None else code.text,
        "place": "" if code is None else _("{function}, line {line} of {module}").format(**vars(code)),
        "cost": _cost(block),
    }


def _what_is_shown(stage: ShownStage, batch: int) -> str:
    """Says which of the tensor's numbers are on screen, if not all are."""
    sentence = (
        [_("The numbers are those of the sentence pair on screen, one of {n} in the batch.").format(n=batch)]
        if batch > 1
        else []
    )
    rows, columns = stage.values.shape[1:]
    if stage.axes[-1] == "vocab":
        sentence.append(_("Columns: the {n} tokens with the largest values, of {all:,}.").format(n=columns, all=stage.whole[1]))
    elif (rows, columns) != stage.whole:
        sentence.append(
            _("Shown: the first {rows} of {all_rows} rows, and the first {columns} of {all_columns:,} columns.").format(
                rows=rows, all_rows=stage.whole[0], columns=columns, all_columns=stage.whole[1]
            )
        )
    return " ".join(sentence)


def _cost(block: Block | None) -> list[str]:
    if block is None:
        return [_("The softmax of the logits: it belongs to choosing the next token, and is not counted with the model.")]
    facts = [_("{n:,} numbers").format(n=block.count), _("{n:,} bytes").format(n=block.bytes)]
    if block.flops:
        facts.append(_("{n:,} operations").format(n=block.flops))
    if block.shared_from is not None:
        facts.append(_("made with the matrix of {stage}").format(stage=block.shared_from))
    if block.parameters:
        facts.append(_("made with {n:,} parameters").format(n=block.parameters))
    return facts


def _texts(causal: bool) -> dict[str, Any]:
    """Returns every text that the browser writes; placeholders are filled in there."""
    own = _("masked self-attention") if causal else _("self-attention")
    return {
        "stacks": {ENCODER: _("encoder"), DECODER: _("decoder")},
        "groups": {
            f"{ENCODER}.{EMBEDDING}": _("embedding"),
            f"{ENCODER}.{SELF_ATTENTION}": _("self-attention"),
            f"{ENCODER}.{FEED_FORWARD}": _("feed-forward"),
            ENCODER: _("the encoder's output"),
            f"{DECODER}.{EMBEDDING}": _("embedding"),
            f"{DECODER}.{SELF_ATTENTION}": own,
            f"{DECODER}.{CROSS_ATTENTION}": _("cross-attention"),
            f"{DECODER}.{FEED_FORWARD}": _("feed-forward"),
            DECODER: _("the decoder's output"),
        },
        "notes": {f"{DECODER}.{CROSS_ATTENTION}": _("k and v from the encoder")},
        "part": _("{stack}: {part}"),
        "about": _(
            "The model as {n} tensors: {layers} encoder layers and {layers} decoder layers, {src} source tokens, {tgt} target "
            "tokens, d_model {d}, {h} heads. The largest tensor is {largest}, with {count} numbers."
        ),
        "cost": _("{parameters} parameters · {bytes} bytes"),
        "with_norm": _("{parameters} parameters, and {norm} of its norm · {bytes} bytes"),
        "totals": {
            "parameters": [_("parameters"), _("{n} parameters")],
            "bytes": [_("memory of the tensors"), _("{n} bytes")],
            "flops": [_("operations"), _("{n} operations")],
        },
        "layer": _("layer {i}"),
        "repeat": _("× {n}: all layers have these shapes"),
        "sums": _("What it adds up to, all layers together"),
        "axis": _("{name} {size}"),
        "block": _("{name}: {axes}"),
        "grew": _("{name} grew from {before} to {now}"),
        "shrank": _("{name} shrank from {before} to {now}"),
        "told": _("Compared with the setting before: {changes}. Blocks with a changed side: {n} of {all}."),
        "separator": _(", "),
        "hint": _("Click a block to see its numbers."),
        "loading": _("Fetching its numbers …"),
        "close": _("Close"),
        "axes": {
            "batch": _("sentence pairs in the batch"),
            "src": _("tokens of the source"),
            "tgt": _("tokens of the target so far"),
            "query": _("tokens that look"),
            "key": _("tokens that are looked at"),
            "head": _("heads, each a sheet"),
            "d_model": _("numbers for each token: the model's width"),
            "d_k": _("numbers of a query or key in one head"),
            "d_v": _("numbers of a value in one head"),
            "d_ff": _("units of the feed-forward network"),
            "vocab": _("tokens of the vocabulary"),
        },
    }
