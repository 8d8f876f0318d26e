"""A list of known words, one click from a text input of Streamlit's, and completion of the word that is being typed.

The input stays Streamlit's own: it holds the value. The view finds it by its key, types into it as a person does, and does
nothing else to it; without the view, typing works as usual.
"""

from collections.abc import Mapping, Sequence

from explorer.components import register
from explorer.i18n import _

_component = register("word_field")


def show(field: str, kinds: Mapping[str, Sequence[Sequence[str]]], understood: Sequence[str] = ()) -> None:
    """Draws the button that opens the list.

    Args:
        field: key of the text input.
        kinds: the words under their titles, each with its other forms.
        understood: unlisted words that may be typed as well: other spellings.
    """
    listed = [{"title": title, "entries": [list(entry) for entry in entries]} for title, entries in kinds.items()]
    data = {"field": field, "kinds": listed, "understood": list(understood), "texts": _texts()}
    _component(key=f"{field}-words", data=data, width="content")


def _texts() -> dict[str, str]:
    return {
        "open": _("Words"),
        "about": _("Words that the model knows"),
        "search": _("search"),
        "none": _("The model has no such word."),
        "insert": _("Click a word to put it into the sentence."),
        "suggestions": _("words that begin like this"),
        "unknown": _("not known: {words}"),
        "begins_none": _("No word that it knows begins with “{begun}”."),
    }
