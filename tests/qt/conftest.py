"""An engine that needs no torch, and a checkpoint for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import QApplication

from app.qt import pump
from app.qt.theme import BLINK_MS
from ut_engine import checkpoint
from ut_engine.adapters.universal_transformer import shapes
from ut_engine.client import Client
from ut_engine.spec import UTConfig
from ut_engine.tokenizer import babi_tokenizer

STORY = "Mary went to the office.\nJohn moved to the garden.\nWhere is Mary?"
FAKE = (sys.executable, "-P", str(Path(__file__).parent.parent / "fake_engine.py"))


@pytest.fixture(scope="session")
def model_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint folder with a sample."""
    known = babi_tokenizer()
    config = UTConfig(
        vocab=len(known.words) + 1, answers=len(known.answers), words=known.sentence_length, d_model=8,
        heads=2, d_ff=8, max_steps=6, halting="none",
    )  # fmt: skip
    path = tmp_path_factory.mktemp("models") / "작은 모형"
    tensors = {name: np.zeros(shape, np.float32) for name, shape in shapes(config).items()}
    checkpoint.save(path, checkpoint.describe(config.to_dict(), "babi", known.to_config()), tensors)
    story = STORY.replace("\n", "\\n")
    (path / "samples.json").write_text(f'[{{"name": "one", "text": "{story}", "answer": "office"}}]', "utf-8")
    return path


@pytest.fixture
def fake_engine() -> pump.Make:
    """The real host with a made-up model (see tests/fake_engine.py)."""
    return lambda notify: Client(notify, command=FAKE, stderr=subprocess.DEVNULL)


@pytest.fixture(autouse=True)
def plain_application() -> None:
    """No test sees the look that another one has left: style sheet, palette, font and blinking cursor."""
    app = QApplication.instance()
    if not isinstance(app, QApplication) or not app.property("depthscope"):
        return
    app.setStyleSheet("")
    app.setProperty("depthscope", None)
    app.setPalette(QPalette())
    app.setFont(QFont())
    app.setCursorFlashTime(BLINK_MS)
