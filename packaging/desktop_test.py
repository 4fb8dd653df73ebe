"""`make package-test`: the .deb in a clean root without Python, used through keys and looked at.

    python3 packaging/desktop_test.py [depthscope.deb]

Needs root, debootstrap, Xvfb, openbox, xdotool and ImageMagick.  The root is kept in `build/root`; pictures
go to `build/pictures`, to be looked at.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from clean_root import (
    CLEAN,
    DISPLAY,
    HOME,
    PICTURES,
    READ_ONLY,
    ROOT,
    Line,
    Mounted,
    Screen,
    Used,
    clean_root,
    expect,
    inside,
    keys,
    nothing_left,
    picture,
    say,
    told,
    typed,
    until,
    windows,
)  # fmt: skip

NEEDED = ("debootstrap", "chroot", "Xvfb", "openbox", "xdotool", "import")


def main(arguments: list[str]) -> int:
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing or os.geteuid() != 0:
        print(f"package-test: it needs root and {', '.join(missing or NEEDED)}", file=sys.stderr)
        return 2
    found = [Path(arguments[0])] if arguments else sorted((ROOT / "dist").glob("depthscope_*.deb"))
    if not found:
        print("package-test: there is no .deb in dist; run `make package` first", file=sys.stderr)
        return 2
    PICTURES.mkdir(parents=True, exist_ok=True)
    clean_root(found[-1])
    with Mounted(), Screen():
        journey()
        from_the_desktop()
        read_only_home()
        faults()
        refusals()
    print("package-test: passed; look at build/pictures")
    return 0


def journey() -> None:
    """Open by argument, stream, scrub, debug, switch, export, quit."""
    used = started("slow")
    streamed(used.lines())
    quit_with(used)
    used = started("bAbI 이야기")
    sharpened(used.now())
    picture("1-run")
    scrubbed(used)
    exported(used, "svg", "SVG")
    exported(used, "pdf", "PDF")
    before = used.now()
    keys("ctrl+shift+l")
    used.until("the language switches", lambda s: s["language"] != before["language"])
    keys("ctrl+shift+d")
    used.until("the theme switches", lambda s: s["theme"] != before["theme"])
    picture("3-language-and-theme")
    debugged(used)
    quit_with(used)


def started(name: str) -> Used:
    """The program on a checkpoint given as an argument, after a run of its first sample."""
    used = Used(f"{HOME}/{name}")
    used.until(f"{name}, given as an argument, opens", lambda s: s["phase"] == "ready")
    keys("ctrl+Return")
    used.until("a run ends", lambda s: s["phase"] == "done")
    return used


def quit_with(used: Used) -> None:
    keys("ctrl+q")
    until(lambda: used.process.poll() is not None, "the end")
    expect(used.process.returncode == 0, "Ctrl+Q ends the program with 0")
    nothing_left()


def streamed(lines: list[Line]) -> None:
    """Records were drawn before the run ended."""
    during = {line["computed"] for line in lines if line["phase"] == "running" and line["computed"]}
    expect(len(during) > 1, f"steps {sorted(during)} were drawn while the run went on")


def sharpened(line: Line) -> None:
    """The question's entropy falls over the first steps."""
    values = [value for value in line["entropy"] if value is not None]
    told = ", ".join(f"{value:.2f}" for value in values)
    expect(values[0] > values[1] > values[2], f"the entropy of the question falls at first: {told}")


def scrubbed(used: Used) -> None:
    last = used.now()["computed"]
    keys("k", "Home")
    used.until("Home shows the first step", lambda s: s["current"] == 1)
    keys("period")
    used.until("one step forward", lambda s: s["current"] == 2)
    keys("comma")
    used.until("one step back", lambda s: s["current"] == 1)
    picture("2-first-step")
    keys("End")
    used.until(f"End shows step {last}", lambda s: s["current"] == last)


def go_to(workspace: str) -> None:
    """By the key of its tab."""
    names = json.loads(told("depthscope", "_probe", "contents"))["workspaces"]
    keys(f"alt+{names.index(workspace) + 1}")


def debugged(used: Used) -> None:
    """The ACT debugger, both ways."""
    go_to("act")
    used.until("the ACT debugger opens", lambda s: s["pane"] == "act" and s["current"] > 1)
    here = used.now()["current"]
    keys("period")
    used.until("one line forward", lambda s: s["current"] == here + 1)
    keys("comma", "comma")
    used.until("two lines back", lambda s: s["current"] == here - 1)
    picture("4-act")


def exported(used: Used, suffix: str, name: str) -> None:
    """Through the dialogs, by keys alone."""
    name_of_file = f"picture.{suffix}"  # plain letters: of others typed from outside some may be lost
    file = CLEAN / "root" / name_of_file
    keys("ctrl+shift+e")
    until(lambda: windows("^Export"), "the export dialog")
    first = set(windows("^Export"))
    typed(name)
    picture(f"export-{suffix}")
    keys("Return")
    until(lambda: set(windows("^Export")) - first, "the file dialog")
    time.sleep(1.0)  # the file dialog takes the keys a moment after it is seen
    keys("ctrl+a")
    typed(name_of_file)
    picture(f"export-{suffix}-file")
    keys("Return")
    until(lambda: file.exists() and file.stat().st_size > 1000, f"the {name}")
    if suffix == "svg":
        ElementTree.parse(file)
    else:
        expect(file.read_bytes().startswith(b"%PDF-"), "a PDF is one")
    shutil.copyfile(file, PICTURES / f"exported.{suffix}")
    used.until(f"exported as {name}", lambda s: any("Exported" in one for one in s["notices"]))


def from_the_desktop() -> None:
    """A recorded run through the desktop entry; a second window beside it."""
    trace = f"{HOME}/run.trace.safetensors"
    text = "Mary went to the office. Where is Mary?"
    subprocess.run(inside("depthscope", "trace", "babi", "--text", text, "-o", trace), check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    said = told("gio", "info", "-a", "standard::content-type", trace)
    expect("application/x-depthscope-trace" in said, "a recorded run has its MIME type")
    said = told("gio", "mime", "application/x-depthscope-trace")
    expect("depthscope.desktop" in said, "and the program is asked to open it")
    for path in (trace, f"{HOME}/bAbI 이야기"):
        subprocess.run(
            inside("gio", "launch", "/usr/share/applications/depthscope.desktop", path), check=True
        )
    until(lambda: len(windows("depthscope", "class")) == 2, "two windows with a file each")
    say("the desktop entry opens a recorded run, and a checkpoint in a second instance")
    picture("5-desktop")
    while found := windows("depthscope", "class"):
        subprocess.run(["xdotool", "windowactivate", "--sync", found[-1]],
                       env={**os.environ, "DISPLAY": DISPLAY}, check=False)  # fmt: skip
        count = len(found)
        keys("ctrl+q")
        until(lambda count=count: len(windows("depthscope", "class")) < count, "a window that closes")
    nothing_left()


def read_only_home() -> None:
    """The program works and says once that it cannot keep the settings."""
    used = Used(f"{HOME}/bAbI 이야기", HOME=READ_ONLY)
    used.until("with a read-only home a checkpoint opens", lambda s: s["phase"] == "ready")
    used.until("and it is said", lambda s: "The settings cannot be saved: {reason}." in s["notices"])
    picture("6-read-only-home")
    quit_with(used)


def faults() -> None:
    """Files are lost: a fault of the window is a dialog and it goes on; one of the start is its end."""
    resources = CLEAN / "opt/depthscope/_internal/resources"
    (resources / "article").rename(resources / "lost")
    used = Used(f"{HOME}/bAbI 이야기")
    used.until("without the article the program opens", lambda s: s["phase"] == "ready")
    before = set(windows("depthscope", "class"))
    go_to("read")
    until(lambda: set(windows("depthscope", "class")) - before, "the dialog of a fault")
    picture("7-fault")
    keys("Escape")
    until(lambda: not set(windows("depthscope", "class")) - before, "its end")
    say("a fault is a dialog, and the program goes on")
    quit_with(used)
    (resources / "lost").rename(resources / "article")
    (resources / "theme" / "window.qss").unlink()
    subprocess.run(inside("gio", "launch", "/usr/share/applications/depthscope.desktop"), check=True)
    until(lambda: windows("^Depthscope$"), "the dialog of a failed start")
    picture("8-failed-start")
    keys("Escape")
    nothing_left()


def refusals() -> None:
    """One sentence each: no display, no xcb library (the lost file of before is not reached)."""
    for what, env in (("no display", {"DISPLAY": ""}), ("no X server", {"DISPLAY": ":66"})):
        refused(what, **env)
    bundled = list((CLEAN / "opt/depthscope/_internal").glob("libxcb-cursor*"))
    system = list(CLEAN.glob("usr/lib/*/libxcb-cursor*"))
    for file in [*bundled, *system]:
        file.unlink()
    refused("no xcb cursor library")


def refused(what: str, **env: str) -> None:
    done = subprocess.run(inside("depthscope", **env), capture_output=True, text=True, check=False)
    lines = done.stderr.strip().splitlines()
    expect(done.returncode == 2 and len(lines) == 1, f"{what}: {done.stderr.strip()}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
