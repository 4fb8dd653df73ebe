"""How much memory a run may take before the machine begins to suffer."""

from __future__ import annotations

import os
from pathlib import Path


def available() -> int | None:
    """Bytes that can be taken without pushing others out; None where the system does not say."""
    try:
        for line in Path("/proc/meminfo").read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return min(int(line.split()[1]) * 1024, _group_limit())
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _group_limit() -> int:
    """What the control group (a container) still allows; a very large number without a limit."""
    root = Path("/sys/fs/cgroup")
    try:
        limit = (root / "memory.max").read_text("ascii").strip()
        used = int((root / "memory.current").read_text("ascii"))
        return 1 << 62 if limit == "max" else max(0, int(limit) - used)
    except (OSError, ValueError):
        return 1 << 62
