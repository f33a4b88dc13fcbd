#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The scripts on a mocked machine: dpkg-query, apt-get, sudo, cmake and ctest are replaced by programs that
record their arguments."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]

STAND_INS = {
    # $STATE/installed has one package per line; $STATE/calls is the log.
    "dpkg-query": 'grep -qxF "${@: -1}" "$STATE/installed" && printf installed',
    "apt-get": 'echo "apt-get $*" >>"$STATE/calls"; '
               'for word in "$@"; do [[ $word == install ]] && seen=1; '
               '[[ -n ${seen-} && $word != -* && $word != install ]] && echo "$word" >>"$STATE/installed"; done; true',
    "sudo": '[[ $1 == -n ]] && shift; exec "$@"',
    "cmake": 'echo "cmake $*" >>"$STATE/calls"',
    "ctest": 'echo "ctest $*" >>"$STATE/calls"; exit "${CTEST_STATUS-0}"',
}


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        shutil.copytree(ROOT / "scripts", self.home / "checkout/scripts")
        (self.home / "bin").mkdir()
        for name, body in STAND_INS.items():
            self.executable(f"bin/{name}", body)
        self.executable("checkout/build/tahoma", 'echo "tahoma $*" >>"$STATE/calls"; exit 3')
        (self.home / "installed").write_text("", encoding="utf-8")
        (self.home / "calls").write_text("", encoding="utf-8")

    def executable(self, name, body):
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/usr/bin/env bash\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def script(self, name, *arguments, **environment):
        path = os.pathsep.join([str(self.home / "bin"), "/usr/bin", "/bin"])
        return subprocess.run([self.home / "checkout/scripts" / name, *arguments], capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL,
                              env={"PATH": path, "STATE": str(self.home), **environment})

    def calls(self, program=""):
        lines = (self.home / "calls").read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line.startswith(program)]

    def install_everything(self):
        self.assertEqual(self.script("setup", "--tests", "--bench", "--lint", "--browser").returncode, 0)
        (self.home / "calls").write_text("", encoding="utf-8")

    def test_setup_installs_what_is_missing_and_says_so(self):
        (self.home / "installed").write_text("g++\n", encoding="utf-8")
        result = self.script("setup")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("installing cmake", result.stderr)
        update, install = self.calls("apt-get")
        self.assertTrue(update.endswith("update"))
        self.assertIn("libsystemc-dev", install)
        self.assertNotIn("g++", install)

    def test_setup_twice_changes_nothing(self):
        self.install_everything()
        self.assertEqual(self.script("setup").returncode, 0)
        self.assertEqual(self.calls(), [])

    def test_no_install_fails_with_the_list(self):
        for name in ("setup", "run", "test"):
            with self.subTest(name):
                result = self.script(name, "--no-install")
                self.assertEqual(result.returncode, 1)
                self.assertIn("missing packages: g++ cmake", result.stderr)
                self.assertEqual(self.calls(), [])

    def test_running_needs_at_most_25_packages_and_no_test_tools(self):
        self.assertEqual(self.script("run").returncode, 3)
        install = self.calls("apt-get")[1]
        names = [word for word in install.partition("--no-install-recommends")[2].split()]
        self.assertLessEqual(len(names), 25)
        self.assertFalse({"python3-torch", "slurm-wlm", "python3-optuna", "catch2", "clang-tidy-14"} & set(names))
        self.assertNotIn("-DTAHOMA_TESTS=ON", self.calls("cmake --preset")[0])

    def test_tests_are_configured_by_the_script_that_runs_them(self):
        self.assertEqual(self.script("test").returncode, 0)
        self.assertIn("catch2", self.calls("apt-get")[1])
        self.assertIn("-DTAHOMA_TESTS=ON", self.calls("cmake --preset")[0])

    def test_setup_fails_when_a_package_stays_missing(self):
        self.executable("bin/apt-get", "exit 0")
        result = self.script("setup")
        self.assertEqual(result.returncode, 1)
        self.assertIn("still missing", result.stderr)

    def test_run_takes_the_main_job_unless_told(self):
        self.install_everything()
        self.assertEqual(self.script("run", "--seed", "7").returncode, 3)  # the script returns tahoma's status
        self.assertEqual(self.script("run", "--no-install", "a.yaml", "--set", "workload.m=1 2").returncode, 3)
        first, second = self.calls("tahoma")
        self.assertTrue(first.endswith("workloads/gemm/ultraserver.yaml --seed 7"), first)
        self.assertEqual(second, "tahoma run a.yaml --set workload.m=1 2")

    def test_test_fails_as_ctest_does_and_on_zero_tests(self):
        self.install_everything()
        self.assertEqual(self.script("test").returncode, 0)
        self.assertIn("--no-tests=error", self.calls("ctest")[0])
        self.assertIn("-LE slow|long", self.calls("ctest")[0])
        self.assertEqual(self.script("test", CTEST_STATUS="8").returncode, 8)
        self.assertEqual(self.script("test", "--long").returncode, 0)
        self.assertTrue(self.calls("ctest")[2].endswith("-LE slow"), self.calls("ctest")[2])

    def test_full_adds_the_sanitizers_and_the_slow_cases(self):
        self.install_everything()
        self.executable("checkout/scripts/lint", 'echo "lint $*" >>"$STATE/calls"')
        self.executable("checkout/tests/fuzz/parsers.py", 'echo "parsers.py $*" >>"$STATE/calls"')
        self.assertEqual(self.script("test", "--full").returncode, 0)
        release, asan = self.calls("ctest")
        self.assertNotIn("-LE", release)
        self.assertIn("build-asan", asan)
        self.assertEqual(self.calls("lint"), ["lint --no-install"])
        self.assertIn("--seconds 10", self.calls("parsers.py")[0])
        self.assertIn("-DTAHOMA_BENCH=ON", self.calls("cmake --preset release")[0])  # benchmarks compile
        self.assertEqual(self.script("test", "--full", CTEST_STATUS="8").returncode, 1)

    def test_the_python_package_is_an_option_of_setup_and_part_of_the_tests(self):
        wanted = {"python3-dev", "pybind11-dev", "python3-numpy"}
        self.assertEqual(self.script("setup").returncode, 0)
        self.assertFalse(wanted & set(self.calls("apt-get")[1].split()))
        self.assertEqual(self.script("setup", "--python").returncode, 0)
        self.assertEqual(wanted & set(self.calls("apt-get")[3].split()), wanted)
        self.assertEqual(self.script("test", "--no-install").returncode, 1)
        self.assertEqual(self.script("test").returncode, 0)
        self.assertIn("python3-pytest", self.calls("apt-get")[5].split())

    def test_unknown_arguments_are_refused(self):
        self.assertEqual(self.script("setup", "--bogus").returncode, 2)


if __name__ == "__main__":
    unittest.main()
