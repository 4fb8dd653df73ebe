"""The one-page summary: for each chapter one claim, one number and one figure, on one sheet of paper."""

from app.messages import msg
from app.pane import deferred

NAME = "summary"
TITLE = msg("One-page summary")
CHAPTER = 10
WORKSPACE = "Read"
__getattr__ = deferred("app.panes._summary")
