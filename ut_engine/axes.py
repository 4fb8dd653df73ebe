"""Glossary of axis names; every shape in the engine and on screen is written with these words."""

from __future__ import annotations

AXES = {
    "batch": "examples run together",
    "position": "tokens, sentences or symbols of the input, i = 1 ... m",
    "step": "rounds of the shared layer, t = 1 ... T; depth, never generated tokens",
    "head": "attention heads, k",
    "query": "the position that reads (rows of a map)",
    "key": "the position that is read (columns of a map)",
    "dim": "channels of a state, d",
    "word": "words of a sentence, where a position is a sentence",
    "answer": "classes of the read-out",
    "line": "lines of the paper's listing 2, 1 ... 9",
}
