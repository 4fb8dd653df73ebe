"""One Qt-free file per pane, found by walking this folder."""
