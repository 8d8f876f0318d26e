"""A toy English and its translations: "the red cat sees a big house" is "le chat rouge voit une grande maison" and
"那只红猫看见一座大的房子".

In French, adjectives change place, and other words agree with the noun's gender. In Chinese, the noun decides which measure
word comes before it, and a verb that acts on a definite object comes after it.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from transformer_core.data.corpus import Example

Said = list[tuple[str, int | None]]  # words, each with the position of the English word that it comes from


def _table(text: str) -> dict[str, tuple[str, ...]]:
    """One row per entry: an English word, and what belongs to it."""
    return {row.split()[0]: tuple(row.split()[1:]) for row in text.replace("\n", "|").split("|") if row.strip()}


# --- English. -------------------------------------------------------------------------------------------------------------

# English, French, gender, Chinese, measure word.
_NOUNS = _table("""
cat chat m 猫 只 | dog chien m 狗 条 | boy garçon m 男孩 个 | girl fille f 女孩 个 | woman femme f 女人 个
fish poisson m 鱼 条 | horse cheval m 马 匹 | mouse souris f 老鼠 只 | rabbit lapin m 兔子 只 | king roi m 国王 位
queen reine f 王后 位 | house maison f 房子 座 | car voiture f 汽车 辆 | book livre m 书 本 | table table f 桌子 张
flower fleur f 花 朵 | door porte f 门 扇 | apple pomme f 苹果 个 | boat bateau m 船 艘 | garden jardin m 花园 座
mountain montagne f 山 座 | bread pain m 面包 块 | key clé f 钥匙 把 | bed lit m 床 张 | chair chaise f 椅子 把
glass verre m 玻璃杯 个 | bottle bouteille f 瓶子 个 | letter lettre f 信 封 | bag sac m 袋子 个 | cup tasse f 茶杯 个
""")
_WHO = list(_NOUNS)[:11]  # those who can act
_PEOPLE = "boy girl woman king queen".split()
# English, masculine, feminine, Chinese; French puts some before the noun, most after it.
_BEFORE = _table("""
big grand grande 大的 | small petit petite 小的 | good bon bonne 好的 | old vieux vieille 老的 | beautiful beau belle 漂亮的
new nouveau nouvelle 新的 | bad mauvais mauvaise 坏的
""")
_AFTER = _table("""
red rouge rouge 红 | white blanc blanche 白 | black noir noire 黑 | green vert verte 绿 | blue bleu bleue 蓝
cold froid froide 冷的 | round rond ronde 圆的 | heavy lourd lourde 重的
""")
# English, masculine, feminine, Chinese: followed by a measure word, or a possessive, which takes none.
_ARTICLES = _table("the le la 那 | a un une 一 | this ce cette 这 | my mon ma 我的 | your ton ta 你的")
# English, French, Chinese; whether the Chinese verb may come after its object.
_VERBS = _table("""
sees voit 看见 | eats mange 吃掉了 把 | likes aime 喜欢 | finds trouve 找到了 | takes prend 拿走了 把 | watches regarde 看着
wants veut 想要 | carries porte 搬走了 把 | buys achète 买下了 把 | knows connaît 认识 | loses perd 弄丢了 把
sells vend 卖掉了 把 | follows suit 跟着 | draws dessine 画了
""")


@dataclass(frozen=True)
class _Phrase:
    """A noun with an article and perhaps adjectives: one that French puts before it, one that it puts after it.
    `at` is the position of its first word."""

    at: int
    article: str
    before: str | None
    after: str | None
    noun: str

    @property
    def english(self) -> list[str]:
        behind = [word for word in (self.before, self.after, self.noun) if word]
        return ["an" if self.article == "a" and behind[0][0] in "aeiou" else self.article, *behind]

    def place(self, word: str) -> int:
        return self.at + self.english.index(word)


@dataclass(frozen=True)
class _Sentence:
    subject: _Phrase
    verb: str
    thing: _Phrase

    @property
    def english(self) -> tuple[str, ...]:
        return (*self.subject.english, self.verb, *self.thing.english)

    def example(self, said: Said) -> Example:
        return Example(self.english, tuple(word for word, _ in said), tuple(place for _, place in said))


def _phrase(generator: random.Random, at: int, nouns: Sequence[str]) -> _Phrase:
    article, noun = generator.choice(list(_ARTICLES)), generator.choice(nouns)
    before = generator.choice([None, *_BEFORE] if generator.random() < 0.5 else [None])
    after = generator.choice([None, *_AFTER] if generator.random() < 0.6 else [None])
    return _Phrase(at, article, before, after, noun)


def _sentence(generator: random.Random) -> _Sentence:
    sentence = _any_sentence(generator)
    while not _friendly(sentence):
        sentence = _any_sentence(generator)
    return sentence


def _any_sentence(generator: random.Random) -> _Sentence:
    subject = _phrase(generator, 0, _WHO)
    verb = generator.choice(list(_VERBS))
    return _Sentence(subject, verb, _phrase(generator, len(subject.english) + 1, list(_NOUNS)))


def _friendly(sentence: _Sentence) -> bool:
    """No person has a colour, or is eaten, carried away or sold: these sentences are shown to people."""
    coloured = any(phrase.noun in _PEOPLE and phrase.after for phrase in (sentence.subject, sentence.thing))
    return not coloured and not (sentence.thing.noun in _PEOPLE and len(_VERBS[sentence.verb]) == 3)


# --- French. --------------------------------------------------------------------------------------------------------------


def french(generator: random.Random) -> Example:
    sentence = _sentence(generator)
    verb = (_VERBS[sentence.verb][0], len(sentence.subject.english))
    return sentence.example([*_french(sentence.subject), verb, *_french(sentence.thing)])


def _french(phrase: _Phrase) -> Said:
    noun, gender = _NOUNS[phrase.noun][:2]
    feminine = gender == "f"
    said: Said = [(_ARTICLES[phrase.article][feminine], phrase.at)]
    if phrase.before:
        said.append((_BEFORE[phrase.before][feminine], phrase.place(phrase.before)))
    said.append((noun, phrase.place(phrase.noun)))
    if phrase.after:
        said.append((_AFTER[phrase.after][feminine], phrase.place(phrase.after)))
    return said


# --- Chinese, one token per character. ----------------------------------------------------------------------------------------


def chinese(generator: random.Random) -> Example:
    """A verb that acts on a definite object comes after it: 把 (which has no English counterpart), object, verb."""
    sentence = _sentence(generator)
    _, verb, *behind = _VERBS[sentence.verb]
    does = _characters(verb, len(sentence.subject.english))
    subject, thing = _chinese(sentence.subject), _chinese(sentence.thing)
    if behind and sentence.thing.article != "a":
        return sentence.example([*subject, ("把", None), *thing, *does])
    return sentence.example([*subject, *does, *thing])


def _chinese(phrase: _Phrase) -> Said:
    """The measure word has no English counterpart; it is aligned with the noun, which alone decides it."""
    noun, measure = _NOUNS[phrase.noun][2:]
    article = _ARTICLES[phrase.article][2]
    said = _characters(article, phrase.at)
    if not article.endswith("的"):
        said.append((measure, phrase.place(phrase.noun)))
    if phrase.before:
        old_thing = phrase.before == "old" and phrase.noun not in _WHO  # 老 is used of living beings, 旧 of things
        said += _characters("旧的" if old_thing else _BEFORE[phrase.before][2], phrase.place(phrase.before))
    if phrase.after:
        said += _characters(_AFTER[phrase.after][2], phrase.place(phrase.after))
    return said + _characters(noun, phrase.place(phrase.noun))


def _characters(word: str, place: int) -> Said:
    return [(character, place) for character in word]
