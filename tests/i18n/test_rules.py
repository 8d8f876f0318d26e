"""The rules find what they are there to find, and nothing else."""

import pytest

from tests.i18n.rules import offences

IMPORTED, CACHED = "looked up when imported", "looked up in a cached function"
PLUS, F_STRING, MADE = "+ on a translated text", "a translated text in an f-string", "a message that is put together"


def kinds(source: str, **how) -> list[str]:
    return [what for _line, what in offences(source, **how)]


@pytest.mark.parametrize(
    "source",
    [
        'TITLE = _("Heads")',
        'TITLES = {"heads": [n_("{n} head", "{n} heads", 2)]}',
        'TITLES = [i18n._("Heads") for _ in range(2)]',
        'def draw(title=_("Heads")): ...',
        'def draw(*, title=_("Heads")): ...',
        'draw = lambda title=_("Heads"): title',
        'class Page:\n    title = _("Heads")',
        'class Page:\n    def draw(self, title=_("Heads")): ...',
        '@titled(_("Heads"))\ndef draw(): ...',
        'REASON = i18n.error(ValueError("no"))',
    ],
)
def test_a_lookup_at_import_is_found_but_allowed_in_a_script(source):
    assert kinds(source) == [IMPORTED]
    assert kinds(source, runs_per_rerun=True) == []


@pytest.mark.parametrize(
    "source",
    [
        'TITLE = N_("Heads")\ndef draw(): return _(TITLE)',
        'def draw():\n    def inner(title=_("Heads")): ...',
        'class Page:\n    def draw(self): return _("Heads")',
        'draw = lambda: _("Heads")',
        'async def draw(): return n_("{n} head", "{n} heads", 2).format(n=2)',
        '@st.fragment\ndef draw(): return _("Heads")',
        '@cache\ndef measure(): return N_("Heads")',
        'def draw(): return _("a {b}").format(b=1 + 2)',
        'def draw(): return f"{1 + 2} heads" + "."',
        "def draw(): return f\"**{_('Heads')}**\"",
        "def draw(): return f\"- :blue-background[{_('Heads')}]\"",
        "for _ in range(3): total += 1",
    ],
)
def test_what_is_as_it_should_be_is_left_alone(source):
    assert kinds(source) == []


@pytest.mark.parametrize(
    "source",
    [
        '@cache\ndef measure(): return _("Heads")',
        '@functools.lru_cache(maxsize=4)\ndef measure(): return _("Heads")',
        '@st.cache_data(max_entries=4)\ndef measure():\n    def inner(): return n_("{n} head", "{n} heads", 2)',
        '@cachetools.cached(LRUCache(4), lock=Lock())\ndef measure(): return _("Heads")',
        'class Page:\n    @cached_property\n    def title(self): return _("Heads")',
        'def title(): return _("Heads")\ncached_title = cache(title)',
        'def f():\n    g = st.cache_data(ttl=9)(lambda: _("Heads"))',
        "@cache\ndef measure():\n    try: ...\n    except E as e: return i18n.error(e)",
    ],
)
def test_a_lookup_in_a_cached_function_is_found_also_in_a_script(source):
    assert kinds(source) == kinds(source, runs_per_rerun=True) == [CACHED]


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ('_("Heads") + "."', PLUS),
        ('name + _("Heads").format(n=1)', PLUS),
        ('(_("a") if n else _("b")) + "."', PLUS),
        ("f\"{_('Heads')}: {n}\"", F_STRING),
        ("f\"see {_('Heads')}\"", F_STRING),
        ("f\"**{_('{n} heads').format(n=n)}** · {rest}\"", F_STRING),
        ('_(f"{n} heads")', MADE),
        ('_("heads " + name)', MADE),
        ('n_("one head", "heads " + name, n)', MADE),
    ],
)
def test_pieces_are_found_also_in_a_script(expression, kind):
    source = f"def draw():\n    return {expression}"
    assert offences(source) == offences(source, runs_per_rerun=True) == [(2, kind)]


def test_adding_to_a_text_is_found():
    assert offences('def draw(words):\n    words += _("Heads")') == [(2, PLUS)]
