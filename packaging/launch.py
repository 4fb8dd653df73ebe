"""`make run`: the program where a window can be shown, else its main job written to files in `runs/`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = ROOT / "runs"
CHECKPOINT = "babi"
STORY = (
    "Mary went to the kitchen. John moved to the garden. Mary picked up the apple. "
    "Mary travelled to the office. Where is the apple?"
)


def main() -> int:
    """Exit with the program's own exit status."""
    from app.display import why_no_display

    reason = why_no_display()
    if reason is None:
        return depthscope("open", CHECKPOINT, env=dict(os.environ))
    print(f"depthscope: no window can be shown here: {reason}; running headless instead", file=sys.stderr)
    return headless()


def headless() -> int:
    """The shipped checkpoint on its sample story: the trace and the inspector's picture."""
    RUNS.mkdir(exist_ok=True)
    trace, picture = RUNS / "sample.trace.safetensors", RUNS / "inspector.png"
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    for verb in (
        ["trace", CHECKPOINT, "--text", STORY, "-o", str(trace)],
        ["shot", "--pane", "inspector", "-o", str(picture)],
    ):
        if status := depthscope(*verb, env=env):
            return status
    print(f"trace    {trace}\npicture  {picture}")
    return 0


def depthscope(*arguments: str, env: dict[str, str]) -> int:
    """Run one verb as a user would; Ctrl-C reaches it too, so it is only waited for here."""
    child = subprocess.Popen([sys.executable, "-m", "app.cli", *arguments], cwd=ROOT, env=env)
    while True:
        try:
            return child.wait()
        except KeyboardInterrupt:
            continue


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
