#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Weights that cannot be read are refused at their place, and nothing is written: bad_weights_test.py --binary build/tahoma"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import families

FAMILY = families.FAMILIES["qwen2"]
WEIGHTS = families.random_weights(FAMILY, 1)
Q = "model.layers.1.self_attn.q_proj.weight"


def whole(folder):
    families.write_model(folder, FAMILY, WEIGHTS)


def sharded(folder):
    families.write_model(folder, FAMILY, WEIGHTS, 3)


def index(folder, change):
    sharded(folder)
    path = folder / "model.safetensors.index.json"
    path.write_text(change(json.loads(path.read_text())))


def without_weights(folder):
    whole(folder)
    (folder / "model.safetensors").unlink()


def cut(folder):
    whole(folder)
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1000])


def without_tensor(folder):
    families.write_model(folder, FAMILY, {name: tensor for name, tensor in WEIGHTS.items() if name != Q})


def misshapen(folder):
    families.write_model(folder, FAMILY, {**WEIGHTS, Q: WEIGHTS[Q][:-1]})


def no_index(folder):
    index(folder, lambda json_index: "{")


def unnamed(folder):
    index(folder, lambda i: json.dumps({"weight_map": {n: f for n, f in i["weight_map"].items() if n != Q}}))


def outside(folder):
    index(folder, lambda i: json.dumps({"weight_map": {**i["weight_map"], Q: "../model.safetensors"}}))


def missing_shard(folder):
    sharded(folder)
    sorted(folder.glob("model-*.safetensors"))[0].unlink()


def mixture(folder):
    whole(folder)
    config = FAMILY.config()
    config.update(architectures=["MixtralForCausalLM"], num_local_experts=4, num_experts_per_tok=2)
    (folder / "config.json").write_text(json.dumps(config))


# The model, the error, and what its message names.
CASES = [(without_weights, "E-HFC-030", "model.safetensors"), (cut, "E-STF-006", "model.safetensors"),
         (without_tensor, "E-STF-003", Q), (misshapen, "E-STF-005", Q), (no_index, "E-HFC-030", "weight_map"),
         (unnamed, "E-HFC-030", Q), (outside, "E-HFC-030", "../model.safetensors"), (missing_shard, "E-STF-001", "model-"),
         (mixture, "E-HFC-030", "mixture")]


def problems(binary):
    for make, code, named in CASES:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            make(folder / "model")
            run = subprocess.run([binary, "model", "model", "--weights", "model", "--prompt-ids", "1,2,3,4,5,6,7,8", "--out", "out"],
                                 cwd=folder, capture_output=True, text=True)
            left = sorted(path.name for path in folder.iterdir())
            if run.returncode != 2 or f"error[{code}]" not in run.stderr or named not in run.stderr or run.stdout:
                yield f"{make.__name__}: expected {code} with {named}, got status {run.returncode}: {run.stdout}{run.stderr}"
            if left != ["model"]:
                yield f"{make.__name__}: left {left}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    found = list(problems(str(pathlib.Path(parser.parse_args().binary).resolve())))
    print("\n".join(found))
    sys.exit(bool(found))
