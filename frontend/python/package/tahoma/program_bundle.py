# SPDX-License-Identifier: Apache-2.0
"""The files that the workload `nki` runs: programs, tensors, values (frontend/nki/bundle/bundle.h), and the way back to arrays."""
import json
import os

import numpy as np

import _tahoma
from _tahoma import NkiTensor
from tahoma import dtypes, variables
from tahoma.errors import KernelError, refuse


def checked_outputs(returned, kernel):
    """The tensors that a kernel returns; the tensors must be in shared HBM."""
    tensors = []
    for value in returned if isinstance(returned, (tuple, list)) else [] if returned is None else [returned]:
        if not isinstance(value, NkiTensor):
            raise KernelError("E-NKI-033", variables.place_of_return(kernel.function),
                              f"kernel {kernel.__name__} returns {type(value).__name__} {value!r}; expected tensors in HBM")
        if str(value.buffer) != "shared_hbm":
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
        core = rank * self.cores
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
