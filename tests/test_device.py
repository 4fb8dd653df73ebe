"""The device is probed, falls back with a reason, and is never pretended."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from ut_engine.errors import UserError
from ut_engine.spec import UTConfig
from ut_engine.torch import device
from ut_engine.torch.model import UniversalTransformer


@pytest.fixture
def no_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)


@pytest.mark.usefixtures("no_accelerator")
def test_auto_falls_back_to_the_cpu_and_says_why() -> None:
    chosen = device.choose("auto")
    assert chosen.name == "cpu"
    assert chosen.reason == "no CUDA or MPS device was found"


@pytest.mark.usefixtures("no_accelerator")
@pytest.mark.parametrize("name", ["cuda", "cuda:1", "mps"])
def test_a_device_asked_for_by_name_has_to_be_there(name: str) -> None:
    with pytest.raises(UserError, match=f"the device {name} cannot be used: this machine"):
        device.choose(name)


@pytest.mark.parametrize("name", ["tpu", "", "cpu:0", "CUDA"])
def test_unknown_devices_are_refused(name: str) -> None:
    with pytest.raises(UserError, match="there is no device"):
        device.choose(name)


def test_the_cpu_is_always_there() -> None:
    assert device.choose("cpu") == device.Device("cpu", "asked for")
    assert device.probe("cpu") is None


def test_a_device_that_only_says_it_is_there_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(_: torch.Tensor, name: str) -> torch.Tensor:
        raise RuntimeError(f"no kernel image for {name}\nlong explanation")

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    monkeypatch.setattr(torch.Tensor, "to", refuses)
    assert device.choose("auto").reason.startswith("cuda: no kernel image for cuda, mps: ")


def test_a_device_that_computes_wrongly_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.Tensor, "to", lambda tensor, _: tensor + 1)
    assert device.probe("cuda") == "it multiplies two matrices wrongly"


@pytest.mark.gpu
def test_an_accelerator_gives_the_numbers_of_the_cpu() -> None:
    chosen = device.choose("auto")
    assert chosen.name in ("cuda", "mps")
    torch.manual_seed(0)
    model = UniversalTransformer(UTConfig(vocab=9, answers=3, d_model=16, heads=2, d_ff=32))
    ids = np.array([[3, 1, 2, 5]])
    here = list(model.steps(ids))
    there = list(model.to(chosen.name).steps(ids))
    assert len(here) == len(there)
    for one, other in zip(here, there, strict=True):
        np.testing.assert_allclose(one.state, other.state, atol=1e-4)
        np.testing.assert_allclose(one.attention[0].weights, other.attention[0].weights, atol=1e-5)
