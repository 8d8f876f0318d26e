"""The lesson on screen, or a teacher's words in a link: the page that they lead to, what of it is drawn and cannot be changed,
a note, and the next page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode, urlsplit

from explorer.model_on_screen.settings import NAMES
from explorer.rooms.script import Step

PACKED, AT = "lesson", "at"  # in the address: all steps, and the number of the one on screen
NOTE, LOCK, SHOW, NEXT = "note", "lock", "show", "next"  # the words of a single page
DRAFT = "draft"  # a lesson that is being made, handed over by a browser that has loaded a page anew
WORDS = (PACKED, AT, NOTE, LOCK, SHOW, NEXT)
OF_VISITOR = ("lang", "run", DRAFT)  # what an address says of the visitor, and not of the view
KINDS = ("picture", "settings", "controls", "caption", "try", "formula", "details", "code")  # of what a page shows
LONGEST_NOTE = 300  # letters


@dataclass(frozen=True)
class Lesson:
    """The lesson on screen.

    Attributes:
        at: the step, from 0.
        words: what the address says of it, whatever step that is.
        following: the page that comes after a single page, and its address; None: nothing does.
    """

    steps: tuple[Step, ...]
    at: int = 0
    words: Mapping[str, str] = field(default_factory=dict)
    following: tuple[str, Mapping[str, str]] | None = None

    @property
    def step(self) -> Step:
        return self.steps[self.at]

    def locks(self, name: str, page: str) -> bool:
        """Returns whether a control cannot be changed: a setting on all pages, other controls on that of the step."""
        return name in self.step.lock and (name in NAMES or page == self.step.page)

    def shows(self, kind: str, page: str) -> bool:
        """Returns whether a page shows one of KINDS: all of them, unless the step names some. Pictures are always shown."""
        named = {*KINDS} & {*self.step.parts}
        return not named or kind in named or page != self.step.page

    def offered(self, parts: Sequence[str], page: str) -> list[str]:
        """Returns the parts of a page that the step names; all if it names none."""
        named = [part for part in parts if part in self.step.parts and page == self.step.page]
        return named or [*parts]

    def in_address(self) -> dict[str, str]:
        """Returns what the address says of it."""
        return {**self.words} | ({AT: str(self.at + 1)} if PACKED in self.words else {})

    def beside(self, way: int) -> tuple[str, dict[str, str]] | None:
        """Returns the page of this step (0), the next one (1) or the one before (-1), and its address; None at an end."""
        if PACKED not in self.words:
            return None if self.following is None or way < 1 else (self.following[0], {**self.following[1]})
        at = self.at + way
        return address_of(self.steps, at, self.words[PACKED]) if 0 <= at < len(self.steps) else None


@dataclass
class Draft:
    """A lesson that a visitor makes.

    Attributes:
        steps: by a number that stays.
        controls: by that number, the names of the controls that its page has, as far as they are known.
        part: likewise, the part that its page shows; "" for a page without parts.
        news: what is still to be said of a step that was just added.
    """

    steps: dict[int, Step] = field(default_factory=dict)
    controls: dict[int, tuple[str, ...]] = field(default_factory=dict)
    part: dict[int, str] = field(default_factory=dict)
    news: str = ""

    def add(self, step: Step, controls: Sequence[str] = (), part: str = "") -> None:
        """Adds a step at the end."""
        number = max(self.steps, default=0) + 1
        self.steps[number], self.controls[number] = step, (*controls,)
        self.part[number] = step.view.get("part", part)

    def move(self, number: int, by: int) -> None:
        """Moves a step to an earlier place (-1) or a later one (1), if there is one."""
        order = [*self.steps]
        at = order.index(number)
        if 0 <= at + by < len(order):
            order[at], order[at + by] = order[at + by], order[at]
            self.steps = {each: self.steps[each] for each in order}

    def remove(self, number: int) -> None:
        for of_steps in (self.steps, self.controls, self.part):
            of_steps.pop(number, None)


def address_of(steps: Sequence[Step], at: int, word: str) -> tuple[str, dict[str, str]]:
    """Returns the page of a step of a packed lesson, and its address there."""
    return steps[at].page, {**steps[at].view, PACKED: word, AT: str(at + 1)}


def link_of(page: str, address: Mapping[str, str]) -> str:
    """Returns an address relative to any page."""
    return f"./{'' if page == 'home' else page}?{urlencode(address)}"


def parsed(link: str, pages: Sequence[str]) -> tuple[str, dict[str, str]] | None:
    """Reads such an address; None for one that leads to no page of these."""
    try:
        parts = urlsplit(link)
    except ValueError:
        return None
    page = parts.path.removeprefix(".").strip("/") or "home"
    if parts.scheme or parts.netloc or page not in pages:
        return None
    return page, dict(parse_qsl(parts.query))


def listed(text: str) -> tuple[str, ...]:
    """Reads names with commas between them."""
    return tuple(name for name in map(str.strip, text.split(",")) if name)
