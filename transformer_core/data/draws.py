"""Examples drawn from a language: drawing many of them takes minutes, reading what was drawn a fraction of a second."""

import hashlib
import json
import lzma
import random
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import safetensors.numpy
import torch
from torch import Tensor

from transformer_core.data.vocabulary import Vocabulary, end_of

SEED = 2017  # the seed of every corpus
_PACKING = [{"id": lzma.FILTER_LZMA2, "preset": 9, "lc": 2, "lp": 1, "pb": 1}]  # a filter for numbers of two bytes
_NOWHERE = -1


@dataclass(frozen=True)
class Example:
    """A sentence, its answer, and for every word of the answer the position of the source word that it comes from (None: no
    single one). `answers`: all right ones with their probabilities, where they are known."""

    src: tuple[str, ...]
    tgt: tuple[str, ...]
    origin: tuple[int | None, ...]
    answers: Mapping[tuple[str, ...], float] | None = field(default=None, compare=False, repr=False)


Sample = Callable[[random.Random], tuple[Example, str | None]]  # an example, and what it is held out for (None: nothing)


@dataclass(frozen=True, eq=False)
class Choices:
    """The words that may stand at each place of an answer where there are several, given those before it.

    Shape: begin (draws + 1,): where those of each draw begin; place, counted from 0, token and share, its probability (words,)
    """

    begin: Tensor
    place: Tensor
    token: Tensor
    share: Tensor


@dataclass(frozen=True, eq=False)
class Draws:
    """The examples that were drawn.

    Shape: src (draws for training, longest source), answers (draws, longest target) with the start and the end token, both
        int16; lengths (draws,), of source and answer together.
    """

    src: Tensor
    answers: Tensor
    lengths: Tensor
    held_out: dict[str, list[Example]]
    choices: Choices | None = None


def draw(sample: Sample, count: int, longest: tuple[int, int], vocabulary: Vocabulary) -> Draws:
    """Draws so often; what is longer than `longest` (see `Corpus`) is left out. Each held-out sentence once."""
    generator = random.Random(SEED)
    trained: dict[tuple[str, ...], None] = {}
    held: dict[tuple[str, ...], tuple[str, Example]] = {}
    ids, begin, place, token, share = array("h"), array("l", [0]), array("b"), array("h"), array("f")
    for _ in range(count):
        example, reason = sample(generator)
        if len(example.src) > longest[0] or len(example.tgt) >= longest[1]:
            continue
        if reason is not None:
            held.setdefault(example.src, (reason, example))
        else:
            trained[example.src] = None
            ids.extend(_ids(example, vocabulary))
            for at, right, probability in _choices(example, vocabulary):
                place.append(at)
                token.append(right)
                share.append(probability)
            begin.append(len(place))
    held_out: dict[str, list[Example]] = {"source": []}
    for src, (reason, example) in held.items():
        if src not in trained:  # the same words may be said by two trees, of which one is held out
            held_out.setdefault(reason, []).append(example)
    drawn = _draws(np.array(ids), held_out, vocabulary)
    if not place:
        return drawn
    return replace(drawn, choices=_of_arrays(*(np.array(each) for each in (begin, place, token, share))))


def _of_arrays(*arrays: np.ndarray) -> Choices:
    return Choices(*(torch.from_numpy(each) for each in arrays))


def _choices(example: Example, vocabulary: Vocabulary) -> Iterator[tuple[int, int, float]]:
    """Place, token and its probability there, for all tokens with which the answer can go on where there are several."""
    end = end_of(vocabulary)
    left = {(*vocabulary.ids(answer), end): probability for answer, probability in (example.answers or {}).items()}
    for place, token in enumerate((*vocabulary.ids(example.tgt), end)):
        if len(left) < 2:
            return
        odds: dict[int, float] = {}
        for answer, probability in left.items():
            odds[answer[place]] = odds.get(answer[place], 0.0) + probability
        if len(odds) > 1:
            total = sum(odds.values())
            yield from ((place, right, odd / total) for right, odd in odds.items())
            left = {answer: probability for answer, probability in left.items() if answer[place] == token}


def _ids(example: Example, vocabulary: Vocabulary) -> list[int]:
    """Both sentences, the start token between them, the end token behind them."""
    return [*vocabulary.ids(example.src), vocabulary.start, *vocabulary.ids(example.tgt), end_of(vocabulary)]


def _draws(ids: np.ndarray, held_out: dict[str, list[Example]], vocabulary: Vocabulary) -> Draws:
    """Shape: ids (tokens of all examples,), as `_ids` says"""
    behind = np.flatnonzero(ids == end_of(vocabulary)) + 1
    begin, middle = np.concatenate([[0], behind[:-1]]), np.flatnonzero(ids == vocabulary.start)
    is_source = np.repeat(np.tile([True, False], len(behind)), np.stack([middle - begin, behind - middle], axis=1).ravel())
    src = _padded(ids[is_source], middle - begin, vocabulary.pad)
    answers = _padded(ids[~is_source], behind - middle, vocabulary.pad)
    return Draws(src, answers, torch.from_numpy(behind - begin), held_out)


def _padded(ids: np.ndarray, lengths: np.ndarray, pad_id: int) -> Tensor:
    """Shape: ids (tokens of all rows,), lengths (rows,) -> (rows, longest), int16"""
    rows = np.full((len(lengths), lengths.max()), pad_id, dtype=np.int16)
    rows[np.arange(rows.shape[1]) < lengths[:, None]] = ids
    return torch.from_numpy(rows)


def to_bytes(draws: Draws, vocabulary: Vocabulary, count: int) -> bytes:
    """As the content of a file; `count` is how often it was drawn."""
    rows = torch.cat([draws.src, draws.answers], dim=1).numpy()
    held = [example for examples in draws.held_out.values() for example in examples]
    origins = [_NOWHERE if place is None else place for example in held for place in example.origin]
    tensors = {
        "rows": rows[rows != vocabulary.pad],
        "held_out": np.array([i for example in held for i in _ids(example, vocabulary)], dtype=np.int16),
        "origins": np.array(origins, dtype=np.int8),
    }
    if (choices := draws.choices) is not None:
        shares, which = np.unique(choices.share.numpy(), return_inverse=True)  # a few hundred different ones
        assert len(shares) <= np.iinfo(np.int16).max
        tensors |= {
            "choices": choices.begin.diff().numpy().astype(np.int16),
            "places": choices.place.numpy(),
            "tokens": choices.token.numpy(),
            "shares": shares,
            "share": which.astype(np.int16),
        }
    reasons = {reason: len(examples) for reason, examples in draws.held_out.items()}
    metadata = {"drawn": json.dumps({"of": _name_of(vocabulary, count), "reasons": reasons})}
    return lzma.compress(safetensors.numpy.save(tensors, metadata), lzma.FORMAT_XZ, filters=_PACKING)


def from_bytes(data: bytes, vocabulary: Vocabulary, count: int) -> Draws | None:
    """Reads a file of the package; None if that was drawn with other words, or not so often."""
    data = lzma.decompress(data)
    length = int.from_bytes(data[:8], "little")
    drawn = json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["drawn"])
    if drawn["of"] != _name_of(vocabulary, count):
        return None
    tensors = safetensors.numpy.load(data)
    examples = _examples(tensors["held_out"].tolist(), tensors["origins"].tolist(), vocabulary)
    held_out = {reason: [next(examples) for _ in range(number)] for reason, number in drawn["reasons"].items()}
    read = _draws(tensors["rows"], held_out, vocabulary)
    if "choices" not in tensors:
        return read
    begin = np.concatenate([[0], tensors["choices"].cumsum(dtype=np.int64)])
    share = tensors["shares"][tensors["share"]]
    return replace(read, choices=_of_arrays(begin, tensors["places"], tensors["tokens"], share))


def _examples(ids: Sequence[int], origins: Sequence[int], vocabulary: Vocabulary) -> Iterator[Example]:
    places, begin = iter(origins), 0
    while begin < len(ids):
        middle = ids.index(vocabulary.start, begin)
        behind = ids.index(end_of(vocabulary), middle)
        src, tgt = vocabulary.decode(ids[begin:middle]), vocabulary.decode(ids[middle + 1 : behind])
        origin = (next(places) for _ in tgt)
        yield Example(tuple(src), tuple(tgt), tuple(None if place == _NOWHERE else place for place in origin))
        begin = behind + 1


def _name_of(vocabulary: Vocabulary, count: int) -> str:
    return hashlib.sha256(json.dumps([count, vocabulary.tokens]).encode()).hexdigest()[:16]
