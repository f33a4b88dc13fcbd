# SPDX-License-Identifier: Apache-2.0
"""The files that the workload `nki` runs: programs, tensors, values (frontend/nki/bundle/bundle.h), and the way back to arrays."""
import inspect
import json
import os
import re

import numpy as np

import _tahoma
from _tahoma import NkiTensor
from tahoma import dtypes, variables
from tahoma.errors import KernelError, refuse


_BYTES = re.compile(r"(sbuf|psum) partitions (\d+)\.\.(\d+), bytes (0x[0-9a-f]+)\.\.(0x[0-9a-f]+)")  # of a finding


def checked_outputs(returned, kernel):
    """The tensors that a kernel returns; the tensors must be in shared HBM."""
    tensors = []
    for value in returned if isinstance(returned, (tuple, list)) else [] if returned is None else [returned]:
        if not isinstance(value, NkiTensor):
            raise KernelError("E-NKI-033", variables.place_of_return(kernel.function),
                              f"kernel {kernel.__name__} returns {type(value).__name__} {value!r}; expected tensors in HBM")
        if value.on_chip:
            raise KernelError("E-NKI-033", variables.place_of_return(kernel.function),
                              f"kernel {kernel.__name__} returns {value!r}; expected a tensor in shared_hbm")
        tensors.append(value)
    return tensors


class Bundle:
    """The programs of all cores of all ranks. Core r * cores + n runs program n of rank r."""

    def __init__(self, calls, cores, programs, lowered):
        self.calls, self.cores, self.programs, self.lowered = calls, cores, programs, lowered
        self.name = calls[0].name
        self.tensors = []  # with the argument that describes each, its rank and its core
        self.number_of = {}  # by what identifies a tensor: see _key
        self.warnings = [w for l in lowered for w in l["warnings"]]
        for core, program in enumerate(lowered):
            for argument in program["arguments"]:
                if argument["kind"] == "tensor":
                    self._declare(core, argument)
        self.arguments = [[self._held(core, a) for a in program["arguments"]] for core, program in enumerate(lowered)]
        self.in_place = [{} for _ in calls]
        self._check_returned()

    def _check_returned(self):
        """Tensors of one core are no result of two, and a kernel that returns nothing has most likely forgotten to."""
        for rank, call in enumerate(self.calls):
            program, core = self._first(rank), rank * self.cores
            views = checked_outputs(program.returned, call.kernel)
            own = next((view for view in views if str(view.buffer) != "shared_hbm"), None)
            if own is not None and self.cores > 1:
                raise KernelError("E-NKI-033", variables.place_of_return(call.kernel.function),
                                  f"kernel {call.name} returns {own!r} from {self.cores} cores; expected a tensor in shared_hbm")
            written = [a for a in self.lowered[core]["arguments"] if a["kind"] == "tensor" and a["written"]]
            if views or program.returned is not None or any(a["storage"] < len(call.encoded) for a in written):
                continue
            for argument in written:
                if argument["role"] == _tahoma.Role.local and argument["place"]:
                    self.warnings.append(f"{argument['place']}: kernel {call.name} returns nothing and writes no argument; `return "
                                         f"{argument['name'] or '...'}` is missing, or the tensor is of no use")
                    break

    def _key(self, core, argument, rank=None):
        """A tensor in shared HBM is known by its number among these, which the cores of a rank have in common."""
        rank = core // self.cores if rank is None else rank
        if argument["buffer"] == "shared_hbm":
            return rank, -1, argument["order"]
        return rank, core % self.cores, argument["storage"]

    def _declare(self, core, argument):
        key = self._key(core, argument)
        if key not in self.number_of:
            self.number_of[key] = len(self.tensors)
            self.tensors.append({"argument": argument, "core": core, "rank": key[0], "storage": argument["storage"], "written": False})
        known = self.tensors[self.number_of[key]]
        first = known["argument"]
        if first["shape"] != argument["shape"] or first["element"] != argument["element"]:
            raise KernelError("E-NKI-034", argument["place"],
                              f"the programs of the two cores declare different tensors in shared_hbm as number {key[2]}: "
                              f"{first['name']} {first['shape']} and {argument['name']} {argument['shape']}")
        known["written"] = known["written"] or argument["written"]

    def _held(self, core, argument):
        """What an argument of a program holds: the number of a tensor, or a core."""
        if argument["kind"] == "core":
            return {"core": core}
        if argument["kind"] == "tensor":
            return self.number_of[self._key(core, argument)]
        key = self._key(core, argument, argument["rank"])
        if key not in self.number_of:
            refuse("E-NKI-034", f"rank {argument['rank']} does not declare the tensor {argument['name']} that rank {core // self.cores} writes")
        return self.number_of[key]

    def _tensor(self, rank, view):
        """The tensor behind a view of the rank's first program, or None if nothing uses it."""
        return self._held_by(rank * self.cores, view)

    def _held_by(self, core, view):
        for held, argument in zip(self.arguments[core], self.lowered[core]["arguments"]):
            if argument["kind"] == "tensor" and argument["storage"] == view.storage_id:
                return held
        return None

    def _first(self, rank):
        return self.programs[rank * self.cores]

    def _outputs(self):
        outputs = set()
        for rank, call in enumerate(self.calls):
            program = self._first(rank)
            for view in checked_outputs(program.returned, call.kernel):
                outputs.add(self._tensor(rank, view))
            for number, view in enumerate(program.inputs):
                tensor = self._tensor(rank, view)
                if tensor is not None and self.tensors[tensor]["written"]:
                    outputs.add(tensor)
                    self.in_place[rank][tensor] = call.inputs.arrays[number]
        outputs.update(self._held_by(core, kept) for core, program in enumerate(self.programs) for _, kept in program.prints)
        return outputs

    def _values(self, tensor):
        """The bytes with which a tensor begins, or None."""
        argument, encoded = tensor["argument"], self.calls[tensor["rank"]].encoded
        if argument["role"] == _tahoma.Role.constant:
            return argument["values"]
        if tensor["storage"] < len(encoded):  # inputs are declared first
            return encoded[tensor["storage"]][2]
        return None

    def write(self, folder, mode):
        outputs, entries = self._outputs(), []
        for n, tensor in enumerate(self.tensors):
            argument, data, file = tensor["argument"], self._values(tensor), None
            if data is not None and (mode == "functional" or "int" in argument["element"]):
                file = f"tensor{n}.bin"
                with open(os.path.join(folder, file), "wb") as out:
                    out.write(data)
            entries.append({"name": f"t{n}_{argument['argument']}", "dtype": argument["dtype"], "shape": argument["shape"],
                            "core": tensor["core"], "file": file, "input": data is not None, "output": n in outputs})
        self.names = [entry["name"] for entry in entries]
        programs = []
        for core, lowered in enumerate(self.lowered):
            file = f"program{core}.bin"
            with open(os.path.join(folder, file), "wb") as out:
                out.write(lowered["program"])
            programs.append({"file": file, "core": core, "arguments": self.arguments[core]})
        with open(os.path.join(folder, "bundle.json"), "w") as out:
            json.dump({"kernel": self.name, "programs": programs, "tensors": entries}, out)

    def returned(self, rank, values):
        """What a rank returned, as arrays, after the arrays that it wrote in place are updated. Without values, in timing mode, the
        returned arrays are zeros and nothing is updated."""
        arrays = {}
        if values is not None:
            for tensor, array in self.in_place[rank].items():
                arrays[tensor] = updated(array, self._array(tensor, values, array))
        like = next((a for a in self.calls[rank].inputs.arrays if hasattr(a, "detach")), None)

        def array_of(view):
            tensor = self._tensor(rank, view)
            if tensor not in arrays:
                arrays[tensor] = self._array(tensor, values, like)
            whole = arrays[tensor]
            return whole.reshape(tuple(view.shape)) if tuple(whole.shape) != tuple(view.shape) else whole

        returned = self._first(rank).returned
        if isinstance(returned, (tuple, list)):
            return type(returned)(array_of(view) for view in returned)
        return None if returned is None else array_of(returned)

    def print_values(self, values):
        """Prints what nl.device_print has kept, in the order of the cores. Timing mode has no values."""
        for core, program in enumerate(self.programs if values is not None else ()):
            for prefix, kept in program.prints:
                where = f" [core {core}]" if len(self.programs) > 1 else ""
                print(f"{prefix}{where} {kept.dtype}{list(kept.shape)}\n{self._array(self._held_by(core, kept), values, None)}")

    def with_names(self, finding):
        """A finding with the names of the tensors that have the bytes on chip that it names."""
        core = re.search(r"core(\d+)", finding)
        tensors = self.lowered[int(core[1]) % len(self.lowered) if core else 0]["tensors"]

        def named(found):
            memory, first, last, begin, end = found[1], int(found[2]), int(found[3]), int(found[4], 16), int(found[5], 16)
            names = [f"{name or 'the tensor'} of {os.path.basename(place)}" for name, kind, partition, byte, rows, size, place in tensors
                     if kind == memory and partition <= last and first < partition + rows and byte <= end and begin < byte + size and place]
            shown = " or ".join(dict.fromkeys(names[:4])) + (", ..." if len(names) > 4 else "")
            return found[0] + (f" ({shown})" if names else "")

        return _BYTES.sub(named, finding)

    def place_in_kernel(self, place):
        """"file:line" of an instruction that a program names, with the file as Python knows it; "" without any."""
        found = re.search(r" of (\S+):(\d+)$", place or "")
        files = [inspect.unwrap(call.kernel.function).__code__.co_filename for call in self.calls]
        return next((f"{file}:{found[2]}" for file in files if found and os.path.basename(file) == os.path.basename(found[1])), "")

    def _array(self, tensor, values, like):
        argument = self.tensors[tensor]["argument"]
        found = np.zeros(argument["shape"], np.float32) if values is None else values[self.names[tensor]]
        return dtypes.result_array(dtypes.encode(found, argument["element"]), argument["element"], argument["shape"], like)


def updated(array, new):
    """The caller's array with new values, or the new ones if it cannot be written."""
    if hasattr(array, "detach"):
        array.data.copy_(new.reshape(array.shape))
        return array
    new = np.asarray(new).reshape(array.shape)
    if not array.flags.writeable:
        return new
    array[...] = new.astype(array.dtype) if array.dtype.kind != "V" else np.frombuffer(new.tobytes(), array.dtype).reshape(array.shape)
    return array
