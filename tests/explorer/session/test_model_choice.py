"""Which model a link means, how the settings follow when another task is chosen, and what the browser's history brings back."""

from functools import partial

import pytest
import torch

from everyday.translation import TRANSLATIONS
from explorer import resources
from explorer.learning.task_titles import TASK_TITLES
from explorer.model_on_screen.settings import FIRST_TASK, SIZES, ModelSettings, choices, defaults, of_task, size_of
from explorer.session import model_choice
from explorer.session.model_choice import OWN, USUAL
from tests.explorer.session.helpers import as_it_is, back_to
from tests.pages.helpers import VIEWS, complaints, fine, go, session_of, tour, turn
from tests.pages.helpers import visit as visit_page
from transformer_core import PRESETS, Transformer, TransformerConfig, checkpoint
from transformer_core.data.corpora import CORPORA
from transformer_core.data.tasks import PairsTask, facts_of
from transformer_core.training.learning_plan import pairs_plan

visit = partial(visit_page, folded=True)  # what is unfolded stands in the address

PLAIN = "compare"  # a page that shows no model
DEFAULTS = defaults(FIRST_TASK)


def settings_of(at) -> ModelSettings:
    return session_of(at).settings


def opened(symbols: int = 7, **sizes) -> str:
    """The id of a model from a file, which reads the numbers below `symbols`."""
    cfg = TransformerConfig(
        **{"src_vocab": symbols, "tgt_vocab": symbols, "d_model": 12, "n_heads": 3, "d_ff": 14, "n_layers": 1} | sizes
    )
    return resources.model_store().add(checkpoint.to_bytes(Transformer(cfg, torch.Generator().manual_seed(1)))).id


# ---------------------------------------------------------------- links


@pytest.mark.parametrize(
    ("link", "settings"),
    [
        ({}, {}),
        ({"src": "a cat"}, {"src": "a cat"}),
        ({"task": "copy"}, {"task": "copy"}),
        ({"task": "everyday-fr", "d_model": "48"}, {"d_model": 48}),
        ({"step": "0", "d_model": "48"}, {"d_model": 48, "step": 0}),
        ({"step": "170"}, {"step": 170}),
        ({"task": "everyday-fr", "seed": "3"}, {"seed": 3}),
        ({"task": "copy", "step": "20", "numbers": "1 2"}, {"task": "copy", "step": 20, "numbers": "1 2"}),
        ({"task": "everyday-fr", "tgt": "le chat"}, {"tgt": "le chat"}),
        ({"task": "addition", "position": "sinusoidal"}, {"task": "addition", "position": "sinusoidal"}),
        ({"task": "everyday-fr", "input": "lengths", "src_len": "5"}, {"input": "lengths", "src_len": 5}),
    ],
    ids=str,
)
def test_a_link_says_the_task_and_what_differs_from_its_defaults(link, settings):
    at = visit(link, PLAIN)
    task = settings.get("task", FIRST_TASK)
    assert settings_of(at) == ModelSettings(**defaults(task) | settings)
    assert at.query_params == link
    assert settings_of(visit(dict(at.query_params), PLAIN)) == settings_of(at)


def test_every_setting_comes_by_link_stays_from_page_to_page_and_goes_back_to_its_default():
    others = {name: next(v for v in choices(name) if v != DEFAULTS[name]) for name in DEFAULTS if choices(name)}
    others |= {"d_model": 48, "n_heads": 6, "n_layers": 3, "d_ff": 80, "dropout": 0.25, "seed": 17, "src_len": 5, "tgt_len": 6}
    link = {name: {True: "on", False: "off"}.get(value, str(value)) for name, value in others.items()}
    at = visit(link | {"task": FIRST_TASK}, "training")
    for page in ("training", "compare", "home"):
        go(at, page)
        assert {name: getattr(settings_of(at), name) for name in others} == others
        assert {name: at.query_params[name] for name in link} == link
    turn(at, n_heads=DEFAULTS["n_heads"])  # first, for not every width can have six
    turn(at, **{name: DEFAULTS[name] for name in others})
    assert settings_of(at) == ModelSettings()
    assert at.query_params == {}


# ---------------------------------------------------------------- tasks


def test_what_is_as_a_task_has_it_follows_the_task_and_what_was_turned_stays():
    at = visit({}, PLAIN)
    at.selectbox(key="task").select("copy").run()
    assert settings_of(at) == of_task("copy") and at.query_params == {"task": "copy"}
    turn(at, d_ff=96)
    at.selectbox(key="task").select("addition").run()
    assert settings_of(at) == ModelSettings(**defaults("addition") | {"d_ff": 96})
    assert (settings_of(at).position, settings_of(at).n_layers, settings_of(at).src) == ("learned", 2, "27+58=")
    at.selectbox(key="task").select(FIRST_TASK).run()
    assert settings_of(at) == ModelSettings(d_ff=96)


def test_heads_that_another_task_s_width_cannot_have_become_the_nearest_that_it_can():
    at = visit({"task": FIRST_TASK, "n_heads": "11"}, PLAIN)
    at.selectbox(key="task").select("copy").run()
    assert (settings_of(at).d_model, settings_of(at).n_heads) == (64, 8)


def test_nothing_impossible_can_be_turned_to():
    at = visit({}, PLAIN)
    for name, other in (("n_heads", "d_model"), ("d_model", "n_heads"), ("n_heads", "d_model")):
        for value in at.select_slider(key=name).options:
            at.select_slider(key=name).set_value(int(value)).run()
            settings = settings_of(at)
            assert settings.d_model % settings.n_heads == 0 and settings.config(11), (name, value)
        assert str(getattr(settings, other)) in at.select_slider(key=other).options
    at = visit({"task": FIRST_TASK, "n_heads": "3", "d_model": "96"}, PLAIN)
    assert all(int(width) % 3 == 0 for width in at.select_slider(key="d_model").options)


def test_what_follows_from_another_task_is_not_undone_by_a_browser_that_has_not_been_told_of_it_yet():
    at = visit({"task": "everyday-fr"}, PLAIN)
    assert settings_of(at).n_layers == 2
    ask = as_it_is(at)
    for _ in range(3):
        ask(task="copy numbers")
        assert settings_of(at) == of_task("copy") and at.query_params == {"task": "copy"}
    ask(task="copy numbers", n_layers=3)  # what has been turned meanwhile counts
    assert settings_of(at) == ModelSettings(**defaults("copy") | {"n_layers": 3})
    at.slider(key="n_layers").set_value(2).run()  # it knows
    assert settings_of(at).n_layers == 2 and at.query_params == {"task": "copy", "n_layers": "2"}


def test_what_is_turned_to_what_it_was_before_counts_where_the_browser_knows():
    at = visit({"task": "copy", "n_layers": "3"}, PLAIN, more_settings=True)
    at.selectbox(key="preset").select(USUAL).run()
    assert settings_of(at) == of_task("copy")
    at.slider(key="n_layers").set_value(3).run()
    assert settings_of(at).n_layers == 3
    back_to(at, {"task": "copy"})
    at.slider(key="n_layers").set_value(3).run()
    assert settings_of(at).n_layers == 3


def test_the_step_stays_where_a_size_or_the_task_is_changed_and_is_the_end_unless_one_is_chosen():
    at = visit({"step": "0"}, PLAIN)
    turn(at, n_layers=1)
    at.selectbox(key="task").select("copy").run()
    assert settings_of(at).step == 0 and at.query_params["step"] == "0"
    at = visit({"task": "copy"}, "heads")
    turn(at, step=0)
    assert settings_of(at).step == 0 == session_of(at).shown().learning.step
    back_to(at, {"task": "copy"})
    assert settings_of(at).step is None and session_of(at).shown().learning.is_at_end


# ---------------------------------------------------------------- models from files


def test_a_model_that_is_gone_keeps_its_address_and_says_so():
    at = visit({"model": "gone"}, "heads")
    assert len(complaints(at)) == 1
    assert at.title and "no longer here" in at.sidebar.caption[0].value
    assert at.query_params["model"] == "gone"
    go(at, PLAIN)
    assert at.query_params["model"] == "gone"
    go(at, "heads")
    at.button(key="nearest-model").click().run()
    assert fine(at)
    assert settings_of(at) == ModelSettings() and at.query_params == {}


def test_the_settings_show_the_sizes_of_a_file_and_the_address_does_not():
    model = opened(d_model=24, n_layers=2, norm="post", causal=False)
    at = visit({"model": model, "d_model": "72"}, "compare")
    cfg = resources.model_store().get(model).cfg
    turn(at)
    assert {name: getattr(settings_of(at), name) for name in SIZES} == {name: size_of(cfg, name) for name in SIZES}
    assert [at.select_slider(key=name).value for name in ("d_model", "n_heads")] == [24, 3]
    assert at.selectbox(key="task").value is None, "the file does not say it"
    turn(at)
    assert set(at.query_params) == {"model"}, "the source is the one that it begins with"
    at.select_slider(key="n_heads").set_value(2).run()  # from now on this is a model of the settings
    assert settings_of(at).model is None
    assert (settings_of(at).d_model, settings_of(at).n_heads, settings_of(at).causal) == (24, 2, False)


def test_a_file_is_closed_by_its_button_and_by_another_task():
    model = opened(d_model=24)
    at = visit({"model": model}, PLAIN)
    at.button(key="close-model").click().run()
    assert settings_of(at).model is None and not [button for button in at.button if button.key == "close-model"]
    at = visit({"model": model}, PLAIN)
    at.selectbox(key="task").select("copy").run()
    assert settings_of(at) == ModelSettings(**defaults("copy") | {"numbers": settings_of(at).numbers})


def test_the_source_is_one_that_the_model_can_read():
    at = visit({}, PLAIN)
    assert settings_of(at).src == TRANSLATIONS["everyday-fr"].example == DEFAULTS["src"]
    at.selectbox(key="task").select("pronoun-zh").run()
    assert settings_of(at).src == CORPORA["pronoun-zh"]().example
    at.selectbox(key="task").select(FIRST_TASK).run()
    assert settings_of(at).src == TRANSLATIONS["everyday-fr"].example
    at.text_input(key="src").set_value("the dog does not see a cat").run()
    at.selectbox(key="task").select("everyday-zh").run()
    assert settings_of(at).src == "the dog does not see a cat", "it can be read"
    at.selectbox(key="task").select("pronoun-en").run()
    assert settings_of(at).src == CORPORA["pronoun-en"]().example


def test_numbers_that_a_model_does_not_know_are_left_out_unless_a_link_says_them():
    model = opened(symbols=6)
    assert settings_of(visit({"model": model}, PLAIN)).numbers == "1 5 3 2 4"
    assert settings_of(visit({"model": model, "numbers": "1 2 9"}, PLAIN)).numbers == "1 2 9"
    assert settings_of(visit({"model": model, "src": "a cat"}, PLAIN)).numbers == "1 5 3 2 4", "src is not what it reads"
    assert settings_of(visit({"model": opened(symbols=1)}, PLAIN)).numbers == "1"


# ---------------------------------------------------------------- the visitor's own pairs

OWN_PAIRS = [("the red hat", "le chapeau rouge"), ("a blue hat", "un chapeau bleu"), ("the blue cup", "la tasse bleue")] + [
    (f"a {noun}", f"un {noun}") for noun in ("fjord", "geyser", "tipi")
]


def own_model() -> str:
    """The id of a model of somebody's own pairs."""
    plan = pairs_plan(PairsTask(tuple(OWN_PAIRS)), seed=0)
    model = Transformer(plan.cfg, torch.Generator().manual_seed(0))
    return resources.model_store().add(checkpoint.to_bytes(model, facts_of(plan.task) | {"steps": 10})).id


def said(at) -> str:
    return " ".join(at.query_params.values())


def test_no_sentence_of_one_s_own_pairs_stands_in_an_address():
    model = own_model()
    at = visit({"model": model}, "heads")
    assert settings_of(at).src == "the red hat" and set(at.query_params) == {"model"}
    at.text_input(key="src").set_value("the blue cup").run()
    assert fine(at) and at.query_params["pair"] == "3" and "src" not in at.query_params
    address = dict(at.query_params)
    go(at, "masks")
    assert settings_of(at).src == "the blue cup" and at.query_params["pair"] == "3"
    assert settings_of(visit(address, "heads")).src == "the blue cup", "its link"

    at.text_input(key="src").set_value("a fjord hat").run()
    assert at.query_params["src"] == "a fjord hat" and "pair" not in at.query_params, "what somebody has typed"
    assert settings_of(back_to(at, address)).src == "the blue cup"
    back_to(at, {"model": model})
    assert settings_of(at).src == "the red hat" and set(at.query_params) == {"model"}
    for other in ("0", "7", "two", "3.5", ""):
        assert settings_of(visit({"model": model, "pair": other}, "heads")).src == "the red hat"
    assert settings_of(visit({"pair": "3"}, "heads")).src == DEFAULTS["src"], "of no model"


def test_a_model_that_is_opened_is_shown_at_its_end_unless_a_link_says_a_step():
    at = visit({"step": "0"}, "heads")
    at.query_params["model"] = own_model()
    go(at, "masks")
    assert settings_of(at).model is not None and settings_of(at).step is None
    assert settings_of(visit({"model": own_model(), "step": "7"}, "heads")).step == 7


def test_a_sentence_of_one_s_own_pairs_is_gone_with_the_model():
    at = visit({"model": own_model(), "pair": "3"}, "heads")
    at.button(key="close-model").click().run()
    assert settings_of(at).model is None and settings_of(at).src == DEFAULTS["src"]
    assert "cup" not in said(at)


def test_no_word_of_one_s_own_pairs_stands_in_the_address_of_any_part():
    at = visit({"model": own_model(), "pair": "2"}, "heads")
    for place in tour(at, VIEWS):
        assert settings_of(at).src == "a blue hat", place
        assert not {"hat", "blue", "chapeau", "bleu"} & {*said(at).replace(",", " ").split()}, (place, said(at))


# ---------------------------------------------------------------- presets


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_sets_every_size_and_is_named_as_long_as_it_holds(preset):
    at = visit({"task": FIRST_TASK, "activation": "gelu"}, PLAIN, more_settings=True)
    assert at.selectbox(key="preset").value == OWN
    at.selectbox(key="preset").select(preset).run()
    assert fine(at)
    assert {name: getattr(settings_of(at), name) for name in SIZES} == {name: size_of(PRESETS[preset], name) for name in SIZES}
    assert model_choice.preset_of(settings_of(at)) == preset
    turn(at, n_layers=3)
    assert model_choice.preset_of(settings_of(at)) == OWN


def test_the_usual_sizes_are_a_preset_of_every_task():
    at = visit({"task": "addition", "activation": "gelu"}, PLAIN, more_settings=True)
    at.selectbox(key="preset").select(USUAL).run()
    assert settings_of(at) == of_task("addition")
    assert all(model_choice.preset_of(of_task(task)) == USUAL for task in TASK_TITLES)


# ---------------------------------------------------------------- history


def test_a_step_back_brings_the_model_that_the_address_means():
    at = visit({}, "heads")
    at.selectbox(key="task").select("copy").run()
    assert at.query_params["task"] == "copy"
    back_to(at, {})
    assert settings_of(at) == ModelSettings() and at.query_params == {}
    back_to(at, {"task": "copy"})
    assert settings_of(at) == of_task("copy")
    back_to(at, {"task": FIRST_TASK, "seed": "3"})
    assert settings_of(at) == ModelSettings(seed=3)
    model = opened()
    back_to(at, {"model": model})
    assert settings_of(at).model == model
    back_to(at, {"step": "0"})
    assert settings_of(at) == ModelSettings(step=0)


# ---------------------------------------------------------------- settings off the screen


def test_what_was_typed_or_set_is_kept_while_its_widget_is_off_the_screen():
    at = visit({"task": FIRST_TASK, "seed": "3"}, PLAIN, more_settings=True)
    at.text_input(key="seed--typed").set_value("7").run()
    at.text_input(key="tgt").set_value("un chat").run()
    turn(at, more_settings=False)
    model = opened()
    back_to(at, {"task": FIRST_TASK, "seed": "7", "tgt": "un chat", "model": model, "numbers": "1 4 2"})
    assert not [box for box in (*at.number_input, *at.text_input) if box.key in ("seed--typed", "tgt", "src")]
    at.selectbox(key="task").select("copy").run()
    at.text_input(key="numbers").set_value("1 4 3").run()
    at.selectbox(key="task").select(FIRST_TASK).run()
    go(at, "heads")
    at.selectbox(key="task").select("copy").run()
    assert at.text_input(key="numbers").value == settings_of(at).numbers == "1 4 3"
    at.selectbox(key="task").select(FIRST_TASK).run()
    assert (settings_of(at).seed, settings_of(at).tgt) == (7, "un chat")
    assert turn(at, more_settings=True).text_input(key="tgt").value == "un chat" and at.query_params["seed"] == "7"
