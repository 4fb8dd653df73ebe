"""The story as an article, with figures that can be moved between its sections, a search and guided tours."""

from app.messages import msg
from app.pane import deferred

NAME = "read"
TITLE = msg("Article")
CHAPTER = None
WORKSPACE = "Read"
__getattr__ = deferred("app.panes._read")
