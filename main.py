"""The frozen program's entry: the same as the command `depthscope`.

Child processes of a frozen program start here again, so nothing happens at import time and
`freeze_support` comes first: it is where the engine's process branches off.
"""

from __future__ import annotations

import multiprocessing
import sys

if __name__ == "__main__":
    multiprocessing.freeze_support()
    from app.cli import main

    sys.exit(main())
