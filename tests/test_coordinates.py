"""The two coordinate formulas in numpy: golden values, lengths, and agreement with the model's own."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests import oracle
from ut_engine import coordinates as c
from ut_engine.errors import UserError
from ut_engine.spec import UTConfig
from ut_engine.torch.coordinates import position_signal, step_signal

GOLDEN = 1e-12
OFFSETS = [1, 2, 5, 10, 50, 100, 500, 1000]
PAPER = [
    31.78370959555737, 31.23247093618138, 29.85286142670514, 29.31858539983345,
    27.82411763527368, 27.12748453685438, 25.4256986442271, 24.53453096533549,
]  # fmt: skip
T2T = [
    31.78452847404891, 31.23541587083568, 29.86150596134354, 29.32941848524154,
    27.84165811698003, 27.14829089343653, 25.49122937073858, 25.04663294386367,
]  # fmt: skip
widths = st.integers(1, 24).map(lambda half: 2 * half)
variants = st.sampled_from(c.VARIANTS)


def equal(ours: object, golden: object) -> None:
    np.testing.assert_allclose(np.asarray(ours), np.asarray(golden), rtol=GOLDEN, atol=GOLDEN)


def test_paper_row_of_position_3_step_2() -> None:
    expected = [
        1.050417434885549, -1.406139333147588, 0.4941895374564008, 1.935403066966848,
        0.04999416689582874, 1.999350040415565, 0.004999994166668958, 1.999993500004042,
    ]  # fmt: skip
    equal(c.coordinates(8, 3, 2)[2], expected)


def test_t2t_row_of_index_3_and_step_index_2() -> None:
    expected = [
        1.050417434885549, 0.2314966018587778, 0.01077211511693245, 0.0004999999941666667,
        -1.406139333147588, 1.986014923259415, 1.999969829759656, 1.999999935,
    ]  # fmt: skip
    equal(c.coordinates(8, 4, 3, "t2t")[3], expected)  # T2T counts from 0
    equal(c.sinusoid([3], 8, "t2t")[0] + c.sinusoid([2], 8, "t2t")[0], expected)


def test_an_odd_width_ends_in_a_zero_column() -> None:
    expected = [0.1411200080598672, 0.0002999999955, -0.9899924966004455, 0.9999999550000003, 0.0]
    equal(c.sinusoid([3], 5, "t2t")[0], expected)
    assert c.coordinates(1, 3, 1, "t2t").tolist() == [[0.0]] * 3


def test_lengths_at_width_512() -> None:
    equal(c.norm_at_offset(0, 512), 32.0)
    equal(c.norm_at_offset(0, 512, "t2t"), 32.0)
    equal(c.norms(c.coordinates(512, 40, 7))[6], 32.0)
    equal(c.norms(c.coordinates(512, 5, 9, part="position")), [16.0] * 5)
    equal(c.closed_form(512, 5, 9, part="step"), [16.0] * 5)
    equal(np.sqrt(512), 22.6274169979695)
    equal(c.norm_at_offset(997, 512), 24.71513261229614)
    equal(c.norm_at_offset(997, 512, "t2t"), 24.83373379735545)
    equal(c.norm_at_offset(OFFSETS, 512), PAPER)
    equal(c.norm_at_offset(OFFSETS, 512, "t2t"), T2T)


def test_slowest_frequencies_at_width_512() -> None:
    equal(c.frequencies(512)[-1], 10000 ** (-510 / 512))
    assert round(c.frequencies(512)[-1], 8) == 1.0366e-4
    equal(c.frequencies(512, "t2t")[-1], 1e-4)


def test_minimum_length_over_many_offsets() -> None:
    lengths = np.concatenate(
        [c.norm_at_offset(np.arange(k, k + 10_000), 512) for k in range(0, 200_000, 10_000)]
    )
    assert int(np.argmax(lengths < np.sqrt(512))) == 3284
    assert int(lengths.argmin()) == 18469
    assert round(float(lengths.min()), 10) == 20.8852584988
    assert int(lengths[:1000].argmin()) == 968
    assert round(float(lengths[:1000].min()), 10) == 24.1454371410


@given(widths, variants, st.integers(1, 12), st.integers(1, 30), st.sampled_from(c.PARTS))
def test_closed_form_is_the_measured_length(d: int, variant: str, m: int, t: int, part: str) -> None:
    signal = c.coordinates(d, m, t, variant, part)
    np.testing.assert_allclose(c.norms(signal), c.closed_form(d, m, t, variant, part), atol=1e-7)
    np.testing.assert_allclose(c.norms(signal) ** 2, c.closed_form(d, m, t, variant, part) ** 2, atol=1e-11)


@given(widths, variants, st.integers(0, 5000))
def test_length_is_even_in_the_offset_and_largest_at_zero(d: int, variant: str, offset: int) -> None:
    assert c.norm_at_offset(offset, d, variant) == c.norm_at_offset(-offset, d, variant)
    assert c.norm_at_offset(offset, d, variant) <= np.sqrt(2 * d) + GOLDEN


@given(widths, st.integers(1, 6), st.integers(1, 9))
def test_sum_is_position_part_plus_step_part(d: int, m: int, t: int) -> None:
    for variant in c.VARIANTS:
        position, step = (c.coordinates(d, m, t, variant, part) for part in ("position", "step"))
        equal(c.coordinates(d, m, t, variant), position + step)
        assert (step == step[0]).all()
        equal(position, c.coordinates(d, m, t + 1, variant, "position"))


@given(widths, variants, st.integers(1, 20), st.integers(1, 9))
def test_dot_products_of_positions_depend_on_their_distance(d: int, variant: str, m: int, t: int) -> None:
    products = c.dot_products(c.coordinates(d, m, t, variant, "position"))
    away = np.arange(m)[:, None] - np.arange(m)
    np.testing.assert_allclose(
        products, np.cos(away[..., None] * c.frequencies(d, variant)).sum(-1), atol=1e-11
    )
    np.testing.assert_allclose(np.diag(products), d // 2)


@given(st.integers(1, 40), st.integers(1, 9), st.sampled_from(c.PARTS))
def test_lengths_in_pieces_are_the_lengths_of_the_whole(m: int, t: int, part: str) -> None:
    measured, formula = c.lengths(8, m, t, part=part)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(c, "_AT_ONCE", 24)
        pieces = c.lengths(8, m, t, part=part)
    equal(pieces[0], measured)
    equal(pieces[1], formula)
    equal(measured, c.norms(c.coordinates(8, m, t, part=part)))


def test_only_width_2_holds_the_same_channels_in_both() -> None:
    equal(c.sinusoid([3, 4], 2), c.sinusoid([3, 4], 2, "t2t"))
    paper, t2t = (np.sort(c.sinusoid([3], 8, variant)[0]) for variant in c.VARIANTS)
    assert np.abs(paper - t2t).max() > 0.01


@pytest.mark.parametrize("variant", c.VARIANTS)
@pytest.mark.parametrize("d", [2, 4, 16])
def test_numpy_torch_and_the_reference_agree(variant: str, d: int) -> None:
    config = UTConfig(vocab=2, answers=1, d_model=d, heads=1, signal=variant)
    like = torch.zeros(1, 6, d, dtype=torch.float64)
    positions = position_signal(config, like)
    assert positions is not None
    for t in (1, 2, 9):
        ours = c.coordinates(d, 6, t, variant)
        equal(ours, (positions + step_signal(config, t, like, None)).numpy())
        options = {"d_model": d, "signal": variant}
        equal(ours, [oracle.signal_row(options, {}, i, t) for i in range(1, 7)])


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((7, 3, 1), "d_model"),
        ((0, 3, 1, "t2t"), "d_model"),
        ((8, 3, 1, "vaswani"), "variant"),
        ((8, 3, 1, "paper", "x"), "part"),
    ],
)
def test_wrong_choices_are_refused(arguments: tuple[int, int, int], named: str) -> None:
    with pytest.raises(UserError, match=named):
        c.coordinates(*arguments)


@pytest.mark.parametrize("variant", c.VARIANTS)
def test_waves_by_the_addition_theorem_are_the_sinusoids(variant: str) -> None:
    sines, cosines = c.waves(2101, 512, variant)
    angles = np.arange(2101)[:, None] * c.frequencies(512, variant)
    assert np.abs(sines - np.sin(angles)).max() < GOLDEN
    assert np.abs(cosines - np.cos(angles)).max() < GOLDEN
    assert c.waves(1, 64, variant)[0].shape == (1, 32)


@pytest.mark.parametrize("variant", c.VARIANTS)
def test_all_offsets_at_once_are_the_closed_form(variant: str) -> None:
    found = c.offset_norms(5000, 512, variant)
    assert np.abs(found - c.norm_at_offset(np.arange(5000), 512, variant)).max() < 1e-10


def test_the_length_over_far_offsets() -> None:
    found = c.offset_norms(200_000, 512)
    assert (round(float(found[:1000].min()), 3), float(found[0])) == (24.145, 32.0)
    assert int(np.argmax(found < np.sqrt(512))) == 3284
    assert round(float(found.min()), 3) == 20.885
    assert round(float(found[997]), 4) == 24.7151
    assert round(float(c.offset_norms(1000, 512, "t2t")[997]), 4) == 24.8337


def test_a_learned_step_table_starts_with_entries_of_unit_size() -> None:
    table = c.step_table(512, 64)
    assert table.shape == (64, 512)
    assert abs(float(table.std()) - 1) < 0.02
