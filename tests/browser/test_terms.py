"""Pins the terms: marked where a page uses them first, explained to a pointer, a finger and keys, in the page's language."""

from tests.browser.conftest import OpenWindow
from tests.browser.window import SMALL, Window

MARKED = "() => [...(CSS.highlights.get('term') ?? [])].map(String)"


def place(window: Window, form: str) -> tuple[float, float]:
    """Where on the screen a marked term stands, once it is marked."""
    window.wait("(form) => [...(CSS.highlights.get('term') ?? [])].some((range) => String(range) === form)", form)
    return tuple(
        window.ask(
            """(form) => {
                 const box = [...CSS.highlights.get("term")].find((range) => String(range) === form).getBoundingClientRect();
                 return [box.x + box.width / 2, box.y + box.height / 2];
               }""",
            form,
        )
    )


def explained(window: Window, word: str) -> str:
    """What the card says, once it explains this word."""
    card = window.page.locator(".term-card:popover-open")
    card.locator("b", has_text=word).wait_for()
    return card.inner_text()


def test_a_term_is_explained_where_it_stands_and_in_the_list_by_keys(open_window: OpenWindow) -> None:
    window = open_window(f"norms?{SMALL}")
    window.page.mouse.move(*place(window, "residual connection"))
    said = explained(window, "residual connection")
    assert len(said) > 80 and "See it" in said
    marked = window.ask(MARKED)
    assert (
        window.page.locator("[data-testid=stMarkdownContainer]").count()
        and window.page.locator("[data-testid=stWidgetLabel]").count()
    )
    assert len(marked) == len(set(marked)) > 5, "each where it stands first"
    window.page.keyboard.press("Escape")
    window.page.locator(".term-card:popover-open").wait_for(state="hidden")
    window.page.mouse.move(2, 2)
    window.page.locator(".term-list summary").press("Enter")
    window.page.keyboard.press("Tab")
    explained(window, window.page.locator(".term-list button").first.inner_text())
    assert not window.barriers()
    window.no_complaint()


def test_the_card_leads_to_what_shows_the_term_with_the_model_on_screen(open_window: OpenWindow) -> None:
    window = open_window(f"norms?{SMALL}&src=i+love+you")
    window.page.mouse.move(*place(window, "norm"))
    explained(window, "norm")
    window.page.mouse.move(*place(window, "residual connection"))
    explained(window, "residual connection")
    link = window.page.locator(".term-card a")
    if link.count():
        assert "src=i+love+you" in link.get_attribute("href")
    window.page.locator(".term-card").hover()
    window.page.wait_for_timeout(400)
    explained(window, "residual connection")


def test_a_tap_explains_a_term_on_a_phone(open_window: OpenWindow) -> None:
    window = open_window(f"masks?{SMALL}", width=390)
    window.wait("() => (CSS.highlights.get('term')?.size ?? 0) > 0")
    first = window.ask(MARKED)[0]
    window.page.mouse.click(*place(window, first))
    card = window.page.locator(".term-card:popover-open")
    card.wait_for()
    box = card.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    window.fits()


def test_terms_are_explained_in_chinese_and_start_explains_none(open_window: OpenWindow) -> None:
    window = open_window(f"masks?{SMALL}&lang=zh_CN")
    window.wait("() => [...(CSS.highlights.get('term') ?? [])].some((range) => /\\p{Script=Han}/u.test(String(range)))")
    window.visit("?lang=en")
    assert window.ask(MARKED) == [] and window.page.locator(".term-card:popover-open").count() == 0
