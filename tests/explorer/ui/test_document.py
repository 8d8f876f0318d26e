"""Pins what of a page's frame is sent when."""

import inspect

from streamlit.testing.v1 import AppTest

from explorer.ui import document


def with_code() -> None:
    from explorer.ui import document

    document.the_code(document.section, document.formula)


def test_the_code_that_ran_is_sent_when_it_is_unfolded():
    at = AppTest.from_function(with_code).run()
    assert [box.label for box in at.expander] == ["The code that ran"] and not at.code
    at.session_state["code-section"] = True
    at.run()
    of_one_file = "\n\n".join(inspect.getsource(each) for each in (document.section, document.formula))
    assert [each.value for each in at.code] == [of_one_file.rstrip("\n")]
    at.session_state["code-section"] = False
    assert not at.run().code
