# SPDX-License-Identifier: Apache-2.0
"""The Pareto front is what its definition says, for random points."""
import numpy as np
import pytest

from tahoma.api.fronts import front


def by_definition(points):
    """The points that no other dominates: one at least as good in every objective, and better in one."""
    found = []
    for n, point in enumerate(points):
        if not all(np.isfinite(point)):
            continue
        dominated = False
        for other in points:
            if all(np.isfinite(other)) and all(b <= a for a, b in zip(point, other)) and any(b < a for a, b in zip(point, other)):
                dominated = True
        if not dominated:
            found.append(n)
    return found


@pytest.mark.parametrize("objectives", [1, 2, 3, 4])
def test_the_front_of_random_points_is_that_of_the_definition(objectives):
    rng = np.random.default_rng(objectives)
    for values in (2, 5, 40, 10**9):  # few values: many equal points
        for points in (0, 1, 2, 7, 80):
            given = rng.integers(0, values, (points, objectives)).astype(float)
            given[rng.random(given.shape) < 0.05] = np.nan
            found = front(list(given.T))
            assert sorted(found) == by_definition(given.tolist())
            assert found == sorted(found, key=lambda n: (given[n, 0], n))


def test_equal_points_are_all_on_the_front():
    assert front([np.array([1.0, 1.0, 2.0]), np.array([3.0, 3.0, 3.0])]) == [0, 1]


def test_a_large_sweep_has_its_front():
    """On a line from the best first to the best second objective, every point is on the front; a point behind each is not."""
    n = 2000
    x = np.arange(n, dtype=float)
    assert front([np.concatenate([x, x + 0.5]), np.concatenate([n - x, n - x + 0.5])]) == list(range(n))
