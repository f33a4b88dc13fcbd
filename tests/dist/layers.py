# SPDX-License-Identifier: Apache-2.0
"""The headers that each module may include. One row per module: the project headers and the libraries."""

import fnmatch
import re

SYSTEMC = ("systemc", "tlm", "tlm_utils/*", "tlm_core/*")

# Module: (project headers, libraries). The row of a file is that of the longest module that begins its path.
ROOMS = {
    "isa/": (("isa/*",), ("Eigen/*", "hwy/*")),
    "model/base/": (("model/base/*",), ("fmt/*",)),
    "model/check/": (("model/base/*", "isa/*", "model/check/*"), ("fmt/*",)),
    "model/sim/": (("model/base/*", "model/sim/*"), SYSTEMC + ("fmt/*", "xxhash.h")),
    "model/engine/": (("model/base/*", "model/sim/*", "model/check/*", "isa/*", "model/engine/*"), SYSTEMC + ("fmt/*",)),
    "model/memory/": (("model/base/*", "model/sim/*", "isa/*", "model/memory/*"), SYSTEMC + ("fmt/*", "sys/mman.h", "unistd.h")),
    "model/link/": (("model/base/*", "model/sim/*", "isa/*", "model/link/*"), SYSTEMC + ("fmt/*",)),
    "model/rtl/": (("model/base/*", "model/sim/*", "isa/*", "model/engine/*", "model/link/*", "model/rtl/*"),
                   SYSTEMC + ("fmt/*", "verilated*.h", "Vlink_port.h", "Vdma_ring.h", "array_sizes.inc")),
    "model/system/": (("model/*", "isa/*"), SYSTEMC + ("fmt/*", "built_modules.h")),
    "runtime/": (("runtime/*", "model/system/*", "model/base/*", "isa/*"),
                 ("fmt/*", "built_modules.h", "nlohmann/*", "CLI/*", "Eigen/*", "google/protobuf/*", "trace.pb.h", "chakra.pb.h", "muParser.h", "sqlite3.h", "zlib.h", "openssl/*.h", "sys/*.h", "unistd.h", "fcntl.h", "spawn.h", "dlfcn.h", "mpi.h")),
    "runtime/python/": (("runtime/*", "model/system/*", "model/base/*", "isa/*"), ("fmt/*", "pybind11/*", "Python.h", "numpy/*")),
    "workloads/": (("workloads/*", "runtime/*", "isa/*", "model/base/*", "model/system/machine_params.h"),
                   ("fmt/*", "Eigen/*", "built_modules.h")),
    "examples/": (("workloads/*", "runtime/*", "isa/*"), ("fmt/*",)),  # a user's project
}
# The only loader of YAML, which receives text.
YAML_LOADER = "model/base/loader/config_loader*.cpp"

# Above the model no file may include SystemC or a component, not even through another header, except
# parameters.
OUTSIDE_MODEL = ("runtime/", "workloads/")
INSIDES = ("model/sim/*", "model/engine/*", "model/memory/*", "model/link/*", "model/rtl/*")
PARAMETERS = "model/*_params.h"

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
STANDARD = re.compile(r"^(c?[a-z_0-9]+|(assert|errno|float|limits|math|signal|stddef|stdint|stdio|stdlib|string|time)\.h)$")


def includes(text):
    """(line number, header) of every #include."""
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start(2)) + 1, match.group(2)


def room_of(name):
    rooms = [room for room in ROOMS if name.startswith(room)]
    return max(rooms, key=len) if rooms else None


def is_standard(header):
    return header not in SYSTEMC and bool(STANDARD.match(header))


def allowed(name, header, project):
    own, libraries = ROOMS[room_of(name)]
    if header in project:
        return any(fnmatch.fnmatch(header, pattern) for pattern in own)
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


def findings(repo):
    found = []
    sources = [name for name in repo.matching(".h", ".cpp", ".inc", ".def") if room_of(name)]
    project = set(repo.matching(".h", ".inc", ".def"))
    for name in sources:
        for line, header in includes(repo.text(name)):
            if header not in project and any((name.rpartition("/")[0] + "/" + header) == other for other in project):
                found.append(f"{name}:{line}: '{header}' is named from its own folder; name it from the root")
            elif not allowed(name, header, project):
                found.append(f"{name}:{line}: {room_of(name)} may not include '{header}'")
        if name.startswith(OUTSIDE_MODEL) and (chain := leak(name, project, repo)):
            found.append(f"{name}: includes internals of the model: " + " -> ".join(chain))
    return found
