#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Metamorphic laws of time over random workloads: what must be true of two runs, whatever their times are.

    laws.py --binary PATH [--cases N] [--seed S] [--law NAME]... [--jobs N]

faster    a part that becomes faster (a clock, a rate, a latency) slows a run by at most 1 percent
ideal     a part that becomes ideal slows a run by at most 1 percent
wider     so does a deeper queue, a larger window, a width, or a restriction that is removed (law_directions.py)
more      a larger size takes at least as long, less 1 percent
split     a batch takes at most as long as its two parts after each other, and 1 percent
permuted  a collective takes the same time, within 5 percent, with another root or over the other cores of a chip

All runs are in timing mode. A pair that breaks a law is a finding, unless EXCEPTIONS has its law and kind or parameter with the
reason; those are counted. One seed always gives the same pairs.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import random
import shlex
import sys
import tempfile

import law_directions
import law_exceptions
import legal_values
import workloads
from generators import KINDS

MARGIN = 1.01
# Another root: of two ways that are equally long, the even coordinates take one and the odd ones the other, and the class of a
# packet's virtual channel names the end of the axis. tests/system/collective/collective_root_test.cpp says where roots are exactly equal.
MARGIN_OF_ROOTS = 1.05
# More of these is faster; less of a time or of cycles is faster.
RATES = {"frequency", "bandwidth"}
COSTS = {"time", "cycles"}
# Sizes of each kind of which more is more work.
SIZES = {"gemm": ["m", "n", "k"], "attention": ["q_len", "kv_len"], "attention_backward": ["q_len", "kv_len"],
         "decode": ["batch", "context"], "transformer": ["batch", "tokens", "context"], "training": ["batch", "tokens"],
         "mlp": ["tokens", "hidden"], "conv2d": ["images", "out_channels"], "collective": ["bytes"], "adam": ["rows", "columns"],
         "transpose": ["rows", "columns"], "reduction": ["rows", "columns"], "rope": ["tokens", "heads"], "embedding": ["tokens"],
         "cross_entropy": ["rows", "columns"], "softmax": ["rows", "columns"], "rms_norm": ["rows", "columns"],
         "layer_norm": ["rows", "columns"], "quantise": ["rows"], "moe_router": ["tokens"]}
# The size that is a batch, and what its parts are multiples of.
BATCHES = {"gemm": ("m", 128), "decode": ("batch", 1), "transformer": ("batch", 1), "conv2d": ("images", 1), "mlp": ("tokens", 128),
           "softmax": ("rows", 128), "rms_norm": ("rows", 128), "layer_norm": ("rows", 128), "rope": ("tokens", 128),
           "cross_entropy": ("rows", 128), "embedding": ("tokens", 128), "adam": ("rows", 128)}


def words_of(binary, folder, case, name):
    return workloads.words_of(binary, folder, case) + ["--mode", "timing", "--out", str(folder / name)]


def time_of(words):
    """Simulated nanoseconds of a run, None if it is refused; what is wrong is a text."""
    verdict = workloads.verdict_of(workloads.run(words))
    if verdict == "passed":
        return workloads.time_of(pathlib.Path(words[-1]))
    return None if verdict == "refused" else verdict


def parts_of_machine(parameters):
    """The parameters that have a direction in which they are faster."""
    rows = (row for path, row in parameters.items() if path.startswith(("machine.chip", "machine.link")) and "instances" not in path)
    return [row for row in rows if row["type"] in RATES | COSTS and row["path"] not in law_exceptions.WITHOUT_DIRECTION]


def quicker(rng, row):
    """A value on the faster side of the default; None if there is none."""
    kind = row["type"]
    low, high = (legal_values.amount(end, kind) for end in row["range"].split(" .. "))
    default = legal_values.amount(row["default"], kind) if row["default"] != "ideal" else None
    if not default:
        return None
    factor = rng.choice([1.05, 1.5, 2, 8])
    number = min(high, default * factor) if kind in RATES else max(low, default / factor)
    return legal_values.written(number, kind)


def faster(rng, parameters):
    kind, sizes, seed = rng.choice(list(KINDS)), None, rng.randint(1, 1000)
    sizes = KINDS[kind](rng)
    row = rng.choice(parts_of_machine(parameters))
    value = quicker(rng, row)
    if value is None:
        return None
    base = (kind, sizes, ("trainium2_one_chip", {}), seed)
    return row["path"], [base], [(kind, sizes, ("trainium2_one_chip", {row["path"]: value}), seed)]


def ideal(rng, parameters):
    kind = rng.choice(list(KINDS))
    sizes = KINDS[kind](rng)
    row = rng.choice([row for row in parts_of_machine(parameters) if row["may_be_ideal"]])
    return (row["path"], [(kind, sizes, ("trainium2_one_chip", {}), 1)],
            [(kind, sizes, ("trainium2_one_chip", {row["path"]: "ideal"}), 1)])


def widened(rng, row):
    """A value on the faster side of a count, a size, a switch or a choice; None if there is none."""
    if row["path"] in law_directions.VALUES:
        return law_directions.VALUES[row["path"]]
    low, high = (legal_values.amount(end, row["type"]) for end in row["range"].split(" .. "))
    factor = rng.choice([2, 3, 8])
    grows = law_directions.COUNTS[row["path"]] == law_directions.MORE
    default = legal_values.amount(row["default"], row["type"])
    number = min(high, default * factor) if grows else max(low, default / factor)
    return None if number == default else legal_values.written(number, row["type"])


def wider(rng, parameters):
    kind = rng.choice(list(KINDS))
    sizes = KINDS[kind](rng)
    path = rng.choice(sorted([*law_directions.COUNTS, *law_directions.VALUES]))
    value = widened(rng, parameters[path])
    if value is None:
        return None
    return path, [(kind, sizes, ("trainium2_one_chip", {}), 1)], [(kind, sizes, ("trainium2_one_chip", {path: value}), 1)]


def larger(sizes, name, factor):
    """The sizes with one of them larger; None if the case does not have it."""
    if name not in sizes:
        return None
    if name == "bytes":
        return {**sizes, name: f"{int(sizes[name].split()[0]) * factor} B"}
    return {**sizes, name: sizes[name] * factor}


def more(rng, _parameters):
    kind = rng.choice(list(SIZES))
    sizes, name = KINDS[kind](rng), rng.choice(SIZES[kind])
    grown = larger(sizes, name, rng.choice([2, 3]))
    machine = ("trainium2_one_chip", {})
    return None if grown is None else (f"{kind}.{name}", [(kind, grown, machine, 1)], [(kind, sizes, machine, 1)])


def split(rng, _parameters):
    kind = rng.choice(list(BATCHES))
    name, unit = BATCHES[kind]
    sizes = KINDS[kind](rng)
    if name not in sizes:
        return None
    parts = [unit * rng.randint(1, 3) for _ in range(2)]
    machine = ("trainium2_one_chip", {})
    halves = [(kind, {**sizes, name: part}, machine, 1) for part in parts]
    return f"{kind}.{name}", halves, [(kind, {**sizes, name: sum(parts)}, machine, 1)]


def permuted(rng, _parameters):
    operation = rng.choice(["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "barrier"])
    sizes = {"operation": operation, "bytes": f"{rng.choice([64, 4096, 50000, 1 << 20])} B", "algorithm": rng.choice(["best", "auto"])}
    if rng.random() < 0.5:
        count = rng.choice([2, 4])
        here, there = ({**sizes, "ranks": "cores", "over": over} for over in (f"0-{count - 1}", f"{8 - count}-7"))
        one, other = [("collective", part, ("trainium2_one_chip", {}), 1) for part in (here, there)]
    else:
        x, y = rng.choice([(2, 4), (1, 4), (2, 3), (4, 4), (3, 3)])
        torus = {"machine.torus.x": x, "machine.torus.y": y, "machine.torus.z": 1}
        sizes.update({"operation": rng.choice(["broadcast", "reduce", "gather", "scatter"]), "ranks": "chips", "over": "machine"})
        one, other = (("collective", {**sizes, "root": root}, ("trainium2_one_chip", torus), 1) for root in rng.sample(range(x * y), 2))
    return f"collective.{one[1]['operation']}", [one], [other]


LAWS = {"faster": faster, "ideal": ideal, "wider": wider, "more": more, "split": split, "permuted": permuted}


def broken(law, slow, fast):
    """What the times of a pair break, or None."""
    if law == "permuted":
        return f"{slow} and {fast} ns" if max(slow, fast) > MARGIN_OF_ROOTS * min(slow, fast) else None
    return f"{fast} ns instead of at most {slow} ns" if fast > MARGIN * slow else None


def examine(binary, law, pair):
    """(verdict, words): passed, refused, or what is wrong."""
    what, slow, fast = pair
    with tempfile.TemporaryDirectory() as name:
        folder, words = pathlib.Path(name), []
        times = []
        for side in (slow, fast):
            runs = [words_of(binary, folder, case, f"run{len(words) + n}") for n, case in enumerate(side)]
            words += runs
            measured = [time_of(run) for run in runs]
            if wrong := next((time for time in measured if isinstance(time, str)), None):
                return wrong, words
            if None in measured:
                return "refused", words
            times.append(sum(measured))
    told = broken(law, *times)
    if told is None:
        return "passed", words
    reason = law_exceptions.reason(law, what)
    return ("excepted" if reason else f"{law} {what}: {told}"), words


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--cases", type=int, default=100, help="pairs of runs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--law", action="append", choices=sorted(LAWS))
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    names, parameters = options.law or list(LAWS), legal_values.declared(options.binary, "machine")
    count, findings = collections.defaultdict(collections.Counter), 0

    def one(number):
        law = names[number % len(names)]
        pair = LAWS[law](random.Random(f"{options.seed}/{number}"), parameters)
        return (law, *(examine(options.binary, law, pair) if pair else ("none", [])))

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, (law, verdict, words) in enumerate(pool.map(one, range(options.cases))):
            wrong = verdict not in ("passed", "refused", "excepted", "none")
            count[law]["wrong" if wrong else verdict] += 1
            if wrong:
                findings += 1
                print(f"pair {number}, {verdict}", *(f"\n  {shlex.join(run)}" for run in words), flush=True)
    for law, verdicts in count.items():
        print(f"{law:9} {verdicts['passed']:6} passed, {verdicts['refused']} refused, {verdicts['excepted']} excepted, {verdicts['wrong']} wrong")
    total = sum(count.values(), collections.Counter())
    print(f"{total['passed'] + total['excepted'] + total['wrong']} pairs of runs, {len(names)} laws, seed {options.seed}: {total['passed']} "
          f"hold, {total['excepted']} of listed exceptions, {findings} findings")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
