#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how soon tahoma optimise finds the optimum of the full grid of workloads/sweeps/search_500.yaml: 20 seeds,
answered from the grid. Fails unless 18 of them come within 1 % of the best in 80 different points."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import optuna

ROOT = pathlib.Path(__file__).parents[2]
sys.path.append(str(ROOT / "frontend/python/package/tahoma"))
from optimise import points, study as studies  # noqa: E402
from optimise.goal import Goal  # noqa: E402

SWEEP = ROOT / "workloads/sweeps/search_500.yaml"
METRIC, POINTS, MARGIN, SEEDS, ENOUGH = "cost", 80, 1.01, range(20), 18


def first_within(space, known, sampler, seed, limit):
    """Returns the number of points after which the limit is met; None if it is not met."""
    def end_when_met(search):
        best = search.best()
        if best and best[0].values[0] <= limit:
            search.trials = search.evaluated

    search = studies.Search(optuna.create_study(sampler=studies.sampler_of(sampler, seed, POINTS)), space,
                            Goal([METRIC], []), known.find, seed)
    search.run(POINTS, jobs=1, report=end_when_met)
    best = search.best()
    return search.evaluated if best and best[0].values[0] <= limit else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tahoma")
    parser.add_argument("--grid", help="a finished sweep of the file; without it the grid is run first")
    parser.add_argument("--sampler", default="tpe")
    arguments = parser.parse_args()
    space = points.resolve(arguments.tahoma, SWEEP)
    with tempfile.TemporaryDirectory() as home:
        grid = arguments.grid or f"{home}/grid"
        if not arguments.grid:
            subprocess.run([arguments.tahoma, "sweep", SWEEP, "--out", grid], check=True)
        known = points.KnownPoints(grid, space)
    values = sorted(point.metrics[METRIC] for point in known.points.values())
    limit = MARGIN * values[0]
    print(f"{len(values)} points, best {METRIC} {values[0]:.7g}, {sum(v <= limit for v in values)} within 1 % of it")
    results = [first_within(space, known, arguments.sampler, seed, limit) for seed in SEEDS]
    for seed, at in zip(SEEDS, results):
        print(f"seed {seed:2}: {f'after {at}' if at else 'not'}")
    hits = sum(at is not None for at in results)
    print(f"{arguments.sampler}: {hits} of {len(results)} seeds within 1 % in {POINTS} evaluations")
    return 0 if len(values) == 500 and hits >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
