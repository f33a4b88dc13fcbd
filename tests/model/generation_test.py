#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tokens and logits of `tahoma model --weights` beside PyTorch: generation_test.py FAMILY --binary build/tahoma

The activations of the machine are rounded to bf16, those of PyTorch are double. ROUNDINGS counts the roundings that an element of the
logits passes on its way through a layer and the ends: norm, heads, rotation (two), probabilities, outputs of heads, projection,
residual, norm, gate, up, their product, down, residual; and the last norm; further ones are those of a family. Each is uniform in +-u of its element, u = 2^-8, so the
standard deviation of the sum is u sqrt(n / 3) of the logits' root mean square; DEVIATIONS of these are allowed, as the golden rule of the
workload allows. A seed is used only if no margin of PyTorch's choices is within twice this tolerance: such a choice would prove nothing.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import families

ROUNDINGS_OF_LAYER, ROUNDINGS_OF_ENDS, DEVIATIONS = 14, 1, 4
TOKENS, PROMPT = 32, [3, 141, 59, 26, 5, 358, 97, 93]


def tolerance(family, rms):
    of_layer, of_ends = family.roundings
    return DEVIATIONS * rms * 2**-8 * math.sqrt(((ROUNDINGS_OF_LAYER + of_layer) * family.layers + ROUNDINGS_OF_ENDS + of_ends) / 3)


def run(binary, folder, options):
    command = [binary, "model", str(folder), "--weights", str(folder), "--prompt-ids", ",".join(map(str, PROMPT)), "--generate",
               str(TOKENS), "--format", "json", "--out", str(folder / "out"), *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def suitable(family):
    for seed in range(20):
        weights = families.random_weights(family, seed)
        tokens, margins, last = families.greedy(family, weights, PROMPT, TOKENS)
        rms = float(last.square().mean().sqrt())
        if min(margins) > 2 * tolerance(family, rms):
            return weights, tokens, last, rms
    raise SystemExit("no seed has choices with enough margin")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family", choices=families.FAMILIES)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--option", action="append", default=[], help="of tahoma model")
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--plant", help="KEY=VALUE: tahoma gets another configuration than PyTorch, and the difference must be found")
    arguments = parser.parse_args()
    family = families.FAMILIES[arguments.family]
    weights, tokens, last, rms = suitable(family)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / family.name
        families.write_model(folder, family, weights, arguments.shards)
        if arguments.plant:
            key, value = arguments.plant.split("=")
            config = family.config() | {key: json.loads(value)}
            (folder / "config.json").write_text(json.dumps(config))
        made = run(arguments.binary, folder, arguments.option)
        got = np.load(folder / "out" / "generation" / f"step{TOKENS - 1:03}" / "run" / "logits.npy")[0]
    error = float(np.abs(got - last.numpy()).max())
    print(f"{family.name}: largest error {error / rms:.4f} of the root mean square, allowed {tolerance(family, rms) / rms:.4f}")
    if made["tokens"] != tokens:
        print(f"tokens differ: PyTorch {tokens}, tahoma {made['tokens']}")
    if arguments.plant:
        return error <= tolerance(family, rms)
    return made["tokens"] != tokens or error > tolerance(family, rms)


if __name__ == "__main__":
    sys.exit(main())
