"""`depthscope panes`: the panes' names."""

from __future__ import annotations

import argparse

from app.messages import Message
from app.verbs.common import Result, table

EXAMPLE = "depthscope panes --json"
JSON = True


def arguments(parser: argparse.ArgumentParser) -> None:
    """None of its own."""


def run(_: argparse.Namespace) -> Result:
    from app.pane import all_panes

    found = []
    for name, pane in all_panes().items():
        title = pane.TITLE
        text = title.id if isinstance(title, Message) else str(title)  # English in every locale
        found.append({"name": name, "title": text, "chapter": getattr(pane, "CHAPTER", None)})
    rows = [(pane["name"], pane["title"], pane["chapter"]) for pane in found]
    return Result(found, table(("pane", "title", "chapter"), rows))
