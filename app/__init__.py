"""Depthscope, the desktop application: Qt-free panes and scenes, and one Qt renderer."""
