"""The benchmarks run and say what the contract names; what they find is not judged here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ut_engine.measure import Measurement, alternate, percentile

Cli = Callable[..., Any]
NAMES = {"name", "case", "ours", "reference", "reference_is", "ratio", "unit", "runs"}


def check(found: list[dict[str, Any]], name: str) -> None:
    assert found
    for one in found:
        assert set(one) >= NAMES
        assert one["name"] == name
        assert one["ours"] > 0
        assert one["reference"] > 0
        assert one["ratio"] == pytest.approx(one["ours"] / one["reference"])
        assert one["met"] == (one["ratio"] <= one["target"] if one["target"] else None)
        assert one["runs"] == 1


def test_engine(cli: Cli) -> None:
    found = cli("bench", "engine", "--quick", "--json")
    assert found.code == 0
    check(found.document, "engine")
    assert {one["reference_is"].split(",")[0] for one in found.document} == {
        "the same forward through fused attention",
        "torch's nn.TransformerEncoderLayer looped as often",
        "torch's fused cells over all positions",
    }
    told = " ".join(one["case"] for one in found.document)
    for kind in ("UT, T fixed", "UT+ACT", "separable convolutions", "Transformer", "LSTM", "encoder-decoder"):
        assert kind in told


@pytest.mark.slow
@pytest.mark.parametrize("name", ["startup", "stream"])
def test_the_real_window(cli: Cli, name: str) -> None:
    found = cli("bench", name, "--quick", "--json")
    assert found.code == 0, found.err
    check(found.document, name)
    assert {one["unit"] for one in found.document if not one["case"].endswith("load")} == {"ms"}


def test_debugger(cli: Cli) -> None:
    found = cli("bench", "debugger", "--quick", "--json")
    assert found.code == 0, found.err
    assert {one["unit"] for one in found.document} == {"ms", "KiB"}
    assert all(set(one) >= NAMES and one["ours"] > 0 and one["target"] for one in found.document)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "told"),
    [("read", "inset"), ("quiz", "quiz.go"), ("lineage", "look"), ("results", "results.sort")],
)
def test_links_figures_in_a_text_and_heads_of_tables_are_controls_as_well(name: str, told: str) -> None:
    from app.pane import all_panes, settled
    from app.verbs import bench_panes, controls

    pane = all_panes()[name]
    found = []
    for view in getattr(pane, "LARGEST", ()):
        state = settled(pane, pane.from_view(pane.initial(), view)[0])
        found += controls.events(pane, state, bench_panes.scene_of(pane, state))
    assert told in {event.name for _, event in found}


def test_panes(cli: Cli) -> None:
    """Every pane has its first scene by both clocks, those with controls their changes; there is a peer."""
    from app.pane import all_panes

    found = cli("bench", "panes", "--quick", "--json")
    assert found.code == 0, found.err
    check(found.document, "panes")
    cases = [one["case"] for one in found.document]
    for name in all_panes():
        assert sum(case.startswith(f"{name}: first scene") for case in cases) == 2, name
    assert any(case.startswith("act: a change at the largest") for case in cases)
    assert {one["reference"] for one in found.document} == {100.0, 33.0}
    assert cases[-1].startswith("a plain form of")


def test_for_people(cli: Cli) -> None:
    found = cli("bench", "engine", "--quick")
    assert "ratio" in found.out.splitlines()[0]
    assert "the reference is torch's nn.TransformerEncoderLayer" in found.out


def test_ways_take_turns() -> None:
    order: list[str] = []

    def way(name: str) -> Callable[[], float]:
        return lambda: float(order.append(name) or len(order))

    found = alternate([way("a"), way("b")], runs=3, warm_up=1)
    assert "".join(order) == "ab" + "ab" + "ba" + "ab"
    assert found == [[3.0, 6.0, 7.0], [4.0, 5.0, 8.0]]


def test_percentiles() -> None:
    assert percentile(list(range(1, 101)), 0.99) == 99
    assert percentile([5.0], 0.99) == 5.0
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile([3.0, 1.0, 2.0], 1.0) == 3.0


def test_a_figure_without_a_reference() -> None:
    alone = Measurement("engine", "case", 4.0, None, "nothing", "ms", 1, target=5.0)
    assert (alone.ratio, alone.met) == (None, True)
