"""What `depthscope trace` tells of a run: the contract's JSON, and tables for people."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from app.verbs.common import table
from ut_engine.metrics import marked_mass
from ut_engine.records import StepRecord
from ut_engine.run import Run, RunInfo

_NO_MAPS: dict[str, Any] = {"entropy": None, "mass": None, "question_entropy": None, "question_mass": None}


def of_maps(record: StepRecord, info: RunInfo) -> dict[str, Any]:
    """Entropy (nats) and mass on the marked positions, [head] each, means over the computed rows; of the
    question's row besides where position 1 answers."""
    if not record.attention:
        return _NO_MAPS
    entry = record.attention[0]
    rows = record.computed[0] & record.real[0]
    found = dict(_NO_MAPS)
    if entry.entropy is not None and rows.any():
        found["entropy"] = entry.entropy[0][:, rows].mean(axis=1)
        found["question_entropy"] = entry.entropy[0][:, 0]
    if entry.weights is not None and info.marks and rows.any():
        marked = np.zeros(entry.weights.shape[-1], dtype=bool)
        marked[list(info.marks)] = True
        mass = marked_mass(entry.weights[0], marked)  # [head, query]
        found["mass"], found["question_mass"] = mass[:, rows].mean(axis=1), mass[:, 0]
    if info.readout != "first":
        found["question_entropy"] = found["question_mass"] = None
    return found


def slim(record: StepRecord) -> StepRecord:
    """The record without its maps and states: all that is needed once the step has been described."""
    entries = record.attention and tuple(replace(entry, weights=None) for entry in record.attention)
    return replace(record, attention=entries, state=None, output=None, readout_state=None)


def document(run: Run, maps: list[dict[str, Any]], seconds: float, file: str | None) -> dict[str, Any]:
    """The contract's names; positions and steps are in the lists' order.

    An encoder-decoder answers at its target's positions; how its decoder thought stands in "decoder".
    """
    info = run.info
    encoder = _side(run, "encoder")
    maps = maps[: encoder["steps"]]
    marked = bool(info.marks) and maps[0]["mass"] is not None
    decoder = {"decoder": _side(run, "decoder")} if run.of("decoder") else {}
    return {
        "checkpoint": info.checkpoint,
        "family": info.family,
        "tokens": list(info.labels),
        "marks": [place + 1 for place in info.marks],
        "cropped": info.cropped,
        **encoder,
        "attention_entropy": None if maps[0]["entropy"] is None else [one["entropy"] for one in maps],
        "attention_mass": [one["mass"] for one in maps] if marked else None,
        "question_entropy": _of_question(maps, "question_entropy"),
        "question_mass": _of_question(maps, "question_mass"),
        **_predictions(run, "decoder" if decoder else "encoder"),
        "expected": info.expected,
        "not_finite_from": run.not_finite_from("decoder" if decoder else "encoder"),
        "device": info.device,
        "seconds": seconds,
        **decoder,
        "file": file,
    }


def _side(run: Run, side: str) -> dict[str, Any]:
    """Who ran how long on one side."""
    records = run.of(side)
    halting, positions = records[-1].halting, records[-1].real.shape[1]
    remainders = np.zeros(positions) if halting is None else halting.remainder
    assert remainders is not None
    return {
        "steps": records[-1].step,
        "n_running": run.n_running(0, side),
        "halting": None if halting is None else run.curve("signal", side=side).T,
        "n_updates": run.n_updates(side=side).astype(int),
        "remainders": remainders.reshape(-1),
        "ponder": run.ponder(side=side),
        "step_seconds": [record.seconds for record in records],
    }


def _of_question(maps: list[dict[str, Any]], name: str) -> list[Any] | None:
    return None if maps[0][name] is None else [one[name] for one in maps]


def _predictions(run: Run, side: str) -> dict[str, Any]:
    """The answer at the end and at every step; a list of answers where every position gives one."""
    info = run.info
    if info.readout == "first":
        answers = [{"answer": p and p[0], "probability": p and p[1]} for p in run.predictions()]
        return {
            "prediction": answers[-1]["answer"],
            "probability": answers[-1]["probability"],
            "predictions": answers,
        }
    records = run.of(side)
    places = range(records[-1].real.shape[1])
    last = [run.prediction(records[-1], place) for place in places]
    return {
        "prediction": [p and p[0] for p in last],
        "probability": [p and p[1] for p in last],
        "predictions": [[p and p[0] for p in map(_at(run, record), places)] for record in records],
    }


def _at(run: Run, record: StepRecord) -> Any:
    return lambda place: run.prediction(record, place)


def text(found: dict[str, Any]) -> str:
    """Step by step, then position by position, then the answer."""
    parts = [_steps(found), _positions(found)]
    if "decoder" in found:
        unmarked = {"attention_entropy": None, "attention_mass": None, "marks": ()}
        written = {**found, **found["decoder"], **unmarked, "tokens": found["prediction"]}
        parts += ["the decoder", _steps(written), _positions(written)]
    parts.append(_answer(found))
    if found["cropped"]:
        parts.append(f"the {found['cropped']} oldest facts did not fit and were left out")
    if found["file"]:
        parts.append(f"recorded in {found['file']}")
    return "\n\n".join(parts)


def _steps(found: dict[str, Any]) -> str:
    single = isinstance(found["prediction"], str)
    rows = []
    for place in range(found["steps"]):
        entropy, mass = found["attention_entropy"], found["attention_mass"]
        answer = found["predictions"][place] if single else {"answer": None}
        said = f"{answer['answer']} ({answer['probability']:.3f})" if answer["answer"] else None
        rows.append(
            (
                place + 1, found["n_running"][place],
                None if entropy is None else float(np.mean(entropy[place])),
                None if mass is None else float(np.mean(mass[place])),
                said, 1000 * found["step_seconds"][place],
            )
        )  # fmt: skip
    return table(("step", "running", "entropy", "mass on facts", "answer if stopped", "ms"), rows)


def _positions(found: dict[str, Any]) -> str:
    marks = set(found["marks"])
    rows = [
        (place, "*" if place in marks else "", token, int(n), float(r), float(rho))
        for place, (token, n, r, rho) in enumerate(
            zip(found["tokens"], found["n_updates"], found["remainders"], found["ponder"], strict=True),
            start=1,
        )
    ]
    return table(("i", "fact", "position", "N", "R", "N + R"), rows)


def _answer(found: dict[str, Any]) -> str:
    answer = found["prediction"]
    given = [answer] if isinstance(answer, str) or answer is None else list(answer)
    shown = " ".join("-" if one is None else str(one) for one in given)
    sure = f" with probability {found['probability']:.3f}" if isinstance(answer, str) else ""
    right = "" if found["expected"] is None else f" (expected: {found['expected']})"
    how = f"{found['steps']} steps on {found['device']} in {found['seconds']:.3f} s"
    first = found["not_finite_from"]
    broken = f"\n\nits numbers are not finite (NaN or infinity) from step {first} on" if first else ""
    return f"answer: {shown}{sure}{right}; {how}{broken}"
