"""One answer, step by step: the probability of each next token, the one that is taken, and what the decoder attends to."""

from html import escape

import numpy as np
import streamlit as st

from explorer.figures.lines import bars
from explorer.figures.matrix import matrix
from explorer.i18n import _
from explorer.inference.decoding import GeneratedStep, labels, token_texts, untrained
from explorer.inference.forward import ModelChoice, Random, forward_pass
from explorer.inference.shown_model import ShownModel
from explorer.parts.decoding import decoding_options
from explorer.parts.decoding.decoding_options import DecodingOptions
from explorer.ui import document
from explorer.ui.widgets import choose, keep, slider
from transformer_core.model.decoding import decode_steps, sampling_probabilities
from transformer_core.model.stages import LOGITS, MEMORY, attention_path

_TOP = 10  # tokens that are shown


def draw(shown: ShownModel) -> None:
    """Draws the part. Raises InputError where a model from a file cannot read or generate what it would have to."""
    options = decoding_options.draw(shown)
    generated = options.generated(shown, shown.choice)
    step = _walk(shown, generated)
    now = generated[step]
    random, known = untrained(shown)
    assert isinstance(random.weights, Random)
    title = (_("Before training (seed {seed})") if known else _("Random weights (seed {seed})")).format(
        seed=random.weights.seed
    )
    other = options.generated(shown, random) if shown.stored is not None and _compared() else None
    if other is None:
        _next_token(shown, now, options, "step")
    else:
        left, right = st.columns(2, gap="large")
        with left:
            st.markdown(_("**Trained**"))
            _next_token(shown, now, options, "step", stacked=True)
        with right:
            st.markdown(f"**{title}**")
            if step < len(other):
                _next_token(shown, other[step], options, "random", stacked=True)
            else:
                st.caption(_("It has ended before this step."))
        _side_by_side(shown, generated, other, title)
    decoding_options.force_token(shown, now, step, options)

    document.section(_("What the decoder attends to at this step"))
    layer = choose("layer", _("layer"), range(shown.cfg.n_layers))
    _attention(shown, shown.choice, now, layer, "cross-row", _("Trained") if other else "")
    if other is not None and step < len(other):
        _attention(shown, random, other[step], layer, "cross-row-random", title)

    document.section(_("Shapes at this step"))
    _shapes(shown, now)
    document.formula(
        r"p(y_t\mid y_{<t},x)=\mathrm{softmax}(z_t/T)",
        _("Section 3.4 of the paper. The temperature T is a later addition; at T = 1 this is the paper's softmax."),
    )
    document.try_this(
        _("Force another token at step 1, and go through the steps: all that follows has read it."),
        _("Sample at temperature 0.1, then at 2: low temperatures come close to greedy, high ones spread the probability."),
        _("Sample with top-k 1: the answer is the greedy one, whatever the seed."),
    )
    document.the_code(decode_steps, sampling_probabilities)


def _compared() -> bool:
    help = _("the same sizes with random weights, decoded in the same way from the same source")
    titles = {"no": _("no"), "yes": _("yes")}
    return choose("compare", _("compare with random weights"), ["no", "yes"], titles, help=help) == "yes"


def _walk(shown: ShownModel, generated: list[GeneratedStep]) -> int:
    """The answer as a row of tokens, and the step that is on screen, from 0."""
    step, steps = 1, len(generated)
    if steps > 1:
        back, middle, on = st.columns([1, 6, 1], vertical_alignment="bottom")
        step = slider("decode_step", _("step"), 1, steps, 1, place=middle)
        for place, name, icon, to in ((back, _("Back"), "left", step - 1), (on, _("Next"), "right", step + 1)):
            place.button(
                name, icon=f":material/chevron_{icon}:", on_click=keep, args=("decode_step", to),
                disabled=not 1 <= to <= steps, key=f"decode-{icon}",
            )  # fmt: skip
    chips = [f"`{token_texts(shown, shown.tgt[:1])[0]}`"]
    for i, each in enumerate(generated):
        token = f"`{token_texts(shown, [each.token])[0]}`" + (" :material/pan_tool:" if each.forced else "")
        chips.append(token if i + 1 < step else f":blue-background[**{token}**]" if i + 1 == step else f":gray[{token}]")
    st.markdown(" → ".join(chips))
    how = _("the answer, token by token. Step {step} of {all} is highlighted; what follows it is still to come.")
    if any(each.forced for each in generated):
        how = _("the answer, token by token. Step {step} of {all} is highlighted; what follows it is still to come. "
                ":material/pan_tool: marks what was forced by hand.")  # fmt: skip
    document.reading(how.format(step=step, all=steps))
    return step - 1


def _next_token(shown: ShownModel, now: GeneratedStep, options: DecodingOptions, key: str, stacked: bool = False) -> None:
    """The most likely tokens of one step, as bars and as a table; the one that is taken is always among them."""
    order = np.argsort(-now.probabilities, kind="stable")[:_TOP].tolist()
    if now.token not in order:
        order[-1] = now.token
    names = token_texts(shown, order)
    series = {_("probability (%)"): 100 * now.probabilities[order]}
    columns = {
        _("taken"): ["▶" if token == now.token else "" for token in order],
        _("token"): names,
        _("logit"): now.logits[order].round(4),
        _("log-probability"): now.log_probabilities[order].round(4),
        _("probability"): now.probabilities[order].round(6),
    }
    if options.sampling is not None:
        series[_("sampling probability (%)")] = 100 * now.sampling_probabilities[order]
        columns[_("sampling probability")] = now.sampling_probabilities[order].round(6)
    left, right = (st.container(), st.container()) if stacked else st.columns(2, gap="large")
    how = _("the {n} most likely of {vocab} tokens. Taken: “{token}”, the most likely, with a probability of {p}.")
    if now.forced:
        how = _("the {n} most likely of {vocab} tokens. Taken: “{token}”, forced by hand; the model gave it {p}.")
    elif options.sampling is not None:
        how = _("the {n} most likely of {vocab} tokens. Taken: “{token}”, drawn at random; the model gave it {p}.")
    with left:
        document.figure(
            bars(names, series, y_title=_("%")),
            f"{key}-bars",
            how.format(
                n=len(order), vocab=len(now.logits), token=token_texts(shown, [now.token])[0],
                p=_percent(float(now.probabilities[now.token])),
            ),
        )  # fmt: skip
    right.dataframe(columns, hide_index=True)


def _percent(probability: float) -> str:
    """What is neither impossible nor certain does not read so."""
    text = f"{probability:.2%}"
    return {"0.00%": "< 0.01%", "100.00%": "> 99.99%"}.get(text, text) if 0 < probability < 1 else text


def _side_by_side(shown: ShownModel, generated: list[GeneratedStep], other: list[GeneratedStep], title: str) -> None:
    """What both models generate, each token with its probability."""
    rows = max(len(generated), len(other))

    def column(steps: list[GeneratedStep]) -> list[str]:
        cells = [f"{token_texts(shown, [one.token])[0]} ({_percent(float(one.probabilities[one.token]))})" for one in steps]
        return cells + [""] * (rows - len(steps))

    st.dataframe({_("step"): range(1, rows + 1), _("trained"): column(generated), title: column(other)}, hide_index=True)


def _attention(shown: ShownModel, choice: ModelChoice, now: GeneratedStep, layer: int, key: str, title: str) -> None:
    """The last position's row of cross-attention, head by head; of self-attention where the decoder has nothing else."""
    cross = shown.cfg.cross_attention
    stage = attention_path("cross" if cross else "decoder", layer).stage("weights")
    weights = forward_pass(choice, shown.src, now.given)[stage][:, -1]  # (head, key)
    keys = shown.src_labels if cross else labels(shown, now.given)
    head, place = map(int, np.unravel_index(weights.argmax(), weights.shape))
    query = f"{labels(shown, now.given)[-1]} → {token_texts(shown, [now.token])[0]}"
    if title:
        st.markdown(f"**{title}**")
    how = _("the query is the last position: “{query}” stands for the token that it reads and the one that comes next. Each "
            "row adds up to 1. Head {head} gives {share:.0%} to “{key}”, a word of the source.")  # fmt: skip
    if not cross:
        how = _("this model has no cross-attention, so this is the decoder's self-attention. The query is the last position: "
                "“{query}” stands for the token that it reads and the one that comes next. Each row adds up to 1. Head {head} "
                "gives {share:.0%} to “{key}”.")  # fmt: skip
    document.figure(
        matrix(
            weights, rows=[_("head {i}").format(i=i) for i in range(len(weights))], columns=keys,
            row_title=_("query: {query}").format(query=escape(query)),
            column_title=_("key (encoder)") if cross else _("key (decoder)"), title=_("weight"),
            cell=34,
        ),
        key,
        how.format(query=query, head=head, share=float(weights[head, place]), key=keys[place]),
    )  # fmt: skip


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
    document.reading(
        _(
            "source and memory stay the same at every step. The decoder input and the logits grow by one position per step, "
            "and only the last row of the logits is used."
        )
    )
