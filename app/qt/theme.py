"""One theme of the window: colours and fonts as Qt wants them, the palette and the small style sheet.

The theme is a value passed down, not a global: `Theme("dark", 1.25)`.  Fusion plus an own full QPalette
looks the same on every platform; the sheet draws what Fusion loses in the dark (indicator outlines).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import Template
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from app import palette
from app.paths import resource

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLINK_MS = 1000  # of the text cursor, on and off
FONT_FILES = (
    "Pretendard-Regular.otf",
    "Pretendard-SemiBold.otf",
    "JetBrainsMono-Regular.ttf",
    "JetBrainsMono-Bold.ttf",
    "STIXTwoMath-Regular.ttf",
    "DejaVuSans.ttf",
)


@dataclass(frozen=True, slots=True)
class Theme:
    """name: "light" or "dark".  scale: text and spacing, 1.0 to 2.0.

    plain: digits as the font has them, so that text copied out of an exported PDF keeps its numbers.
    paper: printed, the ground is as white as the panels on it.
    """

    name: str = "light"
    scale: float = 1.0
    plain: bool = False
    paper: bool = False

    @property
    def tokens(self) -> Mapping[str, str]:
        """Colour role -> "#rrggbb" (see app/palette.py)."""
        return palette.PRINTED[self.name] if self.paper else palette.THEMES[self.name]

    @property
    def dark(self) -> bool:
        return self.name == "dark"

    def color(self, role: str, alpha: float = 1.0) -> QColor:
        """The colour of a role; KeyError for a role there is not."""
        color = QColor(self.tokens[role])
        color.setAlphaF(alpha)
        return color

    def colormap(self, kind: str = "attention") -> NDArray[np.uint8]:
        """uint8 [256, 3]."""
        return palette.colormap(self.name, kind)

    def px(self, length: float) -> int:
        """A length at 100 %, in logical pixels at this scale (at least 1)."""
        return max(1, round(length * self.scale))

    def space(self, name: str) -> int:
        """A gap of the spacing scale: "xs", "s", "m", "l", "xl"."""
        return self.px(palette.SPACE[name])

    def font(self, size: str = "body", family: str = "text", bold: bool = False) -> QFont:
        """A font of the type scale ("tiny" ... "display") in a bundled family ("text", "mono", "math").

        Digits all have one width, so numbers do not jitter; mono has no ligatures, so `<=` stays two signs.
        """
        font = QFont()
        font.setFamilies(list(palette.FAMILIES[family]))
        font.setPixelSize(self.px(palette.TYPE[size]))
        if bold:
            font.setWeight(QFont.Weight.DemiBold if family == "text" else QFont.Weight.Bold)
        font.setFeature(QFont.Tag("tnum"), int(not self.plain))
        if family == "mono" or self.plain:
            font.setFeature(QFont.Tag("calt"), 0)
        if self.plain:  # letters that are one sign are not found when a PDF is searched
            font.setFeature(QFont.Tag("liga"), 0)
        return font


def load_fonts() -> list[str]:
    """Make the bundled fonts known to Qt; the names of files that could not be loaded."""
    folder = resource("fonts")
    return [name for name in FONT_FILES if QFontDatabase.addApplicationFont(str(folder / name)) < 0]


def system_theme() -> str:
    """What the desktop asks for; "light" where it does not say."""
    dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return "dark" if dark else "light"


def qt_palette(theme: Theme) -> QPalette:
    """Every colour role Fusion uses, active, inactive and disabled."""
    made = QPalette()
    roles = QPalette.ColorRole
    for role, token in {
        roles.Window: "bg",
        roles.WindowText: "fg",
        roles.Base: "bg",
        roles.AlternateBase: "raised",
        roles.Text: "fg",
        roles.PlaceholderText: "dim",
        roles.Button: "raised",
        roles.ButtonText: "fg",
        roles.BrightText: "on_accent",
        roles.ToolTipBase: "raised",
        roles.ToolTipText: "fg",
        roles.Highlight: "accent",
        roles.HighlightedText: "on_accent",
        roles.Accent: "accent",
        roles.Link: "accent",
        roles.LinkVisited: "remainder",
        roles.Light: "hover",
        roles.Midlight: "hover",
        roles.Mid: "border",
        roles.Dark: "border",
        roles.Shadow: "border",
    }.items():
        made.setColor(role, theme.color(token))
    for role in (roles.WindowText, roles.Text, roles.ButtonText, roles.HighlightedText):
        made.setColor(QPalette.ColorGroup.Disabled, role, theme.color("faint"))
    made.setColor(QPalette.ColorGroup.Disabled, roles.Highlight, theme.color("border"))
    return made


def style_sheet(theme: Theme) -> str:
    """The sheet in resources/theme/window.qss with this theme's colours and lengths put in."""
    text = resource("theme", "window.qss").read_text(encoding="utf-8")
    lengths = {f"px{n}": f"{theme.px(n)}px" for n in (1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 24, 32)}
    lengths["knob"] = f"{theme.px(12) // 2}px"  # a radius of more than half the width makes a square
    sizes = {f"type_{name}": f"{theme.px(size)}px" for name, size in palette.TYPE.items()}
    images = {
        name: resource("theme", f"{name}-{theme.name}.svg").as_posix() for name in ("check", "down", "up")
    }
    return Template(text).substitute({**theme.tokens, **lengths, **sizes, **images})


def set_motion(app: QApplication, reduced: bool) -> None:
    """With reduced motion nothing fades, slides or blinks by itself."""
    effects = Qt.UIEffect
    for effect in (
        effects.UI_AnimateMenu, effects.UI_FadeMenu, effects.UI_AnimateCombo, effects.UI_AnimateTooltip,
        effects.UI_FadeTooltip, effects.UI_AnimateToolBox,
    ):  # fmt: skip
        if reduced:  # what the desktop has is not turned on
            app.setEffectEnabled(effect, False)
    app.setCursorFlashTime(0 if reduced else BLINK_MS)


def apply(app: QApplication, theme: Theme) -> None:
    """Show the whole application in this theme, at once; what it shows already costs nothing.

    Setting a style sheet polishes every widget again, some hundred milliseconds for a full window.
    """
    sheet = style_sheet(theme)
    if app.styleSheet() == sheet and app.property("depthscope"):
        return
    if not app.property("depthscope"):  # under a style sheet the application's style has no name
        app.setStyle("Fusion")
        app.setProperty("depthscope", True)
    scheme = Qt.ColorScheme.Dark if theme.dark else Qt.ColorScheme.Light
    app.styleHints().setColorScheme(scheme)  # title bars, where the platform listens
    app.setPalette(qt_palette(theme))
    app.setFont(theme.font())
    app.setStyleSheet(sheet)
