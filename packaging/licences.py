"""The licences of everything in the bundle, as one text, generated from what is installed.

    python packaging/licences.py OUT.txt [FOLDER]    FOLDER: a finished bundle, for system libraries in it

Python packages bring their texts in their metadata, system libraries in the distribution's own folder;
Qt is under the LGPL, whose text must come with it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import Distribution, distributions
from pathlib import Path

BUNDLED = (
    "PySide6-Essentials", "shiboken6", "pyqtgraph", "numpy", "torch", "safetensors", "pillow", "sympy",
    "mpmath", "typing_extensions", "packaging", "setuptools", "pyinstaller",
)  # fmt: skip
RULE = "\n\n" + "=" * 80 + "\n\n"
NAMES = ("licen", "copying", "notice", "copyright", "authors")
LGPL = (
    "Qt and PySide6 are used under the GNU Lesser General Public License, version 3: they lie in this "
    "program's folder as shared libraries of their own (PySide6/, shiboken6/), and may be replaced there by "
    "other builds of the same version. Their source code is at https://download.qt.io/official_releases/."
)
COMMON = Path("/usr/share/common-licenses")


def main(out: str, folder: str = "") -> int:
    parts = [intro(), python_text(), *map(package_text, installed())]
    if folder:
        parts += system_texts(Path(folder))
    parts += common_texts("".join(parts))
    Path(out).parent.mkdir(parents=True, exist_ok=True)
    Path(out).write_text(RULE.join(parts) + "\n", encoding="utf-8")
    return 0


def installed() -> list[Distribution]:
    """Those of the list that are installed, and what the CUDA build of torch brings along."""
    found = {name_of(one): one for one in distributions()}
    wanted = [name.lower().replace("_", "-") for name in BUNDLED]
    wanted += sorted(name for name in found if name.startswith(("nvidia-", "cuda-", "triton")))
    return [found[name] for name in wanted if name in found]


def name_of(one: Distribution) -> str:
    return str(one.metadata["Name"]).lower().replace("_", "-")


def intro() -> str:
    lines = [f"{one.metadata['Name']} {one.version}: {short(one)}" for one in installed()]
    return "\n".join(
        ["What this program is made of", "", f"Python {sys.version.split()[0]}: PSF-2.0", *lines]
    )


def short(one: Distribution) -> str:
    """The licence's name as the package gives it."""
    data = one.metadata
    named = data.get("License-Expression") or ""
    if not named:
        kinds = [
            line.rpartition(" :: ")[2] for line in data.get_all("Classifier") or [] if "License ::" in line
        ]
        first = (data.get("License") or "").strip().split("\n")[0]
        named = ", ".join(kinds) or first
    return named or "see its text"


def python_text() -> str:
    for name in ("LICENSE.txt", "LICENSE"):
        for folder in (Path(sysconfig.get_path("stdlib")), Path(sys.base_prefix)):
            if (folder / name).is_file():
                return f"Python\n\n{(folder / name).read_text('utf-8', 'replace')}"
    return "Python\n\nPSF License Agreement, https://docs.python.org/3/license.html"


def package_text(one: Distribution) -> str:
    """A package's name and all the licence files that it brings."""
    head = f"{one.metadata['Name']} {one.version}\n{short(one)}"
    if "PySide6" in one.metadata["Name"] or "shiboken" in one.metadata["Name"]:
        head += f"\n\n{LGPL}"
    texts = []
    for file in one.files or []:
        inside = ".dist-info" in str(file.parent)
        if inside and (file.name.lower().startswith(NAMES) or "licenses" in file.parts):
            text = Path(str(file.locate())).read_text("utf-8", "replace").strip()
            if text not in texts:
                texts.append(text)
    return "\n\n".join([head, *texts])


def system_texts(folder: Path) -> list[str]:
    """Copyright files of the Debian packages whose libraries were bundled; none on other systems."""
    if shutil.which("dpkg-query") is None:
        return []
    files = sorted(file.name for file in (folder / "_internal").glob("lib*.so*"))
    asked = ["dpkg-query", "-S", *(f"*/{name}" for name in files)]  # one call: each reads the whole list
    said = subprocess.run(asked, capture_output=True, text=True, check=False)
    found: dict[str, list[str]] = {}
    for line in said.stdout.splitlines():
        package, _, place = line.partition(": ")
        found.setdefault(package.split(":")[0], []).append(Path(place).name)
    texts = []
    for package, names in sorted(found.items()):
        text = Path("/usr/share/doc", package, "copyright")
        if text.is_file():
            libraries = ", ".join(dict.fromkeys(names))
            texts.append(f"{package} ({libraries})\n\n{text.read_text('utf-8', 'replace').strip()}")
    return texts


def common_texts(said: str) -> list[str]:
    """The whole of those licences that the texts above only point to."""
    names = ("LGPL-3", "GPL-3", "LGPL-2.1", "LGPL-2", "GPL-2", "Apache-2.0", "MPL-2.0")
    wanted = [name for name in names if name in ("LGPL-3", "GPL-3") or f"common-licenses/{name}" in said]
    return [f"{name}\n\n{(COMMON / name).read_text('utf-8')}" for name in wanted if (COMMON / name).is_file()]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
