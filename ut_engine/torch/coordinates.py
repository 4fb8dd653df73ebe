"""Coordinate signals of the model as tensors: position and step parts (paper eq. 6-7, or T2T's)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ut_engine.spec import UTConfig


def paper_sinusoid(places: Tensor, width: int) -> Tensor:
    """Eq. 6-7 for one coordinate: channels 2j, 2j+1 are sin, cos of place / 10000^(2j/d); [place, dim]."""
    rates = 10000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64, device=places.device) / width)
    angles = places.to(torch.float64)[:, None] * rates
    return torch.stack((angles.sin(), angles.cos()), dim=-1).reshape(len(places), width)


def t2t_sinusoid(places: Tensor, width: int) -> Tensor:
    """T2T's get_timing_signal_1d: all sines, then all cosines; frequencies over d/2 - 1; [place, dim]."""
    half = width // 2
    rates = torch.exp(
        -torch.arange(half, dtype=torch.float64, device=places.device) * (math.log(1e4) / max(half - 1, 1))
    )
    angles = places.to(torch.float64)[:, None] * rates
    return torch.cat((angles.sin(), angles.cos()), dim=-1)


def random_offsets(config: UTConfig, batch: int) -> Tensor:
    """One offset an example, uniform in 0 ... position_offset, from torch's own random numbers; [batch]."""
    return torch.randint(config.position_offset + 1, (batch,))


def position_signal(config: UTConfig, like: Tensor, offset: int | Tensor | None = None) -> Tensor | None:
    """Signal of the positions, [position, dim]; from 1 (paper) or 0 (T2T), or None.

    offset: added to every position, or one for each example: then [batch, position, dim].
    """
    if config.signal == "none":
        return None
    places = torch.arange(like.shape[1], device="cpu")
    shape = (*places.shape, config.d_model)
    if isinstance(offset, Tensor):
        places = (places + offset.cpu()[:, None]).flatten()
        shape = (len(offset), *shape)
    elif offset:
        places = places + offset
    if config.signal == "paper":
        table = paper_sinusoid(places + 1, config.d_model)
    else:
        table = t2t_sinusoid(places, config.d_model)
    return table.view(shape).to(dtype=like.dtype, device=like.device)


def step_signal(config: UTConfig, step: int, like: Tensor, table: Tensor | None) -> Tensor:
    """Signal of step t (from 1), [dim]; `table` is the learned one."""
    if config.signal == "learned":
        assert table is not None
        return table[step - 1]
    place = torch.tensor([step if config.signal == "paper" else step - 1])
    make = paper_sinusoid if config.signal == "paper" else t2t_sinusoid
    return make(place, config.d_model)[0].to(dtype=like.dtype, device=like.device)
