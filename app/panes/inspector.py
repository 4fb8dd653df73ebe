"""The live inspector: a checkpoint reads an input, step by step, while its attention sharpens."""

from app.messages import msg
from app.pane import deferred

NAME = "inspector"
TITLE = msg("Inspector")
CHAPTER = None
WORKSPACE = "Inspector"
__getattr__ = deferred("app.panes._inspector")
