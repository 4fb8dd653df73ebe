"""Pictures of every pane in two states, one PNG each: `python -m tests.qt.fine FOLDER`.

A process of its own: Qt takes the number of pixels of a logical one from QT_SCALE_FACTOR when it starts.
"""

from __future__ import annotations

import sys
from pathlib import Path

from app.pane import Event, all_panes
from app.settings import Settings
from app.view import to_text
from tests.qt import whole

SIZE = (1280, 800)


def main(folder: Path) -> None:
    with whole.session(Settings(language="en"), SIZE) as session:
        for name, pane in all_panes().items():
            whole.show(session, name, "middle")
            session.window.grab().save(str(folder / f"{name}.png"))
            views = [
                view for view in getattr(pane, "SHOWN", ()) if not pane.from_view(pane.initial(), view)[1]
            ]
            for view in views[:1]:  # of those that wait for nothing
                session.store.send(Event("open.view", to_text(name, view)))
                whole.settle(session)
                session.window.grab().save(str(folder / f"{name}-shown.png"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
