"""`make package`: the one-dir program, a tar.gz and, where dpkg is, a .deb in `dist/`.

    python packaging/build.py [bundle] [tar] [deb] [wheel]      without words: bundle, tar and deb
    TORCH=cuda       another environment with the CUDA build of torch (several GB); else what is pinned

All set-up is done here: an environment of its own in `build/`, so that nothing of development is bundled.
A second run reuses it.  Standard library only; it runs PyInstaller, icons.py and licences.py in there.
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

import bootstrap  # noqa: E402
import bundle  # noqa: E402

BUILD, DIST = ROOT / "build", ROOT / "dist"
MADE = BUILD / "made"
FOLDER = DIST / "depthscope"
BINUTILS = ("objcopy", "strip")  # PyInstaller puts its archive into the program with the first
MOST_MB, MOST_PACKED_MB = 660, 200  # with a CPU build of torch, on Linux


def main(words: list[str]) -> int:
    torch = os.environ.get("TORCH", "cpu")
    if torch not in ("cpu", "cuda"):
        return fail(f"there is no build of torch named {torch!r}; use TORCH=cpu or TORCH=cuda")
    wanted = words or ["bundle", "tar", "deb"]
    unknown = set(wanted) - {"bundle", "tar", "deb", "wheel"}
    if unknown:
        return fail(f"unknown: {', '.join(sorted(unknown))}; use bundle, tar, deb, wheel")
    if "bundle" in wanted and not tools():
        return 2
    python = environment(torch)
    if "bundle" in wanted:
        make_bundle(python, torch)
    if "wheel" in wanted:
        make_wheel(python)
    if "tar" in wanted:
        make_tar(python, torch)
    if "deb" in wanted:
        if shutil.which("dpkg-deb") is None:
            say("no .deb: dpkg-deb is not here")
        else:
            import deb

            package = deb.make(FOLDER, BUILD / "deb", DIST, MADE, version(python))
            told(package, torch)
    return 0


def say(text: str) -> None:
    print(f"package: {text}", file=sys.stderr, flush=True)


def fail(text: str) -> int:
    say(text)
    return 2


def run(*command: str | Path, **env: str) -> None:
    subprocess.run(list(map(str, command)), cwd=ROOT, env={**os.environ, **env}, stdin=subprocess.DEVNULL,
                   check=True)  # fmt: skip


# ---- the environment --------------------------------------------------------------------------------------


def tools() -> bool:
    """Whether what PyInstaller wants of the system is here; where we may, it is installed."""
    if sys.platform != "linux":
        return True
    bootstrap.system_libraries()  # those of Qt go into the bundle
    missing = [name for name in BINUTILS if shutil.which(name) is None]
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        say("installing binutils")
        bootstrap.apt(["update", "-qq"])
        bootstrap.apt(["install", "-y", "-qq", "--no-install-recommends", "binutils"])
        missing = [name for name in BINUTILS if shutil.which(name) is None]
    if missing:
        say(f"{', '.join(missing)} must be installed (Debian and Ubuntu: binutils)")
    return not missing


def environment(torch: str) -> Path:
    """The Python of the build's environment, made or brought up to date where needed."""
    folder = BUILD / f"venv-{torch}"
    scripts = "Scripts/python.exe" if os.name == "nt" else "bin/python"
    python, stamp = folder / scripts, folder / "depthscope-setup"
    wanted = fingerprint()
    if python.exists() and stamp.exists() and stamp.read_text() == wanted:
        return python
    if not python.exists():
        say(f"making {folder.relative_to(ROOT)}")
        run(sys.executable, "-m", "venv", folder)
    stamp.unlink(missing_ok=True)
    say("installing packages (a minute or more)")
    pins = constraints(torch)
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-c", pins, "-e",
        ".[animation,package]")  # fmt: skip
    if torch == "cuda":
        run(python, "-c", "import torch, sys; sys.exit(None if torch.version.cuda else "
            "'the torch that pip chose has no CUDA; name an index with PIP_EXTRA_INDEX_URL')")  # fmt: skip
    stamp.write_text(wanted)
    return python


def fingerprint() -> str:
    digest = hashlib.sha256(repr((str(ROOT), sys.version)).encode())
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest() + "\n"


def constraints(torch: str) -> Path:
    """The pinned versions; for CUDA without torch's, whose build pip then chooses for this machine."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    if torch == "cuda":
        lines = [line for line in lines if not line.startswith("torch==")]
    BUILD.mkdir(exist_ok=True)
    file = BUILD / f"constraints-{torch}.txt"
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return file


def version(python: Path) -> str:
    """The program's version, from the one place where it stands (pyproject.toml)."""
    import tomllib

    return str(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"])


# ---- the bundle -------------------------------------------------------------------------------------------


def make_bundle(python: Path, torch: str) -> None:
    started = time.monotonic()
    shutil.rmtree(FOLDER, ignore_errors=True)
    run(python, HERE / "icons.py", MADE / "icons")
    text = MADE / "licences" / "bundled.txt"
    run(python, HERE / "licences.py", text)
    if sys.platform == "win32":
        run(python, HERE / "windows" / "version_info.py", MADE / "version_info.txt", version(python))
    run(python, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN", "--distpath", DIST, "--workpath",
        BUILD / "pyinstaller", HERE / "depthscope.spec", DEPTHSCOPE_BUILD=str(MADE))  # fmt: skip
    inside = FOLDER / "_internal"
    run(python, HERE / "licences.py", inside / "resources" / "licences" / "bundled.txt", FOLDER)
    if sys.platform == "linux" and shutil.which("strip"):
        strip(inside)
    size = size_of(FOLDER)
    say(f"{FOLDER.relative_to(ROOT)}: {size:.0f} MB, built in {time.monotonic() - started:.0f} s")
    if torch == "cpu" and sys.platform == "linux" and size > MOST_MB:
        raise SystemExit(f"package: the bundle has {size:.0f} MB, {MOST_MB} were allowed")


def strip(inside: Path) -> None:
    """Take the symbols out of the few libraries where they weigh something."""
    for file in sorted(inside.rglob("*.so*")):
        if not file.is_symlink() and any(fnmatch.fnmatch(file.name, one) for one in bundle.STRIPPED):
            run("strip", "--strip-unneeded", file)


def size_of(path: Path) -> float:
    """Megabytes (10^6 bytes) of a file or of all files in a folder."""
    files = [path] if path.is_file() else [one for one in path.rglob("*") if not one.is_symlink()]
    return sum(one.stat().st_size for one in files if one.is_file()) / 1e6


# ---- archives ---------------------------------------------------------------------------------------------


def make_tar(python: Path, torch: str) -> None:
    """The folder as tar.gz, which every system opens, and as tar.xz, a quarter smaller."""
    import platform

    stem = f"depthscope-{version(python)}-{sys.platform}-{platform.machine().lower()}"
    stem += "-cuda" if torch == "cuda" else ""
    owner = ("--owner=0", "--group=0", "--numeric-owner", "--sort=name")
    for suffix, packer in ((".tar.gz", "gzip -6"), (".tar.xz", "xz -6 -T0")):
        if shutil.which(packer.split()[0]) is None:
            continue
        archive = DIST / (stem + suffix)
        archive.unlink(missing_ok=True)
        run("tar", *owner, "-I", packer, "-C", DIST, "-cf", archive, FOLDER.name)
        told(archive, torch if suffix == ".tar.xz" else "")


def told(archive: Path, torch: str) -> None:
    """Its size and its checksum beside it."""
    size = size_of(archive)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    archive.with_name(archive.name + ".sha256").write_text(f"{digest}  {archive.name}\n")
    say(f"{archive.relative_to(ROOT)}: {size:.0f} MB")
    if torch == "cpu" and size > MOST_PACKED_MB:
        raise SystemExit(f"package: {archive.name} has {size:.0f} MB, {MOST_PACKED_MB} were allowed")


def make_wheel(python: Path) -> None:
    run(python, "-m", "build", "--outdir", DIST, ROOT)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except subprocess.CalledProcessError as error:
        sys.exit(fail(f"failed (exit status {error.returncode}): {' '.join(map(str, error.cmd))}"))
