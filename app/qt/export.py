"""Exports: scenes in, one file (or a folder of frames) out, whole or not at all.

`Export` is fed moments (a scene and its caption), one for a still, one a step for a moving picture; `files`
then makes the bytes, which may be done in a thread, and `write` writes them.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtGui import QImage, QPainter

from app import animation, exports
from app.messages import Text, Translator, msg
from app.qt.studio import Studio
from app.qt.theme import Theme
from app.render.csv import to_csv
from app.scene import Scene
from app.trouble import trouble
from ut_engine.files import cannot_write, mode_for, write_atomically


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be exported and how.

    kind: of `exports.KINDS`.  figure: key of a card, "" for the whole pane.  size: logical pixels at 100 %.
    scale: picture pixels for a logical one (PNG and moving pictures).  ms: how long a frame is shown.
    paper: a PDF is one A4 sheet, the figure made smaller where it would not fit; a text as many as it needs.
    """

    kind: str
    path: Path
    theme: Theme
    language: str = "en"
    size: tuple[int, int] = (1280, 800)
    scale: float = 1.0
    figure: str = ""
    caption: bool = True
    ms: int = 600
    paper: bool = False


class Export:
    """One export, from the first moment to the file.  Call `close` in the end, whatever happened."""

    def __init__(self, wish: Wish, frames: int = 1) -> None:
        """frames: how many moments will come; UserError where the export cannot work."""
        animation.check(wish.kind)
        exports.check_room(wish.size, wish.scale, 1 if wish.kind == "frames" else frames)
        self.wish, self.frames = wish, frames
        self._studio: Studio | None = None
        self._data: list[bytes] = []
        self._images: list[QImage] = []
        self.size = wish.size

    def add(self, scene: Scene, caption: Text) -> None:
        """Paint one moment; UserError where the figure is not in it."""
        wish = self.wish
        part = exports.only(scene, wish.figure)
        if wish.kind == "csv":
            self._data.append(to_csv(part, Translator(wish.language)))
            return
        if self._studio is None:
            theme = replace(wish.theme, paper=wish.paper and wish.kind == "pdf")
            self._studio = Studio(theme, wish.language, wish.size)
        studio = self._studio
        studio.show_scene(part, caption if wish.caption else "")
        self.size = studio.width(), studio.height()
        if wish.kind == "png":
            self._data.append(studio.png(wish.scale))
        elif wish.kind in ("svg", "pdf"):
            self._data.append(studio.svg() if wish.kind == "svg" else studio.pdf(wish.paper))
        elif wish.kind == "frames":
            self._data.append(studio.png(wish.scale))  # small, unlike the pixels of hundreds of frames
        else:
            self._images.append(studio.image(wish.scale))

    def files(self) -> list[bytes]:
        """The bytes of the file, or of each file of a folder.  Touches no widget."""
        if self.wish.kind in ("webp", "gif", "mp4"):
            return [animation.encoded(self.wish.kind, raw(self._images), self.wish.ms)]
        return self._data

    def write(self, files: Sequence[bytes]) -> Path:
        """Write what `files` gave; the path written to.  UserError with one sentence where it fails."""
        path = exports.named(self.wish.path, self.wish.kind)
        if self.wish.kind == "frames":
            write_folder(path, files)
        else:
            write_atomically(path, files)
        return path

    def close(self) -> None:
        if self._studio is not None:
            self._studio.close_down()
            self._studio = None
        self._images.clear()


def raw(images: Sequence[QImage]) -> list[animation.Frame]:
    """RGBA bytes of pictures, all made as large as the largest of them."""
    wide, high = max(i.width() for i in images), max(i.height() for i in images)
    return [(wide, high, _bytes(image, wide, high)) for image in images]


def _bytes(image: QImage, wide: int, high: int) -> bytes:
    image = QImage(image)
    image.setDevicePixelRatio(1)
    if (image.width(), image.height()) != (wide, high):
        ground = QImage(wide, high, QImage.Format.Format_RGB32)
        ground.fill(image.pixelColor(0, 0))
        with QPainter(ground) as painter:
            painter.drawImage(0, 0, image)
        image = ground
    plain = image.convertToFormat(QImage.Format.Format_RGBA8888)  # lives until its bytes are copied
    return bytes(plain.constBits())


def write_folder(path: Path, files: Sequence[bytes]) -> None:
    """A folder with step-001.png and so on: written beside and renamed, so that it is whole or not there.

    An empty folder of that name is replaced; UserError for one with anything in it.
    """
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            what = msg("{name} is there already and not empty", name=path.name)
            raise trouble(what, msg("Choose another name"))
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent))
    except OSError as error:
        raise cannot_write(path, error) from error
    digits = max(3, len(str(len(files))))
    try:
        for k, data in enumerate(files, start=1):
            (unfinished / f"step-{k:0{digits}}.png").write_bytes(data)
        if path.is_dir():
            path.rmdir()
        mode = mode_for(path)  # of a new file; a folder one may enter as well
        os.chmod(unfinished, mode | (mode & 0o444) >> 2)
        os.replace(unfinished, path)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(unfinished, ignore_errors=True)


def picture(scene: Scene, caption: Text, theme: Theme, language: str, size: tuple[int, int]) -> QImage:
    """One figure at scale 2, for the clipboard."""
    studio = Studio(theme, language, size)
    studio.show_scene(scene, caption)
    image = studio.image(2.0)
    studio.close_down()
    return image
