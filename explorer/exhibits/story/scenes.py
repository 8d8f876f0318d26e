"""The scenes of the story. Each draws one picture and returns at most two sentences about it; the last sums up in three."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.components import attention_view
from explorer.components.attention_view import Selection
from explorer.exhibits.shared.story_teller import BEGINNINGS, first_stories
from explorer.exhibits.story import findings, story_runs
from explorer.figures.matrix import matrix
from explorer.i18n import N_, _, current_language, share_text
from explorer.learning.run_history import RunHistory
from explorer.learning.snapshots import Snapshot
from explorer.model_on_screen import cuts
from explorer.model_on_screen.decoding import token_texts
from explorer.model_on_screen.forward import ModelChoice, model_of
from explorer.model_on_screen.model_at_step import ModelAtStep, find_model
from explorer.model_on_screen.settings import ModelSettings, first_task, of_task
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_attention import ShownAttention
from explorer.model_on_screen.shown_model import ShownModel, show_model
from explorer.model_on_screen.sources import reader_of
from explorer.model_on_screen.translator import known_words
from explorer.pictures.closer import next_word
from explorer.session import current
from explorer.ui import document, model_line
from explorer.ui.navigation import link
from explorer.ui.widgets import address_value, choose, set_next, text
from transformer_core.analysis import word_order
from transformer_core.analysis.attention_map import AttentionMap
from transformer_core.analysis.attention_metrics import attention_to_next
from transformer_core.analysis.cutting import Cut, LinkCut, WordCut
from transformer_core.analysis.pronoun import IT, AnswersChanged, answers_changed
from transformer_core.data.corpora import CORPORA
from transformer_core.data.sentence_text import sentence_text
from transformer_core.model.stages import LOGITS, AttentionKind, embedding_stage

PRONOUN = "pronoun-en"  # a task whose model comes with the app
_SENTENCE = "my sister likes the red car"
_SMALL_WORDS = ("determiners", "pronouns", "helpers", "links", "questions")  # kinds of words that say little alone
_ORDERS = ("the dog sees the cat", "the cat sees the dog")
_NEW_SENTENCES = 100  # sentences in which “it” is cut off from its noun
_LIKELIEST = 2  # next words that are drawn, with a look and without it
_SOURCES = {
    "paper": "[Vaswani et al. 2017](https://arxiv.org/abs/1706.03762)",
    "decoder": "[Radford et al. 2018](https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf)",
    "size": "[Brown et al. 2020](https://arxiv.org/abs/2005.14165)",
    "tuning": "[Ouyang et al. 2022](https://arxiv.org/abs/2203.02155)",
}
_POURED = "she poured water from the pitcher into the cup until it was {ending}"

Sentences = Sequence[str]


@dataclass(frozen=True)
class Scene:
    """One step of the story: a title, and a function that draws the picture and returns the sentences beside it. `asks`: how a
    question of the bank is answered that is asked below; "" for none.
    """

    title: str
    draw: Callable[[DeltaGenerator], Sentences]
    asks: str = ""


def _task() -> str:
    """Returns the task of a translator into a language that the visitor reads."""
    return first_task(current_language())


def _translator() -> ShownModel:
    """Asks for the story's sentence, and returns the translator that reads it."""
    return show_model(_settings())


def _settings() -> ModelSettings:
    """Asks for the story's sentence, and returns the settings of the translator that reads it."""
    help = _("In everyday English. Words that the model has never seen are named.")
    sentence = text("say", _("the sentence; type another"), _SENTENCE, help)
    settings = of_task(_task())
    said, why = current().answerable("say", sentence, reader_of(settings), _SENTENCE)
    if why is not None:
        pictures = ".st-key-story-words, .st-key-story-picture"
        document.refused_text(why, sentence, lambda _name, other: set_next("say", other), pictures)
    else:
        model_line.signs_not_read(said)
    return replace(settings, src=said)


def _written(model: ModelAtStep, ids: Sequence[int]) -> str:
    """Returns words of the translator's language as people write them."""
    assert model.translation is not None
    return sentence_text(model.vocabulary.decode(ids), model.translation.language)


def _last(shown: ShownModel, kind: AttentionKind) -> ShownAttention:
    """An attention of the model's last layer."""
    return shown.attention(kind, shown.cfg.n_layers - 1)


def _lines(
    drawn: AttentionMap | Sequence[AttentionMap],
    key: str,
    title: str,
    first: Selection | None = None,
    heads: Sequence[int] | None = None,
    mean: bool = False,
    captions: Sequence[str] = (),
    looks: str = "",
) -> None:
    """Draws attention as lines, without its matrix; `title` stands over the queries, `looks` over the keys."""
    titles = title, looks or _("looks at")
    film = [drawn] if isinstance(drawn, AttentionMap) else drawn
    attention_view.show(
        film,
        key,
        captions=captions,
        titles=titles,
        first=first,
        heads=heads,
        mean=mean,
        matrix=False,
        tools=False,
        numbered=False,
    )


def tokens(picture: DeltaGenerator) -> Sentences:
    """Draws the words of the sentence with their numbers, and the chosen word's row of the embedding table."""
    shown = _translator()
    words = shown.vocabulary.decode(shown.src)
    titles = {at: f"{word} {i}" for at, (word, i) in enumerate(zip(words, shown.src, strict=True))}
    with picture:
        at = choose("token", _("words and their numbers"), range(len(words)), titles)
        row = shown.forward()[embedding_stage("encoder", "tokens")][at]  # (d_model,)
        lines = max(n for n in range(1, math.isqrt(len(row)) + 1) if len(row) % n == 0)
        cells = row.reshape(lines, -1)
        drawn = matrix(cells, rows=lines, columns=cells.shape[1], signed=True, decimals=1)
        document.picture(drawn, _("each cell is one of the numbers: blue is positive, orange negative."), "story-row")
    return [
        _("A model has a list of {n:,} words, and reads each word as its number in the list: here are {k} **tokens**.").format(
            n=len(shown.vocabulary), k=len(words)
        ),
        _(
            "Each token is turned into {d} numbers, learned from examples. Here are those of “{word}”: choose another word."
        ).format(d=len(row), word=words[at]),
    ]


def one_look(picture: DeltaGenerator) -> Sentences:
    """Draws where the first content word looks, in the head in which it looks most at another; of a sentence without such a
    word, the strongest link.
    """
    shown = _translator()
    attention = _last(shown, "encoder").map
    assert shown.translation is not None
    kinds = known_words(shown.translation)
    small = {form for kind in _SMALL_WORDS for entry in kinds.get(kind, ()) for form in entry}
    first = next((i for i, word in enumerate(attention.query_tokens) if word not in small), None)
    head, query, _key = strongest = findings.strongest_link(attention.weights, first)
    with picture:
        _lines(attention, "story-look", _("the word"), Selection("query", query), [head])
    return [
        findings.one_look(attention.weights, attention.query_tokens, strongest),
        _("This is **attention**: choose another word to see where it looks."),
    ]


def many_looks(picture: DeltaGenerator) -> Sentences:
    """Draws, in all heads, the word from which they look at the most different words."""
    attention = _last(_translator(), "encoder").map
    place = findings.most_views(attention.weights)
    with picture:
        _lines(attention, "story-heads", _("the word"), Selection("query", place))
    return [
        _(
            "One look mixes all that it finds into one average, so this layer looks {h} times at once: each of these "
            "attentions is called a **head**."
        ).format(h=len(attention.weights)),
        findings.views(attention.weights, attention.query_tokens, place),
    ]


@shared_cache(2**16)
def _answers(task: str, choice: ModelChoice, positions: bool) -> tuple[str, ...]:
    """The translator's answers to the same words in two orders."""
    translator, model = find_model(of_task(task)), model_of(choice)
    vocabulary = translator.vocabulary
    assert vocabulary.start is not None and vocabulary.end is not None
    sources = [vocabulary.encode(sentence) for sentence in _ORDERS]
    given = model if positions else word_order.without_positions(model)
    generated = word_order.answers(given, sources, vocabulary.start, vocabulary.end, 2 * len(sources[0]) + 4)
    return tuple(_written(translator, ids) for ids in generated)


def two_orders(picture: DeltaGenerator) -> Sentences:
    """Shows the translations of the same words in two orders, with positions or without."""
    positions = choose("order_positions", _("positions"), ["on", "off"], {"on": _("on"), "off": _("off")}) == "on"
    answers = _answers(_task(), find_model(of_task(_task())).choice, positions)
    for sentence, answer in zip(_ORDERS, answers, strict=True):
        picture.metric(sentence, answer or "–", border=True)
    return [
        findings.order(positions, answers),
        _("Now switch the positions off.")
        if positions
        else _(
            "The attention that reads the English words does not know which comes first: positions have to be added to them."
        ),
    ]


def translation(picture: DeltaGenerator) -> Sentences:
    """Draws where the model looks before it writes each word, whole or without the line of one word; and then the likeliest
    next words, with that look and without it."""
    likeliest = st.container()  # above the field of the sentence
    settings = _settings()
    shown = show_model(settings)
    attention = _last(shown, "cross").map
    weights, words = attention.mean(), attention.next_tokens[:-1]
    titles = {-1: _("nothing"), **dict(enumerate(words))}
    with picture:
        at = choose("story_line", _("cut the line of"), [*titles], titles)
    if at == -1:
        with picture:
            _lines(attention, "story-cross", _("reads → writes"), mean=True)
        return [
            _("The model writes “{answer}”, one word at a time.").format(answer=_written(shown.model, shown.answer[1:])),
            findings.crossing(weights[: len(words)], words, attention.key_tokens),
        ]
    key = int(weights[at].argmax())
    cut = show_model(replace(settings, cut=cuts.written([LinkCut("cross", None, None, at, key)])))
    broken = replace(cut, text=replace(cut.text, tgt=cut.answer))
    with picture:
        _lines(_last(broken, "cross").map, "story-cross", _("reads → writes"), mean=True)
    whole, lone = next_word(shown.choice, shown.src, shown.tgt, at, key)
    with likeliest:
        _next_words(shown, whole, lone, attention.key_tokens[key])
    before, after = (_written(each.model, each.answer[1:]) for each in (shown, cut))
    word, other = int(whole.argmax()), int(lone.argmax())
    (named, instead), source = token_texts(shown, (word, other)), attention.key_tokens[key]
    return [
        findings.brought(source, named, float(whole[word]), instead, float(lone[other])),
        findings.without_line(before, after),
    ]


def _next_words(shown: ShownModel, whole: np.ndarray, lone: np.ndarray, source: str) -> None:
    """Draws the likeliest next words with a look at a word, and without it. Shape: whole, lone (vocab,)"""
    lines = []
    for title, probabilities in ((_("with the look at “{source}”").format(source=source), whole), (_("without it"), lone)):
        lines.append(f"<p>{escape(title)}</p>")
        ids = probabilities.argsort()[::-1][:_LIKELIEST]
        for word, share in zip(token_texts(shown, ids.tolist()), probabilities[ids].tolist(), strict=True):
            bar = f'<i><u style="width: {share:.1%}"></u></i>'
            lines.append(f"<div><b>{escape(word)}</b>{bar}<span>{escape(share_text(share))}</span></div>")
    st.html(f'<div class="next-words">{"".join(lines)}</div>')


@shared_cache(2**16)
def _answers_changed(choice: ModelChoice) -> AnswersChanged:
    return answers_changed(model_of(choice), CORPORA[PRONOUN](), IT[PRONOUN], _NEW_SENTENCES)


def pronoun(picture: DeltaGenerator) -> Sentences:
    """Draws the attention of “it” for two endings of one sentence, whole, without its link to the noun, or without that of the
    answer."""
    ending = choose("ending", _("until it was ..."), ["full", "empty"])  # words of the sentence, which is English
    settings = replace(of_task(PRONOUN), src=_POURED.format(ending=ending))
    whole = show_model(settings)
    looks = _last(whole, "encoder").map
    it = looks.query_tokens.index(IT[PRONOUN])
    place = findings.favourite(looks.weights, it)
    noun = looks.key_tokens[place]
    made: dict[str, list[Cut]] = {
        "nothing": [],
        "link": [LinkCut("encoder", None, None, it, place)],
        "look": [LinkCut("cross", None, None, query, place) for query in range(CORPORA[PRONOUN]().longest[1])],
    }
    titles = {"nothing": _("nothing"), "link": _("from “it”"), "look": _("from the answer")}
    cut = choose("story_cut", _("cut the look"), list(titles), titles)
    shown = show_model(replace(settings, cut=cuts.written(made[cut])))
    with picture:
        _lines(_last(shown, "encoder").map, "story-it", _("the word"), Selection("query", it))
    answer, before = (" ".join(each.vocabulary.decode(each.answer)[1:]) for each in (shown, whole))
    if cut == "nothing":
        return findings.pronoun(looks.weights, looks.query_tokens, it, answer)
    changed = _answers_changed(whole.choice)
    return (findings.without_link if cut == "link" else findings.without_look)(noun, answer, answer == before, changed)


def learning(picture: DeltaGenerator) -> Sentences:
    """Plays a training run as a film, from its first step to its last."""
    recordings = story_runs.waited_for("baseline")
    if not recordings:
        return []
    (run,) = recordings
    film = [_recorded(run, snapshot, "cross") for snapshot in run.snapshots]
    captions = [_caption(snapshot, run.plan.recipe.evaluate_on) for snapshot in run.snapshots]
    with picture:
        _lines(film, "story-film", _("reads → writes"), captions=captions, looks=_("looks at the source"))
    first, last = (attention_to_next(film[i].weights) for i in (0, -1))
    return [
        _("A new model has learned to repeat rows of numbers, the **source**: here are {n} moments of its training.").format(
            n=len(film)
        ),
        findings.learned(first, last, run.right, run.rows, run.seconds),
    ]


def _recorded(run: RunHistory, snapshot: Snapshot, kind: AttentionKind) -> AttentionMap:
    """An attention of the recorded model's last layer on the first probe row, at a snapshot."""
    return snapshot.attention_map(run.plan, kind, -1, 0)


def _caption(snapshot: Snapshot, rows: int) -> str:
    if snapshot.step == 0:
        return _("step {n:,}, untrained").format(n=snapshot.step)
    return _("step {n:,}: {share:.0%} of {rows} right").format(n=snapshot.step, share=snapshot.exact_match, rows=rows)


def mask(picture: DeltaGenerator) -> Sentences:
    """Draws a decoder's attention with the mask, or of a model that was trained without one."""
    with picture:
        on = choose("story_mask", _("mask"), ["on", "off"], {"on": _("on"), "off": _("off")}) == "on"
    recordings = story_runs.waited_for("baseline", *([] if on else ["ablated"]))
    if not recordings:
        return []
    drawn = _recorded(recordings[-1], recordings[-1].snapshots[-1], "decoder")
    head, share = findings.ahead(drawn.weights)
    pair, own_row = _("reads → writes"), _("looks at its own row")
    with picture:
        if on:
            middle = len(drawn.query_tokens) // 2
            _lines(drawn, "story-mask", pair, Selection("query", middle), looks=own_row)
        else:
            _lines(drawn, "story-peek", pair, heads=[head], looks=own_row)
    if on:
        return [
            _(
                "In step 7 it looked at the source; here the **decoder**, the half that writes, looks at its own row, which "
                "training gives it whole."
            ),
            _(
                "To look at what it must write next is cheating: a **mask** hides from each number those that come after it. "
                "Choose one; then take the mask away."
            ),
        ]
    baseline, ablated = recordings
    return [
        _(
            "Without the mask, one of its {h} heads spends {share:.0%} of its attention on numbers further on in its own row, "
            "including the one it is about to write."
        ).format(share=share, h=len(drawn.weights)),
        findings.peeking((baseline.likely, baseline.right), (ablated.likely, ablated.right), baseline.rows),
    ]


def next_word_of_a_story(picture: DeltaGenerator) -> Sentences:
    """Draws a decoder alone that goes on with a story, with the person whom the next word stands for, or without."""
    task = first_stories(current_language())
    whole = show_model(replace(of_task(task), src=BEGINNINGS[task][0]))
    looks = _last(whole, "decoder").map.weights[:, -1].mean(axis=0)  # (key,)
    at = int(looks.argmax())
    name = token_texts(whole, [whole.tgt[at]])[0]
    with picture:
        reads = choose(
            "story_hidden", _("it reads"), ["all", "less"], {"all": _("all of it"), "less": _("not “{name}”").format(name=name)}
        )
    lone = replace(whole, choice=replace(whole.choice, cuts=cuts.Cuts((WordCut("tgt", at),))))
    word, other = (int(each.forward()[LOGITS][-1].argmax()) for each in (whole, lone))
    lone = replace(lone, text=replace(lone.text, last=other))
    drawn = _last(whole if reads == "all" else lone, "decoder").map
    with picture:
        last = Selection("query", len(drawn.query_tokens) - 1)
        _lines(drawn, "story-next", _("word read → next word"), last, mean=True, looks=_("looks back at"))
    said, instead = token_texts(whole, [word, other])
    told = _(
        "Take the **encoder** away: what is left reads a text from the left, and says how likely each word is to come next."
    )
    if reads == "all":
        now = _("Here it says **{word}**, and looks most at *{name}*. Hide *{name}* from it.").format(word=said, name=name)
    else:
        now = _("With *{name}* hidden, it says **{other}**; before, it said *{word}*.").format(
            name=name, other=instead, word=said
        )
    more = _(
        "ChatGPT writes so too, with a **decoder alone**: vastly larger, with far more read, and then trained to follow "
        "instructions and to give answers that people prefer."
    )
    return [f"{told} {now}", more]


def in_short(picture: DeltaGenerator) -> Sentences:
    """Sums the story up, says what became of it, and draws links to other pages, with the sentence of the story."""
    usual = of_task(_task())
    parameters = sum(each.numel() for each in model_of(find_model(usual).choice).parameters())
    seen: dict[str, str | int] = {
        "task": _task(),
        "src": str(address_value("say", _SENTENCE, str)),
        "layer": usual.n_layers - 1,
    }
    with picture:
        today = _(
            "**What people call AI today** keeps the attention, the layers and the next word ({paper}). Four things differ: a "
            "decoder alone ({decoder}), 175 billion parameters where this translator has {n:,}, far more text ({size}), and "
            "tuning afterwards on what people prefer ({tuning})."
        )
        st.markdown(today.format(n=parameters, **_SOURCES))
        link("heads", _("Words and lines, with sentences of your own."), **seen)
        link("attention", _("One attention weight, computed digit by digit."), **seen)
        link("be_the_head", _("Be the head: say where it looks."))
        link("predict", _("Predict what it will do, then see."))
        link("next_word", _("The next word; and how ChatGPT differs."))
        link("training", _("Train a model of your own."))
        link("break_it", _("What is each part for? Remove it and see."))
        link("home", _("The whole model, drawn on one page."))
    return [
        _("A sentence becomes numbers, and every word looks at the others: that is **attention**, with several heads a layer."),
        _(
            "From what it finds, the model gives each word that it knows a probability of coming next; it writes one, and "
            "looks again."
        ),
        _("Nobody tells it where to look: it **learns** that from examples, and a cut shows what a look is for."),
    ]


SCENES = (
    Scene(N_("A sentence becomes tokens"), tokens),
    Scene(N_("One word looks at the others"), one_look),
    Scene(N_("Several heads, several views"), many_looks),
    Scene(N_("How does it know the order?"), two_orders),
    Scene(N_("Translating, word by word"), translation),
    Scene(N_("What is “it”?"), pronoun, asks="pronoun"),
    Scene(N_("Learning from examples"), learning),
    Scene(N_("What a mask is for"), mask),
    Scene(N_("From this to ChatGPT"), next_word_of_a_story),
    Scene(N_("In three sentences"), in_short),
)
