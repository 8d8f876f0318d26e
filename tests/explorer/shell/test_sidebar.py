"""The shared settings: which are on screen, and what they offer."""

import pytest

from explorer import resources
from explorer.learning.task_titles import TASK_TITLES
from explorer.model_on_screen.settings import FIRST_TASK, VARIANT, choices, defaults
from explorer.ui.setting_names import setting_words
from tests.pages.helpers import component, field, fine, go, session_of, turn, visit
from transformer_core import Transformer, TransformerConfig, checkpoint

PAGE = "attention"  # it shows the model of the settings
DEFAULTS = defaults(FIRST_TASK)
COMMON = {"task", "sequence_length", "d_model", "n_heads", "n_layers", "norm"}
FOLDED = {"preset", "input", "tgt", "seed", "seed-slider", "d_ff", "dropout", *VARIANT, "norm_eps", "max_len", "tgt_max_len"}
FOLDED -= {"cross_position"}  # it means something with rotary positions and ALiBi only


def on_screen(at) -> set[str]:
    at = at.sidebar
    drawn = (*at.slider, *at.select_slider, *at.selectbox, *at.button_group, *at.text_input, *at.number_input)
    return {control.key.removesuffix("--typed") for control in drawn} - {"language", "part"}


def test_the_common_settings_come_first_and_the_rest_when_it_is_unfolded():
    assert on_screen(visit({"step": "0", "n_layers": "1"}, PAGE)) == COMMON | {"src"}, "nothing is known of its learning"
    at = visit({}, PAGE)
    assert on_screen(at) == COMMON | {"src"}
    assert component(at, "learned-for")["steps"][0] == 0, "the slider of its learning"
    numbers = {"seed": "3", "d_ff": "80", "dropout": "0.25", "norm_eps": "0.001", "max_len": "99", "tgt_max_len": "80"}
    others = {name: next(value for value in choices(name) if value != DEFAULTS[name]) for name in VARIANT}
    words = {name: {True: "on", False: "off"}.get(other, str(other)) for name, other in others.items()}
    at = visit({"step": "0"} | words | numbers, PAGE)
    settings = session_of(at).settings
    assert {name: str(getattr(settings, name)) for name in (*VARIANT, *numbers)} == {
        name: str(other) for name, other in (others | numbers).items()
    }
    assert on_screen(at) == COMMON | {"src"}
    assert on_screen(turn(at, more_settings=True)) == COMMON | {"src"} | FOLDED
    assert session_of(at).settings == session_of(turn(at, more=False)).settings == settings, "none is lost by folding"


@pytest.mark.parametrize("page", ["story", "host"])
def test_where_the_settings_would_change_nothing_there_are_none_and_they_come_back(page):
    at = visit({"task": "copy", "n_heads": "2", "step": "0", "src": "the dog sees a cat"}, page)
    assert fine(at) and not on_screen(at) & (COMMON | {"src", "numbers"})
    assert not at.sidebar.children
    assert fine(go(at, "heads"))
    settings = session_of(at).settings
    assert (settings.task, settings.n_heads, settings.step, settings.src) == ("copy", 2, 0, "the dog sees a cat")
    assert at.select_slider(key="n_heads").value == 2


def test_values_that_are_words_are_translated_and_numbers_are_none():
    assert visit({}, PAGE).button_group(key="norm").options == ["post", "pre"]
    assert visit({"lang": "zh_CN"}, PAGE).button_group(key="norm").options == ["后置", "前置"]
    assert setting_words("causal", False) == "causal mask off" and setting_words("n_layers", 1) == "layers 1"
    assert setting_words("eps", 1e-9) == "Adam's ε 1 × 10⁻⁹" and setting_words("norm", "post") == "norm post"


@pytest.mark.parametrize(("task", "source"), [("everyday-zh", "src"), ("copy", "numbers"), ("pronoun-en", "src")])
def test_a_task_has_the_settings_that_it_reads(task, source):
    at = visit({"task": task, "step": "0"}, PAGE, more_settings=True)
    assert on_screen(at) == COMMON | {source} | (FOLDED if source == "src" else FOLDED - {"input", "tgt"})


def test_lengths_stand_in_for_sentences():
    at = visit({"step": "0", "n_layers": "1", "input": "lengths", "src_len": "5"}, PAGE, more_settings=True)
    assert on_screen(at) == (COMMON | FOLDED | {"src_len", "tgt_len"}) - {"sequence_length", "tgt"}
    assert at.slider(key="src_len").value == 5


def test_every_task_can_be_chosen():
    at = visit({}, PAGE)
    names = at.selectbox(key="task").options
    assert len(names) == len(set(names)) == len(TASK_TITLES)
    for task in TASK_TITLES:
        at.selectbox(key="task").set_value(task).run()
        assert fine(at) and session_of(at).settings.task == task


@pytest.mark.parametrize("page", ["positions", "masks", "shapes", PAGE])
@pytest.mark.parametrize(("task", "source", "longest"), [("everyday-fr", "src", 9), ("copy", "numbers", 32)])
def test_sequences_of_any_length_are_offered_where_they_show_something(page, task, source, longest):
    at = visit({"task": task, "step": "0", "n_layers": "1"}, page)
    slider = at.select_slider(key="sequence_length")
    most = int(slider.options[-1])
    assert most == (longest if page == PAGE and task == "copy" else 128 if page != PAGE else most) and most >= longest
    assert ("trained at 10" in slider.label) == (task == "copy")
    slider.set_value(most).run()
    assert fine(at) and len(session_of(at).shown().src) == most
    if task == "copy":
        assert len(getattr(session_of(at).settings, source).split()) == most
    assert at.select_slider(key="sequence_length").value == most


def test_what_nothing_is_known_of_can_be_let_learn():
    at = visit({"step": "0", "d_model": "24"}, PAGE)
    at.button(key="let-learn").click().run()
    assert session_of(at).settings.step is None
    for known in ({}, {"n_layers": "1"}):
        assert not [button for button in visit({"step": "0", **known}, PAGE).button if button.key == "let-learn"]


def test_sizes_beyond_the_ends_of_a_slider_are_shown():
    wide = Transformer(TransformerConfig(src_vocab=7, tgt_vocab=7, d_model=520, n_heads=20, d_ff=14, n_layers=1))
    at = visit({"model": resources.model_store().add(checkpoint.to_bytes(wide)).id}, PAGE)
    assert fine(at)
    assert (at.select_slider(key="d_model").value, at.select_slider(key="d_model").options[-1]) == (520, "520")
    assert (at.select_slider(key="n_heads").value, at.select_slider(key="n_heads").options[-1]) == (20, "20")


def test_only_the_settings_that_cannot_go_together_are_marked():
    at = visit({"step": "0", "n_heads": "6"}, "heads")
    marked = [caption.value for caption in at.sidebar.caption if ":red[" in caption.value]
    assert len(marked) == 1 and "88" in marked[0]
    turn(at, n_heads=4)
    assert not [caption for caption in at.sidebar.caption if ":red[" in caption.value]


def test_drawn_again_before_a_browser_has_put_them_on_screen_settings_begin_with_their_values():
    """A setting is told to the browser once; what comes on screen later begins with the default of its widget."""
    link = {"task": "copy", "d_model": "24", "n_heads": "3", "n_layers": "4", "norm": "post", "seed": "7", "step": "0"}
    at = visit({**link, "numbers": "1 5 4", "position": "none", "score": "dot"}, PAGE, more_settings=True)
    at.run()  # nothing is new any more
    assert fine(at)
    assert at.selectbox(key="task").proto.options[at.selectbox(key="task").proto.default] == TASK_TITLES["copy"]
    assert at.select_slider(key="d_model").proto.options[int(at.select_slider(key="d_model").proto.default[0])] == "24"
    assert at.select_slider(key="n_heads").proto.options[int(at.select_slider(key="n_heads").proto.default[0])] == "3"
    assert at.slider(key="n_layers").proto.default == [4] and field(at, "seed").proto.default == "7"
    assert at.text_input(key="numbers").proto.default == "1 5 4"
    (place,) = at.segmented_control(key="norm").proto.default
    assert at.segmented_control(key="norm").options[place] == "post"
    for name, value in (("position", "none"), ("score", "dot")):
        listed = at.selectbox(key=name)
        assert listed.proto.options[listed.proto.default] == value


@pytest.mark.parametrize(
    ("typed", "seed", "said"),
    [
        ("12", 12, None),
        ("5,0", 5, None),
        ("1 000 000", 1000000, None),
        ("1.000", 3, "may mean 1 or 1000"),
        ("2,5", 3, "not a number"),
        ("-1", 3, "from 0 to 2147483647"),
        ("many", 3, "not a number"),
    ],
)
def test_a_whole_number_is_read_as_it_is_meant_or_declined(typed, seed, said):
    at = visit({"step": "0", "seed": "3"}, PAGE, more_settings=True)
    field(at, "seed").set_value(typed).run()
    assert session_of(at).settings.seed == seed
    told = [each.value for each in at.sidebar.caption if ":red[" in each.value]
    assert [said in words and "still 3" in words for words in told] == ([] if said is None else [True])
    assert field(at, "seed").value == (str(seed) if said is None else typed)
    (slider,) = (each for each in at.select_slider if each.key.startswith("seed-slider"))
    slider.set_value(9).run()
    assert session_of(at).settings.seed == 9 and field(at, "seed").value == "9"
    assert not [each for each in at.sidebar.caption if ":red[" in each.value]
