"""One line that says which model is on screen, and how far it has learned."""

from html import escape

import streamlit as st

from explorer import i18n
from explorer.i18n import _, n_
from explorer.inference.course import Course
from explorer.inference.shown_model import ShownModel
from explorer.inference.truth import answer_text
from explorer.session import current
from explorer.training.task_titles import task_title
from explorer.ui import answer
from explorer.ui.format import plain

TEST_ID = "shown-model"
_TOKENS = 16  # of a decoder's input that are named


def draw(shown: ShownModel) -> None:
    """The line, and below it what else must be known to read the pictures."""
    cfg, course = shown.cfg, shown.course
    data = {
        "task": shown.task, "state": course.state, "step": course.step, "steps": course.last,
        "right": "" if course.right is None else f"{course.right:.4g}", "d-model": cfg.d_model, "heads": cfg.n_heads,
        "layers": cfg.n_layers, "seed": "" if course.seed is None else course.seed,
    }  # fmt: skip
    attributes = " ".join(f'data-{name}="{escape(str(value))}"' for name, value in data.items())
    with st.container(key="foot", gap=None):  # at the foot of the window, however far one has scrolled: see `shell/style.css`
        facts = enumerate(_facts(shown).items())  # a phone leaves some out: each brings what separates it from those before
        said = "".join(f'<span class="fact-{name}">{" · " if i else ""}{escape(fact)}</span>' for i, (name, fact) in facts)
        st.html(f'<div data-testid="{TEST_ID}" {attributes}>{said}</div>')
        if shown.in_words and (len(course.steps) > 1 or course.state == "learning" or shown.tgt[1:] != shown.answer[1:]):
            st.caption(_what_it_is_given(shown))
    if course.note is not None:
        st.info(plain(i18n.error(course.note)), icon=":material/restart_alt:")
    if shown.verdict is not None:
        # Seen only while the sidebar, where it stands below the sentence, is folded away: see `shell.main`.
        answer.draw(shown.verdict, "page", source=current().settings.src)
    if shown.unknown:
        unknown = ", ".join(plain(word[:40]) for word in shown.unknown[:20])
        st.caption(_("Not in the vocabulary, so read as \\<unk>: {words}").format(words=unknown))


def words(shown: ShownModel) -> str:
    """`English → French · 88 wide, 4 heads, 2 layers · learned for 26,000 steps · 97.0% of 200 held-out sequences right`"""
    return " · ".join(_facts(shown).values())


def _facts(shown: ShownModel) -> dict[str, str]:
    cfg, course = shown.cfg, shown.course
    heads = n_("{n} head", "{n} heads", cfg.n_heads).format(n=cfg.n_heads)
    layers = n_("{n} layer", "{n} layers", cfg.n_layers).format(n=cfg.n_layers)
    sizes = _("{width} wide, {heads}, {layers}").format(width=cfg.d_model, heads=heads, layers=layers)
    task = task_title(shown.task) or _("a file that does not name its task")
    said = {"task": task, "sizes": sizes, "learned": _learned(course)}
    if course.step and course.right is not None and course.rows:
        said["right"] = _("{share:.1%} of {n} held-out sequences right").format(share=course.right, n=course.rows)
    elif course.step and course.right is not None:
        said["right"] = _("{share:.1%} of held-out sequences right").format(share=course.right)
    return said


def _learned(course: Course) -> str:
    n = course.step
    if n == 0:
        return _("as initialised: nothing has been learned yet, so a pattern here means nothing")
    if course.state == "learning":
        return n_("still learning: {n:,} step so far", "still learning: {n:,} steps so far", n).format(n=n)
    if not course.says_steps:
        return _("learned for an unknown number of steps")
    if n < course.last:
        return _("learned for {n:,} of {all:,} steps").format(n=n, all=course.last)
    if course.diverged:
        return _("stopped after {n:,} steps: its loss or its gradient was no longer finite").format(n=n)
    if course.state == "cannot-learn":
        return _("stopped after {n:,} steps: it was no longer getting better").format(n=n)
    return n_("learned for {n:,} step", "learned for {n:,} steps", n).format(n=n)


def _what_it_is_given(shown: ShownModel) -> str:
    """What the decoder is given, where that need not be what it generates by itself. Always one line: pictures stay where they
    are while somebody moves through the learning."""
    if shown.typed:
        said = _("Given to the decoder, as you chose: “{given}”")
    elif shown.tgt[1:] == shown.answer[1:]:
        said = _("Given to the decoder, its own answer: “{given}”")
    elif shown.course.state in ("learned", "cannot-learn"):
        said = _("Given to the decoder, its answer at the end of learning (at this step it writes another): “{given}”")
    else:
        said = _("Given to the decoder, a right answer (at this step it writes another): “{given}”")
    return said.format(given=plain(_text(shown, shown.tgt[1:])))


def _text(shown: ShownModel, ids: tuple[int, ...]) -> str:
    text = answer_text(shown, ids[:_TOKENS])
    return f"{text} …" if len(ids) > _TOKENS else text
