"""Words and their ids."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from transformer_core.errors import InputError

# One token: a word (with an inner apostrophe or hyphen), a single Chinese character, or any other single character.
_TOKEN = re.compile(r"[\u4e00-\u9fff]|[^\W_\u4e00-\u9fff]+(?:['’-][^\W_\u4e00-\u9fff]+)*|[^\w\s]|_")


def split_words(text: str) -> list[str]:
    """Lower-case tokens of a text: words, single Chinese characters, other single characters."""
    return _TOKEN.findall(text.lower())


def characters(text: str) -> list[str]:
    """Every character but white space is a token, as in sums."""
    return list("".join(text.split()))


@dataclass(frozen=True)
class Vocabulary:
    """An ordered list of tokens; a token's index in it is its id.

    Attributes:
        tokens: all tokens, id 0 first.
        pad, start, end, unknown: ids of the special ones; `end` and `unknown` are None where a task does not need them.
        split: how a text that somebody types falls into tokens.
    """

    tokens: tuple[str, ...]
    pad: int = 0
    start: int = 1
    end: int | None = None
    unknown: int | None = None
    split: Callable[[str], list[str]] = split_words

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {token: i for i, token in enumerate(self.tokens)}

    def encode(self, text: str) -> list[int]:
        """The ids of a text's tokens; case does not matter.

        Raises:
            InputError: for a token that is not in the vocabulary, if the vocabulary has no `unknown`.
        """
        ids = []
        for token in self.split(text):
            found = self._ids.get(token, self.unknown)
            if found is None:
                known = [t for i, t in enumerate(self.tokens) if i != self.pad]
                shown = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
                raise InputError("“{token}” is not among the symbols of this model; it knows {known}", token=token, known=shown)
            ids.append(found)
        return ids

    def ids(self, tokens: Iterable[str]) -> list[int]:
        """The ids of these very tokens; `encode` is for what people type. Raises KeyError for one that is not there."""
        return [self._ids[token] for token in tokens]

    def unknown_words(self, text: str) -> list[str]:
        """The tokens of a text that the vocabulary lacks, in order."""
        return [token for token in self.split(text) if token not in self._ids]

    def decode(self, ids: Iterable[int]) -> list[str]:
        return [self.tokens[i] for i in ids]


def numbers(vocab: int) -> Vocabulary:
    """The symbols of the number tasks: 0 is padding, all others are written as they are."""
    return Vocabulary(("<pad>", *(str(i) for i in range(1, vocab))), pad=0, start=1)


def words(extra: Sequence[str] = ()) -> Vocabulary:
    """Padding, start, end and unknown, then the built-in words."""
    return Vocabulary(("<pad>", "<start>", "<end>", "<unk>", *dict.fromkeys([*_WORDS.split(), *extra])), 0, 1, 2, 3)


# Enough to type a simple sentence in English, and the explorer's sentences in French and Chinese.
_WORDS = """
. , ! ? ' : ; -
a an the this that these those my your his her its our their some any no every all each both other another
i you he she it we they me him us them who what which whose where when why how
am is are was were be been being have has had do does did will would can could may might must shall should
not n't and or but if then than as so because while until before after of in on at by for with from to into out up down
over under about between through again very too also just only still never always often now here there today
one two three four five six seven eight nine ten first last next new old good bad big small long short high low young
red blue green white black yellow hot cold warm full empty tired happy sad wide narrow same different many much more most few little
man woman child boy girl friend teacher student people dog cat bird fish horse mouse animal
house home room door window street road city country world school book page word sentence letter name story
water cup pitcher bottle glass table chair bed bread milk tea food apple tree flower garden river sea mountain
sun moon star sky day night morning evening year week time hour hand head eye heart face
car train boat plane ball box bag door key money work game music picture question answer thing way part place side
see sees saw look looks looked watch read reads write writes say says said tell tells told ask asks asked speak speaks
go goes went come comes came walk walks run runs ran sit sits sat stand stands stood sleep sleeps slept live lives lived
eat eats ate drink drinks drank give gives gave take takes took make makes made put puts find finds found
know knows knew think thinks thought want wants like likes liked love loves loved need needs help helps learn learns learned
pour poured pours fill fills cross crosses crossed open opens close closes play plays played work works worked
attention model transformer machine computer data token position number layer network language translate transformers
le la les un une des chat chatte chien maison rouge bleu bleue grand grande petit petite voit mange aime je tu il elle nous et est dans sur
eau tasse verre pleine vide rue fatigué animal aimes ma voiture
我 你 他 她 它 们 爱 是 的 了 在 有 不 人 大 小 水 杯 壶 倒 满 空 到 从 把 里 直 红 猫 狗 看 见 房 子 现
"""
