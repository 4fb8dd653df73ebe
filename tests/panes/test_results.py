"""The results: every table of the paper as printed, sorted, with what is odd, beside what was measured "
"here."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from app import paper
from app.messages import Translator
from app.pane import Effect, Event, Selection, all_panes
from app.panes import _results_agreement as agreement
from app.panes import _results_parts as parts
from app.panes import _results_read as read
from app.panes import _results_tables as data
from app.panes._results_state import State
from app.paths import resource, shipped
from app.render.text import to_text
from app.scene import Amounts, Plot, Scene, Sheet, marks

PANE: Any = all_panes()["results"]
SAY = Translator("en").text


def after(state: State, *events: Any) -> State:
    for name, value in events:
        state, _ = PANE.update(state, Event(name, value))
    return state


def scene(state: State) -> Scene:
    found: Scene = PANE.scene(state, Selection())
    return found


def mark(state: State, key: str) -> Any:
    return next(one for one in marks(scene(state)) if one.key == key)


def text(state: State, language: str = "en") -> str:
    return to_text(scene(state), Translator(language))


def on(key: str) -> State:
    return after(PANE.initial(), ("results.table", key))


def numbers(value: Any) -> list[float]:
    """Every number in a piece of the file."""
    if isinstance(value, dict):
        return [number for name, inner in value.items() if name != "note" for number in numbers(inner)]
    return [float(value)] if isinstance(value, int | float) else []


# ---- the file ---------------------------------------------------------------------------------------------


def test_the_tables_name_their_source() -> None:
    found = json.loads(resource("tables", "paper.json").read_text("utf-8"))
    assert found["paper"]["arxiv"] == "1807.03819"
    assert "1807.03819" in paper.CITATION
    assert "ICLR 2019" in paper.CITATION


@pytest.mark.parametrize("table", data.TABLES, ids=data.KEYS)
def test_every_printed_figure_of_a_table_is_shown(table: data.Table) -> None:
    rows = paper.tables()[table.source]["rows"]
    for name, figures in table.rows:
        printed = sorted(numbers(rows[name]))
        shown = [f.value for f in figures if not math.isnan(f.value)]
        shown += [f.deviation for f in figures if f.deviation is not None]
        assert sorted(shown) == printed, name
    assert [name for name, _ in table.rows] == list(rows)
    sheet = mark(on(table.key), "sheet")
    assert isinstance(sheet, Sheet)
    said = [span.text for row in sheet.rows[: len(rows)] for span in row[1:]]
    for (_, figures), cells in zip(table.rows, _rows(said, len(table.columns)), strict=True):
        for figure, cell in zip(figures, cells, strict=True):
            assert (
                cell == "–"
                if math.isnan(figure.value)
                else float(cell.split(" ")[0].replace(",", "")) == figure.value
            )


def _rows(cells: list[Any], wide: int) -> list[list[Any]]:
    return [cells[k : k + wide] for k in range(0, len(cells), wide)]


def test_every_table_of_the_file_is_here() -> None:
    shown = {table.source for table in data.TABLES}
    assert set(paper.tables()) - shown == {"lambada_ponder_time", "other_inline_numbers"}


# ---- what is said about them ------------------------------------------------------------------------------


def test_the_pane_opens_with_the_motive() -> None:
    said = text(PANE.initial())
    assert "Transformers fail to copy strings longer than those they were trained on." in said
    assert all(number in said for number in ("40", "400", "53 %", "3 %", "91 %", "35 %"))
    assert "Neural GPU reaches 1.0 with a curriculum" in said
    assert "random offsets" in said


@pytest.mark.parametrize(
    ("key", "odd"),
    [
        ("babi", ("overfitted", "21.8", "72.2")),
        ("best", ("0.285", "7.785", "7.78", "ACT")),
        ("mean", ("variance",)),
        ("ponder", ("±",)),
        ("agreement", ("-0.008", "-0.010", "0.962")),
        ("lambada", ("6 steps", "202", "239", "authors’ reading", "5174", "7321")),
        ("program", ("ties at 1.0",)),
        ("translation", ("27.3", "Weighted Transformer", "0.9", "same number of parameters")),
    ],
)
def test_what_is_odd_is_flagged(key: str, odd: tuple[str, ...]) -> None:
    said = text(on(key))
    assert "⚑" in said
    for words in odd:
        assert words in said, words


def test_failed_tasks_of_the_transformer_would_be_very_wrong() -> None:
    assert read.least_failed(21.8, 5) == pytest.approx(72.2)


def test_differences_are_shown_as_printed_and_from_the_rows() -> None:
    assert read.difference("1") == pytest.approx(-0.010)
    assert read.printed_difference("1") == -0.008
    assert [round(read.difference(n), 3) for n in data.ATTRACTORS] == [0.0, -0.01, 0.002, 0.009, 0.016, 0.027]
    printed, again = mark(on("agreement"), "sheet").rows[-2:]
    assert [span.role for span in printed[1:]] == ["dim", "changed", "dim", "dim", "dim", "dim", "dim"]
    assert (printed[2].text, again[2].text) == ("-0.008", "-0.010")


# ---- sorting and charting ---------------------------------------------------------------------------------


@pytest.mark.parametrize("table", data.TABLES, ids=data.KEYS)
def test_tables_are_sorted_by_every_column(table: data.Table) -> None:
    for place, column in enumerate(table.columns):
        state = after(on(table.key), ("results.column", place))
        best = _column(after(state, ("results.order", "best")), place)
        worst = _column(after(state, ("results.order", "worst")), place)
        assert best == sorted(best, reverse=column.better == data.UP)
        assert worst == best[::-1]
        assert len(best) == sum(not math.isnan(figures[place].value) for _, figures in table.rows)


def _column(state: State, place: int) -> list[float]:
    """The figures in the order shown, those without one being last."""
    found = [figures[place].value for _, figures in parts.ordered(state)]
    known = [value for value in found if not math.isnan(value)]
    assert found[: len(known)] == known
    return known


def test_the_chart_shows_the_column_chosen_and_whose_figures_they_are() -> None:
    state = after(on("algorithmic"), ("results.column", 4))
    chart = mark(state, "chart")
    assert isinstance(chart, Amounts)
    assert [(row.name, row.value, row.source) for row in chart.rows] == [
        ("LSTM", "0.08", "paper"),
        ("Transformer", "0.07", "paper"),
        ("Universal Transformer", "0.34", "paper"),
        ("Neural GPU (special curriculum)", "1.00", "paper"),
        ("addition", "1.00", "measured"),
    ]
    ponder = mark(on("ponder"), "chart")
    assert [row.source for row in ponder.rows] == ["paper"] * 3 + ["measured"] * 3
    assert (ponder.rows[0].low, ponder.rows[0].high) == pytest.approx((1.5, 3.1))


def test_longer_or_shorter_pondering_is_not_called_better() -> None:
    assert "is better" not in text(on("ponder"))
    assert "best first" not in text(on("ponder"))
    assert "smaller is better" in text(on("babi"))


def test_another_table_starts_as_printed() -> None:
    state = after(
        on("babi"), ("results.column", 5), ("results.order", "worst"), ("results.table", "translation")
    )
    assert (state.column, state.order) == (None, "printed")


@pytest.mark.parametrize("table", data.TABLES, ids=data.KEYS)
def test_the_heads_sort_up_down_and_back(table: data.Table) -> None:
    state = on(table.key)
    for place in range(len(table.columns)):
        up = after(state, ("results.sort", place + 1))
        found = _column(up, place)
        assert found == sorted(found)
        assert mark(up, "sheet").sorted == (place + 1, False)
        down = after(up, ("results.sort", place + 1))
        assert _column(down, place) == found[::-1]
        assert mark(down, "sheet").sorted == (place + 1, True)
        back = after(down, ("results.sort", place + 1))
        assert parts.ordered(back) == table.rows
        assert mark(back, "sheet").sorted is None
    names = [name for name, _ in parts.ordered(after(state, ("results.sort", 0), ("results.sort", 0)))]
    numeric = all(name.isdigit() for name in names)
    assert names == sorted(names, key=int if numeric else str.casefold, reverse=True)
    assert after(state, ("results.sort", 99)) == state


def test_differences_stay_below_the_rows_that_are_sorted() -> None:
    shown = mark(after(on("agreement"), ("results.sort", 3)), "sheet").rows
    assert [span.text for span in shown[-2][1:3]] == ["+0.000", "-0.008"]


def test_what_was_measured_here_is_sorted_by_its_own_heads() -> None:
    state = after(PANE.initial(), ("results.sort.beside", 2), ("results.sort.beside", 2))
    lengths = [int(row[2].text) for row in mark(state, "measured").rows]
    assert lengths == sorted(lengths, reverse=True)
    assert mark(state, "sheet").sorted is None
    assert after(state, ("results.table", "babi")).beside is None


# ---- the sentence to finish -------------------------------------------------------------------------------


def test_the_keys_to_the_cabinet() -> None:
    state = on("agreement")
    assert "The keys to the cabinet ___" in text(state)
    right, wrong = after(state, ("results.verb", "are")), after(state, ("results.verb", "is"))
    assert "The keys to the cabinet are" in text(right)
    assert "Right" in text(right)
    assert "0.969" in text(right)
    assert "nearest" in text(wrong)
    longer = after(right, ("results.attractors", 5))
    assert longer.verb == ""
    assert "0.907" in text(longer)
    assert agreement.sentence_of(5).count(" the ") == 5
    assert "The keys ___" in text(after(state, ("results.attractors", 0)))


def test_six_models_by_attractors() -> None:
    plot = mark(on("agreement"), "attractors.plot")
    assert isinstance(plot, Plot)
    assert len(plot.lines) == 6
    assert plot.lines[0].y.tolist() == [0.994, 0.969, 0.967, 0.944, 0.932, 0.907]
    assert mark(after(on("agreement"), ("results.attractors", 4)), "attractors.plot").here == 4.0


# ---- measured here ----------------------------------------------------------------------------------------


def test_the_shipped_checkpoints_stand_beside_and_not_in_the_table() -> None:
    state = PANE.initial()
    rows = mark(state, "measured").rows
    at_400 = next(row for row in rows if row[2].text == "400")
    assert [span.text for span in at_400] == ["addition", "addition", "400", "40", "1.000", "1.000"]
    assert len(mark(state, "sheet").rows) == 4
    assert "Another set-up" in text(state)
    tasks = mark(on("best"), "measured").rows
    assert [[span.text for span in row[1:]] for row in tasks] == [
        ["1", "1000", "0.0", "0"], ["2", "1000", "0.0", "6"], ["3", "1000", "0.5", "527"],
    ]  # fmt: skip
    for key in ("agreement", "lambada", "memory", "program"):
        assert "No shipped checkpoint was trained on this task." in text(on(key))


def opened(path: Path, task: str) -> tuple[str, Any]:
    return "engine.opened", {"card": {"path": str(path), "name": "mine", "task": task}, "samples": []}


def test_a_checkpoint_of_one_s_own_is_filed_by_its_card(tmp_path: Path) -> None:
    (tmp_path / "card.md").write_text((shipped()["addition"] / "card.md").read_text("utf-8"), "utf-8")
    state = after(PANE.initial(), opened(tmp_path, "addition"))
    assert {row[0].text for row in mark(state, "measured").rows} == {"addition", "mine"}
    chart = mark(after(state, ("results.column", 5)), "chart")
    assert [row.name for row in chart.rows if row.source == "measured"] == ["addition", "mine"]
    assert after(state, opened(shipped()["addition"], "addition")).filed.name == ""


def test_a_checkpoint_without_a_card_is_told_how_to_get_one(tmp_path: Path) -> None:
    state = after(PANE.initial(), opened(tmp_path, "addition"))
    assert "mine has no card" in text(state)
    (tmp_path / "card.md").write_bytes(b"\xff\xfe\x00")
    assert "mine has no card" in text(after(PANE.initial(), opened(tmp_path, "addition")))


def test_what_was_recomputed_in_this_session_stands_there_too() -> None:
    task = {
        "ponder_mean": 1.25,
        "ponder_std": 0.5,
        "question_ponder_mean": 3.0,
        "question_ponder_std": 0.25,
        "n": 500,
    }
    value = {"name": "babi", "checkpoint": str(shipped()["babi"]), "per_task": [task] * 3}
    state = after(on("ponder"), ("measure.done", {"key": "ponder.babi", "value": value}))
    row = mark(state, "measured").rows[3]
    assert [SAY(span.text) for span in row] == ["babi, recomputed", "1", "500", "1.25 ± 0.50", "3.00 ± 0.25"]
    assert after(on("ponder"), ("measure.done", {"key": "scan.learned", "value": value})).reports == {}
    own = {**value, "checkpoint": "/somewhere/babi"}  # of the same name, and another
    state_of_own = after(on("ponder"), ("measure.done", {"key": "ponder.babi", "value": own}))
    assert len(mark(state_of_own, "measured").rows) == 3
    there = after(state, ("engine.changed", "/another"))
    assert len(mark(there, "measured").rows) == 6
    assert len(mark(after(there, ("engine.changed", value["checkpoint"])), "measured").rows) == 3


def test_one_s_own_recomputed_stands_there_while_it_is_open() -> None:
    task = {
        "ponder_mean": 2.0,
        "ponder_std": 0,
        "question_ponder_mean": 1.0,
        "question_ponder_std": 0,
        "n": 9,
    }
    value = {"name": "mine", "checkpoint": "/own/mine", "per_task": [task]}
    state = after(on("ponder"), ("measure.done", {"key": "one/ponder.babi", "value": value}))
    assert len(mark(state, "measured").rows) == 3  # it is not open
    state = after(state, opened(Path("/own/mine"), "babi"))
    assert [SAY(span.text) for span in mark(state, "measured").rows[3]][:2] == ["mine, recomputed", "1"]
    assert len(mark(after(state, opened(Path("/own/other"), "babi")), "measured").rows) == 3


# ---- links, views, widths ---------------------------------------------------------------------------------


def test_links_lead_to_panes_and_checkpoints() -> None:
    state = on("ponder")
    _, effects = PANE.update(state, Event("results.link", "ponder?look=swap&story=1"))
    assert effects == (Effect("open.view", "ponder?look=swap&story=1"),)
    _, effects = PANE.update(state, Event("results.open", "babi"))
    assert effects == (Effect("open.path", str(shipped()["babi"])),)
    for name, value in (("results.link", "act?x=1"), ("results.open", "nothing"), ("results.table", "?")):
        assert PANE.update(state, Event(name, value)) == (state, ())


def test_no_link_is_dead() -> None:
    panes = all_panes()
    for table in data.TABLES:
        for _, view in table.links:
            assert view.partition("?")[0] in panes, view
        assert set(table.open) <= set(shipped())


@pytest.mark.parametrize("key", data.KEYS)
@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_table_speaks_both_languages_and_folds(key: str, language: str) -> None:
    state = on(key)
    assert len(text(state, language)) > 300
    narrow = after(state, ("view.width", 900))
    assert len(text(narrow, language)) > 200
    assert PANE.sentence(narrow) == PANE.sentence(state)


@pytest.mark.parametrize(
    "view",
    [
        {"table": "lambada", "column": "9", "order": "best"},
        {"table": "agreement", "attractors": "5", "verb": "is"},
        {"table": "mean", "order": "worst"},
        {"table": "agreement", "attractors": "1", "column": "3", "order": "best"},
        {"table": "ponder", "order": "name-last", "measured": "4-down"},
        {"table": "ponder", "measured": "1"},
    ],
)
def test_views_come_back(view: dict[str, str]) -> None:
    state, effects = PANE.from_view(PANE.initial(), view)
    assert effects == ()
    assert PANE.to_view(state) == view


def test_senseless_values_of_a_view_are_passed_over() -> None:
    view = {"table": "?", "column": "77", "order": "up", "attractors": "9", "verb": "be"}
    assert PANE.to_view(PANE.from_view(PANE.initial(), view)[0]) == {"table": "algorithmic"}
    elsewhere, _ = PANE.from_view(PANE.initial(), {"table": "babi", "verb": "are", "column": "9" * 5000})
    assert (elsewhere.verb, elsewhere.column) == ("", None)
    assert PANE.from_view(PANE.initial(), {"measured": "0"})[0].beside is None


def test_a_view_that_names_no_order_shows_a_table_as_printed() -> None:
    state = after(on("babi"), ("results.sort", 2), ("results.sort.beside", 1))
    assert PANE.to_view(PANE.from_view(state, {"table": "babi"})[0]) == {"table": "babi"}


def test_the_column_marked_is_that_of_the_sentence() -> None:
    state = after(on("agreement"), ("results.attractors", 3))
    for one, column in ((on("agreement"), 1), (state, 3)):
        cells = mark(one, "sheet").rows[0]
        assert [k for k, span in enumerate(cells) if span.role == "accent"] == [column + 1]


def test_exports_name_the_paper() -> None:
    assert any("1807.03819" in SAY(line) for line in PANE.caption(PANE.initial()))
    assert PANE.shows_model(PANE.initial()) is False


@pytest.mark.parametrize("width", [900, 1400])
def test_the_plot_of_a_scrolled_column_has_room_and_tells_the_pane_itself(width: int) -> None:
    plot = mark(after(on("agreement"), ("view.width", width)), "attractors.plot")
    assert (plot.height, plot.event) == (300, "results.attractors")
