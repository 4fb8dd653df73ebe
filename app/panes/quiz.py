"""Questions over all chapters: wrong answers are explained, and shown in the pane that knows better."""

from app.messages import msg
from app.pane import deferred

NAME = "quiz"
TITLE = msg("Quiz")
CHAPTER = 11
WORKSPACE = "Read"
__getattr__ = deferred("app.panes._quiz")
