#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The program as a part of someone's supply chain: its bill of materials names every library, it is built with the usual hardening,
and it uses no network.

    supply_test.py --binary PATH_OF_TAHOMA --sbom PATH_OF_SCRIPT
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

arguments = argparse.Namespace()
NETWORK = {"socket", "connect", "bind", "listen", "accept", "getaddrinfo", "gethostbyname", "sendto", "recvfrom"}


def told(*words, **settings):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True, **settings).stdout


def source_of(package):
    return told("dpkg-query", "-W", "-f=${source:Package}", package)


class Bill(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bill = json.loads(told(arguments.sbom, "--program", arguments.binary))
        cls.packages = {package["name"]: package for package in cls.bill["packages"]}

    def test_names_every_library_that_is_linked(self):
        needed = re.findall(r"NEEDED.*\[(.+)\]", told("readelf", "-d", arguments.binary))
        self.assertGreater(len(needed), 5)
        listed = " ".join(package.get("comment", "") for package in self.packages.values())
        self.assertEqual([name for name in needed if name not in listed], [])

    def test_names_every_package_that_the_build_installs(self):
        library = pathlib.Path(arguments.sbom).parent / "lib.sh"
        built_from = set(told("bash", "-c", 'source "$0" && packages "$(this_system)" build', library).split())
        tools = {"g++", "cmake", "ninja-build", "pkgconf", "protobuf-compiler"}  # leave nothing in the program but code they generate
        # The headers of a library are another package of the same source.
        sources = {source_of(name) for name in self.packages if name != "tahoma"}
        missing = [name for name in sorted(built_from - tools) if source_of(name) not in sources]
        self.assertEqual(missing, [])

    def test_gives_each_package_a_version_and_licences(self):
        for name, package in self.packages.items():
            self.assertTrue(package["versionInfo"], name)
            self.assertNotEqual(package.get("licenseComments", ""), "NOASSERTION", name)

    def test_is_the_same_twice(self):
        self.assertEqual(self.bill, json.loads(told(arguments.sbom, "--program", arguments.binary)))

    def test_refuses_what_is_no_program(self):
        done = subprocess.run([arguments.sbom, "--program", "/nowhere"], capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("does not exist", done.stderr)


class Hardening(unittest.TestCase):
    def test_is_position_independent_with_read_only_relocations_and_no_executable_stack(self):
        header, segments = told("readelf", "-h", arguments.binary), told("readelf", "-lW", arguments.binary)
        self.assertIn("Position-Independent Executable", header)
        self.assertIn("GNU_RELRO", segments)
        self.assertRegex(segments, r"GNU_STACK .* RW ")
        self.assertRegex(told("readelf", "-d", arguments.binary), r"BIND_NOW|FLAGS.*NOW")


class Network(unittest.TestCase):
    def test_the_program_calls_no_function_of_the_network(self):
        symbols = {line.split()[-1].split("@")[0] for line in told("nm", "-D", "--undefined-only", arguments.binary).splitlines()}
        self.assertIn("write", symbols)
        self.assertEqual(symbols & NETWORK, set())

    def test_a_run_is_the_same_in_a_namespace_without_a_network(self):
        prefix = ["unshare", "--map-root-user", "--net"]
        if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("this user may not make a namespace")
        with tempfile.TemporaryDirectory() as name:
            (pathlib.Path(name) / "case.yaml").write_text("kind: rope\nmachine: trainium2_one_chip\n", encoding="utf-8")
            words = [os.path.abspath(arguments.binary), "run", "case.yaml", "--out", "out"]
            self.assertEqual(told(*words, cwd=name), told(*prefix, *words, cwd=name))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--sbom", required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
