"""The note above a page about values in its link that mean nothing here."""

from streamlit.delta_generator import DeltaGenerator

from explorer.i18n import _
from explorer.session import current, misread
from explorer.session.address import as_text
from explorer.session.lesson import DRAFT, LOCK, NEXT, PACKED, SHOW
from explorer.session.misread import Misread
from explorer.ui.format import plain

_LONGEST = 60  # letters of a value that are quoted


def draw(place: DeltaGenerator) -> None:
    """Draws the note, if there is anything to say. Call it when the page has been drawn."""
    session = current()
    misread.compare(session)
    if words := [_sentence(each) for each in misread.now(session)]:
        place.info("  \n".join(words), icon=":material/link_off:")


def _sentence(each: Misread) -> str:
    given = plain(f"{each.name}={each.said[:_LONGEST]}{'…' if len(each.said) > _LONGEST else ''}")
    if each.name in (PACKED, DRAFT):
        return _("The lesson in this link cannot be read: {reason}.").format(reason=plain(each.said))
    if each.name == NEXT:
        return _("The link says {said}, which leads to no page here.").format(said=given)
    if each.name == LOCK:
        return _("The link says {said}, which is no control of this page.").format(said=given)
    if each.name == SHOW:
        return _("The link says {said}, which is no part of this page.").format(said=given)
    if each.name == "cut":
        return _("The link says {said}, which is nothing that can be cut here.").format(said=given)
    if each.name == "edit":
        return _("The link says {said}, which changes no weight of this model.").format(said=given)
    shown = plain(f"{each.name}={as_text(each.instead)}")
    return _("The link says {said}, which means nothing here. On screen is {shown}.").format(said=given, shown=shown)
