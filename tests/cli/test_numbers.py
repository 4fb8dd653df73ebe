"""`cost`, `coords` and `scan`: the story's figures through `--json`, texts, and wrong options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from app.cli import parser_of
from ut_engine import coordinates

Cli = Callable[..., Any]

COSTS = {
    "transformer-base": (63_082_496, 44_138_496, 18_944_000, 44_040_192),
    "ut-small": (26_300_416, 7_356_416, 18_944_000, 44_040_192),
    "ut-base": (67_280_896, 29_392_896, 37_888_000, 176_160_768),
    "transformer-big": (214_245_376, 176_357_376, 37_888_000, 176_160_768),
    "bert-base": (109_482_240, 85_054_464, 23_837_184, 84_934_656),
    "albert-base": (11_683_584, 7_087_872, 4_005_120, 84_934_656),
}


@pytest.mark.parametrize("name", COSTS)
def test_presets(cli: Cli, name: str) -> None:
    found = cli("cost", "--preset", name, "--json").document
    keys = ("parameters", "block_parameters", "embedding_parameters", "macs_per_token")
    assert tuple(found[key] for key in keys) == COSTS[name]
    assert found["ratio_parameters"] == COSTS[name][0] / 63_082_496
    assert found["ratio_macs"] == COSTS[name][3] / 44_040_192
    assert found["parameters"] == sum(found["breakdown"].values())
    assert found["parameters"] == sum(one["parameters"] for one in found["arrays"])
    assert found["base"] == {"parameters": 63_082_496, "macs_per_token": 44_040_192}
    assert f"{COSTS[name][0]:,}" in cli("cost", "--preset", name).out


def test_options_build_the_presets(cli: Cli) -> None:
    assert cli("cost", "--json").document["parameters"] == 63_082_496
    wide = ("--d-model", 1024, "--heads", 16)  # d_ff is 4 x d_model when not given
    assert cli("cost", *wide, "--shared", "--json").document["parameters"] == 67_280_896
    assert cli("cost", *wide, "--d-ff", 4096, "--json").document["parameters"] == 214_245_376
    assert cli("cost", *wide, "--no-shared", "--depth", 12, "--json").document["ratio_macs"] == 8
    changed = cli("cost", "--preset", "bert-base", "--vocab", 30_000, "--json").document
    assert changed["parameters"] == 108_490_752 + 768 * 768 + 768  # with the pooler
    apart = cli("cost", "--preset", "albert-base", "--no-shared", "--json").document
    assert apart["parameters"] == 11_683_584 + 11 * 7_087_872
    one = cli("cost", "--depth", 1, "--no-decoder", "--json").document
    assert (one["block_parameters"], one["macs_per_token"]) == (3_152_384, 12 * 512**2)
    assert one["macs_are_per"] == "token"


SWITCHES = {
    "--softmax": ("ratio_macs", 3.398452233856),
    "--hoisted": ("ratio_macs", 3.761904761905),
    "--no-attention-bias": ("ratio_parameters", 67_268_608 / 63_045_632),
    "--t2t": ("ratio_parameters", 67_317_760 / 63_064_064),
    "--length 1000": ("ratio_macs", (176_160_768 + 36_864_000) / (44_040_192 + 18_432_000)),
}


@pytest.mark.parametrize("options", SWITCHES)
def test_switches_change_the_ratio_of_ut_base(cli: Cli, options: str) -> None:
    key, value = SWITCHES[options]
    found = cli("cost", "--preset", "ut-base", *options.split(), "--json").document
    assert found[key] == pytest.approx(value, abs=1e-12)


def test_tensor2tensors_adaptive_base(cli: Cli) -> None:
    found = cli("cost", "--preset", "ut-base", "--t2t", "--halting", "--json").document
    assert found["parameters"] == 67_332_098
    found = cli("cost", "--preset", "ut-base", "--t2t", "--transition", "sepconv", "--json").document
    assert found["parameters"] == 67_364_864


@pytest.mark.parametrize("options", [(), ("--preset", "ut-base"), ("--shared", "--d-model", 64)])
def test_width(cli: Cli, options: tuple[object, ...]) -> None:
    found = cli("cost", "--solve-width", *options, "--json").document
    assert found["width"] == 979
    solution = found["width_solution"]
    assert solution["root"] == pytest.approx(978.910945152614, abs=1e-9)
    assert solution["equation"] == "28 d^2 + 37,032 d = 63,082,496"
    assert (solution["parameters"], solution["excess"]) == (63_090_676, 8_180)
    assert solution["heads_that_divide"] == [1, 11, 89, 979]
    assert "978.910945, rounded 979" in cli("cost", "--solve-width", *options).out


def test_a_width_that_does_not_split_into_the_usual_heads(cli: Cli, refused: Callable[..., str]) -> None:
    found = cli("cost", "--d-model", 979, "--shared", "--json").document
    assert found["parameters"] == 63_090_676
    assert found["design"]["heads"] == 1
    assert "1, 11, 89, 979" in refused("cost", "--d-model", 979, "--heads", 8)


@pytest.mark.parametrize("variant", coordinates.VARIANTS)
@pytest.mark.parametrize("part", coordinates.PARTS)
def test_coords(cli: Cli, variant: str, part: str) -> None:
    options = ("--d-model", 16, "--positions", 9, "--step", 4, "--variant", variant, "--part", part)
    found = cli("coords", *options, "--full", "--json").document
    matrix = coordinates.coordinates(16, 9, 4, variant, part)
    assert found["matrix"] == matrix.tolist()
    assert found["norms"] == np.linalg.norm(matrix, axis=1).tolist()
    assert found["closed_form"] == pytest.approx(found["norms"], abs=1e-12)
    assert "matrix" not in cli("coords", *options, "--json").document
    assert cli("coords", *options, "--full").out.count("\n") > cli("coords", *options).out.count("\n")


def test_lengths_of_the_story(cli: Cli) -> None:
    size = ("--d-model", 512, "--positions", 1000, "--step")
    found = cli("coords", *size, 1, "--json").document
    assert found["norms"][0] == pytest.approx(32, abs=1e-12)
    assert min(found["norms"]) == pytest.approx(24.1454371410, abs=1e-10)
    moved = cli("coords", *size, 500, "--json").document["norms"]
    assert moved[499:] == pytest.approx(found["norms"][:501], abs=1e-9)  # the same curve, shifted
    assert moved[0] == pytest.approx(found["norms"][499], abs=1e-9)
    assert cli("coords", *size, 3, "--json").document["norms"][999] == pytest.approx(24.71513261229614)
    t2t = cli("coords", *size, 3, "--variant", "t2t", "--json").document["norms"]
    assert t2t[999] == pytest.approx(24.83373379735545, abs=1e-12)
    alone = cli("coords", *size, 3, "--part", "position", "--json").document
    assert set(alone["closed_form"]) == {16.0}
    assert "longest 32.000000 at i = 3" in cli("coords", *size, 3).out


def test_lengths_far_out(cli: Cli) -> None:
    far = ("--d-model", 512, "--positions", 20_000, "--step", 1)
    norms = np.array(cli("coords", *far, "--json").document["norms"])
    assert int(np.argmax(norms < np.sqrt(512))) == 3284  # the offset: position 3,285 at step 1
    assert (int(norms.argmin()), round(float(norms.min()), 10)) == (18_469, 20.8852584988)


def test_scan_of_the_worked_example(cli: Cli) -> None:
    found = cli("scan", "--bits", "10110100", "--json").document
    assert found["states"] == ["10110100", "11101110", "11010101", "11011000"]
    assert found["target"] == "11011000"
    assert (found["steps_needed"], found["settled"]) == (3, [1, 2, 4, 8])
    assert found["correct"] == [
        sum(a == b for a, b in zip(state, "11011000", strict=True)) for state in found["states"]
    ]
    for other in ("1,0,1,1,0,1,0,0", "1011 0100"):
        assert cli("scan", "--bits", other, "--json").document == found


@pytest.mark.parametrize(("n", "needed", "cells"), [(40, 177, 240), (400, 3089, 3600), (1, 0, 0)])
def test_cells_needed(cli: Cli, n: int, needed: int, cells: int) -> None:
    found = cli("scan", "--length", n, "--json").document
    assert (found["cells_needed"], found["cells"]) == (needed, cells)
    assert "cells" not in cli("scan", "--length", n, "--no-step-signal", "--json").document


@pytest.mark.parametrize(("n", "steps", "without"), [(40, 6, 63), (400, 9, 511), (1024, 10, 1023), (1, 0, 0)])
def test_steps_needed(cli: Cli, n: int, steps: int, without: int) -> None:
    found = cli("scan", "--length", n, "--seed", 7, "--json").document
    assert found["steps_needed"] == steps == len(found["states"]) - 1
    assert (found["settled"][-1], found["correct"][-1]) == (n, n)
    blind = cli("scan", "--length", n, "--seed", 7, "--no-step-signal", "--json").document
    assert blind["steps_needed"] == without == len(blind["settled"]) - 1
    assert blind["states"][0] == found["states"][0]
    assert blind["states"][-1] == found["target"]
    assert max(blind["settled"][:-1], default=0) < n


def test_six_layers_on_all_ones(cli: Cli) -> None:
    found = cli("scan", "--bits", "1" * 400, "--steps", 6, "--json").document
    assert 400 - found["correct"][-1] == 168
    assert (found["first_wrong"], found["first_not_settled"], found["settled"][-1]) == (65, 65, 64)
    said = cli("scan", "--bits", "1" * 400, "--steps", 6).out
    assert "after 6 steps 64 of 400 positions are settled, the first that is not is 65; 168 of" in said


def test_a_seed_is_a_choice_of_bits(cli: Cli) -> None:
    states = {cli("scan", "--length", 64, "--seed", seed, "--json").document["target"] for seed in range(5)}
    assert len(states) == 5
    assert cli("scan", "--length", 64).out == cli("scan", "--length", 64, "--seed", 0).out


def test_other_operators(cli: Cli) -> None:
    digits = cli("scan", "--bits", "19283", "--operator", "sum10", "--json").document
    assert (digits["target"], digits["correct"][-1]) == ("10203", 5)
    found = cli("scan", "--length", 9, "--operator", "permutation", "--json").document
    assert found["states"][-1] == found["target"]
    assert all(sorted(word) == list("12345") for word in found["target"])
    assert cli("scan", "--bits", "gpk", "--operator", "carry", "--json").document["target"] == "ggk"


WRONG = """
cost extra
cost --preset gpt
cost --d-model 0
cost --d-model -512
cost --d-model 1.5
cost --d-model 9999999
cost --heads 7
cost --heads 0
cost --depth 0
cost --depth many
cost --vocab 0
cost --d-embedding 0
cost --length 0
cost --hoisted
cost --preset ut-base --hoisted --no-decoder
cost --preset bert-base --t2t
cost --t2t --attention-bias
cost --transition conv
cost --solve-width --vocab 1000000000
cost --shared yes
coords
coords --d-model 512 --positions 10
coords --d-model 512 --step 1
coords --positions 10 --step 1
coords --d-model 7 --positions 10 --step 1
coords --d-model 0 --positions 10 --step 1
coords --d-model 8 --positions 0 --step 1
coords --d-model 8 --positions 10 --step 0
coords --d-model 8 --positions 10 --step 1 --variant vaswani
coords --d-model 8 --positions 10 --step 1 --part both
coords --d-model 1024 --positions 1000000 --step 1
coords --d-model 512 --positions 100000 --step 1 --full
coords --d-model 8 --positions nan --step 1
scan
scan --bits 012
scan --bits 1 --length 4
scan --length 0
scan --length 1025
scan --length -3
scan --length 8 --seed -1
scan --length 8 --seed x
scan --bits 10 --seed 1
scan --length 8 --steps 0
scan --length 8 --steps all
scan --length 8 --steps 4097
scan --length 8 --steps -1
scan --length 8 --operator and
scan --length 8 --operator sum10 --no-step-signal
scan --bits 12 --operator permutation
"""


@pytest.mark.parametrize("line", [*WRONG.strip().splitlines()])
def test_wrong_options(refused: Callable[..., str], line: str) -> None:
    words = line.split()
    refused(*words)
    refused(*words, "--json")


def test_digits_of_a_korean_keyboard_are_digits(cli: Cli) -> None:
    assert cli("scan", "--bits=１０", "--json").document == cli("scan", "--bits=10", "--json").document


@pytest.mark.parametrize("text", ["", " ", ",", "1" * 1025, "1\0", "１２"])
def test_bits_that_are_none(refused: Callable[..., str], text: str) -> None:
    refused("scan", f"--bits={text}")


@pytest.mark.parametrize("verb", ["cost", "coords", "scan"])
def test_every_option_has_a_text(verb: str) -> None:
    _, parser = parser_of(verb)
    assert [action.dest for action in parser._actions if not action.help] == []
