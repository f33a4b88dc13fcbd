# SPDX-License-Identifier: Apache-2.0
"""Counts, sizes, switches and choices that have a direction in which a machine is faster. Times, cycles, clocks and rates have one by
their type. What is missing here has none: it is a dimension of the machine (cores, banks), a format, or an order."""

MORE, LESS = "more", "less"

CORE, DRAM = "machine.chip.core", "machine.chip.hbm.dram"
COUNTS = {
    **{f"{CORE}.vector.{name}": MORE for name in ("copy_rate", "narrowing_rate", "two_input_rate", "reduce_rate", "memset_rate",
                                                  "exponential_rate", "quantise_rate", "random_rate", "sbuf_streams")},
    f"{CORE}.scalar.copy_rate": MORE,
    **{f"{CORE}.sequencer.{engine}_queue.depth": MORE for engine in ("tensor", "vector", "scalar", "gpsimd")},
    **{f"{CORE}.dma.{name}": MORE for name in ("ring_depth", "bytes_per_cycle", "transpose_from_hbm", "transpose_on_chip", "remote_window",
                                               "read_window", "read_packets", "write_window", "write_packets", "collective_engines")},
    f"{CORE}.dma.small_element_spread": LESS,
    **{f"{CORE}.tensor.{name}": LESS for name in ("load_column", "load_column_strided", "fp32_load_column", "wide_load_column",
                                                  "wide_load_column_strided", "mx_load_column")},
    **{f"{DRAM}.{name}": MORE for name in ("read_queue", "write_queue")},
    "machine.link.buffer": MORE,
    "machine.link.vcs": MORE,
    "machine.link.header": LESS,
}

# The faster value, where the default is another one.
VALUES = {
    f"{CORE}.tensor.throttle": "false",
    f"{CORE}.tensor.background_transpose": "true",
    f"{CORE}.psum.bank_turns": "false",
    f"{DRAM}.refresh": "none",
    f"{DRAM}.column_bus": "arbitrated",
    f"{DRAM}.queue_exit": "activate",
}
