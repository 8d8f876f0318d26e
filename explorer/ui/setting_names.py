"""The names of settings and of their values on screen."""

from typing import Any

from explorer.i18n import N_, _
from explorer.model_on_screen.setting_table import DECODER_ALONE, SETTINGS
from explorer.ui.format import small

VALUE_NAMES: dict[Any, str] = {  # values that are words; the others are named as in the code
    True: N_("on"),
    False: N_("off"),
    "on": N_("on"),
    "off": N_("off"),
    "auto": N_("auto"),
    "words": N_("sentences"),
    "lengths": N_("lengths"),
    "post": N_("post"),
    "pre": N_("pre"),
    "alibi": N_("ALiBi"),
}


def setting_name(name: str, has_encoder: bool = True) -> str:
    settings = SETTINGS if has_encoder or name not in DECODER_ALONE else DECODER_ALONE
    return _(settings[name].label) if name in settings else name


def setting_help(name: str, has_encoder: bool = True) -> str:
    settings = SETTINGS if has_encoder or name not in DECODER_ALONE else DECODER_ALONE
    return _(settings[name].help)


def value_name(value: Any) -> str:
    """Names a value of a setting; numbers are no words, though to Python 1 == True."""
    return _(VALUE_NAMES[value]) if isinstance(value, bool | str) and value in VALUE_NAMES else str(value)


def setting_words(name: str, value: Any) -> str:
    """Names a setting with its value: `heads 2`, `causal mask off`."""
    return f"{setting_name(name)} {setting_value(name, value)}"


def setting_value(name: str, value: Any) -> str:
    """Names the value alone."""
    if value is None:
        return _("the paper's") if name == "rate" else _("auto")
    if isinstance(value, float):
        return small(value, 6)
    return ", ".join(map(str, value)) if isinstance(value, tuple) else value_name(value)
