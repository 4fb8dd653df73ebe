"""A recorded run in the live inspector, and the way back to its model; pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.messages import msg
from app.panes import _inspector_run as runs
from app.panes import _inspector_state as st
from app.panes._inspector_run import Done
from app.panes._inspector_state import State
from app.timeline import Timeline
from ut_engine.run import Run, RunInfo


def open_run(state: State, run: Run) -> Done:
    """Show a recorded run at the step asked for, else at its last."""
    after = State(
        phase=st.RECORDED,
        generation=state.generation + 1,
        device=state.device,
        head=state.head,
        measure=state.measure,
        layout=state.layout,
        count_halted=state.count_halted,
        stopped=state.stopped,
        pinned=state.pinned,
        path=state.opening,
        narrow=state.narrow,
        single=state.single,
        panel=state.panel,
        model=_model_of(run.info, state.former),
        text=run.info.text or "\n".join(_told(run.info)),
        steps=run.info.max_steps,
        info=run.info,
        axis=st.axis_of(run.info, msg("position")),
        card=st.Card(
            run.info.checkpoint,
            "",
            run.info.family,
            run.info.config,
            run.info.parameters,
            run.info.task,
            "",
            run.info.device,
        ),
    )
    for record in run.records:
        after = st.with_record(after, record)
    count = len(run.records)
    where = min(max(state.go_to or count, 1), count) if count else 0
    return replace(after, line=Timeline(where, count, count, live=where == count)), runs.stop(state)


def _model_of(info: RunInfo, former: State | None) -> str:
    """Where its model lies, where that is what was open before."""
    known = former is not None and former.phase != st.RECORDED and former.card.name == info.checkpoint
    return former.path if former is not None and known else ""


def found(state: State, path: Any) -> Done:
    """value: a path.  The model of the recorded run was found."""
    known = state.phase != st.RECORDED or state.model
    return state if known else replace(state, model=str(path)), ()


def _told(info: RunInfo) -> tuple[str, ...]:
    return tuple(info.labels[position] for position in st.order_of(info))
