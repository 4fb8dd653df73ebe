"""`make package-test`: the .deb in a clean root without Python, used through keys and looked at.

    python3 packaging/desktop_test.py [depthscope.deb]

Needs root, debootstrap, Xvfb, openbox, xdotool and ImageMagick.  The root is kept in `build/root`; pictures
go to `build/pictures`, to be looked at.  Keys come from outside as a user's do; what the window shows is
read from the witness file (app/qt/witness.py) and from what the program wrote.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CLEAN = ROOT / "build" / "root"
PICTURES = ROOT / "build" / "pictures"
DISPLAY = ":77"
SOCKETS = Path("/tmp", ".X11-unix")  # of X servers
PATIENCE = 90.0  # seconds something may take on a busy machine
NEEDED = ("debootstrap", "chroot", "Xvfb", "openbox", "xdotool", "import")
PROGRAM = "/opt/depthscope/_internal/resources/checkpoints/babi"
HOME = "/root/내 모형"
READ_ONLY = "/srv/read-only"  # a home that nothing can be written to
ENVIRONMENT = {
    "HOME": "/root",
    "DISPLAY": DISPLAY,
    "LANG": "C.UTF-8",
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
}
Line = dict[str, Any]
# A model that takes long enough to watch; random weights.
SLOW = """
import json, sys
from pathlib import Path
from app.verbs.bench_window import random_checkpoint
path = random_checkpoint(Path(sys.argv[1]), 256, 8, 24)
text = " ".join("01"[k % 3 == 0] for k in range(160))
(path / "samples.json").write_text(json.dumps([{"name": "long", "text": text}]))
"""


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


def say(text: str) -> None:
    print(f"package-test: {text}", flush=True)


def expect(true: object, text: str) -> None:
    if not true:
        raise SystemExit(f"package-test: NOT MET: {text}")
    say(text)


# ---- the clean root ---------------------------------------------------------------------------------------


def clean_root(package: Path) -> None:
    """A minimal Debian with the package and its dependencies; made new each time from a kept base."""
    base = ROOT / "build" / "root-base"
    if not (base / "etc" / "debian_version").exists():
        say("making a minimal Debian")
        shutil.rmtree(base, ignore_errors=True)
        subprocess.run(["debootstrap", "--variant=minbase", "bookworm", str(base)], check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
    shutil.rmtree(CLEAN, ignore_errors=True)
    subprocess.run(["cp", "-a", str(base), str(CLEAN)], check=True)
    for name in ("sources.list", "sources.list.d", "apt.conf.d", "trusted.gpg.d", "auth.conf.d"):
        if (place := Path("/etc/apt", name)).exists():
            subprocess.run(["cp", "-a", "-T", str(place), str(CLEAN / "etc/apt" / name)], check=True)
    for name in ("resolv.conf", "hosts"):
        shutil.copyfile(f"/etc/{name}", CLEAN / "etc" / name)
    shutil.copyfile(package, CLEAN / "srv" / "depthscope.deb")
    install = "apt-get update -qq && apt-get install -y -qq --no-install-recommends /srv/depthscope.deb "
    install += "libglib2.0-bin shared-mime-info desktop-file-utils && rm /srv/depthscope.deb"
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    log = ROOT / "build" / "root-install.log"
    started = time.monotonic()
    with log.open("w") as file:
        done = subprocess.run(["chroot", str(CLEAN), "sh", "-c", install], env=env, stdout=file, stderr=file,
                              check=False)  # fmt: skip
    expect(done.returncode == 0, f"installed with its dependencies in {time.monotonic() - started:.0f} s")
    pythons = [str(one) for one in CLEAN.glob("usr/bin/python3*")]
    expect(not pythons, "the clean root has no Python")
    home = CLEAN / HOME.lstrip("/")
    home.mkdir(parents=True)
    shutil.copytree(CLEAN / PROGRAM.lstrip("/"), home / "bAbI 이야기")
    python = ROOT / "build" / "venv-cpu" / "bin" / "python"
    subprocess.run([python, "-c", SLOW, str(home / "slow")], cwd=ROOT, check=True)


class Mounted:
    """/proc and /dev in the clean root, and the screen's socket."""

    places = (("--bind", "/proc", "proc"), ("--bind", "/dev", "dev"), ("-ttmpfs", "-oro", READ_ONLY[1:]))

    def __enter__(self) -> None:
        (CLEAN / READ_ONLY[1:]).mkdir()
        for how, source, target in self.places:
            subprocess.run(["mount", how, source, str(CLEAN / target)], check=True)
        SOCKETS.mkdir(exist_ok=True)
        (CLEAN / "tmp/.X11-unix").mkdir(exist_ok=True)
        subprocess.run(["mount", "--bind", str(SOCKETS), str(CLEAN / "tmp/.X11-unix")], check=True)

    def __exit__(self, *_: object) -> None:
        for number in running():
            os.kill(int(number), signal.SIGKILL)
        for place in ("tmp/.X11-unix", READ_ONLY[1:], "dev", "proc"):
            subprocess.run(["umount", "--lazy", str(CLEAN / place)], check=False)


class Screen:
    """An X server with a window manager, so that keys go to the window in front."""

    def __enter__(self) -> None:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.server = subprocess.Popen(["Xvfb", DISPLAY, "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
                                       **quiet)  # type: ignore[call-overload]  # fmt: skip
        until(lambda: (SOCKETS / f"X{DISPLAY[1:]}").exists(), "an X server")
        self.manager = subprocess.Popen(["openbox"], env={**os.environ, "DISPLAY": DISPLAY}, **quiet)  # type: ignore[call-overload]

    def __exit__(self, *_: object) -> None:
        for process in (self.manager, self.server):
            process.terminate()
            process.wait()


# ---- the program under use --------------------------------------------------------------------------------


def inside(*command: str, **env: str) -> list[str]:
    """A command line that runs in the clean root with a bare environment."""
    words = [f"{key}={value}" for key, value in {**ENVIRONMENT, **env}.items() if value]
    return ["chroot", str(CLEAN), "env", "-i", *words, *command]


def told(*command: str) -> str:
    return subprocess.run(inside(*command), capture_output=True, text=True, check=True).stdout


def until(true: Callable[[], object], what: str) -> Any:
    """Wait for something to come about."""
    last = time.monotonic() + PATIENCE
    while time.monotonic() < last:
        if found := true():
            return found
        time.sleep(0.05)
    picture("given-up")
    raise SystemExit(f"package-test: NOT MET: {what} did not come about in {PATIENCE:.0f} s")


class Used:
    """The program with a witness, as a user's hands and eyes."""

    def __init__(self, *arguments: str, **env: str) -> None:
        self.file = CLEAN / "srv" / "witness.jsonl"
        self.file.unlink(missing_ok=True)
        command = inside("depthscope", "_witness", "/srv/witness.jsonl", *arguments, **env)
        self.process = subprocess.Popen(command)

    def lines(self) -> list[Line]:
        text = self.file.read_text("utf-8") if self.file.exists() else ""
        return [json.loads(line) for line in text.split("\n")[:-1] if line]

    def until(self, what: str, true: Callable[[Line], object]) -> Line:
        """The newest line, once it is as wanted."""

        def look() -> Line | None:
            if self.process.poll() is not None:
                raise SystemExit(f"package-test: NOT MET: {what}: ended with {self.process.returncode}")
            lines = self.lines()
            return lines[-1] if lines and true(lines[-1]) else None

        found: Line = until(look, what)
        say(what)
        return found

    def now(self) -> Line:
        return self.lines()[-1]


def keys(*chords: str) -> None:
    for chord in chords:
        subprocess.run(["xdotool", "key", "--clearmodifiers", chord], env={**os.environ, "DISPLAY": DISPLAY},
                       check=True)  # fmt: skip


def typed(text: str) -> None:
    subprocess.run(
        ["xdotool", "type", "--delay", "15", text], env={**os.environ, "DISPLAY": DISPLAY}, check=True
    )


def windows(name: str, by: str = "name") -> list[str]:
    asked = ["xdotool", "search", "--onlyvisible", f"--{by}", name]
    env = {**os.environ, "DISPLAY": DISPLAY, "LC_ALL": "C.UTF-8"}
    return subprocess.run(asked, capture_output=True, text=True, env=env, check=False).stdout.split()


def picture(name: str) -> None:
    subprocess.run(["import", "-window", "root", str(PICTURES / f"{name}.png")],
                   env={**os.environ, "DISPLAY": DISPLAY}, check=True)  # fmt: skip


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


def debugged(used: Used) -> None:
    """The ACT debugger, both ways."""
    keys("alt+1")
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


def running() -> list[str]:
    """The processes of the program in the clean root."""
    found = []
    for place in Path("/proc").glob("[0-9]*/exe"):
        try:
            if os.readlink(place).startswith((f"{CLEAN}/opt/depthscope", "/opt/depthscope")):
                found.append(place.parent.name)
        except OSError:
            continue
    return found


def nothing_left() -> None:
    until(lambda: not running(), "the end of all its processes")
    say("nothing is left running")


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
    time.sleep(2.0)  # for the picture only
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
    """Lost files: a fault of the window is a dialog and it goes on; one of its start is a dialog and the end."""
    resources = CLEAN / "opt/depthscope/_internal/resources"
    (resources / "listing").rename(resources / "lost")
    used = Used(f"{HOME}/bAbI 이야기")
    used.until("without the listings the program opens", lambda s: s["phase"] == "ready")
    before = set(windows("depthscope", "class"))
    keys("alt+1")
    until(lambda: set(windows("depthscope", "class")) - before, "the dialog of a fault")
    time.sleep(1.0)  # for the picture only
    picture("7-fault")
    keys("Escape")
    until(lambda: not set(windows("depthscope", "class")) - before, "its end")
    say("a fault is a dialog, and the program goes on")
    quit_with(used)
    (resources / "lost").rename(resources / "listing")
    (resources / "theme" / "window.qss").unlink()
    subprocess.run(inside("gio", "launch", "/usr/share/applications/depthscope.desktop"), check=True)
    until(lambda: windows("^Depthscope$"), "the dialog of a failed start")
    time.sleep(1.0)  # for the picture only
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
