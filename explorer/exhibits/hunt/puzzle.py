"""A translator with one broken part: looks with a price, an accusation, and the story of the fault."""

import datetime
import secrets
from dataclasses import replace
from typing import Any

import streamlit as st

from explorer.components import hunt as view
from explorer.exhibits.hunt import looks, words
from explorer.exhibits.hunt.game import (
    POINTS,
    PRICES,
    VARIANTS,
    WRONG,
    Game,
    Puzzle,
    puzzle_of,
    puzzle_of_day,
    read_accused,
    read_looks,
)
from explorer.exhibits.shared.first_sentences import EXAMPLES, FIRST, translator
from explorer.i18n import _, n_
from explorer.model_on_screen.sabotages import WHOLE, evidence, rows_answered_right
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shown_model import ShownModel, show_model
from explorer.model_on_screen.sources import reader_of
from explorer.model_on_screen.translator import source_ids
from explorer.pictures.start import refused
from explorer.session import current
from explorer.session.lesson_link import locks
from explorer.session.numbers import as_number
from explorer.ui.navigation import switch
from explorer.ui.widgets import address_value, opens, remember, set_next
from transformer_core.analysis.sabotage import SABOTAGES, Suspect
from transformer_core.errors import TextError

_NEW = {"looks": "", "accused": "", "after": "", "tried": ""}  # what a puzzle begins with


def draw() -> None:
    """Draws the puzzle of the address, or that of the day, as far as it has been played; then the ways on."""
    settings = translator()
    shown = show_model(replace(settings, src=FIRST[settings.task]))
    game, tried = _game(), str(address_value("tried", "", str))
    follows = view.show(
        _drawn(shown, game, tried),
        on_look=lambda look: _look(game, look),
        on_accuse=lambda suspect: _accuse(game, suspect),
        on_ask=lambda sentence: _begin(game.puzzle, tried=sentence),
        on_another=lambda: _begin(_another(game.puzzle), **_NEW),
    )
    if follows and game.is_over:
        way = words.WAYS[game.guilty.kind]
        switch(way.page, task=settings.task, **dict(way.choices))
    if box := opens("pose", _("Pose a puzzle"), ":material/extension:"):
        with box:
            _pose()


def _game() -> Game:
    """Reads the address: the puzzle, and what has been done with it. A step back gives no look back: what was seen stays paid,
    and so does an accusation.
    """
    puzzle = puzzle_of(int(address_value("puzzle", 0, _code))) or puzzle_of_day(_today())
    bought = _paid(puzzle, "looks", str(address_value("looks", "", _looks)))
    accused = _paid(puzzle, "accused", str(address_value("accused", "", _accused)))
    after = _paid(puzzle, "after", str(address_value("after", "", _looks)))
    return Game(puzzle, read_looks(bought) or (), read_accused(accused) or (), read_looks(after) or ())


def _looks(text: str) -> str | None:
    return None if read_looks(text) is None else text


def _accused(text: str) -> str | None:
    return None if read_accused(text) is None else text


def _paid(puzzle: Puzzle, name: str, said: str) -> str:
    """Returns what the address says of a puzzle, behind what was done with it before in this window; the address says both from
    now on."""
    kept, key = current().controls.kept, f"hunt-{puzzle.code}-{name}"
    kept[key] = ".".join(dict.fromkeys(filter(None, (*kept.get(key, "").split("."), *said.split(".")))))
    return remember(name, kept[key], "")


def _code(text: str) -> int | None:
    number = as_number(text, whole=True)
    return int(number) if number is not None and puzzle_of(int(number)) is not None else None


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


def _begin(puzzle: Puzzle, **given: str) -> None:
    """Puts a puzzle in the address, with what has been done (called in a callback)."""
    set_next("puzzle", puzzle.code)
    for name, value in given.items():
        set_next(name, value)


def _look(game: Game, look: str) -> None:
    if look in PRICES and game.affords(look):
        name, before = ("after", game.after) if game.is_over else ("looks", game.looks)
        _begin(game.puzzle, **{name: ".".join((*before, look))})


def _accuse(game: Game, name: str) -> None:
    if not game.is_over and read_accused(name):
        _begin(game.puzzle, accused=".".join((*map(str, game.accused), name)))


def _another(puzzle: Puzzle) -> Puzzle:
    """Draws a puzzle with another fault."""
    others = [number for number in SABOTAGES if SABOTAGES[number].suspect != puzzle.sabotage.suspect]
    return Puzzle(secrets.choice(others), puzzle.variant)


def _drawn(shown: ShownModel, game: Game, tried: str) -> dict[str, Any]:
    row = looks.examples(shown, game.puzzle)[0]
    sound, right = (rows_answered_right(shown, number) for number in (WHOLE, game.puzzle.number))
    assert shown.translation is not None
    return _asked(shown, game, tried) | {
        "puzzle": game.puzzle.code,
        "isSet": locks("puzzle"),
        "name": _("Today’s puzzle, the same for everybody")
        if game.puzzle == puzzle_of_day(_today())
        else _("Puzzle {code}").format(code=game.puzzle.code),
        "task": _("It got {whole} of {n} sentences right; with one part broken, {broken}.")
        if game.is_over
        else _("It got {whole} of {n} sentences right; now it gets only {broken}. Press the part that is broken."),
        "counts": {"whole": int(sound.sum()), "broken": int(right.sum()), "n": len(right)},
        "points": game.points,
        "most": POINTS,
        "left": n_("{n} point left", "{n} points left", game.points).format(n=game.points),
        "looks": [_offer(game, look) for look in PRICES],
        "dear": _("A look has to leave a point: only an accusation ends the game.")
        if any(not game.affords(look) and look not in game.seen for look in PRICES)
        else "",
        "answers": looks.answers(shown, game.puzzle),
        "panels": [looks.PANELS[look](shown, game.puzzle, row) | {"look": look} for look in game.seen if look != "ask"],
        "asking": "ask" in game.seen,
        "tried": tried,
        "examples": list(EXAMPLES),
        "known": list(shown.translation.source_words),
        "answerLanguage": shown.translation.language,
        "boxes": [
            {"title": _(title), "suspects": [_suspect(shown, game, suspect) for suspect in suspects]}
            for title, suspects in words.BOXES.items()
        ],
        "wrong": n_("wrong: costs {n} point", "wrong: costs {n} points", WRONG).format(n=WRONG),
        "accused": [str(suspect) for suspect in game.accused],
        "over": game.is_over,
        "story": _story(shown, game) if game.is_over else None,
    }


def _offer(game: Game, look: str) -> dict[str, Any]:
    """Describes the button of a look."""
    titles = {
        "ask": _("your own sentence"),
        "shares": _("which are wrong"),
        "writing": _("how it writes"),
        "encoder": _("encoder’s attention"),
        "cross": _("cross-attention"),
        "decoder": _("decoder’s attention"),
        "lengths": _("vector lengths"),
        "first": _("first difference"),
    }
    price = n_("{n} point", "{n} points", PRICES[look]).format(n=PRICES[look])
    is_seen, is_open = look in game.seen, game.affords(look)
    if not (is_seen or is_open):
        price = _("{price}: too dear now").format(price=price)
    return {
        "id": look,
        "title": titles[look],
        "price": _("seen") if is_seen else "" if game.is_over else price,
        "seen": is_seen,
        "open": is_open,
    }


def _suspect(shown: ShownModel, game: Game, suspect: Suspect) -> dict[str, Any]:
    """Describes the button of a suspect; what speaks against it, once it has been accused."""
    state = "" if suspect not in game.accused else "guilty" if suspect == game.guilty else "cleared"
    if game.is_over and suspect == game.guilty:
        state = "guilty"
    against = ""
    if state == "cleared":
        number = game.puzzle.number
        against = words.clears(suspect, evidence(shown, number), looks.right_without(shown, number))
    return {
        "id": str(suspect),
        "name": words.name_of(suspect),
        "does": words.what_it_does(suspect),
        "charge": words.charge(suspect),
        "state": state,
        "against": against,
    }


def _story(shown: ShownModel, game: Game) -> dict[str, Any]:
    """Tells what was broken: where it shows first, why it does harm, and how much."""
    number = game.puzzle.number
    found, right, without = evidence(shown, number), rows_answered_right(shown, number), looks.right_without(shown, number)
    fault = words.sabotage_words(game.puzzle.sabotage)
    title = _("Found, with {n} of {most} points left. {fault}.") if game.is_found else _("Not found. {fault}.")
    return {
        "title": title.format(n=game.points, most=POINTS, fault=fault),
        "way": _(words.WAYS[game.guilty.kind].words),
        "cards": [
            {"title": _("Where it shows first"), "text": words.where_first(found)},
            {"title": _("What gives it away"), "text": words.convicts(game.guilty, found, without, int(right.sum()))},
            {"title": _("Why it does harm"), "text": words.reason(game.guilty.kind)},
        ],
    }


def _asked(shown: ShownModel, game: Game, tried: str) -> dict[str, Any]:
    """Returns what both say to a sentence of one's own, `asked`; or why it is not read, `refused`, with others that are."""
    if "ask" not in game.seen or not tried:
        return {"asked": None, "refused": "", "offered": []}
    try:
        source = source_ids(shown.vocabulary, shown.translation, tried, reader_of(of_task(shown.task)).most)
    except TextError as error:
        return {"asked": None} | refused(error)
    return {"asked": looks.own_answers(shown, game.puzzle, source), "refused": "", "offered": []}


def _pose() -> None:
    """Lists every fault as a puzzle for somebody else."""
    st.markdown(_("Press a fault: its puzzle opens. Send its address to somebody: it does not give the fault away."))
    variant, columns = _today().toordinal() % VARIANTS, st.columns(2)
    for i, (number, sabotage) in enumerate(SABOTAGES.items()):
        columns[i * 2 // len(SABOTAGES)].button(
            words.sabotage_words(sabotage),
            key=f"pose-{number}",
            type="tertiary",
            on_click=_posed,
            args=(Puzzle(number, variant),),
        )


def _posed(puzzle: Puzzle) -> None:
    """Opens a puzzle for somebody else, and folds the list (called in a callback)."""
    _begin(puzzle, **_NEW)
    set_next("pose", False)
