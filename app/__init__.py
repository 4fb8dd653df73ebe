"""Depthscope, the program: panes, window and command line."""
