# SPDX-License-Identifier: Apache-2.0
"""The output tensors of a run, which `tahoma run --save-outputs` keeps as .npy files."""
from __future__ import annotations

import pathlib
from typing import Any, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from tahoma.settings import nearest


class Tensors(Mapping[str, npt.NDArray[Any]]):
    """Arrays by the name of the tensor, read when they are first used. bf16 and fp8 are float32, exactly."""

    def __init__(self, files: Mapping[str, pathlib.Path]) -> None:
        self._files = dict(files)
        self._read: dict[str, npt.NDArray[Any]] = {}

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        if name not in self._files:
            known = f": expected {', '.join(self._files)}{nearest(name, list(self._files))}" if self._files else \
                "; tahoma.run(..., save_outputs=True) keeps the outputs of a functional run"
            raise KeyError(f"no tensor {name!r}{known}")
        if name not in self._read:
            self._read[name] = np.load(self._files[name], allow_pickle=False)
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __repr__(self) -> str:
        return f"<tensors: {', '.join(self._files) or 'none'}>"
