# SPDX-License-Identifier: Apache-2.0
"""neuronxcc.nki.compiler: where tensors are placed by hand, and directives. Program order is kept on every queue, so those about
order are satisfied already."""
import inspect

from nki.compiler import _unchanged, no_reorder
from tahoma.errors import refuse
from tahoma.refusals import refusing

__all__ = ["enable_stack_allocator", "force_auto_alloc", "no_reorder", "psum", "sbuf", "skip_middle_end_transformations"]

skip_middle_end_transformations = enable_stack_allocator = force_auto_alloc = _unchanged

PSUM_BANK = 2048  # bytes of a partition


class Placement:
    """Where the blocks of a tensor lie: place(block, partitions, bytes) -> (first partition, byte)."""

    def __init__(self, memory, place):
        self.memory, self.place = memory, place

    def __str__(self):
        return self.memory

    def __eq__(self, other):
        return str(self) == str(other)

    def __hash__(self):
        return hash(self.memory)


def _turn(block, counts, name):
    """The number of a block among those that take turns: row-major over the block dimensions, each modulo its count."""
    counts = tuple(int(n) for n in counts)
    if not counts or not block:
        return 0
    if len(counts) != len(block) or any(n < 1 for n in counts):
        refuse("E-NKI-001", f"{name}={counts} of a tensor with {len(block)} block dimensions; expected one positive number for each")
    turn = 0
    for number, count in zip(block, counts):
        turn = turn * count + number % count
    return turn


def _called(func, block, partitions, size):
    """func(block, partitions, size), by the names that the documentation gives them if the function has these: one whose first parameter
    functools.partial has bound takes them by name only."""
    names = ("idx", "pdim_size", "fdim_size")
    by_name = all(name in inspect.signature(func).parameters for name in names)
    return func(**dict(zip(names, (block, partitions, size)))) if by_name else func(block, partitions, size)


class _Memory:
    """ncc.sbuf and ncc.psum: a memory, and its allocators."""

    def __init__(self, name):
        self.name = name

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"nki.compiler.{self.name}"

    def auto_alloc(self):
        return self.name


class _Sbuf(_Memory):
    def mod_alloc(self, *, base_addr, base_partition=0, num_par_tiles=(), num_free_tiles=()):
        """Block i lies at base_addr + (i modulo num_free_tiles) * the bytes of a block."""

        def place(block, partitions, size):
            return (base_partition + _turn(block, num_par_tiles, "num_par_tiles") * partitions,
                    base_addr + _turn(block, num_free_tiles, "num_free_tiles") * size)

        return Placement("sbuf", place)

    def alloc(self, func):
        """func(block, partitions, bytes) gives (first partition, byte)."""
        return Placement("sbuf", lambda block, partitions, size: tuple(_called(func, block, partitions, size)))


class _Psum(_Memory):
    def mod_alloc(self, *, base_bank, base_addr=0, base_partition=0, num_bank_tiles=(), num_par_tiles=(), num_free_tiles=()):
        """Block i lies in bank base_bank + (i modulo num_bank_tiles)."""

        def place(block, partitions, size):
            byte = base_addr + _turn(block, num_free_tiles, "num_free_tiles") * size
            return (base_partition + _turn(block, num_par_tiles, "num_par_tiles") * partitions,
                    _in_bank(base_bank + _turn(block, num_bank_tiles, "num_bank_tiles"), byte, size))

        return Placement("psum", place)

    def alloc(self, func):
        """func(block, partitions, bytes) gives (bank, first partition, byte)."""

        def place(block, partitions, size):
            bank, partition, byte = _called(func, block, partitions, size)
            return partition, _in_bank(bank, byte, size)

        return Placement("psum", place)


def _in_bank(bank, byte, size):
    if not 0 <= bank < 8 or byte < 0 or byte + size > PSUM_BANK:
        refuse("E-NKI-001", f"{size} bytes at byte {byte} of bank {bank} of PSUM; expected one of 8 banks of {PSUM_BANK} bytes")
    return bank * PSUM_BANK + byte


sbuf, psum = _Sbuf("sbuf"), _Psum("psum")

__getattr__ = refusing("neuronxcc.nki.compiler", {
    "multi_buffer": "buffers rotate already: a tensor that a loop declares takes the place that was free for longest",
    "hbm": "tensors in HBM are placed by the runtime",
    "allocate": "placement by the compiler's own passes; use ncc.sbuf.mod_alloc or none",
})
