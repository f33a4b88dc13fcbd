# SPDX-License-Identifier: Apache-2.0
"""One kernel compared with PyTorch: inputs are drawn by NumPy and written as .npy, tahoma runs the case and saves its outputs, and
PyTorch computes the same in double from the inputs as they are after rounding to their dtype."""
import contextlib
import dataclasses
import io
import json
import pathlib
import subprocess
import typing

import numpy as np
import torch

# Formats that PyTorch 1.13 does not round to: bits of exponent and mantissa, exponent bias, largest value.
SMALL_FLOATS = {
    "fp8_e4m3": (4, 3, 7, 240.0),
    "fp8_e5m2": (5, 2, 15, 57344.0),
    "fp8_e3m4": (3, 4, 3, 15.5),
}
INTEGERS = {"int8": np.int8, "uint8": np.uint8, "int16": np.int16, "uint16": np.uint16, "int32": np.int32, "uint32": np.uint32}


def rounded(values, dtype):
    """Rounds `values` to fp32 numbers that `dtype` holds exactly: to nearest, ties to even."""
    values = np.asarray(values, dtype=np.float32)
    if dtype in ("fp32",):
        return values
    if dtype in ("bf16", "fp16"):
        kind = torch.bfloat16 if dtype == "bf16" else torch.float16
        return torch.from_numpy(values).to(kind).to(torch.float32).numpy()
    if dtype == "tf32":
        bits = values.view(np.uint32).astype(np.uint64)
        bits = (bits + 0xFFF + ((bits >> 13) & 1)) & ~np.uint64(0x1FFF)
        return bits.astype(np.uint32).view(np.float32)
    _, mantissa, bias, largest = SMALL_FLOATS[dtype]
    _, exponent = np.frexp(values)
    step = np.exp2(np.maximum(exponent - 1, 1 - bias) - mantissa)
    return np.clip(np.round(values / step) * step, -largest, largest).astype(np.float32)


@dataclasses.dataclass
class GoldenCase:
    name: str
    yaml: str  # below workloads/
    inputs: dict  # name: (dtype, array)
    expected: typing.Callable  # maps {input: tensor of double or int64} to {output: tensor}
    tolerance: dict  # output: (absolute, relative, why)
    set: dict = dataclasses.field(default_factory=dict)

    def run(self, binary, workloads, folder):
        """Runs the case in `folder` and returns its differences, one line each."""
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        settings = {path: setting_text(value) for path, value in self.set.items()}
        exact = {}
        for name, (dtype, array) in self.inputs.items():
            if dtype in INTEGERS:
                values = np.asarray(array).astype(INTEGERS[dtype])
                exact[name] = torch.from_numpy(values.astype(np.int64))
            else:
                values = rounded(array, dtype)
                exact[name] = torch.from_numpy(values.astype(np.float64))
                if dtype == "fp16":
                    values = values.astype(np.float16)
            file = folder / f"{name}.npy"
            np.save(file, np.ascontiguousarray(values))
            settings[f"workload.inputs.{name}"] = str(file)
        command = [binary, "run", str(pathlib.Path(workloads) / self.yaml), "--save-outputs", "--out", str(folder / "out")]
        for path, value in settings.items():
            command += ["--set", f"{path}={value}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return [f"tahoma ended with status {done.returncode}: {done.stderr.strip() or done.stdout.strip()}"]
        golden = json.loads((folder / "out" / "summary.json").read_text())["golden"]
        found = [] if golden["checked"] and golden["passed"] else ["the run's own golden check did not pass"]
        return found + self.differences({name: np.load(folder / "out" / f"{name}.npy") for name in self.tolerance},
                                        self.expected(exact))

    def differences(self, got, want):
        found = []
        for name, (absolute, relative, why) in self.tolerance.items():
            expected = want[name].detach().numpy().astype(np.float64)
            values = got[name].astype(np.float64)
            if values.size != expected.size:
                found.append(f"{name} has {values.shape}, PyTorch {expected.shape}")
                continue
            values = values.reshape(expected.shape)
            error = np.abs(values - expected)
            wrong = ~(error <= absolute + relative * np.abs(expected))  # a NaN is wrong, too
            if wrong.any():
                at = tuple(int(i) for i in np.argwhere(wrong)[0])
                found.append(f"{name}{list(at)} = {values[at]:.9g}, PyTorch {expected[at]:.9g}; {int(wrong.sum())} of {wrong.size} differ "
                             f"by more than {absolute:g} + {relative:g} |want| ({why}); largest error {np.nanmax(error):.3g}")
        return found


def setting_text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def run_all(cases, binary, workloads, folder, only=None):
    """Prints one line per case; returns exit status 0 if no case differs."""
    failed = 0
    for case in cases:
        if only and only not in case.name:
            continue
        with contextlib.redirect_stderr(io.StringIO()):
            found = case.run(binary, workloads, pathlib.Path(folder) / case.name.replace(" ", "_").replace(",", ""))
        failed += bool(found)
        print(f"{'differs' if found else 'equal  '}  {case.name}")
        for line in found:
            print(f"         {line}")
    print(f"{failed} of {len(cases)} cases differ from PyTorch")
    return 1 if failed else 0
