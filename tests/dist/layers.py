# SPDX-License-Identifier: Apache-2.0
"""The headers that each room and each folder of a room may include."""

import fnmatch
import re

from repo import ROOMS as IN_ORDER

SYSTEMC = ("systemc", "tlm", "tlm_utils/*", "tlm_core/*")
HOST = ("sys/*.h", "unistd.h", "fcntl.h", "spawn.h", "dlfcn.h")

PARAMETERS = "model/*_params.h"

# Room: (headers of other rooms, libraries). The row of a file is that of the longest room that begins its path. The rooms above
# the model stand in their order: none may include one that follows it.
ROOMS = {
    "isa/": ((), ("Eigen/*", "hwy/*")),
    "model/base/": ((), ("fmt/*",)),
    "model/check/": (("model/base/*", "isa/*"), ("fmt/*",)),
    "model/sim/": (("model/base/*",), SYSTEMC + ("fmt/*", "xxhash.h")),
    "model/engine/": (("model/base/*", "model/sim/*", "model/check/*", "isa/*"), SYSTEMC + ("fmt/*",)),
    "model/memory/": (("model/base/*", "model/sim/*", "isa/*"), SYSTEMC + ("fmt/*", "sys/mman.h", "unistd.h")),
    "model/link/": (("model/base/*", "model/sim/*", "isa/*"), SYSTEMC + ("fmt/*",)),
    "model/rtl/": (("model/base/*", "model/sim/*", "isa/*", "model/engine/*", "model/link/*"),
                   SYSTEMC + ("fmt/*", "verilated*.h", "Vlink_port.h", "Vdma_ring.h", "array_sizes.inc")),
    "model/system/": (("model/*", "isa/*"), SYSTEMC + ("fmt/*", "built_modules.h")),
    "runtime/": (("model/system/*", "model/base/*", "isa/*"),
                 HOST + ("fmt/*", "nlohmann/*", "Eigen/*", "sqlite3.h", "openssl/*.h", "mpi.h")),
    "report/": (("runtime/*", "model/system/*", "model/base/*", "isa/*"),
                HOST + ("fmt/*", "nlohmann/*", "google/protobuf/*", "trace.pb.h", "chakra.pb.h", "zlib.h")),
    "workloads/": (("runtime/*", "isa/*", "model/base/*", PARAMETERS), ("fmt/*", "Eigen/*")),
    "frontend/": (("workloads/*", "runtime/*", "model/system/*", "model/base/*", "isa/*"),
                  HOST + ("fmt/*", "nlohmann/*", "google/protobuf/*", "onnx_model.pb.h")),
    "frontend/python/": (("frontend/nki/*", "runtime/*", "model/system/*", "model/base/*", "isa/*"),
                         HOST + ("fmt/*", "nlohmann/*", "pybind11/*", "Python.h", "numpy/*")),
    "studies/": (("frontend/*", "workloads/*", "report/*", "runtime/*", "model/system/*", "model/base/*", "isa/*"),
                 HOST + ("fmt/*", "nlohmann/*", "Eigen/*", "muParser.h")),
    "cli/": (("studies/*", "frontend/*", "workloads/*", "report/*", "runtime/*", "model/system/*", "model/base/*", "isa/*"),
             HOST + ("fmt/*", "nlohmann/*", "CLI/*", "built_modules.h")),
    "examples/": (("cli/kinds/registry.h", "workloads/*", "runtime/*", "isa/*"), ("fmt/*",)),  # a user's project
}

# Folder: the other folders of its room that it includes, below the room's own ("." is the room itself). Others may not be included.
ROWS = """
cli: options reference
cli/program: .
cli/run: . nki options
frontend/graph/compile: graph/expand graph/fuse graph/lower graph/model graph/operators graph/table
frontend/graph/expand: graph/operators
frontend/graph/fuse: graph/lower graph/operators graph/table
frontend/graph/lower: graph/operators
frontend/graph/operators: graph/model
frontend/graph/table: graph/expand graph/lower graph/operators
frontend/graph/workload: graph/compile graph/model
frontend/nki/lower: nki/lower/memory nki/lower/order nki/record
frontend/nki/lower/memory: nki/record
frontend/nki/lower/order: nki/lower/memory nki/record
frontend/nki/workload: nki/bundle nki/lower
frontend/program: nki/bundle
isa/binary: core table
isa/semantics: core semantics/arithmetic simd table
isa/semantics/arithmetic: core simd table
isa/simd: core
isa/table: core
isa/text: core table validate
isa/validate: core semantics/arithmetic simd table
model/base/loader: .
model/base/topology: .
model/engine/dma: . dma/transfer params ports
model/engine/dma/transfer: . ports
model/engine/pipeline: dma dma/transfer params ports sequencer
model/engine/sequencer: dma/transfer params ports
model/link/flits: .
model/memory/banks: dram hbm
model/memory/foreign: hbm
model/memory/hbm: dram
model/memory/scratchpad: hbm
model/rtl/array: .
model/rtl/blocks: array link ring
model/rtl/link: .
model/rtl/ring: .
model/system: folding machine netlist parallel
model/system/folding: machine
model/system/machine: area energy parallel
model/system/netlist: folding machine parallel statistics
model/system/statistics: folding machine
report/area: cost energy tables text
report/checkpoint: memory
report/cost: tables text
report/energy: files regions tables text
report/execution_trace: regions
report/files: memory tables text
report/lines: path regions tables text
report/links: tables text
report/memory: tables text
report/page: energy lines links simulation store summary tables text
report/path: text
report/reference: area cost energy files lines links memory path summary tables
report/regions: files tables text
report/run: checkpoint cost energy execution_trace files lines links memory page simulation store summary tables trace
report/simulation: checkpoint energy files lines memory path summary timeline trace
report/summary: area cost energy files lines links memory path regions tables text
report/trace: memory text
runtime/collective/algorithm: collective/schedule
runtime/collective/cost: collective/algorithm collective/schedule
runtime/collective/lowering: builder collective/algorithm collective/cost collective/schedule host run
runtime/collective/result: collective/cost collective/lowering collective/schedule
runtime/collective/schedule: builder golden
runtime/config: host/text workload
runtime/golden: run
runtime/host: host/json host/signals host/text
runtime/host/json: host/text
runtime/host/output: host host/json host/signals host/text
runtime/host/tables: host/text
runtime/mpi: host
runtime/run: host
runtime/workload: collective/result golden run
studies/cards: model model/config model/layout
studies/chakra: batch serving/input
studies/cluster: cluster/results
studies/cluster/input: cluster/faults model model/config
studies/cluster/results: cards cluster/faults cluster/step
studies/cluster/step: batch cards cluster/input model model/kept
studies/model: batch model/config model/kept model/layout
studies/model/kept: batch sweep/execution
studies/model/results: model/config model/kept model/search sweep sweep/results
studies/model/search: model model/config model/layout
studies/model/server: model
studies/serving: serving/input serving/results serving/simulation serving/steps
studies/serving/results: serving/input serving/simulation serving/steps
studies/serving/simulation: serving/input serving/steps
studies/serving/steps: serving/input
studies/sweep: batch sweep/execution sweep/results sweep/spec
studies/sweep/execution: batch sweep/spec
studies/sweep/results: batch sweep/execution sweep/spec
studies/validation: validation/accuracy validation/regression
studies/validation/accuracy: validation/accuracy/tables whatif
studies/validation/regression: validation/regression/differences validation/regression/values
workloads/attention: attention/golden common
workloads/attention/backward: attention attention/golden common
workloads/attention/golden: common
workloads/collective: common
workloads/convolution: common
workloads/decode: common
workloads/delta: common
workloads/embedding: common
workloads/gemm: common gemm/kernel
workloads/gemm/kernel: common
workloads/loss: common
workloads/mlp: common norm
workloads/moe: common gemm
workloads/norm: common
workloads/optimizer: common
workloads/quantise: common norm
workloads/reduction: common norm
workloads/rms_norm: common norm vector_add
workloads/rope: common
workloads/training: training/case training/definition training/step transformer transformer/partition
workloads/training/case: common optimizer transformer/layer transformer/partition
workloads/training/definition: common training/case transformer/layer
workloads/training/step: attention/backward gemm/kernel loss mlp norm training/case transformer/layer transformer/partition transformer/phases
workloads/transformer: transformer/decode transformer/experts transformer/layer transformer/partition transformer/phases transformer/prefill
workloads/transformer/decode: common delta transformer/delta transformer/experts transformer/layer transformer/partition transformer/phases transformer/vocabulary
workloads/transformer/delta: delta transformer/layer
workloads/transformer/experts: common moe transformer/layer transformer/partition
workloads/transformer/inputs: common transformer/layer
workloads/transformer/layer: attention common decode gemm/kernel mlp norm rms_norm rope transformer/partition
workloads/transformer/partition: attention common decode delta moe
workloads/transformer/phases: transformer/experts transformer/layer transformer/partition transformer/vocabulary
workloads/transformer/prefill: common delta transformer/delta transformer/experts transformer/layer transformer/partition transformer/phases transformer/vocabulary
workloads/transformer/vocabulary: common moe transformer/layer
workloads/transpose: common
workloads/vector_add: common
"""

# The only loader of YAML, which receives text.
YAML_LOADER = "model/base/loader/config_loader*.cpp"

# Above the model no file may include SystemC or a component, not even through another header, except
# parameters.
OUTSIDE_MODEL = IN_ORDER[2:]
INSIDES = ("model/sim/*", "model/engine/*", "model/memory/*", "model/link/*", "model/rtl/*")

# Module of the program (scripts/cmake/tahoma_modules.cmake): the headers of what is compiled only with it.
MODULES = {
    "kernels": ("workloads/*", ("workloads/collective/*", "workloads/common/*", "workloads/gemm/*")),
    "nki": ("frontend/*", ()),
    "studies": ("studies/*", ("studies/batch/*", "studies/whatif/*", "studies/validation/regression/differences/*")),
}
OMITTED = re.compile(r"^set\((\w+)\s([^)]*)\)", re.MULTILINE)

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
STANDARD = re.compile(r"^(c?[a-z_0-9]+|(assert|errno|float|limits|math|signal|stddef|stdint|stdio|stdlib|string|time)\.h)$")


def includes(text):
    """(line number, header) of every #include."""
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start(2)) + 1, match.group(2)


def room_of(name):
    rooms = [room for room in ROOMS if name.startswith(room)]
    return max(rooms, key=len) if rooms else None


def folders():
    """{folder: the other folders of its room that it may include}"""
    table = {}
    for row in filter(None, ROWS.splitlines()):
        folder, _, others = row.partition(": ")
        room = room_of(folder + "/")
        table[folder] = [(room + other).removesuffix("/.") for other in others.split()]
    return table


FOLDERS = folders()


def is_standard(header):
    return header not in SYSTEMC and bool(STANDARD.match(header))


def folder_of(name):
    return name.rpartition("/")[0]


def allowed(name, header, project):
    others, libraries = ROOMS[room_of(name)]
    if header in project and room_of(header) == room_of(name):
        return folder_of(header) in [folder_of(name), *FOLDERS.get(folder_of(name), [])]
    if header in project:
        return any(fnmatch.fnmatch(header, pattern) for pattern in others)
    if header.startswith("yaml-cpp/"):
        return fnmatch.fnmatch(name, YAML_LOADER)
    return is_standard(header) or any(fnmatch.fnmatch(header, pattern) for pattern in libraries)


def leak(name, project, repo):
    """The chain of headers through which `name` includes SystemC or the internals of a component, or None."""
    seen, queue = {name}, [(name,)]
    while queue:
        chain = queue.pop(0)
        for _, header in includes(repo.text(chain[-1])):
            inside = any(fnmatch.fnmatch(header, pattern) for pattern in INSIDES)
            if header in SYSTEMC or (inside and not fnmatch.fnmatch(header, PARAMETERS)):
                return chain + (header,)
            if header in project and header not in seen:
                seen.add(header)
                queue.append(chain + (header,))
    return None


def of_missing_modules(repo, project):
    """Files of cli/ that are compiled without a module and include its headers; a program without the module would not link. Tables
    that refer to it by TAHOMA_MODULE_PART include built_modules.h and are left out."""
    lists = repo.text("cli/CMakeLists.txt") if "cli/CMakeLists.txt" in repo.files else ""
    omitted = {module: files.split() for module, files in OMITTED.findall(lists)}
    found = []
    for name in repo.matching(".cpp", under="cli/"):
        headers = [header for _, header in includes(repo.text(name))]
        for module, (inside, outside) in MODULES.items():
            if "built_modules.h" in headers or any(f"cli/{file}" in (name, folder_of(name) + "/") for file in omitted.get(module, ())):
                continue
            found += [f"{name}: includes '{header}' of the module {module} and is compiled without it; see cli/CMakeLists.txt"
                      for header in headers if header in project and fnmatch.fnmatch(header, inside)
                      and not any(fnmatch.fnmatch(header, pattern) for pattern in outside)]
    return found


def cycle():
    """Folders of FOLDERS that include each other, directly or through others; [] if there are none."""
    left = {folder: set(others) & set(FOLDERS) for folder, others in FOLDERS.items()}
    while free := [folder for folder, others in left.items() if not others & set(left)]:
        for folder in free:
            del left[folder]
    return sorted(left)


def unused(repo):
    """Rows of FOLDERS, or parts of them, that no file needs."""
    project = set(repo.matching(".h", ".inc", ".def"))
    used = {}
    for name in project | set(repo.matching(".cpp")):
        used.setdefault(folder_of(name), set()).update(folder_of(header) for _, header in includes(repo.text(name)) if header in project)
    return [f"tests/dist/layers.py: {folder} includes nothing of {other}; remove it from the row"
            for folder, others in FOLDERS.items() for other in others if other not in used.get(folder, ())]


def findings(repo):
    circle = cycle()
    found = [f"tests/dist/layers.py: these folders include each other: {', '.join(circle)}"] if circle else []
    sources = [name for name in repo.matching(".h", ".cpp", ".inc", ".def") if room_of(name)]
    project = set(repo.matching(".h", ".inc", ".def"))
    for name in sources:
        for line, header in includes(repo.text(name)):
            if header not in project and f"{folder_of(name)}/{header}" in project:
                found.append(f"{name}:{line}: '{header}' is named from its own folder; name it from the root")
            elif not allowed(name, header, project):
                found.append(f"{name}:{line}: {folder_of(name)} may not include '{header}'")
        if name.startswith(OUTSIDE_MODEL) and (chain := leak(name, project, repo)):
            found.append(f"{name}: includes internals of the model: " + " -> ".join(chain))
    return found + of_missing_modules(repo, project)
