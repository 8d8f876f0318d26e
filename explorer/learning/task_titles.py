"""The names of the tasks on screen."""

from explorer.i18n import N_, _

TASK_TITLES = {
    "everyday-fr": N_("English → French"),
    "everyday-zh": N_("English → Chinese"),
    "letters": N_("copy letters"),
    "copy": N_("copy numbers"),
    "reverse": N_("numbers backwards"),
    "sort": N_("sort numbers"),
    "small-fr": N_("English → French, 40 words"),
    "small-zh": N_("English → Chinese, 40 words"),
    "pronoun-en": N_("what is “it”?"),
    "pronoun-zh": N_("what is “it”? (Chinese)"),
    "addition": N_("add numbers"),
    "addition-units-first": N_("add numbers, units first"),
    "stories-en": N_("mini stories: the next word"),
    "stories-zh": N_("mini stories: the next word (Chinese)"),
    "repeat": N_("repeat letters (a decoder alone)"),
}  # tasks that can be learned here, in the order of the menu
_OTHER_TITLES = {
    "pairs": N_("my sentences"),
    "text": N_("my text"),
}  # of models from files or runs


def task_title(name: str) -> str:
    """A task's name on screen; its own name if it has no title."""
    title = TASK_TITLES.get(name) or _OTHER_TITLES.get(name)
    return _(title) if title else name
