"""Can a window be shown here?  Asked before Qt starts, because Qt aborts the process where it cannot."""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import sys
from collections.abc import Iterable, Mapping

# Shared libraries that Qt's wheels expect of the system, and the Debian package of each.
BASE_LIBRARIES = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libxkbcommon.so.0": "libxkbcommon0",
}
WINDOW_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libX11-xcb.so.1": "libx11-xcb1",
}
_PROBE = "from PySide6.QtGui import QGuiApplication; QGuiApplication([])"
_PROBE_SECONDS = 30


def missing_libraries(names: Iterable[str]) -> list[str]:
    """Those of the shared libraries that the system's loader does not find (Linux only)."""
    return [name for name in names if not _loads(name)] if sys.platform == "linux" else []


def why_no_display(*, probe: bool = True, environ: Mapping[str, str] | None = None) -> str | None:
    """One clause saying why no window can be shown, or None where one can.

    The cheap questions come first (4 ms): the variables, the libraries, whether an X server or a Wayland
    compositor answers.  `probe` then also starts Qt's platform plug-in in a child process (250 ms), which
    may abort there without harm.  Anything but Linux has a display; a plug-in chosen by name that needs
    no screen (QT_QPA_PLATFORM=offscreen) is taken at its word.
    """
    env = dict(os.environ if environ is None else environ)
    if sys.platform != "linux":
        return None
    plugin = env.get("QT_QPA_PLATFORM", "").split(";")[0].partition(":")[0]
    if plugin not in ("", "xcb", "wayland"):
        return None
    reasons = []
    if env.get("DISPLAY") and plugin != "wayland":
        reasons.append(_why_no_x(env["DISPLAY"]))
    if env.get("WAYLAND_DISPLAY") and plugin != "xcb":
        reasons.append(_why_no_wayland(env))
    if not reasons:
        return "neither DISPLAY nor WAYLAND_DISPLAY is set"
    if None not in reasons:
        return "; ".join(filter(None, reasons))
    return _why_probe_fails(env) if probe and not getattr(sys, "frozen", False) else None


def _why_no_x(display: str) -> str | None:
    if missing := missing_libraries(WINDOW_LIBRARIES):
        packages = " ".join(WINDOW_LIBRARIES[name] for name in missing)
        return f"Qt's xcb plug-in lacks {', '.join(missing)} (Debian and Ubuntu: {packages})"
    return None if _x_server_answers(display) else f"no X server answers at DISPLAY={display}"


def _why_no_wayland(env: Mapping[str, str]) -> str | None:
    name = env["WAYLAND_DISPLAY"]  # a name in the run-time folder, or a path
    with socket.socket(socket.AF_UNIX) as sock:
        try:
            sock.connect(os.path.join(env.get("XDG_RUNTIME_DIR", ""), name))
        except OSError:
            return f"no compositor answers at WAYLAND_DISPLAY={name}"
    return None


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def _x_server_answers(display: str) -> bool:
    """Connect and disconnect through libxcb, which reports failure instead of aborting."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return False
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connection_has_error.argtypes = xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(display.encode(), None)
    failed: int = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return failed == 0


def _why_probe_fails(env: dict[str, str]) -> str | None:
    """Start the platform plug-in in a child process; the last line it wrote, if it did not come up."""
    try:
        child = subprocess.run(
            [sys.executable, "-c", _PROBE],
            env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            timeout=_PROBE_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"Qt did not come up within {_PROBE_SECONDS} seconds"
    if child.returncode == 0:
        return None
    lines = [line.strip() for line in child.stderr.decode(errors="replace").splitlines() if line.strip()]
    return "Qt's platform plug-in fails: " + (lines[0] if lines else f"exit status {child.returncode}")
