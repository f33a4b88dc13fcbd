# SPDX-License-Identifier: Apache-2.0
"""Random training jobs on small fleets, as a case of `tahoma run` for the whole fleet and as a case of `tahoma cluster`."""

import dataclasses
import json
import random

SERVERS = (2, 4, 16)
SHAPES = ((2, 2), (4, 2))  # chips of an UltraServer
HEAD = 64


@dataclasses.dataclass(frozen=True)
class Job:
    seed: int
    servers: int
    shape: tuple
    pipeline: int
    schedule: str
    microbatches: int
    layers: int  # of a stage
    hidden: int
    ffn: int
    group: int  # query heads of a head of keys
    tokens: int
    recompute: bool
    sharing: int = 1  # replicas in an UltraServer

    @property
    def domain(self):
        return self.shape[0] * self.shape[1]

    @property
    def tensor(self):
        return self.domain // self.sharing

    @property
    def replicas(self):
        return self.servers * self.sharing // self.pipeline

    def text(self):
        return (f"{self.servers} x {self.domain} chips, {self.pipeline} stages x {self.replicas} replicas, {self.schedule}, "
                f"{self.microbatches} micro-batches, {self.layers} layers, {self.hidden}/{self.ffn}, {self.tokens} tokens")


def job_of(seed):
    """The seed decides; seeds in a row take 2, 4 and 16 UltraServers in turn. The largest fleet has smaller models, so that a whole
    run takes seconds."""
    draw = random.Random(seed)
    servers = SERVERS[seed % len(SERVERS)]
    large = servers == SERVERS[-1]
    shape = draw.choice(SHAPES)
    tensor = shape[0] * shape[1]
    hidden = draw.choice([h for h in ((256, 512) if large else (256, 512, 1024)) if h // HEAD >= tensor])
    group = draw.choice([g for g in (1, 2, 4) if hidden // HEAD // g >= tensor])
    return Job(seed, servers, shape, draw.choice([p for p in (1, 2, 4, 8) if p <= servers]), draw.choice(("1f1b", "gpipe")),
               draw.randint(1, 4 if large else 6), draw.randint(1, 3), hidden, hidden * draw.choice((2, 4)), group,
               draw.choice([t for t in ((128, 256) if large else (128, 256, 512)) if t >= 32 * tensor]), draw.random() < 0.25)


def sharing_job_of(seed):
    """A job on 2 or 4 UltraServers, each of which is a stage with both of its replicas."""
    job = job_of(seed)
    servers = min(job.servers, 4)
    return dataclasses.replace(job, servers=servers, pipeline=servers, sharing=2)


def machine(shape, servers):
    """Chips of one core with memory of one rate: a fleet that is small enough to be simulated whole."""
    return {"extends": "trainium2_efa_servers",
            "machine": {"name": "small_fleet", "torus": {"x": shape[0], "y": shape[1], "z": servers},
                        "chip": {"cores": 1, "dies": 1, "hbm": {"stacks": 1, "model": "flat"}}}}


def whole_case(job):
    return {"kind": "training", "machine": "machine.yaml", "mode": "timing",
            "workload": {
                "model": {"name": "random", "layers": job.layers * job.pipeline, "hidden": job.hidden,
                          "heads": job.hidden // HEAD, "kv_heads": job.hidden // HEAD // job.group, "head_dim": HEAD,
                          "ffn": job.ffn, "vocabulary": 256},
                "layers": job.layers * job.pipeline, "batch": job.replicas * job.microbatches, "tokens": job.tokens,
                "microbatches": job.microbatches, "schedule": job.schedule, "accumulate": True,
                "recompute": "layer" if job.recompute else "none", "algorithm": "recursive",
                "parallel": {"tensor": job.tensor, "data": job.replicas, "pipeline": job.pipeline}}}


def model(job):
    return {"architectures": ["LlamaForCausalLM"], "hidden_size": job.hidden, "intermediate_size": job.ffn,
            "num_hidden_layers": job.layers * job.pipeline, "num_attention_heads": job.hidden // HEAD,
            "num_key_value_heads": job.hidden // HEAD // job.group, "head_dim": HEAD, "vocab_size": 256}


def composed_case(job, network):
    """`network`: see whole_runs.network_of()."""
    rate = lambda value: f"{round(value / 1e6)} MB/s"
    time = lambda value: f"{round(value * 1e9)} ns"
    return {"cluster": {
        "title": "random job",
        "job": {"model": "model.json", "sequence": job.tokens, "global_batch": job.replicas * job.microbatches,
                "micro_batch": 1, "tokens": job.tokens * job.replicas * job.microbatches, "tensor": job.tensor, "pipeline": job.pipeline, "schedule": job.schedule,
                "sharding": "gradients", "recompute": "layer" if job.recompute else "none", "update": "by_tensor",
                "shared_queue": True, "collective_queues": 2},
        "fleet": {"chips": job.servers * job.domain, "domain": job.domain, "rack": job.servers * job.domain,
                  "efa_rate": rate(network["efa"][1]), "rack_latency": time(network["efa"][0]),
                  "fold": time(network["fold"][0]), "fold_rate": rate(network["fold"][1]), "domain_rate": rate(network["inside"][1]), "domain_latency": time(network["inside"][0])},
        "times": {"source": "executed", "machine": "machine.yaml", "lnc": 1, "algorithm": "recursive"},
        "checkpoint": {"interval_minutes": 60}, "faults": {"trials": 1}}}


def collective_case(shape, servers, operation, over, size):
    return {"kind": "collective", "machine": machine_inline(shape, servers), "mode": "timing",
            "workload": {"operation": operation, "algorithm": "recursive", "ranks": "chips", "over": over, "bytes": f"{size >> 10} KiB",
                         "dtype": "fp32", "iterations": 2}}


def machine_inline(shape, servers):
    whole = machine(shape, servers)
    return {"extends": whole["extends"], **whole["machine"]}


def write(folder, name, value):
    (folder / name).write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
