"""Where the idea comes from and what became of it: a time line, one work at a time, share or stack."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.messages import Message, Text, msg
from app.pane import Effect, Event, Selection
from app.panes import _lineage_items as items
from app.panes._lineage_items import ITEMS, LANES, LINKS, Item, item_of
from app.panes.lineage import TITLE
from app.paths import shipped
from app.scene import (
    Amount,
    Amounts,
    Box,
    Button,
    Card,
    Column,
    Form,
    Graph,
    Node,
    Passage,
    Row,
    Scene,
    Sheet,
    Span,
    Wire,
)
from app.timeline import Timeline
from ut_engine.family import names as families
from ut_engine.presets import preset

NARROW, SINGLE = 1000, 860  # px at 100 %: below, the time line runs downwards; all is in one column
TITLED = 1200  # below, two buttons have no room beside the title of their card
SHOWN: tuple[dict[str, str], ...] = ({"item": "ut"}, {"item": "albert"}, {"item": "looped"})
LARGEST: tuple[dict[str, str], ...] = ({"item": "looped"},)


@dataclass(frozen=True, slots=True)
class State:
    """look: the work looked at.  width: of the window, px at 100 %."""

    look: str = "ut"
    width: int = 1280

    @property
    def item(self) -> Item:
        found = item_of(self.look)
        assert found is not None
        return found


def initial() -> State:
    return State()


def update(state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
    """Look at a work, go to its neighbour, open one of its checkpoints."""
    if event.name == "look" and item_of(str(event.value)) is not None:
        return replace(state, look=str(event.value)), ()
    if event.name == "beside":
        place = ITEMS.index(state.item) + int(event.value)
        return replace(state, look=ITEMS[min(max(place, 0), len(ITEMS) - 1)].id), ()
    if event.name == "lineage.open" and str(event.value) in state.item.shipped:
        return state, (Effect("open.path", str(event.value)),)
    if event.name == "lineage.choose":
        return state, (Effect("file.choose"),)
    if event.name == "see" and event.value in ("cost", "block"):
        return state, (Effect("open.view", str(event.value)),)
    if event.name == "view.width":
        return replace(state, width=int(event.value)), ()
    return state, ()


def scene(state: State, selection: Selection) -> Scene:
    """The time line; below it the work looked at, and what holds in the end."""
    line = Card("line", msg("Who shares weights, and who decides how often"), _graph(state),
                msg("arrows: builds on"))  # fmt: skip
    detail, end = _detail(state), _end(state)
    if state.width < SINGLE:
        root: Node = Column("lineage", (line, detail, end), scroll=True)
    elif state.width < NARROW:
        beside = Column("beside.line", (detail, end), scroll=True)
        root = Row("lineage", (line, beside), (1, 1), (360, 300))
    else:
        below = Row("below", (detail, end), (3, 2), (540, 360))
        root = Column("lineage", (line, below), (7, 10))
    return Scene(root, TITLE, sentence(state))


# ---- the time line ----------------------------------------------------------------------------------------

FIRST, LAST = min(item.when for item in ITEMS), max(item.when for item in ITEMS)
LEFT, RIGHT = 196.0, 1122.0  # where the first and the last work stand
LANE_AT = {items.SHARED: 52.0, items.HALTING: 118.0, items.STACKED: 184.0}
EVERY, LANE_ENDS = 2, 140.0  # years between two that are named, where the names of the lanes end
WIDE, HIGH, AXIS = 106.0, 42.0, 236.0
ABOVE, BELOW = 14.0, 214.0  # where arrows pass over and under the others


def _graph(state: State) -> Graph:
    return _down(state) if state.width < NARROW else _across(state)


def _across(state: State) -> Graph:
    boxes = [_named(lane, 70, y) for lane, y in LANE_AT.items()]
    boxes += [_box(item, _at(item.when), LANE_AT[item.lane]) for item in ITEMS]
    first, last = math.floor(FIRST / EVERY) * EVERY, math.ceil(LAST / EVERY) * EVERY
    shown = [year for year in range(first, last + 1, EVERY) if _at(year) >= LANE_ENDS]
    years = [Box(f"year.{year}", str(year), _at(year), AXIS, 64, 18, "text") for year in shown]
    right = _at(max(last, LAST)) + 10
    ends = [
        Box("axis.start", "", LANE_ENDS, AXIS - 14, 1, 1, "text"),
        Box("axis.end", "", right, AXIS - 14, 1, 1, "text"),
    ]
    wires = [Wire("axis.start", "axis.end", role="faint")]
    wires += [_link(one, other) for one, other in LINKS]
    return _made(state, (*boxes, *years, *ends), tuple(wires), right + 26, 250)


def _at(when: float) -> float:
    return LEFT + (when - FIRST) / (LAST - FIRST) * (RIGHT - LEFT)


def _named(lane: str, x: float, y: float) -> Box:
    text, _ = LANES[lane]
    return Box(f"lane.{lane}", text, x, y, 124, HIGH, "text")


def _box(item: Item, x: float, y: float, wide: float = WIDE) -> Box:
    role = LANES[item.lane][1]
    return Box(item.id, item.short, x, y, wide, HIGH, "box", role, "", "", item.id,
               msg("{name}, {year}", name=item.name, year=item.years))  # fmt: skip


def _link(one: str, other: str) -> Wire:
    """Straight where nothing is in the way, else over or under."""
    over = {("ut", "looped"): ABOVE, ("transformer", "mod"): BELOW}
    if (one, other) not in over:
        return Wire(one, other)
    y = over[one, other]
    start, end = item_of(one), item_of(other)
    assert start is not None
    assert end is not None
    return Wire(one, other, through=((_at(start.when), y), (_at(end.when), y)))


def _down(state: State) -> Graph:
    """For narrow windows: the years downwards, the lanes side by side."""
    columns = {items.SHARED: 150.0, items.HALTING: 280.0, items.STACKED: 410.0}
    boxes = [Box(f"lane.{lane}", LANES[lane][0], x, 22, 124, 40, "text") for lane, x in columns.items()]
    places = {item.id: 70.0 + 50.0 * k for k, item in enumerate(ITEMS)}
    for item in ITEMS:
        boxes.append(_box(item, columns[item.lane], places[item.id], 118))
        boxes.append(Box(f"year.{item.id}", item.years, 40, places[item.id], 60, 20, "text"))
    aside = {("ut", "looped"): 79.0, ("transformer", "mod"): 481.0}
    wires = []
    for one, other in LINKS:
        x = aside.get((one, other))
        through = () if x is None else ((x, places[one]), (x, places[other]))
        wires.append(Wire(one, other, through=through))
    return _made(state, tuple(boxes), tuple(wires), 490, 64 + 50 * len(ITEMS))


def _made(
    state: State, boxes: tuple[Box, ...], wires: tuple[Wire, ...], width: float, height: float
) -> Graph:
    alt = msg("Timeline of {n} works from {first} to {last}; selected: {name}", n=len(ITEMS),
              first=ITEMS[0].years, last=ITEMS[-1].years, name=state.item.name)  # fmt: skip
    return Graph("time", boxes, wires, width, height, state.look, "look", alt)


# ---- the work looked at -----------------------------------------------------------------------------------


def _detail(state: State) -> Card:
    item = state.item
    parts = (
        (msg("Shared across layers"), item.shares),
        (msg("What decides depth"), item.depth),
        (msg("Parameters against work"), items.price(item)),
    )  # fmt: skip
    columns = [_part(k, title, text) for k, (title, text) in enumerate(parts)]
    across: Node = (
        Column("parts", tuple(columns)) if state.width < NARROW else Row("parts", tuple(columns), (1, 1, 1))
    )
    body: list[Node] = [across]
    sources = (_source(k, source) for k, source in enumerate(item.sources))
    origin = Column(
        "origin", (*sources, _open(item), Column("origin.rest", ())), (*(0 for _ in item.sources), 0, 1)
    )
    if item.counted is not None and item.counted[0] != item.counted[1]:
        body.append(_beside(state, _counted(item), origin))
    else:
        body.append(_beside(state, _glance(state), origin))
    rest = Column("detail.rest", ())
    place = ITEMS.index(item)
    tools = (
        Button("earlier", msg("Previous work"), "beside", -1, "chevron-left", "icon", place > 0),
        Button("later", msg("Next work"), "beside", 1, "chevron-right", "icon", place < len(ITEMS) - 1),
    )
    wide = state.width >= NARROW
    filled = Column("detail.column", (*body, rest), (*(0 for _ in body), 1), scroll=wide)
    return Card("detail", item.name, filled, item.years, tools)


def _part(k: int, title: Text, text: Text) -> Column:
    head = Passage(f"part.{k}.title", (Span(title),), "section")
    words = Passage(f"part.{k}.text", (Span(text),), "compact")
    return Column(f"part.{k}", (head, words, Column(f"part.{k}.rest", ())), (0, 0, 1))


def _beside(state: State, one: Node, other: Node) -> Node:
    if state.width < NARROW:
        return Column("beside", (one, other))
    return Row("beside", (one, other), (3, 2))


def _counted(item: Item) -> Amounts:
    """Itself against what it is measured with, counted by the engine."""
    assert item.counted is not None
    (own, work), (other, usual) = items.counts(item.counted[0]), items.counts(item.counted[1])
    names = [preset(name).title for name in item.counted]
    rows = []
    for k, (parameters, macs) in enumerate(((own, work), (other, usual))):
        for what, size, most, role in ((msg("parameters"), parameters, max(own, other), "c1"),
                                       (msg("work"), macs, max(work, usual), "c2")):  # fmt: skip
            rows.append(Amount(what, ((what, size / most, role),), f"{size / 1e6:,.1f} M", strong=k == 0))
    heads = ((0, names[0]), (2, names[1]))
    alt = msg("{a} against {b}: parameters and multiply-adds", a=names[0], b=names[1])
    return Amounts("counted", tuple(rows), 1.0, heads, False, alt=alt)


def _glance(state: State) -> Sheet:
    """All works in short words."""
    rows = tuple(
        (Span(items.BRIEF[item.id][0], bold=item is state.item), *map(Span, items.BRIEF[item.id][1:]))
        for item in ITEMS
    )
    columns = (msg("study"), msg("shares"), msg("depth by"))
    values = tuple(item.id for item in ITEMS)
    return Sheet(
        "glance", columns, rows, ITEMS.index(state.item), "look", values, msg("all works at a glance")
    )


def _source(k: int, source: items.Source) -> Passage:
    text = msg("{authors}: {title}, arXiv:{id}", authors=source.authors, title=source.title, id=source.arxiv)
    return Passage(f"source.{k}", (Span(text),), "caption")


def _open(item: Item) -> Node:
    """What of it the app can open; it says where it cannot."""
    there = shipped()
    buttons = [
        Button(f"open.{name}", msg("Open {name}", name=name), "lineage.open", name, "folder-open")
        for name in item.shipped
        if name in there
    ]
    if not buttons and openable(item):
        buttons = [
            Button(
                "open.other", msg("Open a checkpoint of this kind…"), "lineage.choose", None, "folder-open"
            )
        ]
    if buttons:
        rows = tuple(tuple(buttons[k : k + 2]) for k in range(0, len(buttons), 2))  # three want all the width
        return Form("open.form", rows)
    return Passage(
        "open.none", (Span(msg("Checkpoints of this kind cannot be opened here."), "dim"),), "caption"
    )


def openable(item: Item) -> bool:
    """Whether an adapter of the engine reads files of this kind."""
    there = families()
    return any(wanted in name for wanted in item.families for name in there)


def _end(state: State) -> Card:
    """What holds in the end."""
    parts: list[Node] = []
    for k, (title, points) in enumerate(items.ends()):
        parts.append(Passage(f"end.{k}", (Span(title),), "section"))
        parts += [
            Passage(f"end.{k}.{n}", (Span("– "), Span(point)), "compact") for n, point in enumerate(points)
        ]
    see = (
        Button("see.cost", msg("Parameters and work"), "see", "cost"),
        Button("see.block", msg("Block and equations"), "see", "block"),
    )
    beside = state.width >= TITLED
    if not beside:  # no room for them beside the title
        parts.append(Form("end.form", tuple((one,) for one in see)))
    stretch = (*(0 for _ in parts), 1)
    body = Column("end.column", (*parts, Column("end.rest", ())), stretch, scroll=state.width >= NARROW)
    return Card("end", msg("Share or stack?"), body, tools=see if beside else ())


# ---- the pane's other duties ------------------------------------------------------------------------------


def timeline(state: State) -> Timeline | None:
    """A line of years, not of steps."""
    return None


def sentence(state: State) -> Message:
    item = state.item
    return msg("{name}, {year}: {shares}", name=item.name, year=item.years, shares=item.shares)


def caption(state: State) -> tuple[Text, ...]:
    return (TITLE, state.item.name)


def shows_model(state: State) -> bool:
    """The works are others' models, the counts are of designs."""
    return False


def to_view(state: State) -> dict[str, str]:
    return {"item": state.look}


def from_view(state: State, view: Mapping[str, str]) -> tuple[State, tuple[Effect, ...]]:
    """The work a view asks for, where there is one."""
    name = view.get("item", "")
    return (replace(state, look=name) if item_of(name) is not None else state), ()
