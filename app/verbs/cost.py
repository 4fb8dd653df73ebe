"""`depthscope cost`: parameters and multiply-adds of a design, against Transformer base."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from app.verbs.common import Result, table, whole
from ut_engine.errors import UserError

if TYPE_CHECKING:
    from ut_engine.cost import Cost, Width
    from ut_engine.design import Design

EXAMPLE = "depthscope cost --preset ut-base --solve-width"
JSON = True


def arguments(parser: argparse.ArgumentParser) -> None:
    from ut_engine.design import TRANSITIONS
    from ut_engine.presets import PRESETS

    parser.add_argument(
        "--preset", choices=list(PRESETS), metavar="NAME",
        help=f"a published model: {', '.join(PRESETS)}; the options below change single values of it",
    )  # fmt: skip
    for name, most, text in (
        ("d-model", 10**6, "width (512)"),
        ("d-ff", 10**7, "inner width of the transition (without a preset 4 x d-model)"),
        ("heads", 10**4, "attention heads (8); they change no count"),
        ("depth", 10**4, "layers, or steps of a shared layer (6)"),
        ("vocab", 10**9, "vocabulary (37,000)"),
        ("d-embedding", 10**6, "width of a factorised embedding"),
    ):
        parser.add_argument(f"--{name}", type=whole(1, most), metavar="N", help=text)
    for name, text in (
        ("shared", "one layer for every step"),
        ("decoder", "encoder and decoder, or encoder only"),
        ("tied", "the softmax uses the embedding table"),
        ("attention-bias", "biases on the attention projections"),
        ("halting", "a halting unit a side (ACT)"),
    ):
        both = argparse.BooleanOptionalAction
        parser.add_argument(f"--{name}", action=both, default=None, help=text)
    parser.add_argument("--transition", choices=TRANSITIONS, help="sepconv: T2T's separable convolutions")
    parser.add_argument("--t2t", action="store_true", help="count what tensor2tensor really allocates")
    _work(parser)


def _work(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--softmax", action="store_true", help="work: the products outside the blocks too")
    parser.add_argument(
        "--hoisted", action="store_true",
        help="work: cross-attention keys and values once, which only a shared layer can",
    )  # fmt: skip
    parser.add_argument(
        "--length", type=whole(1, 10**9), metavar="L", help="work: attention scores at this length too"
    )
    parser.add_argument(
        "--solve-width", action="store_true",
        help="the width at which a shared layer with d-ff = 4 x d-model has base's parameters",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> Result:
    from ut_engine.cost import Switches, cost, solve_width

    design = _design(arguments)
    if arguments.hoisted and not (design.shared and design.decoder):
        what = "only a shared layer with a decoder can compute its cross-attention keys and values once"
        raise UserError(what, "add --shared and --decoder, or leave out --hoisted")
    switches = Switches(arguments.softmax, arguments.hoisted, arguments.length or 0)
    found = cost(design, switches)
    document = _document(arguments.preset, found)
    width = None
    if arguments.solve_width:
        width = solve_width(_to_solve(arguments, design))
        document |= {"width": width.width, "width_solution": _solution(width)}
    return Result(document, _text(document, found, width))


def _design(arguments: argparse.Namespace) -> Design:
    """The preset (Transformer base when none is named) with the options that were given."""
    from dataclasses import replace

    from ut_engine.design import Design, divisors
    from ut_engine.presets import as_tensor2tensor, preset

    start = preset(arguments.preset).design if arguments.preset else Design()
    names = ("d_model", "d_ff", "heads", "depth", "vocab", "d_embedding", "shared", "decoder", "tied",
             "attention_bias", "transition", "halting")  # fmt: skip
    given = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    if arguments.preset is None and "d_model" in given:
        given.setdefault("d_ff", 4 * given["d_model"])
    if "heads" not in given and given.get("d_model", start.d_model) % start.heads:
        fitting = [heads for heads in divisors(given["d_model"]) if heads <= start.heads]
        given["heads"] = fitting[-1]  # nobody asked for a number that does not divide the width
    design = replace(start, **given)
    if arguments.t2t and arguments.attention_bias:
        raise UserError("tensor2tensor has no attention biases", "leave out --t2t or --attention-bias")
    return as_tensor2tensor(design) if arguments.t2t else design


def _to_solve(arguments: argparse.Namespace, design: Design) -> Design:
    """Shared unless told otherwise; the heads wished for stay wished for, whatever the width."""
    from dataclasses import replace

    return replace(design, shared=arguments.shared is not False)


def _document(name: str | None, found: Cost) -> dict[str, Any]:
    from ut_engine.cost import base_of, macs
    from ut_engine.design import parameters

    design, switches = found.design, found.switches
    base = base_of(design)
    return {
        "preset": name,
        "design": _options(design),
        "switches": {name: getattr(switches, name) for name in ("softmax", "hoisted", "length")},
        "parameters": found.parameters,
        "block_parameters": found.block_parameters,
        "embedding_parameters": found.embedding_parameters,
        "macs_per_token": found.macs_per_token,
        "macs_are_per": "source and target token" if design.decoder else "token",
        "ratio_parameters": found.ratio_parameters,
        "ratio_macs": found.ratio_macs,
        "base": {"parameters": parameters(base), "macs_per_token": macs(base, switches)},
        "breakdown": found.breakdown,
        "macs": found.macs,
        "arrays": [
            {"name": one.name, "group": one.group, "kind": one.kind, "shape": one.shape,
             "copies": one.copies, "parameters": one.count}
            for one in found.weights
        ],
    }  # fmt: skip


def _options(design: Design) -> dict[str, Any]:
    from dataclasses import fields

    return {item.name: getattr(design, item.name) for item in fields(design) if item.name != "extras"}


def _solution(width: Width) -> dict[str, Any]:
    return {
        "equation": width.equation,
        "root": width.root,
        "target": width.target,
        "parameters": width.parameters,
        "excess": width.excess,
        "heads_that_divide": width.divisors,
        "nearest_usable": width.nearest,
    }


def _text(document: dict[str, Any], found: Cost, width: Width | None) -> str:
    design = found.design
    depth = (
        f"{_many(design.depth, 'step')} of one shared layer"
        if design.shared
        else _many(design.depth, "layer")
    )
    sides = "encoder and decoder" if design.decoder else "encoder only"
    said = (
        f"{document['preset'] or 'as given'}: d_model {design.d_model:,}, d_ff {design.d_ff:,}, "
        f"{_many(design.heads, 'head')}, {depth}, vocabulary {design.vocab:,}, {sides}"
    )
    rows = [
        ("parameters", found.parameters, found.ratio_parameters),
        *((f"  {kind}", count, None) for kind, count in found.breakdown.items() if count),
        ("of these in the blocks", found.block_parameters, None),
        (f"multiply-adds per {document['macs_are_per']}", found.macs_per_token, found.ratio_macs),
        *((f"  {kind}", count, None) for kind, count in found.macs.items() if count),
    ]
    shown = f"{said}\n\n{table(('', 'count', 'of base'), rows)}"
    return shown if width is None else f"{shown}\n\n{_about_width(width, design.heads)}"


def _about_width(width: Width, heads: int) -> str:
    divisors = ", ".join(map(str, width.divisors))
    below, above = width.nearest
    return (
        f"width of a layer with d_ff = 4 d and base's parameters: {width.equation}\n"
        f"d = {width.root:.6f}, rounded {width.width:,}: "
        f"{width.parameters:,} parameters ({width.excess:+,} against base)\n"
        f"{width.width:,} divides into {divisors} heads; nearest for {heads}: {below:,} and {above:,}"
    )


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
