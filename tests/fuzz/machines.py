# SPDX-License-Identifier: Apache-2.0
"""Random machines: presets of all generations, logical cores, and changes of their timing parameters."""

import legal_values

# Parameters that no random change may touch: those of the machine's extent, which decide what a program may place where, the
# RTL, which takes minutes, and what a preset alone says.
FIXED = ("machine.name", "machine.torus", "machine.chip.cores", "machine.chip.dies", "machine.chip.lnc", "machine.chip.core.version",
         "machine.chip.hbm.stacks", "machine.chip.hbm.capacity", "machine.chip.hbm.dram", "machine.link.topology")
FIXED_ENDS = (".model", ".rows", ".columns", ".per_partition", ".usable", ".moving_columns", ".latency_side")
SPREADS = [4, 4, 1000]  # factors around the default
ONE_CHIP = ["trainium2_one_chip"] * 6 + ["trainium1_chip", "trainium3_chip"]


def changeable(parameters):
    """The rows that a random change may touch."""
    return [row for path, row in parameters.items() if not path.startswith(FIXED) and not path.endswith(FIXED_ENDS)]


def machine_of(rng, parameters):
    """(preset, settings): half of the machines are presets, a quarter have two cores to a logical core, a quarter have other
    parameters."""
    preset, settings = rng.choice(ONE_CHIP), {}
    if rng.random() < 0.25 and preset != "trainium1_chip":
        settings["machine.chip.lnc"] = 2
    if rng.random() < 0.3:
        spread = rng.choice(SPREADS)
        for row in rng.sample(changeable(parameters), rng.randint(1, 4)):
            text = legal_values.value(rng, row, spread)
            if text is not None:
                settings[row["path"]] = text
    return preset, settings
