"""The reason why a model has not learned its task, measured once per model."""

from explorer import resources
from explorer.model_on_screen.shared_cache import shared_cache
from transformer_core.analysis import why_not
from transformer_core.analysis.why_not import Reason


@shared_cache(2**18)
def reason(model_id: str) -> Reason | None:
    """Diagnoses a model of the store; None if most of its answers are right, or nothing is known of its learning."""
    model = resources.model_store().get(model_id)
    return None if model is None or model.learned is None else why_not.why_not(model.learned)
