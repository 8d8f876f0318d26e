"""One line that names the model on screen, and how far it has learned."""

from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from everyday.tokenizer import dropped
from explorer import i18n
from explorer.i18n import _
from explorer.model_on_screen.model_caption import facts, words
from explorer.model_on_screen.right_answers import answer_text
from explorer.model_on_screen.shown_model import ShownModel
from explorer.session import current
from explorer.ui import answer
from explorer.ui.format import plain

TEST_ID = "shown-model"
_TOKENS = 16  # shown tokens of a decoder's input


def draw(shown: ShownModel) -> DeltaGenerator:
    """Draws the line, and the model's answer to the sentence; returns the foot, for what else is to be said of the model."""
    learning = shown.learning
    attributes = " ".join(f'data-{name}="{escape(str(value))}"' for name, value in facts(shown.model).items())
    foot = st.container(key="foot", gap=None)
    with foot:  # at the foot of the window, however far it is scrolled: see `shell/style.css`
        parts = enumerate(words(shown).items())  # a phone hides some: each brings its own separator
        spans = "".join(f'<span class="fact-{name}">{" · " if i else ""}{escape(each)}</span>' for i, (name, each) in parts)
        st.html(f'<div data-testid="{TEST_ID}" {attributes}>{spans}</div>')
        if shown.model.in_words and (len(learning.steps) > 1 or learning.state == "learning" or _is_given_another(shown)):
            st.caption(_what_it_is_given(shown))
    if shown.verdict is not None:
        # Seen only while the sidebar, which shows it below the sentence, is folded away: see `shell/style.css`.
        answer.draw(shown.verdict, "page", current().on_screen.src, with_source=True)
    return foot


def notes(shown: ShownModel) -> None:
    """Draws what else must be known to read the pictures; mostly nothing."""
    learning = shown.learning
    if learning.note is not None:
        st.info(plain(i18n.error(learning.note)), icon=":material/restart_alt:")
    if shown.translation is not None and not shown.text.is_random and current().rerun.refused is None:
        signs_not_read(current().on_screen.src)
    if shown.text.unknown:
        unknown = ", ".join(plain(word[:40]) for word in shown.text.unknown[:20])
        st.caption(_("Not in the vocabulary, so read as \\<unk>: {words}").format(words=unknown))


def signs_not_read(text: str) -> None:
    """Names the signs of a sentence that a translator ignores, if there are any."""
    if signs := dropped(text):
        named = _(", ").join(f"“{plain(sign[:8])}”" for sign in signs[:8])
        st.caption(_("Left out, for the model reads words alone: {signs}").format(signs=named))


def _is_given_another(shown: ShownModel) -> bool:
    """True if the decoder is given something other than the model's own answer, and the words are not random."""
    return shown.text.is_random or shown.tgt[1:] != shown.answer[1:]


def _what_it_is_given(shown: ShownModel) -> str:
    """Says what the decoder is given, where it may differ from the model's own answer. Always one line, so that pictures keep
    their place while somebody moves through the learning.
    """
    if shown.text.typed:
        sentence = _("Given to the decoder, as you chose: “{given}”")
    elif shown.tgt[1:] == shown.answer[1:]:
        sentence = _("Given to the decoder, its own answer: “{given}”")
    elif shown.tgt[1:] == shown.original.answer[1:]:
        sentence = _("Given to the decoder, its answer before the changes: “{given}”")
    elif shown.learning.state in ("learned", "cannot-learn"):
        sentence = _("Given to the decoder, its answer at the end of learning (at this step it writes another): “{given}”")
    else:
        sentence = _("Given to the decoder, a right answer (at this step it writes another): “{given}”")
    return sentence.format(given=plain(_text(shown, shown.tgt[1:])))


def _text(shown: ShownModel, ids: tuple[int, ...]) -> str:
    text = answer_text(shown, ids[:_TOKENS])
    return f"{text} …" if len(ids) > _TOKENS else text
