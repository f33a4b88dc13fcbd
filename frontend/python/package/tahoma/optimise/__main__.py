# SPDX-License-Identifier: Apache-2.0
"""What `tahoma optimise` starts, with its words: python3 -m tahoma.optimise SPEC --minimise METRIC --out DIR ... The command's
--help describes the options (cli/optimise_command.cpp)."""

import argparse
import contextlib
import fcntl
import pathlib
import sys

from tahoma.program import program

from .names import FOLDER, OPTION, BadRequest

MISSING, UNUSABLE = "E-OPT-006", "E-OPT-007"
WRONG, HOST = 2, 6  # exit statuses of the command line


@contextlib.contextmanager
def alone_in(folder):
    """Two concurrent searches would mistake each other's open trials for those of a killed search; use --jobs."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadRequest(f"{folder}: another search is running there; use --jobs for several workers", FOLDER) from None
        yield


def show_progress(search):
    if sys.stderr.isatty():
        best = search.best()
        found = ", ".join(f"{value:.6g}" for value in best[0].values) if best else "none yet"
        print(f"\r{search.evaluated} of {search.trials} points, best {found}\033[K", end="", file=sys.stderr)


def run_search(arguments):
    import optuna

    from . import front, goal as goals, points, study as studies

    tahoma = arguments.tahoma or program()
    goals.Goal(arguments.minimise, arguments.subject_to)  # refuses before anything runs
    space = points.resolve(tahoma, arguments.sweep)
    goal = goals.Goal(arguments.minimise, arguments.subject_to, goals.weights_of(arguments.weight, space.workloads),
                      bool(space.sweep.get("repeat")))
    known = points.KnownPoints(arguments.known, space) if arguments.known else None
    runner = points.Runner(tahoma, arguments.out / "points", space, goal.expressions)
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
        front.print_best(search, answered[0])
        print(f"\nresults in {arguments.out}: " + ", ".join(file.name for file in front.write_front(search, arguments.out)))
        return 0 if search.best() else 1


def positive(text):
    number = int(text)
    if number < 1:
        raise ValueError
    return number


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise BadRequest(f"{message}; tahoma optimise --help lists the options", OPTION)


def parsed(words):
    parser = Parser(prog="tahoma optimise", description=__doc__)
    parser.add_argument("sweep", metavar="SPEC")
    parser.add_argument("--minimise", required=True, action="append", metavar="METRIC")
    parser.add_argument("--subject-to", action="append", default=[], metavar="'EXPR <= NUMBER'")
    parser.add_argument("--weight", action="append", default=[], metavar="NAME=W")
    parser.add_argument("--trials", type=positive, default=100, metavar="N")
    parser.add_argument("--sampler", choices=("tpe", "nsga2"), default="tpe")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--out", required=True, type=pathlib.Path, metavar="DIR")
    parser.add_argument("--jobs", type=positive, default=1, metavar="N")
    parser.add_argument("--known", metavar="DIR")
    parser.add_argument("--tahoma", metavar="PROGRAM", help="default: TAHOMA_PROGRAM, or that of the package")
    return parser.parse_args(words)


def main(words):
    try:
        return run_search(parsed(words))
    except BadRequest as error:
        reason, status = f"tahoma: optimise: error[{error.code}]: {error}" if error.code else str(error), WRONG
    except ImportError as error:
        reason, status = (f"tahoma: optimise: error[{MISSING}]: needs Debian's python3-optuna and python3-yaml "
                          f"(scripts/setup --tests installs them): {error}"), HOST
    except OSError as error:
        where = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        reason, status = f"tahoma: optimise: error[{UNUSABLE}]: {where}", HOST
    except KeyboardInterrupt:
        reason, status = "tahoma: optimise: interrupted; the same command resumes", HOST
    print(reason, file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
