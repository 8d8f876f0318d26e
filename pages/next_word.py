"""The next word: a decoder alone, as in GPT, goes on with a story; and how ChatGPT differs."""

from explorer.exhibits.next_word import beside_chatgpt, going_on, repeating
from explorer.i18n import _
from explorer.ui import document

document.opening(
    _("The next word"),
    _("It reads a story, and says how likely each word is to come **next**. Press one."),
    _(
        "This is what a language model such as GPT does: no encoder, no cross-attention, a **decoder alone**. A longer text is "
        "only many next words, one after another, each read again before the next is said."
    ),
)
document.parts(
    {going_on: _("The next word"), beside_chatgpt: _("And ChatGPT?"), repeating: _("Heads that learn to repeat")},
)
