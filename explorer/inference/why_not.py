"""Why a model has not learned its task, measured once for each."""

import threading
from functools import lru_cache

from explorer import server
from transformer_core.analysis import why_not
from transformer_core.analysis.why_not import Reason

_lock = threading.Lock()


def reason(model_id: str) -> Reason | None:
    """Of a model in the store; None where most of its answers are right, or where nothing is known of its learning."""
    with _lock:  # who asks for the same waits
        return _found(model_id)


@lru_cache(maxsize=256)
def _found(model_id: str) -> Reason | None:
    model = server.model_store().get(model_id)
    return None if model is None or model.learned is None else why_not.why_not(model.learned)
