"""Real faults of public ACT implementations, put into the listing: data for the bug hunt.

Each is a file of `resources/listing/bugs`: a few `# key: value` rows, then a listing as in
`ut_engine.listing`.  Keys: source (repository and issue), line (where the fault is), base (the mixing the
listing is a copy of), p ("row": p keeps its last axis, [m, 1] against [1, m]), shared (variables that are
one buffer, changed in place).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ut_engine.errors import UserError
from ut_engine.listing import FOLDER, Listing, load_listing, parse_listing

HEAD = "# "
ORDER = ("precedence", "no-mask", "last-state", "divided", "broadcast", "shared-zeros", "memory")
"""In the order of difficulty."""


@dataclass(frozen=True, slots=True)
class Fault:
    """name; source; the wrong listing and line (from 1); base: the mixing whose listing is right.

    p_row: p is handed on as a row.  shared: variables held in one buffer.
    """

    name: str
    source: str
    line: int
    base: str
    listing: Listing
    p_row: bool = False
    shared: tuple[str, ...] = ()

    @property
    def right(self) -> str:
        """The line as it should read."""
        return load_listing(self.base).lines[self.line - 1].text


def fault_names() -> tuple[str, ...]:
    """Every fault there is, the easiest first."""
    found = {path.stem for path in (FOLDER / "bugs").glob("*.txt")}
    return tuple(sorted(found, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER)))


@cache
def load_fault(name: str) -> Fault:
    """One fault by name; UserError where there is none of that name."""
    if name not in fault_names():
        raise UserError(f"there is no fault {name!r}", f"use one of {', '.join(fault_names())}")
    rows = (FOLDER / "bugs" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    facts = dict(row[len(HEAD) :].split(": ", 1) for row in rows if row.startswith(HEAD))
    listing = parse_listing("\n".join(row for row in rows if not row.startswith(HEAD)))
    shared = tuple(facts.get("shared", "").split())
    return Fault(
        name, facts["source"], int(facts["line"]), facts["base"], listing, facts.get("p") == "row", shared
    )
