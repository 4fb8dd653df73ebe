"""What the cells of a lattice are: kinds and colours, shades, words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.messages import Text, msg
from app.palette import CATEGORIES
from app.panes import _grid_state as st
from app.panes._grid_state import Shown, State
from app.scene import Array, Tone
from ut_engine.cells import Cells
from ut_engine.schedule import COMPUTED, COPIED, UNCOUNTED, Schedule

INPUT = Tone("", "dim")
SHADE_INPUT = 0.35
RIGHT, WRONG, RIGHT_OFF, WRONG_OFF, UNASKED, UNASKED_OFF = 1, 2, 3, 4, 5, 6
SCALES: dict[str, tuple[Text, Text, Text]] = {
    "update": (msg("relative update"), "0", "≥ 1"),
    "cosine": (msg("cosine to the final state"), "≤ 0", "1"),
}


def plan_tones(grid: Schedule) -> tuple[Array, tuple[Tone, ...]]:
    """Kinds of a schematic grid: one colour a layer in a Transformer, one everywhere else."""
    first = np.zeros((1, grid.positions), int)
    if grid.model == "transformer":
        colours = [Tone("", CATEGORIES[k % len(CATEGORIES)]) for k in range(min(grid.rows, len(CATEGORIES)))]
        colours[0] = Tone(msg("own weights in every layer"), colours[0].role)
        return np.vstack([first, 1 + grid.weight_set % len(CATEGORIES)]), (INPUT, *colours)
    kinds = [INPUT, Tone(msg("the same weights"), "running")]
    if grid.model == "act":
        copied = Tone(msg("copied"), "running", hatched=True)
        kinds.append(copied if grid.state == "frozen" else _uncounted("running"))
    return np.vstack([first, np.where(grid.cells == COMPUTED, 1, 2)]), tuple(kinds)


def _uncounted(role: str) -> Tone:
    return Tone(msg("no longer counted"), role, hatched=True, light=True)


def live_tones(state: State, one: Shown) -> tuple[Array, tuple[Tone, ...]]:
    """Kinds of a run: the answer right or wrong where the task says what is right."""
    assert one.cells is not None
    grid, right = one.grid, rightness(one.cells, st.targets(state, one))
    off = (grid.cells == COPIED) | (grid.cells == UNCOUNTED)
    tones = np.where(right == 0, np.where(off, WRONG_OFF, WRONG), np.where(off, RIGHT_OFF, RIGHT))
    known = bool((right >= 0).any())
    tones = np.where((right < 0) & known, np.where(off, UNASKED_OFF, UNASKED), tones)
    names: tuple[Text, Text] = (
        (msg("right if stopped here"), msg("wrong if stopped here")) if known else (msg("computed"), "")
    )
    kinds = [INPUT, Tone(names[0], "running"), Tone(names[1], "halts")]
    light = grid.state != "frozen"
    if grid.model == "act":
        copied = Tone(msg("halted: copied"), "running", hatched=True)
        kinds.append(_uncounted("running") if light else copied)
    else:
        kinds.append(INPUT)
    unasked = msg("nothing is asked here") if bool((tones == UNASKED).any()) else ""
    kinds += [Tone("", "halts", True, light), Tone(unasked, "dim"), Tone("", "dim", True, light)]
    return np.vstack([np.zeros((1, grid.positions), int), tones]), tuple(kinds)


def rightness(cells: Cells, targets: tuple[str, ...]) -> NDArray[np.int_]:
    """[row, position] 1 right, 0 wrong (no number is no answer), -1 where nothing is asked or known."""
    found = np.full(cells.answer.shape, -1)
    for column, target in enumerate(targets):
        if target in cells.answers:
            answers, broken = cells.answer[:, column], np.isinf(cells.sure[:, column])
            right = answers == cells.answers.index(target)
            found[:, column] = np.where(answers < 0, np.where(broken, 0, -1), right)
    return found


def figures(state: State, one: Shown) -> tuple[Array | None, Array | None]:
    """(shades, values) of a run, the input's row first; a shade of NaN where a model broke down."""
    if one.cells is None:
        return None, None
    found = one.cells.update if state.colour == "update" else one.cells.cosine
    first = np.full((1, one.grid.positions), np.nan)
    shades = np.where(np.isnan(found), 1.0 if state.colour == "update" else 0.0, np.clip(found, 0.0, 1.0))
    shades = np.where(np.isinf(found), np.nan, shades)
    return np.vstack([np.full_like(first, SHADE_INPUT), shades]), np.vstack([first, found])


def words(state: State, one: Shown, done: Array) -> tuple[tuple[str, ...], ...]:
    """The input's symbols; in a run also the answer of every cell."""
    if one.cells is None:
        if state.scenario not in ("sentence", "two-position") or one.grid.positions > 40:
            return ()
        names = st.tokens(state.scenario)
        rows = ("",) * one.grid.positions
        return (tuple(names[k % len(names)] for k in range(one.grid.positions)), *(rows,) * one.grid.rows)
    answers = (*one.cells.answers, "")  # -1 is the last
    rest = (
        tuple(answers[place] if seen else "" for place, seen in zip(row, flags, strict=True))
        for row, flags in zip(one.cells.answer.tolist(), done[1:].tolist(), strict=True)
    )
    return (one.cells.labels, *rest)
