"""The Chinese words of everyday sentences, by the English ones: nouns with their measure words, and what adjectives are called
when they are said of this or that."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from everyday.words import NOUNS as ENGLISH_NOUNS
from everyday.words import PLACE_NAMES

Said = tuple[str, ...]  # words that are said together
Options = tuple[tuple[float, Said], ...]
_SHARES = ((1.0,), (0.6, 0.4), (0.5, 0.3, 0.2))


def options(text: str) -> Options:
    """What "很_好/不错" offers: ways to say something, separated by "/", the likely first; "_" stands between words."""
    ways = text.split("/")
    return tuple(zip(_SHARES[len(ways) - 1], (tuple(way.split("_")) for way in ways), strict=True))


class Noun(NamedTuple):
    said: Options
    measure: Options


# English, Chinese, measure word. What cannot be counted has the measure word of its usual portion ("a coffee", "this bread").
NOUNS = {
    english: Noun(options(said), options(measure))
    for english, said, measure in (
        row.split()
        for row in """
man 男人 个 | woman 女人 个 | boy 男孩 个 | girl 女孩 个 | child 孩子 个 | baby 宝宝/婴儿 个 | friend 朋友 个
teacher 老师 位/个 | student 学生 个 | doctor 医生 位/个 | mother 妈妈/母亲 位 | father 爸爸/父亲 位 | mom 妈妈 位
dad 爸爸 位 | brother 哥哥/弟弟 个 | sister 姐姐/妹妹 个 | son 儿子 个 | daughter 女儿 个 | family 家庭 个
cat 猫 只 | dog 狗 只/条 | bird 鸟 只 | fish 鱼 条 | horse 马 匹 | mouse 老鼠 只 | rabbit 兔子 只 | cow 牛/奶牛 头
apple 苹果 个 | banana 香蕉 根/个 | egg 鸡蛋 个 | cake 蛋糕 块/个 | bread 面包 个/块 | rice 米饭 碗 | cheese 奶酪 块
meat 肉 块 | chocolate 巧克力 块 | water 水 杯 | milk 牛奶 杯 | tea 茶 杯 | coffee 咖啡 杯
house 房子 座/栋
car 汽车/车 辆 | book 书 本 | letter 信 封 | story 故事 个 | song 歌 首 | music 音乐 段 | movie 电影 部
table 桌子 张 | chair 椅子 把 | bed 床 张 | door 门 扇 | window 窗户 扇 | box 盒子/箱子 个 | bag 包/袋子 个 | cup 杯子 个
key 钥匙 把 | flower 花 朵 | tree 树 棵 | ball 球 个 | picture 照片/图片 张 | phone 手机 部/个 | computer 电脑 台
shoe 鞋子/鞋 只 | bike 自行车 辆 | bus 公共汽车/公交车 辆 | train 火车 列 | boat 船 艘/条 | money 钱 笔
garden 花园 个/座 | park 公园 个/座 | school 学校 所 | city 城市 座/个 | kitchen 厨房 间/个 | room 房间 个
bathroom 洗手间/浴室 间/个 | street 街道/街 条 | shop 商店 家 | restaurant 餐馆/餐厅 家 | station 车站 个 | hospital 医院 家/所
river 河 条 | sea 大海 片 | mountain 山 座 | sun 太阳 个 | moon 月亮 个 | sky 天空 片 | star 星星 颗
name 名字 个 | french 法语 种 | english 英语 种 | chinese 中文/汉语 种
""".replace("\n", "|").split("|")
        if row.strip()
    )
}
ELDER_OR_YOUNGER = {
    ("brother", True): ("哥哥",), ("brother", False): ("弟弟",), ("sister", True): ("姐姐",), ("sister", False): ("妹妹",)
}  # fmt: skip
IN_GENERAL = {"brother": ("兄弟",), "sister": ("姐妹",)}  # elder or younger does not matter
PRONOUNS = {"i": "我", "he": "他", "she": "她", "it": "它", "we": "我们", "who": "谁"}
NAMES = {
    "anna": "安娜", "tom": "汤姆", "mary": "玛丽", "paul": "保罗",
    "paris": "巴黎", "london": "伦敦", "france": "法国", "china": "中国",
}  # fmt: skip
NUMBERS = {"one": "一", "two": "两", "three": "三", "four": "四", "five": "五", "ten": "十"}
COLOURS = {"red": "红", "blue": "蓝", "green": "绿", "white": "白", "black": "黑", "yellow": "黄"}
PLACES = {
    "home": options("家"), "school": options("学校"), "paris": options("巴黎"), "london": options("伦敦"),
    "france": options("法国"), "china": options("中国"),
    "work": options("公司"), "here": options("这里/这儿"), "there": options("那里/那儿"),
}  # fmt: skip
TIMES = {"today": "今天", "now": "现在", "yesterday": "昨天", "every day": "每天"}

# --- Adjectives. --------------------------------------------------------------------------------------------------------------

# What they are called depends on what they are said of (see `_of`; "-" is anything). Before a noun: with 的 or without. Said of
# a subject: without 很; words before the last one stand before 很 (跑 得 很 快).
_BEFORE_NOUN = """
big: - 大 | adult 高大_的 | son 大 | daughter 大
small: - 小 | adult 矮小_的 | son 小 | daughter 小
good: - 好
bad: - 不好_的/糟糕_的 | alive 坏 | food 坏
old: - 旧 | room 旧 | kitchen 旧 | bathroom 旧 | park 古老_的 | animal 老 | tree 老 | mouse 年老_的
    | adult 年老_的 | man 老 | woman 老 | friend 老 | doctor 老
    | student 年纪_大_的 | young 年纪_大_的 | child 年纪_大_的 | house 老/旧 | goal 老 | city 古老_的 | river 古老_的
    | sea 古老_的 | mountain 古老_的 | garden 古老_的 | street 老/古老_的 | song 老 | movie 老 | picture 旧/老
    | story 古老_的/老 | sky 古老_的 | food 不_新鲜_的 | drink 不_新鲜_的 | family 古老_的
new: - 新
young: - 年轻_的 | young 小 | animal 小/年轻_的
beautiful: - 漂亮_的/美丽_的 | male 英俊_的/好看_的 | boy 漂亮_的/英俊_的 | child 漂亮_的 | baby 漂亮_的
    | song 好听_的/优美_的 | music 优美_的/动听_的 | name 好听_的/美丽_的 | letter 优美_的 | story 美丽_的/优美_的
    | movie 优美_的 | language 优美_的 | food 漂亮_的
long: - 很_长_的 | table 长/很_长_的 | letter 长/很_长_的 | chair 长/很_长_的 | river 很_长_的/长长_的
    | street 很_长_的/长长_的
tall: - 很_高_的 | person 高个子/很_高_的 | tree 高大_的/很_高_的 | house 高大_的/很_高_的 | animal 高大_的
    | mountain 高/很_高_的
happy: - 快乐_的/开心_的 | family 幸福_的/快乐_的
sad: - 悲伤_的 | alive 伤心_的/悲伤_的 | watchable 悲伤_的/伤感_的 | audible 悲伤_的/伤感_的
tired: - 疲惫_的/疲倦_的
hot: - 很_热_的 | food 热 | drink 热 | thing 很_烫_的 | goal 很_热_的/炎热_的 | sun 炎热_的 | house 很_热_的 | room 很_热_的
    | vehicle 很_热_的
cold: - 很_冷_的 | food 冷 | drink 冷/冰 | water 冷/凉 | thing 冰冷_的 | goal 很_冷_的/寒冷_的 | house 很_冷_的
    | room 很_冷_的 | sky 寒冷_的 | vehicle 很_冷_的
clever: - 聪明_的
strong: - 强大_的 | person 强壮_的 | animal 强壮_的 | tea 浓 | coffee 浓 | food 味道_浓_的 | drink 味道_浓_的
    | thing 结实_的 | tree 粗壮_的 | sky 强烈_的
funny: - 有趣_的 | person 有趣_的/搞笑_的 | readable 有趣_的/好笑_的 | abstract 有趣_的/好笑_的 | picture 有趣_的/好笑_的
    | animal 有趣_的
clean: - 干净_的
dirty: - 脏 | person 脏兮兮_的 | goal 肮脏_的 | house 脏 | street 肮脏_的 | abstract 肮脏_的 | sky 肮脏_的
nice: - 不错_的/好 | person 友好_的/善良_的 | animal 可爱_的 | food 好吃_的/不错_的 | drink 好喝_的/不错_的
    | song 好听_的/不错_的 | music 好听_的 | movie 好看_的/不错_的 | name 好听_的/好 | house 不错_的/漂亮_的
    | flower 漂亮_的 | picture 漂亮_的/不错_的 | garden 漂亮_的/不错_的 | river 漂亮_的 | sea 漂亮_的 | mountain 漂亮_的
    | tree 漂亮_的 | sky 漂亮_的
angry: - 生气_的/愤怒_的
sick: - 生病_的
fast: - 很_快_的 | alive 跑_得_快_的 | fish 游_得_快_的 | bird 飞_得_快_的 | baby 动作_快_的 | song 快
slow: - 很_慢_的 | alive 动作_慢_的 | song 慢
interesting: - 有意思_的/有趣_的
expensive: - 很_贵_的/昂贵_的
"""
_OF_SUBJECT = """
big: - 大 | adult 高大 | son 大 | daughter 大
small: - 小 | adult 矮小 | son 小 | daughter 小
good: - 好 | food 好吃/好 | drink 好喝/好 | song 好听/好 | music 好听/好 | movie 好看/好 | readable 好/好看 | animal 好
bad: - 糟糕/差 | alive 坏
old: - 旧 | room 旧 | kitchen 旧 | bathroom 旧 | garden 古老 | park 古老 | alive 老
    | tree 老 | young 大 | child 大 | it 旧/老 | goal 老/旧 | city 古老 | river 古老 | sea 古老
    | mountain 古老 | street 老/古老 | sky 古老 | song 老 | movie 老 | story 老/古老 | food 不新鲜 | drink 不新鲜
    | family 古老
new: - 新
young: - 年轻 | child 小 | boy 小/年轻 | girl 小/年轻 | baby 小 | animal 小/年轻
beautiful: - 漂亮/美 | male 英俊/好看 | boy 漂亮/英俊 | song 好听/优美 | music 优美/动听 | name 好听/美 | story 美/优美
    | letter 优美/美 | language 优美/美 | movie 美 | river 美/美丽 | sea 美/美丽 | mountain 美/美丽 | sky 美/美丽
    | city 美/漂亮 | child 漂亮 | baby 漂亮
long: - 长
tall: - 高 | person 高/个子_高
happy: - 高兴/开心/快乐 | family 幸福/快乐
sad: - 悲伤 | alive 难过/伤心 | watchable 悲伤/伤感 | audible 悲伤/伤感 | readable 悲伤/伤感
tired: - 累
hot: - 热 | thing 烫/热 | food 烫/热 | drink 烫/热 | goal 热 | vehicle 热 | inside 热 | this 烫/热
cold: - 冷 | thing 凉 | food 凉 | drink 凉 | water 凉/冷 | goal 冷 | vehicle 冷 | this 凉/冷
clever: - 聪明
strong: - 强大 | person 强壮 | animal 强壮 | it 强壮 | tea 浓 | coffee 浓 | food 味道_浓 | drink 味道_浓 | thing 结实
    | this 结实 | tree 粗壮 | sky 强烈
funny: - 有趣 | person 有趣/搞笑 | readable 有趣/好笑 | abstract 有趣/好笑 | this 好笑/有趣 | it 好笑/有趣
    | picture 好笑/有趣
clean: - 干净
dirty: - 脏
nice: - 好/不错 | person 好/友好 | animal 可爱 | food 好吃/不错 | drink 好喝/不错 | song 好听/不错 | music 好听/不错
    | movie 好看/不错 | name 好听/好 | flower 漂亮 | tree 漂亮 | river 漂亮 | sea 漂亮 | mountain 漂亮 | sky 漂亮
    | garden 漂亮/不错 | house 不错/漂亮
angry: - 生气
sick: - 病
busy: - 忙
fast: - 快 | person 跑_得_快/动作_快 | animal 跑_得_快 | fish 游_得_快 | bird 飞_得_快 | baby 动作_快
slow: - 慢 | person 动作_慢 | animal 动作_慢
interesting: - 有意思/有趣
expensive: - 贵
hungry: - 饿
thirsty: - 渴
open: - 开着
closed: - 关着
"""
_GROUPS = {
    "male": frozenset("man boy father dad brother son he tom paul".split()),
    "young": frozenset("boy girl child baby".split()),
    "adult": frozenset(
        "man woman teacher student doctor friend mother father mom dad brother sister son daughter "
        "i you he she we they who anna tom mary paul".split()
    ),
    "person": frozenset("i you he she we they who anna tom mary paul".split()),
}
_KINDS = (  # the more telling first
    "person", "animal", "readable", "song", "audible", "watchable", "language", "sky", "vehicle", "drink", "food", "goal",
    "abstract", "openable", "surface", "inside", "thing",
)  # fmt: skip


@cache
def _of(what: str) -> tuple[str, ...]:
    """What this is, the most telling first: a noun, or one of a pronoun, a name, "it" and "this"."""
    if what in PLACE_NAMES:
        return ("city", "goal", "-")
    kinds = ENGLISH_NOUNS[what].kinds if what in ENGLISH_NOUNS else frozenset()
    groups = [group for group, members in _GROUPS.items() if what in members]
    found = [what, *groups, *(kind for kind in _KINDS if kind in kinds)]
    if "person" in found or "animal" in found:
        found.append("alive")
    return (*found, "-")


def _rows(table: str) -> dict[str, dict[str, Options]]:
    found: dict[str, dict[str, Options]] = {}
    for line in table.replace("\n    |", " |").strip().splitlines():
        english, rows = line.split(":")
        found[english] = {of: options(said) for of, said in (row.split() for row in rows.split("|"))}
    return found


_ATTRIBUTES, _QUALITIES = _rows(_BEFORE_NOUN), _rows(_OF_SUBJECT)


def _find(table: dict[str, Options], what: str) -> Options:
    return next(table[kind] for kind in _of(what) if kind in table)


@cache
def attribute(adjective: str, noun: str) -> Options:
    """The adjective before this noun, with 的 where it needs one."""
    return _find(_ATTRIBUTES[adjective], noun)


@cache
def quality(adjective: str, of: str) -> Options:
    """The adjective said of this, as it stands behind 很; colours without 色."""
    return options(COLOURS[adjective]) if adjective in COLOURS else _find(_QUALITIES[adjective], of)


# What has its colour in its name, which is not always the English one.
CALLED = {
    ("tea", "green"): "绿", ("tea", "black"): "红", ("coffee", "black"): "黑", ("bread", "black"): "黑",
    ("bread", "white"): "白", ("rice", "white"): "白", ("chocolate", "black"): "黑", ("chocolate", "white"): "白",
    ("meat", "red"): "红", ("meat", "white"): "白",
}  # fmt: skip
# What may be called 红花 instead of 红色的花. Elsewhere the short form means something else (红包, 黄鱼) or is not said.
_COLOURED = frozenset("cat dog horse bird mouse rabbit cow flower door table chair box cup ball shoe house".split())
_SOMETIMES = frozenset({"apple red", "apple green", "tree green", "fish red", "car red", "car black", "car white"})


@cache
def short_colour(noun: str, colour: str) -> bool:
    return noun in _COLOURED or f"{noun} {colour}" in _SOMETIMES


def all_words(*said: Sequence[tuple[float, Said]]) -> set[str]:
    return {word for each in said for _, words in each for word in words}


TOKENS = (
    all_words(*(noun.said for noun in NOUNS.values()), *(noun.measure for noun in NOUNS.values()))
    | all_words(*(said for table in (*_ATTRIBUTES.values(), *_QUALITIES.values()) for said in table.values()))
    | all_words(*PLACES.values())
    | {word for said in (*ELDER_OR_YOUNGER.values(), *IN_GENERAL.values()) for word in said}
    | {
        *PRONOUNS.values(),
        *NAMES.values(),
        *NUMBERS.values(),
        *COLOURS.values(),
        *(colour + "色" for colour in COLOURS.values()),
    }
    | {*TIMES.values()}
)
