"""The distribution of a matrix's weights before the first step, and at a later one."""

import math
from dataclasses import dataclass

import numpy as np

from transformer_core.model.config import TransformerConfig
from transformer_core.model.transformer import Transformer, shapes_only

_TABLE = "table.weight"  # the name of an embedding's parameter
_LOOKED_UP = (_TABLE, "embedding.positions")


@dataclass(frozen=True)
class WeightSpread:
    """The weights of one matrix. The padding row of an embedding, which is set to 0, is left out.

    Attributes:
        shape: of the matrix; its sides are fan_out and fan_in of Xavier's rule, whose sum alone counts.
        bound: √(6 / (fan_in + fan_out)): Xavier-uniform draws evenly between -bound and bound (Glorot and Bengio, 2010).
        largest: absolute value; deviation: the standard deviation. Evenly drawn, that is bound / √3.
        weights: all of them, in one row.
        gain: by which factor the matrix makes a vector longer, root of the mean square over all directions: its Frobenius norm
            by √fan_in. A square matrix of Xavier's rule has a gain of about 1.
    """

    name: str
    shape: tuple[int, int]
    bound: float
    largest: float
    deviation: float
    weights: np.ndarray
    gain: float

    @property
    def is_looked_up(self) -> bool:
        """True if its rows are looked up: no vector is multiplied by it."""
        return self.name.endswith(_LOOKED_UP)

    def shares(self, edges: np.ndarray) -> np.ndarray:
        """The share of the weights between each edge and the next; those beyond the ends belong to none.

        Shape: edges (bins + 1,) -> (bins,)
        """
        return np.histogram(self.weights, edges)[0] / self.weights.size


def matrix_names(cfg: TransformerConfig) -> list[str]:
    """The parameters of a model that are matrices, in its order; a tied one stands there once."""
    return [name for name, parameter in shapes_only(cfg).named_parameters() if parameter.ndim > 1]


def weight_spread(model: Transformer, name: str) -> WeightSpread:
    """The weights of the matrix of this name, as they are now."""
    matrix = model.get_parameter(name).detach().double().cpu().numpy()
    rows, columns = matrix.shape
    kept = np.delete(matrix, model.cfg.pad_id, axis=0) if name.endswith(_TABLE) else matrix
    weights = kept.ravel()
    bound = math.sqrt(6 / (rows + columns))
    gain = float(np.sqrt((matrix**2).sum() / columns))
    return WeightSpread(name, (rows, columns), bound, float(np.abs(weights).max()), float(weights.std()), weights, gain)
