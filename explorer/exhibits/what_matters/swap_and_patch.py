"""Swap and patch: two sentences that differ in one word, and one vector of the first put into the run on the second."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from explorer.exhibits.shared import measuring
from explorer.figures.matrix import matrix
from explorer.i18n import _, n_
from explorer.model_on_screen import swaps
from explorer.model_on_screen.decoding import token_texts
from explorer.model_on_screen.right_answers import answer_text
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.part_names import PARTS
from explorer.ui import document, pickers
from explorer.ui.format import plain, true_minus
from explorer.ui.widgets import choose, pick, set_next
from transformer_core.analysis.patching import LEAST, Pair, Restored, patch, restored
from transformer_core.model.stages import DECODER, ENCODER, parse_stage

_MOST = 40  # tokens of a source: each is patched at every layer
_HALF = 0.5  # half the difference between the two answers' log-odds
_NOTHING = 0.005  # a smaller share of that difference would be written as 0 %
_MOST_WORDS = 24  # the most words of an answer that are shown: an untrained model's may be long


@dataclass(frozen=True, eq=False)
class _Patches:
    """All patches of one stack.

    Shape: shares (stage, word)

    Attributes:
        stages, names: the stages that are patched, and their titles.
        words: the labels of the positions at which they are patched.
        shares: the share of the difference that each patch restores.
    """

    stack: str
    stages: Sequence[str]
    names: Sequence[str]
    words: Sequence[str]
    shares: np.ndarray

    @property
    def title(self) -> str:
        return _("encoder") if self.stack == ENCODER else _("decoder")


def draw(shown: ShownModel) -> None:
    """Draws the two sentences, the share that each patch restores, and the answer with one patch."""
    if (nothing := _nothing_to_swap(shown)) is not None:
        st.info(nothing)
        return
    titles = {"state": _("the state after a layer"), "output": _("what one part adds")}
    with pickers.line():
        place, word = _swap(shown)
        what = choose("patched", _("what is patched"), list(titles), titles)
    src = swaps.swapped(shown, place, word)
    _sentences(shown, place, src)
    if (pair := swaps.pair(shown, src)) is None:
        st.info(_("The model answers both sentences alike, so there is nothing to be restored. Choose another word."))
        return
    stages = swaps.stages(shown, of_parts=what == "output")
    patched = _restored(shown, pair, stages.get(ENCODER, []), stages[DECODER])
    if patched is None:
        return
    if not patched.is_measurable:
        st.info(
            _("The two differ by less than {least} nats there: too little to say what restores how much of it.").format(
                least=LEAST
            )
        )
        return
    words = {ENCODER: _labels(shown, shown.read, place, word), DECODER: shown.labels(pair.given)}
    if not shown.cfg.has_encoder:
        words = {DECODER: _labels(shown, (*shown.read, *pair.given), place, word)}
    shares = {ENCODER: patched.encoder, DECODER: patched.decoder}
    patches = [
        _Patches(stack, each, [_name(stage) for stage in each], words[stack], shares[stack]) for stack, each in stages.items()
    ]
    _pictures(patches, what)
    _one_patch(shown, pair, patches, what)
    document.details("swap_and_patch", lambda: _below(_where_they_part(shown, pair, patched), patches))


def _nothing_to_swap(shown: ShownModel) -> str | None:
    """Says why nothing can be swapped; None if something can."""
    if shown.cfg.has_encoder and not shown.cfg.cross_attention:
        return _("This model has no cross-attention: its decoder knows nothing of the source, so no source word matters.")
    if not swaps.places(shown) or not swaps.words_for(shown, swaps.places(shown)[-1]):
        return _("There is no word to be swapped here: type one more in the sidebar.")
    if len(shown.read) > _MOST:
        words = _("Up to {most} tokens can be patched. Shorten the source in the sidebar.")
        if not shown.cfg.has_encoder:
            words = _("Up to {most} tokens can be patched. Shorten the text in the sidebar.")
        return words.format(most=_MOST)
    return None


def _swap(shown: ShownModel) -> tuple[int, str]:
    """Draws the choice of the place that is swapped, and of the word."""
    at = swaps.places(shown)
    labels = [shown.read_labels[place] for place in at]
    place = at[pick("swap_place", _("swap"), labels, at.index(swaps.first_place(shown)))]
    words = swaps.words_for(shown, place)
    return place, choose("swap_word", _("for"), words, listed=True, default=swaps.first_word(shown, place))


def _sentences(shown: ShownModel, place: int, src: Sequence[int]) -> None:
    """Draws both sentences with their answers."""
    box = st.container(key="both-sentences")
    for title, ids in ((_("First"), shown.read), (_("Second"), src)):
        tokens = [plain(token) for token in token_texts(shown, ids)]
        tokens[place] = f":orange[**{tokens[place]}**]"
        sentence = _said(shown, swaps.answer(shown, tuple(ids)))
        box.markdown(_("**{title}**: {sentence} → “{answer}”").format(title=title, sentence=" ".join(tokens), answer=sentence))


def _said(shown: ShownModel, answer: Sequence[int]) -> str:
    """The text of an answer without its start and end tokens."""
    begun = 1 if shown.cfg.has_encoder else 0  # the start token
    return plain(answer_text(shown, [token for token in answer[begun:] if token != shown.vocabulary.end][:_MOST_WORDS]))


def _where_they_part(shown: ShownModel, pair: Pair, patched: Restored) -> str:
    one, other = (plain(token) for token in token_texts(shown, [pair.one, pair.other]))
    sentence = _(
        "Both have {tokens} tokens. The answers first differ at word {n}: “{one}” or “{other}”. The **log-odds** of “{one}” "
        "against “{other}” there: {first:+.1f} nats for the first sentence, {second:+.1f} for the second."
    ).format(
        tokens=len(pair.first),
        n=len(pair.given) + (not shown.cfg.has_encoder),
        one=one,
        other=other,
        first=patched.first,
        second=patched.second,
    )
    return true_minus(sentence)


def _name(stage: str) -> str:
    """The title of a stage that is patched."""
    name = parse_stage(stage)
    if name.layer is None:
        return _("embedding")
    if name.name != "output":
        return _("after layer {layer}").format(layer=name.layer)
    return _("layer {layer}, {part}").format(layer=name.layer, part=_(PARTS[str(name.part)]))


def _labels(shown: ShownModel, ids: Sequence[int], place: int, word: str) -> list[str]:
    labels = shown.labels(ids)
    labels[place] = _("{first} / {second}").format(first=labels[place], second=word)
    return labels


def _restored(shown: ShownModel, pair: Pair, encoder: Sequence[str], decoder: Sequence[str]) -> Restored | None:
    """Measures what the patches restore: at once, or for a large model after a button is pressed. None until all is known."""
    if not swaps.takes_turns(shown.choice, pair, encoder, decoder):
        return swaps.shares(shown.choice, pair, encoder, decoder, math.inf).whole
    so_far = swaps.shares(shown.choice, pair, encoder, decoder, 0.0)
    if so_far.whole is None:

        def find(left: Callable[[], float]) -> swaps.Shares:
            return swaps.shares(shown.choice, pair, encoder, decoder, left())

        asked = (shown.choice, pair, tuple(encoder), tuple(decoder))
        measuring.step_by_step("patches", asked, find, lambda _now: None, _("Patch every place"))
    return so_far.whole


def _pictures(patches: Sequence[_Patches], what: str) -> None:
    """Draws both stacks on one scale. A click on a cell chooses the patch of `_one_patch`."""
    titles = {
        ENCODER: (_("Encoder"), _("source word")),
        DECODER: (_("Decoder"), _("word that the decoder has read")),
    }
    if len(patches) == 1:
        titles[DECODER] = "", _("word that the model has read")
    most, before = max(float(np.abs(each.shares).max()) for each in patches), 0
    for place, each in zip(st.columns([len(each.words) + 8 for each in patches]), patches, strict=True):
        title, axis = titles[each.stack]
        picture = matrix(
            each.shares,
            rows=each.names,
            columns=each.words,
            row_title=_("vector"),
            column_title=axis,
            signed=True,
            title=_("restored"),
            cell=44,
        )
        with place:
            if title:
                st.markdown(f"**{title}**")
            picture = replace(picture, ends=np.array([[-most, most]], dtype=np.float32))
            clicked = document.picture(
                picture, _how_to_read(each.stack, what, len(patches) == 1), f"patch-{each.stack}", clickable=True
            )
        if clicked is not None:
            set_next(f"patch_{what}", before + int(clicked["y"]))
            set_next("patch_word", int(clicked["x"]))
        before += len(each.names)


def _how_to_read(stack: str, what: str, is_alone: bool) -> str:
    """`is_alone`: of a decoder alone, which has read the two texts."""
    if is_alone:
        return _(
            "one cell per vector, from top to bottom as the model computes: how much of the difference it restores by itself. "
            "0: as the second text alone; 1: as the first. In the columns before the swapped word there is nothing to restore: "
            "those words do not see it. Click a cell to see the answer."
        )
    if stack == ENCODER:
        return _(
            "one cell per vector, from top to bottom as the model computes: how much of the difference it restores by itself. "
            "0: as the second sentence alone; 1: as the first. Click a cell to see the answer."
        )
    if what == "output":
        return _("the same for the decoder, up to the first word at which the answers differ.")
    return _(
        "the same for the decoder, up to the first word at which the answers differ. Its embeddings restore nothing, for it "
        "has read the same words both times; the last state of the last word restores all, for the next word is computed from "
        "it alone."
    )


def _one_patch(shown: ShownModel, pair: Pair, patches: Sequence[_Patches], what: str) -> None:
    """Draws the choice of a patch and the answer with it. The first choice is the best patch of the encoder's last stage."""
    vectors = [(each, row) for each in patches for row in range(len(each.names))]
    labels = [_("{stack} · {vector}").format(stack=each.title, vector=each.names[row]) for each, row in vectors]
    left, right = st.columns(2)  # not a line of pickers: these labels are long
    with left:
        each, row = vectors[pick(f"patch_{what}", _("vector"), labels, 1 if len(patches) == 1 else len(patches[0].names) - 1)]
    with right:
        at = pick("patch_word", _("word"), each.words, int(each.shares[row].argmax()))
    answer = swaps.patched_answer(shown.choice, pair, each.stages[row], at, swaps.steps(shown), shown.vocabulary.end)
    if answer == swaps.answer(shown, pair.first):
        told = _(
            "With this patch, {share:.0%} of the difference is restored, and the answer to the second sentence becomes "
            "that of the **first**: “{answer}”."
        )
    elif answer == swaps.answer(shown, pair.second):
        told = _(
            "With this patch, {share:.0%} of the difference is restored, and the answer to the second sentence stays: "
            "“{answer}”."
        )
    else:
        told = _(
            "With this patch, {share:.0%} of the difference is restored, and the answer to the second sentence becomes "
            "that of neither: “{answer}”."
        )
    st.markdown(told.format(share=round(each.shares[row, at], 2) + 0.0, answer=_said(shown, answer)))


def _where(patches: Sequence[_Patches]) -> str:
    """Says, row by row, which vectors restore more than half by themselves; in a row without one, which restores most."""
    count = sum(int((each.shares > _HALF).sum()) for each in patches)
    first = n_(
        "**{n} of {all} vectors** restores more than half of the difference by itself:",
        "**{n} of {all} vectors** restore more than half of the difference by themselves:",
        count,
    ).format(n=count, all=sum(each.shares.size for each in patches))
    rows = (
        _("{stack} · {vector}: {found}").format(stack=each.title, vector=name, found=_strongest(row, each.words))
        for each in patches
        for name, row in zip(each.names, each.shares, strict=True)
    )
    return "\n".join([first, *(f"- {row}" for row in rows)])


def _strongest(row: np.ndarray, words: Sequence[str]) -> str:
    best = [f"“{plain(words[i])}” ({share:.0%})" for i, share in enumerate(row) if share > _HALF]
    if best:
        return ", ".join(best)
    most = int(row.argmax())
    if row[most] < _NOTHING:
        return _("none")
    return _("none; the most is “{word}” ({share:.0%})").format(word=plain(words[most]), share=row[most])


def _below(where_they_part: str, patches: Sequence[_Patches]) -> None:
    st.markdown(
        _(
            "Swap **one word** of a sentence. If the answer changes, where in the model is that decided? A **patch** takes one "
            "vector of its run on the first sentence and puts it into its run on the second: does the answer turn?"
        )
    )
    st.markdown(where_they_part)
    st.markdown(_where(patches))
    document.formula(
        r"\begin{gathered}r=\frac{m_{<patched>}-m_{<second>}}{m_{<first>}-m_{<second>}}\\"
        r"m=\ln\frac{p(<word_1>)}{p(<word_2>)}\end{gathered}",
        _(
            "Activation patching, which is younger than the paper. r is neither cut off at 0 nor at 1: a vector may push the "
            "answer the wrong way, or further than the whole sentence does."
        ),
        patched=_("patched"),
        first=_("first"),
        second=_("second"),
        word_1=_("the first answer’s word"),
        word_2=_("the second answer’s word"),
    )
    document.try_this(
        _(
            "Follow the swapped word through the encoder: after which layer does its own vector no longer restore the answer? "
            "Whose does then?"
        )
        if patches[0].stack == ENCODER
        else _(
            "Follow the swapped word from layer to layer: after which does its own vector no longer restore the answer? Whose "
            "does then?"
        ),
        _("Choose “what one part adds”: is it one sublayer, or do several restore a little each?"),
        _("Choose the task “what is “it”?”: is the answer decided at the word “it”?") if patches[0].stack == ENCODER else "",
    )
    document.the_code(restored, patch)
