"""Pronouns: what "it" refers to depends on the last word."""

import random

from transformer_core.data.draws import Example

_PEOPLE = "she he mary john anna peter".split()
_POURED = "poured moved tipped emptied let".split()
_STUFF = "water milk tea sand juice soup oil rice".split()
_VESSELS = "pitcher cup bottle glass bowl bucket jug pot jar tank pan vase".split()
_WALKERS = "dog cat horse child cow sheep goat duck robot snail".split()
_WAYS = "street river road field bridge valley square track".split()
_THINGS = "trophy book ball lamp violin doll radio coat clock statue".split()
_HOLDERS = "suitcase bag box drawer basket trunk car shelf".split()


def english(generator: random.Random) -> Example:
    """ "she poured water from the pitcher into the cup until it was full": "the cup"."""
    kind = generator.randrange(3)
    if kind == 0:  # the vessel that is filled, or the one that is emptied
        one, other = generator.sample(_VESSELS, 2)
        last, it = generator.choice([("full", other), ("empty", one)])
        who, poured, stuff = (generator.choice(words) for words in (_PEOPLE, _POURED, _STUFF))
        sentence = f"{who} {poured} {stuff} from the {one} into the {other} until it was {last}"
    elif kind == 1:  # the one who goes, or where he goes
        one, other = generator.choice(_WALKERS), generator.choice(_WAYS)
        last, it = generator.choice([("tired", one), ("wide", other), ("slow", one), ("wet", other)])
        verb = generator.choice(["cross", "reach", "leave"])
        sentence = f"the {one} did not {verb} the {other} because it was too {last}"
    else:  # what is put away, or where it should go
        one, other = generator.choice(_THINGS), generator.choice(_HOLDERS)
        last, it = generator.choice([("big", one), ("small", other), ("large", one), ("narrow", other)])
        verb = generator.choice(["fit", "go"])
        sentence = f"the {one} does not {verb} into the {other} because it is too {last}"
    words = sentence.split()
    return Example(tuple(words), ("the", it), (words.index(it) - 1, words.index(it)))


_VESSELS_ZH = "壶 杯 瓶 碗 桶 罐 盆 锅 缸 盒".split()
_STUFF_ZH = "水 奶 茶 沙 油 米 汤 酒".split()
_WALKERS_ZH = "狗 猫 马 牛 羊 鸡 鸭 孩".split()
_WAYS_ZH = "街 河 路 田 桥 沟".split()
_THINGS_ZH = "书 球 灯 琴 钟 衣".split()
_HOLDERS_ZH = "箱 包 柜 篮 袋".split()


def chinese(generator: random.Random) -> Example:
    """The same in Chinese, one token per character."""
    kind = generator.randrange(3)
    if kind == 0:
        one, other = generator.sample(_VESSELS_ZH, 2)
        last, it = generator.choice([("满", other), ("空", one)])
        who, stuff, verb = generator.choice("她他我你"), generator.choice(_STUFF_ZH), generator.choice("倒装")
        words = f"{who}把{stuff}从{one}里{verb}到{other}里直到它{last}了"
    elif kind == 1:
        one, other = generator.choice(_WALKERS_ZH), generator.choice(_WAYS_ZH)
        last, it = generator.choice([("累", one), ("宽", other), ("慢", one), ("湿", other)])
        words = f"那{one}没{generator.choice('过到')}那{other}因为它太{last}了"
    else:
        one, other = generator.choice(_THINGS_ZH), generator.choice(_HOLDERS_ZH)
        last, it = generator.choice([("大", one), ("小", other), ("长", one), ("窄", other)])
        words = f"那{one}{generator.choice(['放不', '进不'])}进那{other}因为它太{last}了"
    return Example(tuple(words), (it,), (words.index(it),))
