# SPDX-License-Identifier: Apache-2.0
"""Legal inputs of every command, and mutations that make them nearly legal."""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
ODD_VALUES = ["", "-1", "0", "1", "3", "5", "7", "12", "1.5", "2e9", "many", "99999999999999999999", "5 GB", "nan", ".inf", "ideal", "true",
              "[1, 2]", "{a: 1}", "\u00e9", "0x10", "010", "1,2", "0 ns", "1 TB/s", "no/such/file", "*", "~", "'", "- 1", "a: b", "null"]
GEMM = {"kind": "gemm", "machine": "trainium2_one_chip", "mode": "timing",
        "workload": {"m": 256, "n": 512, "k": 256, "dtype": "bf16", "shard": {"m": 1, "n": 1, "k": 1}}}
COLLECTIVE = {"kind": "collective", "machine": {"extends": "trainium2_server", "torus": {"x": 2, "y": 2, "z": 1}}, "mode": "timing",
              "workload": {"operation": "all_reduce", "algorithm": "best", "bytes": "16 KiB", "ranks": "chips", "over": "machine"}}
VECTOR_ADD = {"kind": "vector_add", "machine": "trainium2_one_chip", "mode": "functional", "workload": {"elements": 65536}}
MODEL = {"architectures": ["LlamaForCausalLM"], "hidden_size": 512, "intermediate_size": 1024, "num_hidden_layers": 4,
         "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 64, "vocab_size": 1024, "max_position_embeddings": 4096}
SERVER = {"serving": {"requests": {"poisson": {"rate": 2, "requests": 20, "seed": 1, "prompt": {"distribution": "constant", "value": 100},
                                               "output": {"distribution": "constant", "value": 10}}},
                      "steps": "steps.csv", "server": {"max_sequences": 4, "max_tokens": 2048, "prefill": "whole"},
                      "slo": {"ttft": "1 s", "tpot": "50 ms"}}}
STEPS = "phase,batch,context,tokens,seconds\n" + "".join(
    f"decode,{batch},{context},0,{0.01 + 0.001 * batch}\n" for batch in (1, 4) for context in (1, 4096)) + "".join(
    f"prefill,1,0,{tokens},{1e-5 * tokens}\n" for tokens in (1, 2048))
JOB = {"cluster": {"job": {"model": "config.json", "sequence": 64, "global_batch": 8, "micro_batch": 1, "tensor": 1, "pipeline": 1,
                           "context": 1, "expert": 1, "schedule": "1f1b", "sharding": "gradients", "recompute": "layer"},
                   "fleet": {"chips": 4, "domain": 4}, "times": {"source": "card", "card": "trainium2"}, "faults": {"trials": 3}}}
SWEEP = {"sweep": {"workloads": ["gemm.yaml"], "axes": [{"workload.m": [128, 256]}], "where": "workload.m > 64",
                   "metrics": {"rate": "flops.achieved_tflops * 2"}, "limits": {"points": 4}}}
CHECKS = {"cases": {"title": "t", "runs": {"a": {"workload": "gemm.yaml", "set": {"workload.m": 128}}}}}
PROGRAM = (".program copy\n.args in out\nsync:\n  dma_copy shape=64x512 dst=sbuf[0, 0x0]:fp32 src=in:fp32 update=s0+=1\n"
           "  dma_copy shape=64x512 dst=out:fp32 src=sbuf[0, 0x0]:fp32 wait=s0>=16 update=s1+=1\n  sem_wait wait=s1>=16\n")

# Of each command: the files that it reads, and its words. A mapping is mutated as one, and so are the options.
COMMANDS = {
    "run": [({"gemm.yaml": GEMM}, ["gemm.yaml"], {"--mode": "timing", "--seed": "3"}),
            ({"c.yaml": COLLECTIVE}, ["c.yaml"], {"--set": "workload.bytes=4 KiB"}),
            ({"v.yaml": VECTOR_ADD}, ["v.yaml"], {"--machine": "trainium2_one_chip", "--check": "races"})],
    "model": [({"config.json": MODEL}, ["config.json"], {"--prompt": "64", "--batch": "4", "--chips": "1", "--lnc": "2", "--jobs": "1",
                                                        "--set": "workload.overlap=1"}),
              ({"config.json": MODEL}, ["config.json"], {"--prompt": "64", "--batch": "8", "--chips": "2", "--tensor": "4", "--pipeline": "2",
                                                        "--microbatches": "2", "--context": "128", "--jobs": "1"}),
              ({"config.json": MODEL}, ["config.json"], {"--prompt": "128", "--batch": "4", "--chips": "1", "--sequence": "2", "--dtype": "fp8_e4m3",
                                                        "--data": "1", "--jobs": "1", "--placement": "rows"})],
    "serve": [({"server.yaml": SERVER, "steps.csv": STEPS}, ["server.yaml"], {"--set": "serving.server.max_sequences=3"})],
    "cluster": [({"job.yaml": JOB, "config.json": MODEL}, ["job.yaml"], {"--set": "cluster.job.global_batch=16"}),
                ({"job.yaml": JOB, "config.json": MODEL}, ["job.yaml"], {"--set": "cluster.times.source=executed"}),
                ({"job.yaml": JOB, "config.json": MODEL}, ["job.yaml"], {"--set": "cluster.times.source=prefill"})],
    "sweep": [({"sweep.yaml": SWEEP, "gemm.yaml": GEMM}, ["sweep.yaml"], {"--jobs": "1"})],
    "check": [({"checks.yaml": CHECKS, "gemm.yaml": GEMM}, ["checks.yaml"], {"--jobs": "1"})],
    "sensitivity": [({"gemm.yaml": GEMM}, ["gemm.yaml"], {"--of": "derived", "--jobs": "1"})],
    "params": [({}, ["machine.chip.hbm"], {"--format": "json"})],
    "isa": [({}, ["matmul"], {"--format": "json"})],
    "stats": [({}, ["busy"], {"--format": "json"})],
    "cards": [({}, [], {"--table": "claims", "--format": "json"})],
    "asm": [({"copy.tasm": PROGRAM}, ["copy.tasm"], {"--output": "copy.bin"})],
    "validate": [({"copy.tasm": PROGRAM}, ["copy.tasm"], {})],
    "dis": [({"copy.tasm": PROGRAM}, ["copy.tasm"], {})],
    "compare": [({"gemm.yaml": GEMM}, ["done", "done"], {"--lines": "3"})],
    "report": [({"gemm.yaml": GEMM}, ["done"], {"--out": "page.html"})],
    "chakra": [({"trace.0.et": "\x05hello"}, ["trace"], {"--machine": "trainium2_one_chip"})],
}
WRITE_FOLDERS = {"run", "model", "serve", "cluster", "sweep"}


def odd(rng, value):
    """Another value, often a near one."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and rng.random() < 0.5:
        return rng.choice([value + 1, value - 1, 3 * value, value * 2, -value, value + 0.5, 0])
    if isinstance(value, str) and value and rng.random() < 0.5:
        if value.isdigit():
            return str(rng.choice([int(value) + 1, int(value) * 3, int(value) * 2, 0, max(1, int(value) // 2)]))
        return misspelt(rng, value)
    return rng.choice(ODD_VALUES)


def misspelt(rng, word):
    at = rng.randrange(len(word))
    return rng.choice([word[:at] + word[at + 1:], word[:at] + word[at] * 2 + word[at + 1:], word + "s", word[:at] + "x" + word[at + 1:]])


def mutated(rng, mapping):
    """A copy with one key or value changed, at a random depth."""
    copy = json.loads(json.dumps(mapping))
    group = copy
    while True:
        keys = list(range(len(group))) if isinstance(group, list) else list(group)
        if not keys:
            return copy
        key = rng.choice(keys)
        if isinstance(group[key], (dict, list)) and rng.random() < 0.85:
            group = group[key]
            continue
        kind = rng.random()
        if kind < 0.7:
            group[key] = odd(rng, group[key])
        elif kind < 0.8:
            del group[key]
        elif isinstance(group, dict):
            group[misspelt(rng, key)] = group.pop(key) if kind < 0.92 else rng.choice(ODD_VALUES)
        return copy


def spoilt(rng, data):
    """Bytes of another kind than those of a legal file."""
    return rng.choice([data[:rng.randrange(len(data) + 1)], b"\xef\xbb\xbf" + data, data.decode("utf-8").encode("utf-16"), data + data,
                       b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n", b"", b"\0" * 64, data.replace(b":", b"=", 1)])


def case_of(rng, command, folder):
    """Writes the files of a case into `folder`; returns its words."""
    files, words, options = rng.choice(COMMANDS[command])
    changed = rng.choice([*files, "options", "options", "nothing"])
    for name, contents in files.items():
        if isinstance(contents, dict):
            contents = json.dumps(mutated(rng, contents) if name == changed else contents, indent=1)
        data = contents.encode("utf-8")
        if name == changed and (rng.random() < 0.1 or not name.endswith(("yaml", "json"))):
            data = spoilt(rng, data)
        (folder / name).write_bytes(data)
    options = dict(options)
    if changed == "options":
        for _ in range(rng.choice([1, 1, 2])):
            if options and rng.random() < 0.8:
                key = rng.choice(list(options))
                options[key] = odd_option(rng, options[key])
            elif options:
                key = rng.choice(list(options))
                options[misspelt(rng, key)] = options.pop(key)
            else:
                words = [misspelt(rng, words[0])] if words else ["extra"]
    return [command, *words] + [f"{option}={value}" if option.startswith("--") else option for option, value in options.items()]


def odd_option(rng, value):
    if "=" in value:
        path, _, text = value.partition("=")
        return f"{path}={odd(rng, text)}" if rng.random() < 0.7 else f"{misspelt(rng, path)}={text}"
    return str(odd(rng, value))
