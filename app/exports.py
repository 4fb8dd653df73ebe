"""What can be exported of a pane, and how it is named and captioned; pure, for window and command line.

A figure is a pane's whole scene or one of its cards.  Painting it is `app/qt/studio.py`'s work; the numbers
behind it are `app/render/csv.py`'s; moving pictures are `app/animation.py`'s.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.messages import Message, Text, msg
from app.pane import Event, Pane, settled
from app.render.csv import heading
from app.render.tables import twin
from app.scene import Card, Scene, walk
from app.state import Opened
from app.timeline import Timeline
from app.trouble import trouble

STILLS = {"png": ".png", "svg": ".svg", "pdf": ".pdf", "csv": ".csv"}
MOVING = {"webp": ".webp", "gif": ".gif", "frames": "", "mp4": ".mp4"}
KINDS = {**STILLS, **MOVING}
"""Format -> suffix; a folder of frames has none."""
SCALES = (1, 2, 3, 4)
MOST_BYTES = 1 << 30  # of frames held in memory at once
MOST_PIXELS = 1 << 27  # of one picture


PAPER_SIZE = (794, 1123)
"""A4 upright, in logical pixels."""


@dataclass(frozen=True, slots=True)
class Figure:
    """key: of the card, "" for the whole pane."""

    key: str
    title: Text


def figures(scene: Scene) -> tuple[Figure, ...]:
    """The whole scene first, then every card that has numbers behind it."""
    found = [Figure("", msg("Whole pane"))]
    for node in walk(scene.root):
        if isinstance(node, Card) and any(map(twin, marks_of(node))):
            found.append(Figure(node.key, heading(node)))
    return tuple(found)


def marks_of(card: Card) -> Iterable[Any]:
    return [node for node in walk(card.body) if hasattr(node, "alt")]


def only(scene: Scene, key: str) -> Scene:
    """The scene with one card alone, without its controls; "" is the whole.

    A card's name does without its ".card".  Raises UserError naming the cards there are.
    """
    if not key:
        return scene
    cards = {figure.key: figure for figure in figures(scene)}
    found = key if key in cards else f"{key}.card"
    for node in walk(scene.root):
        if isinstance(node, Card) and node.key == found and found in cards:
            return Scene(replace(node, tools=()), node.title, scene.alt)
    known = ", ".join(name.removesuffix(".card") for name in cards if name)
    raise trouble(
        msg("There is no figure {name} in this pane", name=key),
        msg("Choose one of {names}, or the whole pane", names=known),
    )


def paper_of(pane: Pane) -> bool:
    """Whether the whole pane is made for paper (A4 upright)."""
    return bool(getattr(pane, "PAPER", False))


def whole_of(pane: Pane, state: Any) -> Any:
    """The state as it is exported: with all that comes by and by, or all that the pane opens for it."""
    opened = getattr(pane, "exported_whole", None)
    return settled(pane, state) if opened is None else opened(state)


def named(path: Path, kind: str) -> Path:
    """The path with the format's suffix filled in; UserError where it has another format's."""
    suffix = KINDS[kind]
    have = path.suffix.lower()
    if not path.name:
        raise trouble(msg("The export has no name"), msg("Give the name of a file"))
    if have == suffix or (not suffix and have not in KINDS.values()):
        return path
    if have in [other for other in KINDS.values() if other]:
        if not suffix:
            raise trouble(msg("{name} is no name for a folder", name=path.name), msg("Leave the ending out"))
        what = msg("{name} is no name for {kind}", name=path.name, kind=kind.upper())
        raise trouble(what, msg("Let the name end in {suffix}", suffix=suffix))
    return path.with_name(path.name + suffix)


def stem(opened: Opened, pane: str, step: int) -> str:
    """A file name to start from: model, pane, step."""
    parts = [Path(opened.name).name.split(".")[0], pane, f"step{step}" if step else ""]
    kept = "-".join(part for part in parts if part)
    return "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in kept)


def caption(pane: Pane, state: Any, opened: Opened, line: Timeline | None) -> Message:
    """What a reader of the picture must know: model, step, head, scale and source, in one line.

    A pane may offer `caption(state)`, a tuple of texts, () where it has nothing to say; of others the title
    and the step are said.  The open model or run is named too, unless the pane's `shows_model(state)` denies
    that its numbers are from there.
    """
    said = getattr(pane, "caption", None)
    shown: tuple[Text, ...] = said(state) if said is not None else ()
    if not shown:
        step = (place(line),) if line is not None and line.current else ()
        return joined([pane.TITLE, *step, "Depthscope"])
    of_model = getattr(pane, "shows_model", None)
    if of_model is not None and not of_model(state):
        return joined([*shown, "Depthscope"])
    source: Text = msg("live run on {device}", device=opened.device) if opened.device else msg("live run")
    if opened.recorded:
        source = msg("recorded run")
    return joined([*([opened.name] if opened.name else []), *shown, source, "Depthscope"])


def place(line: Timeline) -> Text:
    """Where a timeline stands, in steps or in lines."""
    if line.group > 1:
        step, within = divmod(max(line.current - 1, 0), line.group)
        return msg("step {t}, line {n} of {m}", t=step + 1, n=within + 1, m=line.group)
    return msg("step {t} of {n}", t=line.current, n=max(line.planned, line.computed))


def joined(parts: list[Text]) -> Message:
    """Parts with a dot between, as one message."""
    places = " · ".join(f"{{s{k}}}" for k in range(len(parts)))
    return Message(places, tuple((f"s{k}", part) for k, part in enumerate(parts)))


def steps_of(line: Timeline | None) -> tuple[int, ...]:
    """The steps that can be exported as frames: all computed ones; UserError where there are none."""
    if line is None or not line.computed:
        raise trouble(
            msg("There are no steps to export yet"), msg("Run a model or open a recorded run first")
        )
    return tuple(range(1, line.computed + 1))


def at_step(pane: Pane, state: Any, step: int) -> Any:
    """The pane's state at one step; UserError where it has none or not that one."""
    line = pane.timeline(state)
    if line is None or not line.computed:
        raise trouble(msg("This pane has no steps"), msg("Leave the step out"))
    if not 1 <= step <= line.computed:
        raise trouble(msg("There is no step {t}", t=step), msg("Choose one from 1 to {n}", n=line.computed))
    return pane.update(state, Event("transport.seek", step))[0]


def pace_of(line: Timeline | None) -> int:
    """Milliseconds a frame is shown in a moving picture."""
    return 600 if line is None else max(40, round(line.ms / line.speed))


def check_room(size: tuple[int, int], scale: float, frames: int) -> None:
    """Refuse what would not fit into memory; size in logical pixels."""
    pixels = size[0] * scale * size[1] * scale
    if pixels > MOST_PIXELS:
        raise trouble(msg("This picture would be too large"), msg("Choose a smaller size or scale"))
    if frames > 1 and pixels * 4 * frames > MOST_BYTES:
        need = f"{pixels * 4 * frames / 2**30:.1f}"
        what = msg("{n} frames of this size would take {gib} GiB of memory", n=frames, gib=need)
        raise trouble(what, msg("Choose a smaller size or scale, or the folder of frames"))
