"""The Debian package: the folder in /opt, a link in /usr/bin, desktop entry, MIME type, icons, AppStream."""

from __future__ import annotations

import datetime
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT))

from app.display import BASE_LIBRARIES, WINDOW_LIBRARIES  # noqa: E402

CONTROL = """\
Package: depthscope
Version: {version}
Architecture: {architecture}
Maintainer: Depthscope contributors <depthscope@localhost>
Installed-Size: {kilobytes}
Depends: {depends}
Recommends: xdg-utils
Section: science
Priority: optional
Description: watch a Universal Transformer think
 Shows the attention of every head at every step of a Universal Transformer,
 the halting decision of every position and the answer as it would read had
 the model stopped there. Python and the engine are inside.
"""
# What the desktop keeps of entries, types and icons; each where it is there.
REFRESH = """\
#!/bin/sh
set -e
for command in "update-desktop-database -q /usr/share/applications" \\
        "update-mime-database /usr/share/mime" "gtk-update-icon-cache -q -t /usr/share/icons/hicolor"; do
    if command -v "${command%% *}" >/dev/null 2>&1; then $command || true; fi
done
"""
METAINFO = "org.depthscope.Depthscope.metainfo.xml"
RENAMED = {"libglib2.0-0": "libglib2.0-0 | libglib2.0-0t64"}  # since Debian 13, Ubuntu 24.04


def make(folder: Path, work: Path, out: Path, made: Path, version: str) -> Path:
    """Build the package; returns its path.  folder: the finished bundle.  made: where the icons are."""
    shutil.rmtree(work, ignore_errors=True)
    share = work / "usr" / "share"
    put(work / "usr" / "bin")
    os.symlink("/opt/depthscope/depthscope", work / "usr" / "bin" / "depthscope")
    put(work / "opt")
    shutil.copytree(folder, work / "opt" / "depthscope", symlinks=True, copy_function=link)
    copy(HERE / "linux" / "depthscope.desktop", share / "applications")
    copy(HERE / "linux" / "depthscope.xml", share / "mime" / "packages")
    metainfo(share / "metainfo", version)
    for picture in made.joinpath("icons").glob("depthscope-*.png"):
        size = picture.stem.rpartition("-")[2]
        target = put(share / "icons" / "hicolor" / f"{size}x{size}" / "apps") / "depthscope.png"
        shutil.copyfile(picture, target)
    copy(ROOT / "resources" / "icons" / "depthscope.svg", share / "icons" / "hicolor" / "scalable" / "apps")
    shutil.copyfile(ROOT / "LICENSE", put(share / "doc" / "depthscope") / "copyright")
    validate(share)
    control(work, version)
    package = out / f"depthscope_{version}_{architecture()}.deb"
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Zzstd", "-z12", "--build", str(work), str(package)],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    shutil.rmtree(work)
    return package


def put(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def copy(file: Path, folder: Path) -> None:
    shutil.copyfile(file, put(folder) / file.name)


def link(source: str, target: str) -> None:
    """A hard link instead of a copy of 600 MB."""
    os.link(source, target, follow_symlinks=False)


def metainfo(folder: Path, version: str) -> None:
    text = (HERE / "linux" / "depthscope.metainfo.xml").read_text("utf-8")
    date = datetime.date.fromtimestamp((ROOT / "pyproject.toml").stat().st_mtime).isoformat()
    text = text.replace("@VERSION@", version).replace("@DATE@", date)
    (put(folder) / METAINFO).write_text(text, "utf-8")


def validate(share: Path) -> None:
    """What desktops read is checked by their own tools, where they are installed."""
    for command in (
        ["desktop-file-validate", str(share / "applications" / "depthscope.desktop")],
        ["appstreamcli", "validate", "--no-net", str(share / "metainfo" / METAINFO)],
    ):
        if shutil.which(command[0]):
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        else:
            print(
                f"package: {command[0]} is not here: {Path(command[-1]).name} was not validated",
                file=sys.stderr,
            )


def control(work: Path, version: str) -> None:
    kilobytes = sum(file.lstat().st_size for file in work.rglob("*") if not file.is_dir()) // 1024
    folder = put(work / "DEBIAN")
    text = CONTROL.format(
        version=version, architecture=architecture(), kilobytes=kilobytes, depends=depends()
    )
    (folder / "control").write_text(text, "utf-8")
    for name in ("postinst", "postrm"):
        (folder / name).write_text(REFRESH, "utf-8")
        (folder / name).chmod(0o755)


def depends() -> str:
    """The C library that the bundle was built against or newer, and what Qt wants of the system."""
    libc = os.confstr("CS_GNU_LIBC_VERSION") or "glibc 2.36"
    names = [*BASE_LIBRARIES.values(), *WINDOW_LIBRARIES.values()]
    return ", ".join([f"libc6 (>= {libc.split()[1]})", *(RENAMED.get(name, name) for name in names)])


def architecture() -> str:
    said = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True)
    return said.stdout.strip()
