"""The tree of a beam search, cut to a size that can be drawn."""

from dataclasses import replace

import numpy as np

from transformer_core.model.beam_search import BeamLevel, BeamSearch


def pruned(search: BeamSearch, dropped: int) -> BeamSearch:
    """Keeps the beam and, of each level's other candidates, the `dropped` best."""
    levels, hypotheses = [], list(search.hypotheses)
    new_places: dict[int, int] = {0: 0}
    for i, level in enumerate(search.levels):
        lost = np.flatnonzero(~level.kept)
        nearly = lost[np.argsort(-level.score[lost], kind="stable")[:dropped]]
        stay = np.sort(np.concatenate([np.flatnonzero(level.kept), nearly]))
        parent = np.array([new_places[place] for place in level.parent[stay].tolist()], dtype=np.int64)
        levels.append(
            BeamLevel(
                level.token[stay], level.log_probability[stay], level.score[stay], parent, level.kept[stay], level.ended[stay]
            )
        )
        new_places = {old: new for new, old in enumerate(stay.tolist())}
        hypotheses = [
            replace(answer, path=(*answer.path[:i], new_places[answer.path[i]], *answer.path[i + 1 :]))
            if i < len(answer.path)
            else answer
            for answer in hypotheses
        ]
    return BeamSearch(tuple(levels), tuple(hypotheses))
