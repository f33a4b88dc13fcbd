#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`pip install .` into a virtual environment gives the program and the Python packages, complete in themselves, and uninstalling
them leaves nothing. The wheel takes a build that is there, so that nothing is compiled; nothing is downloaded."""

import argparse
import base64
import csv
import hashlib
import importlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = {"PATH": "/usr/bin:/bin"}
options = argparse.Namespace(build="")

KERNEL = '''
import json, sys
import numpy as np, nki, nki.isa as nisa, nki.language as nl, tahoma

@nki.jit
def double(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nisa.tensor_scalar(tile, tile, nl.multiply, 2.0)
    nl.store(out, tile)
    return out

x = np.arange(64 * 32, dtype=np.float32).reshape(64, 32)
equal = bool((double(x) == 2 * x).all()) and double(x.astype(nl.bfloat16)).dtype == nl.bfloat16
tahoma.configure(machine="mine")
double(x)
run = tahoma.run("rope/halves", mode="timing")
print(json.dumps([equal, tahoma.last().time_us > 0, run.manifest.command_line[0], nki.__file__, len(tahoma.cases())]))
'''


def done(*words, cwd=ROOT, status=0, **settings):
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, cwd=cwd, **settings)
    if result.returncode != status:
        raise AssertionError(f"{' '.join(map(str, words))} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def backend(call):
    """The result of a call of the build backend."""
    return done("/usr/bin/python3", "-B", "-c", f"import sys; sys.path.insert(0, 'scripts/wheel'); import tahoma_build; print(tahoma_build.{call})").splitlines()[-1]


def files_of(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


class Environment(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.home = pathlib.Path(folder.name)
        cls.venv = cls.home / "venv"
        done("/usr/bin/python3", "-m", "venv", "--system-site-packages", cls.venv)
        cls.empty = files_of(cls.venv)
        cls.pip("install", ".")
        cls.installed = files_of(cls.venv) - cls.empty

    @classmethod
    def pip(cls, command, *words, build="", venv=None, status=0):
        return done((venv or cls.venv) / "bin/python", "-m", "pip", "--disable-pip-version-check", "--no-cache-dir", command, "--no-index",
                    f"--config-settings=build-dir={build or options.build}", *words, status=status, env=ENVIRONMENT)

    def test_a_kernel_and_a_case_run_outside_the_checkout(self):
        work = self.home / "work"
        work.mkdir()
        # A preset beside the installed ones is found, so they are the ones that are read.
        preset = self.venv / "share/tahoma/configs/mine.yaml"
        preset.write_text("extends: trainium2_chip\n", encoding="utf-8")
        self.addCleanup(preset.unlink)
        (work / "kernel.py").write_text(KERNEL, encoding="utf-8")
        printed = done(self.venv / "bin/python", "kernel.py", cwd=work, env=ENVIRONMENT)
        equal, timed, program, package, cases = json.loads(printed.splitlines()[-1])
        self.assertTrue(equal and timed)
        self.assertEqual(program, str(self.venv / "bin/tahoma"))
        self.assertTrue(package.startswith(str(self.venv)), package)
        self.assertGreater(cases, 0)
        done(self.venv / "bin/tahoma", "run", self.venv / "share/tahoma/workloads/rope/halves.yaml", "--mode", "timing",
             cwd=work, env=ENVIRONMENT)

    def test_everything_that_the_program_reads_is_installed(self):
        shipped = {"configs": ("model/configs", "*.yaml"), "prices": ("report/cost/prices", "*.yaml"),
                   "cards": ("studies/cards/cards", "*.yaml"), "workloads/models": ("workloads/models", "*.json")}
        for installed, (source, pattern) in shipped.items():
            names = {str(path.relative_to(ROOT / source)) for path in (ROOT / source).rglob(pattern)}
            self.assertTrue(names)
            self.assertLessEqual({f"share/tahoma/{installed}/{name}" for name in names}, self.installed)
        unwanted = [name for name in self.installed if name.endswith((".h", ".a", ".cmake", ".cpp"))]
        self.assertFalse(unwanted, "files for kernels in C++ do not belong into a wheel")

    def test_versions_agree(self):
        project = re.search(r"VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8").partition("project(tahoma")[2])[1]
        shown = done(self.venv / "bin/python", "-c", "import importlib.metadata; print(importlib.metadata.version('tahoma'))", env=ENVIRONMENT)
        self.assertEqual(shown.strip(), project)
        self.assertEqual(done(self.venv / "bin/tahoma", "--version").strip(), f"tahoma {project}")

    def test_the_same_build_gives_the_same_wheel_whose_record_is_right(self):
        self.pip("wheel", "--no-deps", "--wheel-dir", self.home / "first", ".")
        (first,) = (self.home / "first").iterdir()
        (self.home / "second").mkdir()
        backend(f"build_wheel('{self.home / 'second'}', {{'build-dir': '{options.build}'}})")
        self.assertEqual((self.home / "second" / first.name).read_bytes(), first.read_bytes())
        with zipfile.ZipFile(first) as archive:
            (record,) = [name for name in archive.namelist() if name.endswith(".dist-info/RECORD")]
            rows = {name: (hashed, size) for name, hashed, size in csv.reader(io.StringIO(archive.read(record).decode()))}
            self.assertEqual(set(rows), set(archive.namelist()))
            for name in set(rows) - {record}:
                data = archive.read(name)
                self.assertEqual(rows[name], (digest(data), str(len(data))), name)

    def test_what_was_installed_can_be_uninstalled(self):
        other = self.home / "other"
        done("/usr/bin/python3", "-m", "venv", "--system-site-packages", other)
        before = files_of(other)
        for editable in ([], ["-e"]):
            self.pip("install", *editable, ".", venv=other)
            self.assertIn("1", done(other / "bin/python", "-c", "import nki, tahoma; print(1)", cwd=self.home, env=ENVIRONMENT))
            done(other / "bin/tahoma", "--version", cwd=self.home)
            done(other / "bin/python", "-m", "pip", "uninstall", "-y", "tahoma", env=ENVIRONMENT)
            self.assertEqual(files_of(other), before)

    def test_a_source_distribution_has_the_files_of_the_checkout(self):
        name = backend(f"build_sdist('{self.home}')")
        with tarfile.open(self.home / name) as archive:
            names = {member.partition("/")[2] for member in archive.getnames()}
        sys.path.insert(0, str(ROOT / "tests/dist"))
        repo = importlib.import_module("repo").Repo(ROOT)
        self.assertEqual(names, {*repo.files, "PKG-INFO"})

    def test_a_folder_that_is_no_build_is_refused_by_name(self):
        said = self.pip("wheel", "--no-deps", ".", build="nowhere", status=1)
        self.assertIn("build-dir=nowhere: expected a folder that CMake has configured", said)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
