"""Changing the past, the runs that came of it, and where the numbers come from: table or model."""

from __future__ import annotations

from app.messages import Text, msg
from app.panes import _act_state as st
from app.panes._act_events import step_of
from app.panes._act_live import told
from app.panes._act_sources import as_text
from app.panes._act_state import State
from app.panes._act_stops import complaint
from app.scene import Button, Choice, Editor, Field, Form, Node, Number, Prose, Real, Sheet, Span
from ut_engine.debug import Trace, difference, shown

LEDGER = 8


def change(state: State, pinned: int) -> tuple[Node, ...]:
    text = _live_form(state) if state.source == "live" else []
    ran = state.setup.states is not None
    parts: list[Node] = [] if ran else [*text]  # once a run is there, changing it comes first
    step = step_of(state)
    p = float(state.setup.p[pinned, step - 1])
    for edit in state.asked.edits:
        if (edit.step, edit.position) == (step, pinned):
            p = edit.value if edit.kind == "p" else 1.0 if edit.kind == "halt" else p
    head = msg("Change the past of {label}", label=st.label(state, pinned))
    rows: tuple[tuple[Field, ...], ...] = (
        (Number("edit.step", msg("at step"), "edit.step", step, 1, state.setup.p.shape[1]),),
        (Real("edit.p", "p", f"edit.p.{pinned}", p, 0.0, 1.0),),
        (
            Button("edit.halt", msg("Halt here"), "edit.set", ("halt", pinned, 1.0)),
            Button("edit.run", msg("Keep running"), "edit.set", ("run", pinned, 0.0)),
        ),
    )
    parts += [Prose("change.head", ((Span(head, "fg", bold=True),),)), Form("change.form", rows)]
    parts += complaint(state, "edit.set")
    if state.setup.states is not None:
        parts.append(Prose("change.again", ((Span(_again(state), "dim"),),)))
    if len(state.branches) > 1:
        parts += _branches(state)
    if ran:
        parts += text
    if state.source != "live":
        parts += _table(state)
    return tuple(parts)


def _again(state: State) -> Text:
    """What the model does with a change."""
    if state.live.rerun is not None:
        return msg("The model computes it again from the start, with the change.")
    return msg("With a change the model runs again from the start: earlier steps come out the same, later "
               "ones are its own.")  # fmt: skip


def branch_name(state: State, k: int) -> Text:
    return msg("as it was") if k == 0 else state.branches[k].name


def _branches(state: State) -> list[Node]:
    options = tuple((str(k), branch_name(state, k)) for k in range(len(state.branches)))
    ghosts: tuple[tuple[str, Text], ...] = (("none", msg("nothing")), *options)
    shown_ghost = "none" if state.ghost is None else str(state.ghost)
    form = Form(
        "branch.form",
        (
            (Choice("branch.choose", msg("Run on screen"), "branch.choose", options, str(state.branch)),),
            (Choice("branch.ghost", msg("Compare with"), "branch.ghost", ghosts, shown_ghost),),
            (Button("branch.forget", msg("Forget the changes"), "branch.forget", icon="rotate-ccw"),),
        ),
    )
    other = state.ghost_trace
    return [form] if other is None else [form, _against(state, other)]


def _against(state: State, other: Trace) -> Sheet:
    """Positions that came out differently: N and R, then and now."""
    trace = state.trace
    rows: list[tuple[Span, ...]] = []
    differs = difference(trace, other)
    for k in differs[:LEDGER]:
        values = [
            (float(one[k]), float(two[k]))
            for one, two in (
                (other.n_updates, trace.n_updates),
                (other.remainders, trace.remainders),
                (shown(other.ends[-1]["new_state"]), shown(trace.ends[-1]["new_state"])),
            )
        ]
        cells = (
            Span(
                f"{old:.3g} → {new:.3g}" if abs(old - new) > 1e-12 else f"{new:.3g}",
                "changed" if abs(old - new) > 1e-12 else "fg",
                mono=True,
            )
            for old, new in values
        )
        rows.append((Span(st.label(state, k)), *cells))
    if not differs:
        rows.append((Span(msg("the same result everywhere"), "dim"),))
    columns: tuple[Text, ...] = (msg("position"), "N", "R", msg("output"))
    return Sheet(
        "branch.sheet",
        columns,
        tuple(rows),
        event="pin",
        values=differs[:LEDGER],
        alt=msg("what the change changed"),
    )


def _table(state: State) -> list[Node]:
    typed = state.where == "table" or (state.source == "table" and bool(state.text))  # a wrong one too
    text = state.text if typed else as_text(state.setup)
    hint = msg("one row a position: symbol, p of step 1, p of step 2, …")
    editor = Editor(
        "table",
        msg("Table of p"),
        "table.text",
        text,
        hint,
        tip=msg("Type or paste: CSV, TSV, or cells out of a spreadsheet."),
    )
    head = Prose(
        "table.head", ((Span(msg("Table of p: type it, or paste it out of a spreadsheet"), "dim"),),)
    )
    button = Button("table.open", msg("Open a table…"), "table.open", icon="folder-open")
    return [head, Form("table.form", ((editor,), (button,))), *complaint(state, "table", "table.text")]


def _live_form(state: State) -> list[Node]:
    live = state.live
    options = tuple((str(k), _first(text)) for k, text in enumerate(live.samples[:60]))
    chosen = next((str(k) for k, text in enumerate(live.samples) if text == live.text), "")
    fields: list[tuple[Field, ...]] = []
    if options:
        fields.append((Choice("live.sample", msg("Story"), "live.sample", options, chosen),))
    fields.append((Editor("live.text", msg("Story"), "live.text", live.text, msg("Type or pick a story")),))
    fields.append(
        (
            Button(
                "live.run",
                msg("Run, one step at a time"),
                "run.start",
                icon="play",
                style="primary",
                enabled=bool(live.path),
            ),
        )
    )
    lines: list[tuple[Span, ...]] = []
    if live.what:
        lines.append((Span(told(live), "error"),))
    elif not live.path:
        lines.append((Span(msg("No checkpoint is open: open one, then press Run."), "dim"),))
    form = Form("live.form", tuple(fields))
    return [Prose("live.note", tuple(lines)), form] if lines else [form]


def _first(text: str) -> str:
    line = text.strip().splitlines()[-1] if text.strip() else ""
    return line if len(line) <= 40 else line[:39] + "…"
