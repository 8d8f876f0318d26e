"""Clauses in Chinese: subject, time, frequency, and action or state."""

from everyday.chinese.actions import HAS_NOT, WHERE, Doing, with_somebody
from everyday.chinese.commands import Command
from everyday.chinese.persons import at, has_a_name, identified, owner, speaker_of
from everyday.chinese.phrases import EITHER
from everyday.chinese.qualities import Qualities
from everyday.chinese.words import COLOURS, TIMES
from everyday.choice import Choose
from everyday.english import Word
from everyday.sentence import (
    Action,
    Being,
    Clause,
    Identity,
    Name,
    NounPhrase,
    Pronoun,
    Quality,
)

_ALWAYS = ((0.6, "总是"), (0.4, "一直"))
_OFTEN = ((0.6, "经常"), (0.4, "常常"))
_SOMETIMES = ((0.6, "有时候"), (0.4, "有时"))
_NEVER = ((0.5, "从不"), (0.5, "从来不"))
_THEN, _ONCE = ((0.6, "当时"), (0.4, "那时")), ((0.7, "以前"), (0.3, "曾经"))
_THIS_OR_THAT = ((0.6, "这"), (0.4, "那"))
_ITSELF = ((0.5, "它"), (0.3, "这"), (0.2, "那"))
_LASTING = frozenset("like love want need know understand live".split())
_PASSING = frozenset("happy sad tired hungry thirsty angry sick busy hot cold".split())
_WEATHER = frozenset("hot cold".split())


def clause(said: Clause, choose: Choose) -> list[Word]:
    return Saying(said, choose).said() if said.subject else Command(said, choose).said()


class Saying:
    """Says one clause that has a subject.

    Attributes:
        no: 不, in the role of "not", or 从不, in that of "never"; None without negation.
        asks: whether it is a question; one that ends without 吗 (是不是) sets `asked`.
    """

    def __init__(self, said: Clause, choose: Choose):
        self.clause, self.choose = said, choose
        self.speaker = speaker_of(said, choose)
        predicate = said.predicate
        what = isinstance(predicate, Action) and predicate.objects == (Pronoun("what"),)
        self.asks = said.question and not said.asked and not what and said.subject != (Pronoun("who"),)
        self.asked = False
        self.it = said.subject == (Pronoun("it"),)
        self.weather = (
            self.it and isinstance(predicate, Quality) and all(each.english in _WEATHER for each in predicate.adjectives)
        )
        self.no = Word("不", "not") if said.negated else None
        if said.adverb == "never":
            self.no = Word("从来不" if isinstance(predicate, Quality) else choose("never", _NEVER), "adverb")

    def said(self) -> list[Word]:
        said = self.clause
        if self.named():
            return [*self.name(), *self.end()]
        subject = self.subject()
        time, front = self.time()
        words = [time[0], *subject, *time[1:]] if front and time else [*subject, *time]  # 每天我都
        if said.asked == "why":
            why = Word("为什么", "asked")
            words = [why, *words] if self.speaker.chance("why first", 0.3) else [*words, why]
        elif said.asked == "when":
            words += [*self.was(), Word("什么时候", "asked")]
        if said.please and said.question:
            words.insert(0, Word("请问", "please"))
        return [*words, *self.predicate(), *self.end()]

    def end(self) -> list[Word]:
        said, predicate = self.clause, self.clause.predicate
        if not said.question:
            return [Word("，", "please"), Word("谢谢", "please")] if said.please else []
        if not self.asks:
            return [Word("？", "asked")]
        role = "be"
        if isinstance(predicate, Action) and predicate.tense != "progressive":
            role = "aux" if predicate.tense == "can" else "do"
        return [Word("？", role)] if self.asked else [Word("吗", role), Word("？", role)]

    # --- Who. -------------------------------------------------------------------------------------------------------------

    def subject(self) -> list[Word]:
        """Says the subject; 它 may be 天气, or nothing, or 这."""
        predicate, role = self.clause.predicate, "s0.noun"
        if not self.it:
            return self.speaker.phrases(self.clause.subject, "s", "subject")
        if self.weather:
            if self.clause.place:
                return []
            if self.clause.time or self.clause.past:
                return [Word("天气", role)] if self.speaker.chance("weather", 0.5) else []
            return [Word("天气" if self.speaker.chance("weather", 0.5) else "它", role)]
        if isinstance(predicate, Identity):
            somebody = not isinstance(predicate.what, NounPhrase) or "person" in predicate.what.noun.kinds
            return [Word(self.choose("it is", _THIS_OR_THAT if somebody else _ITSELF), role)]
        return [Word("它", role)]

    def of(self) -> str:
        """Returns what a quality is said of: a noun, a name or a pronoun."""
        first = self.clause.subject[0]
        if isinstance(first, NounPhrase):
            return first.noun.english
        if first.word == "they":
            return "it" if self.speaker.choose("they", self.speaker.they) == "它们" else "they"
        return first.word

    # --- When, and how often. ---------------------------------------------------------------------------------------------

    def time(self) -> tuple[list[Word], bool]:
        """Returns the words for the time, and whether they precede the subject."""
        said = self.clause
        if said.time is None:
            then = self.then()
            return ([Word(then, "be")] if then else []), self.weather
        words = [Word(TIMES[said.time], "time")]
        if said.time == "every day":
            tense = said.predicate.tense if isinstance(said.predicate, Action) else "present"
            if tense in ("can", "want", "need", "like", "love"):
                return [], False  # said after 想
            if self.no and said.negated:
                self.no = None
                return [Word("不", "not"), Word("是", "not"), *words, *self.all()], False
            words += [] if said.adverb else self.all()
        front = 0.7 if said.time_first else 0.3
        return words, self.weather or self.speaker.chance("time first", front)

    def all(self) -> list[Word]:
        return [Word("都", "time")] if self.speaker.chance("all", 0.4) else []

    def then(self) -> str | None:
        """Returns the word for "was" if no time is given."""
        said, predicate = self.clause, self.clause.predicate
        if not said.past or said.asked:
            return None
        if self.weather:
            return self.choose("then", _THEN)
        alive = not self.it and all(not isinstance(who, NounPhrase) or who.noun.alive for who in said.subject)
        if isinstance(predicate, Identity):
            return self.choose("once", _ONCE) if alive else None
        if isinstance(predicate, Quality):
            if not alive:
                enjoyed = {"food", "drink", "readable", "audible", "watchable"}
                first = said.subject[0]
                plain = self.it or (isinstance(first, NounPhrase) and first.noun.kinds & enjoyed)
                return None if plain or self.speaker.chance("then", 0.6) else "以前"
            if said.adverb or not all(adjective.english in _PASSING for adjective in predicate.adjectives):
                return "以前"
        elif said.adverb:
            return "以前"
        return self.choose("then", _THEN)

    def was(self) -> list[Word]:
        """Says 是 … 的, which asks when something was done."""
        predicate = self.clause.predicate
        past = isinstance(predicate, Action) and predicate.tense == "past" and not self.clause.negated
        return [Word("是", "do")] if past and self.speaker.chance("was", 0.5) else []

    def adverb(self) -> list[Word]:
        said, predicate = self.clause, self.clause.predicate
        if said.adverb == "always":
            if isinstance(predicate, Being):
                return [Word(self.choose("always", _ALWAYS), "adverb")]
            lasting = isinstance(predicate, Identity) or (
                isinstance(predicate, Quality) and all(each.english in COLOURS for each in predicate.adjectives)
            )
            if isinstance(predicate, Action):
                lasting = predicate.verb.english in _LASTING and predicate.tense == "present"
            return [Word("一直" if lasting else "总是", "adverb")]
        if said.adverb in ("often", "sometimes"):
            return [Word(self.choose("adverb", _OFTEN if said.adverb == "often" else _SOMETIMES), "adverb")]
        return []

    # --- What is said of the subject. -------------------------------------------------------------------------------------

    def predicate(self) -> list[Word]:
        said = self.clause
        before = [*([Word("也", "also")] if said.also else []), *self.adverb()]
        predicate = said.predicate
        if isinstance(predicate, Action):
            doing = Doing(self.speaker, said, self.no, said.time == "every day" or said.adverb is not None, self.asks)
            words = doing.said()
            self.asked = doing.asked
        elif isinstance(predicate, Quality):
            added = before or said.time == "every day" or said.past or said.place or said.company
            saying = Qualities(self.speaker, self.of(), no=self.no, asks=self.asks, why=bool(said.asked), plain=not added)
            words = [*self.around(), *saying.said(predicate)]
            self.asked = saying.asked
        elif isinstance(predicate, Identity):
            words = [*self.around(), *self.be("是"), *identified(predicate.what, "o0", self.speaker)]
        else:
            words = self.there()
        return [*before, *words]

    def around(self) -> list[Word]:
        """Says the place and the company of a state."""
        said = self.clause
        where = at(said, self.speaker)
        if self.weather:
            where = where[1:]  # 花园里很冷
        company = with_somebody(said.company, self.speaker, True) if said.company else []
        return [*where, *company]

    def be(self, be: str) -> list[Word]:
        """Says 是 or 在, negated, or as a question: 是不是."""
        if self.no:
            return [self.no, Word(be, "be")]
        lone = self.asks and not (self.clause.also or self.clause.adverb or self.clause.time == "every day")
        if lone and self.speaker.chance("or not", 0.25):
            self.asked = True
            return [Word(be, "be"), Word("不", "be"), Word(be, "be")]
        return [Word(be, "be")]

    def there(self) -> list[Word]:
        """Says where somebody is, and with whom."""
        said, speaker = self.clause, self.speaker
        if said.asked == "where":
            return [Word("在", "be"), Word(self.choose("where", WHERE), "asked")]
        where = at(said, speaker)[1:]
        first = said.subject[0]
        somebody = not isinstance(first, NounPhrase) or "person" in first.noun.kinds
        if somebody and said.place and said.place.where == "work" and speaker.chance("working", 0.6):
            where = [Word("上班", "p.noun")]
        if not said.company:
            return [*self.be("在"), *where]
        company = with_somebody(said.company, speaker, False)
        no = [self.no] if self.no else []
        if self.no and self.no.role == "not":
            no = [Word(self.choose("has not", HAS_NOT), "not")]
        if not where:
            return [*no, *company, Word("在", "be"), Word("一起", "c.prep")]
        together = [Word("一起", "c.prep")] if self.choose("together", EITHER) else []
        return [*no, *company, *together, Word("在", "be"), *where]

    # --- My name is Anna. -------------------------------------------------------------------------------------------------

    def named(self) -> bool:
        """True if the clause tells somebody's name."""
        said = self.clause
        if not (isinstance(said.predicate, Identity) and isinstance(said.predicate.what, Name) and len(said.subject) == 1):
            return False
        (whose,) = said.subject
        return isinstance(whose, NounPhrase) and has_a_name(whose)

    def name(self) -> list[Word]:
        """Says 我叫安娜 or 我的名字是安娜."""
        (whose,), predicate = self.clause.subject, self.clause.predicate
        assert isinstance(whose, NounPhrase) and isinstance(predicate, Identity)
        name = self.speaker.phrase(predicate.what, "o0", "what")
        no = [self.no] if self.no else []
        if self.speaker.chance("called", 0.6):
            return [*owner(whose, self.speaker), *no, Word("叫", "s0.noun"), *name]
        return [*self.speaker.phrase(whose, "s0", "subject"), *no, Word("是", "be"), *name]


_TABLES = (_ALWAYS, _OFTEN, _SOMETIMES, _NEVER, _THEN, _ONCE, _THIS_OR_THAT, _ITSELF)
TOKENS = {word for table in _TABLES for _, word in table} | set(
    "不 为什么 什么时候 请问 ， 谢谢 ？ 吗 天气 它 是 都 也 在 一起 叫 没 没有".split()
)
