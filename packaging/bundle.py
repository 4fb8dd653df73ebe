"""What goes into the packaged program and what stays out, as plain lists; `depthscope.spec` builds from it.

Names are asked of the program itself (its panes, families, verbs, resources): collecting by name from a
wrong working directory would bundle nothing and say nothing.
"""

from __future__ import annotations

import ast
import fnmatch
import os
import pkgutil
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.metadata import Distribution, distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("app", "ut_engine")
METADATA = ("depthscope", "PySide6-Essentials", "pyqtgraph", "numpy", "torch", "safetensors", "pillow")
"""Distributions whose version the program asks for."""

# Modules nothing here uses.  pydoc, unittest.mock, torchgen, torch.testing, torch._inductor, torch.onnx and
# torch.distributed look as superfluous, but `import torch` or the first optimizer imports them.
UNUSED_MODULES = (
    "tkinter", "_tkinter", "turtle", "idlelib", "lib2to3", "ensurepip", "pip", "setuptools", "wheel",
    "pytest", "_pytest", "hypothesis", "mypy", "IPython", "matplotlib", "scipy", "pandas", "numba",
    "llvmlite", "cv2", "yaml", "tensorboard", "torch.utils.tensorboard", "PIL.ImageTk", "PIL.ImageQt",
    "PIL._avif", "PIL.AvifImagePlugin", "pyqtgraph.opengl", "pyqtgraph.examples", "pyqtgraph.jupyter",
    "PySide6.QtNetwork", "PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtSql", "PySide6.QtTest",
    "PySide6.QtDBus", "sqlite3", "networkx", "fsspec", "jinja2", "markupsafe", "filelock", "numpy.f2py",
)  # fmt: skip
# Parts of torch for compiling models, for several machines and for its own tests: neither `import torch`, a
# run nor the first optimizer imports them.  A CUDA build keeps them all: it may choose other ways.
UNUSED_IN_TORCH = (
    "torch._inductor.codegen", "torch._inductor.fx_passes", "torch._inductor.kernel", "torch._vendor.quack",
    "torch.ao.ns", "torch.ao.pruning", "torch.distributed.checkpoint", "torch.distributed.elastic",
    "torch.distributed.pipelining", "torch._export.serde", "torch.utils.benchmark",
    "torch.utils.cpp_extension", "torch.utils.hipify",
    *(f"torch.testing._internal.{name}" for name in (
        "common_methods_invocations", "common_utils", "common_nn", "common_modules", "common_quantization",
        "common_distributed", "common_fsdp", "distributed.distributed_test", "distributed.rpc",
        "distributed._tensor", "generated", "jit_utils", "opinfo", "optests",
    )),
)  # fmt: skip
# torch comes with its sources beside the compiled modules, 41 MB.  It reads its own functions' where they
# are overloaded, and the comments in its settings when the first optimizer is made.
READ_SOURCES = (
    "torch/*config*.py", "torch/nn/*.py", "torch/functional.py", "torch/_jit_internal.py",
)  # fmt: skip
# What other packages import by a name they put together.
IMPORTED_BY_OTHERS = ("PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets")  # by pyqtgraph

# Files, by their place in the bundle.
UNUSED_FILES = (
    "torch/test/*", "torch/include/*", "torch/share/*", "torch/bin/*", "*.pyi", "*.lib", "*.a",
    "torch/lib/libtorchbind_test*", "torch/lib/libjitbackend_test*", "torch/lib/libbackend_with_compiler*",
    "torch/lib/libaoti_custom_ops*", "numpy/*/tests/*", "numpy/tests/*",
    "PySide6/Qt/plugins/platformthemes/libqgtk3*", "PySide6/Qt/plugins/tls/*",
    "PySide6/Qt/plugins/networkinformation/*", "PySide6/Qt/plugins/qmltooling/*",
    "PySide6/Qt/plugins/sqldrivers/*", "PySide6/Qt/plugins/generic/*",
    "PySide6/Qt/plugins/egldeviceintegrations/*", "PySide6/Qt/plugins/platforms/libqeglfs*",
    "PySide6/Qt/plugins/platforms/libqlinuxfb*", "PySide6/Qt/plugins/platforms/libqvnc*",
    "PySide6/Qt/plugins/platforms/libqminimal*", "PySide6/Qt/plugins/platforms/libqvkkhrdisplay*",
    "PySide6/Qt/plugins/imageformats/libqtiff*", "PySide6/Qt/plugins/imageformats/libqwebp*",
    "PySide6/Qt/plugins/imageformats/libqicns*", "PySide6/Qt/plugins/imageformats/libqtga*",
    "PySide6/Qt/plugins/imageformats/libqwbmp*", "PySide6/Qt/plugins/platforminputcontexts/libqtvirtual*",
    "PySide6/Qt/lib/libQt6Network*", "PySide6/Qt/lib/libQt6Qml*", "PySide6/Qt/lib/libQt6Quick*",
    "PySide6/Qt/lib/libQt6VirtualKeyboard*", "PySide6/Qt/lib/libQt6EglFS*", "PySide6/Qt/qml/*",
    "libgtk-3*", "libgdk-3*", "libgdk_pixbuf*", "libcairo*", "libpango*", "libatk*", "libatspi*",
    "libkrb5*", "libk5crypto*", "libgssapi*", "libepoxy*", "libharfbuzz*", "libthai*", "libdatrie*",
    "libfribidi*", "libgraphite2*", "libX11.so.6.gtk", "PySide6/Qt/lib/libQt6EglFs*", "*.egg-info/*",
)  # fmt: skip
NEEDED_FILES = ("torch/bin/torch_shm_manager*",)  # of the folders above
TRANSLATIONS = ("qtbase_ko.qm", "qtbase_en.qm", "qt_ko.qm", "qt_en.qm")

STRIPPED = ("libtorch_cpu.so", "libtorch_python.so", "libpython3*.so*")
"""Libraries whose symbols are a good part of them: 434 -> 345 MB, 23 -> 6 MB.

Not all: libraries that a wheel repair tool has rearranged do not load any more after `strip`.
"""


def modules() -> list[str]:
    """Every module of the program, found by walking it; RuntimeError where it finds itself incomplete."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    names = [name for package in PACKAGES for name in walked(package)]
    for wanted in own_names():
        if wanted not in names:
            raise RuntimeError(f"the program's module {wanted} was not found from {ROOT}")
    return [*names, *late_imports(), *IMPORTED_BY_OTHERS]


def late_imports() -> list[str]:
    """Modules of others that the program imports by name when it needs them: PyInstaller cannot see those."""
    found = set()
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                name = node.args[0] if isinstance(node, ast.Call) and node.args else None
                called = getattr(node.func, "attr", getattr(node.func, "id", "")) if name is not None else ""
                text = name.value if isinstance(name, ast.Constant) else None
                if called == "import_module" and isinstance(text, str):
                    found.add(text)
    return sorted(name for name in found if name.partition(".")[0] not in PACKAGES)


def unused_modules() -> list[str]:
    """What is kept out even where something imports it."""
    return [*UNUSED_MODULES, *(() if for_cuda() else UNUSED_IN_TORCH)]


def for_cuda() -> bool:
    return os.environ.get("TORCH") == "cuda"


def walked(package: str) -> Iterator[str]:
    """The package and all below it, without importing more than packages."""
    yield package
    for info in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
        yield info.name


def own_names() -> list[str]:
    """Modules that the program finds by walking folders: panes, families, verbs, at least one of each."""
    from app.cli import VERBS
    from app.pane import all_panes
    from ut_engine.family import families

    kinds = {
        "pane": [pane.__name__ for pane in all_panes().values()],  # type: ignore[attr-defined]
        "family": [family.__name__ for family in families()],
        "verb": [f"app.verbs.{name}" for name in VERBS],
    }
    for kind, found in kinds.items():
        if not found:
            raise RuntimeError(f"the program names no {kind}")
    return [name for found in kinds.values() for name in found]


def resources() -> list[tuple[str, str]]:
    """(file, folder in the bundle) of everything that ships beside the code."""
    from app.paths import resource

    folder = resource()
    files = sorted(path for path in folder.rglob("*") if path.is_file() and is_shipped(path))
    if not files:
        raise RuntimeError(f"there are no resources in {folder}")
    return [(str(path), str(Path("resources", path.parent.relative_to(folder)))) for path in files]


def is_shipped(path: Path) -> bool:
    return "__pycache__" not in path.parts and not path.name.startswith(".")


def metadata() -> list[tuple[str, str]]:
    """(file, folder in the bundle) of the one file of each distribution that names its version."""
    found = []
    for name in METADATA:
        files = installed(name).files or []
        places = [file for file in files if file.name == "METADATA" and ".dist-info" in file.parent.name]
        found.append((str(places[0].locate()), places[0].parent.name))
    return found


def installed(name: str) -> Distribution:
    """A distribution of this environment; what an editable installation left in the checkout is none."""
    path = [place for place in sys.path if Path(place or ".").resolve() != ROOT]
    found = next(iter(distributions(name=name, path=path)), None)
    if found is None:
        raise RuntimeError(f"{name} is not installed in the environment of the build")
    return found


def is_wanted(place: str) -> bool:
    """Whether a file belongs into the bundle, by its place in it."""
    place = place.replace("\\", "/")
    if any(fnmatch.fnmatch(place, pattern) for pattern in NEEDED_FILES):
        return True
    if "/translations/" in place:
        return place.rsplit("/", 1)[1] in TRANSLATIONS
    if place.startswith("torch/") and place.endswith(".py") and not for_cuda():
        return any(fnmatch.fnmatch(place, pattern) for pattern in READ_SOURCES)
    return not any(fnmatch.fnmatch(place, pattern) for pattern in UNUSED_FILES)


def kept(toc: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """PyInstaller's table of contents without what is not wanted."""
    return [entry for entry in toc if is_wanted(entry[0])]
