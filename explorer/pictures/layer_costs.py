"""Pictures of what three kinds of layer cost as a sequence gets longer."""

from dataclasses import dataclass
from typing import Annotated

from explorer.figures.lines import curves
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.pictures.registry import Ends, picture
from transformer_core.analysis.length_cost import crossovers, layer_costs

LENGTHS = tuple(2**i for i in range(13))
SHORTEST_KERNEL, LONGEST_KERNEL = 3, 15  # the ends of the knob


@dataclass(frozen=True)
class KernelChoices:
    """The number of tokens that a convolution sees."""

    kernel: Annotated[int, Ends(SHORTEST_KERNEL, LONGEST_KERNEL)]


@picture("operations", needs_weights=False)
def operations(shown: ShownModel, choices: KernelChoices) -> Figure:
    """Draws the operations in one layer, and where the curves cross."""
    meet = crossovers(shown.cfg.d_model, choices.kernel)
    marks = {_("n = d"): meet["recurrent"], _("n = k·d"): meet["convolution"]}
    return _by_length(shown, choices, "operations", _("operations"), marks)


@picture("sequential", needs_weights=False)
def sequential(shown: ShownModel, choices: KernelChoices) -> Figure:
    """Draws the steps that have to wait for the one before."""
    return _by_length(shown, choices, "sequential", _("sequential steps"))


@picture("path", needs_weights=False)
def path(shown: ShownModel, choices: KernelChoices) -> Figure:
    """Draws the longest path between two tokens."""
    return _by_length(shown, choices, "path", _("longest path"))


def names_of_layers() -> dict[str, str]:
    """Returns what each kind of layer is called."""
    return {
        "self-attention": _("self-attention"),
        "recurrent": _("recurrent"),
        "convolution": _("convolution"),
        "recurrent (RNN)": _("recurrent (RNN)"),
        "recurrent (GRU)": _("recurrent (GRU)"),
    }


def _by_length(
    shown: ShownModel, choices: KernelChoices, field: str, title: str, marks: dict[str, int] | None = None
) -> Figure:
    names, costs = names_of_layers(), layer_costs(LENGTHS, shown.cfg.d_model, choices.kernel)
    return curves(
        LENGTHS, {names[name]: getattr(cost, field) for name, cost in costs.items()}, x_title=_("length n"), y_title=title,
        log_x=True, log_y=True, markers=True, marks=marks,
    )  # fmt: skip
