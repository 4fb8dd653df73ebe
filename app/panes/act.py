"""The ACT debugger: the paper's halting listing, run line by line in both directions."""

from app.messages import msg
from app.pane import deferred

NAME = "act"
TITLE = msg("ACT debugger")
CHAPTER = 6
WORKSPACE = "ACT"
__getattr__ = deferred("app.panes._act")
