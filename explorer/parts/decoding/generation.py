"""One answer, one step at a time: what could be said, what is, where the decoder looks, and what a forced word changes."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from explorer import controls, document
from explorer.decoded import Said, answer, labels, most_steps, read_forced, untrained, words, write_forced
from explorer.figures.lines import bars
from explorer.figures.matrix import matrix
from explorer.state import ModelKey, View, run_of
from explorer.words import _
from transformer_core.model.decoding import Sampling, decode_steps, sampling_probabilities

_STEPS, _MOST_STEPS = 10, 24
_TOP = 10  # tokens that are shown


@dataclass(frozen=True)
class _Way:
    """How this answer is made."""

    steps: int
    sampling: Sampling | None
    seed: int
    forced: tuple[tuple[int, int], ...]

    def answer(self, view: View, key: ModelKey) -> list[Said]:
        return answer(
            key, view.src, view.tgt[0], self.steps, self.sampling, self.seed, self.forced, end=view.vocabulary.end
        )  # fmt: skip


def step_by_step(view: View) -> None:
    """Draws the part. Raises ValueError where a model from a file cannot say or read what it would have to."""
    way = _settings(view)
    said = way.answer(view, view.key)
    step = _walk(view, said)
    other, (before, known) = None, untrained(view)
    title = _("Before training (seed {seed})") if known else _("Random weights (seed {seed})")
    title = title.format(seed=before.seed)
    if view.stored is not None:
        help_compare = _("the same sizes with random weights, on the same source, decoded the same way")
        if controls.choose("compare", _("compare with random weights"), ["no", "yes"], help=help_compare) == "yes":
            other = way.answer(view, before)
    now = said[step]
    if other is None:
        _choice(view, now, way, "step")
    else:
        left, right = st.columns(2, gap="large")
        with left:
            st.markdown(_("**Trained**"))
            _choice(view, now, way, "step", stacked=True)
        with right:
            st.markdown(f"**{title}**")
            if step < len(other):
                _choice(view, other[step], way, "random", stacked=True)
            else:
                st.caption(_("It has ended before this step."))
        _both(view, said, other, title)
    _force(view, now, step, way)

    document.section(_("Where it looks for this word"))
    layer = controls.choose("layer", _("layer"), range(view.cfg.n_layers))
    _look(view, view.key, now, layer, "cross-row", _("Trained") if other else "")
    if other is not None and step < len(other):
        _look(view, before, other[step], layer, "cross-row-random", title)

    document.section(_("The shapes of this step"))
    _shapes(view, now)
    document.formula(
        r"p(y_t\mid y_{<t},x)=\mathrm{softmax}(z_t/T)",
        _("Section 3.4 of the paper, with a temperature T that the paper does not have: T = 1 is its softmax."),
    )
    document.try_this(
        _("Force another word at the first step, and walk on: all that follows has read it."),
        _("Draw with temperature 0.1, then with 2: from nearly greedy to nearly anything."),
        _("Draw with top-k 1: greedy again, whatever the seed."),
    )
    document.the_code(decode_steps, sampling_probabilities)


def _settings(view: View) -> _Way:
    vocab, most = view.cfg.tgt_vocab, most_steps(view, _MOST_STEPS)
    left, right = st.columns([2, 3])
    with left:
        how = controls.choose(
            "decode_how", _("the next word is"), ["greedy", "sample"],
            help=_("greedy: always the most likely one · sample: drawn by lot, the likely ones more often"),
        )  # fmt: skip
    steps = controls.slider("decode_steps", _("steps at most"), 1, most, _STEPS, place=right) if most > 1 else 1
    sampling, seed = None, 0
    if how == "sample":
        places = st.columns(4)
        temperature = controls.slider(
            "temperature", _("temperature"), 0.1, 3.0, 1.0, _("Divides the logits: below 1 bolder, above 1 more even."), 0.1,
            places[0],
        )  # fmt: skip
        top_k = controls.slider(
            "top_k", _("top-k (0: all)"), 0, min(vocab, 50), 0, _("Only the k most likely words are drawn from."), 1, places[1]
        )
        top_p = controls.slider(
            "top_p", _("top-p"), 0.05, 1.0, 1.0, _("Only as many as together reach this share (“nucleus”)."), 0.05, places[2]
        )
        seed = controls.slider("draw_seed", _("seed of the draws"), 0, 99, 0, place=places[3])
        sampling = Sampling(temperature, top_k or None, top_p if top_p < 1 else None)
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        typed = controls.text(
            "forced", _("forced words"), "", _("Step and token, as in 2=le 4=chat. Empty: nothing is forced.")
        )
    right.button(_("Force nothing"), icon=":material/undo:", on_click=_forget, disabled=not typed)
    forced: dict[int, int] = {}
    try:
        forced = read_forced(typed, view)
    except ValueError as error:
        st.error(_("Forced words: {error}.").format(error=error).replace("<", "\\<"), icon=":material/edit:")
    return _Way(steps, sampling, seed, tuple(sorted((i, token) for i, token in forced.items() if i < steps)))


def _walk(view: View, said: list[Said]) -> int:
    """The answer as a row of words, and the step that is looked at, counted from 0."""
    step = 1
    if len(said) > 1:
        back, slider, on = st.columns([1, 6, 1], vertical_alignment="bottom")
        step = controls.slider("decode_step", _("step"), 1, len(said), 1, place=slider)
        back.button(_("Back"), icon=":material/chevron_left:", on_click=_go, args=(step - 1,), disabled=step == 1)
        on.button(_("On"), icon=":material/chevron_right:", on_click=_go, args=(step + 1,), disabled=step == len(said))
    chips = [f"`{words(view, view.tgt[:1])[0]}`"]
    for i, each in enumerate(said):
        word = f"`{words(view, [each.token])[0]}`" + (" :material/pan_tool:" if each.forced else "")
        chips.append(word if i + 1 < step else f":blue-background[**{word}**]" if i + 1 == step else f":gray[{word}]")
    st.markdown(" → ".join(chips))
    more = _(":material/pan_tool: was forced by hand; ") if any(each.forced for each in said) else ""
    document.reading(more + _("step {step} of {all} is marked; what stands behind it comes later.").format(
        step=step, all=len(said)))  # fmt: skip
    return step - 1


def _go(step: int) -> None:
    st.session_state["decode_step"] = step


def _choice(view: View, now: Said, way: _Way, key: str, stacked: bool = False) -> None:
    """The likeliest tokens of one step, as bars and as a table; the one that is said is always among them."""
    order = np.argsort(-now.probabilities, kind="stable")[:_TOP].tolist()
    if now.token not in order:
        order[-1] = now.token
    names = words(view, order)
    series = {_("probability (%)"): 100 * now.probabilities[order]}
    if way.sampling is not None:
        series[_("chance to be drawn (%)")] = 100 * now.sampling_probabilities[order]
    left, right = (st.container(), st.container()) if stacked else st.columns(2, gap="large")
    how = _("forced by hand") if now.forced else _("the most likely") if way.sampling is None else _("drawn")
    with left:
        document.figure(
            bars(names, series, y_title=_("%")),
            f"{key}-bars",
            _(
                "the {n} likeliest of {vocab} tokens, given the {so_far} so far. It says “{word}” ({how}), {p:.2%} likely."
            ).format(
                n=len(order), vocab=len(now.logits), so_far=len(now.given), word=words(view, [now.token])[0], how=how,
                p=float(now.probabilities[now.token]),
            ),
        )  # fmt: skip
    columns = {
        _("said"): ["▶" if token == now.token else "" for token in order],
        _("token"): names,
        _("logit"): now.logits[order].round(4),
        _("log-probability"): now.log_probabilities[order].round(4),
        _("probability"): now.probabilities[order].round(6),
    }
    if way.sampling is not None:
        columns[_("chance")] = now.sampling_probabilities[order].round(6)
    right.dataframe(columns, hide_index=True)


def _both(view: View, said: list[Said], other: list[Said], title: str) -> None:
    def column(each: list[Said]) -> list[str]:
        spoken = [f"{words(view, [one.token])[0]} ({one.probabilities[one.token]:.1%})" for one in each]
        return spoken + [""] * (max(len(said), len(other)) - len(each))

    trained, random = column(said), column(other)
    st.dataframe({_("step"): range(1, len(trained) + 1), _("trained says"): trained, title: random}, hide_index=True)


def _force(view: View, now: Said, step: int, way: _Way) -> None:
    """Another word by hand at this step; it is added to the line of forced words, which can be edited, linked and emptied."""
    forced = dict(way.forced)
    st.session_state["force"] = forced.get(step, -1)
    order = np.argsort(-now.probabilities, kind="stable").tolist()
    st.selectbox(
        _("say instead, at step {i}").format(i=step + 1), [-1, *order], key="force", on_change=_forced, args=(view, step),
        format_func=lambda token: _("(what the model says)") if token < 0 else words(view, [token])[0],
        help=_("Every token of the vocabulary, the likeliest first."),
    )  # fmt: skip


def _forced(view: View, step: int) -> None:
    token = st.session_state["force"]
    try:
        forced = read_forced(st.session_state.get("forced", ""), view)
    except ValueError:  # what was typed says nothing; it gives way
        forced = {}
    forced.pop(step, None)
    st.session_state["forced"] = write_forced(forced | ({step: token} if token >= 0 else {}), view)


def _forget() -> None:
    st.session_state["forced"] = ""


def _look(view: View, key: ModelKey, now: Said, layer: int, name: str, title: str) -> None:
    """The newest position's row of the cross-attention, head by head; of the decoder's own where there is no other."""
    cross = view.cfg.cross_attention
    site, columns = ("cross_attn", view.src_labels) if cross else ("self_attn", labels(view, now.given))
    weights = run_of(key, view.src, now.given)[f"decoder.{layer}.{site}.weights"][:, -1]  # (head, key)
    head, place = map(int, np.unravel_index(weights.argmax(), weights.shape))
    if title:
        st.markdown(f"**{title}**")
    document.figure(
        matrix(
            weights, rows=[_("head {i}").format(i=i) for i in range(len(weights))], columns=columns,
            row_title=_("asks: “{word}”").format(word=labels(view, now.given)[-1].replace("<", "").replace(">", "")),
            column_title=_("is asked (key, encoder)") if cross else _("is asked (key, decoder)"), title=_("weight"), cell=34,
        ),
        name,
        _("the newest word, “{word}”, asks {whom} what to say next; each row adds up to 1. Head {head} takes {share:.0%} "
          "from “{key}”.").format(
            word=labels(view, now.given)[-1], head=head, share=float(weights[head, place]), key=columns[place],
            whom=_("the source") if cross else _("what was said before (this model has no cross-attention)"),
        ),
    )  # fmt: skip


def _shapes(view: View, now: Said) -> None:
    run = run_of(view.key, view.src, now.given)
    rows = [
        (_("source (ids)"), (1, len(view.src)), ("batch", "src")),
        (_("memory, the encoder's output"), (1, *run["memory"].shape), ("batch", *run.axes["memory"])),
        (_("tokens so far (ids)"), (1, len(now.given)), ("batch", "tgt")),
        (_("logits"), (1, *run["logits"].shape), ("batch", *run.axes["logits"])),
        (_("logits of the newest position"), (1, len(now.logits)), ("batch", "vocab")),
    ]
    st.dataframe(
        {
            _("tensor"): [name for name, _shape, _axes in rows],
            _("numbers"): [str(shape) for _name, shape, _axes in rows],
            _("sides"): [f"({', '.join(axes)})" for _name, _shape, axes in rows],
        },
        hide_index=True,
    )
    document.reading(
        _(
            "source and memory stay as they are through all steps; tokens and logits grow by one place per step, and only the "
            "newest row of the logits is used."
        )
    )
