"""What a notebook shows of a record and a run: facts as a table, small pictures as inline SVG.

Plain HTML without scripts or styles from elsewhere; every text out of a file is escaped.  Pictures are of the
first example; what is too large for one is left out, and said.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ut_engine.metrics import choices

if TYPE_CHECKING:
    from ut_engine.records import Attention, StepRecord
    from ut_engine.run import Run, RunInfo

Array = NDArray[Any]
MOST_POSITIONS = 64  # a larger map has too many cells for a page
SIDE = 132  # of one map, in pixels
BAR_WIDTH, BAR_HEIGHT = 10, 44
INK = "#2a6fb0"


def record_html(record: StepRecord) -> str:
    """One step: who was computed, the attention of every head, halting, the read-out's choices."""
    address, real = record.address, int(record.real.sum())
    facts: list[tuple[str, object]] = [
        ("positions", f"{real} real, {int(record.computed.sum())} computed, {record.n_running} running"),
    ]
    if not record.finite:
        facts.append(("numbers", "not finite (NaN or infinity)"))
    if record.update_norm is not None:
        facts.append(("update, mean", f"{record.update_norm[record.computed].mean():.4g}"))
    if record.readout is not None:
        chosen = choices(record.readout[0])
        shown = ["-" if one < 0 else str(one) for one in chosen]
        facts.append(("read-out, first example", _short(shown)))
    title = f"Step {address.step}, {address.side}" + (f", layer {address.layer + 1}" if address.layer else "")
    parts = [table(title, facts)]
    parts += [attention_html(entry) for entry in record.attention or ()]
    if record.halting is not None and record.halting.cumulative is not None:
        parts.append(bars("accumulated halting probability", record.halting.cumulative[0]))
    return f"<div>{''.join(parts)}</div>"


def attention_html(entry: Attention) -> str:
    """The maps of all heads of the first example, one square each."""
    if entry.weights is None:
        return f"<p>{escape(entry.kind)} attention: kept by the engine, size {entry.size}</p>"
    heads = entry.weights[0]
    if max(heads.shape[1:]) > MOST_POSITIONS:
        return f"<p>{escape(entry.kind)} attention: {heads.shape}, too large to be drawn here</p>"
    maps = "".join(heat(head, f"head {number}") for number, head in enumerate(heads, start=1))
    return f"<div>{escape(entry.kind)} attention, row = query: {maps}</div>"


def run_html(run: Run) -> str:
    """A run: what was asked, and one line a step."""
    rows: list[tuple[str, object]] = [
        (
            f"step {record.step}" + ("" if record.address.side == "encoder" else f" {record.address.side}"),
            f"{record.n_running} running, {record.seconds * 1e3:.1f} ms",
        )
        for record in run.records
    ]
    return f"<div>{info_html(run.info)}{table(f'{len(run.records)} records', rows)}</div>"


def info_html(info: RunInfo) -> str:
    """What was asked of which model."""
    facts: list[tuple[str, object]] = [
        ("model", f"{info.family}, {info.parameters:,} parameters, on {info.device}"),
        ("input", _short(list(info.labels))),
        ("answers", _short(list(info.answers))),
        ("steps", f"at most {info.max_steps}" if info.epsilon is not None else info.max_steps),
        ("finished", info.finished),
    ]
    if info.expected is not None:
        facts.insert(2, ("right answer", info.expected))
    if info.edits:
        changes = (f"{kind} {value:g}" if kind == "p" else kind for kind, _, _, value in info.edits)
        places = (f" at step {step}, position {position + 1}" for _, step, position, _ in info.edits)
        facts.append(("changed", _short([what + where for what, where in zip(changes, places, strict=True)])))
    if info.epsilon is not None and info.epsilon != info.config.get("epsilon", info.epsilon):
        facts.append(("epsilon", f"{info.epsilon:g}, the model's own is {info.config['epsilon']:g}"))
    return table(info.checkpoint or "run", facts)


# ---- pieces -----------------------------------------------------------------------------------------------


def table(title: str, rows: Sequence[tuple[str, object]]) -> str:
    cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in rows)
    return f"<table><caption>{escape(title)}</caption>{cells}</table>"


def heat(weights: Array, title: str) -> str:
    """A map [query, key] of weights 0 ... 1 as squares of ink; weights below 0.005 are left white."""
    rows, columns = weights.shape
    cells = "".join(
        f'<rect x="{j}" y="{i}" width="1" height="1" fill-opacity="{weights[i, j]:.2f}"/>'
        for i, j in zip(*np.nonzero(weights >= 0.005), strict=True)
    )
    return (
        f'<svg viewBox="0 0 {columns} {rows}" width="{SIDE}" height="{SIDE}" fill="{INK}" '
        f'preserveAspectRatio="none" shape-rendering="crispEdges" style="border:1px solid #999;margin:2px">'
        f"<title>{escape(title)}</title>{cells}</svg>"
    )


def bars(title: str, values: Array) -> str:
    """Values 0 ... 1 as bars, one a position; none where there is no number."""
    if len(values) > MOST_POSITIONS:
        return f"<p>{escape(title)}: {len(values)} positions, mean {float(values.mean()):.3f}</p>"
    shown = "".join(
        f'<rect x="{k * BAR_WIDTH + 1}" y="{BAR_HEIGHT * (1 - min(max(float(value), 0.0), 1.0)):.1f}" '
        f'width="{BAR_WIDTH - 2}" height="{BAR_HEIGHT}"><title>{value:.4f}</title></rect>'
        for k, value in enumerate(values)
        if np.isfinite(value)
    )
    width = BAR_WIDTH * len(values)
    return (
        f'<div>{escape(title)}: <svg width="{width}" height="{BAR_HEIGHT}" fill="{INK}" '
        f'style="border:1px solid #999;margin:2px">{shown}</svg></div>'
    )


def _short(texts: Sequence[str], most: int = 40) -> str:
    joined = ("" if all(len(text) == 1 for text in texts) else ", ").join(texts[:most])
    return joined + (f" … ({len(texts)})" if len(texts) > most else "")
