"""The depth grid: who computes when in a recurrent net, a Transformer and a Universal Transformer."""

from app.messages import msg
from app.pane import deferred

NAME = "grid"
TITLE = msg("Depth grid")
CHAPTER = 1
WORKSPACE = "Models"
__getattr__ = deferred("app.panes._grid")
