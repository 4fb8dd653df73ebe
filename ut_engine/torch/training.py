"""The trainer: AdamW, warm-up and cosine, clipping, a ramp on the ponder weight, resumable bit for bit.

A run folder holds `model.safetensors` + `config.json` (a checkpoint like any other), `training.safetensors`
(optimizer and random-number state; tensors and JSON, never pickle) and `log.jsonl` (one line an evaluation).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from ut_engine.errors import UserError
from ut_engine.spec import UTConfig
from ut_engine.tasks.data import Batch, TaskData
from ut_engine.tasks.symbols import SymbolData
from ut_engine.torch.build import Encoder, build
from ut_engine.torch.by_length import by_length
from ut_engine.torch.evaluation import evaluate
from ut_engine.torch.model import Output
from ut_engine.torch.seq2seq import EncoderDecoder


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """steps of batch examples; lr warms up over `warmup` steps, then a cosine falls to `floor` of it.

    ponder_ramp: steps over which the ponder weight grows from 0; ponder_delay: steps before it starts.
    extra_steps: where T follows the length, a batch runs 0 ... so many steps more (drawn anew each time).
    """

    steps: int = 20_000
    batch: int = 32
    learning_rate: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.98
    weight_decay: float = 0.01
    warmup: int = 500
    floor: float = 0.05
    clip: float = 1.0
    ponder_ramp: int = 4_000
    ponder_delay: int = 0
    evaluate_every: int = 1_000
    seed: int = 0
    extra_steps: int = 0

    def rate(self, step: int) -> float:
        """Learning rate of step 0, 1, ...."""
        if step < self.warmup:
            return self.learning_rate * (step + 1) / self.warmup
        done = min(1.0, (step - self.warmup) / max(1, self.steps - self.warmup))
        fall = 0.5 * (1 + math.cos(math.pi * done))
        return self.learning_rate * (self.floor + (1 - self.floor) * fall)

    def ponder_share(self, step: int) -> float:
        """Share of the model's ponder weight that counts at this step."""
        if self.ponder_ramp <= 0:
            return float(step >= self.ponder_delay)
        return min(1.0, max(0.0, (step - self.ponder_delay) / self.ponder_ramp))


@dataclass
class Trainer:
    """One training run in memory: model, optimizer, random-number state, steps done, history.

    With an algorithmic task, `longest` is the present length of the curriculum and `right` the moving average
    of the share of whole strings of that length answered right.
    """

    model: Encoder
    data: TaskData
    config: TrainConfig
    step: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)
    longest: int = 0
    right: float = 0.0

    def __post_init__(self) -> None:
        train = self.config
        if isinstance(self.data, SymbolData):
            self.longest = min(self.data.first, self.data.longest)
        self.draws = np.random.default_rng(train.seed)
        betas = (train.beta1, train.beta2)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), train.learning_rate, betas, weight_decay=train.weight_decay
        )

    def one_step(self) -> dict[str, float]:
        """One optimizer step; returns what a progress line shows."""
        self.model.train()
        batch = self.draw()
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.rate(self.step)
        ids = torch.as_tensor(batch.ids, device=self.model.embed.weight.device)
        output = self.model(ids, self.steps_for(ids))
        loss, answer_loss = self.loss(output, batch)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.clip)
        if torch.isfinite(norm):
            self.optimizer.step()
        self.step += 1
        self.grow(output, batch)
        skipped = float(not torch.isfinite(norm))
        return {"loss": answer_loss.item(), "ponder": output.ponder.item(), "skipped": skipped}

    def draw(self) -> Batch:
        """The next batch, no longer than the curriculum has come."""
        if isinstance(self.data, SymbolData):
            return self.data.batch_upto(self.draws, self.config.batch, self.longest)
        return self.data.batch(self.draws, self.step, self.config.batch)

    def steps_for(self, ids: Tensor) -> int | None:
        """Steps of this batch: the model's own, or with `extra_steps` a few more than positions."""
        if not self.config.extra_steps:
            return None
        return ids.shape[1] + int(self.draws.integers(self.config.extra_steps + 1))

    def grow(self, output: Output, batch: Batch) -> None:
        """The curriculum adds one to the length when enough strings of the present length are right."""
        data = self.data
        if not isinstance(data, SymbolData) or int((batch.ids[0] != 0).sum()) < data.positions(self.longest):
            return
        targets = torch.as_tensor(batch.targets, device=output.logits.device)
        whole = ((output.logits.argmax(dim=-1) == targets) | (targets < 0)).all(dim=1)
        self.right += 0.1 * (float(whole.double().mean()) - self.right)
        if self.right > data.reach and self.longest < data.longest:
            self.longest, self.right = self.longest + 1, 0.0

    def loss(self, output: Output, batch: Batch) -> tuple[Tensor, Tensor]:
        """Cross-entropy over the asked positions, plus the ponder weight (ramped) times the ponder cost."""
        targets = torch.as_tensor(batch.targets, device=output.logits.device)
        answer = F.cross_entropy(output.logits.flatten(0, 1), targets.flatten(), ignore_index=-1)
        if not self.model.config.act:
            return answer, answer
        weight = self.model.config.ponder_weight * self.config.ponder_share(self.step)
        return answer + weight * output.ponder, answer

    def evaluate(self) -> dict[str, Any]:
        """Evaluate on the generated validation groups and remember the figures."""
        every = self.model.config.readout == "every"
        report = (by_length if every else evaluate)(self.model, self.data.validation())
        reached = {"longest": self.longest} if self.longest else {}
        entry = {"step": self.step, **reached, **report}
        self.history.append(entry)
        return entry

    # ---- saving and resuming ------------------------------------------------------------------------------

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Optimizer and random-number state as tensors and JSON."""
        tensors = {"rng.torch": torch.get_rng_state()}
        for name, parameter in self.model.named_parameters():
            for key, value in self.optimizer.state.get(parameter, {}).items():
                tensors[f"optimizer.{key}.{name}"] = value
        meta = {
            "step": self.step,
            "draws": self.draws.bit_generator.state,
            "config": asdict(self.config),
            "history": self.history,
            "longest": self.longest,
            "right": self.right,
        }
        return tensors, meta

    def load_state(self, tensors: dict[str, Tensor], meta: dict[str, Any]) -> None:
        """The inverse of `state`; the model's weights are loaded by the checkpoint reader."""
        self.step = int(meta["step"])
        self.history = list(meta["history"])
        self.longest = int(meta.get("longest", self.longest))
        self.right = float(meta.get("right", 0.0))
        self.draws.bit_generator.state = meta["draws"]
        torch.set_rng_state(tensors["rng.torch"])
        for name, parameter in self.model.named_parameters():
            found = {
                key: tensors[f"optimizer.{key}.{name}"].clone()
                for key in ("step", "exp_avg", "exp_avg_sq")
                if f"optimizer.{key}.{name}" in tensors
            }
            if found:
                self.optimizer.state[parameter] = found


def new_trainer(data: TaskData, model: dict[str, Any], train: TrainConfig) -> Trainer:
    """A trainer with fresh weights; the task decides vocab, answers, words and read-out."""
    torch.manual_seed(train.seed)
    config = UTConfig.from_dict({**data.sizes(), **model})
    if train.extra_steps and config.steps_from != "length":
        raise UserError("extra_steps needs T to follow the length", "set steps_from to 'length'")
    fresh = build(config)
    if isinstance(fresh, EncoderDecoder):
        raise UserError("a decoder cannot be trained on this task", "set decoder to false")
    return Trainer(fresh, data, train)
