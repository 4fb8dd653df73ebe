"""The sentences of the engine, read from its sources: what a `UserError` may say, one text a way to say it.

Strings are followed through names, conditions, sums and the functions that return them; what is filled in is
written `{}`.  What cannot be followed comes back as it stands in the source, in angle brackets, so that a
test sees it.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator
from functools import cache
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "ut_engine"
RAISING = {"UserError": (0, 1), "_refuse": (0, 1)}
"""Calls that make an error -> which of their arguments are sentences."""
DETAILS = {"damaged": 1, "_error": 1}
"""Functions that make one -> which of their arguments stands inside the sentence."""
RETURNING = {"json_fault"}
"""Functions that return one."""
RECORDS = ("codec.py", "records.py", "run.py", "edits.py")
"""Modules whose ValueErrors become the detail of a damaged run."""
VERBS = {"eval_run.py", "eval_lengths.py"}
"""Imported by a measurement for their helpers; what they refuse are options of the command line."""
MOST = 200  # ways of one sentence; more is a mistake here

Scope = tuple[ast.AST, ...]  # functions around a place, the innermost first, the module last


def sentences() -> Iterator[tuple[str, str]]:
    """(place in the sources, sentence) of all errors that can reach the window."""
    for path in reachable():
        tree = parsed(path)
        for call, scope in calls(tree, (tree,)):
            name = _name(call)
            if name == "UserError" and scope[0] is not tree and getattr(scope[0], "name", "") == "_refuse":
                continue  # its callers say it
            for place in RAISING[name]:
                for text in ways(call.args[place], scope):
                    yield f"{path.relative_to(ROOT)}:{call.lineno}", text


@cache
def reachable() -> tuple[Path, ...]:
    """Modules of the engine that the window or its engine process may import; others serve verbs alone."""
    first = [
        path for path in (ROOT / "app").rglob("*.py") if "verbs" not in path.parts and path.name != "cli.py"
    ]
    first += [
        ENGINE / "host.py",
        ENGINE / "torch" / "device.py",
        *(ENGINE / "torch" / "measures").glob("*.py"),
        *(ENGINE / "adapters").glob("*.py"),
    ]
    known: set[Path] = set()
    todo = first
    while todo:
        path = todo.pop()
        if path in known:
            continue
        known.add(path)
        todo += imports(parsed(path))
    return tuple(sorted(path for path in known if path.is_relative_to(ENGINE) and path.name not in VERBS))


def imports(tree: ast.AST) -> list[Path]:
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    found = []
    for name in names:
        if name.split(".")[0] == "ut_engine":
            path = ROOT.joinpath(*name.split("."))
            found += [one for one in (path.with_suffix(".py"), path / "__init__.py") if one.is_file()]
    return [one for one in found if one != ENGINE / "__init__.py"]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def details() -> Iterator[tuple[str, str]]:
    """(place in the sources, what stands inside a sentence): what is damaged, and where JSON ends."""
    for path in reachable():
        tree = parsed(path)
        names = DETAILS | ({"ValueError": 0} if path.name in RECORDS else {})
        for call, scope in calls(tree, (tree,), names):
            where = f"{path.relative_to(ROOT)}:{call.lineno}"
            yield from ((where, text) for text in ways(call.args[names[_name(call)]], scope))
        for made in (node for node in ast.walk(tree) if getattr(node, "name", "") in RETURNING):
            returned = (one.value for one in ast.walk(made) if isinstance(one, ast.Return) and one.value)
            yield from ((path.name, text) for value in returned for text in ways(value, (made, tree)))


def said_of(path: Path) -> Iterator[str]:
    """The sentences that a module's functions yield."""
    tree = parsed(path)
    for made in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        for node in ast.walk(made):
            if isinstance(node, ast.Yield) and node.value is not None:
                yield from ways(node.value, (made, tree))


def _name(call: ast.Call) -> str:
    """Of the function called, `name(...)` or `self.name(...)`."""
    return str(getattr(call.func, "id", "") or getattr(call.func, "attr", ""))


def calls(node: ast.AST, scope: Scope, names: Container[str] = RAISING) -> Iterator[tuple[ast.Call, Scope]]:
    """Every call that makes an error, with the functions around it."""
    for child in ast.iter_child_nodes(node):
        inner = (child, *scope) if isinstance(child, ast.FunctionDef) else scope
        if isinstance(child, ast.Call) and _name(child) in names:
            yield child, scope
        yield from calls(child, inner, names)


def ways(node: ast.AST, scope: Scope, inside: tuple[ast.AST, ...] = ()) -> list[str]:
    """All texts an expression may be."""
    found = list(dict.fromkeys(_ways(node, scope, inside)))
    assert len(found) <= MOST, ast.unparse(node)
    return found


def _ways(node: ast.AST, scope: Scope, inside: tuple[ast.AST, ...] = ()) -> Iterator[str]:
    if node in inside:  # a name set from itself adds no text
        return
    inside = (*inside, node)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        parts = [
            [part.value] if isinstance(part, ast.Constant) else _filled(part.value, scope, inside)
            for part in node.values
        ]
        yield from ("".join(map(str, each)) for each in product(*parts))
    elif isinstance(node, ast.IfExp):
        yield from (*_ways(node.body, scope, inside), *_ways(node.orelse, scope, inside))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from map("".join, product(ways(node.left, scope, inside), ways(node.right, scope, inside)))
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "replace":
        yield from _ways(node.func.value, scope, inside)  # type: ignore[attr-defined]
    elif values := list(_values(node, scope)):
        for value, where in values:
            yield from _ways(value, where, inside)
    else:
        yield f"<{ast.unparse(node)}>"


def _filled(node: ast.AST, scope: Scope, inside: tuple[ast.AST, ...]) -> list[str]:
    """What may stand in a place: texts of the engine where all are known, else {}."""
    found = ways(node, scope, inside)
    return ["{}"] if not found or any("<" in text for text in found) else found


def _values(node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    """What a name was set to, what a function of the same module returns, or an item of either."""
    item = None
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        node, item = node.value, node.slice.value
    for value, where in _named(node, scope):
        if item is None:
            yield value, where
        elif isinstance(value, ast.Tuple):
            yield value.elts[item], where
        elif not (isinstance(value, ast.Constant) and value.value is None):
            yield from (
                (one.elts[item], deep) for one, deep in _named(value, where) if isinstance(one, ast.Tuple)
            )


def _named(node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    """What a name was set to, what a function of the engine returns, what a table gives."""
    if isinstance(node, ast.Name):
        for depth, around in enumerate(scope):
            found = list(_assigned(around, node.id))
            if found:
                yield from ((value, scope[depth:]) for value in found)
                return
    if not isinstance(node, ast.Call):
        return
    if isinstance(node.func, ast.Name):
        yield from _returned(node.func.id, scope[-1])
    elif isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") == "self":
        yield from _returned(node.func.attr, scope[-1])
    elif isinstance(node.func, ast.Attribute) and node.func.attr == "get" and len(node.args) == 2:
        tables = (value for value, _ in _named(node.func.value, scope) if isinstance(value, ast.Dict))
        yield from ((value, scope) for table in tables for value in (*table.values, node.args[1]))


def _returned(name: str, module: ast.AST) -> Iterator[tuple[ast.AST, Scope]]:
    """What the function of that name returns, of this module or of the one it is imported from."""
    for made in ast.walk(module):
        if isinstance(made, ast.FunctionDef) and made.name == name:
            returned = (one.value for one in ast.walk(made) if isinstance(one, ast.Return) and one.value)
            yield from ((value, (made, module)) for value in returned)
        elif isinstance(made, ast.ImportFrom) and any(alias.name == name for alias in made.names):
            path = ROOT.joinpath(*str(made.module).split(".")).with_suffix(".py")
            if path.is_file():
                yield from _returned(name, parsed(path))


def _assigned(around: ast.AST, name: str) -> Iterator[ast.AST]:
    inside = around.body if isinstance(around, ast.Module) else list(ast.walk(around))
    for node in inside:
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id == name:
                yield node.value
            elif isinstance(target, ast.Tuple):
                places = [place for place, one in enumerate(target.elts) if getattr(one, "id", "") == name]
                yield from (item_of(node.value, place) for place in places)


def item_of(value: ast.expr, place: int) -> ast.expr:
    """One value of several that are set at once."""
    return value.elts[place] if isinstance(value, ast.Tuple) else ast.Subscript(value, ast.Constant(place))
