# SPDX-License-Identifier: Apache-2.0
"""What the tests share: small cases, and the check of an exception."""
import json
import subprocess

import pytest

import tahoma
from tahoma.program import program

# A GEMM so small that a run takes some 20 ms.
SMALL = {"kind": "gemm", "machine": "trainium2_one_chip", "mode": "timing", "workload": {"m": 128, "n": 512, "k": 256}}


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """Each test runs in a folder of its own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def small():
    return json.loads(json.dumps(SMALL))


# A Hugging Face configuration of a small model.
MODEL = {"architectures": ["LlamaForCausalLM"], "hidden_size": 512, "intermediate_size": 1024, "num_hidden_layers": 2, "num_attention_heads": 8,
         "num_key_value_heads": 4, "head_dim": 64, "vocab_size": 1000, "max_position_embeddings": 4096}


def has_command(name):
    return subprocess.run([program(), name, "--help"], capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="session")
def linked(tmp_path_factory):
    """A run with its report that takes many windows and uses links, made once."""
    return tahoma.run("collective/all_gather", mode="timing", out=tmp_path_factory.mktemp("runs") / "linked")


def command(*words, status=0, given=None):
    """The output of the command line, which the functions are compared with."""
    done = subprocess.run([program(), *map(str, words)], capture_output=True, text=True, check=False, input=given)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout, done.stderr


def refused(kind, code, function, *args, **kwargs):
    """The exception of a call, which must be of that class and have that code; its status is that of the class."""
    with pytest.raises(tahoma.Error) as caught:
        function(*args, **kwargs)
    error = caught.value
    assert type(error) is kind and error.code == code, repr(error)
    assert error.status == kind.status and error.code in str(error) and error.text in str(error)
    return error
