#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""An installed Tahoma is complete: the program finds its machines and runs its cases, a kernel in a separate project builds
against the package and is checked against its definition, and the Debian package holds the same files."""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
options = argparse.Namespace(build="", cmake="cmake", cpack="cpack")


def done(*words, **settings):
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **settings)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.home = pathlib.Path(folder.name)
        cls.prefix = cls.home / "prefix"
        done(options.cmake, "--install", options.build, "--prefix", cls.prefix)

    def run_case(self, program, case, *words, cwd):
        """Exit status and summary of a run that sees no checkout and no build tree."""
        result = subprocess.run([program, "run", case, *words, "--out", "out"], capture_output=True, text=True, check=False,
                                cwd=cwd, env={"PATH": "/usr/bin:/bin"})
        summary = cwd / "out/summary.json"
        return result, json.loads(summary.read_text(encoding="utf-8")) if summary.exists() else {}

    def folder(self, name):
        path = self.home / name
        path.mkdir()
        return path

    def test_the_program_runs_an_installed_case(self):
        cases = self.prefix / "share/tahoma/workloads"
        result, summary = self.run_case(self.prefix / "bin/tahoma", cases / "rope/halves.yaml", cwd=self.folder("run"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(summary["golden"]["checked"] and summary["golden"]["passed"])
        machines = sorted(path.name for path in (self.prefix / "share/tahoma/configs").iterdir())
        self.assertIn("trainium2_ultraserver.yaml", machines)

    def test_the_python_package_runs_an_installed_case_by_its_name(self):
        package = self.prefix / "lib/python3/dist-packages"
        if not list(package.glob("_tahoma.*")):
            self.skipTest("the Python package is not built")
        self.assertTrue((package / "tahoma/py.typed").is_file())
        program = ("import json, tahoma; run = tahoma.run('rope/halves', machine='trainium2_one_chip', out='out'); "
                   "sweep = tahoma.sweep({'workloads': 'rope/halves', 'axes': {'machine.chip.hbm.stacks': [2, 4]}}); "
                   "print(json.dumps([tahoma.__file__, run.manifest.command_line[0], run.golden.outcome, len(sweep.done), len(tahoma.cases())]))")
        cwd = self.folder("python")
        file, started, golden, points, cases = json.loads(done("/usr/bin/python3", "-B", "-c", program, cwd=cwd,
                                                               env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(package)}))
        self.assertEqual(file, str(package / "tahoma/__init__.py"))
        self.assertEqual(started, str(self.prefix / "bin/tahoma"))
        self.assertEqual((golden, points), ("passed", 2))
        installed = self.prefix / "share/tahoma/workloads"
        self.assertEqual(cases, sum(any(line.startswith(("kind:", "extends:")) for line in path.read_text(encoding="utf-8").splitlines())
                                    for path in installed.rglob("*.yaml")))
        self.assertEqual([path.name for path in cwd.iterdir()], ["out"])

    def project(self, name, change=lambda text: text):
        """The example own_kernel, copied out of the checkout, with `change` made to its source, built against the package."""
        source = self.home / name
        shutil.copytree(HERE.parents[1] / "examples/own_kernel", source)
        kernel = source / "scale_rows.cpp"
        kernel.write_text(change(kernel.read_text(encoding="utf-8")), encoding="utf-8")
        done(options.cmake, "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}",
             "-DCMAKE_BUILD_TYPE=Debug")
        done(options.cmake, "--build", source / "build")
        return source

    def test_a_kernel_outside_the_repository_runs_and_is_checked(self):
        source = self.project("right")
        program = source / "build/tahoma_scale_rows"
        result, summary = self.run_case(program, source / "scale_rows.yaml", "--check", "races,uninitialised", cwd=source)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertTrue(summary["golden"]["checked"] and summary["golden"]["passed"])
        self.assertEqual(summary["flops"]["useful"], 512 * 768)
        shipped, _ = self.run_case(program, self.prefix / "share/tahoma/workloads/rope/halves.yaml", "--mode", "timing", cwd=source)
        self.assertEqual(shipped.returncode, 0, shipped.stderr)

    def test_a_wrong_kernel_outside_the_repository_fails_its_check(self):
        source = self.project("wrong", lambda text: text.replace("isa::AluOp::kMult", "isa::AluOp::kAdd"))
        result, summary = self.run_case(source / "build/tahoma_scale_rows", source / "scale_rows.yaml", cwd=source)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertFalse(summary["golden"]["passed"])

    def test_the_debian_package_holds_what_is_installed(self):
        folder = self.folder("package")
        done(options.cpack, "-G", "DEB", "--config", pathlib.Path(options.build) / "CPackConfig.cmake", "-B", folder)
        (package,) = folder.glob("*.deb")
        done("dpkg-deb", "--extract", package, folder / "root")
        packed = {str(path.relative_to(folder / "root/usr")) for path in (folder / "root/usr").rglob("*") if path.is_file()}
        installed = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if path.is_file()}
        self.assertEqual(packed, installed)
        self.assertEqual(done("dpkg-deb", "--field", package, "Package").strip(), "tahoma")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--cpack", default="cpack")
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
