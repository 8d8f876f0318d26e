"""The names of the tasks on screen: shown as _(TASK_TITLES[name])."""

from explorer.i18n import N_

TASK_TITLES = {
    "copy": N_("copy numbers"),
    "reverse": N_("numbers backwards"),
    "sort": N_("sort numbers"),
    "translate-fr": N_("English → French"),
    "translate-zh": N_("English → Chinese"),
    "pronoun-en": N_("what is “it”?"),
    "pronoun-zh": N_("what is “it”? (Chinese)"),
    "addition": N_("add numbers"),
    "addition-units-first": N_("add numbers, units first"),
}
