"""Take a part away: the same model, data and seed, once whole and once without it, trained side by side."""

import numpy as np
import streamlit as st

from explorer import document, server
from explorer.controls import keep, knobs, remember
from explorer.figures.lines import overlaid
from explorer.figures.matrix import matrices
from explorer.lab import in_line, owner, session
from explorer.sections.seen import attention_seen
from explorer.sections.watching import unhurried
from explorer.training import ablations
from explorer.training.ablations import ABLATIONS, OUTCOMES, TARGET, AblationPair, outcome, plans
from explorer.training.run import TrainingRun
from explorer.training.run_history import RunHistory, Status
from explorer.words import _

_POLL = 0.15  # seconds between two looks while nobody else trains


def breaking() -> None:
    """The choice, the guess, and the two runs."""
    keep("experiment", list(ABLATIONS))
    name = remember(
        "experiment",
        st.selectbox(
            _("Take away"), list(ABLATIONS), key="experiment", format_func=lambda key: _(ABLATIONS[key].title),
            bind="query-params",
        ),
    )  # fmt: skip
    st.markdown(_(ABLATIONS[name].question))
    target = _("The task: copy rows of ten numbers, {target:.0%} of them exactly. What do you expect?").format(target=TARGET)
    guess = st.radio(
        target, list(OUTCOMES), index=None, format_func=lambda key: _(OUTCOMES[key]), horizontal=True, key=f"guess-{name}"
    )  # fmt: skip
    st.button(
        _("Train both"), icon=":material/play_circle:", type="primary", disabled=guess is None, on_click=_begin,
        args=(name, knobs().seed), key="train-both",
    )  # fmt: skip
    if refused := st.session_state.pop("_refused", None):
        st.error(refused, icon=":material/hourglass_top:")
    pair = st.session_state.get("_pair")
    if pair is None or pair.name != name:
        first = "" if guess else _("Choose first what you expect. ")
        words = _("Two models from seed {seed}, the same data in the same order: some seconds.")
        st.caption(first + words.format(seed=knobs().seed))
        return
    found = [server.training_scheduler().get(run_id, session()) for run_id in (pair.baseline, pair.ablated)]
    if None in found:
        st.info(_("These runs are no longer on the server. Train both once more."))
        return
    _live(name, found[0], found[1], guess)


def _begin(name: str, seed: int) -> None:
    """Starts the two in place of the pair before."""
    scheduler = server.training_scheduler()
    before = st.session_state.pop("_pair", None)
    for run_id in (before.baseline, before.ablated) if before is not None else ():
        if (old := scheduler.get(run_id, session())) is not None:
            scheduler.remove(old)
    try:
        baseline, ablated = (scheduler.add(TrainingRun(plan, owner())).id for plan in plans(name, seed))
        st.session_state["_pair"] = AblationPair(name, baseline, ablated)
    except ValueError as error:
        st.session_state["_refused"] = str(error)


def _live(name: str, baseline: TrainingRun | None, ablated: TrainingRun | None, guess: str | None) -> None:
    assert baseline is not None and ablated is not None
    polling = not (baseline.over and ablated.over)

    @st.fragment(run_every=unhurried(_POLL) if polling else None)
    def view() -> None:
        for run in (baseline, ablated):
            server.training_scheduler().get(run.id, session())  # somebody is looking
        histories = (baseline.history(), ablated.history())
        in_line(ablated)  # begun behind the other
        _words(name, *histories, guess)
        _curves(name, *histories)
        left, right = st.columns(2)
        with left:
            _attention(baseline, histories[0], _("baseline"), ABLATIONS[name].attention, "break-baseline")
        with right:
            _attention(ablated, histories[1], _(ABLATIONS[name].without), ABLATIONS[name].attention, "break-ablated")
        if polling and baseline.over and ablated.over:
            st.rerun()

    view()


def _words(name: str, baseline: RunHistory, ablated: RunHistory, guess: str | None) -> None:
    """What happened in this run, and whether it was expected."""
    without = _(ABLATIONS[name].without)
    for title, history in ((_("baseline"), baseline), (without, ablated)):
        if history.status == Status.FAILED:
            st.warning(f"{title}: {history.message}", icon=":material/error:")
    if not all(history.status in (Status.DONE, Status.STOPPED, Status.FAILED) for history in (baseline, ablated)):
        done = max(history.step for history in (baseline, ablated)) / ablations.STEPS
        st.progress(
            min(done, 1.0),
            _("step {a:,} and step {b:,} of {most:,}").format(a=baseline.step, b=ablated.step, most=ablations.STEPS),
        )
        return
    if not (baseline.step and ablated.step):
        return
    said = _(
        "Baseline: {a:.1%} exact after {n:,} steps, loss {x:.3f}. {without}: {b:.1%} exact after {m:,} steps, loss {y:.3f}."
    )
    words = said.format(
        a=baseline.exact_match or 0, n=baseline.step, x=float(baseline.loss[-1]), without=without[0].upper() + without[1:],
        b=ablated.exact_match or 0, m=ablated.step, y=float(ablated.loss[-1]),
    )  # fmt: skip
    found = outcome(baseline, ablated)
    if name == "causal" and found == "never" and ablated.loss[-1] < baseline.loss[0] / 20:
        words += " " + _(
            "**It cheated**: in training it may read the next word from its own input, and its loss fell to {loss:.3f}. "
            "Writing by itself there is nothing to read yet, and only {share:.1%} of the rows come out right."
        ).format(loss=float(ablated.loss[-1]), share=ablated.exact_match or 0)
    elif found == "same":
        words += " " + _("**It did not matter here**: this small task can be learned without it.")
    if guess is not None:
        verdict = _("You expected “{guess}”: so it was.") if guess == found else _("You expected “{guess}”; in this run {was}.")
        words += " " + verdict.format(guess=_(OUTCOMES[guess]), was=_(OUTCOMES[found]))
    st.success(words, icon=":material/science:")


def _curves(name: str, baseline: RunHistory, ablated: RunHistory) -> None:
    both = {_("baseline"): baseline, _(ABLATIONS[name].without): ablated}
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
    if any(len(history.evaluations) for history in both.values()):
        exact = {title: (history.evaluations[:, 0], history.evaluations[:, 1]) for title, history in both.items()}
        last = "; ".join(
            f"{title}: {history.evaluations[-1, 1]:.1%}" for title, history in both.items() if len(history.evaluations)
        )
        with right:
            document.figure(
                overlaid(exact, x_title=_("step"), y_title=_("answers exactly right"), alt=last),
                "break-exact",
                _("the share of new rows that each copies exactly when it has to write by itself."),
            )


def _attention(run: TrainingRun, history: RunHistory, title: str, kind: str, key: str) -> None:
    st.markdown(f"**{title}**")
    if not history.snapshots:
        return
    newest = history.snapshots[-1]
    drawn = attention_seen(run.plan, newest, kind, -1)
    names = [_("head {i}").format(i=i) for i in range(len(drawn.weights))]
    words = {
        "cross": _("cross-attention after step {n:,}. Each row looks for the next token of the answer."),
        "decoder": _("the decoder's self-attention after step {n:,}. To the right of the diagonal are the tokens to come."),
    }[kind]
    document.figure(
        matrices(drawn.weights, names=names, valid=drawn.valid, wide=2, size=200, **drawn.words),
        key,
        words.format(n=newest.step),
    )
