"""Actions in Chinese: 了, 过, 在, 会, 想, 没 and 不 in their places around the verb."""

from everyday.chinese.phrases import AND, EITHER, Speaker
from everyday.chinese.verbs import PARTS, SKILLS, VERBS, Verbs
from everyday.chinese.words import NUMBERS, TIMES, all_words, options
from everyday.english import Word
from everyday.sentence import Clause, NounPhrase, Phrase, Pronoun

WHERE = ((0.6, "哪里"), (0.4, "哪儿"))
HAS_NOT = ((0.6, "没"), (0.4, "没有"))
_GOING_ON = ((0.6, "在"), (0.4, "正在"))
_WHY_GOING_ON = ((0.5, "在"), (0.5, ""))
_CAN = ((0.6, "能"), (0.4, "可以"))
_WISH = ((0.7, "想"), (0.3, "要"))
_MUST, _NEED_NOT = ((0.6, "需要"), (0.4, "得")), ((0.6, "需要"), (0.4, "用"))
_LOVE = options("爱/很 喜欢/非常 喜欢")
_MUCH, _NOT_MUCH = ((0.5, "非常"), (0.5, "很")), ((0.6, ("太",)), (0.4, ("是", "很")))
_SO_MUCH = ((0.6, "非常"), (0.2, "好"), (0.2, "这么"))
_FELT = frozenset("like love want need".split())
_ASKED_SHORT = {"喜欢": "喜不喜欢", "认识": "认不认识", "知道": "知不知道", "需要": "需不需要", "可以": "可不可以"}
_ASKED_TWICE = frozenset("想 要 会 能 懂 爱 吃 喝 去 来".split())  # 想 不 想
_DONE, _ONCE = Word("了", "verb"), Word("过", "verb")


def with_somebody(company: Phrase, speaker: Speaker, together: bool) -> list[Word]:
    """和安娜, 和安娜一起."""
    said = [Word(speaker.choose("with", AND), "c.prep"), *speaker.phrase(company, "c", "company")]
    return [*said, Word("一起", "c.prep")] if together else said


class Doing(Verbs):
    """Says an action: all of a clause after its subject, its time and its adverb.

    Attributes:
        asks: whether it is a question; one that ends without 吗 (想不想) sets `asked`.
    """

    def __init__(self, speaker: Speaker, clause: Clause, no: Word | None, habit: bool, asks: bool):
        super().__init__(speaker, clause, no, habit)
        self.asks, self.asked = asks, False
        self.never = no is not None and no.role == "adverb"

    def said(self) -> list[Word]:
        if self.verb in ("go", "come"):
            return self.going()
        if self.verb == "live":
            return self.living()
        if (self.verb, "cannot") in VERBS and self.no and self.tense in ("present", "can"):
            cannot = self.cannot()
            if cannot:
                return cannot
        if self.tense == "past":
            return self.past()
        if self.tense == "progressive":
            return self.progressive()
        if self.tense == "present":
            return self.present()
        verb, objects = self.moved(self.parts())
        return [*self.helped(), *self.around(), *verb, *objects]

    # --- Before the verb. -------------------------------------------------------------------------------------------------

    def without(self) -> list[Word]:
        """Says 不 or 从不."""
        return [self.no] if self.no else []

    def without_yet(self) -> list[Word]:
        """Says 没 or 没有: it was not done, it is not being done."""
        return [Word(self.choose("has not", HAS_NOT), "not")] if self.no else []

    def helped(self) -> list[Word]:
        """Says 会, 能, 想, 喜欢 before another verb, negated or as a question (想不想)."""
        words = self.auxiliary()
        words = [*self.without(), *words] if self.no or not self.asks else self.twice(words)
        return [*words, Word(TIMES["every day"], "time")] if self.clause.time == "every day" else words

    def auxiliary(self) -> list[Word]:
        if self.tense == "can":
            said: tuple[str, ...] = (self.can(),)
        elif self.tense == "want":
            said = ("想" if self.no else self.choose("wish", _WISH),)
        elif self.tense == "need":
            said = (self.choose("need not", _NEED_NOT) if self.no else "需要" if self.asks else self.choose("must", _MUST),)
        elif self.tense == "love":
            said = ("喜欢",) if self.no else self.choose("love to", _LOVE)
        else:
            said = ("喜欢",)
        return [Word(text, "aux") for text in said]

    def can(self) -> str:
        """Returns 会 for what one has learned, unless it depends on the day or the place."""
        clause = self.clause
        skill = self.verb in SKILLS or (self.verb == "read" and not self.action.objects)
        if skill and not (clause.time or clause.place or clause.company or clause.adverb or clause.asked):
            return "会"
        return "能" if self.no else self.choose("can", _CAN)

    def twice(self, words: list[Word]) -> list[Word]:
        """Returns the first word, doubled in a question: 想不想, 喜不喜欢."""
        first, *more = words
        lone = not (self.clause.adverb or self.clause.also or self.clause.time == "every day")
        if lone and (first.text in _ASKED_SHORT or first.text in _ASKED_TWICE) and self.speaker.chance("or not", 0.25):
            self.asked = True
            if first.text in _ASKED_SHORT:
                return [Word(_ASKED_SHORT[first.text], first.role), *more]
            return [first, Word("不", first.role), *words]
        return words

    def around(self, marker: str = "") -> list[Word]:
        """Says place and company; `marker`: 在 or 正在 for what is going on (在花园里, 正在花园里)."""
        where, company = self.place(), self.company()
        if marker and where:
            return [where[0]._replace(text=marker), *where[1:], *company]
        if marker:
            return [Word(marker, "be"), *company]
        if where and company and self.speaker.chance("company first", 0.4):
            return [*company, *where]
        return [*where, *company]

    def place(self) -> list[Word]:
        place = self.clause.place
        if self.clause.asked == "where":
            return [Word("在", "asked"), Word(self.choose("where", WHERE), "asked")]
        if place is None or place.preposition == "to":
            return []
        return [Word("在", "p.prep" if place.preposition else "p.noun"), *self.speaker.where(place)]

    def company(self) -> list[Word]:
        company = self.clause.company
        if company is None or self.plaything():
            return []
        if isinstance(company, NounPhrase) and not company.noun.alive:
            return [Word("用", "c.prep"), *self.speaker.phrase(company, "c", "object")]
        return with_somebody(company, self.speaker, self.verb != "speak" and self.choose("together", EITHER))

    # --- Tenses. ----------------------------------------------------------------------------------------------------------

    def cannot(self) -> list[Word] | None:
        """Says 看不见 or 找不到 for what one does not or cannot see or find; None: it is said in the usual way."""
        if self.tense == "present":
            if self.verb not in ("see", "find"):
                return None
            if not self.never and not self.speaker.chance("cannot", 0.6):
                verb, objects = self.parts()
                return [Word("没", "not"), *self.around(), *verb, *objects]
        elif self.verb in ("open", "sleep") and not self.speaker.chance("cannot", 0.6):
            return None
        never = [Word("从来", "adverb")] if self.never else []
        return [*never, *self.around(), *self.one_of("cannot " + self.verb, VERBS[self.verb, "cannot"]), *self.objects()]

    def present(self) -> list[Word]:
        if self.verb == "have":
            has = self.having()
            return [*([Word("从来", "adverb")] if self.never else []), *self.around(), *has, *self.objects()]
        verb, objects = self.moved(self.parts())
        around = self.around()
        ability = self.verb == "speak" and objects and not (around or self.habit or self.clause.time or self.clause.asked)
        if ability and not self.clause.also and self.speaker.chance("ability", 0.6):
            can = [Word("会", "verb")]
            return [*(self.twice(can) if self.asks and not self.no else [*self.without(), *can]), *verb, *objects]
        if self.verb == "find" and self.asks and not self.no:
            return [*around, *verb, *objects, _DONE]  # 找到了吗
        much = self.much()
        if self.asks and not (self.no or much or around):
            verb = self.twice(verb)
        return [*self.without(), *much, *around, *verb, *objects]

    def having(self) -> list[Word]:
        if self.no:
            return [Word("没有", "verb" if self.never else "not")]
        has, lone = Word("有", "verb"), not (self.clause.adverb or self.clause.also or self.clause.time == "every day")
        if self.asks and lone and self.speaker.chance("or not", 0.25):
            self.asked, self.speaker.without_one = True, 1.0
            return [has, Word("没有", "do")]
        return [has]

    def much(self) -> list[Word]:
        if not self.action.much or ((self.verb, "much") in VERBS and not self.action.objects):
            return []
        if self.verb not in _FELT:
            return [Word("经常", "much")]
        if self.no:
            so = ((1.0, ("那么",)),) if self.action.much == "so much" else _NOT_MUCH
            return [Word(text, "much") for text in self.choose("not much", so)]
        return [Word(self.choose("much", _SO_MUCH if self.action.much == "so much" else _MUCH), "much")]

    def progressive(self) -> list[Word]:
        verb, objects = self.moved(self.parts())
        if self.no:
            return [*self.without_yet(), *self.around("在"), *verb, *objects]
        if self.clause.asked == "when":
            return [*self.around(), *verb, *objects]
        going_on = _WHY_GOING_ON if self.clause.asked == "why" else _GOING_ON
        return [*self.around(self.choose("going on", going_on)), *verb, *objects]

    def past(self) -> list[Word]:
        verb, objects = self.moved(self.parts())
        around = self.around()
        if self.never:
            return [Word("从来没", "adverb"), *around, *_between(verb, _ONCE), *objects]
        if self.no:
            return [*self.without_yet(), *around, *verb, *objects]
        if self.habit or verb[-1].text == "看着":
            return [*around, *verb, *objects]
        if self.clause.asked in ("where", "when"):
            return [*self.was(), *around, *verb, *objects, Word("的", "verb")]
        if not objects and self.verb == "work" and around and not self.clause.time:
            return [*around, *verb, _ONCE]
        if not objects:
            return [*around, *(_between(verb, _DONE) if around else [*verb, _DONE])]
        bare = len(objects) == 1 and self.action.objects and isinstance(self.action.objects[0], NounPhrase)
        known = self.asks and objects[0].text not in NUMBERS.values()
        if self.action.objects != (Pronoun("what"),) and (bare or known) and self.speaker.chance("done last", 0.5):
            return [*around, *verb, *objects, _DONE]
        return [*around, *verb, _DONE, *objects]

    def was(self) -> list[Word]:
        """Says 是 … 的, which asks where or when something was done."""
        return [Word("是", "do")] if self.clause.asked == "where" and self.speaker.chance("was", 0.5) else []

    # --- Coming, going, living. -------------------------------------------------------------------------------------------

    def going(self) -> list[Word]:
        verb, goal = self.goal()
        company = self.company()
        if self.clause.place and self.clause.place.preposition == "from":
            is_not = [*self.without(), Word("是", "verb")] if self.no else []
            return [*is_not, Word("来自", "verb"), *goal]
        if self.tense == "progressive":
            return self.on_the_way(verb, goal, company)
        if self.tense == "past":
            return self.gone(verb, goal, company)
        if self.tense != "present":
            return [*self.helped(), *company, verb, *goal]
        twice = self.asks and not (self.no or company) and verb.text != "回"
        return [*self.without(), *company, *(self.twice([verb]) if twice else [verb]), *goal]

    def goal(self) -> tuple[Word, list[Word]]:
        """Returns 去, 来 or 回, and the goal."""
        place, verb = self.clause.place, Word("去" if self.verb == "go" else "来", "verb")
        if self.clause.asked == "where":
            return verb, [Word(self.choose("where", WHERE), "asked")]
        if place is None:
            return verb, []
        if place.where == "home":
            return Word("回", "verb"), [Word("家", "p.noun")]
        if place.where in ("here", "there"):
            verb = Word("来" if place.where == "here" else "去", "verb")
        if place.where == "school" and self.verb == "go" and self.tense != "past" and self.speaker.chance("lessons", 0.3):
            return verb, [Word("上学", "p.noun")]
        return verb, self.speaker.goal(place)

    def on_the_way(self, verb: Word, goal: list[Word], company: list[Word]) -> list[Word]:
        if self.no:
            return [self.no, *company, verb, *goal]
        soon = Word("要", "be")
        if self.clause.asked == "when":
            return [*company, verb, *goal]
        if not (goal or company or self.clause.asked or self.asks):
            if verb.text == "去":
                return [soon, Word("走", "verb"), _DONE]
            return [verb, _DONE] if self.speaker.chance("soon", 0.5) else [soon, verb]
        if company or self.clause.asked or self.clause.also or self.speaker.chance("soon", 0.6):
            return [soon, *company, verb, *goal]
        return [Word("在", "be"), verb, *goal, Word("的", "verb"), Word("路上", "verb")]

    def gone(self, verb: Word, goal: list[Word], company: list[Word]) -> list[Word]:
        if self.never:
            return [Word("从来没", "adverb"), *company, verb, _ONCE, *goal]
        if self.no:
            return [*self.without_yet(), *company, verb, *goal]
        if self.habit:
            return [*company, verb, *goal]
        if self.clause.asked == "when":
            return [*company, verb, *goal, Word("的", "verb")]
        if goal and verb.text != "回" and not self.asks and self.speaker.chance("done first", 0.5):
            came = verb._replace(text="来到") if verb.text == "来" else verb
            return [*company, came, _DONE, *goal]
        return [*company, verb, *goal, _DONE]

    def living(self) -> list[Word]:
        """Says 住在巴黎 or 和安娜住在一起."""
        clause, place = self.clause, self.place()
        company = with_somebody(clause.company, self.speaker, False) if clause.company else []
        lives = [Word("住", "verb"), *place]
        together = [Word("一起", "c.prep")]
        if company and place:
            company += together if self.choose("together", EITHER) else []
        elif company and self.speaker.chance("together", 0.5):
            company += together
        elif company:
            lives += [Word("在", "c.prep"), *together]
        if self.tense == "past" and not self.habit:
            return self.lived(company, place, lives)
        helped = self.without() if self.tense in ("present", "progressive", "past") else self.helped()
        return [*helped, *company, *lives]

    def lived(self, company: list[Word], place: list[Word], lives: list[Word]) -> list[Word]:
        once = [*company, *place, Word("住", "verb"), _ONCE]
        if self.never:
            return [Word("从来没", "adverb"), *once]
        if self.no:
            return [*self.without_yet(), *once]
        if self.clause.asked or self.clause.time:
            return [*company, *lives]
        return once if place and self.speaker.chance("once", 0.4) else [Word("以前", "verb"), *company, *lives]


def _between(verb: list[Word], aspect: Word) -> list[Word]:
    """Puts the aspect in its place: 看过, but 跑过步."""
    parts = PARTS.get(verb[-1].text)
    if parts:
        return [*verb[:-1], verb[-1]._replace(text=parts[0]), aspect, verb[-1]._replace(text=parts[1])]
    return [*verb, aspect]


TOKENS = (
    {word for table in (WHERE, HAS_NOT, _GOING_ON, _CAN, _WISH, _MUST, _NEED_NOT, _MUCH, _SO_MUCH) for _, word in table}
    | all_words(_LOVE, _NOT_MUCH)
    | {
        *_ASKED_SHORT.values(),
        *_ASKED_TWICE,
        *"那么 一起 在 用 会 喜欢 不 从来 从来没 有 没有 经常 的 是 了 过".split(),
        *"去 来 来自 来到 回 家 上学 要 走 路上 住 以前".split(),
    }
)
