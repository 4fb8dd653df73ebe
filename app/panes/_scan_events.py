"""What the prefix-parity pane does when something happens: (state, event) -> (state, effects), pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from app import timeline as times
from app.engine_texts import told
from app.pane import Effect, Event
from app.panes import _scan_measure as measure
from app.panes import _scan_state as st
from app.panes._scan_state import State
from app.view import to_text
from ut_engine.errors import UserError
from ut_engine.scan import MOST_POSITIONS, act_table, operators

Done = tuple[State, tuple[Effect, ...]]
SHIPPED = "scan"  # the hand-set checkpoint


def update(state: State, event: Event) -> Done:
    """One event; one of no concern changes nothing, a user's mistake is said where it was made."""
    line = times.heard(state.line, event.name, event.value)
    if line is not None:
        return (state, ()) if line == state.line else (replace(state, line=line, cell=None), ())
    handler = HANDLERS.get(event.name)
    if handler is None:
        return state, ()
    try:
        return handler(state, event.value)
    except UserError as error:
        return replace(state, what=told(error.what, error.do)), ()


# ---- the input --------------------------------------------------------------------------------------------


def _anew(state: State, **changes: Any) -> Done:
    """Other symbols or rules: the scan runs again, one stays at the same step.  UserError for wrong ones."""
    after = replace(state, what="", **changes)
    length = len(after.elements)
    if length > MOST_POSITIONS:
        raise UserError(f"{length:,} positions cannot be scanned", f"give 1 to {MOST_POSITIONS:,}")
    after = replace(after, n=length)
    look = after.look if after.look is None or after.look < length else None
    after = st.timed(replace(after, look=look, line=replace(after.line, playing=0)))
    return measure.measured(after) if after.tab == st.LEARNED else (after, ())


def _operator(state: State, value: Any) -> Done:
    """Another operation keeps the length; only xor is understood without a step signal, or learned."""
    if value == state.operator or value not in {rule.name for rule in operators()}:
        return state, ()
    xor = value == st.XOR
    kind = st.RANDOM if state.kind == st.TYPED or not xor else state.kind
    depth = state.depth if state.signal else min(state.depth, st.MOST_DEPTH)
    return _anew(
        state,
        operator=value,
        kind=kind,
        text="",
        signal=(xor and state.signal) or not xor,
        depth=depth,
        tab=state.tab if xor else st.HAND,
    )


def _length(state: State, value: Any) -> Done:
    n = min(max(int(value), 1), MOST_POSITIONS)
    kind = st.RANDOM if state.kind == st.TYPED else state.kind
    return _anew(state, n=n, kind=kind, text="")


def _seed(state: State, value: Any) -> Done:
    return _anew(state, seed=min(max(int(value), 0), st.MOST_SEED), kind=st.RANDOM, text="")


def _typed(state: State, value: Any) -> Done:
    text = str(value).strip()
    if text == state.symbols:
        return replace(state, what=""), ()
    return _anew(state, kind=st.TYPED, text=text)


def _preset(state: State, value: Any) -> Done:
    """value: a length, or "ones"."""
    if value == "ones":
        return _anew(replace(state, operator=st.XOR), kind=st.ONES, text="")
    return _anew(state, n=int(value), kind=st.RANDOM, text="")


# ---- the layer --------------------------------------------------------------------------------------------


def _mode(state: State, value: Any) -> Done:
    """value: "needed" or "fixed"."""
    if value not in ("needed", "fixed"):
        return state, ()
    depth = min(state.fixed, st.most_depth(state)) if value == "fixed" else 0
    after, effects = _anew(state, depth=depth)
    return replace(after, line=times.last(after.line)), effects


def _depth(state: State, value: Any) -> Done:
    depth = min(max(int(value), 1), st.most_depth(state))
    after, effects = _anew(state, depth=depth, fixed=depth)
    return replace(after, line=times.last(after.line)), effects


def _no_signal(state: State, value: Any) -> Done:
    """Without a step signal the layer does the same thing every time; known for xor only."""
    if bool(value) == (not state.signal) or state.operator != st.XOR:
        return state, ()
    depth = min(state.depth, st.MOST_DEPTH) if state.depth and not value else state.depth
    after, effects = _anew(state, signal=not value, depth=depth)
    return replace(after, line=times.last(after.line)), effects


# ---- looking ----------------------------------------------------------------------------------------------


def _hover(state: State, value: Any) -> Done:
    """value: (row, column) of the picture, None when the pointer leaves."""
    if value is None:
        return replace(state, cell=None), ()
    cell = int(value[0]) + rows_shown(state)[0], int(value[1]) + st.span(state)[0]
    return (replace(state, cell=cell), ()) if _there(state, cell) else (state, ())


def _there(state: State, cell: tuple[int, int]) -> bool:
    return 0 <= cell[0] < len(state.scan.frames) and 0 <= cell[1] < state.n


def _pick(state: State, value: Any) -> Done:
    """A click: look at this position, at this step."""
    row, col = int(value[0]) + rows_shown(state)[0], int(value[1]) + st.span(state)[0]
    if not _there(state, (row, col)):
        return state, ()
    line = times.seek(state.line, row) if row else state.line
    return replace(state, look=col, line=replace(line, playing=0)), ()


def _look(state: State, value: Any) -> Done:
    """value: position from 1."""
    return replace(state, look=min(max(int(value), 1), state.n) - 1), ()


def _pin(state: State, value: Any) -> Done:
    """Another pane's position, where there is one."""
    if value is None or not 0 <= int(value) < state.n:
        return state, ()
    return replace(state, look=int(value)), ()


ROWS, CLOSE_ROWS = 64, 24  # steps shown at once, of the close-up fewer and larger


def rows_shown(state: State) -> tuple[int, int]:
    """(step of the first row, how many): all where they fit, else a window that stays still for a while."""
    steps, most = len(state.scan.frames), CLOSE_ROWS if state.close and state.n > st.CLOSE else ROWS
    if steps <= most + 1:
        return 0, steps
    turn = most * 3 // 4
    return min(max((state.line.current - 1) // turn * turn - most // 8, 0), steps - most), most


# ---- elsewhere --------------------------------------------------------------------------------------------


def table_text(length: int) -> str:
    """The per-position depths as a table one could type: 0, and 1 at the step a position needs last."""
    return "\n".join(",".join(map(str, row)) for row in act_table(length).p.astype(int).tolist())


def _table(state: State, _: Any) -> Done:
    """The debugger, on the depths of these positions."""
    if state.n < 2:
        return state, ()
    view = {"source": "table", "table": table_text(state.n)}
    return state, (Effect("open.view", to_text("act", view)),)


def _checkpoint(state: State, _: Any) -> Done:
    return state, (Effect("open.path", SHIPPED),)


def _tab(state: State, value: Any) -> Done:
    """value: a tab's name or its place."""
    names = (st.HAND, st.LEARNED)
    name = names[value] if isinstance(value, int) and 0 <= value < 2 else value
    if name not in names or name == state.tab:
        return state, ()
    if name == st.HAND:
        return replace(state, tab=name), ()
    if state.operator != st.XOR:
        state, _ = _operator(state, st.XOR)
    return measure.measured(replace(state, tab=st.LEARNED))


# ---- the window -------------------------------------------------------------------------------------------


def _width(state: State, value: Any) -> Done:
    narrow, single = int(value) < st.FOLD, int(value) < st.SINGLE
    same = (narrow, single) == (state.narrow, state.single)
    return (state, ()) if same else (replace(state, narrow=narrow, single=single), ())


HANDLERS: dict[str, Callable[[State, Any], Done]] = {
    **measure.HANDLERS,
    "control.operator": _operator,
    "control.length": _length,
    "control.seed": _seed,
    "control.bits": _typed,
    "control.preset": _preset,
    "control.mode": _mode,
    "control.depth": _depth,
    "control.no_signal": _no_signal,
    "control.close": lambda state, value: (replace(state, close=bool(value), cell=None), ()),
    "control.look": _look,
    "cell.hover": _hover,
    "cell.pick": _pick,
    "plot.seek": lambda state, step: update(state, Event("transport.seek", step)),
    "pin": _pin,
    "tab.choose": _tab,
    "table.open": _table,
    "checkpoint.open": _checkpoint,
    "view.width": _width,
}
