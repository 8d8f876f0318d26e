"""The model of a run that has come to rest, as its file holds it."""

from weakref import ref

from explorer.learning.learned_model import LearnedModel, of_file
from explorer.learning.run import TrainingRun
from explorer.model_on_screen.shared_cache import shared_cache


def model_of(run: TrainingRun) -> LearnedModel:
    """Returns the model of a run that is paused or over after some steps. Raises CheckpointError for weights that are NaN."""
    return _model_at(run, run.branch, run.history().step)


@shared_cache(2**25, key=lambda run, branch, step: (ref(run), branch, step))
def _model_at(run: TrainingRun, branch: int, step: int) -> LearnedModel:
    """It is in no store: there nobody has opened it."""
    return of_file(run.checkpoint()).model
