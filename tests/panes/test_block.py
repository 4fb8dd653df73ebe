"""The block pane: differences with their numbers, both orders, the decoder, shapes, values of a model."""

from __future__ import annotations

import math
from typing import Any

import pytest

from app.formulas import latex
from app.messages import Translator
from app.pane import Effect, Event, Selection
from app.panes import _block_parts as parts
from app.panes import _block_state as st
from app.panes import block
from app.panes._block_state import State
from app.render.text import to_text
from app.scene import (
    Button,
    Card,
    Choice,
    Equation,
    Form,
    Graph,
    Progress,
    Prose,
    Real,
    Scene,
    Sheet,
    Table,
    marks,
    walk,
)
from ut_engine.spec import UTConfig

CONFIG = UTConfig(vocab=30, answers=9, d_model=64, heads=4, d_ff=128, max_steps=5, norm="pre").to_dict()
CARD = {"name": "mine", "path": "/models/mine", "config": CONFIG}
ROW = [-1.5, 0.25, 2.0, 8.0, 1.25]


def after(state: State, *events: tuple[str, Any] | str) -> State:
    for event in events:
        name, value = (event, None) if isinstance(event, str) else event
        state, _ = block.update(state, Event(name, value))
    return state


def scene(state: State) -> Scene:
    return block.scene(state, Selection())


def mark(state: State, key: str) -> Any:
    return next(found for found in marks(scene(state)) if found.key == key)


def text(state: State, language: str = "en") -> str:
    return to_text(scene(state), Translator(language), 60)


def values(**config: Any) -> dict[str, Any]:
    """What the measurement answers."""
    side = {
        "positions": 7,
        "steps": 3,
        "tensors": {name: [ROW] * 3 for name in ("h", "x", "a", "inner", "next")},
    }
    return {
        "name": "mine", "text": "a", "config": {**CONFIG, **config}, "sides": {"encoder": side},
        "figures": ["min", "mean", "max", "norm", "std"],
    }  # fmt: skip


def done(**config: Any) -> tuple[str, Any]:
    return ("measure.done", {"key": st.KEY, "value": values(**config)})


# ---- the three differences --------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["1", "2", "3"])
def test_each_difference_is_marked_in_both_diagrams_and_explained_on_a_click(number: str) -> None:
    state = block.initial()
    for which in ("ut", "tf"):
        boxes = [box for box in mark(state, f"{which}.graph").boxes if box.badge == number]
        assert len(boxes) == 1
        looked = after(state, ("look", boxes[0].value))
        assert f"Difference {number}" in text(looked)
    button = next(one for row in mark(state, "differences").fields for one in row if one.key.endswith(number))
    assert isinstance(button, Button)
    assert f"Difference {number}" in text(after(state, (button.event, button.value)))


def test_weights_are_counted_once_and_for_every_layer() -> None:
    """The encoder block of the story: 3,152,384 parameters at d = 512 (facts, c.1)."""
    said = text(after(block.initial(), ("look", "ut.self")))
    assert "3,152,384 parameters, run 6 times" in said
    assert "18,914,304" in said
    base = after(block.initial(), ("control.preset", "ut-base"), ("look", "ut.self"))
    assert "12,596,224" in text(base)
    decoder = after(block.initial(), ("control.side", "decoder"), ("look", "tf.self"))
    assert "4,204,032" in text(decoder)


def test_the_transition_is_a_choice_with_its_price() -> None:
    """2,099,712 against 2,111,488 parameters at d = 512, 8,393,728 against 8,417,280 at 1024 (facts, c.2)."""
    state = after(block.initial(), ("look", "ut.tr"))
    assert "2,099,712" in text(state)
    assert "2,111,488" in text(state)
    wide = text(after(state, ("control.preset", "ut-base")))
    assert "8,393,728" in wide
    assert "8,417,280" in wide
    convolved = after(state, ("control.transition", "sepconv"))
    assert mark(convolved, "detail.formulas").formulas == ("transition-separable",)
    assert "2,111,488, once for all steps" in text(convolved)
    assert "2,099,712, in every layer" in text(after(convolved, ("look", "tf.tr")))
    assert mark(after(convolved, ("look", "tf.tr")), "detail.formulas").formulas == (
        "transition-feed-forward",
    )


def test_coordinates_enter_at_every_step_and_positions_once() -> None:
    state = block.initial()
    universal, layer = mark(state, "ut.graph"), mark(state, "tf.graph")
    assert [wire.end for wire in universal.wires if wire.start == "ut.p"] == ["ut.plus"]
    assert [wire.end for wire in layer.wires if wire.start == "tf.p"] == ["tf.h"]
    assert any(wire.start == "ut.next" and wire.end == "ut.h" for wire in universal.wires)  # round again
    assert not any(wire.start == "tf.next" for wire in layer.wires)


# ---- orders, sides ----------------------------------------------------------------------------------------


def flow(state: State, which: str) -> list[str]:
    """The diagram's parts from the bottom up."""
    graph = mark(state, f"{which}.graph")
    middle = next(box.x for box in graph.boxes if box.id == f"{which}.h")
    found = [box for box in graph.boxes if box.x == middle and box.style != "frame"]
    return [box.id.partition(".")[2] for box in sorted(found, key=lambda box: -box.y)]


def test_both_orders_are_those_of_the_equations() -> None:
    post, pre = block.initial(), after(block.initial(), ("control.norm", "pre"))
    assert flow(post, "ut") == ["h", "plus", "x", "self", "sum1", "norm1", "a", "tr", "sum2", "norm2", "next"]
    assert flow(pre, "ut") == ["h", "plus", "x", "norm1", "self", "sum1", "a", "norm2", "tr", "sum2", "next"]
    assert mark(post, "ut.equations").formulas == ("ut-start", "ut-attention", "ut-transition")
    assert mark(pre, "ut.equations").formulas == (
        "ut-input", "ut-attention-pre", "ut-transition-pre", "ut-output-pre",
    )  # fmt: skip
    source = latex()["ut-attention"]
    assert source.count("H^{t-1} + P^t") == 2
    assert "MultiHeadSelfAttention" in source


def test_the_decoder_reads_the_encoder_and_itself_only_to_the_left() -> None:
    state = after(block.initial(), ("control.side", "decoder"))
    for which in ("ut", "tf"):
        assert flow(state, which)[-8:-4] == ["cross", "sumc", "normc", "b"]
        wires = mark(state, f"{which}.graph").wires
        assert any(wire.start == f"{which}.enc" and wire.end == f"{which}.cross" for wire in wires)
    assert "Causal self-attention" in text(state)
    assert "Causal" not in text(block.initial())
    pre = after(state, ("control.norm", "pre"))
    assert flow(pre, "ut")[7:10] == ["normc", "cross", "sumc"]


def test_training_reads_all_at_once_and_generating_symbol_by_symbol() -> None:
    state = after(block.initial(), ("control.side", "decoder"), ("size.m", 24), ("size.steps", 5))
    forced = after(state, ("control.feed", "forced"))
    own = after(state, ("control.feed", "own"))
    assert "teacher forcing" in text(forced)
    assert "All 24 positions at once: 5 steps" in text(forced)
    assert "24 symbols of 5 steps each: 120 steps" in text(own)
    for one in (forced, own):
        assert "over depth only" in text(one)


def test_only_a_decoder_is_fed() -> None:
    state = block.initial()
    assert after(state, ("control.feed", "own")) == state
    found = next(node for node in marks(scene(state)) if node.key == "feed.form")
    assert not found.fields[0][0].enabled


def test_every_formula_and_part_of_every_block_exists() -> None:
    known = latex()
    for side in st.SIDES:
        for norm in st.NORMS:
            state = after(block.initial(), ("control.side", side), ("control.norm", norm))
            for which in ("ut", "tf"):
                assert set(mark(state, f"{which}.equations").formulas) <= set(known)
                boxes = {box.id for box in mark(state, f"{which}.graph").boxes}
                for wire in mark(state, f"{which}.graph").wires:
                    assert {wire.start, wire.end} <= boxes
            for look in parts.known(state):
                looked = after(state, ("look", look))
                assert looked.look == look
                assert text(looked)
                assert text(looked, "ko") != text(looked)


def test_the_same_parts_stand_at_the_same_height() -> None:
    for side in st.SIDES:
        state = after(block.initial(), ("control.side", side))
        places = [
            {box.id.partition(".")[2]: box.y for box in mark(state, f"{which}.graph").boxes}
            for which in ("ut", "tf")
        ]
        for name in places[0].keys() & places[1].keys() - {"p"}:
            assert places[0][name] == places[1][name], name
        assert "x" not in places[1]


# ---- shapes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("look", "letters", "numbers"),
    [
        ("ut.x", "B × m × d", (3, 10, 512)),
        ("ut.q", "B × k × m × d/k", (3, 8, 10, 64)),
        ("ut.w", "B × k × m × m", (3, 8, 10, 10)),
        ("tf.inner", "B × m × d_ff", (3, 10, 2048)),
        ("ut.p", "m × d", (10, 512)),
    ],
)
def test_a_tensor_has_its_shape_in_letters_and_numbers(
    look: str, letters: str, numbers: tuple[int, ...]
) -> None:
    state = after(block.initial(), ("size.m", 10.0), ("size.batch", 3.0), ("look", look))
    rows = dict(row[:2] for row in mark(state, "detail.shape").rows)
    said = {Translator("en").text(name): value for name, value in rows.items()}
    assert said["shape"] == letters
    assert said["here"] == " × ".join(f"{n:,}" for n in numbers)
    assert said["elements"] == f"{math.prod(numbers):,}"


def test_sizes_that_do_not_go_together_are_said_beside_them_and_kept_out() -> None:
    state = after(block.initial(), ("size.heads", 7.0))
    assert state.heads == 8
    assert "512 channels cannot be split into 7 heads" in text(state)
    assert any(isinstance(found, Prose) and found.style == "error" for found in marks(scene(state)))
    assert not after(state, ("size.heads", 16.0)).wrong


def test_sizes_stay_within_limits_and_a_preset_is_left_by_other_widths() -> None:
    state = after(block.initial(), ("size.m", 1e9), ("size.batch", 0.0))
    assert (state.m, state.batch) == (16_384, 1)
    assert state.preset == "base"
    assert after(state, ("size.d_ff", 1000.0)).preset == ""
    assert after(state, ("size.nothing", 1.0)) == state


# ---- values -----------------------------------------------------------------------------------------------


def test_the_first_tensor_looked_at_is_measured_in_the_open_model() -> None:
    state = after(block.initial(), ("engine.opened", {"card": CARD}))
    assert block.update(state, Event("look", "ut.self"))[1] == ()
    state, effects = block.update(state, Event("look", "ut.x"))
    want = {"key": st.KEY, "what": "block", "args": {"checkpoint": "/models/mine"}}
    assert effects == (Effect("measure.start", want),)
    assert block.update(state, Event("look", "ut.a"))[1] == ()  # one at a time
    bar = mark(after(state, ("measure.progress", {"key": st.KEY, "done": 2, "total": 5})), "values.progress")
    assert isinstance(bar, Progress)
    assert (bar.done, bar.total) == (2, 5)
    found = after(state, done())
    table = mark(found, "values.table")
    assert isinstance(table, Sheet)
    assert [span.text for span in table.rows[0]] == ["1", "−1.50", "0.25", "2.00", "8.00", "1.25"]
    assert len(table.rows) == 3
    assert block.shows_model(found)


def test_without_a_model_the_shipped_one_is_offered() -> None:
    state = after(block.initial(), ("look", "ut.x"))
    assert not state.waiting
    assert mark(state, "detail.all").current is not None
    state, effects = block.update(state, Event("values.measure"))
    assert effects[0].value["args"]["checkpoint"].endswith("babi")
    assert not block.shows_model(state)


def test_a_measurement_can_be_cancelled_and_one_of_others_is_no_concern() -> None:
    state = after(block.initial(), "values.measure")
    assert after(state, ("measure.done", {"key": "grid.live", "value": {}})) == state
    stopped, effects = block.update(state, Event("values.cancel"))
    assert effects == (Effect("measure.cancel", st.KEY),)
    assert after(stopped, done()).values is None
    assert block.update(stopped, Event("values.cancel")) == (stopped, ())


def test_a_failure_is_said_with_what_to_do_and_can_be_tried_again() -> None:
    error = {"key": st.KEY, "what": "mine has no block of attention and transition", "do": "open another"}
    state = after(block.initial(), "values.measure", ("measure.error", error))
    assert "no block of attention" in text(state)
    assert "open another" in text(state).casefold()
    assert after(state, "values.measure").waiting


def test_another_checkpoint_forgets_what_was_measured() -> None:
    state = after(block.initial(), ("engine.opened", {"card": CARD}), "values.measure", done())
    assert state.values is not None
    assert after(state, ("engine.opened", {"card": CARD})).values is None  # the file may have changed
    other = after(state, ("engine.opened", {"card": {**CARD, "path": "/models/other", "name": "other"}}))
    assert other.values is None
    waiting = after(state, "values.measure")
    _, effects = block.update(waiting, Event("engine.opened", {"card": {**CARD, "path": "/b"}}))
    assert effects == (Effect("measure.cancel", st.KEY),)


def test_without_the_shipped_checkpoint_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.panes._block_events.shipped", dict)
    state, effects = block.update(block.initial(), Event("values.measure"))
    assert effects == ()
    assert not state.waiting
    assert "The shipped checkpoint babi is missing. Install the program again." in text(state)


def test_names_of_a_layer_s_parts_are_plain_where_nothing_is_lowered() -> None:
    state = after(block.initial(), ("look", "tf.norm1"))
    assert Translator("en").text(mark_title(state)) == "LayerNorm"
    assert Translator("en").text(block.sentence(state)).endswith("looked at: LayerNorm.")
    inner = after(block.initial(), ("look", "tf.inner"))
    rows = [[Translator("en").text(cell) for cell in row] for row in mark(inner, "detail.shape").rows]
    assert ["inside", "Feed-forward"] in rows


def mark_title(state: State) -> Any:
    found = next(one for one in walk(scene(state).root) if one.key == "detail")
    assert isinstance(found, Card)
    return found.title


@pytest.mark.parametrize(
    "view", [{"d": "²"}, {"m": "9" * 5000}, {"d": "512", "heads": "7"}, {"heads": "٣"}, {"steps": "-1"}]
)
def test_senseless_sizes_of_a_view_leave_the_usual_ones(view: dict[str, str]) -> None:
    before = after(block.initial(), ("size.d", 96), ("size.m", 7))
    state, _ = block.from_view(before, view)
    assert (state.d, state.heads, state.m, state.steps) == (512, 8, 20, 6)
    assert not state.wrong


def test_values_of_another_order_or_architecture_say_so() -> None:
    state = after(block.initial(), ("look", "ut.a"), "values.measure", done())
    assert "pre-norm, and its values were measured in that order" in text(state)
    assert "order" not in text(after(state, ("control.norm", "pre")))[-400:]
    assert "are in the other diagram" in text(after(state, ("look", "tf.a")))
    assert "is an encoder only" in text(after(state, ("control.side", "decoder"), ("look", "ut.b")))
    assert "no such tensor" in text(after(state, ("look", "ut.w")))
    layered = after(
        block.initial(), ("look", "tf.a"), "values.measure", done(architecture="transformer", layers=2)
    )
    assert (
        mark(layered, "values.table").columns[0]
        != mark(after(state, ("look", "ut.a")), "values.table").columns[0]
    )
    bare = after(block.initial(), ("look", "ut.a"), "values.measure", done(norm="none"))
    assert "no LayerNorm" in text(bare)


def test_the_diagrams_can_take_on_the_measured_model() -> None:
    state = after(block.initial(), ("engine.opened", {"card": CARD}), ("look", "ut.a"), done(), "values.fit")
    assert (state.norm, state.d, state.heads, state.d_ff) == ("pre", 64, 4, 128)
    assert (state.m, state.steps, state.batch, state.preset) == (7, 3, 1, "open")
    assert after(block.initial(), "values.fit") == block.initial()


def test_the_open_checkpoint_is_one_of_the_sizes() -> None:
    state = after(block.initial(), ("engine.opened", {"card": CARD}))
    choice = next(
        one for found in marks(scene(state)) if isinstance(found, Form) for row in found.fields for one in row
        if one.key == "preset"
    )  # fmt: skip
    assert isinstance(choice, Choice)
    assert ("open", "mine") in choice.options
    assert after(state, ("control.preset", "open")).d == 64


# ---- the whole --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", [*block.SHOWN, *block.LARGEST])
def test_views_come_back(view: dict[str, str]) -> None:
    state, effects = block.from_view(block.initial(), view)
    assert effects == ()
    assert block.from_view(after(block.initial(), ("control.norm", "pre")), block.to_view(state))[0] == state


def test_senseless_views_are_ignored() -> None:
    view = {"look": "ut.nothing", "norm": "none", "d": "-4", "heads": "7", "m": "99999999999", "feed": "x"}
    state, _ = block.from_view(block.initial(), view)
    assert state == block.initial()
    assert block.from_view(block.initial(), {"look": "ut.cross"})[0].look == "ut.self"


def test_leaving_the_decoder_looks_at_something_that_is_drawn() -> None:
    state = after(
        block.initial(), ("control.side", "decoder"), ("look", "tf.enc"), ("control.side", "encoder")
    )
    assert state.look == "tf.self"
    assert after(state, ("look", "tf.enc")) == state


@pytest.mark.parametrize("width", [640, 900, 1280, 1800])
def test_every_control_is_there_at_every_width(width: int) -> None:
    state = after(block.initial(), ("view.width", width))
    keys = {node.key for node in walk(scene(state).root)}
    assert {"ut.graph", "tf.graph", "ut.equations", "tf.equations", "detail", "sizes"} <= keys
    fields = {
        one.key
        for found in marks(scene(state))
        if isinstance(found, Form)
        for row in found.fields
        for one in row
    }
    assert {"side", "norm", "transition", "feed", "preset", "size.d", "size.heads"} <= fields


def test_what_can_be_clicked_can_be_reached_by_keyboard() -> None:
    for found in marks(scene(block.initial())):
        if isinstance(found, Graph):
            assert found.event
            assert all(box.value for box in found.boxes if box.style in ("box", "tensor"))
        if isinstance(found, Equation) and found.key.endswith("equations"):
            assert len(found.values) == len(found.formulas)
        if isinstance(found, Form):
            assert all(isinstance(one, Button | Choice | Real) for row in found.fields for one in row)
        if isinstance(found, Table):
            assert found.alt


def test_the_caption_names_what_is_drawn() -> None:
    state, _ = block.from_view(block.initial(), {"side": "decoder", "norm": "pre", "transition": "sepconv"})
    said = " ".join(Translator("en").text(one) for one in block.caption(state))
    assert said == "Decoder pre-norm (T2T) separable convolution d = 512, d_ff = 2048, 8 heads"
    assert "Decoder" not in Translator("en").text(block.sentence(state))
