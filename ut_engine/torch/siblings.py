"""The siblings of the Universal Transformer: the Transformer with layers of its own, and the LSTM.

Both are read like the Universal Transformer: `forward` to the end, `steps` record by record.  A step of the
Transformer is one layer; a step of the LSTM is one position, because its recurrence runs along the input.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor, nn

from ut_engine.records import Address, Capture, StepRecord
from ut_engine.torch.capture import to_array
from ut_engine.torch.ends import Ends
from ut_engine.torch.layer import Layer, LayerMaps
from ut_engine.torch.loop import Loop, Setting, Steps, advance, caps_of
from ut_engine.torch.model import DepthModel, Output

Cells = tuple[Tensor, Tensor]  # h and c of every stacked cell, [layer, batch, dim]


class Transformer(DepthModel):
    """`layers` layers with weights of their own; positions are added to the input only (Vaswani et al. 2017).

    Records: step l (from 1) is layer l - 1 of `Address.layer`.  Stopping at step t means the first t layers.
    """

    def add_parts(self) -> None:
        decoder = self.side == "decoder"
        layers = (Layer(self.config, self.causal, decoder) for _ in range(self.config.layers))
        self.layers = nn.ModuleList(layers)

    def layers_with_weights(self) -> tuple[nn.Module, ...]:
        return tuple(self.layers)

    def layer_of(self, step: int) -> int:
        return step - 1

    def step(self, loop: Loop, setting: Setting, maps: LayerMaps | None = None) -> Loop:
        """The next layer, once."""
        x, index = loop.state, loop.step
        if index == 0 and setting.positions is not None:
            x = x + setting.positions
        return advance(loop, self.layers[index](x, setting.readings[index], maps), setting)


class LSTM(Ends):
    """Stacked LSTM cells along the positions (Hochreiter and Schmidhuber 1997; torch's gates and two biases).

    The state of a position is the top cell's output h; padding is skipped, the cells wait there.
    Stopping at step t means that only the first t positions were read; the others' state is zero.
    """

    def add_parts(self) -> None:
        config = self.config
        between = config.dropout if config.layers > 1 else 0.0
        self.lstm = nn.LSTM(config.d_model, config.d_model, config.layers, batch_first=True, dropout=between)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, ids: Tensor, max_steps: Steps = None, offset: int | Tensor | None = None) -> Output:
        """ids [batch, position(, word)], 0 = padding; max_steps: positions read, all by default.

        offset is there for the common call and does nothing: an LSTM has no coordinates.
        """
        embedded, real = self.embed_input(ids)
        length = real.shape[1]
        caps = torch.tensor(caps_of(self.config, real, max_steps), device=real.device).clamp(max=length)
        read = real & (torch.arange(length, device=real.device) < caps[:, None])
        states = self.dropout(self.along(self.dropout(embedded), read))
        zero = torch.zeros_like(embedded[..., 0])
        updates = read.to(zero.dtype)
        cost = updates.sum() / real.sum().clamp(min=1)
        return Output(self.read(states), updates, zero, zero, cost, int(caps.max()), real)

    def along(self, x: Tensor, read: Tensor) -> Tensor:
        """Top states [batch, position, dim] of the positions to read, zero elsewhere; the cells skip those.

        What is read moves to the front, in order, through torch's fused cells, and back to its place.
        """
        order = torch.argsort((~read).to(torch.int8), dim=1, stable=True).unsqueeze(-1).expand_as(x)
        states, _ = self.lstm(torch.gather(x, 1, order))
        return torch.zeros_like(x).scatter(1, order, states) * read.unsqueeze(-1)

    def steps(
        self,
        ids: Tensor | np.ndarray,
        capture: Capture | None = None,
        max_steps: Steps = None,
        offset: int | Tensor = 0,
    ) -> Iterator[StepRecord]:
        """One position per `next()`: the record of step i (from 1) computed position i - 1 alone.

        Its arrays hold every position read so far, zero beyond; `computed` says which was read just now.
        """
        capture = capture or Capture()
        ids = torch.as_tensor(ids, device=self.embed.weight.device)
        self.eval()
        with torch.inference_mode():
            embedded, real = self.embed_input(ids)
            caps = torch.tensor(caps_of(self.config, real, max_steps), device=real.device)
            states, cells = torch.zeros_like(embedded), self.cells(len(real), embedded)
        for place in range(min(int(caps.max()), real.shape[1])):
            started = time.perf_counter()
            with torch.inference_mode():
                now = real[:, place] & (place < caps)
                before = cells[0][-1]
                cells = self.read_one(embedded[:, place], now, cells)
                states = states.clone()
                states[:, place] = cells[0][-1] * now.unsqueeze(-1)
                record = self.record(place, now, states, before, real, capture, started)
            yield record

    def cells(self, batch: int, like: Tensor) -> Cells:
        """Empty cells: h = c = 0."""
        empty = like.new_zeros((self.config.layers, batch, self.config.d_model))
        return empty, empty

    def read_one(self, x: Tensor, now: Tensor, cells: Cells) -> Cells:
        """The cells after one position x [batch, dim]; examples not read `now` [batch] keep theirs."""
        _, (h, c) = self.lstm(x.unsqueeze(1), cells)
        taken = now[None, :, None]
        return torch.where(taken, h, cells[0]), torch.where(taken, c, cells[1])

    def record(
        self,
        place: int,
        now: Tensor,
        states: Tensor,
        before: Tensor,
        real: Tensor,
        capture: Capture,
        started: float,
    ) -> StepRecord:
        """The record of one position; the update is measured against the left neighbour's state."""
        computed = torch.zeros_like(real)
        computed[:, place] = now
        update = norm = None
        if capture.derived:
            moved, size = torch.zeros_like(states[..., 0]), torch.zeros_like(states[..., 0])
            moved[:, place] = (states[:, place] - before).norm(dim=-1) * now
            size[:, place] = before.norm(dim=-1) * now
            update, norm = to_array(moved), to_array(size)
        return StepRecord(
            address=Address(step=place + 1),
            real=to_array(real),
            computed=to_array(computed),
            state=to_array(states) if capture.states else None,
            readout=to_array(self.read(states)) if capture.readout else None,
            update_norm=update,
            state_norm=norm,
            seconds=time.perf_counter() - started,
        )
