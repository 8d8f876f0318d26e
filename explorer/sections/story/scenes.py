"""The steps of the story. Each draws its one picture and returns what is said about it: at most two sentences."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import contents, controls, server, state
from explorer.components import attention_view
from explorer.components.attention_view import Picture, Selection
from explorer.controls import Knobs
from explorer.sections.story import findings
from explorer.state import ModelKey, Site, View
from explorer.training.ablations import plans
from explorer.training.plan import TrainingPlan
from explorer.training.recordings import Recording
from explorer.words import _
from transformer_core.analysis import word_order

TRANSLATOR, PRONOUN = "translate-fr", "pronoun-en"  # trained models that come with the app
_SENTENCE = "the red cat sees a big house"
_ORDERS = ("the dog sees the cat", "the cat sees the dog")
_POURED = "she poured water from the pitcher into the cup until it was {ending}"
_POLL = 0.5  # seconds between two looks at a recording under way

Words = Sequence[str]


@dataclass(frozen=True)
class Step:
    """One step: a title that claims nothing, and what draws its picture into a place and returns the words beside it."""

    title: str
    play: Callable[[DeltaGenerator], Words]


def recordings() -> dict[str, Future[Recording]]:
    """The two runs that the story plays back: begun when somebody first opens it, and kept for everybody."""
    kept = server.recordings()
    return {name: kept.get(name, plan) for name, plan in _plans().items()}


def _plans() -> dict[str, TrainingPlan]:
    """Those of the page that takes parts away; a model without a mask is slow to be tried, so that it is tried less often."""
    whole, broken = plans("causal", seed=0)
    return {"whole": whole, "broken": replace(broken, recipe=replace(broken.recipe, evaluate_every=100))}


def _typed() -> View:
    """The translator on the sentence of the story, which may be typed anew."""
    words = _("Words it does not know become <unk>.")
    sentence = controls.text("say", _("the sentence: type another"), _SENTENCE, words)
    return state.view_of(Knobs(model=TRANSLATOR, src=sentence))


def _last(view: View, kind: str) -> Site:
    """An attention of the model's last layer."""
    return Site(view, kind, view.cfg.n_layers - 1)


def _lines(site: Site, key: str, first: Selection | None = None, heads: Sequence[int] | None = None) -> None:
    drawn = replace(Picture.of(site), row_title=_("asks"), column_title=_("is asked"))
    attention_view.show(drawn, key, first=first, heads=heads, matrix=False, tools=False)


def tokens(picture: DeltaGenerator) -> Words:
    """Words as the numbers of a list; a sentence of one's own may be typed."""
    view = _typed()
    row = picture.container(horizontal=True, key="story-tokens")
    for i, word in zip(view.src, view.vocabulary.decode(view.src), strict=True):
        row.metric(_("number {i}").format(i=i), word, border=True, width="content")
    unknown = _("The other words of this sentence it has never met: it reads <unk>.")
    return [
        _("A model knows a list of words, here {n:,}, and reads their numbers: this sentence is {k} **tokens**.").format(
            n=len(view.vocabulary), k=len(view.src)
        ),
        unknown if view.unknown else _("All it will ever know of “{word}” it has to find out by itself, from examples.").format(
            word=view.vocabulary.decode(view.src)[-1]
        ),
    ]  # fmt: skip


def one_look(picture: DeltaGenerator) -> Words:
    """The word, in the head, that looks at another one most."""
    site = _last(_typed(), "encoder")
    head, asks, _asked = findings.strongest_link(site["weights"])
    with picture:
        _lines(site, "story-look", Selection("query", asks), [head])
    return [
        findings.one_look(site["weights"], site.queries),
        _("This is **attention**: point at another word, and see where it looks."),
    ]


def many_looks(picture: DeltaGenerator) -> Words:
    """The word whose heads look at the most different words."""
    site = _last(_typed(), "encoder")
    place = findings.most_views(site["weights"])
    with picture:
        _lines(site, "story-heads", Selection("query", place))
    return [
        _("This layer of the model looks {h} times at once: each of these looks is called a **head**.").format(
            h=site.view.cfg.n_heads
        ),
        findings.views(site["weights"], site.queries, place),
    ]


@st.cache_data(max_entries=8, show_spinner=False)
def _answers(key: ModelKey, positions: bool) -> list[str]:
    """What the translator says to the same words in two orders."""
    view = state.view_of(Knobs(model=key.trained, src=_ORDERS[0]))
    vocabulary, model = view.vocabulary, state.model_of(key)
    assert vocabulary.start is not None and vocabulary.end is not None
    sources = [vocabulary.encode(sentence) for sentence in _ORDERS]
    given = model if positions else word_order.without_positions(model)
    said = word_order.answers(given, sources, vocabulary.start, vocabulary.end, 2 * len(sources[0]) + 4)
    return [" ".join(vocabulary.decode(ids)) for ids in said]


def two_orders(picture: DeltaGenerator) -> Words:
    """The same words in two orders, with positions and without."""
    positions = controls.choose("order_positions", _("positions"), ["on", "off"]) == "on"
    said = _answers(state.view_of(Knobs(model=TRANSLATOR, src=_ORDERS[0])).key, positions)
    for sentence, answer in zip(_ORDERS, said, strict=True):
        picture.metric(sentence, answer or "–", border=True)
    return [
        findings.order(positions, said),
        _("Now take the positions away.") if positions else _("Order is not in the words: it has to be told."),
    ]


def translation(picture: DeltaGenerator) -> Words:
    """Where the clearest head looks before each word that is said."""
    site = _last(_typed(), "cross")
    weights, says = site["weights"], [*site.queries[1:], _("(the end)")]
    head = int(weights.max(axis=2).mean(axis=1).argmax())  # the one that makes up its mind most clearly
    drawn = replace(Picture.of(site), rows=says, row_title=_("about to say"), column_title=_("looks at"))
    with picture:
        attention_view.show(drawn, "story-cross", heads=[head], matrix=False, tools=False)
    return [
        _("The model says: “{answer}”, one word at a time.").format(answer=" ".join(site.queries[1:])),
        findings.crossing(weights[head, : len(says) - 1], says, site.keys),
    ]


def pronoun(picture: DeltaGenerator) -> Words:
    """The row of “it”, for two ends of one sentence."""
    ending = controls.choose("ending", _("until it was ..."), ["full", "empty"])
    site = _last(state.view_of(Knobs(model=PRONOUN, src=_POURED.format(ending=ending))), "encoder")
    it, answer = site.queries.index("it"), site.view.vocabulary.decode(site.view.tgt)[1:]
    with picture:
        _lines(site, "story-it", Selection("query", it))
    return [
        _("Asked what “it” is, another model answers: “{answer}”.").format(answer=" ".join(answer)),
        findings.pronoun(site["weights"], site.queries, it, answer),
    ]


def learning(picture: DeltaGenerator) -> Words:
    """A training as a film: from untrained to its goal."""
    found = _waited_for("whole")
    if found is None:
        return []
    stage = [name for name in found.frames[0].weights if "cross_attn" in name][-1]
    film = np.stack([frame.weights[stage] for frame in found.frames])  # (picture, head, query, key)
    drawn = Picture(
        weights=film, rows=found.labels, columns=found.src, row_title=_("about to say"), column_title=_("looks at"),
        valid=np.ones(film.shape[2:], dtype=bool), film=[_film_words(frame.step, frame.exact) for frame in found.frames],
    )  # fmt: skip
    with picture:
        attention_view.show(drawn, "story-film", matrix=False, tools=False)
    return [
        _("A new model learned, on this server, to say a row of numbers again: these are {n} moments of it.").format(
            n=len(film)
        ),
        findings.learned(findings.aligned(film[0]), findings.aligned(film[-1]), found.exact, found.seconds),
    ]


def _film_words(step: int, exact: float | None) -> str:
    if exact is None:
        return _("step {n:,}, untrained").format(n=step)
    return _("step {n:,}: {share:.0%} right").format(n=step, share=exact)


def peeking(picture: DeltaGenerator) -> Words:
    """A model without a mask: what it sees in training, and what it can do alone."""
    broken = _waited_for("broken")
    if broken is None:
        return []
    whole = recordings()["whole"].result()  # which was trained before it
    stage = [name for name in broken.frames[-1].weights if name.startswith("decoder") and "self_attn" in name][-1]
    weights = broken.frames[-1].weights[stage]
    head, share = findings.ahead(weights)
    drawn = Picture(
        weights=weights, rows=broken.labels, columns=broken.tgt, row_title=_("about to say"), column_title=_("is handed in"),
        valid=np.ones(weights.shape[1:], dtype=bool),
    )  # fmt: skip
    with picture:
        attention_view.show(drawn, "story-peek", heads=[head], matrix=False, tools=False)
    return [
        _("Without the **mask** it may read ahead: {share:.0%} of what head {i} takes is from words yet to be said.").format(
            i=head, share=share
        ),
        findings.peeking((whole.likely, whole.exact), (broken.likely, broken.exact)),
    ]  # fmt: skip


def _waited_for(name: str) -> Recording | None:
    """A recording; while it is under way, says so and looks again."""
    future = recordings()[name]
    if future.done():
        return future.result()

    @st.fragment(run_every=_POLL)
    def wait() -> None:
        if future.done():
            st.rerun()
        st.info(_("This model is being trained on the server right now, once for everybody: some seconds."),
                icon=":material/model_training:")  # fmt: skip

    wait()
    return None


def your_turn(picture: DeltaGenerator) -> Words:
    """Where to go from here."""
    with picture:
        for name, words in (
            ("heads", _("Words and lines, with sentences of your own.")),
            ("attention", _("One look, followed digit by digit.")),
            ("training", _("Train a model of your own, in seconds.")),
            ("break_it", _("What is each part for? Take it away.")),
            ("home", _("The whole machine, drawn on one page.")),
        ):
            contents.link(name, words)
    return [_("No picture here was drawn by hand: small models computed all of it, on this server."), _("Now it is your turn.")]


STEPS = (
    Step(_("A sentence becomes tokens"), tokens),
    Step(_("One word looks at the others"), one_look),
    Step(_("Several heads, several views"), many_looks),
    Step(_("How does it know the order?"), two_orders),
    Step(_("Translating, word by word"), translation),
    Step(_("What is “it”?"), pronoun),
    Step(_("Learning from examples"), learning),
    Step(_("Taking the mask away"), peeking),
    Step(_("Your turn"), your_turn),
)
