#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random inputs of the commands that compose executed times: training clusters, servers, execution traces, and models.

    compositions.py --binary PATH [--cases N] [--seed S] [--command cluster|serve|chakra|model]...

A case passes if the command ends with exit status 0, every number of its summary is finite, its laws hold and a second run
writes the same bytes; or if it ends with 2 or 3 and an error code. A command of which most cases are refused is a finding.
Laws: a cluster's shares of time add up to all of it, and none is below 0; a server finishes every request, and percentiles
ascend; a replay takes at least the computations of each rank, and the times of a rank add up to the replay's.
"""

import argparse
import collections
import csv
import json
import math
import pathlib
import random
import re
import shlex
import sys
import tempfile

import chakra_traces
import legal_values
import workloads

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_REFUSED = 0.7  # share of the cases of a command


def random_settings(rng, parameters, most, skipped=()):
    """Legal values of up to `most` parameters."""
    rows = [row for path, row in parameters.items() if not path.startswith(skipped)]
    chosen = rng.sample(rows, rng.randint(0, min(most, len(rows))))
    values = ((row["path"], legal_values.value(rng, row, rng.choice([None, 10]))) for row in chosen)
    return {path: value for path, value in values if value is not None}


def cluster(rng, folder, parameters):
    degrees = {name: 2 ** rng.randint(0, most) for name, most in (("tensor", 4), ("context", 1), ("pipeline", 4))}
    replicas, micro = rng.choice([1, 2, 3, 8, 40]), rng.choice([1, 1, 2])
    chips = math.prod(degrees.values()) * replicas
    schedule = rng.choice(["gpipe", "1f1b", "interleaved", "zero_bubble"])
    job = {**degrees, "schedule": schedule, "virtual_stages": rng.choice([2, 2, 4]) if schedule == "interleaved" else 1,
           "micro_batch": micro, "global_batch": replicas * micro * degrees["pipeline"] * rng.randint(1, 6),
           "sequence": rng.choice([512, 4096, 8192]), "tokens": rng.choice(["1e9", "1e13"]),
           "model": rng.choice(sorted((ROOT / "workloads/models").glob("*.json")))}
    settings = {f"cluster.job.{name}": value for name, value in job.items()}
    settings.update({"cluster.fleet.chips": chips, "cluster.times.card": rng.choice(["trainium2", "h100", "trainium3"])})
    settings.update(random_settings(rng, parameters, 4, ("cluster.job", "cluster.fleet.chips", "cluster.times.source")))
    file = folder / "case.yaml"
    file.write_text("cluster:\n  title: random\n", encoding="utf-8")
    return ["cluster", str(file)], settings, {}


def serve(rng, folder, parameters):
    file = folder / "case.yaml"
    file.write_text(f"serving:\n  title: random\n  steps: {ROOT}/workloads/serving/steps.csv\n", encoding="utf-8")
    poisson = {"rate": rng.choice([0.1, 2, 8, 1000]), "requests": rng.randint(1, 300), "prompt.min": 128,
               "prompt.max": rng.choice([128, 1500, 3072]), "prompt.value": rng.choice([128, 1000, 1500]),
               "output.max": rng.choice([1, 2, 100, 1024]), "output.value": rng.choice([1, 2, 300])}
    for tokens in ("prompt", "output"):
        poisson[f"{tokens}.distribution"] = rng.choice(["constant", "uniform", "lognormal", "geometric"])
    settings = {f"serving.requests.poisson.{name}": value for name, value in poisson.items()}
    # Executed are prefills of 128 to 4096 tokens without context, and decoding steps of up to 64 sequences.
    settings.update({"serving.server.prefill": "whole", "serving.server.max_tokens": 4096, "serving.server.chunk_multiple": 128})
    if rng.random() < 0.4:
        settings.update({"serving.server.prefill": "chunked", "serving.chunk_times": "difference", "serving.server.chunk": 128})
    if rng.random() < 0.3:
        settings.update({"serving.server.prefill_servers": rng.randint(1, 3), "serving.server.decode_servers": rng.randint(1, 3)})
    settings.update(random_settings(rng, parameters, 2, ("serving.requests", "serving.server.prefill", "serving.server.decode_",
                                                         "serving.server.max_", "serving.server.chunk", "serving.chunk_times")))
    return ["serve", str(file)], settings, {}


def chakra(rng, folder, _):
    prefix, ranks, recorded = chakra_traces.write(rng, folder)
    words = ["chakra", str(prefix), "--machine", "trainium2_one_chip", "--ranks", "cores", "--exchanges",
             rng.choice(["estimated", "estimated", "executed"]), "--compute", "recorded", "--jobs", "1"]
    return words, {}, {"ranks": ranks, "recorded": recorded}


def model(rng, folder, _):
    heads = rng.choice([2, 4, 8])
    config = {"architectures": [rng.choice(["LlamaForCausalLM", "LlamaForCausalLM", "Qwen2ForCausalLM", "MistralForCausalLM"])],
              "hidden_size": 128 * rng.randint(1, 4), "num_hidden_layers": rng.randint(2, 40), "num_attention_heads": heads,
              "num_key_value_heads": rng.choice([1, 2, heads]), "head_dim": rng.choice([32, 64, 128, 256]), "intermediate_size": 32 * rng.randint(1, 28),
              "vocab_size": 32 * rng.randint(1, 40), "rms_norm_eps": 1e-5, "max_position_embeddings": 4096, "hidden_act": "silu",
              "rope_theta": 10000.0, "tie_word_embeddings": rng.random() < 0.5}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    words = ["model", str(folder / "config.json"), "--prompt", str(rng.choice([16, 64, 96, 128])), "--batch",
             ",".join(map(str, sorted(rng.sample([1, 2, 4, 16], rng.choice([1, 2]))))), "--lnc", rng.choice(["1", "2"]), "--jobs", "1"]
    return words, {}, {}


COMMANDS = {"cluster": cluster, "serve": serve, "chakra": chakra, "model": model}
DECLARED = {"cluster": "cluster", "serve": "serving"}


def numbers(value):
    """All numbers of a JSON value. Infinite ones are written as null."""
    if isinstance(value, dict):
        for part in value.values():
            yield from numbers(part)
    elif isinstance(value, list):
        for part in value:
            yield from numbers(part)
    elif value is None or isinstance(value, float):
        yield value


def cluster_laws(summary, _folder, _facts):
    shares = [value for name, value in summary["goodput"].items() if name.endswith("_percent")]
    if min(shares) < -1e-9 or abs(sum(shares) - 100) > 1e-4:
        return f"the shares of time {shares} add up to {sum(shares)} percent"
    if min(value for value in summary["step"].values()) < 0:
        return "a part of a step takes less than no time"
    return None


def serve_laws(summary, folder, _facts):
    with (folder / "requests.csv").open(encoding="utf-8", newline="") as file:
        rows = sum(1 for _ in csv.DictReader(file))
    if rows != summary["requests"]:
        return f"{rows} of {summary['requests']} requests are listed"
    for name in ("wait_s", "ttft_s", "tpot_s", "end_to_end_s"):
        ordered = [summary[name][part] for part in ("p50", "p90", "p99", "max")]
        if ordered != sorted(ordered):
            return f"percentiles of {name} do not ascend"
    return None


def chakra_laws(summary, folder, facts):
    with (folder / "ranks.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if len(rows) != facts["ranks"]:
        return f"{len(rows)} of {facts['ranks']} ranks are listed"
    text = json.dumps(summary)
    found = re.search(r'"(?:time|simulated_time)_ns": ([0-9.e+]+)', text)
    if found and float(found.group(1)) < 1e3 * max(facts["recorded"]) * (1 - 1e-12):
        return f"the replay takes {found.group(1)} ns, the computations of a rank {max(facts['recorded'])} us"
    return None


LAWS = {"cluster": cluster_laws, "serve": serve_laws, "chakra": chakra_laws}


def case_of(number, seed, commands, folder, parameters):
    command = commands[number % len(commands)]
    words, settings, facts = COMMANDS[command](random.Random(f"{seed}/{number}"), folder, parameters.get(command))
    for path, value in settings.items():
        words += ["--set", f"{path}={value}"]
    return command, words, facts


def broken_law(command, folder, facts):
    file = folder / "summary.json"
    if not file.is_file():
        return None
    summary = json.loads(file.read_text(encoding="utf-8"))
    if not all(value is not None and math.isfinite(value) for value in numbers(summary)):
        return "a number of summary.json is not finite"
    return LAWS[command](summary, folder, facts) if command in LAWS else None


def examine(binary, folder, command, words, facts):
    one, other = folder / "one", folder / "other"
    verdict = workloads.verdict_of(workloads.run([binary, *words, "--out", str(one)]))
    if verdict != "passed":
        return verdict
    if broken := broken_law(command, one, facts):
        return broken
    if command == "model":  # its files name their folder
        return "passed"
    done = workloads.run([binary, *words, "--out", str(other)], workloads.OTHER_ENVIRONMENT)
    name = None if done.returncode == 0 else workloads.verdict_of(done)
    name = name or workloads.differing_file(one, other)
    return f"a second run: {name} differs" if name else "passed"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--command", action="append", choices=sorted(COMMANDS))
    options = parser.parse_args()
    commands = options.command or list(COMMANDS)
    parameters = {command: legal_values.declared(options.binary, path) for command, path in DECLARED.items()}
    count, findings = collections.defaultdict(collections.Counter), []
    for number in range(options.cases):
        with tempfile.TemporaryDirectory() as name:
            command, words, facts = case_of(number, options.seed, commands, pathlib.Path(name), parameters)
            verdict = examine(options.binary, pathlib.Path(name), command, words, facts)
        count[command]["wrong" if verdict not in ("passed", "refused") else verdict] += 1
        if verdict not in ("passed", "refused"):
            findings.append(f"case {number}: {verdict}\n  tahoma {shlex.join(words)}")
            print(findings[-1], flush=True)
    for command, verdicts in count.items():
        if verdicts["refused"] > MOST_REFUSED * sum(verdicts.values()):
            findings.append(f"{command}: {verdicts['refused']} of {sum(verdicts.values())} cases are refused")
            print(findings[-1])
    total = sum(count.values(), collections.Counter())
    print(f"{options.cases} cases of {len(commands)} commands, seed {options.seed}: {total['passed']} passed, {total['refused']} refused, "
          f"{len(findings)} findings")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
