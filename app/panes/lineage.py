"""Where the idea comes from and what became of it: a time line to click through."""

from app.messages import msg
from app.pane import deferred

NAME = "lineage"
TITLE = msg("Lineage")
CHAPTER = 9
WORKSPACE = "Read"
__getattr__ = deferred("app.panes._lineage")
