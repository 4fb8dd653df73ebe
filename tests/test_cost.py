"""Parameters and multiply-adds: the story's figures, tensor2tensor's, and a brute-force count of shapes."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ut_engine.cost import Switches, base_of, cost, macs, solve_width
from ut_engine.design import Design, divisors, parameters, weights
from ut_engine.errors import UserError
from ut_engine.presets import PRESETS, T2T_NAMES, as_tensor2tensor, preset, tensor2tensor

BASE, SMALL, UT, BIG = (
    PRESETS[name].design for name in ("transformer-base", "ut-small", "ut-base", "transformer-big")
)
BERT, ALBERT = PRESETS["bert-base"].design, PRESETS["albert-base"].design

# name: parameters, of base, multiply-adds a pair, of base, BLEU
STORY = {
    "transformer-base": (63_082_496, 1, 44_040_192, 1, 28.0),
    "ut-small": (26_300_416, 0.416920979157, 44_040_192, 1, 26.8),
    "ut-base": (67_280_896, 1.066554119862, 176_160_768, 4, 28.9),
    "transformer-big": (214_245_376, 3.396272969288, 176_160_768, 4, 28.4),
}


@pytest.mark.parametrize("name", STORY)
def test_the_table_of_the_story(name: str) -> None:
    count, ratio, work, times, bleu = STORY[name]
    found = cost(PRESETS[name].design)
    assert (found.parameters, found.macs_per_token) == (count, work)
    assert found.ratio_parameters == pytest.approx(ratio, abs=1e-12)
    assert found.ratio_macs == times
    assert PRESETS[name].bleu == bleu


def test_blocks_and_embedding() -> None:
    found = cost(BASE)
    assert (found.block_parameters, found.embedding_parameters) == (44_138_496, 18_944_000)
    assert cost(SMALL).block_parameters == 7_356_416 == 3_152_384 + 4_204_032
    assert cost(UT).block_parameters == 29_392_896 == 12_596_224 + 16_796_672
    assert cost(BIG).block_parameters == 176_357_376
    assert cost(UT).embedding_parameters == cost(BIG).embedding_parameters == 37_888_000
    assert cost(replace(BASE, depth=1, decoder=False)).block_parameters == 3_152_384


def test_more_parameters_at_the_same_work_and_more_work_at_the_same_parameters() -> None:
    assert parameters(BIG) / parameters(UT) == pytest.approx(3.184341896993, abs=1e-12)
    assert macs(BIG) == macs(UT)
    assert round(cost(UT).block_parameters / cost(BASE).block_parameters, 5) == 0.66592
    assert round(cost(UT).block_parameters / cost(BASE).block_parameters, 3) == 0.666


def test_work_of_encoder_and_decoder() -> None:
    assert macs(replace(BASE, decoder=False)) == 18_874_368
    assert macs(BASE) - macs(replace(BASE, decoder=False)) == 25_165_824
    assert macs(replace(UT, decoder=False)) == 75_497_472
    assert macs(UT) - macs(replace(UT, decoder=False)) == 100_663_296


def test_softmax_projection() -> None:
    assert macs(BASE, Switches(softmax=True)) == 62_984_192
    assert macs(UT, Switches(softmax=True)) == macs(BIG, Switches(softmax=True)) == 214_048_768
    assert cost(UT, Switches(softmax=True)).ratio_macs == pytest.approx(3.398452233856, abs=1e-12)


def test_hoisted_keys_and_values() -> None:
    found = cost(UT, Switches(hoisted=True))
    assert found.macs_per_token == 165_675_008
    assert found.ratio_macs == pytest.approx(3.761904761905, abs=1e-12)
    assert cost(BIG, Switches(hoisted=True)).macs_per_token == macs(BIG)  # own layers cannot


def test_attention_biases() -> None:
    assert parameters(replace(BASE, attention_bias=False)) == 63_045_632
    found = cost(replace(UT, attention_bias=False))
    assert found.ratio_parameters == parameters(found.design) / 63_045_632
    assert solve_width(replace(UT, attention_bias=False)).root == pytest.approx(978.637, abs=5e-4)
    assert parameters(replace(BASE, final_norm=True)) == 63_084_544


@pytest.mark.parametrize("length", [1, 64, 1000])
def test_scores_are_2_l_d_per_token_attention_and_step(length: int) -> None:
    for design in (BASE, UT):
        one = 2 * length * design.d_model
        with_scores = cost(design, Switches(length=length))
        assert with_scores.macs["scores"] == with_scores.macs_per_token - macs(design) == 3 * 6 * one
        encoder = replace(design, decoder=False)
        assert macs(encoder, Switches(length=length)) - macs(encoder) == 6 * one
    assert cost(UT, Switches(length=length)).ratio_macs < 4  # scores only double


def test_the_width_with_bases_parameters() -> None:
    found = solve_width(SMALL)
    assert (found.a, found.b, found.c, found.target) == (28, 37_032, 0, 63_082_496)
    assert found.equation == "28 d^2 + 37,032 d = 63,082,496"
    assert found.root == pytest.approx(978.910945152614, abs=1e-12)
    assert (found.width, found.parameters, found.excess) == (979, 63_090_676, 8_180)
    assert found.divisors == (1, 11, 89, 979)
    assert 8 not in found.divisors
    assert solve_width(UT).nearest == (976, 992)
    below = replace(UT, d_model=978, d_ff=4 * 978, heads=1)
    assert parameters(below) - found.target == -83_648


def test_solving_for_a_designs_own_parameters_gives_its_width() -> None:
    for design in (BASE, SMALL, UT, BIG, BERT, ALBERT, tensor2tensor("adaptive-ut-base")):
        found = solve_width(design, parameters(design))
        assert found.root == pytest.approx(design.d_model, rel=1e-12)
        assert found.excess == 0


def test_a_width_that_does_not_exist() -> None:
    with pytest.raises(UserError, match="no width has 1,000 parameters"):
        solve_width(SMALL, 1000)


def test_bert_and_albert() -> None:
    assert parameters(BERT) == 109_482_240
    assert parameters(replace(BERT, vocab=30_000, pooler=False)) == 108_490_752
    assert parameters(ALBERT) == 11_683_584
    assert round(parameters(replace(BERT, shared=True)) / 1e6, 1) == 31.5
    assert macs(BERT) == macs(ALBERT) == 84_934_656  # inference work stays
    outside = Switches(softmax=True)
    assert macs(ALBERT, outside) - macs(ALBERT) == 30_000 * 128 + 2 * 128 * 768


T2T = {
    "transformer-base": (63_064_064, 61_378_560),
    "ut-small": (26_318_848, 24_633_344),
    "ut-base": (67_317_760, 63_946_752),
    "ut-base-sepconv": (67_364_864, 63_993_856),
    "adaptive-ut-base": (67_332_098, 63_961_090),
    "transformer-big": (214_208_512, 210_837_504),
}


@pytest.mark.parametrize("name", T2T_NAMES)
def test_what_tensor2tensor_really_allocates(name: str) -> None:
    assert (parameters(tensor2tensor(name)), parameters(tensor2tensor(name, 33_708))) == T2T[name]


def test_the_transitions_of_tensor2tensor() -> None:
    for d, plain, separable in ((512, 2_099_712, 2_111_488), (1024, 8_393_728, 8_417_280)):
        counts = {}
        for transition in ("feedforward", "sepconv"):
            design = Design(d, 4 * d, depth=1, decoder=False, transition=transition)
            counts[transition] = sum(one.count for one in weights(design) if "transition" in one.name
                                     or "kernel" in one.name)  # fmt: skip
        assert counts == {"feedforward": plain, "sepconv": separable}


designs = st.builds(
    lambda heads, per_head, **options: Design(heads=heads, d_model=heads * per_head, **options),
    heads=st.integers(1, 8),
    per_head=st.integers(1, 32),
    d_ff=st.integers(1, 300),
    depth=st.integers(1, 12),
    shared=st.booleans(),
    vocab=st.integers(1, 1000),
    d_embedding=st.none() | st.integers(1, 64),
    decoder=st.booleans(),
    tied=st.booleans(),
    attention_bias=st.booleans(),
    transition=st.sampled_from(("feedforward", "sepconv")),
    embedding_rows=st.integers(0, 9),
    embedding_norm=st.booleans(),
    pooler=st.booleans(),
    final_norm=st.booleans(),
    target_space=st.integers(0, 9),
    step_rows=st.integers(0, 9),
    halting=st.booleans(),
)


def shapes(design: Design) -> list[tuple[int, ...]]:
    """Every array of the model, one by one, as a builder would allocate it."""
    d, f = design.d_model, design.d_ff
    width = d if design.d_embedding is None else design.d_embedding
    found: list[tuple[int, ...]] = [(design.vocab, width)]
    found += [(width,)] * design.embedding_rows + [(design.target_space, d)]
    found += [(design.vocab, width)] * (not design.tied)
    found += [(width,), (width,)] * design.embedding_norm
    found += [(width, d), (d,)] * (design.d_embedding is not None)
    for side in ("encoder", "decoder")[: 1 + design.decoder]:
        for _ in range(1 if design.shared else design.depth):
            for _ in range(1 if side == "encoder" else 2):
                for _ in "qkvo":
                    found += [(d, d)] + [(d,)] * design.attention_bias
                found += [(d,), (d,)]  # a LayerNorm after each
            if design.transition == "sepconv":
                found += [(3, d), (5, f)]
            found += [(d, f), (f,), (f, d), (d,), (d,), (d,)]
        found += [(d,), (d,)] * design.final_norm
        found += [(design.step_rows, d)]
        found += [(d, 1), (1,)] * design.halting
    found += [(d, d), (d,)] * design.pooler
    return found


@given(designs)
def test_counts_are_those_of_the_shapes_one_by_one(design: Design) -> None:
    found = cost(design)
    assert found.parameters == sum(math.prod(shape) for shape in shapes(design))
    assert found.parameters == sum(found.breakdown.values()) == parameters(design)
    outside = sum(one.count for one in found.weights if one.group == "outside")
    assert found.parameters == found.block_parameters + found.embedding_parameters + outside


@given(designs, st.integers(1, 500))
def test_multiply_adds_are_those_of_the_products_one_by_one(design: Design, length: int) -> None:
    d, f = design.d_model, design.d_ff
    products = [(1, d, d)] * 4 + [(1, d, length), (1, length, d), (1, d, f), (1, f, d)]
    if design.transition == "sepconv":
        products += [(1, 3, d), (1, 5, f)]
    products += [(1, d, 1)] * design.halting
    if design.decoder:
        products += products + [(1, d, d)] * 4 + [(1, d, length), (1, length, d)]
    assert macs(design, Switches(length=length)) == design.depth * sum(map(math.prod, products))


@given(designs, st.integers(1, 40))
def test_work_is_linear_in_the_steps_and_sharing_keeps_the_parameters(design: Design, steps: int) -> None:
    one, many = replace(design, depth=1), replace(design, depth=steps)
    assert macs(many) == steps * macs(one)
    assert parameters(replace(many, shared=True)) == parameters(replace(one, shared=True))
    assert macs(replace(many, shared=True)) == macs(replace(many, shared=False))
    apart = replace(many, shared=False)
    assert cost(apart).block_parameters == steps * cost(replace(one, shared=False)).block_parameters


@given(designs)
def test_the_number_of_heads_changes_no_count(design: Design) -> None:
    other = replace(design, heads=1)
    assert (parameters(other), macs(other)) == (parameters(design), macs(design))


@given(st.integers(1, 5000))
def test_divisors(number: int) -> None:
    assert list(divisors(number)) == [k for k in range(1, number + 1) if number % k == 0]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"d_model": 0}, "d_model"),
        ({"d_ff": -1}, "d_ff"),
        ({"depth": 0}, "depth"),
        ({"vocab": 0}, "vocab"),
        ({"d_embedding": 0}, "d_embedding"),
        ({"heads": 7}, "7 heads"),
        ({"transition": "lstm"}, "transition"),
        ({"lstm": True}, "LSTM"),
    ],
)
def test_designs_that_cannot_be(options: dict[str, int], named: str) -> None:
    with pytest.raises(UserError, match=named):
        Design(**options)


def test_names_that_are_none() -> None:
    with pytest.raises(UserError, match="no preset 'gpt'"):
        preset("gpt")
    with pytest.raises(UserError, match="no preset 'gpt'"):
        tensor2tensor("gpt")
    with pytest.raises(UserError, match="BERT"):
        as_tensor2tensor(BERT)
    with pytest.raises(UserError, match="length"):
        Switches(length=-1)


def test_base_is_counted_the_same_way() -> None:
    assert base_of(UT) == BASE
    assert cost(tensor2tensor("ut-base")).ratio_parameters == 67_317_760 / 63_064_064
