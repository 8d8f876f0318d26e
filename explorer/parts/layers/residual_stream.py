"""One token's vector, sublayer by sublayer: how long it is, what is added to it, how far it turns."""

import numpy as np
import streamlit as st

from explorer import controls, document
from explorer.figures.lines import bars, curves
from explorer.figures.matrix import matrix
from explorer.state import View
from explorer.words import _
from transformer_core.analysis.residual_stream import Sublayer, walk
from transformer_core.model.layers import DecoderLayer, EncoderLayer, ResidualConnection

PARTS = {"self_attn": _("self-attention"), "cross_attn": _("cross-attention"), "feed_forward": _("feed-forward")}
_RESULTS = {"norm": _("norm"), "output": _("{part}"), "sum": _("+")}
_DIMENSIONS = 32  # columns that are drawn


def one_words_way_part(view: View) -> None:
    """Draws the part."""
    cfg = view.cfg
    left, middle, right = st.columns(3)
    with left:
        stack = controls.choose("stack", _("which stack"), ["encoder", "decoder"])
    with middle:
        layer = controls.choose("layer", _("layer"), range(cfg.n_layers))
    controls.shows(*(f"{stack}.{part}" for part in ("self_attn", "cross_attn", "feed_forward", "norm")), layer=layer)
    labels = view.src_labels if stack == "encoder" else view.tgt_labels
    with right:
        token = controls.pick("token", _("which word"), labels)
    run = view.run()
    every = walk(run.values, cfg, stack)
    steps = [step for step in every if step.layer == layer]
    st.markdown(_("In this model a layer does, in this order: {order}.").format(order=" → ".join(_order(steps, cfg.residual))))

    rows, vectors = [_("comes in")], [steps[0].before[token]]
    for step in steps:
        for result, value in step.ordered.items():
            rows.append(_row(step, result, cfg.residual))
            vectors.append(value[token])
    if cfg.has_final_norm and layer == cfg.n_layers - 1:
        rows.append(_("norm at the end of the stack"))
        vectors.append(run["memory" if stack == "encoder" else "decoder.output"][token])
    n = min(_DIMENSIONS, cfg.d_model)
    document.figure(
        matrix(
            np.stack(vectors)[:, :n],
            rows=rows,
            columns=n,
            column_title=_("dimension (first {n} of {all})").format(n=n, all=cfg.d_model),
            signed=True,
        ),
        "way",
        _("the vector of “{word}”, one row per operation, from top to bottom. {sum}").format(
            word=labels[token],
            sum=_("A row “+” is the sum of what came in and what the part before it gives: compare the three.")
            if cfg.residual
            else _("This model has no residual sums: what a part gives takes the place of what came in."),
        ),
    )

    names = [PARTS[step.part] for step in steps]
    lengths = np.stack([step.lengths[:, token] for step in steps], axis=1)  # (before, added, after) by sublayer
    cosines = [float(step.cosine[token]) for step in steps]
    st.dataframe(
        {
            _("part"): names,
            _("length before"): [f"{x:.3f}" for x in lengths[0]],
            _("length of what it gives"): [f"{x:.3f}" for x in lengths[1]],
            _("length after"): [f"{x:.3f}" for x in lengths[2]],
            _("cosine before / after"): [_written(x) for x in cosines],
        },
        hide_index=True,
    )
    document.reading(
        _(
            "length is √(sum of squares). Cosine 1: the direction is kept; 0: it has turned by a right angle. Strongest turn: "
            "{part}."
        ).format(part=names[int(np.nanargmin(cosines))] if not np.isnan(cosines).all() else "–")
    )
    left, right = st.columns(2)
    with left:
        document.figure(
            bars(names, dict(zip([_("before"), _("given"), _("after")], lengths, strict=True)), y_title=_("length")),
            "lengths",
            _("how long the vector is before each part, what the part gives, and what goes on."),
        )
    with right:
        start = every[0].before[token : token + 1]
        document.figure(
            curves(
                np.arange(len(every) + 1),
                {_("length"): np.array([every[0].lengths[0, token], *(step.lengths[2, token] for step in every)])},
                x_title=_("parts passed, in all layers"),
                y_title=_("length of the stream"),
                markers=True,
                height=300,
            ),
            "stream",
            _("the same word through the whole stack: {a:.2f} long as it enters, {b:.2f} behind the last part.").format(
                a=float(np.linalg.norm(start)), b=float(every[-1].lengths[2, token])
            ),
        )
    inner = r"\mathrm{Sublayer}(\mathrm{LayerNorm}(x))" if cfg.norm == "pre" else r"\mathrm{Sublayer}(x)"
    total = f"x+{inner}" if cfg.residual else inner
    document.formula(
        f"y={total}" if cfg.norm == "pre" else rf"y=\mathrm{{LayerNorm}}({total})",
        _(
            "Section 3.1 of the paper. This model is built {how}, {end}; in training, dropout acts on what each part gives."
        ).format(
            how=_("pre-norm") if cfg.norm == "pre" else _("post-norm, as in the paper"),
            end=_("with one more norm behind the stack") if cfg.has_final_norm else _("with no norm behind the stack"),
        ),
    )
    document.try_this(
        _(
            "Switch **norm** in the sidebar between “pre” and “post”: the order changes, and with post-norm every part ends "
            "at length √d_model, as long as nothing is learned."
        ),
        _("Turn up the **layers** and watch the length of the stream from part to part."),
        _("Choose the decoder: it has a third part, which reads the encoder’s output."),
    )
    document.the_code(EncoderLayer, DecoderLayer, ResidualConnection, walk)


def _order(steps: list[Sublayer], residual: bool) -> list[str]:
    return [_row(step, result, residual) for step in steps for result in step.ordered if result != "sum" or residual]


def _row(step: Sublayer, result: str, residual: bool) -> str:
    if result == "sum" and not residual:
        return _("goes on (no sum)")
    return _RESULTS[result].format(part=PARTS[step.part])


def _written(cosine: float) -> str:
    return "–" if np.isnan(cosine) else f"{cosine:.3f}"
