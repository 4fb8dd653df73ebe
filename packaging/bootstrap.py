"""All set-up, for `make`: system libraries, virtual environment, packages.  Standard library only.

Run by any Python >= 3.11 from the checkout: `python3 packaging/bootstrap.py`.  A second run compares a
stamp with what the set-up depends on and is done in a fraction of a second.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "depthscope-setup"
sys.path.insert(0, str(ROOT))

from app.display import BASE_LIBRARIES, WINDOW_LIBRARIES, missing_libraries  # noqa: E402


def say(text: str) -> None:
    print(f"setup: {text}", file=sys.stderr, flush=True)


def main() -> int:
    if sys.version_info < (3, 11):  # noqa: UP036 - a PYTHON that the user named
        found = sys.version.split()[0]
        say(f"Python 3.11 or newer is needed, this is {found}; name another with make PYTHON=...")
        return 2
    system_libraries()
    try:
        packages()
    except subprocess.CalledProcessError as error:
        say(f"failed (exit status {error.returncode}): {' '.join(map(str, error.cmd))}")
        return 1
    return 0


def system_libraries() -> None:
    """Install what Qt lacks where we may (root on Debian and its kin), name it in one line elsewhere."""
    wanted = {**BASE_LIBRARIES, **WINDOW_LIBRARIES}
    missing = missing_libraries(wanted)
    names = " ".join(wanted[name] for name in missing)
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        say(f"installing system libraries: {names}")
        apt(["update", "-qq"])
        apt(["install", "-y", "-qq", "--no-install-recommends", *names.split()])
        missing = missing_libraries(wanted)
        names = " ".join(wanted[name] for name in missing)
    if missing:
        say(f"Qt lacks {', '.join(missing)}; on Debian and Ubuntu: sudo apt-get install {names}")


def apt(arguments: list[str]) -> None:
    """One apt-get call; only its errors are shown, and what it could not install is still missing after."""
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    quiet = subprocess.DEVNULL
    subprocess.run(["apt-get", *arguments], env=env, stdin=quiet, stdout=quiet, check=False)


def packages() -> None:
    """The virtual environment with the program (editable) and its development tools, as pinned."""
    stamp = fingerprint()
    if PYTHON.exists() and STAMP.exists() and STAMP.read_text() == stamp:
        return
    if not PYTHON.exists():
        say(f"making {VENV.name} with Python {sys.version.split()[0]}")
        run([sys.executable, "-m", "venv", "--clear", str(VENV)])
    say("installing packages (the first time takes a minute or more)")
    STAMP.unlink(missing_ok=True)  # a set-up that is interrupted counts as not made
    constraints = os.environ.get("CONSTRAINTS", "constraints.txt")
    pinned = ["-c", constraints] if constraints else []
    run([str(PYTHON), "-m", "pip", "install", "-q", "--disable-pip-version-check", *pinned, "-e", ".[dev]"])
    STAMP.write_text(stamp)


def fingerprint() -> str:
    """What the set-up depends on: the two lists of packages, this file, the place, the Python."""
    digest = hashlib.sha256()
    for name in ("pyproject.toml", "constraints.txt", "packaging/bootstrap.py"):
        digest.update((ROOT / name).read_bytes())
    digest.update(repr((str(ROOT), sys.version, os.environ.get("CONSTRAINTS"))).encode())
    return digest.hexdigest() + "\n"


def run(command: list[str]) -> None:
    subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)


if __name__ == "__main__":
    sys.exit(main())
