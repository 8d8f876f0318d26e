"""How many weights of a matrix matter to an answer: some, drawn at random, are changed one at a time."""

from collections.abc import Sequence

from explorer.model_on_screen.forward import decoded, model_of
from explorer.model_on_screen.incremental import measure
from explorer.model_on_screen.sequences import room_for_answer
from explorer.model_on_screen.shown_model import ShownModel
from transformer_core.analysis.weight_edit import WeightEdit, with_weights


def changed_answers(shown: ShownModel, edits: Sequence[WeightEdit], seconds: float) -> list[bool | None]:
    """Returns whether the answer of the model, as it is without changes, becomes another one with each of these edits alone;
    None where the time ran out."""
    original = shown.original
    steps, beginning = room_for_answer(shown.cfg, shown.src, shown.start, shown.taught)

    def changes(key: tuple[object, ...]) -> bool:
        edit = key[-1]
        assert isinstance(edit, WeightEdit)
        model = with_weights(model_of(original.choice), [edit])
        return decoded(model, shown.src, shown.vocabulary, steps, beginning) != original.answer

    of = original.choice, shown.src, steps, beginning
    return measure(seconds, [("answer changes", *of, edit) for edit in edits], changes)
