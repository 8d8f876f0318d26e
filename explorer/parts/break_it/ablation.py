"""Remove a part: the same model, data and seed, once as a baseline and once without it, trained side by side."""

import streamlit as st

from explorer import i18n, server
from explorer.figures.attention import attention_heatmaps
from explorer.i18n import _
from explorer.parts.shared import live, run_charts
from explorer.session import Notice, current, runs
from explorer.training import ablations
from explorer.training.ablations import ABLATIONS, OUTCOMES, TARGET, AblationPair, outcome, plans
from explorer.training.run import TrainingRun
from explorer.training.run_history import RunHistory, Status
from explorer.ui import document
from explorer.ui.format import plain, share_words
from explorer.ui.fragment import fragment
from explorer.ui.widgets import choose, retitle
from transformer_core.errors import InputError

_POLL = 0.15  # seconds between two redraws while nobody else trains


def draw() -> None:
    """The choice, the guess, and the two runs."""
    session = current()
    titles = {key: _(each.title) for key, each in ABLATIONS.items()}
    name = choose("experiment", _("Remove"), list(ABLATIONS), titles, listed=True)
    st.markdown(_(ABLATIONS[name].question))
    question = _("The task is to copy sequences of ten numbers, {target:.0%} of them exactly. What do you expect?")
    retitle(f"guess-{name}", [_(each) for each in OUTCOMES.values()])
    guess = st.radio(
        question.format(target=TARGET), list(OUTCOMES), index=None, format_func=lambda key: _(OUTCOMES[key]), horizontal=True,
        key=f"guess-{name}",
    )  # fmt: skip
    seed = session.settings.seed
    st.button(
        _("Train both"), icon=":material/play_circle:", type="primary", disabled=guess is None, on_click=_begin,
        args=(name, guess, seed), key="train-both",
    )  # fmt: skip
    if (refused := session.take_notice()) is not None:
        st.error(plain(i18n.error(refused)), icon=":material/hourglass_top:")
    pair = session.ablation
    if pair is None or pair.name != name:
        if guess is None:
            st.caption(_("First choose what you expect."))
        st.caption(_("Both models start from seed {seed} and see the same data in the same order.").format(seed=seed))
        return
    baseline, ablated = (server.training_scheduler().get(run_id, runs.viewer()) for run_id in (pair.baseline, pair.ablated))
    if baseline is None or ablated is None:
        st.info(_("These runs are no longer on the server. Train both again."))
        return
    _live(pair, baseline, ablated)


def _begin(name: str, guess: str, seed: int) -> None:
    """Starts the two in place of the pair before."""
    session, scheduler = current(), server.training_scheduler()
    before, session.ablation = session.ablation, None
    for run_id in (before.baseline, before.ablated) if before is not None else ():
        if (old := scheduler.get(run_id, runs.viewer())) is not None:
            scheduler.remove(old)
    try:
        baseline, ablated = (scheduler.add(TrainingRun(plan, runs.owner())).id for plan in plans(name, seed))
        session.ablation = AblationPair(name, guess, baseline, ablated)
    except InputError as error:
        session.notice = Notice("break_it", error)


def _live(pair: AblationPair, baseline: TrainingRun, ablated: TrainingRun) -> None:
    without = _(ABLATIONS[pair.name].without)
    polling = not (baseline.over and ablated.over)

    @fragment(run_every=live.poll_seconds(_POLL) if polling else None)
    def view() -> None:
        for run in (baseline, ablated):
            server.training_scheduler().get(run.id, runs.viewer())  # somebody is watching
        histories = (baseline.history(), ablated.history())
        live.queue_note(ablated)  # it was started after the other
        for history in histories:
            live.worker_note(history)
        _outcome(pair, *histories, baseline.plan.recipe.evaluate_on)
        run_charts.draw({_("baseline"): histories[0], without: histories[1]}, "break")
        left, right = st.columns(2)
        with left:
            _attention(pair, baseline, histories[0], _("baseline"), "break-baseline")
        with right:
            _attention(pair, ablated, histories[1], without, "break-ablated")
        if polling and baseline.over and ablated.over:
            st.rerun()

    view()


def _outcome(pair: AblationPair, baseline: RunHistory, ablated: RunHistory, rows: int) -> None:
    """What happened in these two runs, and whether it was expected."""
    without = _(ABLATIONS[pair.name].without)
    for title, history in ((_("baseline"), baseline), (without, ablated)):
        if history.status == Status.FAILED:
            words = _("{run}: {error}").format(run=title, error=i18n.error(history.message))
            st.warning(plain(words), icon=":material/error:")
    if not all(history.status in (Status.DONE, Status.STOPPED, Status.FAILED) for history in (baseline, ablated)):
        done = max(history.step for history in (baseline, ablated)) / ablations.STEPS
        words = _("baseline: step {a:,} · ablated: step {b:,} · of at most {most:,}")
        st.progress(min(done, 1.0), words.format(a=baseline.step, b=ablated.step, most=ablations.STEPS))
        return
    if not (baseline.step and ablated.step):
        return
    lines = [
        _("**Baseline**: exact match {exact} after {n:,} steps, loss {loss:.3f}.").format(
            exact=share_words(baseline.exact_match or 0, rows), n=baseline.step, loss=float(baseline.loss[-1])
        ),
        _("**Ablated** ({without}): exact match {exact} after {n:,} steps, loss {loss:.3f}.").format(
            without=without, exact=share_words(ablated.exact_match or 0, rows), n=ablated.step, loss=float(ablated.loss[-1])
        ),
        *_verdict(pair, baseline, ablated),
    ]
    st.success("  \n".join(lines), icon=":material/science:")
    words = _(
        "Exact match: the share of {n} held-out sequences that are decoded exactly, and in brackets its 95% confidence "
        "interval. Each run stops when it reaches {target:.0%}."
    )
    st.caption(words.format(n=rows, target=TARGET))


def _verdict(pair: AblationPair, baseline: RunHistory, ablated: RunHistory) -> list[str]:
    """What can be said of the two runs, and what was expected of them."""
    found, lines = outcome(baseline, ablated), []
    if pair.name == "causal" and found == "never" and ablated.loss[-1] < baseline.loss[0] / 20:
        words = _(
            "**It cheated**: in training the decoder can read the next token from its own input, and the loss fell to "
            "{loss:.3f}. When it generates, that token is not there yet, and only {share:.1%} of the sequences come out right."
        )
        lines.append(words.format(loss=float(ablated.loss[-1]), share=ablated.exact_match or 0))
    elif found == "same":
        lines.append(_("**Not needed here**: this small task is learned without it."))
    if (baseline.exact_match or 0) < TARGET:
        lines.append(_("The baseline has not reached {target:.0%} either. Try another seed.").format(target=TARGET))
    if pair.guess == found:
        lines.append(_("You expected “{guess}”, and so it was.").format(guess=_(OUTCOMES[found])))
    else:
        words = _("You expected “{guess}”; what happened was “{found}”.")
        lines.append(words.format(guess=_(OUTCOMES[pair.guess]), found=_(OUTCOMES[found])))
    return lines


def _attention(pair: AblationPair, run: TrainingRun, history: RunHistory, title: str, key: str) -> None:
    st.markdown(f"**{title}**")
    if not history.snapshots:
        return
    newest, kind = history.snapshots[-1], ABLATIONS[pair.name].attention
    words = {
        "cross": _("cross-attention after step {n:,}. A row is the token just read, from which the next one is predicted."),
        "decoder": _("the decoder's self-attention after step {n:,}. The tokens to come lie to the right of the diagonal."),
    }[kind]
    picture = attention_heatmaps(newest.attention_map(run.plan, kind, -1, 0), wide=2, size=200)
    document.figure(picture, key, words.format(n=newest.step))
