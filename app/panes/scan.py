"""Prefix parity: a hand-made layer whose depth must grow with the length, beside what training finds."""

from app.messages import msg
from app.pane import deferred

NAME = "scan"
TITLE = msg("Prefix parity")
CHAPTER = 5
WORKSPACE = "Parity"
__getattr__ = deferred("app.panes._scan")
