"""What ACT learned: ponder time in the paper and measured here, and what it is spent on."""

from app.messages import msg
from app.pane import deferred

NAME = "ponder"
TITLE = msg("What ACT learned")
CHAPTER = 7
WORKSPACE = "Results"
__getattr__ = deferred("app.panes._ponder")
