"""The build backend: setuptools, which finds the texts compiled before it packs anything."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 - the hooks that stay as they are


def _compile_texts() -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import messages

    messages.main()


def build_wheel(*arguments: Any, **options: Any) -> str:
    _compile_texts()
    return build_meta.build_wheel(*arguments, **options)


def build_editable(*arguments: Any, **options: Any) -> str:
    _compile_texts()
    return build_meta.build_editable(*arguments, **options)
