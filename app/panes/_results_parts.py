"""The parts of the results pane: list, chart, table, what is odd, what was measured, a sentence to finish."""

from __future__ import annotations

import math

from app.messages import Text, msg
from app.panes import _results_agreement as agreement
from app.panes import _results_measured as measured
from app.panes import _results_tables as data
from app.panes._results_state import State
from app.paper import Figure
from app.scene import (
    Amount,
    Amounts,
    Button,
    Card,
    Choice,
    Column,
    Field,
    Form,
    Node,
    Passage,
    Row,
    Sheet,
    Span,
)
from app.sorting import places, sorted_sheet

Rows = tuple[tuple[str, tuple[Figure, ...]], ...]
OURS = ("Universal Transformer", "UT ")
ORDER_NAMES = (("printed", msg("as printed")), ("best", msg("best first")), ("worst", msg("worst first")))
BETTER: dict[str, Text] = {
    data.UP: msg("larger is better"), data.DOWN: msg("smaller is better"), data.NEITHER: "",
}  # fmt: skip
WIDE = 4  # columns from which table and chart stand one above the other


def ordered(state: State) -> Rows:
    """The rows, as printed, by name, or by the column charted; rows without that figure stand last."""
    rows, place = state.shown.rows, state.place
    if state.sorted is None:
        return rows
    if state.sorted[0] == 0:
        return tuple(rows[k] for k in places(tuple(name for name, _ in rows), state.sorted[1]))

    def key(row: tuple[str, tuple[Figure, ...]]) -> tuple[bool, float]:
        value = row[1][place].value
        return (math.isnan(value), value if state.rising else -value)

    return tuple(sorted(rows, key=key))


def said(figure: Figure, digits: int) -> str:
    if not math.isfinite(figure.value):
        return "–"
    if figure.deviation is not None:
        return f"{figure.value:.{digits}f} ± {figure.deviation:.{digits}f}"
    short = f"{figure.value:,.{digits}f}"
    return (
        short if float(short.replace(",", "")) == figure.value else f"{figure.value:g}"
    )  # as printed: 0.047


def contents(state: State) -> Card:
    """The tables there are."""
    rows = tuple((Span(one.title, bold=one.key == state.table),) for one in data.TABLES)
    here = data.KEYS.index(state.table)
    sheet = Sheet(
        "tables", (msg("table"),), rows, here, "results.table", data.KEYS, msg("the paper’s tables")
    )
    return Card(
        "tables.card",
        msg("The paper’s tables"),
        Column("tables.column", (sheet, Column("tables.rest", ())), (0, 1)),
    )


def menu(state: State) -> Form:
    """The same where there is no room for a list."""
    options = tuple((one.key, one.title) for one in data.TABLES)
    return Form(
        "tables.menu", ((Choice("tables.choice", msg("table"), "results.table", options, state.table),),)
    )


def reading(state: State) -> Card:
    """How to read the table, what is odd in it, where it leads."""
    table = state.shown
    lines: list[Node] = []
    if state.table == data.KEYS[0]:
        lines.append(
            Passage(
                "motive",
                (Span(msg("Transformers fail to copy strings longer than those they were trained on.")),),
                "section",
            )
        )
    lines.append(Passage("read", (Span(table.read()),), "compact"))
    for k, odd in enumerate(table.odd()):
        lines.append(Passage(f"odd.{k}", (Span("⚑", "warning", bold=True), Span("  "), Span(odd)), "compact"))
    buttons = [Button(f"link.{k}", name, "results.link", view) for k, (name, view) in enumerate(table.links)]
    buttons += [
        Button(f"open.{name}", msg("Open {name}", name=name), "results.open", name, icon="folder-open")
        for name in table.open
    ]
    if buttons:
        lines.append(Form("links", (tuple(buttons),)))
    return Card(
        "reading.card",
        table.title,
        Column("reading", tuple(lines)),
        msg("⚑ what is odd about it") if table.odd() else "",
    )


def chart(state: State) -> Card:
    table, place = state.shown, state.place
    column = table.columns[place]
    tools: list[Field] = []
    if column.better != data.NEITHER:
        tools.append(Choice("order", msg("Order"), "results.order", ORDER_NAMES, state.order, "segments"))
    if len(table.columns) > 1:
        options = tuple((str(k), one.name) for k, one in enumerate(table.columns))
        tools.insert(0, Choice("column", msg("Column"), "results.column", options, str(place)))
    inside = _amounts(state, column), Column("chart.rest", ())
    forms = (Form("chart.form", (tuple(tools),)),) if tools else ()
    body = Column("chart.column", (*forms, *inside), (*(0 for _ in forms), 0, 1))
    return Card("chart.card", column.name, body, BETTER[column.better])


def _amounts(state: State, column: data.Column) -> Amounts:
    """The paper's bars, then what was measured here, drawn apart."""
    place = state.place
    rows = [
        Amount(
            name,
            (("", figure.value, "accent"),),
            said(figure, column.digits),
            *_ends(figure),
            "paper",
            strong=name.startswith(OURS),
        )
        for name, figures in ordered(state)
        if not math.isnan((figure := figures[place]).value)
    ]
    rows += [bar for where, bar in measured.found(state).bars if where == place]
    named = ", ".join(f"{row.name} {row.value}" for row in rows[:3])
    alt = msg("{column}: {rows}", column=column.name, rows=named)
    return Amounts("chart", tuple(rows), legend=False, alt=alt)


def _ends(figure: Figure) -> tuple[float | None, float | None]:
    if figure.deviation is None:
        return None, None
    return max(0.0, figure.value - figure.deviation), figure.value + figure.deviation


def sheet(state: State) -> Card:
    table = state.shown
    rows = []
    for name, figures in ordered(state):
        own = name.startswith(OURS)
        cells = (
            Span(said(figure, one.digits), "accent" if k == state.place else "fg", bold=own)
            for k, (figure, one) in enumerate(zip(figures, table.columns, strict=True))
        )
        rows.append((Span(name, bold=own), *cells))
    if state.table == "agreement":
        rows += agreement.differences(table)
    titles = (table.rows_name or msg("model"), *(column.name for column in table.columns))
    mark = Sheet(
        "sheet",
        titles,
        tuple(rows),
        alt=msg("{table}: the printed figures", table=table.title),
        sort="results.sort",
        sorted=state.sorted,
    )
    body = Column("sheet.column", (mark, Column("sheet.rest", ())), (0, 1))
    return Card("sheet.card", msg("All figures"), body, msg("as printed in the paper"))


def beside(state: State) -> Card:
    """What was measured on this machine."""
    found = measured.found(state)
    parts: list[Node] = []
    if found.rows:
        made = Sheet("measured", found.titles, found.rows, alt=msg("measured here"))
        parts.append(sorted_sheet(made, state.beside, "results.sort.beside"))
    elif not found.notes:
        parts.append(
            Passage(
                "measured.none",
                (Span(msg("The checkpoint for this task does not ship with this copy.")),),
                "caption",
            )
        )
    parts += [Passage(f"measured.note.{k}", (Span(note),), "caption") for k, note in enumerate(found.notes)]
    if state.shown.open:  # where a card has figures of this kind
        parts.append(Passage("measured.own", (Span(_filed(state)),), "caption"))
    return Card(
        "measured.card", msg("Measured here"), Column("measured.column", tuple(parts)), msg("not the paper’s")
    )


def _filed(state: State) -> Text:
    """Where results of the user's own come from."""
    filed = state.filed
    if filed.name and not filed.card:
        return msg(
            "{name} has no card; `depthscope eval … --card card.md` writes one beside the weights.",
            name=filed.name,
        )
    return msg(
        "A checkpoint of your own shows its figures here while it is open, once `depthscope "
        "eval` has written its card."
    )


def figures(state: State) -> tuple[Node, ...]:
    """Chart and table, one beside the other where there is room."""
    first = agreement.agreement(state) if state.table == "agreement" else chart(state)
    if state.narrow or len(state.shown.columns) > WIDE:
        return first, sheet(state)
    return (Row("figures", (first, sheet(state)), (1, 1), (400, 360)),)
