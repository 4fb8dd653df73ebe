"""Runs first in the packaged program: the loader's path is ours alone, not that of programs we start.

PyInstaller's bootloader puts the bundle's libraries before the system's; a file manager or an ffmpeg that
inherited it would load them too and may fail.  The loader read it at our own start, so nothing is lost.
"""

import os

_KEPT = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
if _KEPT is not None:
    os.environ["LD_LIBRARY_PATH"] = _KEPT
else:
    os.environ.pop("LD_LIBRARY_PATH", None)
