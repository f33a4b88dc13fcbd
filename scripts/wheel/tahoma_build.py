# SPDX-License-Identifier: Apache-2.0
"""The build backend of `pip install .` (PEP 517 and 660). It builds with CMake, as scripts/run does, and packs what
`cmake --install` installs for users of the program. It needs Python's standard library only, and downloads nothing."""

import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib

from wheel_file import WheelFile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = pathlib.Path(sys._base_executable).resolve()  # the interpreter of a virtual environment is a link to this one
DEBIAN_PYTHON = pathlib.Path("/usr/bin/python3").resolve()
# pip hides the packages of the system by a PYTHONPATH. Compilers need their headers.
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def version():
    """The version of the project: CMakeLists.txt is the only place that states it."""
    return re.search(r"^project\(tahoma VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]


def called(*words):
    done = subprocess.run([str(word) for word in words], cwd=ROOT, env=CLEAN, check=False)
    if done.returncode != 0:
        sys.exit(f"tahoma: {words[0]} ended with status {done.returncode}. `scripts/setup --python` installs what the build needs.")


def numpy_requirement():
    """The versions of NumPy that the compiled element types work with: those of the headers at hand, and older ones."""
    done = subprocess.run([PYTHON, "-c", "import numpy; print(numpy.__version__)"], capture_output=True, text=True, env=CLEAN, check=False)
    if done.returncode != 0:
        sys.exit(f"tahoma: {PYTHON} has no NumPy, whose headers the build needs: expected Debian's python3-numpy "
                 "(`scripts/setup --python` installs it), or NumPy installed for this interpreter")
    return f"numpy >=1.24, <{int(done.stdout.partition('.')[0]) + 1}"


def build(settings):
    """Returns the folder of the build. `build-dir` names one that is complete; otherwise it is build/, or build-python/ for
    another interpreter than Debian's."""
    given = (settings or {}).get("build-dir")
    if given:
        folder = pathlib.Path(given).resolve()
        if not (folder / "cmake_install.cmake").is_file():
            sys.exit(f"tahoma: build-dir={given}: expected a folder that CMake has configured")
    else:
        preset = "release" if PYTHON == DEBIAN_PYTHON else "python"
        folder = ROOT / ("build" if preset == "release" else "build-python")
        called("bash", "-ec", 'source scripts/lib.sh; build "$1" tahoma_python -DTAHOMA_MODULES=all "-DPython3_EXECUTABLE=$2"', "build", preset,
               "/usr/bin/python3" if preset == "release" else PYTHON)
    if not list((folder / "python").glob("_tahoma.*")):
        sys.exit(f"tahoma: {folder} has no Python module: `scripts/setup --python` installs what building it needs")
    return folder


def metadata():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    rows = [("Metadata-Version", "2.1"), ("Name", project["name"]), ("Version", version()), ("Summary", project["description"]),
            ("License", project["license"]["text"]), *(("Classifier", text) for text in project["classifiers"]),
            ("Requires-Python", project["requires-python"]), ("Requires-Dist", numpy_requirement()),
            ("Description-Content-Type", "text/markdown")]
    return "".join(f"{key}: {value}\n" for key, value in rows) + "\n" + (ROOT / project["readme"]).read_text(encoding="utf-8")


def tag():
    """The interpreter, its ABI and the platform that the modules are compiled for."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def dist_info():
    """Name and text of the files that describe the distribution."""
    wheel = f"Wheel-Version: 1.0\nGenerator: tahoma_build\nRoot-Is-Purelib: false\nTag: {tag()}\n"
    return {"METADATA": metadata(), "WHEEL": wheel, "LICENSE": (ROOT / "LICENSE").read_text(encoding="utf-8")}


def wheel_file(folder):
    return WheelFile(pathlib.Path(folder), "tahoma", version(), tag())


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    folder = build(config_settings)
    with wheel_file(wheel_directory) as wheel, tempfile.TemporaryDirectory() as staged:
        called("cmake", "--install", folder, "--prefix", staged, "--component", "program", "--strip")
        wheel.add_installed(pathlib.Path(staged))
        wheel.finish(dist_info())
    return wheel.name


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel that refers to the build folder, whose Python packages are links to the sources."""
    folder = build(config_settings)
    with wheel_file(wheel_directory) as wheel:
        wheel.add("tahoma.pth", f"{folder / 'python'}\n".encode())
        wheel.add(wheel.data("scripts/tahoma"), f'#!/bin/sh\nexec "{folder / "tahoma"}" "$@"\n'.encode(), executable=True)
        wheel.finish(dist_info())
    return wheel.name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = pathlib.Path(metadata_directory) / f"tahoma-{version()}.dist-info"
    folder.mkdir()
    for name, text in dist_info().items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_sdist(sdist_directory, config_settings=None):
    """The files of the checkout, without what git ignores."""
    sys.path.insert(0, str(ROOT / "tests/dist"))
    from repo import Repo  # pylint: disable=import-outside-toplevel

    top = f"tahoma-{version()}"
    with tarfile.open(pathlib.Path(sdist_directory) / f"{top}.tar.gz", "w:gz") as archive, tempfile.TemporaryDirectory() as described:
        information = pathlib.Path(described) / "PKG-INFO"
        information.write_text(metadata(), encoding="utf-8")
        archive.add(information, f"{top}/PKG-INFO")
        for name in Repo(ROOT).files:
            archive.add(ROOT / name, f"{top}/{name}")
    return f"{top}.tar.gz"
