"""The coordinate embedding: position and step as sinusoids, how long it is, what a checkpoint really adds."""

from app.messages import msg
from app.pane import deferred

NAME = "coords"
TITLE = msg("Coordinates")
CHAPTER = 4
WORKSPACE = "Coordinates"
__getattr__ = deferred("app.panes._coords")
