"""The logit lens: the next word as read from the decoder part by part, and from the encoder layer by layer."""

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from explorer.exhibits.shared import measuring
from explorer.exhibits.shared.measuring import Several
from explorer.figures.lines import bars
from explorer.i18n import _, n_
from explorer.model_on_screen.held_out import count_of
from explorer.model_on_screen.lenses import early_answers, early_shares_right, readings
from explorer.model_on_screen.right_answers import answer_text
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures import lens as pictures
from explorer.ui import document, navigation
from explorer.ui.format import share_words
from explorer.ui.minimap import highlight
from transformer_core.analysis.decoder_lens import DecoderLens, after_layers
from transformer_core.analysis.logit_lens import Reading, logit_lens, settled
from transformer_core.data.tasks import Task
from transformer_core.model.config import TransformerConfig
from transformer_core.model.transformer import Transformer


def draw(shown: ShownModel) -> None:
    """Draws the words read after each part of the decoder, and the decoder's answers when the encoder stops early."""
    highlight("decoder.self_attn", "decoder.cross_attn", "decoder.feed_forward", "linear", "softmax")
    st.markdown(
        _(
            "The decoder passes a vector from part to part, and only the last one goes to the output. The **logit "
            "lens** sends each of them there, as if nothing followed: which word would the model write if it stopped "
            "here?"
        )
    )
    if not shown.cfg.residual:
        st.info(
            _(
                "This model has no residual connections: the output of a part replaces its input, and nothing ties the vectors "
                "before the last one to the output. Words that are read there are not meaningful."
            )
        )
    lens = readings(shown)
    document.picture(pictures.logit_lens(shown), _how_to_read(shown))
    st.markdown(_settled(shown, lens))
    document.details("logit_lens", lambda: _details(shown))


def _details(shown: ShownModel) -> None:
    _used(shown)
    if shown.cfg.has_encoder:
        document.section(_("An encoder that stops early"))
        _encoder(shown)
    document.formula(
        r"p_l=\mathrm{softmax}\big(W\,\mathrm{LN}(x_l)+b\big)"
        if shown.cfg.has_final_norm
        else r"p_l=\mathrm{softmax}\big(W\,x_l+b\big)",
        _source_of_formula(shown.cfg),
    )
    document.try_this(
        _("Find a word that changes on its way down. After which part does the right one come out on top?"),
        _("Move the step of learning back: does the right word come out later, or not at all?"),
        _("On the page Heads, cut out a head of the layer in which a word appears: is it still read there, and still written?"),
    )
    if shown.cfg.has_encoder:
        document.the_code(logit_lens, Transformer.predict, settled, DecoderLens, after_layers)
    else:
        document.the_code(logit_lens, Transformer.predict, settled)


def _source_of_formula(cfg: TransformerConfig) -> str:
    if not cfg.has_encoder:
        return (
            _(
                "x is the vector after a part, LN the norm at the end, W and b the output of the model. The idea: "
                "nostalgebraist, 2020."
            )
            if cfg.has_final_norm
            else _(
                "x is the vector after a part, W and b the output of the model, which has no norm at its end. The idea: "
                "nostalgebraist, 2020."
            )
        )
    return (
        _(
            "x is the vector after a part, LN the norm at the end of the stack, W and b the output of the model. The idea: "
            "nostalgebraist, 2020; for the encoder, with the decoder in place of W: Langedijk et al., 2023 (DecoderLens)."
        )
        if cfg.has_final_norm
        else _(
            "x is the vector after a part, W and b the output of the model, which has no norm at the end of the stack. The "
            "idea: nostalgebraist, 2020; for the encoder, with the decoder in place of W: Langedijk et al., 2023 (DecoderLens)."
        )
    )


def _how_to_read(shown: ShownModel) -> str:
    words = _(
        "each column is a position; from top to bottom its vector passes the parts of the decoder. A cell shows the "
        "word that is most probable when the vector after that part goes to the output at once, and its probability. "
        "The last row is what the model writes. The columns are named by the words that the decoder is given and should "
        "write, whatever it would write itself."
    )
    if shown.cfg.norm == "pre":
        return words
    return _("{words} In this post-norm model the vector after a part has passed a norm; the embedding has not.").format(
        words=words
    )


def _settled(shown: ShownModel, lens: list[Reading]) -> str:
    """Says after which part each position's final word stays the likeliest."""
    since, last = settled(lens), len(lens) - (len(lens) - 1) // shown.cfg.n_layers
    at_once, late = int((since == 0).sum()), int((since >= last).sum())
    n = len(since)
    return n_(
        "Of {n} position, the word of the last row is the most probable one in all rows at {at_once}, from a later row before "
        "the last layer on at {between}, and only in the last layer at {late}.",
        "Of {n} positions, the word of the last row is the most probable one in all rows at {at_once}, from a later row before "
        "the last layer on at {between}, and only in the last layer at {late}.",
        n,
    ).format(n=n, at_once=at_once, between=n - at_once - late, late=late)


def _used(shown: ShownModel) -> None:
    words = [
        _(
            "**Readable does not mean used.** That a word can be read from a vector does not show that the parts below take "
            "it from there, nor that it is decided. The test is to cut a head or a link out and to see whether the answer "
            "changes."
        )
    ]
    if shown.cfg.norm == "pre" and shown.cfg.residual:
        words.append(
            _("In a pre-norm model like this one, a row is exactly what is written when all parts below it are cut out.")
        )
    st.markdown(" ".join(words))
    navigation.link("heads", _("Cut on the page Heads"))


def _encoder(shown: ShownModel) -> None:
    """Draws the DecoderLens: answers to the sentence on screen, and the share right on held-out sequences."""
    if not shown.cfg.cross_attention:
        st.info(_("This model has no cross-attention: its decoder is not given what the encoder puts out."))
        return
    st.markdown(
        _(
            "For the encoder, whose vectors stand for no words to be written, the decoder itself is the lens "
            "(DecoderLens): it is given the vectors that the encoder has after some of its layers, and writes its whole "
            "answer from them."
        )
    )
    _answers(shown)

    def find(task: Task, left: Callable[[], float]) -> Several[float]:
        return Several(early_shares_right(shown.choice, task, left()))

    label = _("Measure on {n} held-out sequences").format(n=count_of(shown.taught))
    measuring.draw("lens", shown, [shown.choice], find, lambda now: _shares(shown, now.found), label)


def _encoder_depths(shown: ShownModel) -> list[str]:
    n = shown.cfg.n_layers
    return [_("embedding"), *(_("layer {layer}").format(layer=layer) for layer in range(n - 1)), _("all layers")]


def _answers(shown: ShownModel) -> None:
    st.dataframe(
        {
            _("encoder stops after"): _encoder_depths(shown),
            _("answer"): [answer_text(shown, answer) or "…" for answer in early_answers(shown)],
        },
        hide_index=True,
    )
    document.caption(
        _(
            "one row per layer after which the encoder stops; the decoder is whole, and decodes greedily. The last row is the "
            "model itself."
        )
        if not shown.cfg.has_final_norm
        else _(
            "one row per layer after which the encoder stops; its vectors then pass the norm at the end of the encoder. The "
            "decoder is whole, and decodes greedily. The last row is the model itself."
        )
    )


def _shares(shown: ShownModel, shares: Sequence[float | None]) -> None:
    depths = _encoder_depths(shown)
    known = [(depth, each) for depth, each in zip(depths, shares, strict=True) if each is not None]
    if not known:
        return
    values, n = np.array([each for _depth, each in known]), count_of(shown.taught)
    document.picture(
        bars([depth for depth, _each in known], {_("right"): values}, y_title=_("share right"), height=260),
        _(
            "the share of {n} held-out sequences that greedy decoding answers right when the encoder stops there; with 95% "
            "intervals (Wilson): {shares}."
        ).format(n=n, shares="; ".join(f"{depth} {share_words(each, n)}" for depth, each in known)),
        "decoder-lens",
    )
