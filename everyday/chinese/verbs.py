"""Chinese verbs by the English ones; the choice depends on the object (看书, 坐火车, 认识他, 知道名字)."""

from collections.abc import Callable

from everyday.chinese.phrases import EITHER, Speaker
from everyday.chinese.words import Options, all_words, options, options_of
from everyday.choice import pick, right_too
from everyday.english import Word
from everyday.sentence import Action, Clause, Name, NounPhrase, Phrase, Pronoun
from everyday.tables import read
from everyday.words import NOUNS as ENGLISH_NOUNS
from everyday.words import PLACE_NAMES
from everyday.words import VERBS as ENGLISH_VERBS

Parts = tuple[list[Word], list[Word]]  # the verb; its objects

_USES = {"object", "alone", "commanded", "much", "cannot", "to"} | ENGLISH_NOUNS.keys()
# English verb and its use -> Chinese. Uses: with an object, or with this one (a noun); alone; commanded, alone; much, "sleep a
# lot"; cannot; to a place.
VERBS = {
    (row.one_of("english", ENGLISH_VERBS), row.one_of("use", _USES)): options_of(row, "chinese")
    for row in read("chinese/verbs", "english use chinese", keys=2)
}
# Two-character verbs that are a verb with its object: 了 and 过 go between them.
PARTS = {
    said: (said[0], said[1:])
    for said in ("吃饭 吃东西 喝东西 喝水 看书 读书 写字 写东西 说话 做饭 开车 睡觉 跑步 走路 散步 唱歌 跳舞 游泳 帮忙").split()
}
_OF_ANIMALS = {"eat": "吃东西", "drink": "喝水"}
SKILLS = frozenset("speak sing dance swim write cook drive".split())
_WISHED = {"see": "看", "find": "找"}  # the verb of a wish
_NEW = (None, "a", "some", "many", "a lot of")  # determiners of pictures that are just being taken
_LIKED = options("爱/很 喜欢/非常 喜欢")
_UNDERSTOOD, _FAMILIAR, _TO_LISTEN = options("懂/理解"), options("知道/了解"), options("说话/说")
_JOB = options("做 什么 工作/是 做 什么 的/做 什么")


class Verbs:
    """Says the verb of an action and its objects.

    Attributes:
        no: 不, in the role of "not", or 从不, in that of the adverb; None without negation.
        habit: whether it is done often or every day.
    """

    def __init__(self, speaker: Speaker, clause: Clause, no: Word | None, habit: bool):
        assert isinstance(clause.predicate, Action)
        self.speaker, self.choose, self.clause, self.action = speaker, speaker.choose, clause, clause.predicate
        self.verb, self.tense = clause.predicate.verb.english, clause.predicate.tense
        self.no, self.habit = no, habit

    def one_of(self, key: str, ways: Options, role: str = "verb") -> list[Word]:
        return [Word(text, role) for text in pick(self.choose, key, ways)]

    def objects(self) -> list[Word]:
        if self.action.objects == (Pronoun("what"),):
            return [Word("什么", "asked")]
        return self.speaker.phrases(self.action.objects, "o", "object")

    def parts(self) -> Parts:
        plaything = self.plaything()
        if plaything:
            bare = plaything.determiner in ("a", "the") and not plaything.adjectives and not plaything.plural
            said = NounPhrase(plaything.noun) if bare else plaything
            return [Word("玩", "verb")], self.speaker.phrase(said, "c", "object")
        objects = self.action.objects
        if not objects:
            if self.action.much and (self.verb, "much") in VERBS:
                verb, *much = VERBS[self.verb, "much"][0][1]
                return [Word(verb, "verb")], [Word(text, "much") for text in much]
            if self.verb in _OF_ANIMALS and self.by_animal():
                return [Word(_OF_ANIMALS[self.verb], "verb")], []
            if self.verb == "walk" and self.tense == "past":
                return [Word("散步", "verb")], []
            return self.one_of(self.verb + " alone", self.called("alone", "object")), []
        particular = _BY_OBJECT.get(self.verb)
        parts = particular(self, objects[0]) if particular else None
        if parts:
            return parts
        if self.verb in _WISHED and (self.tense in ("want", "need", "like", "love") or not self.clause.subject):
            return [Word(_WISHED[self.verb], "verb")], self.objects()
        return self.one_of(self.verb, self.called("object", "alone")), self.objects()

    def called(self, use: str, otherwise: str) -> Options:
        """Returns the verb for this use, or else for the other."""
        return VERBS.get((self.verb, use)) or VERBS[self.verb, otherwise]

    def by_animal(self) -> bool:
        first = self.clause.subject[0] if self.clause.subject else None
        if first == Pronoun("they"):
            return self.speaker.pronoun("they") == "它们"
        return first == Pronoun("it") or (isinstance(first, NounPhrase) and "animal" in first.noun.kinds)

    def plaything(self) -> NounPhrase | None:
        """Returns what one plays with (玩球), unless it is somebody."""
        company = self.clause.company
        if self.verb == "play" and isinstance(company, NounPhrase) and not company.noun.alive:
            return company
        return None

    # --- By the object. ---------------------------------------------------------------------------------------------------

    def see(self, what: Phrase) -> Parts | None:
        doctor = isinstance(what, NounPhrase) and what.noun.english == "doctor" and what.determiner in ("a", "the")
        if doctor and isinstance(what, NounPhrase) and not (what.adjectives or what.plural) and self.tense in ("want", "need"):
            return [Word("看", "verb")], self.speaker.phrase(NounPhrase(what.noun), "o0", "object")
        met = _somebody(what) and self.tense in ("want", "need", "like", "love")
        if met or (self.tense == "past" and self.no and self.no.role == "adverb"):
            return [Word("见", "verb")], self.objects()
        return None

    def know(self, what: Phrase) -> Parts | None:
        if what == Pronoun("it"):
            only = len(self.action.objects) == 1 and self.choose("it", EITHER)
            return [Word("知道", "verb")], [] if only else self.objects()
        if _somebody(what) or (isinstance(what, NounPhrase) and what.noun.alive):
            return [Word("认识", "verb")], self.objects()
        if isinstance(what, Name) or (isinstance(what, NounPhrase) and what.noun.english == "city"):
            return self.one_of("familiar", _FAMILIAR), self.objects()
        if isinstance(what, NounPhrase) and "language" in what.noun.kinds:
            return [Word("会", "verb")], self.objects()
        return None

    def understand(self, what: Phrase) -> Parts | None:
        if what == Pronoun("it") and len(self.action.objects) == 1:
            return self.one_of("understand alone", VERBS["understand", "alone"]), []
        if isinstance(what, NounPhrase) and "language" in what.noun.kinds:
            return [Word("懂", "verb")], self.objects()
        return self.one_of("understand", _UNDERSTOOD), self.objects()

    def love(self, what: Phrase) -> Parts | None:
        if self.no or self.action.much or _somebody(what) or (isinstance(what, NounPhrase) and what.noun.alive):
            return None
        return self.one_of("love", _LIKED), self.objects()

    def like(self, what: Phrase) -> Parts | None:
        """Says 喜欢吃苹果 as well as 喜欢苹果."""
        if self.action.much or len(self.action.objects) > 1 or not isinstance(what, NounPhrase):
            return None
        bare = not (what.determiner or what.number or what.owner or what.adjectives or what.of)
        eaten = what.noun.kinds & {"food", "drink"} and (what.plural or not what.noun.counted)
        if bare and eaten and self.speaker.chance("to eat", 0.3):
            eat = "吃" if "food" in what.noun.kinds else "喝"
            return [Word("喜欢", "verb"), Word(eat, "verb")], self.objects()
        return None

    def listen(self, what: Phrase) -> Parts | None:
        """Says 听音乐, but 听他说话, 听了他的话."""
        if not (_somebody(what) or (isinstance(what, NounPhrase) and what.noun.alive)):
            return None
        if self.tense == "past" and not self.no and not self.habit:
            return [Word("听", "verb")], [*self.objects(), Word("的", "verb"), Word("话", "verb")]
        return [Word("听", "verb")], [*self.objects(), *self.one_of("to listen", _TO_LISTEN)]

    def watch(self, what: Phrase) -> Parts | None:
        """Says 看, with 着 if somebody is looked at for a while."""
        alive = _somebody(what) or (isinstance(what, NounPhrase) and what.noun.alive)
        still = alive and self.tense in ("present", "past") and not self.no and self.clause.subject
        return [Word("看着" if still else "看", "verb")], self.objects()

    def take(self, what: Phrase) -> Parts | None:
        if isinstance(what, NounPhrase) and ("take", what.noun.english) in VERBS:
            return self.one_of("take " + what.noun.english, VERBS["take", what.noun.english]), self.vehicle(what)
        if isinstance(what, NounPhrase) and what.noun.english == "picture" and what.determiner in _NEW and not what.owner:
            if what.determiner == "a" and not what.adjectives and self.speaker.chance("photograph", 0.4):
                return [Word("拍照", "verb")], []
            photographs = [word._replace(text="照片") if word.text == "图片" else word for word in self.objects()]
            return [Word("拍", "verb")], photographs
        return ([Word("带", "verb")], self.objects()) if self.to_a_place() else None

    def drive(self, what: Phrase) -> Parts | None:
        noun = what.noun.english if isinstance(what, NounPhrase) else ""
        return self.one_of("drive " + noun, self.called(noun, "object")), self.vehicle(what)

    def vehicle(self, what: Phrase) -> list[Word]:
        """Says 开车, 坐火车; any vehicle will do."""
        if not isinstance(what, NounPhrase) or len(self.action.objects) > 1:
            return self.objects()
        any_one = what.determiner in ("a", "the") and not (what.adjectives or what.plural or what.number)
        if any_one and self.speaker.chance("any vehicle", 0.6):
            return self.speaker.phrase(NounPhrase(what.noun), "o0", "object")
        return self.objects()

    def cook(self, what: Phrase) -> Parts | None:
        noun = what.noun.english if isinstance(what, NounPhrase) else ""
        return self.one_of("cook " + noun, self.called(noun, "object")), self.objects()

    def sing(self, what: Phrase) -> Parts | None:
        song = isinstance(what, NounPhrase) and what.noun.english == "song" and what.determiner == "a" and not what.adjectives
        return ([Word("唱歌", "verb")], []) if song and self.speaker.chance("any song", 0.3) else None

    def open_or_close(self, what: Phrase) -> Parts | None:
        """Says 开 and 关 of doors; everything else needs 打开 and 关上."""
        if isinstance(what, NounPhrase) and what.noun.english in ("door", "window"):
            return None
        return [Word("打开" if self.verb == "open" else "关上", "verb")], self.objects()

    def have(self, what: Phrase) -> Parts | None:
        """Says that food and drink are asked for, eaten and drunk: 我可以要一杯咖啡吗."""
        if self.tense == "present" or not isinstance(what, NounPhrase) or not (what.of or what.noun.kinds & {"food", "drink"}):
            return None
        taken = "喝" if what.of or "drink" in what.noun.kinds else "吃"
        if self.tense == "can" and self.clause.question and self.clause.subject in ((Pronoun("i"),), (Pronoun("we"),)):
            return [Word(self.choose("have", right_too("要", taken)), "verb")], self.objects()
        return [Word(taken, "verb")], self.objects()

    def do(self, what: Phrase) -> Parts | None:
        """Says "What do you do?", which asks for somebody's work."""
        clause = self.clause
        somebody = not isinstance(clause.subject[0], NounPhrase) or "person" in clause.subject[0].noun.kinds
        anywhere = clause.place or clause.company or clause.time or clause.adverb or self.no
        if self.tense != "present" or not somebody or anywhere:
            return None
        return [Word(text, "asked" if text == "什么" else "verb") for text in self.choose("job", _JOB)], []

    # --- To a place. ------------------------------------------------------------------------------------------------------

    def to_a_place(self) -> bool:
        return self.clause.place is not None and self.clause.place.preposition == "to"

    def moved(self, parts: Parts) -> Parts:
        """Adds "to the park": 跑到公园, 坐火车去巴黎."""
        place, (verb, objects) = self.clause.place, parts
        if place is None or not self.to_a_place():
            return parts
        goal = self.speaker.goal(place)
        if objects or (self.verb, "to") not in VERBS:
            return [*verb, *objects, Word("去", "p.prep")], goal
        *moving, to = pick(self.choose, "move", VERBS[self.verb, "to"])
        return [*(Word(text, "verb") for text in moving), Word(to, "p.prep")], goal


def _somebody(what: Phrase) -> bool:
    """True if a name or a pronoun means somebody."""
    if isinstance(what, Name):
        return what.word not in PLACE_NAMES
    return isinstance(what, Pronoun) and what.word not in ("it", "what")


_BY_OBJECT: dict[str, Callable[[Verbs, Phrase], Parts | None]] = {
    "see": Verbs.see, "know": Verbs.know, "understand": Verbs.understand, "love": Verbs.love, "like": Verbs.like,
    "listen": Verbs.listen, "watch": Verbs.watch, "look": Verbs.watch, "take": Verbs.take, "drive": Verbs.drive,
    "cook": Verbs.cook, "sing": Verbs.sing, "open": Verbs.open_or_close, "close": Verbs.open_or_close,
    "have": Verbs.have, "do": Verbs.do,
}  # fmt: skip
TOKENS = (
    all_words(*VERBS.values(), _LIKED, _UNDERSTOOD, _FAMILIAR, _TO_LISTEN, _JOB)
    | {part for parts in PARTS.values() for part in parts}
    | {*_WISHED.values(), *"什么 玩 见 知道 认识 会 懂 喜欢 吃 喝 听 的 话 看着 看 拍照 照片 拍 带 唱歌 打开 关上 去".split()}
)
