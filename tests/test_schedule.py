"""Who computes when: ticks, cells, weight sets and receptive fields of the four models."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ut_engine import schedule as g
from ut_engine.cost import cost
from ut_engine.design import of_config
from ut_engine.errors import UserError
from ut_engine.halting import run_table, scenario
from ut_engine.spec import UTConfig

updates = st.lists(st.integers(1, 7), min_size=1, max_size=9)


@given(st.integers(1, 128), st.integers(1, 32))
def test_the_table_of_the_story(m: int, depth: int) -> None:
    rnn, transformer, ut = g.rnn(m), g.transformer(m, depth), g.universal(m, depth)
    assert (rnn.ticks, rnn.weight_sets, rnn.computed) == (m, 1, m)
    assert (transformer.ticks, transformer.weight_sets, transformer.computed) == (depth, depth, m * depth)
    assert (ut.ticks, ut.weight_sets, ut.computed) == (depth, 1, m * depth)
    assert {one.copied + one.uncounted for one in (rnn, transformer, ut)} == {0}
    assert [int(rnn.done(tick).sum()) for tick in range(m + 1)] == list(range(m + 1))
    assert [int(ut.done(tick).sum()) for tick in range(depth + 1)] == [m * t for t in range(depth + 1)]


@given(updates)
def test_act_in_both_semantics(n: list[int]) -> None:
    m, total, rows = len(n), sum(n), max(n)
    frozen, listing = g.act(n, "frozen"), g.act(n, "listing2")
    assert frozen.ticks == listing.ticks == rows
    assert frozen.weight_sets == listing.weight_sets == 1
    assert (frozen.computed, frozen.copied, frozen.uncounted) == (total, rows * m - total, 0)
    assert (listing.computed, listing.copied, listing.uncounted) == (rows * m, 0, rows * m - total)
    np.testing.assert_array_equal(frozen.cells == g.COMPUTED, listing.cells == g.COMPUTED)


def test_the_two_position_toy() -> None:
    n = run_table(scenario("two-position")).n_updates
    assert n.tolist() == [1, 4]
    frozen, listing = g.act(n, "frozen"), g.act(n)
    assert frozen.cells[:, 0].tolist() == [g.COMPUTED, g.COPIED, g.COPIED, g.COPIED]
    assert (frozen.computed, frozen.copied, listing.computed, listing.uncounted) == (5, 3, 8, 3)


def brute(grid: g.Schedule, row: int, position: int) -> set[tuple[int, int]]:
    """Everything reachable by following single reads."""
    found, todo = set(), [(row, position)]
    while todo:
        cell = todo.pop()
        if cell not in found:
            found.add(cell)
            todo += g.reads(grid, *cell) if cell[0] else ()
    return found


@given(updates, st.data())
def test_receptive_fields_follow_the_reads(n: list[int], data: st.DataObject) -> None:
    causal = data.draw(st.booleans())
    m, depth = len(n), max(n)
    for grid in (
        g.rnn(m), g.transformer(m, depth, causal), g.universal(m, depth, causal), g.act(n, "frozen", causal),
        g.act(n, "listing2", causal),
    ):  # fmt: skip
        row = data.draw(st.integers(1, grid.rows))
        position = data.draw(st.integers(0, m - 1))
        field = g.receptive_field(grid, row, position)
        assert field.shape == (grid.rows + 1, m)
        assert {(int(r), int(p)) for r, p in np.argwhere(field)} == brute(grid, row, position)


def test_reads_of_single_cells() -> None:
    assert g.reads(g.rnn(5), 1, 3) == ((1, 2), (0, 3))
    assert g.reads(g.rnn(5), 1, 0) == ((0, 0),)
    assert g.reads(g.universal(3, 4), 2, 1) == ((1, 0), (1, 1), (1, 2))
    assert g.reads(g.universal(3, 4, causal=True), 2, 1) == ((1, 0), (1, 1))
    frozen = g.act([1, 3], "frozen")
    assert g.reads(frozen, 2, 0) == ((1, 0),)  # copied on
    assert g.reads(frozen, 3, 1) == ((2, 0), (2, 1))  # and still read by the other


def test_counters() -> None:
    found = g.counters(g.universal(8, 6), 512, 2048)
    assert (found.ticks, found.computed, found.weight_sets) == (6, 48, 1)
    assert found.parameters == 3_152_384
    assert (found.cells_per_token, found.macs_per_token) == (6.0, 18_874_368.0)
    assert g.counters(g.transformer(8, 6), 512, 2048).parameters == 6 * 3_152_384
    assert g.counters(g.transformer(8, 6), 512, 2048).macs_per_token == found.macs_per_token
    halting = g.counters(g.act([2, 4], "frozen"), 4, 8)
    assert (halting.computed, halting.copied, halting.cells_per_token) == (6, 2, 3.0)
    assert halting.macs_per_token == 3 * (4 * 16 + 2 * 32 + 4)
    assert halting.parameters == 4 * 20 + (32 + 8 + 32 + 4) + 16 + 5


def test_the_rnn_is_counted_as_torch_does() -> None:
    import torch

    lstm = torch.nn.LSTM(6, 6)
    found = g.counters(g.rnn(9), 6, 24)
    assert found.parameters == sum(weight.numel() for weight in lstm.parameters())
    assert found.macs_per_token == 8 * 36
    assert found.cells_per_token == 1


@pytest.mark.parametrize(
    "options", [{"architecture": "lstm", "layers": 2}, {"transition": "sepconv"}, {"halting": "none"}]
)
def test_a_checkpoint_s_grid_is_counted_as_its_blocks_are(options: dict[str, Any]) -> None:
    kind = options.get("architecture", "universal")
    usual = {"halting": "none", "signal": "none"} | options
    config = UTConfig(vocab=5, answers=2, d_model=8, d_ff=24, heads=2, max_steps=3, **usual)
    grid = g.rnn(4) if kind == "lstm" else g.universal(4, 3)
    stacked = config.layers if kind == "lstm" else 1
    found = g.counters(grid, 8, 24, config.transition, stacked)
    whole = cost(of_config(config))
    assert (found.parameters, found.macs_per_token) == (whole.block_parameters, whole.macs_per_token)


def test_schedules_by_name() -> None:
    for name in g.MODELS:
        grid = g.schedule(name, 5, 4)
        assert (grid.model, grid.positions) == (name, 5)
        assert grid.rows == (1 if name == "rnn" else 4)
    grid = g.schedule("act", 3, n_updates=[1, 2, 5], state="frozen")
    assert (grid.rows, grid.copied) == (5, 7)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("gru", 3), "model 'gru'"),
        (("ut", 0), "positions = 0"),
        (("transformer", 3, 0), "depth = 0"),
        (("act", 3, 4, [1, 2]), "2 numbers of updates"),
        (("act", 2, 4, [1, 0]), "one step at least"),
        (("act", 2, 4, [1, 1], "halted"), "state cannot be 'halted'"),
    ],
)
def test_schedules_that_cannot_be(arguments: tuple[str, int], named: str) -> None:
    with pytest.raises(UserError, match=named):
        g.schedule(*arguments)


@pytest.mark.parametrize(("row", "position"), [(0, 0), (5, 0), (1, 3), (1, -1)])
def test_cells_that_are_not_there(row: int, position: int) -> None:
    with pytest.raises(UserError, match="no cell"):
        g.receptive_field(g.universal(3, 4), row, position)


@given(updates, st.integers(1, 4), st.data())
def test_a_window_narrows_what_is_read(n: list[int], window: int, data: st.DataObject) -> None:
    grid = replace(g.act(n, "frozen", causal=data.draw(st.booleans())), window=window)
    row = data.draw(st.integers(1, grid.rows))
    position = data.draw(st.integers(0, grid.positions - 1))
    field = g.receptive_field(grid, row, position)
    assert set(zip(*np.nonzero(field), strict=True)) == brute(grid, row, position)
    assert all(place > position - window for _, place in g.reads(grid, row, position))


def test_how_far_a_convolution_reaches() -> None:
    """T2T's kernels of 3 and 5: three positions either way, causal ones six back."""
    assert g.reach_of("feedforward", False) == g.reach_of("feedforward", True) == (0, 0)
    assert g.reach_of("sepconv", False) == (3, 3)
    assert g.reach_of("sepconv", True) == (6, 0)
    grid = replace(g.universal(20, 2, causal=True), window=2, reach=(6, 0))
    assert g.mixed(grid, 2, 10) == range(4, 11)
    assert g.reads(grid, 2, 10) == tuple((1, k) for k in range(3, 11))
    assert g.receptive_field(grid, 2, 19)[0].tolist() == [k >= 5 for k in range(20)]
    assert g.mixed(grid, 1, 0) == range(1)
    copied = replace(g.act([1, 2], "frozen"), reach=(3, 3))
    assert g.mixed(copied, 2, 0) == range(1)


@given(updates, st.integers(0, 4), st.integers(0, 3), st.integers(0, 3), st.data())
def test_a_convolution_widens_what_is_read(
    n: list[int], window: int, before: int, after: int, data: st.DataObject
) -> None:
    causal = data.draw(st.booleans())
    reach = (before, 0 if causal else after)
    grid = replace(g.act(n, "frozen", causal=causal), window=window, reach=reach)
    row = data.draw(st.integers(1, grid.rows))
    position = data.draw(st.integers(0, grid.positions - 1))
    field = g.receptive_field(grid, row, position)
    assert set(zip(*np.nonzero(field), strict=True)) == brute(grid, row, position)


@given(updates, st.sampled_from(g.STATES))
def test_counts_so_far_end_at_the_whole(n: list[int], state: str) -> None:
    grid = g.act(n, state)
    assert grid.so_far(0) == (0, 0, 0)
    assert grid.so_far(grid.ticks) == (grid.computed, grid.copied, grid.uncounted)
    rows = [grid.so_far(tick) for tick in range(grid.ticks + 1)]
    assert all(one <= other for one, other in itertools.pairwise(rows))
