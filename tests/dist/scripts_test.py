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
    "dpkg-query": 'while read -r name; do for word in "$@"; do [[ $word != "$name" ]] || printf "installed=%s " "$name"; done; '
                  'done <"$STATE/installed"; exit 1',  # as if others were unknown
    "apt-get": 'echo "apt-get $*" >>"$STATE/calls"; '
               'for word in "$@"; do [[ $word == install ]] && seen=1; '
               '[[ -n ${seen-} && $word != -* && $word != install ]] && echo "$word" >>"$STATE/installed"; done; true',
    "sudo": '[[ $1 == -n ]] && shift; exec "$@"',
    "cmake": '[[ $1 != --version ]] || { echo "cmake version ${CMAKE_VERSION-3.25.1}" && exit; }; '
             'echo "cmake $*" >>"$STATE/calls"; [[ $1 != --build || ! -f $STATE/full ]]',
    "df": '[[ ! -f $STATE/full ]] || { printf "Avail\\n  12M\\n" && exit; }; printf "Avail\\n99999M\\n"',
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
                              env={"PATH": path, "STATE": str(self.home), "TAHOMA_SYSTEM": "bookworm", **environment})

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

    def test_every_package_has_a_purpose_and_a_name_on_every_system(self):
        lines = (ROOT / "scripts/packages.txt").read_text(encoding="utf-8").splitlines()
        first, *rows = [[column.strip() for column in line.split("|")] for line in lines if not line.startswith("#")]
        self.assertEqual(first[:2], ["for", "purpose"])
        for row in rows:
            self.assertEqual(len(row), len(first), row)
            self.assertTrue(all(row), row)
            self.assertNotEqual(row[2], "=", row)
        for system in first[2:]:
            self.assertEqual(self.script("setup", "--tests", TAHOMA_SYSTEM=system).returncode, 0)
            wanted = set()
            for row in rows:
                if {"build", "test"} & set(row[0].split(",")):
                    name = next(name for name in row[first.index(system):1:-1] if name != "=")
                    wanted |= set(name.split()) - {"-"}
            self.assertEqual(set((self.home / "installed").read_text(encoding="utf-8").split()), wanted)
            (self.home / "installed").write_text("", encoding="utf-8")

    def test_a_system_without_a_column_is_told_what_is_needed_and_why(self):
        for name in ("setup", "run", "test"):
            with self.subTest(name):
                result = self.script(name, TAHOMA_SYSTEM="Fedora Linux 41")
                self.assertEqual(result.returncode, 1)
                self.assertIn("'Fedora Linux 41' is not a system of scripts/packages.txt", result.stderr)
                self.assertIn("configuration files: yaml-cpp 0.7 or 0.8: libyaml-cpp-dev", result.stderr)
                self.assertIn("cmake --preset release", result.stderr)
                self.assertEqual(name == "test", "Catch2" in result.stderr)
                self.assertEqual(self.calls(), [])

    def test_without_a_network_the_missing_packages_are_named_and_present_ones_suffice(self):
        self.executable("bin/apt-get", 'echo "apt-get $*" >>"$STATE/calls"; exit 100')
        result = self.script("run")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, "apt-get could not install g[+][+] cmake .*: see above. It needs a network")
        self.assertEqual(self.calls("cmake"), [])
        names = subprocess.run(["bash", "-c", f"source {ROOT}/scripts/lib.sh; packages bookworm build"], capture_output=True,
                               text=True, check=True).stdout
        (self.home / "installed").write_text(names, encoding="utf-8")
        (self.home / "calls").write_text("", encoding="utf-8")
        self.assertEqual(self.script("run").returncode, 3)
        self.assertEqual(self.calls("apt-get"), [])

    def test_a_cmake_that_is_too_old_is_named_with_the_remedy(self):
        self.install_everything()
        result = self.script("run", CMAKE_VERSION="3.16.3")
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"{self.home}/bin/cmake is version 3.16.3; Tahoma needs CMake 3.22 or later", result.stderr)
        self.assertEqual(self.calls(), [])

    def test_a_full_disk_is_named_and_a_second_call_continues(self):
        self.install_everything()
        (self.home / "full").touch()
        result = self.script("run")
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"little space is left in {self.home}/checkout/build (12 MB)", result.stderr)
        self.assertIn("a second call continues", result.stderr)
        self.assertEqual(self.calls("tahoma"), [])
        (self.home / "full").unlink()
        self.assertEqual(self.script("run").returncode, 3)
        self.assertEqual(self.calls("cmake --build")[0], self.calls("cmake --build")[1])

    def test_warnings_are_errors_only_where_asked(self):
        self.install_everything()
        self.assertEqual(self.script("test").returncode, 0)
        self.assertEqual(self.script("test", "--werror").returncode, 0)
        plain, strict = self.calls("cmake --preset")
        self.assertNotIn("TAHOMA_WERROR=ON", plain)
        self.assertTrue(strict.endswith("-DTAHOMA_WERROR=ON"), strict)
        self.assertIn("--werror", (ROOT / ".ci/run").read_text(encoding="utf-8"))

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

    def test_a_suite_without_a_column_is_refused_before_anything_is_installed(self):
        for name, suite in (("cold", "sarge"), ("other_builds", "sarge"), ("other_builds", "sarge/g++-13")):
            result = self.script(name, "--suite", suite)
            self.assertEqual(result.returncode, 1)
            self.assertIn("unknown suite 'sarge'; expected a system of scripts/packages.txt", result.stderr)
            self.assertEqual(self.calls(), [])

    def test_an_output_that_exceeds_a_limit_is_marked(self):
        for files, size, status in ((8, 100, 0), (9, 100, 1), (2, 4_000_000, 1)):
            self.executable("stand_in/tahoma", 'mkdir "${@: -1}"; '
                            f'for n in $(seq {files}); do head -c {size} /dev/zero >"${{@: -1}}/$n"; done')
            result = self.script("output_sizes", "--tahoma", str(self.home / "stand_in/tahoma"), "--output", "main job")
            self.assertEqual(result.returncode, status, result.stdout + result.stderr)
            self.assertEqual("exceeds the limit" in result.stdout, status == 1)
            self.assertIn(f"| main job | {files} | {files * size / 1e3:.1f} |", result.stdout)

    def test_unknown_arguments_are_refused(self):
        self.assertEqual(self.script("setup", "--bogus").returncode, 2)


if __name__ == "__main__":
    unittest.main()
