"""The controls of a step's page that can be locked, and its parts that can be shown, by their names in the address."""

from explorer.i18n import N_, _
from explorer.model_on_screen.setting_table import MODEL
from explorer.model_on_screen.settings import NAMES, ModelSettings, of_task
from explorer.model_on_screen.sources import reader_of
from explorer.session import current
from explorer.session.lesson import KINDS, Draft
from explorer.ui.navigation import CONTENTS
from explorer.ui.setting_names import setting_name

_BESIDE = {
    "src": N_("source sentence"),
    "numbers": N_("source"),
    "step": N_("steps learned"),
    "cut": N_("cuts"),
    "edit": N_("changed weights"),
}
_LEFT_OUT = ("more", "model")  # what is folded, and the model of a file, which each size would close
_KINDS = {
    "picture": N_("the picture"),
    "settings": N_("the settings"),
    "controls": N_("the page’s controls"),
    "caption": N_("how to read it"),
    "try": N_("what to try"),
    "formula": N_("the formula"),
    "details": N_("the details"),
    "code": N_("the code"),
}


def can_lock(draft: Draft, number: int) -> dict[str, str]:
    """Returns the names of controls and settings, and their labels: first those that the step gives a value. What a picture of
    its own holds has no label, and cannot be locked here: it would still be pressed."""
    step = draft.steps[number]
    labels = current().controls.labels
    known = [name for name in draft.controls[number] if labels.get(name)]
    settings = _settings(step.view.get("task")) if CONTENTS[step.page].settings is True else []
    names = dict.fromkeys((*step.view, *known, *settings, *step.lock))
    has_name = {*NAMES, *step.lock} | {name for name in names if labels.get(name)}
    return {
        name: _label(name) for name in names if name in has_name and name not in _LEFT_OUT and not name.startswith("details-")
    }


def _label(name: str) -> str:
    if name in NAMES:
        return _(_BESIDE[name]) if name in _BESIDE else setting_name(name)
    return current().controls.labels.get(name) or name


def _settings(task: str | None) -> list[str]:
    """Returns the names of the settings that a model of a task has."""
    settings = ModelSettings() if task is None else of_task(task)
    shown = [name for name, setting in MODEL.items() if setting.group is not None]
    return ["task", reader_of(settings).setting, *shown, "step", "cut", "edit"]


def can_show(draft: Draft, number: int) -> dict[str, str]:
    """Returns the part that the step shows, and the kinds of what a page has, each with its title."""
    part, named = draft.part[number], draft.steps[number].parts
    alone = {part: _("this part of the page alone")} if part else {}
    return alone | {kind: _(_KINDS[kind]) for kind in KINDS} | {name: name for name in named if name not in (part, *KINDS)}
