"""`make run`: the program where a window can be shown, else its main job written to files in `runs/`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent
RUNS = ROOT / "runs"
CHECKPOINT = "babi"
SAMPLES = ROOT / "resources" / "checkpoints" / CHECKPOINT / "samples.json"
FACTS = 2  # supporting facts of the story shown: enough to see attention move from one to the next


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
    samples = json.loads(SAMPLES.read_text(encoding="utf-8"))
    story = next(sample["text"] for sample in samples if sample["facts"] == FACTS)
    config = json.loads((SAMPLES.parent / "config.json").read_text(encoding="utf-8"))
    head = config["training"].get("gold_head", "")  # the one that reads the facts, by validation stories
    view = f"inspector?open={quote(str(trace), safe='')}" + (f"&head={head}" if head else "")
    for verb in (
        ["trace", CHECKPOINT, "--text", story, "-o", str(trace)],
        ["shot", "--pane", "inspector", "--view", view, "-o", str(picture)],
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
