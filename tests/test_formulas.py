"""Formulas: drawings are in step with their sources, every one can be read aloud in every language."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from app import formulas
from app.messages import LANGUAGES, Translator
from app.render.tables import twin
from app.scene import Equation

ROOT = Path(__file__).resolve().parent.parent
HANGUL = re.compile("[가-힣]")


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    pytest.importorskip("ziamath", reason="ziamath, which typesets the formulas, is not installed")
    spec = importlib.util.spec_from_file_location("formulas_tool", ROOT / "packaging" / "formulas.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_drawings_are_in_step_with_their_sources(tool: ModuleType) -> None:
    assert tool.faults() == [], "run: python packaging/formulas.py compile"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_tool_sees_what_is_wrong(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "formulas.toml").write_text("kept = 'x^2'\nchanged = 'y'\nnew = 'z'\n", "utf-8")
    for name, source in (("kept", "x^2"), ("changed", "x"), ("lost", "x")):
        (tmp_path / f"{name}.svg").write_text(tool.drawing(source), "utf-8")
    monkeypatch.setattr(tool, "FOLDER", tmp_path)
    assert tool.faults() == [
        "lost: there is no source for it",
        "changed: its source has changed",
        "new: not compiled",
    ]
    tool.compiled()
    assert tool.faults() == []
    assert sorted(path.stem for path in tmp_path.glob("*.svg")) == ["changed", "kept", "new"]


def test_each_formula_has_a_source_a_drawing_and_words_in_every_language() -> None:
    ids = set(formulas.latex())
    assert len(ids) >= 60
    assert ids == set(formulas.SPOKEN)
    assert ids == {path.stem for path in (ROOT / "resources" / "formulas").glob("*.svg")}
    for language in LANGUAGES:
        translator = Translator(language)
        said = [translator.text(formulas.spoken(name)) for name in sorted(ids)]
        assert len(set(said)) == len(said)
        if language == "ko":
            assert all(HANGUL.search(words) for words in said)


def test_outlines_lie_in_their_boxes_around_the_baseline() -> None:
    for name in formulas.latex():
        shape = formulas.outline(name)
        assert shape.top < 0 < shape.top + shape.high, name
        for letter, numbers in shape.strokes:
            assert len(numbers) == {"M": 2, "L": 2, "Q": 4, "C": 6, "Z": 0}[letter]
            for x, y in zip(numbers[::2], numbers[1::2], strict=True):
                assert shape.left - 3 <= x <= shape.left + shape.wide + 3, name
                assert shape.top - 3 <= y <= shape.top + shape.high + 3, name


def test_drawings_name_no_colour_and_no_font() -> None:
    for path in (ROOT / "resources" / "formulas").glob("*.svg"):
        text = path.read_text("utf-8")
        assert text.count("currentColor") == 1
        assert "font" not in text
        assert "#" not in text


def test_a_formula_there_is_not_says_so() -> None:
    with pytest.raises(KeyError):
        formulas.spoken("nothing")
    with pytest.raises(OSError, match="nothing"):
        formulas.outline("nothing")


def test_the_table_of_an_equation_holds_words_and_source() -> None:
    found = twin(Equation("e", ("act-cost", "entropy"), ("cost", "")))
    assert found is not None
    titles, rows = found
    assert len(titles) == 3
    assert rows[0] == ("cost", formulas.spoken("act-cost"), r"\rho(i) = N(i) + R(i)")
    assert rows[1][0] == ""
