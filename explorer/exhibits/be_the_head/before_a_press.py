"""Before a press: what will be written in a row where all heads look at one word? The press itself answers, and the next row is
the new case."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from explorer.components.be_the_head.component import Place
from explorer.exhibits.shared import asking
from explorer.exhibits.shared.asking import Asking, Question
from explorer.i18n import N_, _
from explorer.model_on_screen.decoding import token_texts
from explorer.model_on_screen.given_rows import Kind, single_looks
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import ShownModel
from explorer.rooms.outcomes import Outcome
from explorer.rooms.script import ELSE, Case, Choice
from explorer.ui.format import plain
from transformer_core.analysis.given_weights import content_places
from transformer_core.analysis.translation_metrics import CONTENT_WORDS

_NAME = "press"


class BeforeAPress:
    """The question of one level in one sentence: about the row that is asked for, or that before it, if its new case is on
    screen.

    Args:
        asked: the model with the sentence; drawn: of the picture "be-the-head".
        go: takes a place, as the address has it (in a callback).
    """

    def __init__(
        self,
        asked: ShownModel,
        settings: ModelSettings,
        drawn: Mapping[str, Any],
        place: Place,
        kind: Kind,
        go: Callable[[Place], None],
    ):
        self._asked, self._settings, self._place, self._kind, self._go = asked, settings, place, kind, go
        self._goals: Sequence[Mapping[str, Any]] = drawn["levels"][place["level"]]
        goal = place["goal"]
        is_new_case = goal > 0 and asking.of_address(_NAME, self._about(goal - 1)).new is not None
        self._goal = goal - 1 if is_new_case else goal

    def draw(self) -> None:
        """Draws the box that unfolds to the question."""
        asking.folded(_NAME, self._about(self._goal), self._asking)

    def pressed(self, place: Place) -> None:
        """Takes what somebody expects as said, if this is the press that the question is about (called in a callback)."""
        keys = self._keys(self._goal)
        if (
            keys
            and (place["level"], place["goal"]) == (self._place["level"], self._goal)
            and place["looks"] == [[keys[0], 100]]
        ):
            asking.take_chosen(_NAME, self._about(self._goal))

    def _about(self, goal: int) -> str:
        return f"{self._settings.task} {self._settings.src} {self._place['level']} {goal}"

    def _asking(self) -> Asking | None:
        first = self._question(self._goal, 0)
        is_last = self._goal + 1 >= len(self._goals)
        new = self._question(self._goal, 1) if is_last else self._question(self._goal + 1, 0)
        because = [
            _("the look decides which word comes over"),
            _("it has read the whole sentence"),
            _("the grammar wants that word"),
            _("I just guess"),
        ]
        return Asking(first, because, new) if first is not None else None

    def _keys(self, goal: int) -> list[int]:
        """Returns the words to look at that can be asked about, nouns, verbs and adjectives first: none that is what the level
        asks for, and none without a word that the model writes where it looks there itself."""
        if not self._goals:
            return []
        looks, query = single_looks(self._asked, self._kind), self._goals[goal]["query"]
        count = query + 1 if self._kind == "decoder" else len(self._asked.src)
        keys = [
            key
            for key in range(count)
            if key != looks.looked_at[query]
            and self._text(looks.written[query][key]) != self._goals[goal]["word"]
            and self._its_word(key) not in (None, looks.words[query])
        ]
        if self._kind == "decoder":
            return keys
        content = content_places(self._asked.vocabulary.decode(self._asked.src), CONTENT_WORDS)
        return sorted(keys, key=lambda key: key not in content)

    def _its_word(self, key: int) -> int | None:
        """Returns the word that the model writes where it looks most at this one; of its own words, the word itself."""
        looks = single_looks(self._asked, self._kind)
        if self._kind == "decoder":
            return looks.words[key - 1] if key > 0 else None
        return next((word for word, place in zip(looks.words, looks.looked_at, strict=True) if place == key), None)

    def _text(self, word: int) -> str:
        return token_texts(self._asked, [word])[0]

    def _question(self, goal: int, at: int) -> Question | None:
        keys = self._keys(goal)
        if at >= len(keys):
            return None
        key, looks = keys[at], single_looks(self._asked, self._kind)
        query, its = self._goals[goal]["query"], self._its_word(key)
        assert its is not None
        own, other, found = (self._text(word) for word in (looks.words[query], its, looks.written[query][key]))
        look = other if self._kind == "decoder" else token_texts(self._asked, self._asked.src)[key]
        choices = [Choice(_("still “{word}”").format(word=plain(own)), own), Choice(_("something else"), ELSE)]
        again = _("“{word}” once more") if self._kind == "decoder" else _("“{word}”, its word for “{look}”")
        choices.insert(1, Choice(again.format(word=plain(other), look=plain(look)), other))
        told = N_("With all heads on “{look}” it writes “{found}”; by itself it writes “{own}”.")
        values = {"look": plain(look), "found": plain(found), "own": plain(own)}
        place = {**self._place, "goal": goal, "looks": [[key, 100]], "own": False}
        return Question(
            _("By itself it writes “{own}” next. What if you press “{look}”?").format(own=plain(own), look=plain(look)),
            Case("", "", tuple(choices)),
            lambda: Outcome(found, [(told, values)], values),
            see=lambda: self._go(place),
        )
