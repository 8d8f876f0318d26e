"""One answer, step by step: the probability of each next token, the one that is taken, and what the decoder attends to."""

import math
from typing import NamedTuple

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.exhibits.decoding import decoding_options, forcing, next_word, right_answers
from explorer.figures.matrix import Matrices
from explorer.i18n import _
from explorer.model_on_screen.decoding import DecodingOptions, GeneratedStep, token_texts
from explorer.model_on_screen.forward import ModelChoice, forward_pass
from explorer.model_on_screen.right_answers import Truth, truth_of
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.decoding import RowChoices, row, row_of, row_of_step
from explorer.pictures.next_word import step_choices
from explorer.pictures.registry import Drawn
from explorer.ui import document, more, pickers
from explorer.ui.format import percent
from explorer.ui.widgets import choose, set_next, slider
from transformer_core.model.cache import CachedDecoder
from transformer_core.model.decoding import decode_steps, sampling_probabilities
from transformer_core.model.stages import LOGITS, MEMORY


class _Seen(NamedTuple):
    """The state of the screen: the options of decoding, its steps and those of the model at step 0, and the step, from 0."""

    options: DecodingOptions
    generated: list[GeneratedStep]
    other: list[GeneratedStep] | None
    step: int
    truth: Truth | None


def draw(shown: ShownModel) -> None:
    """Draws the part. Raises InputError where a model from a file cannot read or generate what it would have to."""
    picture, drawn = st.container(), False

    def more() -> None:
        nonlocal drawn
        drawn = True
        below = st.container()
        with picture:
            seen = _first(shown, below)  # with what is typed below it
        _details(shown, *seen)

    document.details("generation", more)
    if not drawn:
        with picture:
            _first(shown, None)


def _first(shown: ShownModel, below: DeltaGenerator | None) -> _Seen:
    """Draws the answer and the probabilities of its next word; returns what is on screen."""
    options = decoding_options.draw(shown, below)
    generated = options.generated(shown, shown.choice)
    truth = truth_of(shown)
    step = _walk(shown, generated, truth)
    other = options.generated(shown, shown.initial) if shown.initial is not None and _compared() else None
    _next_words(shown, generated, other, step, options, truth)
    return _Seen(options, generated, other, step, truth)


def _details(
    shown: ShownModel,
    options: DecodingOptions,
    generated: list[GeneratedStep],
    other: list[GeneratedStep] | None,
    step: int,
    truth: Truth | None,
) -> None:
    now, initial = generated[step], shown.initial
    right_answers.draw(shown, truth)
    next_word.table(shown, now, options, truth, other is not None)
    if other is not None:
        _side_by_side(shown, generated, other, _initial())
    forcing.draw(shown, generated, step, options, truth)
    document.section(_("What the decoder attends to at this step"))
    layer = pickers.which_layer(shown.cfg)
    drawn = row_of_step(shown, RowChoices(**step_choices(options, step), layer=layer))
    _attention(shown, shown.choice, now, layer, drawn, "cross-row", _after(shown) if other else "")
    if initial is not None and other is not None and step < len(other):
        drawn_initial = row(shown, initial, other[step], layer)
        _attention(shown, initial, other[step], layer, drawn_initial, "cross-row-initial", _initial())

    document.section(_("Shapes at this step"))
    _shapes(shown, now)
    _growing(shown, generated[: step + 1])
    document.section(_("What a KV cache keeps"))
    _cache(shown, now)
    document.formula(
        r"p(y_t\mid y_{<t},x)=\mathrm{softmax}(z_t/T)",
        _("Section 3.4 of the paper. The temperature T is not in the paper; at T = 1 this is its softmax."),
    )
    document.try_this(
        _("Force another token at step 1, and go through the steps: all that follows has read it."),
        _("Sample at temperature 0.1, then at 2: low temperatures come close to greedy, high ones spread the probability."),
        _("Sample with top-k 1: the answer is the greedy one, whatever the seed."),
    )
    document.the_code(decode_steps, sampling_probabilities, CachedDecoder)


def _next_words(
    shown: ShownModel,
    generated: list[GeneratedStep],
    other: list[GeneratedStep] | None,
    step: int,
    options: DecodingOptions,
    truth: Truth | None,
) -> None:
    """The words in question at this step; beside them those of `other`, what the same model generates at step 0."""
    if other is None:
        next_word.draw(shown, generated[step], options, truth, "step", step)
        return
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(f"**{_after(shown)}**")
        next_word.draw(shown, generated[step], options, truth, "step", step, stacked=True)
    with right:
        st.markdown(f"**{_initial()}**")
        if step < len(other):
            next_word.draw(shown, other[step], options, truth, "initial", stacked=True)
        else:
            st.caption(_("It has ended before this step."))


def _initial() -> str:
    return _("At step 0")


def _after(shown: ShownModel) -> str:
    return _("At step {n:,}").format(n=shown.learning.step)


def _compared() -> bool:
    help = _("the same model before its first step, decoded in the same way from the same source")
    titles = {"no": _("no"), "yes": _("yes")}
    with pickers.line(), more.controls():
        return choose("compare", _("compare with step 0"), ["no", "yes"], titles, help=help) == "yes"


def _walk(shown: ShownModel, generated: list[GeneratedStep], truth: Truth | None) -> int:
    """The answer as a row of tokens, and the step that is on screen, from 0."""
    step, steps = 1, len(generated)
    if steps > 1:
        row = st.container(horizontal=True, vertical_alignment="bottom")
        buttons = row.container(horizontal=True, width="content")
        step = slider("decode_step", _("step"), 1, steps, 1, place=row)
        for name, icon, to in ((_("Back"), "left", step - 1), (_("Next"), "right", step + 1)):
            buttons.button(
                name,
                icon=f":material/chevron_{icon}:",
                on_click=set_next,
                args=("decode_step", to),
                disabled=not 1 <= to <= steps,
                key=f"decode-{icon}",
            )
    wrong = truth.right_until([each.token for each in generated]) if truth is not None and truth.answers else steps
    chips = [" ".join(f"`{token}`" for token in token_texts(shown, shown.start))]
    for i, each in enumerate(generated):
        token = f"`{token_texts(shown, [each.token])[0]}`" + (" :material/pan_tool:" if each.forced else "")
        token += " :material/close:" if i == wrong else ""
        chips.append(token if i + 1 < step else f":blue-background[**{token}**]" if i + 1 == step else f":gray[{token}]")
    st.markdown(" → ".join(chips))
    if any(each.forced for each in generated):
        st.caption(_(":material/pan_tool: marks what was written by hand."))
    if wrong < steps:
        st.caption(_(":material/close: marks the first word after which no right answer is possible."))
    return step - 1


def _side_by_side(shown: ShownModel, generated: list[GeneratedStep], other: list[GeneratedStep], title: str) -> None:
    """The answers of both models, each token with its probability."""
    rows = max(len(generated), len(other))

    def column(steps: list[GeneratedStep]) -> list[str]:
        cells = [f"{token_texts(shown, [one.token])[0]} ({percent(float(one.probabilities[one.token]))})" for one in steps]
        return cells + [""] * (rows - len(steps))

    st.dataframe({_("step"): range(1, rows + 1), _after(shown): column(generated), title: column(other)}, hide_index=True)


def _attention(
    shown: ShownModel,
    choice: ModelChoice,
    now: GeneratedStep,
    layer: int,
    drawn: Drawn[Matrices] | Matrices,
    key: str,
    title: str,
) -> None:
    """The last position's row of cross-attention, head by head; of self-attention where the decoder has nothing else."""
    weights, keys, query = row_of(shown, choice, now, layer)
    head, place = map(int, np.unravel_index(weights.argmax(), weights.shape))
    if title:
        st.markdown(f"**{title}**")
    how = _(
        "the query is the last position (reads → writes: “{query}”). Each row adds up to 1. Head {head} gives {share:.0%} "
        "to “{key}”, a word of the source."
    )
    if not shown.cfg.cross_attention:
        how = _(
            "this model has no cross-attention, so this is the decoder's self-attention. The query is the last position "
            "(reads → writes: “{query}”). Each row adds up to 1. Head {head} gives {share:.0%} to “{key}”."
        )
    sentence = how.format(query=query, head=head, share=float(weights[head, place]), key=keys[place])
    document.picture(drawn, sentence, key)


def _growing(shown: ShownModel, steps: list[GeneratedStep]) -> None:
    """The list of ids that the decoder is given, and how it grows by what it has generated."""
    st.dataframe(
        {
            _("step"): range(1, len(steps) + 1),
            _("decoder input so far (ids)"): [str(list(each.given)) for each in steps],
            _("shape"): [str((1, len(each.given))) for each in steps],
            _("appended (id)"): [each.token for each in steps],
            _("appended (token)"): token_texts(shown, [each.token for each in steps]),
        },
        hide_index=True,
        key="growing",
    )
    document.caption(_("one row per step so far: what a step appends is part of the input of the next."))


def _shapes(shown: ShownModel, now: GeneratedStep) -> None:
    run = forward_pass(shown.choice, shown.src, now.given)
    rows = [
        (_("source (ids)"), (1, len(shown.src)), ("batch", "src")),
        (_("memory, the encoder's output"), (1, *run[MEMORY].shape), ("batch", *run.axes[MEMORY])),
        (_("decoder input so far (ids)"), (1, len(now.given)), ("batch", "tgt")),
        (_("logits"), (1, *run[LOGITS].shape), ("batch", *run.axes[LOGITS])),
        (_("logits of the last position"), (1, len(now.logits)), ("batch", "vocab")),
    ]
    st.dataframe(
        {
            _("tensor"): [name for name, _shape, _axes in rows],
            _("axes"): [f"({', '.join(axes)})" for _name, _shape, axes in rows],
            _("shape"): [str(shape) for _name, shape, _axes in rows],
        },
        hide_index=True,
    )
    sentence = _(
        "source and memory stay the same at every step. The decoder input and the logits grow by one position per step, and "
        "only the last row of the logits is used."
    )
    if shown.cfg.cross_attention and shown.cfg.causal:
        sentence = _(
            "source and memory stay the same at every step, and so do the keys and values that cross-attention makes of the "
            "memory: only the query of the last position is new. The decoder input and the logits grow by one position per "
            "step, and only the last row of the logits is used."
        )
    document.caption(sentence)


def _cache(shown: ShownModel, now: GeneratedStep) -> None:
    """The keys and values that a decoder with a cache has kept after this step, in all layers."""
    cfg = shown.cfg
    if not cfg.causal:
        st.markdown(
            _(
                "Nothing, in this model: without the causal mask every new token changes the vectors of those before it, so "
                "each step computes all of them again."
            )
        )
        return
    kinds = {_("self-attention, of the tokens read so far"): (len(now.given), _("grows by one position per step"))}
    if cfg.cross_attention:
        kinds[_("cross-attention, of the source")] = (len(shown.src), _("stays the same"))
    shapes = [(1, cfg.n_heads, length, cfg.d_k) for length, _how in kinds.values()]
    st.dataframe(
        {
            _("keys and values of"): [*kinds],
            _("shape of the keys, and of the values"): [str(shape) for shape in shapes],
            _("from step to step"): [how for _length, how in kinds.values()],
            _("numbers in all layers"): [f"{2 * cfg.n_layers * math.prod(shape):,}" for shape in shapes],
        },
        hide_index=True,
        key="kv-cache",
    )
    document.caption(
        _(
            "the axes are (batch, head, position, d_k). With the causal mask no token changes the keys and values before it: a "
            "KV cache keeps them, {n:,} numbers after this step, and the next step computes those of its one new token. "
            "Earlier queries are not kept: each was needed once."
        ).format(n=2 * cfg.n_layers * sum(map(math.prod, shapes)))
    )
