"""The theme: fonts are the bundled ones, the sheet parses, Hangul and mathematics have glyphs."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontInfo, QRawFont
from PySide6.QtWidgets import QApplication, QCheckBox, QSlider, QWidget

from app.qt import theme as themes
from app.qt.theme import Theme


@pytest.fixture
def app(qapp: QApplication) -> QApplication:
    assert themes.load_fonts() == []
    return qapp


@pytest.mark.parametrize("family", ["text", "mono", "math"])
def test_the_bundled_family_is_the_one_used(app: QApplication, family: str) -> None:
    font = Theme().font(family=family)
    assert QFontInfo(font).family() == themes.palette.FAMILIES[family][0]


def test_every_sign_we_write_has_a_glyph(app: QApplication) -> None:
    signs = "검사기숙고홉1−ε‖Σ≤≥→·×ℝ∈⌈⌉₀₁ᵀ"
    faces = [QRawFont.fromFont(one_family(name)) for name in ("Pretendard", "DejaVu Sans")]
    assert [face.familyName() for face in faces] == ["Pretendard", "DejaVu Sans"]
    missing = [sign for sign in signs if not any(face.supportsCharacter(ord(sign)) for face in faces)]
    assert missing == []


def one_family(name: str) -> themes.QFont:
    font = themes.QFont()
    font.setFamilies([name])
    return font


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_apply_restyles_what_is_there(app: QApplication, qtbot, name: str, scale: float) -> None:
    themes.apply(app, Theme("light" if name == "dark" else "dark"))
    box = QCheckBox("x")
    qtbot.addWidget(box)
    box.ensurePolished()
    themes.apply(app, Theme(name, scale))
    assert box.font().pixelSize() == round(13 * scale)
    assert box.palette().windowText().color() == Theme(name).color("fg")
    assert not box.grab().isNull()
    assert "$" not in themes.style_sheet(Theme(name, scale)).replace("Places like $fg", "")


def test_another_language_or_the_same_theme_polishes_nothing_again(
    app: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    themes.apply(app, Theme("light"))
    sheets: list[str] = []
    original = QApplication.setStyleSheet

    def counted(to: QApplication, sheet: str) -> None:
        sheets.append(sheet)
        original(to, sheet)

    monkeypatch.setattr(QApplication, "setStyleSheet", counted)
    themes.apply(app, Theme("light"))
    assert sheets == []
    themes.apply(app, Theme("dark"))
    assert len(sheets) == 1


def test_an_unknown_role_is_an_error() -> None:
    with pytest.raises(KeyError):
        Theme().color("no such role")


def test_a_plain_widget_shows_the_background(app: QApplication, qtbot) -> None:
    for name in ("dark", "light"):
        themes.apply(app, Theme(name))
        widget = QWidget()
        qtbot.addWidget(widget)
        widget.resize(20, 20)
        assert widget.grab().toImage().pixelColor(10, 10) == Theme(name).color("bg")


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.4, 1.5, 1.75, 2.0])
def test_the_knob_of_a_slider_is_round_at_every_size(app: QApplication, qtbot, scale: float) -> None:
    look = Theme("light", scale)
    themes.apply(app, look)
    slider = QSlider(Qt.Orientation.Horizontal)
    qtbot.addWidget(slider)
    slider.setRange(0, 2)
    slider.setValue(1)
    slider.resize(120, 60)
    image, ink = slider.grab().toImage(), look.color("fg").rgb()
    places = [(x, y) for x in range(120) for y in range(60) if image.pixelColor(x, y).rgb() == ink]
    left, right = min(x for x, _ in places), max(x for x, _ in places)
    top, bottom = min(y for _, y in places), max(y for _, y in places)
    assert right - left >= look.px(8)
    assert not {(left, top), (right, top), (left, bottom), (right, bottom)} & set(places)
