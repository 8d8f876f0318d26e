"""Pins the map of words: planted rotations are found, golden values, and what both translators of the package have learned."""

import numpy as np
import pytest

from everyday.dictionary import dictionary
from everyday.translation import TRANSLATIONS
from tests.transformer_core.helpers import config, perturbed_model
from transformer_core import SHIPPED_MODELS
from transformer_core.analysis.word_map import (
    best_rotation,
    common_directions,
    halves,
    nearest,
    on_the_way,
    output_vectors,
    shares,
    source_vectors,
    word_maps,
)
from transformer_core.data.corpora import everyday_vocabulary
from transformer_core.training.folder import ModelFolder
from transformer_core.training.learning_plan import default_config, plans_for


def rotation_of(d: int, seed: int = 0) -> np.ndarray:
    """A random rotation, without a reflection."""
    rotation = np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]
    rotation[:, 0] *= np.sign(np.linalg.det(rotation))
    return rotation


def words(n: int, d: int, seed: int = 1) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(n, d))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_a_planted_rotation_is_found():
    planted, rows = rotation_of(7), words(20, 7)
    np.testing.assert_allclose(best_rotation(rows @ planted.T, rows), planted, atol=1e-12)


def test_a_mirror_image_is_turned_not_mirrored():
    rows = words(20, 5)
    mirrored = rows * [1, 1, -1, 1, 1]
    rotation = best_rotation(mirrored, rows)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(5), atol=1e-12)
    assert np.linalg.det(rotation) == pytest.approx(1)


def test_the_rotation_of_a_quarter_turn_as_it_stands_in_books():
    x, y, z = np.eye(3)
    np.testing.assert_allclose(best_rotation(np.stack([x, y, z]), np.stack([y, -x, z])), [[0, 1, 0], [-1, 0, 0], [0, 0, 1]])


def test_on_the_way_every_moment_is_a_rotation_and_equal_steps_are_equal():
    rotation, axes = rotation_of(9), np.eye(9)
    moments = on_the_way(rotation, axes, [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(moments[0], axes, atol=1e-12)
    np.testing.assert_allclose(moments[4], rotation, atol=1e-12)
    for moment in moments:
        np.testing.assert_allclose(moment @ moment.T, np.eye(9), atol=1e-12)
        np.testing.assert_allclose(np.linalg.matrix_power(moments[1], 4), rotation, atol=1e-10)
    np.testing.assert_allclose(moments[2] @ moments[2], rotation, atol=1e-12)
    angle = np.pi / 3
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    half = on_the_way(turn, np.eye(2), [0.5])[0]
    np.testing.assert_allclose(half, [[3**0.5 / 2, 0.5], [-0.5, 3**0.5 / 2]])


def test_no_rotation_stays_where_it_is():
    np.testing.assert_allclose(on_the_way(np.eye(4), np.eye(4)[:, :2], [0.3])[0], np.eye(4)[:, :2], atol=1e-12)


def test_common_directions_are_those_in_which_both_vary_whatever_varies_more_alone():
    generator = np.random.default_rng(3)
    shared, alone, other_alone = generator.normal(size=(3, 400, 1))
    one = np.hstack([9 * alone, 2 * shared, 0 * shared])
    other = np.hstack([0 * shared, 3 * shared, 9 * other_alone])
    direction = common_directions(one, other, 1)[:, 0]
    assert abs(direction[1]) > 0.95
    assert (direction**3).sum() > 0


def test_the_nearest_are_by_angle_the_nearest_first():
    among = np.array([[1.0, 0], [0.6, 0.8], [0, 1]])
    np.testing.assert_array_equal(nearest(np.array([[0.8, 0.6]]), among, 3), [[1, 0, 2]])


def test_planted_pairs_are_found_once_turned_and_not_with_pairs_mixed_up():
    rows = words(60, 8)
    measured = shares(rows, rows @ rotation_of(8))
    assert (measured.turned, measured.n, measured.used) == (1.0, 30, 30)
    assert measured.as_is < 0.2 and measured.mixed < 0.2 and measured.forced < 0.5
    unrelated = shares(rows, words(60, 8, seed=5))
    assert unrelated.turned < 0.2


def test_few_pairs_in_many_directions_come_together_whatever_they_are():
    measured = shares(words(40, 30), words(40, 30, seed=5))
    assert measured.forced > 0.95 and measured.turned < 0.2 and measured.mixed < 0.2


def test_the_judged_half_has_no_part_in_the_rotation():
    rows, (given, judged) = words(40, 6), halves(40)
    assert not set(given) & set(judged) and len(given) + len(judged) == 40
    turned = rows @ rotation_of(6).T
    spoiled = turned.copy()
    spoiled[judged] = words(len(judged), 6, seed=9)
    one, other = word_maps(rows, turned, 3), word_maps(rows, spoiled, 3)
    np.testing.assert_allclose(one.target[:, given], other.target[:, given], atol=1e-9)


def test_a_map_ends_where_the_words_of_the_other_language_are():
    rows = words(30, 6)
    maps = word_maps(rows, rows @ rotation_of(6).T, 5)
    assert maps.target.shape == (5, 30, 2)
    np.testing.assert_allclose(maps.target[-1], maps.source, atol=1e-9)
    assert np.abs(maps.target[0] - maps.source).max() > 0.1
    np.testing.assert_array_equal(maps.turned[:, 0], np.arange(30))
    np.testing.assert_array_equal(maps.near_source, maps.near_target)
    assert not (maps.near_source == np.arange(30)[:, None]).any(), "no word is its own neighbour"


def test_the_tables_are_the_encoder_s_and_the_output_s_and_those_may_be_one():
    model = perturbed_model(config(), 3)
    rows = model.src_embedding.table.weight[[4, 2]].detach().double()
    np.testing.assert_allclose(source_vectors(model, [4, 2]), rows / rows.norm(dim=1, keepdim=True))
    rows = model.output.weight[[5]].detach().double()
    np.testing.assert_allclose(output_vectors(model, [5]), rows / rows.norm(dim=1, keepdim=True))
    tied = perturbed_model(config(tie_embeddings="output"), 3)
    rows = tied.tgt_embedding.table.weight[[5]].detach().double()
    np.testing.assert_allclose(output_vectors(tied, [5]), rows / rows.norm(dim=1, keepdim=True))


@pytest.mark.parametrize(("task", "n"), [("everyday-fr", 84), ("everyday-zh", 86)])
def test_both_languages_learn_one_arrangement_turned(task, n):
    """As the page says: they never come together as they are, and one rotation lays them on each other from step 510 on."""
    learned = ModelFolder(SHIPPED_MODELS).get(plans_for(task, default_config(task), 0)[0].key)
    entries, ids = dictionary(TRANSLATIONS[task].language), everyday_vocabulary(TRANSLATIONS[task]).ids
    english, others = ids([entry.english for entry in entries]), ids([entry.translation for entry in entries])
    turned = {}
    for step in learned.steps:
        model = learned.model(step)
        measured = shares(source_vectors(model, english), output_vectors(model, others))
        assert measured.n == n and measured.as_is < 0.05 and measured.mixed < 0.03, step
        assert measured.forced > 0.97, "so only pairs that had no part in it count"
        turned[step] = measured.turned
    assert all(turned[step] < 0.05 for step in (0, 71, 191)), turned
    assert turned.pop(510) > 0.8 and min(turned[step] for step in (1363, 3641, 26000)) > 0.9, turned
