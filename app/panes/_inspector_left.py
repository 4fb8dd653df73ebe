"""The left rail of the live inspector: input with its answer, controls, under the checkpoint's card."""

from __future__ import annotations

from app import depth
from app.engine_texts import reason, said
from app.messages import Text, msg, nmsg
from app.panes import _inspector_numbers as numbers
from app.panes import _inspector_state as st
from app.panes._inspector_card import OPEN, checkpoint, sentence
from app.panes._inspector_right import cards
from app.panes._inspector_state import State
from app.scene import (
    Button,
    Card,
    Choice,
    Column,
    Editor,
    Field,
    Form,
    Node,
    Number,
    Prose,
    Span,
    Switch,
    Table,
    Tabs,
)
from ut_engine.tasks.registry import advice

LARGE = 256 * 2**20  # bytes from which a forecast is worth saying


def left(state: State, pinned: int) -> Column:
    """The rail where there is room for another one at the right."""
    return Column(
        "left", (checkpoint(state), _input(state, pinned), _controls(state)), (0, 1, 0), scroll=True
    )


def only_rail(state: State, pinned: int) -> Column:
    """The one rail of a narrow window: the input, under it the rest as tabs."""
    parts: tuple[Node, ...] = (*head(state, pinned), tabs(state, pinned))
    return Column("left", parts, (0, 1, 1) if len(parts) == 3 else (1, 1), scroll=True)


def head(state: State, pinned: int) -> tuple[Card, ...]:
    """The input; before it the checkpoint's card while it says more than facts, or none is open."""
    story = _input(state, pinned)
    return (story,) if _calm(state) else (checkpoint(state), story)


def _calm(state: State) -> bool:
    return state.phase not in (st.NO_CHECKPOINT, st.OPENING) and isinstance(checkpoint(state).body, Table)


def tabs(state: State, pinned: int, scroll: bool = True) -> Tabs:
    """What stands in the rails besides the input, where there is no room for it at once."""
    calm = _calm(state)
    rest = (checkpoint(state), _controls(state)) if calm else (_controls(state),)
    last = Column("rest", (*rest, Column("rest.end", ())), (*(0 for _ in rest), 1), scroll=scroll)
    titles = (msg("Sharpening"), msg("Settling"), msg("Hops"), msg("Model") if calm else msg("Controls"))
    pages = (*cards(state, pinned), last)
    return Tabs("panels", pages, titles, st.PANELS.index(state.panel), "panel.choose")


# ---- input ----------------------------------------------------------------------------------------------


def _input(state: State, pinned: int) -> Card:
    parts: list[Node] = []
    picker = _picker(state)
    if picker:
        parts.append(Form("input.picker", (picker,)))
    parts.append(
        Form("input.form", ((_editor(state),), _run_buttons(state)), msg("the story and its question"))
    )
    stretch = [0] * (len(parts) - 1) + [1]
    parts.append(_said(state, pinned))
    column = Column("input.column", tuple(parts), (*stretch, 0))
    groups = _groups(state)
    return Card("input", msg("Input"), column, msg("Facts") if groups else "", groups)


def _editor(state: State) -> Editor:
    closed = state.phase in (st.NO_CHECKPOINT, st.OPENING)
    hint: Text = msg("Open a checkpoint first") if closed else msg("One sentence a line, the question last")
    if not closed and state.card.config.get("words", 1) == 0:
        known = advice(state.card.task)
        hint = said(known) if known else msg("One symbol after the other")
    return Editor(
        "input.text",
        msg("Story"),
        "input.text",
        state.text,
        hint,
        not closed and state.phase != st.RECORDED,
        msg("What the model reads"),
    )


def _picker(state: State) -> tuple[Field, ...]:
    """The sample stories of the chosen group, by their question."""
    if not state.samples or state.phase == st.RECORDED:
        return ()
    own: tuple[tuple[str, Text], ...] = (("", msg("own text")),) if state.sample is None else ()
    options = tuple((str(k), one.question) for k, one in enumerate(state.samples) if one.facts == state.facts)
    value = "" if state.sample is None else str(state.sample)
    return (Choice("input.sample", msg("Sample"), "input.sample", (*own, *options), value, "bare"),)


def _groups(state: State) -> tuple[Field, ...]:
    """Sample stories by the number of supporting facts their question needs."""
    groups = sorted({sample.facts for sample in state.samples})
    if len(groups) < 2 or state.phase == st.RECORDED:
        return ()
    kinds = tuple((str(n), str(n)) for n in groups)
    chosen = "" if state.sample is None else str(state.facts)  # a text of one's own is of no group
    tip = msg("Number of supporting facts the question needs")
    return (Choice("input.facts", msg("Facts"), "input.facts", kinds, chosen, "segments", tip=tip),)


def _run_buttons(state: State) -> tuple[Field, ...]:
    ready = state.phase in (st.READY, st.DONE) and bool(state.text.strip())
    if state.phase == st.RUNNING:
        main = Button("run.main", msg("Pause"), "run.pause", icon="pause", style="primary")
    elif state.phase == st.PAUSED:
        main = Button("run.main", msg("Resume"), "run.resume", icon="play", style="primary")
    else:
        main = Button("run.main", msg("Run"), "run.start", icon="play", style="primary", enabled=ready)
    step = Button(
        "run.step",
        msg("Step"),
        "run.step",
        icon="step-forward",
        enabled=ready or state.phase == st.PAUSED,
        tip=msg("Compute one step"),
    )
    stop = Button(
        "run.cancel",
        msg("Cancel"),
        "run.cancel",
        icon="x",
        style="icon",
        enabled=state.live,
        tip=msg("Stop after this step; what was computed stays"),
    )
    return main, step, stop


def _said(state: State, pinned: int) -> Prose:
    """The answer, or what went wrong, or what holds: where the user looks."""
    if state.where == "run" and state.what:
        return Prose("input.said", sentence(state), "error")
    lines = [*_answer(state, pinned), *_notices(state)]
    return Prose("input.said", tuple(lines), "answer", msg("the answer at this step"))


def _answer(state: State, pinned: int) -> list[tuple[Span, ...]]:
    record, info = state.record, state.info
    if record is None or info is None:
        waiting = state.live
        return [(Span(msg("waiting for step 1") if waiting else msg("no answer yet"), "dim"),)]
    if depth.is_lstm(state.card.config) and pinned >= record.step:
        return [(Span(msg("position {n} is not read yet", n=pinned + 1), "dim"),)]
    found = numbers.answer(state, record, numbers.answering(state, pinned))
    if found is None:
        broken = numbers.breakdown(state)
        return [(Span(broken, "error") if broken else Span(msg("this model gives no answer"), "dim"),)]
    word, probability = found
    expected = info.expected if info.readout == "first" else None
    role = "accent" if expected is None else ("ok" if word == expected else "error")
    every = info.readout == "every"
    asked = msg("answer at position {n}:", n=pinned + 1) if every else msg("answer:")
    lines: list[tuple[Span, ...]] = [
        (
            Span(asked, "dim"),
            Span(word, role, bold=True),
            Span(msg("probability {p}", p=f"{probability:.2f}"), "dim"),
        )
    ]
    if expected is not None:
        verdict = msg("right") if word == expected else msg("wrong")
        lines.append((Span(msg("expected:"), "dim"), Span(expected), Span(verdict, role, bold=True)))
    return lines


def _notices(state: State) -> list[tuple[Span, ...]]:
    info = state.info
    lines: list[tuple[Span, ...]] = []
    if info is not None and info.cropped:
        text = nmsg(
            "the oldest sentence was left out", "the {n} oldest sentences were left out", info.cropped
        )
        lines.append((Span(text, "warning"),))
    if info is not None and info.finished in ("cancelled", "lost", "failed") and state.records:
        lines.append((Span(msg("the run ended early, after step {t}", t=len(state.records)), "warning"),))
    if info is not None and info.dropped:
        lines.append((Span(msg("not kept: {what}", what=reason(", ".join(info.dropped))), "warning"),))
    forecast = state.forecast or {}
    size, free = int(forecast.get("bytes", 0) or 0), int(forecast.get("free", 0) or 0)
    if size >= LARGE and not state.live and state.phase != st.RECORDED:
        text = msg("this run needs about {size} GB of memory", size=f"{size / 2**30:.1f}")
        lines.append((Span(text, "error" if free and size > free else "warning"),))
    return lines


# ---- controls -------------------------------------------------------------------------------------------


def _controls(state: State) -> Card:
    rows: list[tuple[Field, ...]] = []
    recorded = state.phase == st.RECORDED
    if not recorded:
        follows = depth.follow_length(state.card.config)
        rows += [(_follow(state),)] if follows else []
        rows += [(_steps(state),)] if state.steps or not follows else []
        rows.append((_device(state),))
    rows.append((_readout(state),))
    if state.card.config.get("halting", "act") != "none":
        rows.append(
            (
                Switch(
                    "control.halted",
                    msg("Count halted rows"),
                    "control.halted",
                    state.count_halted,
                    tip=msg("Whether positions that have halted count in the means of the curves"),
                ),
            )
        )
    save = Button(
        "run.save",
        msg("Save trace"),
        "run.save",
        icon="save",
        enabled=bool(state.records),
        tip=msg("Keep this run as a file that opens without the model"),
    )
    trace = Button("open.trace", msg("Open trace"), "open.choose", icon="history", tip=OPEN)
    rows.append((save, trace))
    return Card("controls", msg("Controls"), Form("controls.form", tuple(rows), msg("how the model runs")))


def _follow(state: State) -> Switch:
    return Switch(
        "control.follow",
        msg("Steps follow the length"),
        "control.follow",
        not state.steps,
        enabled=state.phase not in (st.NO_CHECKPOINT, st.OPENING) and not state.live,
        tip=msg("As this model does by itself; off: a number of your own"),
    )


def _steps(state: State) -> Number:
    config = state.card.config
    tip = msg("Steps at most; a model that halts may stop earlier")
    return Number(
        "control.steps",
        msg("Steps T"),
        "control.steps",
        state.steps or depth.own_steps(config) or st.USUAL_STEPS,
        1,
        depth.most_steps(config),
        state.phase not in (st.NO_CHECKPOINT, st.OPENING) and not state.live,
        tip,
    )


def _device(state: State) -> Choice:
    names: dict[str, Text] = {"auto": msg("automatic"), "cpu": "CPU", "cuda": "CUDA", "mps": "MPS"}
    return Choice(
        "control.device",
        msg("Device"),
        "control.device",
        tuple(names.items()),
        state.device,
        enabled=not state.live,
        tip=state.card.device_reason,
    )


def _readout(state: State) -> Choice:
    options = (("stopped", msg("as if stopped here")), ("state", msg("plain last state")))
    return Choice(
        "control.readout",
        msg("Read-out"),
        "control.readout",
        options,
        "stopped" if state.stopped else "state",
        tip=msg(
            "What the answer is read from: the output had the model stopped at this step, or the state alone"
        ),
    )
