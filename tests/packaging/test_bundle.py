"""What the packaged program is made of: the lists that its recipe works from, and the files beside it."""

from __future__ import annotations

import configparser
import importlib.util
import plistlib
import struct
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import ModuleType

import pytest

from app.cli import UNREAD, VERBS
from app.commands import COMMANDS
from app.pane import all_panes
from ut_engine.run import SUFFIX

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"


def loaded(name: str) -> ModuleType:
    """A script of the folder; its name may be that of an installed package, so it is loaded by its path."""
    spec = importlib.util.spec_from_file_location(f"depthscope_{Path(name).stem}", PACKAGING / name)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def bundle() -> ModuleType:
    return loaded("bundle.py")


def test_every_pane_family_and_verb_is_bundled(bundle: ModuleType) -> None:
    names = set(bundle.modules())
    assert {f"app.panes.{pane}" for pane in all_panes()} <= names
    assert {f"app.verbs.{verb}" for verb in VERBS} <= names
    files = [*(ROOT / "app").rglob("*.py"), *(ROOT / "ut_engine").rglob("*.py")]
    modules = {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for file in files
    }
    assert modules <= names


def test_what_is_imported_by_name_is_bundled(bundle: ModuleType) -> None:
    assert "pyqtgraph" in bundle.late_imports()
    assert all(not name.startswith("app") for name in bundle.late_imports())


def test_a_module_that_is_not_found_is_an_error(bundle: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "walked", lambda package: iter([package]))
    with pytest.raises(RuntimeError, match="was not found"):
        bundle.modules()


def test_resources_keep_their_folders(bundle: ModuleType) -> None:
    found = bundle.resources()
    for file, folder in found:
        assert Path(file).is_file()
        assert Path(file).parent == ROOT / folder
    names = {Path(file).name for file, _ in found}
    assert {"window.qss", "depthscope.mo", "Pretendard-Regular.otf", "model.safetensors"} <= names


@pytest.mark.parametrize(
    ("place", "wanted"),
    [
        ("torch/test/test_c10.so", False),
        ("torch/bin/protoc", False),
        ("torch/bin/torch_shm_manager", True),
        ("torch/lib/libtorch_cpu.so", True),
        ("torch/_inductor/config.py", True),
        ("torch/nn/modules/rnn.py", True),
        ("torch/testing/_internal/common_utils.py", False),
        ("torch/lib/libtorch_python.so", True),
        ("pyqtgraph/colors/maps/CET-L17.csv", True),
        ("PySide6/Qt/plugins/platforms/libqxcb.so", True),
        ("PySide6/Qt/plugins/platforms/libqeglfs.so", False),
        ("PySide6\\Qt\\plugins\\tls\\qopenssl.dll", False),
        ("PySide6/Qt/translations/qtbase_ko.qm", True),
        ("PySide6/Qt/translations/qtbase_de.qm", False),
        ("libgtk-3.so.0", False),
    ],
)
def test_what_is_left_out(bundle: ModuleType, place: str, wanted: bool) -> None:
    assert bundle.is_wanted(place) is wanted


def test_what_torch_needs_is_not_excluded(bundle: ModuleType) -> None:
    needed = (
        "pydoc",
        "unittest",
        "unittest.mock",
        "torchgen",
        "torch.testing",
        "torch._inductor",
        "torch.onnx",
    )
    assert not set(needed) & set(bundle.unused_modules())


def test_a_cuda_build_keeps_all_of_torch(bundle: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCH", raising=False)
    assert "torch._inductor.codegen" in bundle.unused_modules()
    monkeypatch.setenv("TORCH", "cuda")
    assert not any(name.startswith("torch._inductor") for name in bundle.unused_modules())
    assert bundle.is_wanted("torch/_inductor/codegen/triton.py")


def test_the_desktop_entry_opens_recorded_runs() -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment,method-assign]
    entry.read(PACKAGING / "linux" / "depthscope.desktop", encoding="utf-8")
    head = entry["Desktop Entry"]
    assert head["Exec"] == f"env {UNREAD}=1 depthscope open %f"
    assert "open" in VERBS
    mime = ElementTree.parse(PACKAGING / "linux" / "depthscope.xml").getroot()[0]
    assert head["MimeType"] == f"{mime.get('type')};"
    globs = [one.get("pattern") for one in mime if one.tag.endswith("glob")]
    assert globs == [f"*{SUFFIX}"]


def test_the_version_stands_in_one_place(bundle: ModuleType) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    others = [*PACKAGING.rglob("*.*"), *(ROOT / "app").rglob("*.py"), *(ROOT / "ut_engine").rglob("*.py")]
    telling = [path.name for path in others if path.suffix in (".py", ".xml", ".plist", ".iss", ".spec")
               and f'"{version}"' in path.read_text("utf-8")]  # fmt: skip
    assert set(telling) <= {"version_info.py"}  # its example
    assert loaded("build.py").version(Path(sys.executable)) == version


def test_the_property_list_names_the_suffix() -> None:
    info = plistlib.loads((PACKAGING / "macos" / "Info.plist").read_bytes())
    tags = info["UTExportedTypeDeclarations"][0]["UTTypeTagSpecification"]
    assert [f".{one}" for one in tags["public.filename-extension"]] == [SUFFIX]
    assert info["LSEnvironment"] == {UNREAD: "1"}


def test_the_windows_version_has_four_numbers() -> None:
    module = loaded("windows/version_info.py")
    assert "filevers=(1, 2, 3, 1)" in module.text("1.2.3rc1")
    assert "filevers=(0, 1, 0, 0)" in module.text("0.1.0")


def test_dependencies_name_what_qt_opens() -> None:
    deb = loaded("deb.py")
    depends = deb.depends().split(", ")
    assert {"libxcb-cursor0", "libgl1", "libegl1", "libxkbcommon-x11-0"} <= set(depends)
    assert depends[0].startswith("libc6 (>= 2.")


def test_icons_hold_every_size(qapp: object) -> None:
    icons = loaded("icons.py")
    ico, icns = icons.ico(), icons.icns()
    assert struct.unpack("<HHH", ico[:6]) == (0, 1, len(icons.ICO_SIZES))
    assert ico.count(b"\x89PNG") == len(icons.ICO_SIZES)
    assert struct.unpack(">I", icns[4:8])[0] == len(icns)


def test_the_commands_of_the_journey_exist() -> None:
    """Keys the test of the packaged program presses."""
    keys = {key for command in COMMANDS for key in command.keys}
    assert {"Ctrl+Shift+E", "Ctrl+Shift+L", "Ctrl+Shift+D", "Ctrl+Q", "Home", "End", ".", ",", "K"} <= keys
