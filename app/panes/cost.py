"""Parameters and work: a calculator in which the two come apart."""

from app.messages import msg
from app.pane import deferred

NAME = "cost"
TITLE = msg("Parameters and work")
CHAPTER = 3
WORKSPACE = "Models"
__getattr__ = deferred("app.panes._cost")
