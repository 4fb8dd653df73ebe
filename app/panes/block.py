"""One block: the Universal Transformer's step t beside the Transformer's layer l; diagrams and equations."""

from app.messages import msg
from app.pane import deferred

NAME = "block"
TITLE = msg("Block and equations")
CHAPTER = 2
WORKSPACE = "Models"
__getattr__ = deferred("app.panes._block")
