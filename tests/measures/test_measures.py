"""How a measurement is found, and that every one there is can be."""

from __future__ import annotations

import pkgutil

import pytest

from ut_engine.errors import UserError
from ut_engine.torch import measures


def test_every_measurement_is_found_by_its_name() -> None:
    for info in pkgutil.iter_modules(measures.__path__):
        assert callable(measures.find(info.name))


@pytest.mark.parametrize("name", ["", "nothing", "os", "..device", "a b"])
def test_unknown_names_are_told(name: str) -> None:
    with pytest.raises(UserError, match="there is no measurement"):
        measures.find(name)
