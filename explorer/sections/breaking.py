"""Take a part away: the same model, data and seed, once whole and once without it, trained side by side."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import streamlit as st

from explorer import document, runs
from explorer.controls import keep, knobs, remember
from explorer.figures.lines import overlaid
from explorer.figures.matrix import matrices
from explorer.lab import in_line, session
from explorer.runs import History, Plan, Run, Status
from explorer.sections.seen import attention_seen
from explorer.sections.watching import unhurried
from explorer.turns import fragment
from explorer.words import _
from transformer_core import PRESETS, CopyTask, Recipe

STEPS = 600  # at most, for each of the two
GOAL = 0.99
_POLL = 0.15  # seconds between two looks while nobody else trains
_SLOWER = 1.25  # times the steps of the whole model, from which on it counts as slower


@dataclass(frozen=True)
class Experiment:
    """What is taken away, and how it is called.

    Attributes:
        without: names the broken model in a sentence.
        change, recipe: settings of the broken model's configuration and recipe; both: of the recipe of the two.
    """

    title: str
    without: str
    question: str
    change: Mapping[str, Any] = field(default_factory=dict)
    recipe: Mapping[str, Any] = field(default_factory=dict)
    both: Mapping[str, Any] = field(default_factory=dict)


EXPERIMENTS = {
    "causal": Experiment(
        _("the causal mask"), _("without the causal mask"),
        _("In training the decoder may then look at the very word that it is to say."), {"causal": False},
    ),
    "positions": Experiment(
        _("the positions"), _("without positions"), _("Nothing says any more which word stands where."), {"position": "none"},
    ),
    "cross": Experiment(
        _("cross-attention"), _("without cross-attention"), _("The decoder hears nothing of what the encoder has read."),
        {"cross_attention": False},
    ),
    "residual": Experiment(
        _("the residual sums"), _("without residual sums"), _("No way leads round a part: its output is all that goes on."),
        {"residual": False},
    ),
    "norm": Experiment(
        _("the norm's place before each part"), _("with the norm behind each sum"),
        _("Both are corrected at a high rate, 0.01: one norms before each part, the other behind each sum, as the paper does."),
        {"norm": "post"}, both={"rate": 0.01},
    ),
    "warmup": Experiment(
        _("the warm-up"), _("without warm-up"), _("The very first corrections are the largest."), recipe={"warmup": 1},
    ),
    "heads": Experiment(
        _("all heads but one"), _("with one head"), _("One view of the sentence in place of four."), {"n_heads": 1},
    ),
    "width": Experiment(
        _("most of the width"), _("with d_model 8"), _("Eight numbers stand for a token in place of 64."), {"d_model": 8},
    ),
    "scale": Experiment(
        _("the ÷ √d_k"), _("without ÷ √d_k"), _("Scores are the bare products of query and key."), {"score": "dot"},
    ),
}  # fmt: skip
_GUESSES = {"same": _("it learns as well"), "slower": _("it learns more slowly"), "never": _("it does not get there")}


def plans(name: str, seed: int) -> tuple[Plan, Plan]:
    """The whole model's plan and the broken one's: they differ in what the experiment says, and in nothing else."""
    experiment, task = EXPERIMENTS[name], CopyTask()
    recipe = replace(Recipe(steps=STEPS, seed=seed, device="cpu"), **experiment.both)
    whole = Plan(PRESETS["tiny"], task, recipe, GOAL)
    return whole, replace(whole, cfg=replace(whole.cfg, **experiment.change), recipe=replace(whole.recipe, **experiment.recipe))


def outcome(whole: History, broken: History) -> str:
    """What happened to the broken model, measured by the whole one: a key of the guesses."""
    if not _reached(broken):
        return "never"
    return "slower" if _reached(whole) and broken.step > _SLOWER * whole.step else "same"


def _reached(history: History) -> bool:
    return history.exact_match is not None and history.exact_match >= GOAL


def breaking() -> None:
    """The choice, the guess, and the two runs."""
    keep("experiment", list(EXPERIMENTS))
    name = remember(
        "experiment",
        st.selectbox(
            _("Take away"), list(EXPERIMENTS), key="experiment", format_func=lambda key: EXPERIMENTS[key].title,
            bind="query-params",
        ),
    )  # fmt: skip
    st.markdown(EXPERIMENTS[name].question)
    goal = _("It is to copy rows of ten numbers, {goal:.0%} of them without a slip. What do you expect?").format(goal=GOAL)
    guess = st.radio(
        goal, list(_GUESSES), index=None, format_func=_GUESSES.__getitem__, horizontal=True, key=f"guess-{name}"
    )  # fmt: skip
    st.button(
        _("Train both"), icon=":material/play_circle:", type="primary", disabled=guess is None, on_click=_begin,
        args=(name, knobs().seed), key="train-both",
    )  # fmt: skip
    if refused := st.session_state.pop("_refused", None):
        st.error(refused, icon=":material/hourglass_top:")
    pair = st.session_state.get("_pair")
    if pair is None or pair[0] != name:
        first = "" if guess else _("Choose first what you expect. ")
        words = _("Two models from seed {seed}, the same data in the same order: some seconds.")
        st.caption(first + words.format(seed=knobs().seed))
        return
    found = [runs.scheduler().get(run_id, session()) for run_id in pair[1]]
    if None in found:
        st.info(_("These runs are no longer on the server. Train both once more."))
        return
    _live(name, found[0], found[1], guess)


def _begin(name: str, seed: int) -> None:
    """Starts the two in place of the pair before."""
    scheduler = runs.scheduler()
    for run_id in st.session_state.pop("_pair", (name, []))[1]:
        if (old := scheduler.get(run_id, session())) is not None:
            scheduler.remove(old)
    try:
        st.session_state["_pair"] = (name, [scheduler.add(Run(plan, session())).id for plan in plans(name, seed)])
    except ValueError as error:
        st.session_state["_refused"] = str(error)


def _live(name: str, whole: Run | None, broken: Run | None, guess: str | None) -> None:
    assert whole is not None and broken is not None
    polling = not (whole.over and broken.over)

    @fragment(run_every=unhurried(_POLL) if polling else None)
    def view() -> None:
        for run in (whole, broken):
            runs.scheduler().get(run.id, session())  # somebody is looking
        histories = (whole.history(), broken.history())
        in_line(broken)  # begun behind the other
        _words(name, *histories, guess)
        _curves(name, *histories)
        left, right = st.columns(2)
        with left:
            _attention(whole, histories[0], _("whole"), "break-whole")
        with right:
            _attention(broken, histories[1], EXPERIMENTS[name].without, "break-broken")
        if polling and whole.over and broken.over:
            st.rerun()

    view()


def _words(name: str, whole: History, broken: History, guess: str | None) -> None:
    """What happened in this run, and whether it was expected."""
    without = EXPERIMENTS[name].without
    for title, history in ((_("whole"), whole), (without, broken)):
        if history.status == Status.FAILED:
            st.warning(f"{title}: {history.message}", icon=":material/error:")
    if not all(history.status in (Status.DONE, Status.STOPPED, Status.FAILED) for history in (whole, broken)):
        done = max(history.step for history in (whole, broken)) / STEPS
        st.progress(min(done, 1.0), _("step {a:,} and step {b:,} of {most:,}").format(a=whole.step, b=broken.step, most=STEPS))
        return
    if not (whole.step and broken.step):
        return
    said = _("Whole: {a:.1%} exact after {n:,} steps, loss {x:.3f}. {without}: {b:.1%} exact after {m:,} steps, loss {y:.3f}.")
    words = said.format(
        a=whole.exact_match or 0, n=whole.step, x=float(whole.loss[-1]), without=without[0].upper() + without[1:],
        b=broken.exact_match or 0, m=broken.step, y=float(broken.loss[-1]),
    )  # fmt: skip
    found = outcome(whole, broken)
    if name == "causal" and found == "never" and broken.loss[-1] < whole.loss[0] / 20:
        words += " " + _(
            "**It cheated**: in training it may read the next word from its own input, and its loss fell to {loss:.3f}. "
            "Writing by itself there is nothing to read yet, and only {share:.1%} of the rows come out right."
        ).format(loss=float(broken.loss[-1]), share=broken.exact_match or 0)
    elif found == "same":
        words += " " + _("**It did not matter here**: this small task can be learned without it.")
    if guess is not None:
        verdict = _("You expected “{guess}”: so it was.") if guess == found else _("You expected “{guess}”; in this run {was}.")
        words += " " + verdict.format(guess=_GUESSES[guess], was=_GUESSES[found])
    st.success(words, icon=":material/science:")


def _curves(name: str, whole: History, broken: History) -> None:
    both = {_("whole"): whole, EXPERIMENTS[name].without: broken}
    left, right = st.columns(2)
    if any(history.step for history in both.values()):
        losses = {title: (np.arange(1, history.step + 1), history.loss) for title, history in both.items()}
        last = "; ".join(f"{title}: {history.loss[-1]:.3f}" for title, history in both.items() if history.step)
        with left:
            document.figure(
                overlaid(losses, x_title=_("step"), y_title=_("loss (nats per token)"), alt=last),
                "break-loss",
                _("how surprised each is by the right answer, in training; lower is better."),
            )
    if any(len(history.looks) for history in both.values()):
        exact = {title: (history.looks[:, 0], history.looks[:, 1]) for title, history in both.items()}
        last = "; ".join(f"{title}: {history.looks[-1, 1]:.1%}" for title, history in both.items() if len(history.looks))
        with right:
            document.figure(
                overlaid(exact, x_title=_("step"), y_title=_("answers exactly right"), alt=last),
                "break-exact",
                _("the share of new rows that each copies without a slip when it has to write by itself."),
            )


def _attention(run: Run, history: History, title: str, key: str) -> None:
    st.markdown(f"**{title}**")
    if not run.plan.cfg.cross_attention:
        st.caption(_("This model has no cross-attention."))
        return
    if not history.snapshots:
        return
    newest = history.snapshots[-1]
    drawn = attention_seen(run.plan, newest, "cross", -1)
    names = [_("head {i}").format(i=i) for i in range(len(drawn.weights))]
    document.figure(
        matrices(drawn.weights, names=names, valid=drawn.valid, wide=2, size=200, **drawn.words),
        key,
        _("cross-attention after step {n:,}. The next word to say stands one place to the right.").format(n=newest.step),
    )
