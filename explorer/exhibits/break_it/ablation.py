"""Remove a part: the same model, data and seed, once as a baseline and once without it, trained side by side."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from explorer import i18n, resources
from explorer.exhibits.break_it import findings
from explorer.exhibits.shared import answer_now, asking, run_charts, run_status
from explorer.exhibits.shared.asking import Said
from explorer.figures.attention import axes_of
from explorer.figures.lines import bars, curves, overlaid
from explorer.figures.matrix import matrices
from explorer.i18n import N_, _, share_text
from explorer.learning import ablations
from explorer.learning.ablations import ABLATIONS, OUTCOMES, TARGET, AblationPair, plans, untrained
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import OVER, Status
from explorer.learning.snapshots import Snapshot
from explorer.session import Notice, current, run_all_again, runs
from explorer.ui import document, pickers
from explorer.ui.format import plain
from explorer.ui.fragment import fragment
from explorer.ui.widgets import choose, set_next
from transformer_core.analysis.attention_map import AttentionMap
from transformer_core.analysis.schedule import rates, smoothed_target
from transformer_core.errors import InputError
from transformer_core.model.stages import attention_kinds

_POLL = 0.15  # seconds between two redraws while nobody else trains
_BECAUSE = (
    N_("other parts do its work"),
    N_("nothing else does its work"),
    N_("it only helps while it learns"),
    N_("I just guess"),
)


def draw() -> None:
    """Draws the choice, the visitor's guess, and the two models: before, while and after they learn."""
    session = current()
    titles = {key: _(each.title) for key, each in ABLATIONS.items()}
    with pickers.line():
        name = choose("experiment", _("Change"), list(ABLATIONS), titles, listed=True)
    both = plans(name, session.settings.seed)
    question = _(ABLATIONS[name].question)
    st.markdown(f"{question} {findings.difference(*both)}")
    pair = session.ablation = session.ablation or runs.unwatched_pair()
    pair = pair if pair is not None and pair.name == name else None
    _guess(name, pair)
    with document.notes():
        if (refused := session.take_notice()) is not None:
            st.error(plain(i18n.error(refused)), icon=":material/hourglass_top:")
    if pair is None:
        _picture(name, both, [untrained(plan) for plan in both])
        return
    baseline, ablated = (
        resources.training_scheduler().view_run(run_id, runs.viewer()) for run_id in (pair.baseline, pair.ablated)
    )
    if baseline is None or ablated is None:
        st.info(_("These runs are no longer on the server. Train both again."))
        return
    _live(pair, baseline, ablated)


def _guess(name: str, pair: AblationPair | None) -> None:
    """Draws the question what will happen and why, and the button that starts both runs. The guess stays as it was while they
    learn.
    """
    said = asking.of_address("break", name, (len(OUTCOMES), len(_BECAUSE), 0))
    if pair is not None:
        said = Said([*OUTCOMES].index(pair.guess), said.because)
    is_fixed = pair is not None and _are_learning(pair)
    question = _("The task is to copy sequences of ten numbers, {target:.0%} of them exactly. What do you expect?")
    with st.container(key="guess", horizontal=True, vertical_alignment="bottom"):
        guess, why = asking.expectation(
            f"break-{name}",
            "first",
            _outcomes(),
            said.choice,
            [_(each) for each in _BECAUSE],
            said.because,
            label=question.format(target=TARGET),
            is_fixed=is_fixed,
        )
        _button(name, guess, why, "train-both")


def _outcomes() -> list[str]:
    return [_(each) for each in OUTCOMES.values()]


def _button(name: str, guess: int | None, why: int | None, key: str) -> None:
    st.button(
        _("Train both"),
        icon=":material/play_circle:",
        type="primary",
        disabled=guess is None,
        on_click=_begin,
        args=(name, guess, why, current().settings.seed),
        key=key,
        help=_("First choose what you expect.") if guess is None else None,
    )


def _new_case(name: str) -> None:
    """Asks the same of the next part; its two runs answer."""
    names = [*ABLATIONS]
    new = names[(names.index(name) + 1) % len(names)]
    st.markdown(f"**{_('A new case')}**")
    asked = _("Now the change is: {part}. {what} What do you expect?")
    with st.container(key="new-case", horizontal=True, vertical_alignment="bottom"):
        guess, _why = asking.expectation(
            f"break-{new}",
            "new",
            _outcomes(),
            None,
            label=asked.format(part=_(ABLATIONS[new].title), what=_(ABLATIONS[new].question)),
        )
        _button(new, guess, None, "train-new")


def _are_learning(pair: AblationPair) -> bool:
    viewed = (resources.training_scheduler().view_run(run_id, runs.viewer()) for run_id in (pair.baseline, pair.ablated))
    return any(run is not None and not run.over for run in viewed)


def _begin(name: str, guess: int, why: int | None, seed: int) -> None:
    """Starts both runs; the pair before is dropped."""
    session, scheduler = current(), resources.training_scheduler()
    set_next("experiment", name)
    asking.keep_typed(f"break-{name}")
    asking.keep("break", name, Said(guess, why))
    before, session.ablation = session.ablation, None
    for run_id in (before.baseline, before.ablated) if before is not None else ():
        if (old := scheduler.view_run(run_id, runs.viewer())) is not None:
            scheduler.remove_run(old)
    baseline, ablated = (TrainingRun(plan, runs.owner(), lasts=True) for plan in plans(name, seed))
    baseline.pair = ablated.pair = pair = AblationPair(name, [*OUTCOMES][guess], baseline.id, ablated.id)
    try:
        for run in (baseline, ablated):
            scheduler.add_run(run, viewer=runs.viewer())
    except InputError as error:
        for run in (baseline, ablated):  # one of the two says nothing
            scheduler.remove_run(run)
        session.notice = Notice("break_it", error)
        return
    session.ablation = pair


def _live(pair: AblationPair, baseline: TrainingRun, ablated: TrainingRun) -> None:
    polling = not (baseline.over and ablated.over)
    both = baseline.plan, ablated.plan

    @fragment(run_every=run_status.poll_seconds(_POLL) if polling else None)
    def view() -> None:
        for run in (baseline, ablated):
            resources.training_scheduler().view_run(run.id, runs.viewer())  # somebody is watching
        histories = (baseline.history(), ablated.history())
        newest = [
            history.snapshots[-1] if history.snapshots else untrained(plan)
            for history, plan in zip(histories, both, strict=True)
        ]
        with document.notes():
            run_status.queue_note(ablated)  # it was started after the other
            run_status.busy_note(ablated)
            for history in histories:
                run_status.worker_note(history)
            _outcome(pair, histories)
        row = findings.telling_row(newest) if not polling else 0
        _answers(pair.name, both, newest, row)
        if pair.name == "smoothing":
            _confidence(both, histories)
        else:
            _picture(pair.name, both, newest, row)
        document.details("break", lambda: _details(pair, both, histories, newest))
        if polling and baseline.over and ablated.over:
            run_all_again()

    view()
    if not polling:
        _new_case(pair.name)


def _outcome(pair: AblationPair, histories: findings.Histories) -> None:
    """Says how far both are; at the end what happened, and whether it was guessed."""
    baseline, ablated = histories
    for title, history in ((_("baseline"), baseline), (_(ABLATIONS[pair.name].without), ablated)):
        if history.status == Status.FAILED:
            words = _("{run}: {error}").format(run=title, error=i18n.error(history.message))
            st.warning(plain(words), icon=":material/error:")
    if not all(history.status in OVER for history in histories):
        done = max(history.step for history in histories) / ablations.STEPS
        words = _("baseline: step {a:,} · ablated: step {b:,} · of at most {most:,}")
        st.progress(min(done, 1.0), words.format(a=baseline.step, b=ablated.step, most=ablations.STEPS))
        return
    if baseline.step and ablated.step:
        sentences = [
            *findings.expected(pair, histories),
            *findings.unreached(histories),
            *findings.cheated(pair, histories),
            *findings.right_rows(histories),
        ]
        st.success("  \n".join(sentences), icon=":material/science:")


def _details(
    pair: AblationPair, both: Sequence[TrainingPlan], histories: findings.Histories, newest: Sequence[Snapshot]
) -> None:
    """Draws the numbers of both runs, and their curves."""
    run_charts.draw({_("baseline"): histories[0], _(ABLATIONS[pair.name].without): histories[1]}, "break")
    if not all(history.status in OVER and history.step for history in histories):
        return
    maps = _maps(pair.name, both, newest, findings.telling_row(newest))
    st.markdown("  \n".join([*findings.happened(pair, histories), *findings.compared(pair, both, histories, maps)]))
    if measured := ABLATIONS[pair.name].measured:
        st.markdown(_(measured))
    words = _(
        "Each run stops at its first evaluation, on {n} held-out sequences, with {target:.0%} of them right. Such a first "
        "success is often a lucky one: exact match is the share right of other sequences, tried once, at the end; in "
        "brackets its 95% confidence interval."
    )
    st.caption(words.format(n=both[0].evaluated_on, target=TARGET))


def _maps(name: str, both: Sequence[TrainingPlan], seen: Sequence[Snapshot], row: int) -> list[AttentionMap]:
    """Returns the last layer's attention that the experiment is about, on one row, of the models that have it."""
    kind = ABLATIONS[name].attention
    return [
        snapshot.attention_map(plan, kind, -1, row)
        for plan, snapshot in zip(both, seen, strict=True)
        if kind in attention_kinds(plan.cfg)
    ]


def _answers(name: str, both: Sequence[TrainingPlan], seen: Sequence[Snapshot], row: int) -> None:
    """Draws what both write to one row."""
    titles = [_("baseline writes"), _("{without} it writes").format(without=_(ABLATIONS[name].without))]
    with st.container(key="both-answers"):
        answer_now.draw(both[0], dict(zip(titles, seen, strict=True)), row)


def _picture(name: str, both: Sequence[TrainingPlan], seen: Sequence[Snapshot], row: int = 0) -> None:
    """Draws what is compared: the attention of both; before the first step, where both are alike, their learning rates, or what
    they are to predict.
    """
    titles = [_("baseline"), _(ABLATIONS[name].without)]
    step = max(snapshot.step for snapshot in seen)
    if name == "smoothing":
        _targets(titles, both)
        return
    if step == 0 and both[0].cfg == both[1].cfg:
        schedules = {
            title: rates(ablations.STEPS, plan.cfg.d_model, plan.recipe) for title, plan in zip(titles, both, strict=True)
        }
        document.picture(
            curves(range(1, ablations.STEPS + 1), schedules, x_title=_("step"), y_title=_("learning rate")),
            _("the learning rate of every step. Nothing else differs: before the first step the two models are the same."),
            "break-schedule",
        )
        return
    maps = _maps(name, both, seen, row)
    drawn = matrices(
        np.stack([each.mean() for each in maps]),
        names=titles[: len(maps)],
        valid=np.stack([each.allowed for each in maps]),
        wide=2,
        size=280,
        **axes_of(maps[0]),
    )
    document.picture(drawn, " ".join([_how_to_read(name, step), findings.looks(name, both, maps)]), "break-attention")


def _targets(titles: Sequence[str], both: Sequence[TrainingPlan]) -> None:
    """Draws the probabilities that both are to predict, where the right number is 1."""
    task = both[0].task
    label = task.vocabulary.ids(["1"])[0]
    targets = {
        title: smoothed_target(task.vocab, label, plan.recipe.label_smoothing) for title, plan in zip(titles, both, strict=True)
    }
    document.picture(
        bars(task.vocabulary.decode(range(task.vocab)), targets, y_title=_("target probability")),
        _("what the models are to predict where the right number is 1. Before the first step nothing else differs."),
        "break-targets",
    )


def _confidence(both: Sequence[TrainingPlan], histories: findings.Histories) -> None:
    """Draws how sure both are of the right number, after every kept step."""
    titles = [_("baseline"), _(ABLATIONS["smoothing"].without)]
    sure = {
        title: (
            np.array([each.step for each in history.snapshots]),
            np.array([findings.sureness(each) for each in history.snapshots]),
        )
        for title, history in zip(titles, histories, strict=True)
        if history.snapshots
    }
    if not sure:
        _targets(titles, both)
        return
    last = "; ".join(f"{title}: {share_text(values[-1], 1)}" for title, (_steps, values) in sure.items())
    document.picture(
        overlaid(sure, x_title=_("step"), y_title=_("probability of the right number"), alt=last, grows=True),
        _(
            "the probability that each model gives the right number, averaged over the {rows} rows that are looked at. At the "
            "newest step: {last}."
        ).format(rows=len(histories[0].snapshots[-1].right), last=last),
        "break-confidence",
    )


def _how_to_read(name: str, step: int) -> str:
    if ABLATIONS[name].attention == "decoder":
        if step == 0:
            return _("the decoder's self-attention before training, averaged over the heads; × is masked.")
        return _("the decoder's self-attention at the newest step of each run, averaged over the heads; × is masked.")
    if step == 0:
        return _(
            "cross-attention before training, averaged over the heads. Each row is to write the token behind the arrow, and "
            "has just read the one before it."
        )
    return _(
        "cross-attention at the newest step of each run, averaged over the heads. Each row is to write the token behind the "
        "arrow, and has just read the one before it."
    )
