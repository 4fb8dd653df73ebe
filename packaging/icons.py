"""The program's icon in every size that desktops want, drawn from `resources/icons/depthscope.svg`.

python packaging/icons.py FOLDER     PNG files by size; depthscope.ico and depthscope.icns for Windows, macOS
"""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SOURCE = Path(__file__).resolve().parent.parent / "resources" / "icons" / "depthscope.svg"
SIZES = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)
ICO_SIZES = (16, 24, 32, 48, 64, 128, 256)
ICNS_TYPES = {"ic11": 32, "ic12": 64, "ic07": 128, "ic08": 256, "ic09": 512, "ic10": 1024}


def main(out: str) -> int:
    QGuiApplication(["icons"])
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        (folder / f"depthscope-{size}.png").write_bytes(png(size))
    (folder / "depthscope.ico").write_bytes(ico())
    (folder / "depthscope.icns").write_bytes(icns())
    return 0


def png(size: int) -> bytes:
    """The picture as PNG, `size` pixels a side."""
    renderer = QSvgRenderer(str(SOURCE))
    if not renderer.isValid():
        raise RuntimeError(f"{SOURCE} is not a drawing")
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    store = QByteArray()
    buffer = QBuffer(store)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return store.data()


def ico() -> bytes:
    """A Windows icon: a directory of PNG pictures (256 is written as 0)."""
    pictures = [png(size) for size in ICO_SIZES]
    head, place = struct.pack("<HHH", 0, 1, len(pictures)), 6 + 16 * len(pictures)
    for size, picture in zip(ICO_SIZES, pictures, strict=True):
        side = size % 256
        head += struct.pack("<BBBBHHII", side, side, 0, 0, 1, 32, len(picture), place)
        place += len(picture)
    return head + b"".join(pictures)


def icns() -> bytes:
    """A macOS icon: blocks of PNG pictures by type."""
    blocks = b""
    for kind, size in ICNS_TYPES.items():
        picture = png(size)
        blocks += kind.encode() + struct.pack(">I", len(picture) + 8) + picture
    return b"icns" + struct.pack(">I", len(blocks) + 8) + blocks


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
