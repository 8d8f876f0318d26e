"""What happens with input that cannot be, or is merely odd: one clear sentence and a way out, or a page that works."""

import math
import re
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import torch

from explorer import limits, resources
from explorer.model_on_screen import cuts
from explorer.model_on_screen.settings import FIRST_TASK, MAX_TOKENS, NAMES, defaults
from explorer.session import Session, model_choice
from explorer.session.address import as_text
from explorer.ui import widgets
from tests.pages.helpers import (
    FIGURES,
    PAGES,
    PARTS,
    UNFOLDED,
    VIEWS,
    app,
    complaints,
    figures,
    fine,
    go,
    model_line,
    open_page,
    plots,
    session_of,
    shown,
    told,
    tour,
    turn,
    visit,
)
from tests.test_house import EXPLORER, keys_of
from tests.test_house import PAGES as PAGE_FILES
from transformer_core import Transformer, TransformerConfig, checkpoint
from transformer_core.analysis.accounting import activation_bytes

pytestmark = pytest.mark.usefixtures("no_story_is_trained")

SOME = ["masks", "heads", "decoding"]


# ---------------------------------------------------------------- what cannot be


def test_an_impossible_combination_keeps_title_and_sidebar_and_offers_what_can_be_had():
    at = app({"n_heads": "6", "d_model": "64"})
    for page in VIEWS:
        sentence = told(go(at, page))
        assert "64" in sentence and "6" in sentence
        assert len(at.title) == 1 and not figures(at), page
        assert at.select_slider(key="n_heads").value == 6 and at.query_params["n_heads"] == "6", page
        marked = [caption.value for caption in at.sidebar.caption if ":red[" in caption.value]
        assert len(marked) == 1, page
    offered = [button for button in at.button if button.key.startswith("nearest-")]
    assert {button.key.rpartition("-")[0] for button in offered} >= {"nearest-n_heads"}
    for key in [button.key for button in offered]:
        at = open_page("heads", {"n_heads": "6", "d_model": "64"})
        at.button(key=key).click().run()
        assert fine(at) and figures(at), key
        name, value = key.split("-")[1:]
        assert getattr(session_of(at).settings, name) == int(value) == at.select_slider(key=name).value
        assert session_of(at).settings.model is None


REFUSED = {
    "no source": ({"src": ""}, ("sentence", "empty")),
    "only blanks": ({"src": "  \t "}, ("sentence", "empty")),
    "ten thousand words": ({"src": "cat " * 10_000}, ("sentence", "10,000", str(MAX_TOKENS))),
    "one target word too many": ({"tgt": "chat " * (MAX_TOKENS + 1)}, ("decoder", str(MAX_TOKENS + 1), str(MAX_TOKENS))),
    "numbers that the model lacks": ({"task": "copy", "numbers": "1 99"}, ("99",)),
    "no numbers": ({"task": "copy", "numbers": ""}, ("sentence", "empty")),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_declined_in_one_sentence(case):
    settings, parts = REFUSED[case]
    at = app({name: value for name, value in settings.items() if name == "task"})
    turn(at, **settings)
    for page in SOME:
        sentence = told(go(at, page))
        assert all(part in sentence for part in parts), sentence
        assert at.title and ("tgt" in settings) == (not figures(at)), "the pictures of the source before stay"
    (name,) = (name for name in settings if name != "task")
    readable = {"src": "a cat", "tgt": "un chat", "numbers": "1 2"}
    turn(at, more_settings=True).text_input(key=name).set_value(readable[name]).run()  # and with the next sentence all is well
    assert fine(at) and figures(at)


# ---------------------------------------------------------------- links

READS_ALL = {"task": "pronoun-en"}  # a word that it does not know is <unk>; a translator names it instead
NONSENSE = [
    "", "nonsense", "-99999", "1e999", "nan", "9" * 5000, "<b>", "☃", "inf", "-inf", "-1e308", "1e300", "9007199254740993",
    "\x00", "\u202eabc", "a\u0301\u0336", "²", "🇫🇷😀", "a" * 10_000, "None", "True", "[]", "{}", "../..", "%s", "0x10", "--1",
]  # fmt: skip
TEXTS = {
    "term",
    "from_room",
    "src",
    "tgt",
    "numbers",
    "say",
    "tried",
    "ids",
    "answer",
    "forced",
    "ask_for",
    "src_0",
    "tgt_0",
    "src_1",
    "tgt_1",
}  # may say anything
NUMBERS = {"rate", "clip", "adam_eps", "beta_1", "beta_2"}  # likewise


@cache
def named() -> frozenset[str]:
    """The keys of all controls, as the sources have them: a place in a key is written {}."""
    return frozenset(key for path in [*EXPLORER, *PAGE_FILES] for key in keys_of(path))


def nonsense(shift: int) -> dict[str, str]:
    """Every parameter that an address can have, each with some nonsense."""
    keys = {key.replace("{}", "0") for key in named()}
    names = sorted({*keys, *NAMES} - TEXTS - {"model", "part"})
    return {name: NONSENSE[(i + shift) % len(NONSENSE)] for i, name in enumerate([*names, "unheard"])}


class Readers:
    """What each control on screen makes of the words of an address: collected as pages are drawn."""

    def __init__(self, monkeypatch) -> None:
        self.of: dict[str, Callable[[str], Any]] = {}
        prepare, kept = widgets.prepare, widgets.address_value

        def prepared(name, default, read, label=""):
            self.of[name] = read
            return prepare(name, default, read, label)

        def also_kept(name, default, read):
            self.of[name] = read
            return kept(name, default, read)

        for module in list(sys.modules.values()):
            if getattr(module, "prepare", None) is prepare:
                monkeypatch.setattr(module, "prepare", prepared)
            if getattr(module, "address_value", None) is kept:
                monkeypatch.setattr(module, "address_value", also_kept)

    def check(self) -> set[str]:
        """Reads nonsense with all of them, and returns their names: what is taken for a value is one, and is written as it was
        meant."""
        names = set(self.of)
        for name in names - TEXTS:
            for nonsense in NONSENSE:
                value = self.of[name](nonsense)
                again = None if value is None else self.of[name](as_text(value))
                near = isinstance(value, float) and math.isclose(value, again, rel_tol=1e-9)  # an address has ten digits
                assert near or again == value, (name, nonsense[:20])
                assert not isinstance(value, float) or math.isfinite(value), (name, nonsense[:20])
        self.of.clear()
        return names


def test_a_setting_takes_no_nonsense():
    for name in set(NAMES) - TEXTS - {"model", "cut", "edit"}:  # an id; and lists, of which what is none is passed over
        for task in (FIRST_TASK, "copy"):
            usual = defaults(task)[name]
            assert {repr(model_choice._parsed(Session(), name, nonsense, task)) for nonsense in NONSENSE} == {repr(usual)}, (
                name,
                task,
            )
    assert all(cuts.read(",".join([nonsense, "e0.self.1", nonsense])) == cuts.read("e0.self.1") for nonsense in NONSENSE)


def notes_of_the_link(at) -> list[str]:
    """What is said above the page of a link that was not understood, without Markdown's marks."""
    assert not at.exception, at.exception[0].message
    return [each.value.replace("\\", "") for each in at.info if each.icon == ":material/link_off:"]


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("task=nonsense", "task=everyday-fr"),
        ("d_model=100000", "d_model=88"),
        ("norm=middle", "norm=pre"),
        ("part=nonsense", "part=words_and_lines"),
        ("layer=7", "layer=1"),
        ("step=999999", "step={last}"),
        ("step=-1", "step={last}"),
        ("lang=klingon", "lang=en"),
        ("cut=cross..:1-2", None),
        ("cut=cross.9.9,src:2", None),
        ("input=3", "input=words"),
    ],
)
def test_a_link_that_is_not_understood_says_so_and_the_address_says_what_is_on_screen(link, shown):
    name, said = link.split("=")
    at = visit({name: said}, "heads", folded=True)
    (words,) = notes_of_the_link(at)
    assert link.removesuffix(",src:2") in words
    if shown is not None:
        assert shown.format(last=session_of(at).shown().learning.last) in words
    assert at.query_params == ({"cut": "src:2"} if said.endswith("src:2") else {})
    assert not notes_of_the_link(go(at, "masks")), "it is said of the page that the link opened"


@pytest.mark.parametrize(
    ("said", "cut", "bad"),
    [
        ("cross.0.1,nonsense", "cross.0.1", "nonsense"),
        ("src:2,cross.0.1.,encoder.0.0", "src:2,encoder.0.0", "cross.0.1."),
        ("nonsense,src:2,src:9", "src:2", "nonsense,src:9"),
        ("cross.0.*:3-2.,src:2", "src:2", "cross.0.*:3-2."),
        ("src:2,cross.0.*:3-2.", "src:2,cross.0.*:3-2", None),  # an older sign, and the full stop behind a link
    ],
)
def test_the_good_cuts_of_a_link_hold_and_the_bad_ones_are_named(said, cut, bad):
    at = visit({"cut": said}, "heads", folded=True)
    assert session_of(at).shown().choice.cuts.made == (*cuts.read(cut),) and at.query_params["cut"] == cut
    notes = [f"The link says cut={bad}, which is nothing that can be cut here."] if bad else []
    assert notes_of_the_link(at) == notes


def test_what_is_said_of_a_link_goes_when_something_else_is_chosen():
    at = visit({"layer": "7", "d_model": "64", "kind": "decoder"}, "heads", folded=True)
    assert at.query_params == {"d_model": "64", "kind": "decoder", "more": "on"} and len(notes_of_the_link(at)) == 1
    assert notes_of_the_link(at.run()) == notes_of_the_link(at), "it stays where nothing has changed"
    at.button_group(key="layer").set_value(0).run()
    assert not notes_of_the_link(at)
    assert not notes_of_the_link(visit({"layer": "1", "step": "170", "cut": "src:2", "unheard": "of"}, "heads"))


@pytest.mark.slow
def test_every_parameter_nonsense_shows_the_defaults(monkeypatch):
    """Each part is opened with some nonsense for every key that an address can have; and what its controls are is asked what
    they make of all the rest."""
    assert len(named()) > 60
    readers, seen = Readers(monkeypatch), set()
    for i, page in enumerate(PAGES):
        for j, part in enumerate(PARTS[page]):
            at = visit(nonsense(i + j) | {"part": part or "none", "lang": "klingon"}, page)
            where = f"{page}, {part}"
            assert not at.exception, where
            drawn = {
                name: each for name, each in session_of(at).rerun.drawn.items() if name not in ("part", *UNFOLDED, *NUMBERS)
            }
            assert {name: value for name, (value, _) in drawn.items()} == {
                name: default for name, (_, default) in drawn.items()
            }
            assert not complaints(at) or page == "training", where  # which trains with any number, but not with all
            assert part is None or session_of(at).rerun.drawn["part"][0] == part, where
            seen |= readers.check()
    known = re.compile("|".join(re.escape(key).replace(r"\{\}", r"\w+") for key in named()))
    assert len(seen) > 50 and not [key for key in seen if not known.fullmatch(key)], "all keys are known"


TYPED_IN = {  # the parts that have a field of their own
    "positions": "words_and_waves",
    "masks": "batch_masks",
    "decoding": "generation",
    "story": None,
}


ODD_TEXTS = {
    "markup": "<b>$x$ 9=☃",
    "right to left and control": "\x00\x1b[31m\x85 1=\u202ecat\u202c \u2028\ufeff שלום 2=",
    "combining": "Z\u0338\u0321\u0361" * 40 + "👩‍👩‍👧 0=🇫🇷",
    "long": "7" * 10_000,
}


@pytest.mark.parametrize("nonsense", ODD_TEXTS.values(), ids=ODD_TEXTS)
def test_texts_may_be_nonsense_too(nonsense):
    for page, part in TYPED_IN.items():
        at = open_page(page, READS_ALL | dict.fromkeys(TEXTS - {"numbers"}, nonsense) | ({"part": part} if part else {}))
        assert not at.exception and at.title and len(complaints(at)) <= 1, page


# ---------------------------------------------------------------- what is merely odd

LINES = {
    "unknown words": "zebra the quagga",
    "emoji": "👩‍👩‍👧 the 😀 cat 🇫🇷",
    "HTML": "<script>alert(1)</script> <b>cat</b> <img src=x onerror=alert(1)>",
    "markdown": "# **bold** _it_ `code` $x^2$ [a](http://b) ![c](http://d) :red[e] :material/home: \\< ~s~ |t|",
    "other scripts": "кошка 高兴 ねこ قطة",
    "one long word": "a" * 10_000,
    "signs": "<>&\"'\\\x00\x7f",
    "combining": "Z̸̡͝a̷l̶g̵o̴",
    "one sign": ".",
    "right to left": "\u202ethe red cat\u202c \u200fשלום",
    "control": "the\x01 \x1b[31mcat \x85\u2028\ufeff dog",
}
ALL_AT_ONCE = "<b>$x$ 👩‍👩‍👧 кошка"


def check_words(at, page: str) -> None:
    assert fine(at), page
    assert len(figures(at)) >= FIGURES[page], page
    assert not re.search(r"(?<!\\)<(?!=)\w+", re.sub(r"`[^`]*`", "", shown(at))), page  # no tag that Markdown would pass on
    for each in plots(at):  # text on canvas is never read as markup
        for axis in ("xaxis", "yaxis"):
            assert not re.search("[<>]", "".join(each.layout[axis].get("ticktext", []))), page


def test_odd_sentences_are_shown():
    at = app(READS_ALL)
    for line in LINES.values():
        turn(at, src=line, tgt=line)
        for page in SOME:
            check_words(go(at, page), page)
    turn(at, src=ALL_AT_ONCE, tgt=ALL_AT_ONCE)
    for page in VIEWS:
        check_words(go(at, page), page)


@pytest.mark.parametrize(("src_len", "tgt_len", "pages"), [(1, 1, VIEWS), (128, 127, [*SOME, "attention", "layers"])])
def test_the_shortest_and_the_longest(src_len, tgt_len, pages):
    at = app({"input": "lengths", "src_len": str(src_len), "tgt_len": str(tgt_len)})
    for page in pages:
        assert fine(go(at, page)), page
        assert len(figures(at)) >= FIGURES[page], page


@pytest.mark.parametrize(
    "sizes",
    [{"d_model": 8, "n_heads": 8, "d_ff": 16, "n_layers": 1}, {"d_model": 512, "n_heads": 16, "d_ff": 16, "n_layers": 6}],
)
def test_the_narrowest_and_the_widest(sizes):
    at = app({name: str(value) for name, value in sizes.items()})
    for page in ("home", "heads", "attention", "norms", "shapes", "decoding"):
        assert fine(go(at, page)), page
        assert len(figures(at)) >= FIGURES[page], page


# ---------------------------------------------------------------- choices that are no longer there


def test_choices_that_are_no_longer_there_fall_back():
    at = open_page(
        "heads", {"part": "side_by_side", "n_layers": "6", "n_heads": "16", "src": "the cat sees the dog and the red cat"}
    )
    turn(at, kind="encoder", layer=5, head=15)
    go(at, "attention")
    turn(at, query=8, key=7)
    assert {"layer": 5, "query": 8, "key": 7}.items() <= {n: v for n, (v, _) in session_of(at).rerun.drawn.items()}.items()
    go(at, "home")
    turn(at, n_layers=1, n_heads=2, src="a cat")
    for page in ("attention", "heads", "masks", "shapes"):
        assert fine(go(at, page))
        assert session_of(at).rerun.drawn["layer" if page != "masks" else "kind"][0] in (0, "encoder")
    go(at, "attention")
    assert all(session_of(at).rerun.drawn[name][0] in (0, 1) for name in ("query", "key", "head"))
    assert fine(turn(at, kind="decoder", tgt="un"))


@pytest.mark.parametrize(
    ("page", "slider", "ends"),
    [
        ("positions", "dimension", [{"d_model": 64}, {"d_model": 32}, {"d_model": 8}]),
        ("masks", "pad_src", [{"src": "cat " * n} for n in (120, 126, 127, 128, 3)]),
        ("masks", "pad_tgt", [{"tgt": "chat " * n} for n in (119, 125, 126, 127, 3)]),
    ],
)
def test_a_slider_whose_end_moves_below_its_value_moves_along(page, slider, ends):
    """Streamlit gives such a slider its default for one run, and fails in the run after."""
    at = app({"part": "waves"})
    turn(at, **ends[0])
    go(at, page)
    at.slider(key=slider).set_value(at.slider(key=slider).max).run()
    for end in ends[1:]:
        assert fine(turn(at, **end))
        (last,) = [each for each in at.slider if each.key == slider] or [None]
        assert last is None or at.session_state[slider] <= last.max  # without room there is none
    assert fine(turn(at)) and last is not None


# ---------------------------------------------------------------- models from files

# What a file may hold, but the sidebar has no setting for; each tour combines what has nothing to do with each other.
ODD_MODELS = {
    "wide, few positions": {"d_model": 520, "n_heads": 20, "n_layers": 1, "d_ff": 2049, "max_len": 4},
    "deep, no biases, more targets": {
        "n_layers": 7, "dropout": 0.75, "causal": False, "attention_bias": False, "final_norm": True,
        "norm": "post", "tgt_vocab": 29,
    },
    "narrow, another padding, fewer targets, no cross-attention": {
        "d_model": 3, "n_heads": 1, "d_ff": 5, "pad_id": 2, "tgt_vocab": 4, "cross_attention": False,
    },
}  # fmt: skip


def uploaded(**changes) -> str:
    sizes = {"src_vocab": 11, "tgt_vocab": 11, "d_model": 24, "n_heads": 3, "d_ff": 40, "n_layers": 2} | changes
    model = Transformer(TransformerConfig(**sizes), torch.Generator().manual_seed(1))
    return resources.model_store().add(checkpoint.to_bytes(model)).id


@pytest.mark.slow
@pytest.mark.parametrize("case", ODD_MODELS)
def test_a_model_from_a_file_is_shown_in_every_part(case):
    at = app({"model": uploaded(**ODD_MODELS[case]), "compare": "yes", "numbers": "1 3"})
    for page, part in tour(at, VIEWS):
        assert not complaints(at), (page, part, complaints(at))
        nothing_to_show = page == "what_matters" and "no cross-attention" in case
        if part == PARTS[page][0] and not nothing_to_show:
            assert len(figures(at)) >= FIGURES[page], page
            assert page not in ("attention", "heads") or model_line(at)["state"] == "learned", page


@pytest.mark.parametrize(
    ("changes", "says"),
    [({"src_vocab": 1, "tgt_vocab": 1}, "“1”"), ({"tgt_max_len": 1}, "up to 0")],
    ids=["one symbol", "no place for an answer"],
)
def test_a_model_from_a_file_that_cannot_read_is_declined_in_one_sentence(changes, says):
    at = app({"model": uploaded(**changes), "numbers": "1 3"})
    for page in SOME:
        assert says in told(go(at, page))
        assert at.title and at.select_slider(key="d_model")


def test_a_pass_that_is_too_large_is_declined_with_a_shorter_row(monkeypatch):
    model = uploaded()
    cfg = resources.model_store().get(model).cfg
    monkeypatch.setattr(limits, "FORWARD_BYTES", activation_bytes(cfg, 1, 6, 6))
    at = app({"model": model, "numbers": "1 3 5 2 9 4 7 8"})
    for page in VIEWS:
        assert "8 and 7 tokens" in told(go(at, page)), page
        assert at.title and not figures(at), page
    at.button(key="nearest-numbers-0").click().run()
    assert session_of(at).settings.numbers == "1 3 5 2 9 4"
    assert fine(go(at, "heads")) and figures(at)


def test_a_hundred_answers_are_not_drawn_from_a_huge_vocabulary():
    vocab = {"src_vocab": 10_001, "tgt_vocab": 10_001}
    link = {"model": uploaded(d_model=3, n_heads=1, tie_embeddings="all", **vocab), "numbers": "1 3"}
    assert "10,001 tokens" in told(open_page("decoding", link | {"part": "samples"}))
    assert fine(open_page("decoding", link))


def test_a_model_too_large_to_learn_is_refused_only_where_it_would_have_to_learn():
    for page in ("heads", "attention"):
        at = visit({"d_model": "512"}, page)
        for _look in range(600):  # until the learner has looked at its size
            if session_of(at).shown().learning.state != "learning":
                break
            time.sleep(0.1)
            at.run()
        assert "steps of learning would take" in told(at), page
    for page in ("positions", "masks", "shapes"):
        at = visit({"d_model": "512"}, page)
        assert fine(at) and not at.error and session_of(at).shown().cfg.d_model == 512, page
        assert session_of(at).shown().learning.refused is not None, "its pictures need the sizes alone"
