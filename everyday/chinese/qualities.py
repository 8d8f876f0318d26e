"""Qualities in Chinese: 很高兴, 是红色的, 又大又漂亮, 生病了, 开着."""

from dataclasses import dataclass

from everyday.chinese.adjectives import VERY
from everyday.chinese.phrases import Speaker
from everyday.chinese.words import COLOURS
from everyday.english import Word
from everyday.sentence import Quality
from everyday.words import Adjective

_CAN_BEGIN = frozenset("hungry thirsty tired angry".split())  # 饿了: a state that has begun
_STATES = {"open": "开", "closed": "关"}
_SO = ((0.4, "太"), (0.3, "真"), (0.3, "非常"))
_NOT_VERY = ((0.6, ("太",)), (0.4, ("是", "很")))
_HAS_NOT = ((0.6, "没"), (0.4, "没有"))
_ILL = ((0.6, "生病"), (0.4, "病"))
_BUSINESS = frozenset("shop restaurant school station hospital".split())  # open: 开门


@dataclass
class Qualities:
    """Says a quality of somebody or something.

    Attributes:
        of: the noun, name or pronoun that it is said of, or "this".
        be: the role of 很 and 是.
        no: 不 or 从不, in the role of "not" or "never"; None without negation.
        asks: whether the question ends in 吗 (A不A sets `asked`). why: whether it begins with why or when.
        plain: whether nothing is added to subject and quality.
    """

    speaker: Speaker
    of: str
    be: str = "be"
    no: Word | None = None
    asks: bool = False
    why: bool = False
    plain: bool = True
    asked: bool = False

    def said(self, quality: Quality) -> list[Word]:
        if len(quality.adjectives) == 1:
            return self.one(quality.adjectives[0], "q0", quality.degree)
        first, second = quality.adjectives
        names = {first.english, second.english}
        if not self.no and names <= COLOURS.keys():
            colours = [Word(COLOURS[each.english] + "色", f"q{i}") for i, each in enumerate(quality.adjectives)]
            return [Word("是", self.be), colours[0], Word("和", "q.and"), colours[1], Word("的", "q1")]
        if self.no or names & (COLOURS.keys() | _STATES.keys() | {"sick"}):
            self.plain = False
            between = Word("也" if self.no else "而且", "q.and")
            return [*self.one(first, "q0", quality.degree), between, *self.one(second, "q1", quality.degree)]
        one, other = self.words(first, "q0"), self.words(second, "q1")
        if quality.degree == "too":
            return [*_behind("太", "degree", one), *_behind("太", "degree", other), Word("了", "degree")]
        if quality.degree == "so":
            return [*_behind("这么", "degree", one), *_behind("这么", "degree", other)]
        if quality.degree or (not self.asks and not self.why and self.speaker.chance("also", 0.3)):
            very = self.speaker.choose("very", VERY) if quality.degree else "很"
            role = "degree" if quality.degree else self.be
            return [*_behind(very, role, one), Word("也", "q.and"), *_behind(very, role, other)]
        return [Word("又", "q.and"), *one, Word("又", "q.and"), *other]

    def words(self, adjective: Adjective, role: str) -> list[Word]:
        """Returns the adjective's form after 很."""
        said = self.speaker.joined(adjective, self.of)
        if said == ("不错",):
            said = ("好",)
        return [Word(text, role) for text in said]

    def one(self, adjective: Adjective, role: str, degree: str | None) -> list[Word]:
        english = adjective.english
        if english in COLOURS:
            return self.colour(COLOURS[english], role, degree)
        if english in _STATES:
            return self.state(_STATES[english], role)
        if english == "sick":
            return self.ill(role, degree)
        said = self.speaker.of(adjective, self.of)
        if said == ("不错",) and (self.no or self.asks or self.why or degree in ("too", "so")):
            said = ("好",)
        if english == "new" and not degree and self.plain and self.speaker.chance("new", 0.5):
            return [*self.without(), Word("是", self.be), Word("新", role), Word("的", role)]
        if said == ("不新鲜",) and self.no:
            return [Word("很", self.be), Word("新鲜", role)]
        words = [Word(text, role) for text in said]
        if english in _CAN_BEGIN and not degree and self.plain and not self.no and self.speaker.chance("begun", 0.4):
            return [*words, Word("了", role)]
        if english == "angry" and self.no and self.no.text == "不" and not degree and self.speaker.chance("begun", 0.4):
            return [Word("没", "not"), *words]
        return self.graded(words, degree)

    def without(self) -> list[Word]:
        return [self.no] if self.no else []

    def graded(self, words: list[Word], degree: str | None) -> list[Word]:
        *before, last = words
        if self.no and last.text == "有意思" and not degree:  # 有 is negated by 没 alone; 不太有意思 is said
            return [self.no._replace(text="没" if self.no.text == "不" else "从来没"), last]
        if self.no:
            return (
                [*before, *self.negated(degree), last]
                if self.no.text == "不"
                else [self.no, *before, *self.negated(degree)[1:], last]
            )
        if degree == "too":
            return [*_behind("太", "degree", words), Word("了", "degree")]
        if degree == "so":
            if self.why or self.asks:
                return _behind("这么", "degree", words)
            so = self.speaker.choose("so", _SO)
            return [*_behind(so, "degree", words), *([Word("了", "degree")] if so == "太" else [])]
        if degree:
            return _behind(self.speaker.choose("very", VERY), "degree", words)
        if self.asks:
            if len(last.text) == 1 and self.plain and self.speaker.chance("or not", 0.25):
                self.asked = True
                return [*words, Word("不", self.be), last]
            return words
        if self.why:
            return words if len(last.text) == 2 and self.speaker.chance("bare", 0.5) else _behind("这么", self.be, words)
        return _behind("很", self.be, words)

    def negated(self, degree: str | None) -> list[Word]:
        assert self.no
        if degree == "so":
            return [self.no, Word("那么", "degree")]
        if degree == "very":
            return [self.no, *(Word(text, "degree") for text in self.speaker.choose("not very", _NOT_VERY))]
        return [self.no, Word("太", "degree")] if degree else [self.no]

    def colour(self, sign: str, role: str, degree: str | None) -> list[Word]:
        if degree:
            return self.graded([Word(sign, role)], degree)
        return [*self.without(), Word("是", self.be), Word(sign + "色", role), Word("的", role)]

    def state(self, sign: str, role: str) -> list[Word]:
        door = self.of in _BUSINESS and self.speaker.chance("business", 0.5)
        if self.no and self.no.role == "adverb":
            return [self.no, Word(sign + "门" if door else sign + "着", role)]
        if self.no:
            return [Word(self.speaker.choose("has not", _HAS_NOT), "not"), Word(sign + "门" if door else sign, role)]
        return [Word(sign + "门", role), Word("了", role)] if door else [Word(sign + "着", role)]

    def ill(self, role: str, degree: str | None) -> list[Word]:
        if degree:
            return self.graded([Word(text, role) for text in ("病", "得", "重")], degree)
        if self.no:
            has_not = self.no if self.no.role == "adverb" else Word(self.speaker.choose("has not", _HAS_NOT), "not")
            return [has_not, Word("生病", role)]
        return [Word(self.speaker.choose("ill", _ILL) if self.plain else "生病", role), Word("了", role)]


def _behind(degree: str, role: str, words: list[Word]) -> list[Word]:
    """Puts 很 before the adjective itself: 跑 得 很 快."""
    return [*words[:-1], Word(degree, role), words[-1]]


TOKENS = set(
    "是 和 的 也 而且 太 了 这么 那么 又 很 不 没 没有 真 非常 生病 病 得 重 开着 关着 开 关 开门 关门 新 新鲜".split()
)
