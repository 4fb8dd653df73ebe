"""The one exception for wrong input: what is wrong, and what to do about it."""

from __future__ import annotations


class UserError(ValueError):
    """Wrong input from outside: a file, a text, an option.

    `what` says in one sentence what is wrong, `do` what the user can do about it; both end without a
    full stop.  The command line prints `depthscope: error: WHAT; WHAT TO DO` and exits 2, the window
    shows the same sentence where the input was given.
    """

    def __init__(self, what: str, do: str) -> None:
        super().__init__(f"{what}; {do}")
        self.what = what
        self.do = do
