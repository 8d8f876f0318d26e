"""Pins that the picture comes first: it is whole on the first screen of a projector and of a phone, and on the projector the
common settings are as well; and that on a phone the settings, unfolded, leave it in view."""

import pytest

from explorer.ui.navigation import CONTENTS
from tests.browser.conftest import OpenWindow
from tests.browser.window import Window

PROJECTOR, PHONE = (1280, 720), (390, 844)
# The pages whose first picture is whole there. Shapes shows as much of the model as fits.
PICTURED = (
    "", "story", "look_closer", "be_the_head", "positions", "masks", "attention", "heads", "layers", "norms", "decoding",
    "training", "compare", "break_it",
)  # fmt: skip
PAGES = (*PICTURED, "shapes", "sentences", "predict", "hunt", "lesson", "next_word", "one_step")
WITHOUT_MODEL = (
    "", "story", "look_closer", "be_the_head", "predict", "hunt", "training", "sentences", "compare", "break_it", "lesson",
    "next_word", "one_step",
)  # fmt: skip
COMMON = ("task", "d_model", "n_heads", "n_layers", "norm", "sequence_length")

# Of the first picture, the sides [top, bottom] and how much of the window is free for it: between the bar and the model's line.
_PICTURE = """() => {
  const picture = [...document.querySelectorAll("[data-testid=stMain] :is(.explorer-plot, canvas, svg)")].find((node) => {
    const { width, height } = node.getBoundingClientRect();
    return width >= 100 && height >= 60 && node.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  });
  if (!picture) return null;
  const { top, bottom, left, right } = picture.getBoundingClientRect();
  const foot = document.querySelector("[data-testid=shown-model]")?.getBoundingClientRect().top ?? innerHeight;
  return { top, bottom, left, right, above: document.querySelector("[data-testid=stHeader]").offsetHeight, below: foot };
}"""
# Of a scene: where its sentences end, how wide its lines are, and which canvases are drawn on up to their edge, as if cut off.
_STORY = """() => {
  const { boxes } = document.querySelector(".stMain .attention-view").view;
  const far = (canvas) => canvas.getContext("2d").getImageData(canvas.width - 1, 0, 1, canvas.height).data.some(Boolean);
  return {
    said: document.querySelector(".st-key-story-words").getBoundingClientRect().bottom,
    lines: Math.min(...boxes.key.map((box) => box.left)) - Math.max(...boxes.query.map((box) => box.right)),
    cut: [...document.querySelectorAll(".stMain .stage canvas")].filter(far).map((canvas) => canvas.className),
  };
}"""


@pytest.fixture(scope="module")
def projector(open_for_all: OpenWindow) -> Window:
    window = open_for_all(None)
    window.resize(*PROJECTOR)
    return window


@pytest.fixture(scope="module")
def phone(open_for_all: OpenWindow) -> Window:
    window = open_for_all(None, width=PHONE[0])
    window.resize(*PHONE)
    return window


def show(window: Window, page: str) -> None:
    """A page by the menu: one that is loaded anew takes three times as long."""
    if window.page.url == "about:blank":
        window.visit(page)
    elif window.ask("() => location.pathname") != f"/{page}":
        window.go(page)


def picture_is_whole(window: Window) -> None:
    seen = window.ask(_PICTURE)
    assert seen is not None
    assert seen["top"] >= seen["above"] and seen["bottom"] <= seen["below"] + 1, seen
    assert seen["left"] >= 0 and seen["right"] <= window.width + 1, seen


def said_without_scrolling(window: Window, page: str, height: int) -> None:
    """The title and its sentence; and the line of the model, where there is a model."""
    lines = window.page.locator("h1, .st-key-opening .stMarkdown, [data-testid=shown-model]")
    assert lines.count() == (2 if page in WITHOUT_MODEL else 3)
    for i in range(lines.count()):
        box = lines.nth(i).bounding_box()
        assert box is not None and box["y"] >= 0 and box["y"] + box["height"] <= height, i
    if lines.count() == 3:
        assert lines.last.bounding_box()["height"] < 30, "the model is said in one line"


@pytest.mark.parametrize("page", PAGES)
def test_the_first_screen_of_a_projector(projector: Window, page: str) -> None:
    show(projector, page)
    if page in PICTURED:
        picture_is_whole(projector)
    said_without_scrolling(projector, page, PROJECTOR[1])
    out_of_sight = projector.ask(
        """(names) => names.filter((name) => {
             const box = document.querySelector(`[data-testid=stSidebar] [class*=st-key-${name}]`)?.getBoundingClientRect();
             return !box || box.top < 0 || box.bottom > innerHeight || !box.height;
           })""",
        [*COMMON, "numbers" if page == "training" else "src", *(() if page in WITHOUT_MODEL else ("learned-for",))]
        if CONTENTS[page or "home"].settings and page != "break_it"  # which has sizes of its own
        else [],
    )
    assert out_of_sight == []
    covered = projector.ask(
        """() => {
             const seen = (node) => node.checkVisibility({ visibilityProperty: true });
             const corner = [...document.querySelectorAll(".take-home > button, .full-screen")].filter(seen);
             const overlap = (one, other) => {
               const [a, b] = [one, other].map((node) => node.getBoundingClientRect());
               return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
                 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
             };
             return [...document.querySelectorAll("button, a, input")].filter((node) => seen(node)
               && corner.some((tool) => tool !== node && overlap(tool, node))).map((node) => node.outerHTML.slice(0, 200));
           }"""
    )
    assert covered == [], "what lies in the corner of a picture covers nothing that can be pressed"


def test_the_line_of_the_model_covers_no_word_of_the_picture(projector: Window) -> None:
    show(projector, "heads")
    projector.wait("() => document.querySelector('.attention-view .said').textContent")
    ends = projector.ask(
        """() => {
             const bottom = (node) => {
               const text = document.createRange();
               text.selectNodeContents(node);
               return text.getBoundingClientRect().bottom;
             };
             const said = [...document.querySelectorAll(".attention-view :is(.word, .said)")].map(bottom);
             return [...said, document.querySelector(".st-key-foot").getBoundingClientRect().top];
           }"""
    )
    assert max(ends[:-1]) <= ends[-1]


@pytest.mark.parametrize("page", PAGES)
def test_the_first_screen_of_a_phone(phone: Window, page: str) -> None:
    show(phone, page)
    if page in PICTURED:
        picture_is_whole(phone)
    said_without_scrolling(phone, page, PHONE[1])


@pytest.mark.parametrize("screen", ["projector", "phone"])
def test_each_picture_of_the_story_is_whole(screen: str, request: pytest.FixtureRequest) -> None:
    window: Window = request.getfixturevalue(screen)
    window.visit("story")
    title = "document.querySelector('.st-key-story-title h2')?.innerText"
    for step in range(2, 9):
        before = window.ask(f"() => {title}")
        window.page.get_by_role("button", name="Next →").first.click()
        window.page.locator("nav.slides [aria-current]", has_text=str(step)).wait_for()
        window.wait(f"(before) => ![undefined, before].includes({title})", before)  # what is on screen is of this step
        window.settle()
        if step == 4:  # two sentences and their translations
            continue
        window.wait(f"() => document.querySelector('.stMain .attention-view')?.dataset.lines && ({_PICTURE})()")
        picture_is_whole(window)
        seen = window.ask(_STORY)
        assert seen["said"] <= window.page.viewport_size["height"], (step, "the sentences can be read beside their picture")
        assert seen["lines"] >= 75, (step, "lines are no stubs")
        assert seen["cut"] == [], step


def test_a_picture_stays_whole_when_words_come_above_it(projector: Window) -> None:
    show(projector, "heads")
    picture_is_whole(projector)
    projector.ask("() => { document.querySelector('.stMain h1').style.paddingTop = '80px'; }")
    projector.wait(f"() => {{ const seen = ({_PICTURE})(); return seen.top > 250 && seen.bottom <= seen.below + 1; }}")
    projector.ask("() => { document.querySelector('.stMain h1').style.paddingTop = ''; }")


def test_the_settings_of_a_phone_leave_the_picture_in_view(phone: Window) -> None:
    show(phone, "heads")
    bar, button = (phone.page.get_by_test_id(name).bounding_box() for name in ("stHeader", "stExpandSidebarButton"))
    assert button["y"] + button["height"] <= bar["y"] + bar["height"], "it covers nothing of the page"
    phone.unfold_sidebar()
    top = phone.page.get_by_test_id("stSidebar").bounding_box()["y"]
    assert top >= PHONE[1] * 0.45
    phone.wait("(top) => document.querySelector('.attention-view .stage').getBoundingClientRect().top < top / 2", top)
    phone.page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    phone.page.get_by_test_id("stExpandSidebarButton").wait_for()


def test_the_first_picture_is_laid_out_again_where_the_window_becomes_lower(open_window: OpenWindow) -> None:
    window = open_window("", width=1440)
    window.resize(1440, 1300)
    apart = """() => {
      const { bottom } = [...document.querySelectorAll(".start .answer .word")].at(-1).getBoundingClientRect();
      return bottom <= document.querySelector(".start .play").getBoundingClientRect().top;
    }"""
    window.wait(f"() => document.querySelector('.start')?.dataset.state === 'ready' && ({apart})()")
    window.resize(1440, 770)
    window.wait(f"() => document.querySelector('.start').clientHeight < 770 && ({apart})()")
