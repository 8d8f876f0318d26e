"""Pins what a rerun begins with: the language of the link or of the browser, and what is told where a page fails."""

from functools import partial
from types import SimpleNamespace

import pytest
from streamlit.runtime.scriptrunner import RerunData, RerunException
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.testing.v1 import AppTest

from explorer import i18n, resources
from explorer.session import rerun, session
from explorer.streamlit_patches import script_run
from tests.explorer.session.helpers import back_to
from tests.pages.helpers import complaints, go, session_of
from tests.pages.helpers import visit as visit_page
from transformer_core.errors import InputError

visit = partial(visit_page, folded=True)  # what is unfolded stands in the address


@pytest.fixture(autouse=True)
def languages_are_those_of_sessions():
    i18n.set_language_source(session._language)


@pytest.fixture
def browser_in(monkeypatch):
    """Has the browser ask for a language."""

    def asks(header: str) -> None:
        context = SimpleNamespace(headers={"Accept-Language": header})
        monkeypatch.setattr(rerun, "st", SimpleNamespace(context=context, query_params=rerun.st.query_params))

    return asks


def test_a_run_that_is_refused_is_told_on_the_page_of_runs_alone(monkeypatch):
    def refused(*_args, **_given):
        raise InputError("There are {n} runs already.", n=41)

    monkeypatch.setattr(resources.training_scheduler(), "add_run", refused)
    at = visit({}, "training")
    at.button(key="button-play_circle").click().run()
    assert len(complaints(at)) == 1 and "41" in complaints(at)[0]
    assert not complaints(at.run())
    at.button(key="button-play_circle").click()
    assert not complaints(go(at, "compare"))


def test_the_language_is_that_of_the_link_then_of_the_browser_and_goes_back_with_the_history(browser_in):
    browser_in("de, zh-CN;q=0.8")
    at = visit({}, "compare")
    assert session_of(at).language == "zh_CN" and "lang" not in at.query_params
    at = visit({"lang": "en"}, "compare")
    assert session_of(at).language == "en"
    english = at.title[0].value
    go(at, "training")
    assert at.query_params["lang"] == "en"
    back_to(at, {"lang": "zh"}, "compare")
    assert session_of(at).language == "zh_CN" and at.title[0].value != english
    back_to(at, {"lang": "klingon"}, "compare")
    assert session_of(at).language == "zh_CN", "as the browser has it"


def test_where_an_address_that_says_nothing_would_lead_to_another_task_it_says_so(browser_in):
    def opened(link):
        at = visit(link, "masks")
        return session_of(at).settings.task, dict(at.query_params)

    chinese, french = {"task": "everyday-zh"}, {"task": "everyday-fr"}
    browser_in("zh-CN")
    assert opened(chinese) == ("everyday-zh", chinese)
    assert opened(french) == ("everyday-fr", french)
    assert opened({"d_model": "64"}) == ("everyday-fr", {"d_model": "64"}), "a link means the same everywhere"
    at = visit(chinese, "masks")
    at.selectbox(key="task").set_value("everyday-fr").run()
    assert at.query_params == french
    browser_in("en")
    assert opened(french) == ("everyday-fr", french), "as it was opened"
    at = visit(chinese, "masks")
    at.selectbox(key="task").set_value("everyday-fr").run()
    assert at.query_params == {}


def test_a_page_that_fails_keeps_its_title_its_sidebar_and_its_address(monkeypatch):
    from explorer.exhibits.compare import run_table

    def fails(*_args):
        raise RuntimeError("broken")

    monkeypatch.setattr(run_table, "draw", fails)
    at = visit({"step": "0", "seed": "3"}, "compare")
    assert len(at.exception) == 1
    assert at.title and at.select_slider(key="d_model")
    assert at.query_params == {"step": "0", "seed": "3"}


def test_a_page_that_runs_alone_leaves_the_address_alone():
    def alone() -> None:
        from explorer import session
        from explorer.ui import widgets

        widgets.choose("kind", "kind", ["a", "b"])
        session.end()

    at = AppTest.from_function(alone)
    at.query_params["kind"] = "b"
    at.run()
    assert not at.exception and at.query_params == {"kind": "b"}


def test_a_run_that_has_all_run_again_takes_the_place_of_nothing_that_was_asked_for_meanwhile(monkeypatch):
    asked = ScriptRequests()
    context = SimpleNamespace(
        query_string="layer=1",
        page_script_hash="here",
        cached_message_hashes=frozenset({"kept"}),
        context_info=None,
        script_requests=asked,
    )
    back = RerunData(query_string="layer=0", page_script_hash="before", is_history_navigation=True)
    asked.request_rerun(back)
    monkeypatch.setattr(script_run, "get_script_run_ctx", lambda **_: context)
    with pytest.raises(RerunException) as again:
        script_run.run_all_again()
    data = again.value.rerun_data
    assert (data.query_string, data.page_script_hash, data.cached_message_hashes) == ("layer=1", "here", {"kept"})
    assert not data.fragment_id and not data.fragment_id_queue and data.widget_states is None
    assert asked.on_scriptrunner_yield().rerun_data == back
