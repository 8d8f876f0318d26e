"""Pins that a picture asked for by its name is that of the page to the last bit, and that nonsense is refused."""

import json
import struct
from collections.abc import Callable
from dataclasses import asdict, replace
from fnmatch import fnmatch
from typing import Any

import numpy as np
import pytest
import torch

from explorer import i18n, resources
from explorer.learning.learned_model import of_learned
from explorer.model_on_screen.progress import Progress
from explorer.model_on_screen.settings import ModelSettings, stops
from explorer.model_on_screen.sources import with_length
from explorer.pictures import questions, registry
from explorer.pictures.questions import PictureRequest
from explorer.programs.templates import UNNAMED
from explorer.shell import every_exhibit as _every_exhibit  # noqa: F401
from tests.explorer.programs.programs import FIELDS, choices_of
from tests.pages import helpers
from tests.pages.helpers import (
    VIEWS,
    array,
    component,
    fine,
    learned_file,
    open_page,
    sent_to,
    session_of,
    tour,
    turn,
    visit,
)
from transformer_core import TASKS, Transformer
from transformer_core.training.learned import Learned, parameters_of

SMALL = replace(ModelSettings(), step=0, d_model=64, n_layers=1, d_ff=128)
HEAD = {"picture": "head", "choices": {"kind": "cross", "layer": 0, "head": 1, "scale": "1"}}
LINES = {"picture": "lines", "choices": {"kind": "cross", "layer": 0}}


def question(settings: ModelSettings, turned: str, *want: dict[str, Any], n: int = 1, length: int = 5) -> str:
    said = {"n": n, "settings": asdict(settings), "turned": turned, "want": want}
    return json.dumps(said | {"language": "en", "after": 0, "length": length})


def unframed(data: bytes) -> dict[str, Any]:
    n, size = struct.unpack_from("<QI", data)
    start = 12 + size
    assert start % 8 == 0, "where JavaScript's arrays may begin"

    def read(value: dict[str, Any]) -> Any:
        if "dtype" not in value:
            return value
        shape = [int(n) for n in value["shape"].split(",")] if value["shape"] else []
        return np.frombuffer(data, value["dtype"], int(np.prod(shape)), start + value["at"]).reshape(shape)

    return {"n": n} | json.loads(data[12:start], object_hook=read)


def asked(settings: ModelSettings, turned: str, *want: dict[str, Any], length: int = 5) -> dict[str, Any]:
    return unframed(PictureRequest.read(question(settings, turned, *want, length=length)).answer())


def same(one: Any, other: Any) -> None:
    """To the last bit, and of the same type."""
    assert one.dtype == other.dtype and one.shape == other.shape
    assert one.tobytes() == other.tobytes()


def drawn(at) -> dict[str, dict[str, Any]]:
    """Returns what each picture that follows the knobs was sent, by its id on the page."""
    sent = {each.proto.id: sent_to(each) for each in at.get("bidi_component")}
    return {key: data for key, data in sent.items() if isinstance(data, dict) and isinstance(data.get("live"), dict)}


def nameless_pictures(at) -> set[str]:
    """Returns the ids of the pictures on a page that follow no knob."""
    kinds = {"explorer_matrices", "explorer_plot", "explorer_attention_view", "explorer_arithmetic", "explorer_model_map"}
    there = [each.proto for each in at.get("bidi_component") if each.proto.component_name in kinds]
    ids = {proto.id.split("-", 2)[2] for proto in there}
    return ids - drawn_keys(at)


def drawn_keys(at) -> set[str]:
    return {key.split("-", 2)[2] for key in drawn(at)}


def same_numbers(found: dict[str, Any], page: dict[str, Any]) -> None:
    """Asserts that the socket answers what the page was sent."""
    for name, value in found.items():
        if name == "stages":
            assert value.keys() == page[name].keys()
            same_numbers(value, page[name])
        elif isinstance(value, np.ndarray):
            same(value, array(page[name]))
        else:
            assert page[name] == value, name


# Other choices than those that pages begin with.
CHOICES = FIELDS | {
    "kind": "decoder", "layer": 0, "head": 2, "query": 2, "key": 1, "token": 3, "scale": "head", "pad_src": 1, "pad_tgt": 3,
    "blocked_padding": 3, "open_keys": 1, "k": -1, "base": 1000, "width": "20", "dimension": 6, "block": 6, "beam_width": 5,
    "beam_penalty": 0, "erasure_layer": 0, "print_batch": 3, "weight_matrix": 5, "answer": "le chat",
    "decode_how": "sample",
}  # fmt: skip


# Choices that are not the control's of the same name: a picture has several of them on screen.
OF_THEIR_OWN = {("origin-right", "head"), ("every-head", "kind")}


def test_every_picture_is_drawn_by_a_page_of_what_is_chosen_and_by_its_name_alike():
    sizes = {"d_model": "64", "n_heads": "4", "n_layers": "2", "d_ff": "128", "step": "0"}
    at = visit(sizes | {name: str(value) for name, value in CHOICES.items() if not isinstance(value, list)})
    turn(at, cut="cross.0.1")
    seen, nameless, followed = set(), set(), {}
    for _page, _part in tour(at, [*VIEWS, "one_step"]):
        controls = session_of(at).rerun.drawn
        for data in drawn(at).values():
            name, choices = data["live"]["picture"], data["live"]["choices"]
            seen.add(name)
            for choice in choices.keys() & controls.keys() - {"ids", "forced"}:  # written as a text
                value, default = controls[choice]
                assert choices[choice] == value or (name, choice) in OF_THEIR_OWN, (name, choice)
                followed[choice] = followed.get(choice, False) or value != default
            (found,) = asked(session_of(at).on_screen, "choices", data["live"])["pictures"]
            same_numbers(found, data)
        nameless |= {key for key in nameless_pictures(at) if not any(fnmatch(key, each) for each in UNNAMED)}
    # Other sizes have fewer pictures; a model before its first step has no other kept steps.
    assert [choice for choice, moved in followed.items() if not moved] == ["split_size", "one_step_after"]
    # Below: of a model that learns; in test_start, test_look_closer, test_be_the_head, test_next_word,
    # test_positions_in_attention, test_race and test_two_maps.
    elsewhere = {"course", "start", "start-cuts", "look-closer", "be-the-head", "be-the-head-look", "going-on", "lowered"}
    elsewhere |= {"race-curves", "race-places", "word-map", "word-map-course"}
    assert seen == set(registry.names()) - elsewhere
    assert not nameless, "give these pictures a name and a recipe, or say in UNNAMED why they have none"


@pytest.mark.parametrize(
    ("picture", "name", "values"),
    [
        ("by-eps", "norm_eps_tried", [0, -1.0, 11.0, True, "0.1", float("nan")]),
        ("turned", "base", [7]), ("turned", "steps_on", [51]), ("turned", "block", [7, 0]),
        ("waves", "base", [7]), ("waves", "wave_positions", [10**9, 50.0]),
        ("waves", "width", ["21"]), ("waves", "dimension", ["4"]),
        ("looked-up", "ids", ["4", [-1], [10**9], [1] * 33, [True]]),
        ("mask", "mask", ["other"]), ("mask", "pad_src", [1.5]), ("mask", "pad_tgt", [None]),
        ("blocked-stage", "stage", ["q"]), ("blocked-stage", "blocked_padding", ["2"]), ("blocked-stage", "kind", ["all"]),
        ("blocked-stage", "head", [True]),
        ("scores", "score", ["none"]), ("scores", "score_seed", [-1, 1.0]), ("concat", "split_size", ["10-5"]),
        ("beam-tree", "beam_width", [9]), ("beam-tree", "beam_steps", [10**9]),
        ("beam-tree", "beam_penalty", ["0", float("nan")]),
        ("next-word", "temperature", [0, "1", float("inf")]), ("next-word", "top_p", [True]),
        ("next-word", "top_k", [-1, 1.5, 10**400]),
        ("next-word", "decode_step", [0]), ("next-word", "decode_steps", [10**9]), ("next-word", "draw_seed", [None]),
        ("next-word", "forced", ["1", [[0]], [[0, -1]], [[0, 10**9]], [["0", 1]]]),
        ("parameters-by-part", "vocabulary", [0, 10**9, True, "11"]),
    ],
)  # fmt: skip
def test_what_no_page_chooses_is_refused(picture, name, values):
    chosen = choices_of(picture)
    assert asked(SMALL, "choices", {"picture": picture, "choices": chosen})["pictures"] is not None
    for value in values:
        with pytest.raises(ValueError, match=r"."):
            asked(SMALL, "choices", {"picture": picture, "choices": chosen | {name: value}})


def test_five_who_ask_the_same_cost_one_computation(monkeypatch):
    computed = []

    def counted(shown: Any, picture: str, choices: Any) -> dict[str, Any]:
        computed.append(picture)
        return registry.numbers(shown, picture, choices)

    monkeypatch.setattr(questions, "numbers", counted)
    settings = replace(ModelSettings(), d_model=64)  # of the box
    wish = {"picture": "head", "choices": {"kind": "decoder", "layer": 1, "head": 2, "scale": "head"}}
    answers = [PictureRequest.read(question(settings, "d_model", wish, LINES, n=n)).answer() for n in range(5)]
    assert computed == ["head", "lines"]
    assert len({answer[8:] for answer in answers}) == 1
    assert [unframed(answer)["n"] for answer in answers] == [*range(5)]
    other = json.loads(question(settings, "d_model", wish, LINES)) | {"language": "zh_CN"}
    PictureRequest.read(json.dumps(other)).answer()
    assert computed == ["head", "lines"] * 2


@pytest.mark.parametrize("cut", ["cross.0.all:1-2", "cross.0.1", "src:2,cross.all.all:3-3", "encoder.0.2,decoder.1.0"])
def test_what_a_click_cuts_is_what_the_page_cuts(cut):
    keys = ("attention-view", "cut-answer")
    link = {"task": "everyday-fr", "src": "the red cat sees a big house"}
    at = visit(link, "heads")
    assert fine(at)
    before = [component(at, key) for key in keys]
    asked_for = replace(session_of(at).settings, cut=cut)
    lines, answer = asked(asked_for, "cut", *(each["live"] for each in before))["pictures"]
    at = visit(link | {"cut": cut}, "heads")
    assert fine(at) and session_of(at).settings == asked_for
    for picture, was, now in zip((lines, answer), before, (component(at, key) for key in keys), strict=True):
        same_numbers(picture, now)
        assert any(was[name] != now[name] for name in picture)


WAVES = {"base": 100, "wave_positions": 50, "width": "model"}


@pytest.mark.parametrize(("name", "value", "fewer"), [("layer", 1, ("n_layers", 1)), ("head", 3, ("n_heads", 2))])
def test_a_layer_or_head_that_is_gone_with_the_knob_is_the_one_that_the_page_falls_back_to(name, value, fewer):
    at = open_page("attention", kind="encoder", n_layers=2, **{name: value})
    wish = component(at, "weights")["live"]
    assert wish["choices"][name] == value
    (picture,) = asked(replace(session_of(at).settings, **dict([fewer])), fewer[0], wish)["pictures"]
    assert fine(turn(at, **dict([fewer])))
    same_numbers(picture, component(at, "weights"))


def test_every_step_of_a_model_from_a_file_follows_its_knob():
    task = TASKS["pronoun-en"]()
    cfg = replace(ModelSettings(task="pronoun-en").config(len(task.vocabulary)), d_model=32)
    nets = {
        step: Transformer(cfg, seed)
        for step, seed in ((5, torch.Generator().manual_seed(1)), (9, torch.Generator().manual_seed(2)))
    }
    model = learned_file(task, nets, seed=4)
    seen = set()
    for step in (0, 5, None):
        at = visit({"model": model} | ({} if step is None else {"step": str(step)}), "attention")
        assert fine(at)
        page = component(at, "weights")
        settings = replace(session_of(at).settings, step=9)
        found = asked(replace(settings, step=step), "step", page["live"])
        same_numbers(found["pictures"][0], page)
        seen.add(json.dumps(page["stages"]["weights"]))
    assert len(seen) == 3


def test_what_has_not_been_learned_shows_the_nearest_value_that_has():
    """The box has some widths of the usual model; what lies between them is that of the nearest, and says so."""
    usual = ModelSettings()
    store = resources.model_store()
    learned = [width for width in stops(usual)["d_model"] if store.learned_by(replace(usual, d_model=width).plans())]
    unlearned = [width for width in stops(usual)["d_model"] if width not in learned]
    assert usual.d_model in learned and len(learned) > 2 and unlearned
    width = max(unlearned, key=lambda width: -abs(width - usual.d_model))
    found = asked(replace(usual, d_model=width), "d_model", HEAD)
    (nearest,) = found["nearest"]
    assert nearest in learned
    (same_one,) = asked(replace(usual, d_model=nearest), "d_model", HEAD)["pictures"]
    for name, values in found["pictures"][0]["stages"].items():
        same(values, same_one["stages"][name])


@pytest.mark.parametrize(
    ("page", "key", "length"), [("attention", "weights", 4), ("attention", "weights", 9), ("shapes", "shape-map", 40)]
)
def test_pictures_of_a_length_of_the_source_are_those_of_the_page(page, key, length):
    at = open_page(page)
    assert fine(at)
    settings, sent = session_of(at).settings, component(at, key)
    found = asked(settings, "sequence_length", sent["live"], length=length)
    assert found["nearest"] == [None]
    assert fine(at.select_slider(key="sequence_length").set_value(length).run())
    after, picture = component(at, key), found["pictures"][0]
    assert session_of(at).settings == with_length(settings, length) != settings
    if key == "weights":
        same_numbers(picture, after)
        assert len(picture["columns"]) == length or after["live"]["choices"]["kind"] == "decoder"
    else:
        assert {name: after[name] for name in picture} == json.loads(json.dumps(picture))
        assert picture != {name: sent[name] for name in picture}


@pytest.fixture
def learning(monkeypatch: pytest.MonkeyPatch) -> Callable[[ModelSettings, int], None]:
    """learning(settings, step): from now on the model of these settings is learning, and has come to this step."""

    def come_to(settings: ModelSettings, step: int) -> None:
        plan = settings.plan()
        states = {at: parameters_of(Transformer(plan.cfg, torch.Generator().manual_seed(at))) for at in range(1, step + 1)}
        curve = np.array([[at, at / 100, 1.0] for at in states]).reshape(-1, 3)
        so_far = Learned(plan.cfg, plan.task, plan.recipe, "learned", curve, 10, states, 1.0, plan.key)
        demand = type(resources.learning())
        monkeypatch.setattr(demand, "want", lambda *_: None)
        monkeypatch.setattr(demand, "is_wanted", lambda _, key: key == plan.key)
        monkeypatch.setattr(demand, "live", lambda _, key: of_learned(so_far) if key == plan.key else None)
        monkeypatch.setattr(questions, "progress", lambda key: Progress(step, 1.0, over=key != plan.key))

    return come_to


def of_learning(settings: ModelSettings, after: int, *want: dict[str, Any], language: str = "en") -> dict[str, Any]:
    said = json.loads(question(settings, "step", *want)) | {"turned": None, "after": after, "language": language}
    return unframed(PictureRequest.read(json.dumps(said)).answer())


def test_a_picture_of_a_model_that_is_learning_is_that_of_the_page(learning):
    settings = replace(ModelSettings(), seed=5)
    learning(settings, 3)
    at = visit({"seed": "5", "task": settings.task}, "attention")
    assert fine(at)
    wish, before = component(at, "weights")["live"], component(at, "weights")["stages"]
    assert component(at, "live-knobs")["learning"] == {"newest": 3, "note": ""}
    learning(settings, 8)
    found = of_learning(settings, 3, wish, {"picture": "course", "choices": {}})
    assert (found["newest"], found["over"], found["note"]) == (8, False, "")
    assert fine(at.run())
    page = component(at, "weights")
    assert page["stages"] != before
    head, course = found["pictures"]
    same_numbers(head, page)
    track = component(at, "learned-for")
    assert course == {name: track[name] for name in ("steps", "curve", "jumps", "note")}
    facts, line = found["line"]["facts"], helpers.model_line(at)
    assert facts == {name: line[name] for name in facts} and " · ".join(found["line"]["words"].values()) == line["words"]
    assert (facts["state"], facts["step"], facts["right"]) == ("learning", "8", "0.08")


def test_a_model_that_is_learning_is_drawn_when_there_is_something_new(learning):
    settings = replace(ModelSettings(), seed=5)
    learning(settings, 3)
    assert of_learning(settings, 3, HEAD)["pictures"] is None
    nothing = of_learning(settings, 0)
    assert (nothing["pictures"], nothing["line"], nothing["newest"]) == (None, None, 3)  # the line names the step of pictures
    assert of_learning(replace(settings, seed=6), 0, HEAD)["over"]
    assert of_learning(replace(settings, d_model=512, d_ff=2048, n_layers=6), 0, HEAD)["over"]
    assert of_learning(replace(settings, n_heads=6), 0, HEAD) == {"n": 1, "pictures": None, "over": True}
    early = of_learning(replace(settings, step=2), 0, HEAD)
    assert (early["newest"], early["line"]["facts"]["step"]) == (3, "2")  # somebody looks at an earlier step


def test_a_model_that_is_learning_is_named_in_the_browsers_language(learning):
    settings = replace(ModelSettings(), seed=5)
    learning(settings, 3)
    said = {language: of_learning(settings, 0, HEAD, language=language)["line"]["words"] for language in ("en", "zh_CN")}
    words = {language: said[language]["learned"] for language in said}
    assert words["en"].startswith("still learning: 3 steps")
    assert "3" in words["zh_CN"] and "steps" not in words["zh_CN"]
    assert i18n.current_language() == "en"


@pytest.mark.parametrize(
    "impossible",
    [{"n_heads": 6}, {"src": ""}, {"d_model": 512, "d_ff": 2048, "n_layers": 6}, {"model": "0123456789abcdef"}],
    ids=str,
)
def test_what_cannot_be_had_at_once_is_left_to_the_page(impossible):
    found = asked(replace(SMALL, **impossible), "d_ff", HEAD)
    assert found == {"n": 1, "pictures": [None], "nearest": [None]}


@pytest.mark.parametrize(
    ("turned", "value"), [("d_model", 96), ("n_heads", 11), ("n_layers", 5), ("seed", 12), ("d_ff", 32), ("norm_eps", 0.1)]
)
def test_shapes_and_waves_need_not_learn_first(turned, value):
    """They are of the value that was asked for, beside a picture that is of the nearest one."""
    usual = ModelSettings()
    wanted = replace(usual, **{turned: value})
    assert wanted.plan().key not in resources.model_store()
    blocks = {"picture": "blocks", "choices": {"layer": 0, "beside": 0}}
    found = asked(wanted, turned, HEAD, blocks, {"picture": "encoding", "choices": WAVES})
    assert found["nearest"][0] not in (None, value) and found["nearest"][1:] == [None, None]
    sizes = dict(found["pictures"][1]["axes"])
    assert (sizes["d_model"], sizes["head"], sizes["d_ff"]) == (wanted.d_model, wanted.n_heads, wanted.d_ff)
    assert found["pictures"][2]["values"].shape == (1, 50, wanted.d_model)


def _changed(**changes: Any) -> str:
    said = json.loads(question(SMALL, "d_model", HEAD))
    settings = changes.pop("settings", {})
    choices = changes.pop("choices", {})
    said["settings"] |= settings
    said["want"][0]["choices"] |= choices
    return json.dumps(said | changes)


NONSENSE = {
    "no JSON": "{",
    "a list": "[]",
    "a number": "3",
    "nothing": "",
    "deep": "[" * 100_000,
    "without settings": '{"n": 1, "turned": "d_model", "want": []}',
    "a number that is none": _changed(n="1"),
    "a fraction": _changed(n=1.5),
    "a boolean number": _changed(n=True),
    "an unknown knob": _changed(turned="__class__"),
    "no list": _changed(want={"picture": "head"}),
    "too many pictures": _changed(want=[HEAD] * 13),
    "a language that there is not": _changed(language="../zh_CN"),
    "a language that is a list": _changed(language=["en"]),
    "a length that is a text": _changed(turned="sequence_length", length="5"),
    "a length that is none": _changed(turned="sequence_length", length=0),
    "a length beyond all sources": _changed(turned="sequence_length", length=129),
    "a step that is a text": _changed(after="0"),
    "a step that is a fraction": _changed(after=0.5),
    "an unknown picture": _changed(want=[HEAD | {"picture": "../x"}]),
    "a picture that is a list": _changed(want=[HEAD | {"picture": ["head"]}]),
    "choices that are a list": _changed(want=[HEAD | {"choices": []}]),
    "choices that are missing": _changed(want=[LINES | {"choices": {}}]),
    "a step that is missing": _changed(want=[{"picture": "turned", "choices": {"base": 10_000, "block": 4}}]),
    "an unknown kind": _changed(choices={"kind": "self"}),
    "a kind that is a list": _changed(choices={"kind": ["cross"]}),
    "a head that is a text": _changed(choices={"head": "0"}),
    "a head that is a boolean": _changed(choices={"head": True}),
    "a layer that is a fraction": _changed(choices={"layer": 0.0}),
    "an unknown scale": _changed(choices={"scale": 1}),
    "a width that is a text": _changed(settings={"d_model": "64"}),
    "a width that is a boolean": _changed(settings={"d_model": True}),
    "a width beyond the knob": _changed(settings={"d_model": 10**9}),
    "a width that is none": _changed(settings={"d_model": None}),
    "a fraction of a layer": _changed(settings={"n_layers": 1.5}),
    "no number": _changed(settings={"dropout": "NaN"}),
    "not finite": _changed(settings={"dropout": float("nan")}),
    "a norm that there is not": _changed(settings={"norm": "mid"}),
    "a list of norms": _changed(settings={"norm": ["post"]}),
    "a switch that is a number": _changed(settings={"causal": 1}),
    "a task that there is not": _changed(settings={"task": "../../etc/passwd"}),
    "a source that is a number": _changed(settings={"src": 3}),
    "a source that never ends": _changed(settings={"src": "do " * 5000}),
    "one setting more": _changed(settings={"more": 1}),
}


@pytest.mark.parametrize("text", NONSENSE.values(), ids=NONSENSE)
def test_nonsense_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        PictureRequest.read(text).answer()


def test_what_a_browser_writes_of_a_setting_names_the_same_model():
    said = json.loads(question(SMALL, "d_model"))
    said["settings"]["dropout"] = 0
    read = PictureRequest.read(json.dumps(said)).settings
    assert read == SMALL and repr(read.dropout) == "0.0"


def test_what_is_likely_comes_outward_from_the_knob():
    likely = PictureRequest.read(question(SMALL, "n_layers")).likely()
    assert [each.n_layers for each in likely] == [2, 3, 4, 5, 6]
    assert PictureRequest.read(question(SMALL, "src")).likely() == ()
    steps = [each.step for each in PictureRequest.read(question(ModelSettings(), "step")).likely()]
    assert steps == sorted(steps, reverse=True) and steps[-1] == 0 and None not in steps


def test_the_browser_is_told_the_settings_and_which_knobs_there_are():
    at = open_page("attention")
    assert fine(at)
    sent = component(at, "live-knobs")
    assert ModelSettings(**sent["settings"]) == session_of(at).settings
    assert sent["address"] == "live" and sent["hasModel"]
    assert sent["knobs"]["d_model"] == {"model": None} and sent["knobs"]["step"] == {}
