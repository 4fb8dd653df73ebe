"""The rules of the house, held by machine: who may import whom, what no file may say or do."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
QT = ("PySide6", "shiboken6", "pyqtgraph")
ENGINE_WITH_TORCH = ("ut_engine.torch", "ut_engine.adapters")
COMMAND_LINE = ("app.cli", "app.verbs")  # anything, inside the verbs
TOP_LEVEL = {
    "app", "ut_engine", "resources", "tests", "packaging", "main.py", "pyproject.toml", "constraints.txt",
    "Makefile", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "SECURITY.md", "CITATION.cff",
}  # fmt: skip


def modules(*folders: str) -> list[str]:
    """Dotted names of the modules under the folders, packages included."""
    names = []
    for path in (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))):
        parts = path.relative_to(ROOT).with_suffix("").parts
        names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def source(module: str) -> Path:
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def imports(module: str, node: ast.AST, *, inside_functions: bool = True) -> Iterator[str]:
    """Every module that the code names in an import, `from a import b` as `a.b`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            base = absolute(module, child)
            yield from (f"{base}.{alias.name}" for alias in child.names)
        elif inside_functions or not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from imports(module, child, inside_functions=inside_functions)


def absolute(module: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = module.split(".")
    if source(module).name != "__init__.py":
        package = package[:-1]
    package = package[: len(package) - node.level + 1]
    return ".".join([*package, *([node.module] if node.module else [])])


def within(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def pane(module: str) -> str:
    """The pane a module belongs to: `inspector` and `_inspector_state` are of one; "" for the package."""
    return module.removeprefix("app.panes").lstrip("._").partition("_")[0]


def never(module: str) -> tuple[str, ...]:
    """What the module may not import anywhere, not even inside a function."""
    if within(module, ("app.qt",)):
        return ("torch", *ENGINE_WITH_TORCH)
    if within(module, COMMAND_LINE):
        return ()
    if within(module, ("app",)):
        return ("torch", *QT, "app.qt", *ENGINE_WITH_TORCH)
    if within(module, ENGINE_WITH_TORCH):
        return (*QT, "app")
    return ("torch", "safetensors.torch", *QT, "app")


def never_at_import(module: str) -> tuple[str, ...]:
    """What the module may not import at its top level, besides."""
    if within(module, COMMAND_LINE):
        return ("torch", *QT, "app.qt", *ENGINE_WITH_TORCH)
    return () if within(module, ENGINE_WITH_TORCH) else ENGINE_WITH_TORCH


@pytest.mark.parametrize("module", modules("app", "ut_engine"))
def test_who_may_import_whom(module: str) -> None:
    code = tree(source(module))
    broken = {name for name in imports(module, code) if within(name, never(module))}
    top = imports(module, code, inside_functions=False)
    broken |= {name for name in top if within(name, never_at_import(module))}
    if within(module, ("app.panes",)):
        others = {other for other in modules("app/panes") if pane(other) not in ("", pane(module))}
        broken |= {name for name in imports(module, code) if within(name, tuple(others))}
    assert broken == set()


def test_the_program_starts_through_the_command_line_only() -> None:
    main = ROOT / "main.py"
    names = set(imports("main", tree(main))) if main.exists() else set()
    assert {name for name in names if within(name, ("app", "ut_engine", "torch", *QT))} <= {"app.cli.main"}


def loaded(statements: str) -> set[str]:
    """Top-level names in `sys.modules` of a fresh process that ran the statements."""
    code = f"import sys\n{statements}\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    child = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=100
    )
    assert child.returncode == 0, child.stderr
    return set(child.stdout.split())


def import_all(names: list[str]) -> str:
    return "\n".join(f"import {name}" for name in names)


def test_the_light_half_loads_neither_torch_nor_qt() -> None:
    light = [
        name
        for name in modules("app", "ut_engine")
        if not within(name, ("app.qt", "ut_engine.torch", "ut_engine.adapters"))
    ]
    assert loaded(import_all(light)) & {"torch", *QT} == set()


def test_the_window_never_loads_torch() -> None:
    assert "torch" not in loaded(import_all(modules("app/qt")))


FIRST_PAINT = [name for name in ("app.qt.application", "app.qt.window") if name in modules("app/qt")]


@pytest.mark.parametrize("module", FIRST_PAINT)
def test_the_first_paint_does_not_wait_for_pyqtgraph(module: str) -> None:
    assert loaded(f"import {module}") & {"torch", "pyqtgraph"} == set()


def tracked() -> list[Path]:
    """The files of the repository; outside of one, all that lie here and are not hidden."""
    if (ROOT / ".git").exists():
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        paths = [ROOT / name for name in os.fsdecode(names).split("\0") if name]
        return [path for path in paths if path.is_file()]
    files = (path for path in ROOT.rglob("*") if path.is_file())
    return [path for path in files if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)]


def test_the_top_level_is_as_agreed() -> None:
    names = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert {name for name in names if not name.startswith(".")} - TOP_LEVEL == set()


# In two parts each, so that this file does not name what it looks for.
HOSTS = [a + b for a, b in (("pypi", ".org"), ("pythonhosted", ".org"), ("download.pytorch", ".org"),
         ("npmjs", ".org"), ("npmjs", ".com"), ("debian", ".org/debian"), ("jsdelivr", ".net"))]  # fmt: skip
FORBIDDEN = re.compile("|".join([*map(re.escape, HOSTS), "/(?:work|tmp|root)/[A-Za-z_.]"]))


def test_no_file_names_a_registry_or_a_place_on_somebodys_machine() -> None:
    found = []
    for path in tracked():
        content = path.read_bytes()
        if b"\0" in content[:4096]:
            continue  # not text
        found += [
            f"{path.relative_to(ROOT)}:{number}"
            for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1)
            if FORBIDDEN.search(line)
        ]
    assert found == []


@pytest.mark.parametrize("folder", ["app", "ut_engine", "packaging", "tests"])
def test_every_module_says_what_it_is(folder: str) -> None:
    paths = [path for path in (ROOT / folder).rglob("*.py") if path.read_text("utf-8").strip()]
    assert [str(path) for path in paths if not ast.get_docstring(tree(path))] == []


def test_packaging_stays_a_plain_folder() -> None:
    """As a package it would hide the installed one of the same name."""
    assert not (ROOT / "packaging" / "__init__.py").exists()


def calls(node: ast.AST, attribute: str, inside: str = "") -> Iterator[str]:
    """The function around every call of a method of that name, however deep."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call) and getattr(child.func, "attr", "") == attribute:
            yield inside
        named = child.name if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else inside
        yield from calls(child, attribute, named)


def test_one_function_turns_tensors_into_arrays() -> None:
    """A bfloat16 tensor has no `.numpy()`: whoever calls it directly fails on somebody's checkpoint."""
    names = modules("app", "ut_engine")
    places = {(name, function) for name in names for function in calls(tree(source(name)), "numpy")}
    assert len(places) <= 1, places


@pytest.mark.parametrize("name", modules("tests"))
def test_no_test_waits_for_a_fixed_time(name: str) -> None:
    code = tree(source(name))
    asleep = {imported for imported in imports(name, code) if imported in ("time.sleep", "asyncio.sleep")}
    waits = [method for method in ("sleep", "qWait", "qSleep", "msleep") for _ in calls(code, method)]
    waits += ["qtbot.wait" for node in ast.walk(code) if is_qtbot_wait(node)]
    assert (asleep, waits) == (set(), [])


def is_qtbot_wait(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "wait"
        and isinstance(node.value, ast.Name)
        and node.value.id == "qtbot"
    )


def test_the_rooms_of_panes_stay_shut_until_one_is_used() -> None:
    code = (
        "import sys\nfrom app.pane import all_panes\npanes = all_panes()\n"
        "rooms = lambda: {name.split('_')[1] for name in sys.modules if name.startswith('app.panes._')}\n"
        "print(len(panes), sorted(rooms()))\npanes['quiz'].initial()\nprint(sorted(rooms()))"
    )
    child = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=100
    )
    first, after = child.stdout.splitlines()
    assert first.endswith(" []")
    assert int(first.split()[0]) >= 13
    assert after == "['quiz']"
