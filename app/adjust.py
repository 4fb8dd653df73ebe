"""Events that change the settings: language, theme, size of type, place of the window; pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from app.messages import LANGUAGES, Text, msg
from app.pane import Effect
from app.settings import SCALES, Settings
from app.state import AppState, Panes

Done = tuple[AppState, tuple[Effect, ...]]


def kept(state: AppState, settings: Settings) -> Done:
    """With these settings, and have them saved where they are others."""
    if settings == state.settings:
        return state, ()
    return replace(state, settings=settings), (Effect("settings.save"),)


def said(state: AppState, text: Text, passing: bool = False) -> AppState:
    """With a notice more; the oldest of many goes.  passing: it only informs, and goes by itself."""
    state = unsaid(state, text)
    notices = (*state.notices, text)[-3:]
    informing = (*state.passing, text) if passing else state.passing
    return replace(state, notices=notices, passing=tuple(one for one in informing if one in notices))


def unsaid(state: AppState, text: Text) -> AppState:
    """Without a notice."""
    notices, passing = (tuple(one for one in kind if one != text) for kind in (state.notices, state.passing))
    return replace(state, notices=notices, passing=passing)


def _language(state: AppState, code: Any, _: Panes) -> Done:
    """value: a code, or None for the next one."""
    codes = list(LANGUAGES)
    code = code or codes[(codes.index(state.language) + 1) % len(codes)]
    return kept(replace(state, language=code), replace(state.settings, language=code))


def _theme(state: AppState, name: Any, _: Panes) -> Done:
    """value: a name, or None for the other one."""
    name = name or ("light" if state.theme == "dark" else "dark")
    return kept(replace(state, theme=name), replace(state.settings, theme=name))


def _scale(state: AppState, value: Any, _: Panes) -> Done:
    """value: 1 larger, -1 smaller, 0 back to 100 %, a float is the scale itself."""
    now = state.settings.scale
    if isinstance(value, float):
        chosen = min(max(value, SCALES[0]), SCALES[-1])
    elif value > 0:
        chosen = next((scale for scale in SCALES if scale > now), SCALES[-1])
    else:
        chosen = next((scale for scale in reversed(SCALES) if scale < now), SCALES[0]) if value else SCALES[0]
    return kept(state, replace(state.settings, scale=chosen))


def _letters(state: AppState, _: Any, __: Panes) -> Done:
    letters = not state.settings.letters
    text = msg("Single-letter keys are on.") if letters else msg("Single-letter keys are off.")
    return kept(said(state, text, passing=True), replace(state.settings, letters=letters))


def _classroom(state: AppState, _: Any, __: Panes) -> Done:
    return kept(state, replace(state.settings, classroom=not state.settings.classroom))


def _motion(state: AppState, _: Any, __: Panes) -> Done:
    reduced = not state.settings.reduced_motion
    text = msg("Reduced motion is on.") if reduced else msg("Reduced motion is off.")
    return kept(said(state, text, passing=True), replace(state.settings, reduced_motion=reduced))


def _geometry(state: AppState, value: Any, _: Panes) -> Done:
    """value: (x, y, width, height), maximized."""
    geometry, maximized = value
    return kept(
        state, replace(state.settings, geometry=geometry or state.settings.geometry, maximized=maximized)
    )


ADJUSTMENTS: Mapping[str, Callable[[AppState, Any, Panes], Done]] = {
    "shell.language": _language,
    "shell.theme": _theme,
    "shell.scale": _scale,
    "shell.letters": _letters,
    "shell.geometry": _geometry,
    "shell.classroom": _classroom,
    "shell.motion": _motion,
}
