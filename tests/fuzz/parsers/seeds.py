# SPDX-License-Identifier: Apache-2.0
"""Seeds of the parsers: files of the repository, beside the inputs in kept/."""

MOST_BYTES = 20_000  # larger files slow every execution

# Parser: patterns of files of the repository.
FILES = {
    "assembler": ["workloads/**/*.tasm"],
    "case": ["workloads/*/*.yaml"],
    "machine": ["model/configs/*.yaml"],
    "sweep": ["workloads/sweeps/*.yaml", "workloads/serving/*_steps.yaml"],
    "suite": ["workloads/micro/**/*.yaml"],
    "table": ["workloads/micro/**/*.csv"],
    "regression": ["workloads/regression/*.yaml"],
    "statistics": ["workloads/regression/goldens/*/*.csv"],
    "prices": ["report/cost/prices/*.yaml"],
    "card": ["studies/cards/cards/*.yaml"],
    "serving": ["workloads/serving/*.yaml"],
    "cluster": ["workloads/cluster/*.yaml"],
    "steps": ["workloads/serving/*.csv"],
    "huggingface": ["workloads/models/*.json"],
}


def write(root, folder, parser):
    """Writes the seeds of a parser into a folder."""
    files = [path for pattern in FILES.get(parser, []) for path in sorted(root.glob(pattern))]
    for number, path in enumerate(path for path in files if path.stat().st_size <= MOST_BYTES):
        (folder / f"seed{number}").write_bytes(path.read_bytes())
