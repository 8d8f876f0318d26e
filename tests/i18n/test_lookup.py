"""Messages are looked up when they are shown, in the language of whoever reads them, and in English where that fails."""

import logging
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from explorer import i18n
from explorer.i18n import N_, _, error, n_


class Refused(ValueError):
    """As the core's errors are: English by themselves, with what they were made of."""

    def __init__(self, template, **values):
        super().__init__(template.format(**values))
        self.template, self.values = template, values


def test_without_a_session_all_is_english():
    assert i18n.current_language() == "en"
    assert (_("Heads"), _(""), n_("one head", "{n} heads", 1), n_("one head", "{n} heads", 0)) == (
        "Heads",
        "",
        "one head",
        "{n} heads",
    )


def test_a_message_is_looked_up_in_the_sessions_language_whenever_it_is_shown(chinese):
    marked = N_("Heads")
    chinese({"Heads": "注意力头", ("{n} head", "{n} heads"): ("{n} 个头",)})
    assert (marked, _(marked), _("Masks"), _("")) == ("Heads", "注意力头", "Masks", "")
    assert [n_("{n} head", "{n} heads", n).format(n=n) for n in (1, np.int64(4))] == ["1 个头", "4 个头"]
    i18n.set_language_source(lambda: "en")
    assert _(marked) == "Heads"


def test_each_thread_hears_the_language_of_its_own_session(chinese):
    chinese({"Heads": "注意力头"})
    session = threading.local()
    i18n.set_language_source(lambda: getattr(session, "language", None))

    def reader(language):
        session.language = language
        return _("Heads")

    session.language = "zh_CN"
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(_, "Heads").result() == "Heads"  # a thread of nobody's
        assert [pool.submit(reader, language).result() for language in ("zh_CN", "en")] == ["注意力头", "Heads"]
    assert _("Heads") == "注意力头"


@pytest.mark.parametrize("language", [None, "fr", "../../etc", ""])
def test_a_language_that_there_is_not_is_english(language):
    i18n.set_language_source(lambda: language)
    assert (i18n.current_language(), _("Heads")) == ("en", "Heads")


@pytest.mark.parametrize("content", [None, b"", b"no catalogue", b"\xde\x12\x04\x95" + b"\xff" * 40], ids=repr)
def test_a_catalogue_that_cannot_be_read_is_english_and_is_reported_once(chinese, content, caplog):
    chinese(content)
    with caplog.at_level(logging.WARNING):
        assert [_("Heads"), _("Masks"), n_("one head", "{n} heads", 1)] == ["Heads", "Masks", "one head"]
    assert [record.name for record in caplog.records] == ["explorer.i18n.lookup"]


def test_errors_speak_the_sessions_language(chinese):
    refused = Refused("{name} must be at least {low}, not {value!r}", name="d_k", low=1, value="x")
    within = Refused("Forced words: {reason}.", reason=refused)
    assert (error(refused), error(ValueError("no room")), error(KeyError("k"))) == (
        "d_k must be at least 1, not 'x'",
        "no room",
        "'k'",
    )
    chinese({refused.template: "{name} 至少是 {low}，不能是 {value!r}", within.template: "指定的词：{reason}。"})
    assert error(refused) == "d_k 至少是 1，不能是 'x'"
    assert error(within) == "指定的词：d_k 至少是 1，不能是 'x'。"
    assert error(ValueError("no room")) == "no room"
    assert str(refused) == "d_k must be at least 1, not 'x'"


def test_the_pseudo_locale_marks_every_kind_of_message():
    i18n.set_language_source(lambda: "xx")
    shown = [
        _("Heads"),
        n_("{n} head", "{n} heads", 1).format(n=1),
        n_("{n} head", "{n} heads", 3).format(n=3),
        error(Refused("no {part}", part="mask")),
    ]
    inside = ["Heads", "1 head", "3 heads", "no mask"]
    assert all(text.startswith(f"⟦{message}") and text.endswith("⟧") for text, message in zip(shown, inside, strict=True))
    assert error(ValueError("no room")) == "no room"  # what was never given to `_` shows itself
