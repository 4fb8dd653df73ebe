"""Every table of the paper, sorted and charted, beside what was measured on this machine."""

from app.messages import msg
from app.pane import deferred

NAME = "results"
TITLE = msg("Results")
CHAPTER = 8
WORKSPACE = "Results"
__getattr__ = deferred("app.panes._results")
