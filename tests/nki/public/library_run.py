# SPDX-License-Identifier: Apache-2.0
"""One launch of a kernel as a test of nki-library describes it: in both modes, with the comparison of that repository's harness."""
import contextlib
import io

import numpy as np

import nki
import tahoma
from launches import Runs
from tahoma import dtypes


class Mismatch(AssertionError):
    """A result differs from the test's reference, or the two modes differ."""


def round_in_place(value):
    """Arrays that stand for low-precision ones get the values that enter the kernel, so that references see the same."""
    if isinstance(value, np.ndarray) and (value.dtype.metadata or {}).get("dtype") and value.flags.writeable:
        value[...] = dtypes.rounded(value, value.dtype.metadata["dtype"])
    elif isinstance(value, dict):
        for item in value.values():
            round_in_place(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            round_in_place(item)


def alone(name):
    return name[: -len(".must_alias_input")] if name.endswith(".must_alias_input") else name


def runs_of(kernel, lnc, inputs):
    """The runs of one launch, or of one for each rank."""
    kernel = kernel if hasattr(kernel, "__getitem__") else nki.jit(kernel)

    def call(given):
        return tahoma.launch_ranks(kernel, given, (lnc,)) if isinstance(given, list) else kernel[lnc](**given)

    return Runs(call, inputs)


def as_list(returned):
    if returned is None:
        return []
    return list(returned) if isinstance(returned, (list, tuple)) else [returned]


def paired(returned, arguments, golden):
    """(name, output, expected) in the order of the test's outputs: what the kernel returns, else the argument of the name."""
    outputs = as_list(returned)
    names = list(golden)
    if len(outputs) == len(names):
        return [(name, output, golden[name]) for name, output in zip(names, outputs)]
    written = {name: arguments[name] for name in names if name in arguments}
    rest = [name for name in names if name not in written]
    if len(rest) == len(outputs):
        return [(n, o, golden[n]) for n, o in zip(rest, outputs)] + [(n, written[n], golden[n]) for n in written]
    raise Mismatch(f"the kernel returned {len(outputs)} outputs; the test expects {len(names)}: {', '.join(names)}")


def last_line(text):
    """What a validator has printed last."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it gives no reason"


def compared(name, output, expected, rtol, atol, descriptors):
    """Compares one output as the repository's harness does. Returns its record; Mismatch if it is beyond the tolerance."""
    from test.integration.nkilib.utils.comparators import maxAllClose

    if hasattr(expected, "validator"):
        kind = expected.output_ndarray.dtype
        array = np.ascontiguousarray(np.asarray(output).astype(kind))
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            passed = bool(expected.validator(None).validate(array.reshape(-1).view(np.uint8)))
        if not passed:
            raise Mismatch(f"{name}: the test's own validator refused the result: {last_line(said.getvalue())}")
        return {"output": name, "validator": expected.validator.__name__ if hasattr(expected.validator, "__name__") else "custom"}
    output, expected = np.asarray(output), np.asarray(expected)
    if expected.dtype.names:  # packed elements: results are their bits
        from neuron_dtypes import static_cast

        output, expected = static_cast(output.view(expected.dtype), np.float32), static_cast(expected, np.float32)
    got, want = output.astype(np.float32), expected.astype(np.float32)
    if got.shape != want.shape and got.size == want.size:
        got = got.reshape(want.shape)
    if got.shape != want.shape:
        raise Mismatch(f"{name}: shape {got.shape}; the test expects {want.shape}")
    with np.errstate(all="ignore"):
        difference = np.where(got == want, 0.0, np.abs(got.astype(np.float64) - want))
    finite = np.abs(want[np.isfinite(want)])
    largest = float(finite.max()) if finite.size else 0.0
    error = float(np.nanmax(difference)) if difference.size and not np.all(np.isnan(difference)) else 0.0
    record = {"output": name, "error": error, "largest": largest, "rtol": rtol, "atol": atol, "allowed": atol + rtol * largest}
    passed = bool(maxAllClose(got, want, rtol, atol, verbose=0)) if finite.size else bool(np.array_equal(got, want, equal_nan=True))
    if not passed:
        worst = np.unravel_index(int(np.argmax(np.nan_to_num(difference, nan=np.inf))), difference.shape) if difference.size else ()
        bad = int(np.sum(~(difference <= record["allowed"])))
        raise Mismatch(f"{name}: {bad} of {got.size} elements beyond {record['allowed']:.4g} (atol {atol:g} + rtol {rtol:g} * {largest:.4g}); "
                       f"largest error {error:.4g} at {[int(i) for i in worst]}: got {got[worst]:.6g}, expected {want[worst]:.6g}", record)
    return record


def golden_of(validation, rank):
    """Expected values of a rank by name, or None without a reference."""
    given = validation.golden_output
    if hasattr(given, "for_rank"):
        return given.for_rank(rank)
    return given.golden if hasattr(given, "lazy_golden_generator") else given


def execute(args, modes, record):
    """Runs what a test hands to the harness; fills `record` as it goes."""
    ranks = args.inference_args.collective_ranks if args.inference_args else 1
    lnc = args.compiler_input.logical_nc_config
    given = args.kernel_input if args.kernel_input is not None else {}
    per_rank = [given.for_rank(r) for r in range(ranks)] if hasattr(given, "for_rank") else [given] * ranks
    round_in_place(per_rank)
    inputs = [{alone(name): value for name, value in values.items()} for values in per_rank]
    inputs = inputs if ranks > 1 else inputs[0]
    record.update(kernel=getattr(args.kernel_func, "__name__", "?"), lnc=lnc, ranks=ranks, runs=[])
    if ranks > 1 and not hasattr(tahoma, "launch_ranks"):
        raise NotImplementedError(f"collectives over {ranks} ranks: tahoma.launch_ranks does not exist")
    returned = arguments = None
    runs = runs_of(args.kernel_func, lnc, inputs)
    for mode in modes:
        values, after, run = runs.run(mode)
        record["runs"].append(run)
        if mode == "functional":
            returned, arguments = values, after
    times = {run["time_ns"] for run in record["runs"]}
    if len(times) > 1:
        raise Mismatch("the two modes give different times: " + ", ".join(f"{r['mode']} {r['time_ns']} ns" for r in record["runs"]))
    if "functional" in modes and args.validation_args is not None:
        record["outputs"] = compare_all(args.validation_args, returned, arguments, ranks)


def compare_all(validation, returned, arguments, ranks):
    records = []
    alike = not hasattr(validation.golden_output, "for_rank")
    for rank in range(1 if alike else ranks):
        golden = golden_of(validation, rank)
        if golden is None:
            continue
        mine, its = (returned, arguments) if ranks == 1 else (returned[rank], arguments[rank])
        for name, output, expected in paired(mine, its, golden):
            label = name if ranks == 1 else f"rank {rank}: {name}"
            records.append(compared(label, output, expected, validation.relative_accuracy, validation.absolute_accuracy, None))
    return records
