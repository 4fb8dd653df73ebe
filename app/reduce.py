"""What the program does when something happens: (state, event) -> (state, effects), pure.

Events named `shell.*` are for the program itself; `engine.*`, `measure.*`, `open.*`, `pin` and `hover` reach
every pane that was opened; everything else goes to the visible pane.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from app import measured
from app import view as views
from app.adjust import ADJUSTMENTS, kept, said, unsaid
from app.engine_texts import told
from app.measured import Measurements
from app.messages import msg
from app.pane import Effect, Event
from app.settings import Settings, with_recent
from app.state import OPENER, AppState, Opened, Panes, line_of, neighbours
from app.timeline import SPEEDS, Timeline
from ut_engine.errors import UserError

Done = tuple[AppState, tuple[Effect, ...]]
KEPT_SECONDS = 32
DEBUGGER, TABLES = "act", (".csv", ".tsv")
"""The pane that tables of halting probabilities are opened in."""
ARTICLE, SEARCH = "read", "read.search"
"""The pane that is searched, and the field one types in."""
QUIZ, ANSWERS = "quiz", "settings.quiz"
"""The pane whose answers are remembered, and how it is told of them and tells them."""
GROUPS = {"transport.group_back": "transport.back", "transport.group_forward": "transport.forward"}
"""Where a timeline counts whole steps, a whole step is one of it."""


def start(settings: Settings, panes: Panes, language: str, theme: str) -> AppState:
    """The state before the first event; `language` and `theme` are the system's."""
    current = settings.workspace if settings.workspace in panes else ""
    current = current or (OPENER if OPENER in panes else next(iter(panes)))
    return AppState(
        settings=settings,
        language=settings.language or language,
        theme=settings.theme or theme,
        panes={current: _begun(current, panes, settings)},
        current=current,
    )


def reduce(state: AppState, event: Event, panes: Panes) -> Done:
    """One event; a pane's effects follow the program's own."""
    before = measured.heard(state.measurements, event)
    after, effects = _reduced(_measured(state, before), event, panes)
    return _measured(after, measured.wanted(after.measurements, effects)), effects


def _measured(state: AppState, known: Measurements) -> AppState:
    return state if known is state.measurements else replace(state, measurements=known)


def _reduced(state: AppState, event: Event, panes: Panes) -> Done:
    if event.name.startswith("shell."):
        return SHELL[event.name](state, event.value, panes)
    if event.name == "open.path" and str(event.value).lower().endswith(TABLES) and DEBUGGER in panes:
        state = _gone(state, DEBUGGER, panes)
        return state, (Effect("file.table", str(event.value)),)
    if event.name in ("open.path", "open.run"):
        state = _gone(state, OPENER, panes)
    if event.name == "open.view":
        return _open_view(state, str(event.value), panes)
    if event.name == "view.width":
        state = replace(state, width=int(event.value))
    if event.name == "open.tour":
        return _tour("start")(state, event.value, panes)
    state, event = _linked(state, event, panes)
    state, effects = _noted(state, event)
    everyone = event.name.startswith(("engine.", "measure.", "open.")) or event.name in ("pin", "hover")
    for name in tuple(state.panes) if everyone else (state.current,):
        after, wanted = panes[name].update(state.panes[name], event)
        if after is not state.panes[name]:
            state = replace(state, panes={**state.panes, name: after})
        effects += wanted
    return _answered(state, effects)


def _answered(state: AppState, effects: tuple[Effect, ...]) -> Done:
    """What the quiz wants remembered becomes part of the settings."""
    others = tuple(effect for effect in effects if effect.name != ANSWERS)
    for effect in effects:
        if effect.name == ANSWERS:
            state, more = kept(state, replace(state.settings, quiz=tuple(effect.value)))
            others += more
    return state, others


def _begun(name: str, panes: Panes, settings: Settings) -> Any:
    """A pane before anything has happened in it; of the quiz what was answered before is known."""
    made = panes[name].initial()
    return panes[name].update(made, Event(ANSWERS, settings.quiz))[0] if name == QUIZ else made


def _awake(state: AppState, name: str, panes: Panes) -> AppState:
    if name in state.panes:
        return state
    made = _begun(name, panes, state.settings)
    if state.card is not None and name != OPENER:
        made, _ = panes[name].update(made, Event("engine.opened", state.card))
    run = getattr(state.panes.get(OPENER), "run", None)
    if run is not None and name != OPENER:
        made, _ = panes[name].update(made, Event("open.run", run))
    for event in measured.events(state.measurements):
        made, _ = panes[name].update(made, event)
    return replace(state, panes={**state.panes, name: made})


def _gone(state: AppState, name: str, panes: Panes) -> AppState:
    """Another pane on screen; its workspace shows the one that was left when one comes back."""
    left = {**state.left, panes[state.current].WORKSPACE: state.current}
    return _fitted(_awake(replace(state, current=name, left=left), name, panes), name, panes)


def _fitted(state: AppState, name: str, panes: Panes) -> AppState:
    """A pane that folds does so before it is shown: what has the keyboard in it then stays."""
    before = state.panes[name]
    after, _ = panes[name].update(before, Event("view.width", state.width)) if state.width else (before, ())
    return state if after is before else replace(state, panes={**state.panes, name: after})


# ---- events that mean something to the program as well ----------------------------------------------------


def _linked(state: AppState, event: Event, panes: Panes) -> tuple[AppState, Event]:
    """Selection is one for all panes; keys that depend on what is going on become plain transport events."""
    if event.name == "pin":
        pinned = None if event.value == state.selection.pinned else event.value
        return replace(state, selection=replace(state.selection, pinned=pinned)), Event("pin", pinned)
    if event.name == "hover":
        row, key = event.value if isinstance(event.value, tuple) else (event.value, None)
        return replace(state, selection=replace(state.selection, hovered=row, hovered_key=key)), event
    if event.name in ("transport.toggle", "transport.faster"):
        return state, _resolved(event, line_of(state, panes))
    if event.name in GROUPS:
        line = line_of(state, panes)
        return state, event if line is not None and line.group > 1 else Event(GROUPS[event.name])
    return state, event


def _resolved(event: Event, line: Timeline | None) -> Event:
    """Space pauses what moves and plays what stands; L plays, and again doubles the speed."""
    if line is None:
        return Event("transport.play")
    if event.name == "transport.toggle":
        return Event("transport.pause" if line.playing else "transport.play")
    if line.playing <= 0:
        return Event("transport.play")
    return Event("transport.speed", next((speed for speed in SPEEDS if speed > line.speed), SPEEDS[-1]))


def _noted(state: AppState, event: Event) -> Done:
    """What the top bar, the recent files and the time per step take from what the engine says."""
    if event.name == "engine.opened":
        card = event.value.get("card", event.value)
        opened = Opened(str(card.get("name", "")), str(card.get("device", "")))
        return _remembered(replace(state, opened=opened, card=event.value), str(card.get("path", "")))
    if event.name == "open.run":
        info, records = event.value.info, event.value.records
        seconds = tuple(record.seconds for record in records if record.seconds)[-KEPT_SECONDS:]
        name = _opening(state) or info.checkpoint
        return replace(state, opened=Opened(name, info.device, recorded=True), seconds=seconds), ()
    if event.name == "engine.info":
        info = event.value[1] if isinstance(event.value, tuple) else event.value
        return replace(state, opened=replace(state.opened, device=info.device), seconds=()), ()
    if event.name == "engine.record":
        record = event.value[1] if isinstance(event.value, tuple) else event.value
        return replace(state, seconds=(*state.seconds, record.seconds)[-KEPT_SECONDS:]), ()
    return state, ()


def _opening(state: AppState) -> str:
    """The name of the file that is being opened, "" where none is."""
    path = str(getattr(state.panes.get(OPENER), "opening", ""))
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _remembered(state: AppState, path: str) -> Done:
    """The path among the recent files, and opened again at the next start."""
    if not path:
        return state, ()
    return kept(state, replace(with_recent(state.settings, path), checkpoint=path))


def _tour(what: str) -> Callable[[AppState, Any, Panes], Done]:
    """A step of a guided tour; the lessons are read when the first is started."""

    def changed(state: AppState, value: Any, panes: Panes) -> Done:
        from app import touring

        done: Done = getattr(touring, what)(state, value, panes, _open_view)
        return done

    return changed


def _find(state: AppState, _: Any, panes: Panes) -> Done:
    """Where one searches: in the article."""
    if ARTICLE not in panes:
        return state, ()
    state, effects = _workspace(state, ARTICLE, panes)
    return state, (*effects, Effect("window.focus", SEARCH))


def _open_view(state: AppState, text: str, panes: Panes) -> Done:
    try:
        name, view = views.from_text(text)
        if name not in panes:
            raise UserError(f"there is no pane {name!r}", f"the panes are {', '.join(panes)}")
        state = _gone(state, name, panes)
        after, effects = panes[name].from_view(state.panes[name], view)
    except UserError as error:
        return said(state, told(error.what, error.do)), ()
    return replace(state, panes={**state.panes, name: after}), effects


# ---- the program's own events -----------------------------------------------------------------------------


def _workspace(state: AppState, name: Any, panes: Panes) -> Done:
    if name not in panes:
        return state, ()
    state = _gone(state, str(name), panes)
    return kept(state, replace(state.settings, workspace=str(name)))


def _neighbour(state: AppState, by: Any, panes: Panes) -> Done:
    """value: 1 for the next pane of the workspace, -1 for the one before; round about."""
    names = [name for name, _ in neighbours(panes, state.current)]
    return _workspace(state, names[(names.index(state.current) + by) % len(names)], panes)


def _space(state: AppState, name: Any, panes: Panes) -> Done:
    """value: the first pane of a workspace; the one of it that was seen last is shown."""
    if name in panes and panes[name].WORKSPACE != panes[state.current].WORKSPACE:
        name = state.left.get(panes[name].WORKSPACE, name)
    return _workspace(state, name, panes)


def _saved(state: AppState, path: Any, _: Panes) -> Done:
    state = said(state, msg("The run was saved: {path}", path=path), passing=True)
    return kept(state, with_recent(state.settings, str(path)))


def _copy_view(state: AppState, _: Any, panes: Panes) -> Done:
    text = views.to_text(state.current, panes[state.current].to_view(state.pane_state))
    return said(state, msg("The view link was copied."), passing=True), (Effect("clipboard.copy", text),)


def _wanted(name: str) -> Callable[[AppState, Any, Panes], Done]:
    """An event that is only an effect."""
    return lambda state, value, _: (state, (Effect(name, value),))


SHELL: Mapping[str, Callable[[AppState, Any, Panes], Done]] = {
    "shell.workspace": _space,
    "shell.pane": _workspace,
    "shell.neighbour": _neighbour,
    **ADJUSTMENTS,
    "shell.notice": lambda state, text, _: (said(state, text), ()),
    "shell.said": lambda state, text, _: (said(state, text, passing=True), ()),
    "shell.notice.close": lambda state, text, _: (unsaid(state, text), ()),
    "shell.hint": lambda state, text, _: (replace(state, hint=text), ()),
    "shell.remember": lambda state, path, _: kept(state, with_recent(state.settings, str(path))),
    "shell.saved": _saved,
    "shell.recent.clear": lambda state, _, __: kept(state, replace(state.settings, recent=())),
    "shell.tour": _tour("start"),
    "shell.tour.move": _tour("move"),
    "shell.tour.close": lambda state, _, __: (replace(state, tour=None), ()),
    "shell.find": _find,
    "shell.copy_view": _copy_view,
    "shell.paste_view": _wanted("clipboard.paste"),
    "shell.write": _wanted("engine.save"),
    "shell.open": _wanted("file.choose"),
    "shell.open_folder": _wanted("file.choose_folder"),
    "shell.quit": _wanted("window.close"),
    "shell.full_screen": _wanted("window.full_screen"),
    "shell.export": _wanted("dialog.export"),
    "shell.copy_picture": _wanted("clipboard.picture"),
    "shell.palette": _wanted("dialog.palette"),
    "shell.settings": _wanted("dialog.settings"),
    "shell.keys": _wanted("dialog.keys"),
    "shell.about": _wanted("dialog.about"),
    "shell.log": _wanted("log.open"),
}
