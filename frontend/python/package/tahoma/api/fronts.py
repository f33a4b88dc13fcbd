# SPDX-License-Identifier: Apache-2.0
"""The Pareto front of several objectives."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import numpy.typing as npt


def front(objectives: Sequence[npt.NDArray[Any]]) -> list[int]:
    """The positions of the points on the front, from the best first objective on, then by position. Smaller is better. A point is
    on the front if no other is at least as good in every objective and better in one; equal points are all on the front. A point
    with a value that is not finite is on no front."""
    values = np.array(objectives, dtype=float).reshape(len(objectives), -1)
    finite = np.flatnonzero(np.isfinite(values).all(axis=0))
    ordered = finite[np.lexsort(values[::-1, finite])]
    found: list[int] = []
    # A point that dominates another comes before it in lexicographic order, and one of those that dominate it is on the front.
    best = np.empty((len(objectives), 0))
    for n in ordered:
        point = values[:, n:n + 1]
        if ((best <= point).all(axis=0) & (best < point).any(axis=0)).any():
            continue
        found.append(int(n))
        best = np.concatenate([best, point], axis=1)
    return sorted(found, key=lambda n: (values[0, n], n))
