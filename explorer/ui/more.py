"""Controls that a page opens without: they wait behind *More controls*.

Such a control keeps its default, and its place in the address. One that a link has set is on screen, and so are all others.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from explorer.i18n import _
from explorer.session import current, lesson_link, run_all_again
from explorer.ui.widgets import flag, linked_switch, remember, set_next


def is_on() -> bool:
    """True if the page shows all its controls. A page that asks has some that it opens without."""
    rerun = current().rerun
    rerun.has_more = True
    return rerun.whole


def read() -> None:
    """Reads from the address whether the page shows all its controls; call it before the first of them."""
    current().rerun.whole = flag("more")


@contextmanager
def controls() -> Iterator[None]:
    """Holds back the controls that are drawn within, unless all are shown; each keeps its default."""
    rerun = current().rerun
    rerun.holds_back = rerun.has_more = True
    try:
        yield
    finally:
        rerun.holds_back = False


def draw() -> None:
    """Draws the switch, when the page's controls have been drawn; none on a page that has all of them on screen."""
    rerun = current().rerun
    if not (rerun.has_more or rerun.whole) or not lesson_link.shows("controls"):
        return
    if rerun.whole and rerun.held_back:  # one that came later had another value than its default
        set_next("more", True)
        run_all_again()
    linked_switch("more", _("More controls"), rerun.whole, _take, _("All controls of this page, and of the other pages."))
    remember("more", rerun.whole, False)


def _take(whole: bool) -> None:
    """Gives the controls that disappear their defaults."""
    rerun = current().rerun
    if not whole:
        for name in rerun.behind:
            set_next(name, rerun.drawn[name][1])
