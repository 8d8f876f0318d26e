"""Controls say what the address says, and come back as they were."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.explorer.session.helpers import back_to, saying
from tests.pages.helpers import session_of


def script() -> None:
    import streamlit as st

    from explorer import session
    from explorer.ui import number_field, widgets

    session.prepare()
    page = st.session_state.get("page", "one")
    session.begin(page)
    low, high = st.session_state.get("ends", (0, 10))
    labels = st.session_state.get("labels", ["0 the", "1 cat", "2 sees", "7 dwarfs", "nothing"])
    if page == "one":
        widgets.choose("kind", "kind", ["a", "b", "c"], {"a": "Anton", "b": "Berta", "c": "Cäsar"}, default="b")
        widgets.choose("listed", "listed", [True, False, 3], listed=True)
        widgets.slider("whole", "whole", low, high, 4)
        widgets.slider("share", "share", 0.0, 1.0, 0.5, step=0.05)
        number_field.number("rate", "rate", 0.003, "help")
        widgets.text("typed", "typed", "a cat", "help")
        widgets.pick("place", "place", labels, default=1)
        kept = widgets.address_value("kept", 1, lambda text: int(text) if text in ("1", "2", "3") else None)
        st.button("keep", key="keep", on_click=widgets.set_next, args=("kept", kept + 1))
        st.button("fix", key="fix", on_click=widgets.set_next, args=("kind", "a"))
    else:
        widgets.choose("kind", "kind", ["x", "c"] if page == "two" else ["a", "b"])
    session.end()


DEFAULTS = {"kind": "b", "listed": True, "whole": 4, "share": 0.5, "rate": 0.003, "typed": "a cat", "place": 1, "kept": 1}
OTHERS = {"kind": "c", "listed": 3, "whole": 9, "share": 0.25, "rate": 1e-05, "typed": "", "place": 3, "kept": 2}
LINK = {"kind": "c", "listed": "3", "whole": "9", "share": "0.25", "rate": "1e-05", "typed": "", "place": "3", "kept": "2"}


def opened(link: dict[str, str] | None = None) -> AppTest:
    at = AppTest.from_function(script)
    at.query_params.update(link or {})
    return run(at)


def run(at: AppTest, **state) -> AppTest:
    for name, value in state.items():
        at.session_state[name] = value
    at.run()
    assert not at.exception, at.exception[0].message
    return at


def said(at: AppTest) -> dict:
    return {name: value for name, (value, _default) in session_of(at).rerun.drawn.items()}


def address(at: AppTest) -> dict[str, str]:
    return dict(at.query_params)


def changed(at: AppTest) -> AppTest:
    """Every control is used, one after another."""
    at.button_group(key="kind").set_value("c")
    at.selectbox(key="listed").set_value(3)
    at.slider(key="whole").set_value(9)
    at.slider(key="share").set_value(0.25)
    at.text_input(key="rate--typed").set_value("1e-05")
    at.text_input(key="typed").set_value("")
    at.selectbox(key="place").set_value(3)
    at.button(key="keep").click()
    return run(at)


def test_at_first_all_have_their_defaults_and_the_address_says_nothing():
    at = opened()
    assert said(at) == DEFAULTS
    assert address(at) == {}


def test_what_is_chosen_stands_in_the_address_in_ids_and_a_link_brings_it_back():
    at = changed(opened())
    assert said(at) == OTHERS
    assert address(at) == LINK
    linked = opened(LINK)
    assert said(linked) == OTHERS
    assert {name: type(value) for name, value in said(linked).items()} == {name: type(value) for name, value in OTHERS.items()}


def test_they_are_as_they_were_after_a_change_of_page():
    at = changed(opened())
    run(at, page="two")
    assert said(at) == {"kind": "c"}, "what pages share is one choice"
    run(at)
    assert address(at) == {"kind": "c"}
    at.button_group(key="kind").set_value("x")
    run(at)
    run(at, page="one")
    assert said(at) == OTHERS | {"kind": "b"}, "what is no choice here is the default"
    assert address(run(at)) == {name: text for name, text in LINK.items() if name != "kind"}


def test_a_default_that_nobody_has_chosen_is_not_taken_to_another_page():
    at = opened()
    run(at, page="two")
    assert said(at) == {"kind": "x"}, "not the default of the page before"
    run(at, page="one")
    at.button_group(key="kind").set_value("c")
    run(at)
    at.button_group(key="kind").set_value("b")  # a default too, but chosen
    run(at)
    run(at, page="three")
    assert said(at) == {"kind": "b"} == address(run(at))


def test_they_speak_for_themselves_once_they_are_on_screen():
    at = opened(LINK)
    at.slider(key="whole").set_value(2)
    run(at)
    at.button(key="keep").click()
    run(at)
    assert said(run(at)) == OTHERS | {"whole": 2, "kept": 3}


def test_a_callback_gives_a_control_its_value():
    at = opened({"kind": "c"})
    at.button(key="fix").click()
    run(at)
    assert said(at)["kind"] == "a" == address(at)["kind"]


@pytest.mark.parametrize(
    "link",
    [
        {"kind": "z", "listed": "1", "whole": "99", "share": "nan", "rate": "inf", "place": "-1", "kept": "9"},
        {"kind": "", "listed": "True", "whole": "4.5", "share": "-1", "rate": "fast", "place": "5", "kept": ""},
        {"kind": "Anton", "listed": "", "whole": "1e999", "share": "", "rate": "", "place": "9" * 5000, "kept": "x"},
    ],
)
def test_what_they_cannot_say_is_their_default(link):
    at = opened(link)
    assert said(at) == DEFAULTS
    assert address(run(at)) == {}


@pytest.mark.parametrize(
    ("text", "place"),
    [("3", 3), ("0", 0), ("9", 1), ("-1", 1), ("2 sees", 1)],
)
def test_one_of_many_is_named_by_its_place(text, place):
    assert said(opened({"place": text}))["place"] == place


def test_a_label_that_is_a_number_does_not_stand_for_its_place():
    at = AppTest.from_function(script)
    at.query_params.update({"place": "2"})
    assert said(run(at, labels=["2", "1", "0"]))["place"] == 2


def test_a_list_whose_labels_change_tells_the_browser_which_one_is_chosen():
    """All that a browser knows of the choice is its label."""
    at = opened({"place": "3"})
    assert not run(at).selectbox(key="place").proto.set_value
    run(at, labels=["0 the", "1 dog", "2 eats", "3 apples"])
    assert said(at)["place"] == 3
    assert (at.selectbox(key="place").proto.set_value, at.selectbox(key="place").proto.raw_value) == (True, "3 apples")
    saying(at, "place", "7 dwarfs")
    assert not at.exception and said(at)["place"] == 3 == int(address(at)["place"])


def test_a_value_stays_between_ends_that_move():
    at = opened({"whole": "9"})
    assert said(run(at, ends=(0, 6)))["whole"] == 6
    assert said(run(at, ends=(8, 20)))["whole"] == 8
    assert said(run(at, labels=["0 one"]))["place"] == 0


def test_a_step_back_undoes_and_a_step_forward_redoes():
    at = changed(opened())
    back_to(at, {})
    assert said(at) == DEFAULTS and address(at) == {}
    back_to(at, LINK)
    assert said(at) == OTHERS and address(at) == LINK


def with_a_button() -> None:
    import streamlit as st

    from explorer import session
    from explorer.ui import widgets

    session.prepare()
    session.begin(st.session_state.get("page", "one"))
    if st.session_state.pop("gives_way", False):  # as where a newer run takes the place of this one
        session.run_all_again()
    if st.session_state.get("there", True):
        st.text("pressed" if widgets.pressed("press", key="press") else "not")
    session.end()


def texts(at: AppTest) -> list[str]:
    assert not at.exception
    return [each.value for each in at.text]


@pytest.mark.parametrize("gives_way", [False, True])
def test_a_press_counts_once_also_where_its_run_gives_way_to_another(gives_way):
    at = AppTest.from_function(with_a_button, default_timeout=60).run()
    assert texts(at) == ["not"]
    at.session_state["gives_way"] = gives_way
    assert texts(at.button(key="press").click().run()) == ["pressed"]
    assert texts(at.run()) == ["not"]


def test_a_press_of_a_button_that_is_gone_is_forgotten():
    at = AppTest.from_function(with_a_button, default_timeout=60).run()
    at.session_state["there"] = False
    assert texts(at.button(key="press").click().run()) == []
    at.session_state["there"] = True
    assert texts(at.run()) == ["not"]
