"""Moving pictures from frames: WebP and GIF by Pillow (optional), MP4 by the user's own ffmpeg.

A frame is (width, height, RGBA bytes); all of one picture have one size.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

from app.messages import msg
from app.trouble import trouble

Frame = tuple[int, int, bytes]
LAST = 2.5  # times as long the last frame stays before the picture starts over


def check(kind: str) -> None:
    """Raise UserError where a kind of moving picture cannot be made here, saying what to install."""
    if kind in ("webp", "gif") and find_spec("PIL") is None:
        raise trouble(
            msg("{kind} pictures need the package Pillow, which is not installed", kind=kind.upper()),
            msg("Install it with pip install 'depthscope[animation]', or export a folder of frames"),
        )
    if kind == "mp4" and shutil.which("ffmpeg") is None:
        raise trouble(
            msg("MP4 films need the program ffmpeg, which was not found"),
            msg("Install ffmpeg, or export WebP, GIF or a folder of frames"),
        )


def durations(count: int, ms: int) -> list[int]:
    """How long each frame is shown: all alike, the last one longer."""
    return [ms] * (count - 1) + [round(ms * LAST)]


def encoded(kind: str, frames: Sequence[Frame], ms: int) -> bytes:
    """The file of one kind ("webp", "gif", "mp4"); UserError where it cannot be made."""
    check(kind)
    return _filmed(frames, ms) if kind == "mp4" else _animated(kind, frames, ms)


def _animated(kind: str, frames: Sequence[Frame], ms: int) -> bytes:
    from PIL import Image

    images = [Image.frombuffer("RGBA", (wide, high), data, "raw", "RGBA", 0, 1).convert("RGB")
              for wide, high, data in frames]  # fmt: skip
    out = io.BytesIO()
    shown = durations(len(images), ms)
    if kind == "webp":
        images[0].save(
            out, "WEBP", save_all=True, append_images=images[1:], duration=shown, loop=0, lossless=True,
            quality=60, method=2,
        )  # fmt: skip
    else:
        few = [image.quantize(255, dither=Image.Dither.NONE) for image in images]  # small type stays clean
        few[0].save(out, "GIF", save_all=True, append_images=few[1:], duration=shown, loop=0, disposal=1)
    return out.getvalue()


def _filmed(frames: Sequence[Frame], ms: int) -> bytes:
    """ffmpeg reads raw frames; sides are made even, as the usual codecs want them."""
    wide, high, _ = frames[0]
    held = [*frames, frames[-1]]
    with tempfile.TemporaryDirectory(prefix="depthscope.") as folder:
        film = Path(folder) / "film.mp4"
        command = [
            "ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{wide}x{high}",
            "-r", f"{1000 / ms:.4f}", "-i", "-", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-r", "25",
            "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(film),
        ]  # fmt: skip
        done = _fed(command, (data for _, _, data in held))
        if done.returncode or not film.is_file():
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            why = lines[-1] if lines else f"exit status {done.returncode}"
            raise trouble(
                msg("The program ffmpeg could not make the film: {why}", why=why),
                msg("Export WebP, GIF or a folder of frames"),
            )
        return film.read_bytes()


def _fed(command: list[str], parts: Iterable[bytes]) -> subprocess.CompletedProcess[bytes]:
    """Run a program with the parts, one after the other, on its standard input."""
    return subprocess.run(command, input=b"".join(parts), capture_output=True, check=False)
