"""Writes the version resource of the Windows programs, for PyInstaller: `version_info.py OUT.txt 0.1.0`.

Not run on Windows so far.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

TEMPLATE = """\
VSVersionInfo(
  ffi=FixedFileInfo(filevers={numbers}, prodvers={numbers}, mask=0x3F, flags=0x0, OS=0x40004, fileType=0x1),
  kids=[
    StringFileInfo([StringTable("040904B0", [
      StringStruct("CompanyName", "Depthscope contributors"),
      StringStruct("FileDescription", "Depthscope"),
      StringStruct("FileVersion", "{version}"),
      StringStruct("LegalCopyright", "MIT licence"),
      StringStruct("ProductName", "Depthscope"),
      StringStruct("ProductVersion", "{version}"),
    ])]),
    VarFileInfo([VarStruct("Translation", [0x0409, 0x04B0])]),
  ],
)
"""


def text(version: str) -> str:
    """The resource for a version such as "0.1.0" or "1.2.3rc1"; four numbers are wanted."""
    numbers = [int(number) for number in re.findall(r"\d+", version)[:4]]
    padded = tuple(numbers + [0] * (4 - len(numbers)))
    return TEMPLATE.format(numbers=padded, version=version)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(sys.argv[2]), "utf-8")
