# SPDX-License-Identifier: Apache-2.0
"""Finds the points of a sweep that are smallest in a metric or two without running all of them, by Optuna. The same
command resumes an earlier search. Needs Debian's python3-optuna and python3-yaml (scripts/setup installs them)."""

import argparse
import contextlib
import fcntl
import os
import pathlib
import shlex
import sys

try:
    import optuna
    import yaml  # noqa: F401  for the package
except ImportError as error:
    sys.exit(f"tahoma optimise: needs Debian's python3-optuna and python3-yaml (scripts/setup installs them): {error}")

from . import names, points, study as studies


@contextlib.contextmanager
def alone_in(folder):
    """Two concurrent searches would mistake each other's open trials for those of a killed search; use --jobs."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise names.BadRequest(f"{folder}: another search is running there; use --jobs for several workers") from None
        yield


def show_progress(search):
    if sys.stderr.isatty():
        best = search.best()
        found = ", ".join(f"{value:.6g}" for value in best[0].values) if best else "none yet"
        print(f"\r{search.evaluated} of {search.trials} points, best {found}\033[K", end="", file=sys.stderr)


def command_of(sweep, parameters):
    """Returns the command that repeats a point, with derived parameters."""
    words = ["tahoma", "run", sweep["workloads"][0]]
    words += [word for key in ("machine", "mode", "seed") if key in sweep for word in (f"--{key}", str(sweep[key]))]
    overrides = {**sweep.get("set", {}), **parameters}
    return shlex.join(words + [f"--set={path}={value}" for path, value in overrides.items()])


def print_best(search, known):
    front = search.best()
    size = search.space.size()
    print(f"{search.evaluated} points evaluated of {size if size < float('inf') else 'a continuous space'}, "
          f"{known} of them known before, {search.repeats} suggestions of points that had been evaluated")
    if not front:
        print("no finished point satisfies the constraints")
        return
    print("best:" if len(search.goal.minimised) == 1 else f"front of {len(front)} points:")
    for trial in front:
        print("\n  " + ", ".join(f"{name} = {value:.7g}"
                                 for name, value in zip(search.goal.minimised, trial.values)))
        for path, text in trial.user_attrs["texts"].items():
            print(f"    {path} = {text}")
        print("    " + command_of(search.space.sweep, trial.user_attrs["parameters"]))


def run_search(arguments):
    space = points.resolve(arguments.tahoma, arguments.sweep)
    goal = studies.Goal(arguments.minimise, arguments.subject_to)
    known = points.KnownPoints(arguments.known, space) if arguments.known else None
    runner = points.Runner(arguments.tahoma, arguments.out / "points", space, goal.expressions)
    answered = [0]

    def source(texts):
        outcome = known.find(texts) if known else None
        answered[0] += outcome is not None
        return outcome or runner.outcome(texts)

    with alone_in(arguments.out):
        storage = optuna.storages.RDBStorage(f"sqlite:///{(arguments.out / 'study.db').resolve()}")
        study = studies.open_study(storage, goal, space)
        # A resumed search does not draw the same points again.
        seed = arguments.seed + len(study.get_trials(deepcopy=False))
        study.sampler = studies.sampler_of(arguments.sampler, seed, arguments.trials, arguments.jobs,
                                           bool(goal.constraints))
        search = studies.Search(study, space, goal, source, seed)
        search.run(arguments.trials, arguments.jobs, show_progress)
        if sys.stderr.isatty():
            print(file=sys.stderr)
        print_best(search, answered[0])
        return 0 if search.best() else 1


def positive(text):
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def main():
    parser = argparse.ArgumentParser(prog="tahoma optimise", description=__doc__)
    parser.add_argument("sweep", metavar="SWEEP.yaml", help="sweep to search; it has one workload")
    parser.add_argument("--minimise", required=True, action="append", metavar="METRIC",
                        help="a metric, or an expression over metrics and parameters; several for their front")
    parser.add_argument("--subject-to", action="append", default=[], metavar="'EXPR <= NUMBER'",
                        help="constraint on points, in base units; also with >=; repeatable")
    parser.add_argument("--trials", type=positive, default=100, metavar="N", help="different points to evaluate in all")
    parser.add_argument("--sampler", choices=("tpe", "nsga2"), default="tpe", help="default: tpe")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the sampler; default: 1")
    parser.add_argument("--out", required=True, type=pathlib.Path, metavar="DIR", help="study.db and the points' results")
    parser.add_argument("--jobs", type=positive, default=1, metavar="N", help="points at the same time; default: 1")
    parser.add_argument("--known", metavar="DIR", help="a sweep's folder, whose points are not run again")
    parser.add_argument("--tahoma", default=os.environ.get("TAHOMA_PROGRAM", "tahoma"), metavar="PROGRAM",
                        help="default: that of TAHOMA_PROGRAM, or tahoma on the PATH")
    arguments = parser.parse_args()
    try:
        return run_search(arguments)
    except FileNotFoundError as error:
        reason = f"{error.filename}: no such program; build it with scripts/run, or name it with --tahoma"
    except (names.BadRequest, OSError) as error:
        reason = str(error)
    except KeyboardInterrupt:
        reason = "interrupted; the same command resumes"
    print(f"tahoma optimise: {reason}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
