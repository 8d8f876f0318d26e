"""Be the head: a row of weights that somebody gives, what the model writes with it, and its own row beside it.

The page sends one sentence with the goals of all levels. What is written with a row, and another sentence, the view asks for
over the connection of the live pictures (see `pictures.be_the_head`); without one, the page is told the row, and computes it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import streamlit as st

from explorer.components import live, register
from explorer.i18n import _, current_language
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.written_answer import FAINTEST

_component = register("be_the_head", looks_like="closer")
KEY = "be-the-head"
LEVELS = 4
Place = Mapping[str, Any]


def show(
    drawn: Mapping[str, Any],
    settings: ModelSettings,
    place: Place,
    look: Mapping[str, Any] | None,
    *,
    answer_language: str,
    known: Sequence[str],
    examples: Sequence[Sequence[str]],
    on_place: Callable[[Place], None],
    on_said: Callable[[str, int], None],
    refused: Mapping[str, Any] | None = None,
) -> None:
    """Draws the screen.

    Args:
        drawn: of the picture "be-the-head"; look: of "be-the-head-look", where the place has a row.
        settings: of the model.
        place: {"level", "goal", "looks", "own", "helped"}: both from 0; pairs (key, weight) of the row, weights from 1 to 100;
            whether the model's own row is shown; how many words of a whole sentence it has written by itself.
        answer_language: "fr" or "zh".
        known: English words, of which some are offered while one is typed.
        examples: by level, sentences that have a goal there.
        on_place: called when somebody has gone to another place; on_said: with a sentence that was typed, and the level.
        refused: why the sentence of a link is not shown, as the picture says it.
    """
    data = {
        "drawn": drawn,
        "look": look,
        "settings": asdict(settings),
        "place": dict(place),
        "address": live.PATH,
        "language": current_language(),
        "answerLanguage": answer_language,
        "between": "" if answer_language == "zh" else " ",
        "known": list(known),
        "examples": [list(each) for each in examples],
        "texts": _texts(),
        "faintest": FAINTEST,
        "refused": refused,
    }

    def moved() -> None:
        if (told := heard(st.session_state[KEY].get("place"))) is not None:
            on_place(told)

    def said() -> None:
        match st.session_state[KEY].get("said"):
            case {"sentence": str(sentence), "level": int(level)} if 0 <= level < LEVELS:
                on_said(sentence, level)

    _component(key=KEY, data=data, on_place_change=moved, on_said_change=said)


def heard(told: Any) -> Place | None:
    """Parses the browser's message of a place; None for anything invalid."""
    match told:
        case {"level": int(level), "goal": int(goal), "looks": list(looks), "own": bool(own), "helped": int(helped)}:
            are_pairs = all(isinstance(pair, list) and len(pair) == 2 for pair in looks)
            if 0 <= level < LEVELS and min(goal, helped) >= 0 and are_pairs and is_row(looks):
                return {"level": level, "goal": goal, "looks": looks, "own": own, "helped": helped}
    return None


def is_row(looks: Sequence[Sequence[Any]]) -> bool:
    """Returns whether these are pairs of a word and its weight, each word once."""
    whole = all(type(number) is int for pair in looks for number in pair)
    keys = [key for key, _weight in looks]
    return whole and len(set(keys)) == len(keys) and all(key >= 0 and 1 <= weight <= 100 for key, weight in looks)


def _texts() -> dict[str, Any]:
    return {
        "levelsName": _("Levels"),
        "levels": [_("the right word"), _("another word"), _("a whole sentence"), _("its own words")],
        "tasks": [
            _("Make it write {word}{gloss}. Where should it look?"),
            _("It would write {own}{ownGloss}. Make it write {word}{gloss} instead."),
            _("Word {n} of {all}: make it write {word}{gloss}."),
            _("It would write {own}{ownGloss}. Make it write {word}{gloss} again instead."),
        ],
        "none": _("This sentence has no word for this level. Take another sentence."),
        "stage": _("The words that can be looked at, and the word that is being written"),
        "ways": _("Other words and sentences"),
        "shares": _("Shares of your look"),
        "start": _("the start"),
        "end": _("the end"),
        "later": _("word {n}, not written yet"),
        "begin": _("Press a word: all heads look there as it writes this one. A second word takes half."),
        "beginDecoder": _(
            "Here it looks at what it has written. Press a word that stands before the one you want, not that word itself: "
            "there it was still to come."
        ),
        "looked": _("{word}: you look at it, {share}"),
        "remove": _("Look away from “{word}”"),
        "yours": _("With your look"),
        "itsOwn": _("With its own look"),
        "show": _("Show its own look"),
        "cover": _("Cover its own look"),
        "self": _("Let it choose"),
        "another": _("Another one"),
        "anotherSentence": _("Another sentence"),
        "next": _("Next level"),
        "right": _("You look at {looks}, and it writes {word}{gloss}: {share}."),
        "wrong": _("You look at {looks}, and it writes {word}{gloss}: not {wanted}."),
        "byItself": _("With its own look it writes {word}{gloss}: {share}."),
        "rest": _("It goes on by itself: {rest}"),
        "last": _("That was the last level. Where does its own look come from? Open q · k."),
        "two": _("One word is not enough here: press a second one, and move their shares."),
        "ownLook": _("Its own look, the mean of its heads: {looks}."),
        "share": _("{word} {share}"),
        "comma": _(", "),
        "finished": _("The sentence is written: {n} of {all} words by your looks."),
        "finishedAlone": _("The sentence is written: all {all} words by your looks."),
        "sentence": _("Another English sentence"),
        "ask": _("Ask"),
        "example": _("try: {sentence}"),
        "guess": _("The model was never taught such a sentence: its answer is a guess."),
        "away": _("The server does not answer. Try again in a moment."),
    }
