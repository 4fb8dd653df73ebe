"""The transition function: what every position does by itself (or with its neighbours) after attention."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ut_engine.spec import UTConfig

INNER_KERNEL, OUTER_KERNEL = 3, 5  # T2T's sepconv transition: d -> filter, then filter -> d


class Transition(nn.Module):
    """Position-wise feed-forward: affine, one ReLU, affine (paper, section 2.1)."""

    def __init__(self, config: UTConfig) -> None:
        super().__init__()
        self.inner = nn.Linear(config.d_model, config.d_ff)
        self.outer = nn.Linear(config.d_ff, config.d_model)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, real: Tensor | None = None) -> Tensor:
        """x [batch, position, dim] -> the same shape; `real` is not needed, positions do not mix."""
        result: Tensor = self.outer(self.dropout(torch.relu(self.inner(x))))
        return result


class SeparableTransition(nn.Module):
    """Two depth-wise separable convolutions with a ReLU between them (paper, section 2.1; T2T's kernels).

    Each is one kernel per channel along the positions (no bias), then the same affine map everywhere.
    Padding counts as zero before both.  `causal` shifts the kernels so that they end at their position
    (T2T's LEFT padding); otherwise they are centred (SAME).
    """

    def __init__(self, config: UTConfig, causal: bool) -> None:
        super().__init__()
        self.causal = causal
        self.inner_kernel = nn.Parameter(torch.empty(config.d_model, INNER_KERNEL))
        self.inner = nn.Linear(config.d_model, config.d_ff)
        self.outer_kernel = nn.Parameter(torch.empty(config.d_ff, OUTER_KERNEL))
        self.outer = nn.Linear(config.d_ff, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.reset_kernels()

    def reset_kernels(self) -> None:
        """Uniform with variance 1 / width, so that a kernel keeps the size of what it reads."""
        for kernel in (self.inner_kernel, self.outer_kernel):
            bound = (3.0 / kernel.shape[1]) ** 0.5
            nn.init.uniform_(kernel, -bound, bound)

    def forward(self, x: Tensor, real: Tensor | None = None) -> Tensor:
        """x [batch, position, dim], real [batch, position] -> [batch, position, dim]."""
        mask = torch.ones_like(x[..., :1]) if real is None else real.unsqueeze(-1).to(x.dtype)
        inner = torch.relu(self.inner(self.along_positions(x * mask, self.inner_kernel)))
        inner = self.dropout(inner) * mask
        result: Tensor = self.outer(self.along_positions(inner, self.outer_kernel))
        return result

    def along_positions(self, x: Tensor, kernel: Tensor) -> Tensor:
        """y[i, c] = sum_j kernel[c, j] x[i + j - left, c], zero beyond the ends."""
        width = kernel.shape[1]
        left = width - 1 if self.causal else width // 2
        padded = F.pad(x.transpose(1, 2), (left, width - 1 - left))
        mixed: Tensor = F.conv1d(padded, kernel.unsqueeze(1), groups=len(kernel)).transpose(1, 2)
        return mixed


def transition_of(config: UTConfig, causal: bool) -> Transition | SeparableTransition:
    """The transition an option asks for."""
    if config.transition == "sepconv":
        return SeparableTransition(config, causal)
    return Transition(config)
