"""Why a model has not learned its task, measured once for each."""

from explorer import server
from explorer.inference.shared_cache import shared_cache
from transformer_core.analysis import why_not
from transformer_core.analysis.why_not import Reason


@shared_cache(2**18)
def reason(model_id: str) -> Reason | None:
    """Of a model in the store; None where most of its answers are right, or where nothing is known of its learning."""
    model = server.model_store().get(model_id)
    return None if model is None or model.learned is None else why_not.why_not(model.learned)
