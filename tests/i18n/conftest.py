"""A folder of catalogues for tests, and the language that lookups answer in."""

import pytest

from explorer import i18n
from explorer.i18n import lookup
from tools import catalogue


@pytest.fixture(autouse=True)
def _no_session():
    """Each test begins as a process in which no session has spoken."""
    before = lookup._language_source
    i18n.set_language_source(None)
    lookup._catalogue.cache_clear()
    yield
    i18n.set_language_source(before)
    lookup._catalogue.cache_clear()


@pytest.fixture
def chinese(tmp_path, monkeypatch):
    """Makes the Chinese catalogue that of these translations (or bytes, or none), and Chinese the session's language."""

    def speak(translations: dict | bytes | None) -> None:
        folder = tmp_path / "zh_CN" / "LC_MESSAGES"
        folder.mkdir(parents=True)
        if isinstance(translations, dict):
            made = catalogue.read("zh_CN", b"")
            for message, translation in translations.items():
                made.add(message, translation)
            translations = catalogue.mo_file(made)
        if translations is not None:
            (folder / "explorer.mo").write_bytes(translations)
        monkeypatch.setattr(lookup, "LOCALE", tmp_path)
        i18n.set_language_source(lambda: "zh_CN")

    return speak
