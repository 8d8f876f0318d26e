"""The next word: a decoder alone, as in GPT, goes on with a story; and how ChatGPT differs."""

from explorer.exhibits.next_word import beside_chatgpt, going_on, repeating
from explorer.i18n import _
from explorer.ui import document

document.opening(
    _("The next word"),
    _("A decoder alone, as in GPT, says how likely each word is to come **next**."),
    _(
        "A translator has two halves, one that reads and one that writes. This model has the writing half alone, the "
        "**decoder**. A longer text is only many next words, one after another, each read again before the next is said."
    ),
)
document.parts(
    {going_on: _("The next word"), beside_chatgpt: _("And ChatGPT?"), repeating: _("Heads that learn to repeat")},
)
