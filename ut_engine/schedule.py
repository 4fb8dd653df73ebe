"""Who computes when: the depth grid of positions by depth for the four models, and what a cell reads.

RNN: one position a tick, reading its left neighbour.  Transformer and Universal Transformer: one whole row a
tick, with own weights a row or the same everywhere.  With ACT a halted position is, by the state semantics,
    frozen    copied on (section 2.2 in prose): not computed, yet readable by the others' attention;
    listing2  computed as ever (the paper's listing): only its output no longer counts.
Rows count from 1 (row 0 is the input), positions in arrays from 0, ticks from 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ut_engine.cost import cost
from ut_engine.design import KERNELS, Design
from ut_engine.errors import UserError
from ut_engine.records import freeze

Array = NDArray[Any]
Flags = NDArray[np.bool_]

MODELS = ("rnn", "transformer", "ut", "act")
STATES = ("listing2", "frozen")
COMPUTED, UNCOUNTED, COPIED = 1, 2, 3  # 0 is no cell


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """The grid of one model; [row, position] arrays, row r of the grid at index r - 1.

    cells: COMPUTED; UNCOUNTED (computed, but after its position halted); COPIED (not computed).
    tick: when the cell has its value.  weight_set: index of the weights it uses.
    causal: self-attention reads positions up to its own only.  window: w > 0 reads none before the last w,
        its own included.
    reach: positions before and after its own whose attended values the transition mixes in (`reach_of`).
    """

    model: str
    cells: Array
    tick: Array
    weight_set: Array
    state: str = "listing2"
    causal: bool = False
    window: int = 0
    reach: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def rows(self) -> int:
        return int(self.cells.shape[0])

    @property
    def positions(self) -> int:
        return int(self.cells.shape[1])

    @property
    def ticks(self) -> int:
        return int(self.tick.max())

    @property
    def weight_sets(self) -> int:
        return int((np.bincount(self.weight_set.ravel()) > 0).sum())

    @property
    def computed(self) -> int:
        """Cells really computed, those that no longer count included."""
        return int((self.cells != COPIED).sum())

    @property
    def uncounted(self) -> int:
        return int((self.cells == UNCOUNTED).sum())

    @property
    def copied(self) -> int:
        return int((self.cells == COPIED).sum())

    def so_far(self, tick: int) -> tuple[int, int, int]:
        """(computed, copied, uncounted) at the end of a tick; those uncounted are among the computed."""
        cells = self.cells[self.done(tick)]
        copied, uncounted = int((cells == COPIED).sum()), int((cells == UNCOUNTED).sum())
        return len(cells) - copied, copied, uncounted

    def done(self, tick: int) -> Flags:
        """[row, position]: has its value at the end of a tick; one clock can drive several grids."""
        return np.asarray(self.tick <= tick)


@dataclass(frozen=True, slots=True)
class Counters:
    """What stands under a grid.  parameters: all blocks and the halting unit, no embedding.

    cells_per_token: cells computed / positions.  macs_per_token: that times the block's multiply-adds.
    """

    ticks: int
    computed: int
    copied: int
    uncounted: int
    weight_sets: int
    parameters: int
    cells_per_token: float
    macs_per_token: float


def rnn(positions: int) -> Schedule:
    """One row; position i at tick i."""
    grid = _grid(1, positions)
    return Schedule("rnn", grid, np.arange(1, positions + 1)[None], np.zeros_like(grid), causal=True)


def transformer(positions: int, layers: int, causal: bool = False) -> Schedule:
    """Layer l computes row l at tick l with weights of its own."""
    grid = _grid(layers, positions)
    rows = np.broadcast_to(np.arange(layers)[:, None], grid.shape)
    return Schedule("transformer", grid, rows + 1, rows, causal=causal)


def universal(positions: int, steps: int, causal: bool = False) -> Schedule:
    """Step t computes row t at tick t, always with the same weights."""
    plain = transformer(positions, steps, causal)
    return Schedule("ut", plain.cells, plain.tick, np.zeros_like(plain.cells), causal=causal)


def act(n_updates: ArrayLike, state: str = "listing2", causal: bool = False) -> Schedule:
    """A Universal Transformer whose positions halt after N_i steps, [m]; the slowest makes the rows."""
    updates = np.asarray(n_updates)
    if state not in STATES:
        raise UserError(f"state cannot be {state!r}", f"use one of {', '.join(STATES)}")
    if updates.ndim != 1 or len(updates) < 1 or (updates < 1).any():
        raise UserError("every position needs one step at least", "give one number of updates a position")
    plain = universal(len(updates), int(updates.max()), causal)
    over = np.arange(1, plain.rows + 1)[:, None] > updates
    cells = np.where(over, COPIED if state == "frozen" else UNCOUNTED, COMPUTED)
    return Schedule("act", cells, plain.tick, plain.weight_set, state, causal)


def schedule(
    model: str,
    positions: int,
    depth: int = 6,
    n_updates: Sequence[int] | None = None,
    state: str = "listing2",
    causal: bool = False,
) -> Schedule:
    """The grid of a model by its name (MODELS).  depth: layers or steps; n_updates: N_i, with "act" only."""
    if model not in MODELS:
        raise UserError(f"there is no model {model!r}", f"use one of {', '.join(MODELS)}")
    if model == "rnn":
        return rnn(positions)
    if model == "act":
        updates = [depth] * positions if n_updates is None else n_updates
        if len(updates) != positions:
            what = f"{len(updates)} numbers of updates do not fit {positions} positions"
            raise UserError(what, "give one a position")
        return act(updates, state, causal)
    return (
        transformer(positions, depth, causal)
        if model == "transformer"
        else universal(positions, depth, causal)
    )


def counters(
    grid: Schedule, d_model: int = 512, d_ff: int = 2048, transition: str = "feedforward", stacked: int = 1
) -> Counters:
    """The numbers of a grid for encoder blocks of these widths and this transition.

    The RNN is an LSTM of width d_model, of so many cells stacked.
    """
    rnn, halting = grid.model == "rnn", grid.model == "act"
    block = cost(Design(d_model, d_ff, heads=1, depth=stacked if rnn else 1, decoder=False,
                        transition=transition, halting=halting, lstm=rnn))  # fmt: skip
    unit = d_model + 1 if halting else 0
    per_token = grid.computed / grid.positions
    return Counters(
        ticks=grid.ticks,
        computed=grid.computed,
        copied=grid.copied,
        uncounted=grid.uncounted,
        weight_sets=grid.weight_sets,
        parameters=block.block_parameters * grid.weight_sets + unit,
        cells_per_token=per_token,
        macs_per_token=per_token * block.macs_per_token,
    )


def reach_of(transition: str, causal: bool) -> tuple[int, int]:
    """Positions (before, after) its own that a transition mixes in: two convolutions one after the other.

    Centred kernels of 3 and 5 reach 3 either way, causal ones, which end at their position, 6 back.
    """
    if transition != "sepconv":
        return 0, 0
    if causal:
        return sum(kernel - 1 for kernel in KERNELS), 0
    return sum(kernel // 2 for kernel in KERNELS), sum(kernel - 1 - kernel // 2 for kernel in KERNELS)


def mixed(grid: Schedule, row: int, position: int) -> range:
    """Positions whose attended values a cell's transition mixes: its own, with a convolution's neighbours."""
    _inside(grid, row, position)
    before, after = (0, 0) if grid.cells[row - 1, position] == COPIED else grid.reach
    return range(max(position - before, 0), min(position + after, grid.positions - 1) + 1)


def reads(grid: Schedule, row: int, position: int) -> tuple[tuple[int, int], ...]:
    """The (row, position) cells a cell reads directly; row 0 is the input.

    A copied cell reads only itself one row before; all others attend to a whole row, copied cells included,
    or to the part of it that their window leaves.  A transition by convolution also passes on what the
    neighbours in its reach attended to.
    """
    _inside(grid, row, position)
    if grid.model == "rnn":
        return ((1, position - 1), (0, position)) if position else ((0, 0),)
    if grid.cells[row - 1, position] == COPIED:
        return ((row - 1, position),)
    attending = mixed(grid, row, position)
    last = attending[-1] + 1 if grid.causal else grid.positions
    first = max(attending[0] - grid.window + 1, 0) if grid.window else 0
    return tuple((row - 1, place) for place in range(first, last))


def receptive_field(grid: Schedule, row: int, position: int) -> Flags:
    """[row + 1, position]: every cell the cell depends on, itself included; index 0 is the input row."""
    _inside(grid, row, position)
    field = np.zeros((grid.rows + 1, grid.positions), dtype=bool)
    field[row, position] = True
    if grid.model == "rnn":
        field[:, : position + 1] = True
        return field
    for above in range(row, 0, -1):
        copied = grid.cells[above - 1] == COPIED
        field[above - 1] |= field[above] & copied
        computed = np.flatnonzero(field[above] & ~copied)
        before = np.maximum(computed - grid.reach[0], 0)
        after = np.minimum(computed + grid.reach[1], grid.positions - 1)
        firsts = np.maximum(before - grid.window + 1, 0) if grid.window else 0 * before
        starts = np.bincount(firsts, minlength=grid.positions + 1)
        ends = np.bincount(after + 1, minlength=grid.positions + 1) if grid.causal else 0
        field[above - 1] |= np.cumsum(starts - ends)[: grid.positions] > 0  # read by one at least
    return field


def _grid(rows: int, positions: int) -> Array:
    for name, value in (("depth", rows), ("positions", positions)):
        if value < 1:
            raise UserError(f"{name} = {value} is out of range", "choose 1 or more")
    return np.full((rows, positions), COMPUTED)


def _inside(grid: Schedule, row: int, position: int) -> None:
    if not (1 <= row <= grid.rows and 0 <= position < grid.positions):
        what = f"there is no cell in row {row} at position {position + 1}"
        raise UserError(what, "choose a cell of the grid")
