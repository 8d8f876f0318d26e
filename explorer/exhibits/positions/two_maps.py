"""Two languages, one map: a translator's words in both languages, of which one is turned onto the other."""

from dataclasses import replace

import streamlit as st

from everyday.dictionary import DictionaryEntry
from explorer.components import word_map as view
from explorer.exhibits.shared import asking
from explorer.exhibits.shared.asking import Asking, Question
from explorer.i18n import N_, _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.word_map import course_of, entries_of, maps_of, read_again_of, shares_of
from explorer.pictures import word_map as pictures
from explorer.rooms.outcomes import Outcome
from explorer.rooms.script import Case, Choice
from explorer.session.address import as_option
from explorer.ui import document
from explorer.ui.navigation import link
from explorer.ui.widgets import address_value, set_next
from transformer_core.analysis import word_map
from transformer_core.analysis.word_map import Shares

_KINDS = {
    "people": N_("people"),
    "animals": N_("animals"),
    "food": N_("food and drink"),
    "things": N_("things"),
    "places": N_("places"),
    "adjectives": N_("adjectives"),
    "verbs": N_("verbs"),
    "numbers": N_("numbers"),
}
_FOLDED = {"colours": "adjectives"}  # kinds that count as another here
_LANGUAGES = {"fr": N_("French"), "zh": N_("Chinese")}
_ALIKE = 0.5  # share of pairs found from which two languages count as arranged alike


def draw(shown: ShownModel) -> None:
    entries = entries_of(shown)
    if not entries:
        _nothing_to_turn(shown)
        return
    language = _language(shown)
    st.markdown(
        _(
            "To a translator each word is a place: {d} numbers. Here are {n} English words and their {language} translations, "
            "seen from the same **two of {d}** directions. Press a word: which are nearest to it, in all {d}?"
        ).format(d=shown.cfg.d_model, n=len(entries), language=language)
    )
    _question(shown, entries)
    now, words = shares_of(shown), [each.english for each in entries]
    view.show(
        maps_of(shown),
        [_drawn_as(each) for each in entries],
        {"word": str(address_value("map_word", "", lambda given: as_option(given, words))), "turned": _is_turned()},
        language=_code(shown),
        kinds={kind: _(title) for kind, title in _KINDS.items()},
        titles=(_("English, read"), _("{language}, written").format(language=language)),
        said=(_before(now, language), _after(now, language)),
        on_place=_keep,
        code=pictures.word_map.live(),
    )
    document.caption(
        _(
            "with the hollow words the turn was found, **one rotation** for all; the filled ones had no part in it, and lines "
            "join them to their translations. Only two of {d} directions are seen, so partners look apart that are nearest in "
            "all {d}. A dashed line: there, too, another word is nearer."
        ).format(d=shown.cfg.d_model)
    )
    if now.forced >= _ALIKE:
        st.markdown(
            _(
                "**Why do only the filled ones count?** A rotation in {d} directions can bring {used} pairs together whatever "
                "they are: paired at random, {forced} hollow words have their partner nearest all the same."
            ).format(d=shown.cfg.d_model, used=now.used, forced=_of_all(now.forced, now.used))
        )
    _course(shown)
    document.details("two_maps", lambda: _details(shown))


def _nothing_to_turn(shown: ShownModel) -> None:
    if not shown.cfg.has_encoder:
        words = _("This model reads and writes with one language: there is no second map to turn onto the first.")
    elif shown.cfg.d_model < 2:
        words = _("To this model each word is one number: there is nothing to turn.")
    elif shown.translation is not None:
        words = _("This model’s language is too small for a map; a translator of everyday sentences has enough words.")
    else:
        words = _("This model does not translate: it has no two languages whose maps could be turned onto each other.")
    st.info(words)
    link("positions", _("The maps of a translator"), task="everyday-fr", part="two_maps")


# --- What somebody expects. ------------------------------------------------------------------------------------------


def _question(shown: ShownModel, entries: tuple[DictionaryEntry, ...]) -> None:
    asking.folded("map", f"{shown.task} {shown.model.choice}", lambda: _asking(shown, entries))


def _asking(shown: ShownModel, entries: tuple[DictionaryEntry, ...]) -> Asking:
    now, language, cat = shares_of(shown), _language(shown), entries[_place(entries, "cat")]
    values = {"word": cat.english, "other": cat.translation}
    first = _("To this model, do “{word}” and “{other}” lie in the same place?").format(**values)
    choices = Choice(_("yes: they mean the same"), "yes"), Choice(_("no"), "no")
    nearest = entries[int(maps_of(shown).across[_place(entries, "cat"), 0])].translation
    told: list[tuple[str, dict[str, object]]] = [
        (N_("Of these {n} {language} words, “{nearest}” is nearest to “{word}”."), {"n": len(entries), "nearest": nearest}),
        (N_("{found} of {judged} words have their translation nearest; by guessing it would be one or none."), {}),
    ]
    values |= {"language": language, "judged": str(now.n), "found": str(round(now.as_is * now.n))}
    answer = "yes" if nearest == cat.translation else "no"
    apart = Question(
        first, Case("", first, choices), lambda: Outcome(answer, [(text, values | own) for text, own in told], values)
    )
    second = _(
        "Half of the pairs tell how to turn the whole {language} map. Will the words of the other half then lie nearest to "
        "their translations?"
    ).format(language=language)
    choices = Choice(_("most of them"), "most"), Choice(_("fewer than half"), "few")
    result = [(N_("{found} of {judged} do; where the pairs are mixed up first, {mixed} on average."), _counts(now))]
    turned = Question(
        second,
        Case("", second, choices),
        lambda: Outcome("most" if now.turned >= _ALIKE else "few", result, {}),
        see=lambda: set_next("map_turned", "on"),
    )
    because = [
        _("it has learned that they mean the same"),
        _("nothing tells it to put them together"),
        _("the words of each language are used alike"),
        _("I just guess"),
    ]
    return Asking(apart, because, turned)


# --- What was measured. -----------------------------------------------------------------------------------------------


def _counts(now: Shares) -> dict[str, str]:
    return {"found": str(round(now.turned * now.n)), "judged": str(now.n), "mixed": f"{now.mixed * now.n:.1f}"}


def _of_all(share: float, n: int) -> str:
    return _("{found} of {n}").format(found=round(share * n), n=n)


def _before(now: Shares, language: str) -> str:
    words = _("As they are, {found} of {judged} words have their translation nearest, of {n} {language} words.")
    return words.format(found=round(now.as_is * now.n), judged=now.n, n=now.n + now.used, language=language)


def _after(now: Shares, language: str) -> str:
    words = _(
        "Turned, {found} of {judged} words that had no part in it have their translation nearest, of {n} {language} words; "
        "with pairs mixed up, {mixed} on average."
    )
    return words.format(n=now.n + now.used, language=language, **_counts(now))


def _course(shown: ShownModel) -> None:
    course = course_of(shown)
    if len(course) < 2:
        return
    document.section(_("Since when are they arranged alike?"))
    document.picture(pictures.word_map_course(shown), _course_words(shown, course))


def _course_words(shown: ShownModel, course: dict[int, Shares]) -> str:
    told = [
        _(
            "of {n} words that had no part in the turn, those whose translation is nearest, after kept steps of learning."
        ).format(n=course[shown.learning.step].n)
    ]
    alike = next((step for step, each in course.items() if each.turned >= _ALIKE), None)
    earlier = [step for step in course if alike is not None and step < alike]
    if alike is None:
        told.append(_("Up to here, turning brings fewer than half of them together."))
    elif earlier:
        before, found = (_of_all(course[step].turned, course[step].n) for step in (earlier[-1], alike))
        told.append(
            _("Turned, {before} at step {earlier:,} and {found} at step {first:,}: it comes about in between.").format(
                before=before, earlier=earlier[-1], found=found, first=alike
            )
        )
    if shown.choice.edits:
        told.append(_("Measured in the model as it was before you changed weights."))
    return " ".join(told)


# --- Details. ---------------------------------------------------------------------------------------------------------


def _details(shown: ShownModel) -> None:
    d, language = shown.cfg.d_model, _language(shown)
    st.markdown(
        _(
            "English words are rows of the table in which the encoder looks them up, {language} words rows of the output "
            "layer; each is made 1 long. Lengths and angles stay the same in a rotation: it only changes the side from which a "
            "map is seen. All {d} numbers are turned; drawn are the two directions in which both languages vary together most."
        ).format(language=language, d=d)
    )
    document.formula(
        r"R = \arg\min_{R^{\mathsf T} R = 1,\ \det R = 1} \sum_{<pairs>} \lVert y R - x \rVert^2 = U D V^{\mathsf T}, "
        r"\qquad Y^{\mathsf T} X = U S V^{\mathsf T}, \quad D = \operatorname{diag}(1, \dots, 1, \det U V^{\mathsf T})",
        _("Orthogonal Procrustes problem (Schönemann, 1966); not in the paper."),
        pairs=_("used pairs"),
    )
    if (again := read_again_of(shown)) is not None:
        st.markdown(
            _(
                "The decoder has a third table, in which it looks up the words that it has written. Turned in the same way, it "
                "brings {found} of {n} words to their translations."
            ).format(found=round(again.turned * again.n), n=again.n)
        )
    st.markdown(
        _(
            "What is measured is how the words of this model lie, not how that comes about: that both languages use their "
            "words alike is a guess."
        )
    )
    document.try_this(
        _("Go back with *learned for*, with the map turned: when do the pairs fall apart?"),
        _("Show the numbers alone: are they in one place, in both languages?"),
    )
    document.the_code(
        word_map.best_rotation, word_map.on_the_way, word_map.common_directions, word_map.nearest, word_map.shares
    )


# --- The address. -----------------------------------------------------------------------------------------------------


def _is_turned() -> bool:
    return address_value("map_turned", "off", lambda given: given if given in ("on", "off") else None) == "on"


def _keep(place: view.Place) -> None:
    """Puts a place in the address (called in a callback)."""
    set_next("map_word", place["word"])
    set_next("map_turned", "on" if place["turned"] else "off")


def _code(shown: ShownModel) -> str:
    assert shown.translation is not None
    return shown.translation.language


def _language(shown: ShownModel) -> str:
    return _(_LANGUAGES[_code(shown)])


def _drawn_as(entry: DictionaryEntry) -> DictionaryEntry:
    return replace(entry, kind=_FOLDED.get(entry.kind, entry.kind))


def _place(entries: tuple[DictionaryEntry, ...], english: str) -> int:
    return next(place for place, each in enumerate(entries) if each.english == english)
