"""Models of the same plan from other seeds, and how far their heads do the same."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import streamlit as st

from explorer import i18n, resources
from explorer.exhibits.shared import measuring
from explorer.exhibits.what_matters import seed_likeness, seed_pictures, seed_ranks
from explorer.exhibits.what_matters.seed_pictures import head_name
from explorer.i18n import _
from explorer.model_on_screen.other_seeds import Aligned, Matches, Pair, SeedModel, aligned, matches, other_seeds, seed_model
from explorer.model_on_screen.progress import progress, seconds_left
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import ShownModel
from explorer.session import current, learning, run_all_again
from explorer.ui import document, pickers
from explorer.ui.format import plain
from explorer.ui.fragment import fragment
from explorer.ui.widgets import choose
from transformer_core.analysis.head_matching import best_match, likeness, match_by
from transformer_core.model.stages import AttentionKind
from transformer_core.training.learning_plan import seconds_of_a_step

_COUNTS = (3, 2, 4)
_AT_ONCE = 0.5  # seconds of measuring between two pictures
_LOOK = 0.5  # seconds between two looks at a model that is learning


def draw(shown: ShownModel) -> None:
    """Compares the models that have been learned, and offers to learn the others."""
    st.markdown(
        _(
            "All random numbers of a training run, those of the first weights, of the data and of the dropout, follow from one "
            "number, the **seed**. The same plan with another seed gives another model. What of its heads is the same each "
            "time, and what is luck?"
        )
    )
    settings = current().on_screen
    if settings.model is not None:
        st.info(_("A model from a file or a run has no other seeds here: close it in the sidebar to compare seeds."))
        return
    mine = seed_model(settings)
    if mine is None:
        st.info(_("The model on screen has not learned yet: its other seeds come after it."))
        return
    kind, layer, head = pickers.which_head(shown.cfg, "cross")
    with pickers.row("seeds"):
        count = choose("other_seeds_count", _("other seeds"), _COUNTS)
        others = other_seeds(settings, count)
        there = [model for each in others if (model := seed_model(each)) is not None]
        if lacking := [each for each in others if seed_model(each) is None]:
            _learn(lacking, count)
    if there:
        _compare(shown, mine, there, kind, layer * shown.cfg.n_heads + head)
    document.details("other_seeds", lambda: _details(shown.cfg.has_encoder))


def _details(has_encoder: bool) -> None:
    document.formula(
        r"s_{ij}=1-\frac1R\sum_{r=1}^{R}\frac12\sum_{k}\left|a^{(i)}_{rk}-b^{(j)}_{rk}\right|",
        _(
            "How alike head i of one model and head j of another are: 1 minus the total variation distance of their weights, "
            "averaged over the queries of held-out sequences. Each head gets one match, in the same kind of attention but in "
            "any layer, so that the sum is largest; half of the sequences decide who is matched, the others tell how alike "
            "they are."
        ),
    )
    document.try_this(
        _("Choose each head in turn: which of them is much alike in every seed, and which in none?"),
        _("Compare the kinds of attention: in which are heads most alike across seeds?") if has_encoder else "",
        _("Move the step of learning to 0: how alike are heads that have learned nothing?"),
    )
    document.the_code(match_by, best_match, likeness)


def _learn(lacking: Sequence[ModelSettings], count: int) -> None:
    """Draws the button that lets the lacking models learn, or their progress."""
    now = current().learning.background_models
    if now is None:
        for each in lacking:
            if (refused := resources.learning().refused(each.plan().key)) is not None:
                st.warning(plain(i18n.error(refused)), icon=":material/hourglass_top:")
        plan = lacking[0].plan()
        most = plan.recipe.steps * seconds_of_a_step(plan)
        st.button(
            _("Let the other seeds learn"),
            key="learn-seeds",
            icon=":material/model_training:",
            type="primary",
            on_click=learning.learn_in_background,
            args=(lacking,),
        )
        st.caption(
            _(
                "Of {count} other seeds, {n} have to learn first, one after the other: each takes an estimated {seconds:.0f} "
                "seconds at most on one core, longer where others learn, too. You can go on meanwhile."
            ).format(count=count, n=len(lacking), seconds=most)
        )
        return

    @fragment(run_every=_LOOK)
    def view() -> None:
        learning.begin_next()
        besides = current().learning.background_models
        if besides is None or any(seed_model(each) is not None for each in lacking):
            run_all_again()  # the whole page: there is another model to be compared, or nothing to wait for
        following = besides.others[0]
        key = following.plan().key
        far, left = progress(key), seconds_left(key)
        share = 0.0 if left is None else far.seconds / (far.seconds + left[0])
        with pickers.row("seeds-progress"):
            st.progress(share, _time_left(following.seed, count - len(lacking) + 1, count, left))
            st.button(_("Cancel"), key="cancel-seeds", on_click=learning.cancel_background)

    view()


def _time_left(seed: int, i: int, n: int, left: tuple[int, bool] | None) -> str:
    if left is None:
        return _("Seed {seed} ({i} of {n}) is learning: one moment.").format(seed=seed, i=i, n=n)
    words = (
        _("Seed {seed} ({i} of {n}) is learning: about {left} s left.")
        if left[1]
        else _("Seed {seed} ({i} of {n}) is learning: at most {left} s left.")
    )
    return words.format(seed=seed, i=i, n=n, left=left[0])


@dataclass(frozen=True)
class _Comparisons:
    """The comparisons that have been measured so far; None for one that has not.

    Attributes:
        beside: how the heads of the model on screen match those of each other one.
        among: the same for all pairs of models that differ in their seed alone; untrained: for these before their first step.
        aligned: the best aligned head of each model.
    """

    beside: list[Matches | None]
    among: list[Matches | None]
    untrained: list[Matches | None]
    aligned: list[Aligned | None]

    @property
    def progress(self) -> tuple[int, int]:
        every = [*self.beside, *self.among, *self.untrained, *self.aligned]
        return sum(each is not None for each in every), len(every)


def _compare(shown: ShownModel, mine: SeedModel, there: Sequence[SeedModel], kind: AttentionKind, place: int) -> None:
    """Draws the pictures and the numbers, as far as they are known. `place`: of the chosen head, see `head_name`."""
    if shown.choice.is_changed:
        st.caption(_("Models are compared as they have learned, without your changes."))
    alike = [each for each in (mine, *there) if each.by_plan]
    beside: list[Pair] = [(mine.choice, each.choice) for each in there]
    among: list[Pair] = [(one.choice, other.choice) for one, other in combinations(alike, 2)]
    before: list[Pair] = [(one.untrained, other.untrained) for one, other in combinations(alike, 2)]
    untrained = [] if before == among else before
    models, task = [each.choice for each in (mine, *there)], shown.taught
    assert task is not None, "it is chosen in the sidebar"

    def found(seconds: float) -> _Comparisons:
        until = time.monotonic() + seconds

        def left() -> float:
            return max(until - time.monotonic(), 0.0)

        first, second, third = (matches(pairs, task, left()) for pairs in (beside, among, untrained))
        return _Comparisons(first, second, third, aligned(models, task, left()))

    unfinished = not measuring.is_all(found(0.0))

    @fragment(run_every=0.05 if unfinished else None)
    def view() -> None:
        now = found(_AT_ONCE if unfinished else 0.0)
        if unfinished and measuring.is_all(now):
            run_all_again()  # the whole page: nothing is left to be measured
        if unfinished:
            known, count = now.progress
            st.progress(known / count, _("Comparing heads…"))
        matched = [(each, match[kind]) for each, match in zip(there, now.beside, strict=True) if match is not None]
        if matched:
            seed_pictures.maps(shown, mine, matched, kind, place)
            seed_pictures.all_matches(shown, matched, kind)
        if not unfinished:
            _left_out([each for each in (mine, *there) if not each.by_plan])
            trained, before = ([each[kind] for each in pairs if each is not None] for pairs in (now.among, now.untrained))
            seed_likeness.draw(kind, len(alike), trained, before)
            _models(shown, mine, there, [each for each in now.aligned if each is not None])

    view()


def _left_out(others: Sequence[SeedModel]) -> None:
    if others:
        st.markdown(
            _(
                "Learned by another plan than these settings have by themselves, and so different in more than the seed: "
                "{which}. The means leave it out; the pictures do not."
            ).format(which=", ".join(_("seed {seed}").format(seed=each.seed) for each in others))
        )


def _models(shown: ShownModel, mine: SeedModel, there: Sequence[SeedModel], weights: Sequence[Aligned]) -> None:
    """Draws a table of the models: how far each has learned, and its best aligned head."""
    h, models = shown.cfg.n_heads, (mine, *there)
    best = [int(each.weights.argmax()) if each.n else None for each in weights]
    rows = []
    for model, each, at in zip(models, weights, best, strict=True):
        row = {_("seed"): model.seed, _("steps"): f"{model.learning.step:,}", _("right"): _right(model)}
        if at is not None:
            row |= {_("best aligned head"): head_name(at, h), _("aligned weight"): f"{each.weights[at]:.2f}"}
        rows.append(row)
    st.dataframe(rows, hide_index=True, key="seed-models")
    if best[0] is None:
        document.caption(_("the models that are compared: steps learned, and the share of held-out sequences right."))
    else:
        tops = [float(each.weights.max()) for each in weights]
        st.markdown(
            _(
                "In each of these {n} models, the best aligned head of the cross-attention puts {low:.2f} to "
                "{high:.2f} of its weight on the source token that the next token comes from; even attention would put "
                "{even:.2f} there ({labels} held-out tokens). Of the other seeds ({others}), {same} have that head in the same "
                "layer and of the same number as on screen; if any head were as likely as another, 1 in {heads} would."
            ).format(
                n=len(models),
                low=min(tops),
                high=max(tops),
                even=weights[0].even,
                labels=weights[0].n,
                same=sum(at == best[0] for at in best[1:]),
                others=len(there),
                heads=len(weights[0].weights),
            )
        )
        document.caption(
            _(
                "the models that are compared: steps learned, the share of held-out sequences right, and the head of the "
                "cross-attention with the most weight on the source token that the next token comes from, on average."
            )
        )
    seed_ranks.draw(shown, models)


def _right(model: SeedModel) -> str:
    learning = model.learning
    if learning.right is None or learning.rows is None:
        return ""
    return _("{share:.1%} of {n}").format(share=learning.right, n=learning.rows)
