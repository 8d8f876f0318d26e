"""The templates of all pictures that are written as code, by their names; and the pictures that are not, with the reason."""

from explorer.programs.template import ProgramTemplate
from explorer.programs.templates import attention, decoding, layers, one_step, parts, positions, race, word_map

TEMPLATES: dict[str, ProgramTemplate] = {
    **attention.TEMPLATES,
    **decoding.TEMPLATES,
    **layers.TEMPLATES,
    **one_step.TEMPLATES,
    **parts.TEMPLATES,
    **positions.TEMPLATES,
    **race.TEMPLATES,
    **word_map.TEMPLATES,
}
# Pictures with a name that are not written as code, and why.
ABSENT: dict[str, str] = {
    "course": "it is the curve of a run, and its menu is that of the slider: no picture of the page",
    "cut_answer": "it is a line of words, without a menu",
    "start": "it is the first screen, which asks for it itself; Heads shows the same weights",
    "look-closer": "it is Look closer, which asks for it itself; Decoding shows the same probabilities, Heads the same weights",
    "be-the-head": "it is Be the head, which asks for it itself; Decoding shows the same probabilities, Heads the same weights",
    "be-the-head-look": "it is what Be the head writes with a visitor's row, which it asks for itself",
    "going-on": "it is The next word, which asks for it itself; Decoding shows the same probabilities, Heads the same weights",
    "start-cuts": "it is the first screen, which asks for it itself; Heads shows the same weights",
}
# Pictures without a name, by their ids on the pages, and why they have none. `*` stands for the rest of an id.
_OF_A_RUN = (
    "it shows a run of this visitor, which may still go on: its curves alone are code (`of_run`); its model can be downloaded"
)
_OF_OTHERS = "it compares models that were trained for it, which takes minutes"
_MEASURED = "it was measured over held-out sequences, a little at a time"
_BY_THE_CLOCK = "its times were measured on this server"
_TYPED = "it shows sentences that were typed into its page, and are not in the settings"
_ITS_OWN = "its page has a model of its own, not that of the settings"
_OF_TRAINING = "it shows a plan of training, and nothing of the model on screen"
_TWICE = "it is the same before the first step of learning, which the page shows at step 0"
_ROUNDING = "its numbers are rounding, and other ones on every processor: `transformer_core parity` makes the same check"
UNNAMED: dict[str, str] = {
    "repeat-*": _ITS_OWN,
    "model-map": "it is a drawing of the model's parts, without numbers of its own",
    "story-*": _ITS_OWN,
    **dict.fromkeys(("training-*", "schedule-effect", "*-loss", "*-exact"), _OF_A_RUN),
    **dict.fromkeys(("schedule", "target", "confidence", "break-schedule"), _OF_TRAINING),
    **dict.fromkeys(("break-attention", "seeds-*", "learned-curves", "compare-*", "sweep-dots"), _OF_OTHERS),
    **dict.fromkeys(("damage-*", "decoder-lens", "longer", "patch-*", "samples"), _MEASURED),
    **dict.fromkeys(("cost-measured", "milliseconds"), _BY_THE_CLOCK),
    **dict.fromkeys(("batch*", "by-token", "by-feature", "company", "padding"), _TYPED),
    **dict.fromkeys(("initial-*", "cross-row-initial"), _TWICE),
    "parity": _ROUNDING,
}
