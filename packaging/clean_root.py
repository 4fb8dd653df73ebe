"""A minimal Debian with the package installed, a screen beside it, and hands and eyes for the program in it.

For desktop_test.py.  Keys come from outside as a user's do; what the window shows is read from the witness
file (app/qt/witness.py) and from what the program wrote.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CLEAN = ROOT / "build" / "root"
PICTURES = ROOT / "build" / "pictures"
SOCKETS = Path("/tmp", ".X11-unix")  # of X servers
# A number that nobody uses: keys must not go to the windows of others.
DISPLAY = next(
    f":{number}"
    for number in range(77, 200)
    if not (SOCKETS / f"X{number}").exists() and not (SOCKETS.parent / f".X{number}-lock").exists()
)
PATIENCE = 90.0  # seconds something may take on a busy machine
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
    if held := mounted():
        raise SystemExit(f"package-test: unmount {', '.join(held)} first: the old root is to be removed")
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


def mounted() -> list[str]:
    """The places in the clean root that lead elsewhere, the newest first."""
    lines = Path("/proc/mounts").read_text("utf-8").splitlines()
    places = [line.split()[1].replace("\\040", " ") for line in reversed(lines)]
    return [place for place in places if place.startswith(f"{CLEAN}/")]


class Mounted:
    """/proc and /dev in the clean root, and the screen's socket."""

    places = (("--bind", "/proc", "proc"), ("--bind", "/dev", "dev"), ("-oro", "tmpfs", READ_ONLY[1:]))

    def __enter__(self) -> None:
        (CLEAN / READ_ONLY[1:]).mkdir()
        try:
            self.mount()
        except BaseException:
            self.__exit__()
            raise

    def mount(self) -> None:
        for how, source, target in self.places:
            kind = ["-t", "tmpfs"] if source == "tmpfs" else []
            subprocess.run(["mount", *kind, how, source, str(CLEAN / target)], check=True)
        SOCKETS.mkdir(exist_ok=True)
        (CLEAN / "tmp/.X11-unix").mkdir(exist_ok=True)
        subprocess.run(["mount", "--bind", str(SOCKETS), str(CLEAN / "tmp/.X11-unix")], check=True)

    def __exit__(self, *_: object) -> None:
        for number in running():
            os.kill(int(number), signal.SIGKILL)
        for place in mounted():
            subprocess.run(["umount", "--lazy", place], check=False)


class Screen:
    """An X server with a window manager, so that keys go to the window in front."""

    def __enter__(self) -> None:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.server = subprocess.Popen(["Xvfb", DISPLAY, "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
                                       **quiet)  # type: ignore[call-overload]  # fmt: skip
        until(lambda: (SOCKETS / f"X{DISPLAY[1:]}").exists(), "an X server")
        expect(self.server.poll() is None, f"the screen {DISPLAY} is ours")
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
    """What is on the screen, once it is still (a caret may blink, so not for ever)."""
    env = {**os.environ, "DISPLAY": DISPLAY}
    before, last = b"", time.monotonic() + 5
    while time.monotonic() < last:
        pixels = subprocess.run(["import", "-window", "root", "rgb:-"], env=env, check=True,
                                stdout=subprocess.PIPE).stdout  # fmt: skip
        if pixels == before:
            break
        before = pixels
        time.sleep(0.5)
    subprocess.run(["import", "-window", "root", str(PICTURES / f"{name}.png")], env=env, check=True)


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
