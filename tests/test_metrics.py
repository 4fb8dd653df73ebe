"""Every metric on rows whose value is known, and the capture's own figures beside them."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ut_engine import metrics
from ut_engine.spec import UTConfig
from ut_engine.torch.model import UniversalTransformer

UNIFORM, POINT, HALVES = [0.25] * 4, [0.0, 1.0, 0.0, 0.0], [0.5, 0.0, 0.5, 0.0]
ROWS = np.array([UNIFORM, POINT, HALVES])
weight_rows = arrays(float, st.integers(1, 12), elements=st.floats(0, 1))


def test_entropy_of_known_rows() -> None:
    np.testing.assert_allclose(metrics.row_entropy(ROWS), [math.log(4), 0.0, math.log(2)], atol=1e-15)
    assert metrics.row_entropy(ROWS[None, None]).shape == (1, 1, 3)


def test_normalised_entropy_is_undefined_with_one_key() -> None:
    values = metrics.normalised_entropy(metrics.row_entropy(ROWS), [4, 1, 2])
    np.testing.assert_allclose(values, [1.0, np.nan, 1.0])
    heads = metrics.normalised_entropy(np.zeros((2, 3)), [4, 1, 2])
    assert heads.shape == (2, 3)
    assert np.isnan(heads[:, 1]).all()
    assert (heads[:, [0, 2]] == 0).all()


def test_rows_not_computed_stay_undefined() -> None:
    assert np.isnan(metrics.normalised_entropy([np.nan], [3])).all()
    assert np.isnan(metrics.effective_number([np.nan])).all()


def test_effective_number_and_largest_weight() -> None:
    np.testing.assert_allclose(metrics.effective_number(metrics.row_entropy(ROWS)), [4.0, 1.0, 2.0])
    assert metrics.largest_weight(ROWS).tolist() == [0.25, 1.0, 0.5]


def test_mass_on_marked_positions() -> None:
    marked = [True, True, False, False]
    assert metrics.marked_mass(ROWS, marked).tolist() == [0.5, 1.0, 0.5]
    batch = metrics.marked_mass(np.stack([ROWS, ROWS]), [marked, [False] * 4])
    assert batch.tolist() == [[0.5, 1.0, 0.5], [0.0, 0.0, 0.0]]


def test_update_size_is_relative_and_undefined_from_zero() -> None:
    before, after = np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([[3.0, 9.0], [1.0, 0.0]])
    np.testing.assert_allclose(metrics.update_norm(before, after), [5.0, 1.0])
    np.testing.assert_allclose(metrics.update_size(before, after), [1.0, np.nan])


def test_cosine_to_the_final_state() -> None:
    states = np.array([[[1.0, 0.0]], [[0.0, 0.0]], [[-1.0, 0.0]], [[0.0, 5.0]], [[2.0, 0.0]]])
    np.testing.assert_allclose(metrics.cosine_to_final(states)[:, 0], [1.0, np.nan, -1.0, 0.0, 1.0])


def test_effective_weights_of_the_paper_s_interpolation() -> None:
    np.testing.assert_allclose(
        metrics.effective_weights([0.1, 0.2, 0.3, 0.4]), [0.0336, 0.084, 0.18, 0.4], atol=1e-15
    )
    assert metrics.effective_weights([0.3, 0.7], "accumulated").tolist() == [0.3, 0.7]


@given(weight_rows)
def test_effective_weights_and_zero_share_are_a_recurrence_unrolled(weights: np.ndarray) -> None:
    """Mixing one-hot states with Listing 2's line 9 gives the effective weights themselves."""
    output, zero = np.zeros(len(weights)), 1.0
    for step, w in enumerate(weights):
        output = np.eye(len(weights))[step] * w + output * (1 - w)
        zero *= 1 - w
    np.testing.assert_allclose(metrics.effective_weights(weights), output, atol=1e-15)
    np.testing.assert_allclose(metrics.zero_share(weights), zero, atol=1e-15)
    np.testing.assert_allclose(metrics.effective_weights(weights).sum() + zero, 1.0, atol=1e-12)
    graves = metrics.zero_share(weights, "graves")
    np.testing.assert_allclose(graves, 1 - weights.sum(), atol=1e-12)


def test_ponder_and_its_loss() -> None:
    n, r, real = np.array([[2, 12, 0]]), np.array([[0.25, 0.0, 0.0]]), np.array([[True, True, False]])
    assert metrics.ponder(n, r).tolist() == [[2.25, 12.0, 0.0]]
    assert metrics.ponder_loss(n, r, real) == pytest.approx(0.01 * 14.25 / 2)
    assert metrics.ponder_loss(n, r) == pytest.approx(0.01 * 14.25 / 3)
    charged = metrics.ponder_loss(n, r, real, weight=1.0, cumulative=np.array([[1.0, 0.6, 0.0]]))
    assert charged == pytest.approx((14.25 + 0.4) / 2)
    assert math.isnan(metrics.ponder_loss(n, r, np.zeros((1, 3), dtype=bool)))


def test_top_reads_are_ordered_and_leave_out_masked_keys() -> None:
    index, weight = metrics.top_reads([[0.1, 0.6, 0.0, 0.3], [1.0, 0.0, 0.0, 0.0], UNIFORM], 3)
    assert index.tolist() == [[1, 3, 0], [0, -1, -1], [0, 1, 2]]
    np.testing.assert_array_equal(weight[1], [1.0, np.nan, np.nan])
    index, weight = metrics.top_reads([[1.0]], 3)
    assert index.tolist() == [[0, -1, -1]]
    assert weight.shape == (1, 3)


def test_the_metrics_equal_what_a_capture_computed() -> None:
    torch.manual_seed(3)
    config = UTConfig(
        vocab=9, answers=2, d_model=8, heads=2, d_ff=8, max_steps=3, causal=True, halting="none"
    )
    ids = np.array([[1, 2, 3, 4], [5, 6, 0, 0]])
    states: list[np.ndarray] = []
    for record in UniversalTransformer(config).double().steps(ids):
        assert record.attention is not None
        entry = record.attention[0]
        rows = np.broadcast_to(record.computed[:, None, :], (2, 2, 4))
        assert entry.weights is not None
        assert entry.entropy is not None
        assert entry.largest is not None
        np.testing.assert_allclose(metrics.row_entropy(entry.weights)[rows], entry.entropy[rows], atol=1e-14)
        np.testing.assert_array_equal(metrics.largest_weight(entry.weights)[rows], entry.largest[rows])
        assert record.state is not None
        states.append(record.state)
        if len(states) > 1:
            assert record.update_norm is not None
            change = metrics.update_norm(states[-2], states[-1])
            np.testing.assert_allclose(change, record.update_norm, atol=1e-14)
