#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts TTFT and TPOT of models whose measured times nobody looked at: predictions.py CONFIGURATIONS --binary build/tahoma --out FILE

CONFIGURATIONS has a folder with the public config.json of each model, by the names below. Each row of the table is one command; rows that
the table has already are kept. Measured times are kept elsewhere and fit nothing.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

# Folder, chips, LNC, type of the weights, tensor degree, batch, tokens of the prompt and of the context; the quickest to execute first.
ROWS = [
    ("Qwen--Qwen3-8B", 1, 2, "bf16", 4, 1, 1024, 1024),
    ("Qwen--Qwen3-8B", 1, 2, "bf16", 4, 16, 1024, 1024),
    ("openai--gpt-oss-120b", 4, 1, "bf16", 32, 1, 1024, 1024),
    ("Qwen--Qwen3.5-27B", 4, 2, "bf16", 8, 16, 1024, 1024),
    ("Qwen--Qwen3.5-122B-A10B", 4, 2, "bf16", 16, 16, 1024, 1024),
    ("mistralai--Mixtral-8x22B-v0.1", 16, 2, "bf16", 16, 16, 1024, 1024),
    ("deepseek-ai--DeepSeek-V3", 16, 2, "fp8_e4m3", 64, 1, 1024, 1024),
    ("openai--gpt-oss-120b", 16, 1, "bf16", 32, 16, 1024, 1024),
    ("mistralai--Mixtral-8x22B-v0.1", 16, 2, "bf16", 64, 1, 1024, 1024),
    ("deepseek-ai--DeepSeek-V3", 16, 2, "fp8_e4m3", 64, 16, 1024, 1024),
    ("openai--gpt-oss-120b", 64, 1, "bf16", 32, 64, 1024, 1024),
    ("moonshotai--Kimi-K2-Instruct", 64, 2, "fp8_e4m3", 64, 64, 1024, 1024),
    ("zai-org--GLM-5-FP8", 64, 2, "fp8_e4m3", 64, 64, 1024, 1024),
    ("deepseek-ai--DeepSeek-V3", 64, 2, "fp8_e4m3", 128, 64, 1024, 1024),
]
NAMES = ("model", "chips", "lnc", "weights", "tensor", "batch", "prompt", "context", "layout", "ttft_ms", "tpot_ms")


def predict(binary, folder, row):
    model, chips, lnc, weights, tensor, batch, prompt, context = row
    with tempfile.TemporaryDirectory() as out:
        command = [binary, "model", str(folder / model), "--chips", str(chips), "--lnc", str(lnc), "--dtype", weights, "--batch", str(batch),
                   "--prompt", str(prompt), "--context", str(context), "--tensor", str(tensor), "--format", "json", "--jobs", "1", "--out",
                   str(pathlib.Path(out) / "out")]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            return (*map(str, row), "refused: " + " ".join(run.stderr.split()), "", "")
        made = json.loads(run.stdout)["layouts"][0]
    layout = f"tensor {made['tensor']} x data {made['data']}"
    return (*map(str, row), layout, f"{made['ttft_ns'] / 1e6:.4g}", f"{made['tpot_ns'] / 1e6:.4g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("configurations", type=pathlib.Path)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--only", default="", help="models whose name has this text")
    arguments = parser.parse_args()
    have = [tuple(row.values()) for row in csv.DictReader(arguments.out.open())] if arguments.out.exists() else []
    for row in ROWS:
        if arguments.only not in row[0] or any(old[:8] == tuple(map(str, row)) for old in have):
            continue
        have.append(predict(arguments.binary, arguments.configurations, row))
        print(*have[-1], flush=True)
        with arguments.out.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([NAMES, *have])
    return 0


if __name__ == "__main__":
    sys.exit(main())
