# SPDX-License-Identifier: Apache-2.0
"""The functions are annotated, the package says so to type checkers, and help() has a text for everything public."""
import importlib.util
import inspect
import pathlib
import subprocess
import sys

import pytest

import tahoma

PACKAGE = pathlib.Path(tahoma.__file__).resolve().parent
TYPED = ("api", "errors.py", "program.py", "results.py", "settings.py")

USE = """
import tahoma
run: tahoma.Run = tahoma.run("case.yaml", mode="timing", workload__m=3)
point: tahoma.Point = tahoma.sweep({"workloads": "case.yaml", "axes": {}}).front("x")[0]
reveal_type(run.time_ns)
tahoma.run("case.yaml", seed="three")
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """What mypy knows of NumPy takes it longest."""
    return tmp_path_factory.mktemp("mypy")


def mypy(cache, *words):
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("Debian's python3-mypy is not installed")
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", f"--cache-dir={cache}", "--follow-imports=silent", *map(str, words)],
                          capture_output=True, text=True, check=False)


def test_mypy_accepts_the_package(monkeypatch, cache):
    monkeypatch.setenv("MYPYPATH", str(PACKAGE.parent))
    done = mypy(cache, *(PACKAGE / name for name in TYPED))
    assert done.returncode == 0, done.stdout


def test_mypy_finds_a_wrong_use(monkeypatch, cache):
    monkeypatch.setenv("MYPYPATH", str(PACKAGE.parent))
    pathlib.Path("use.py").write_text(USE)
    done = mypy(cache, "use.py")
    assert 'Revealed type is "builtins.float"' in done.stdout
    assert [line.split(":")[1] for line in done.stdout.splitlines() if ": error:" in line] == ["6"], done.stdout


def test_the_package_is_marked_as_typed():
    assert (PACKAGE / "py.typed").is_file()


def test_everything_public_explains_itself():
    assert sorted(tahoma.__all__) == tahoma.__all__
    for name in tahoma.__all__:
        member = getattr(tahoma, name)
        assert inspect.getdoc(member), name
        if inspect.isfunction(member):
            assert member.__module__.startswith("tahoma") and inspect.signature(member).return_annotation is not inspect.Signature.empty, name
    for kind in (tahoma.Run, tahoma.Sweep, tahoma.Point):
        for name, member in vars(kind).items():
            if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                assert inspect.getdoc(member), f"{kind.__name__}.{name}"
