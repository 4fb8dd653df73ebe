"""Depth grids of the shipped checkpoints on the same bits, as plain JSON and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from app.paths import shipped
from ut_engine.cells import Cells, cells_from, cells_of
from ut_engine.errors import UserError
from ut_engine.family import load
from ut_engine.recording import record
from ut_engine.schedule import COPIED
from ut_engine.torch.measures import Cancelled, silent
from ut_engine.torch.measures.grid import measure

NAMES = ("parity-lstm", "parity-transformer", "parity-ut", "parity-act")
BITS = "01101100"
PARITY = [0, 1, 0, 0, 1, 0, 0, 0]


@cache
def measured() -> tuple[Cells, ...]:
    paths = [str(shipped()[name]) for name in NAMES]
    value = measure({"checkpoints": paths, "text": BITS}, silent)
    return tuple(cells_from(one) for one in json.loads(json.dumps(value))["grids"])


def test_the_four_models_on_the_same_bits() -> None:
    assert [one.schedule.model for one in measured()] == ["rnn", "transformer", "ut", "act"]
    assert [one.schedule.cells.shape for one in measured()] == [(1, 9), (6, 9), (9, 9), (4, 9)]
    assert [one.schedule.weight_sets for one in measured()] == [1, 6, 1, 1]
    assert [one.schedule.ticks for one in measured()] == [9, 6, 9, 4]
    assert {one.labels for one in measured()} == {("^", *BITS)}
    for one in measured():
        assert one.answer[-1, 1:].tolist() == PARITY
        assert ((one.sure > 0.5) & (one.sure <= 1)).all()


def test_the_last_state_is_its_own_and_frozen_ones_do_not_move() -> None:
    lstm, transformer, ut, act = measured()
    assert np.allclose(lstm.cosine[0, -1], 1, atol=1e-4)
    for one in (transformer, ut, act):
        assert np.allclose(one.cosine[-1], 1, atol=1e-4)
    copied = act.schedule.cells == COPIED
    assert copied.sum() == act.schedule.copied == 13
    assert (act.update[copied] == 0).all()
    assert np.isnan(act.p[copied]).all()
    assert np.isnan(ut.p).all()
    assert np.isnan(lstm.update[0, 0])  # the cell before the first symbol is zero: no ratio


def test_the_figures_are_those_of_a_recorded_run() -> None:
    run = record(load(str(shipped()["parity-ut"])), BITS)
    cells = cells_of(run.info, run.records)
    assert cells is not None
    for row, one in enumerate(run.records):
        assert one.update_norm is not None
        assert one.state_norm is not None
        assert one.state is not None
        np.testing.assert_allclose(cells.update[row], one.update_norm[0] / one.state_norm[0])
        last = run.records[-1].state
        assert last is not None
        dots = (one.state[0] * last[0]).sum(-1)
        sizes = np.linalg.norm(one.state[0], axis=-1) * np.linalg.norm(last[0], axis=-1)
        np.testing.assert_allclose(cells.cosine[row], dots / sizes, atol=1e-5)
    np.testing.assert_allclose(cells.update, measured()[2].update, atol=1e-4)
    assert (cells.schedule.causal, cells.schedule.window) == (True, 4)


def test_what_a_cell_costs_follows_the_checkpoint_s_options() -> None:
    run = record(load(str(shipped()["parity-lstm"])), BITS)
    cells = cells_of(replace(run.info, config={**run.info.config, "layers": 3}), run.records)
    assert cells is not None
    assert cells_from(cells.to_dict()).stacked == 3
    run = record(load(str(shipped()["parity-ut"])), BITS)
    cells = cells_of(replace(run.info, config={**run.info.config, "transition": "sepconv"}), run.records)
    assert cells is not None
    assert (cells_from(cells.to_dict()).transition, cells.stacked) == ("sepconv", 1)


def test_half_a_run_is_a_grid_too() -> None:
    run = record(load(str(shipped()["parity-lstm"])), BITS)
    cells = cells_of(run.info, run.records[:3])
    assert cells is not None
    assert cells.schedule.done(3)[0].sum() == 3
    assert cells.answer[0].tolist() == [*measured()[0].answer[0, :3].tolist(), *[-1] * 6]
    assert cells_of(run.info, ()) is None


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({}, "no checkpoints were named"),
        ({"checkpoints": ["nowhere"], "text": "01"}, "nowhere"),
        ({"checkpoints": ["parity-ut"], "text": " "}, "there is no text"),
        ({"checkpoints": ["parity-ut"], "text": "01a"}, "a"),
    ],
)
def test_wrong_input_is_said(args: Mapping[str, Any], said: str) -> None:
    paths = [str(shipped().get(name, name)) for name in args.get("checkpoints", [])]
    given = {**args, "checkpoints": paths} if paths else args
    with pytest.raises(UserError, match=said):
        measure(given, silent)


def test_it_ends_where_nobody_waits() -> None:
    def gone(done: int, total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        measure({"checkpoints": [str(shipped()["parity-ut"])], "text": BITS}, gone)
