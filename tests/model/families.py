# SPDX-License-Identifier: Apache-2.0
"""Small Hugging Face models with random weights, and what they compute, in double by PyTorch: the definition of each family as its
paper and published model code describe it, written for this test."""
import dataclasses
import json
import math
import pathlib
import struct

import numpy as np
import torch


@dataclasses.dataclass
class Family:
    name: str
    architecture: str
    keys: dict = dataclasses.field(default_factory=dict)  # of config.json, beside the sizes
    bias: bool = False
    norms: bool = False
    joint: bool = False  # norms of queries and keys over all heads
    fused: bool = False
    gemma: bool = False  # gains are 1 + weight, embeddings times sqrt(hidden), gelu
    post: bool = False   # norms behind the sublayers
    pre: bool = True     # norms in front of them
    layer_norm: bool = False  # with a bias, instead of RMS norms
    gated: bool = True
    biases: bool = False  # of the output of attention and of the feed-forward part
    unrotated: int = 0    # every layer of this number has no rotary embedding
    layers: int = 2
    hidden: int = 256
    heads: int = 8
    kv_heads: int = 2
    head_dim: int = 32
    ffn: int = 512
    vocabulary: int = 500
    epsilon: float = 1e-5
    theta: float = 10000.0

    def config(self):
        return {"architectures": [self.architecture], "hidden_size": self.hidden, "intermediate_size": self.ffn,
                "num_hidden_layers": self.layers, "num_attention_heads": self.heads, "num_key_value_heads": self.kv_heads,
                "head_dim": self.head_dim, "vocab_size": self.vocabulary, "rope_theta": self.theta,
                "layer_norm_eps" if self.layer_norm else "rms_norm_eps": self.epsilon,
                "hidden_activation" if self.gemma else "hidden_act": "silu" if self.gated and not self.gemma else "gelu_pytorch_tanh",
                "max_position_embeddings": 4096, **self.keys}

    @property
    def tied(self):
        return self.keys.get("tie_word_embeddings", self.gemma)

    @property
    def roundings(self):
        """Those beside the ones of Llama's layers, and of its ends: norms behind the sublayers, scaled embeddings, and matrices of
        which the machine rounds the product with a constant."""
        return 2 * self.post + 4 * ("residual_multiplier" in self.keys), int(self.gemma) + 2 * ("residual_multiplier" in self.keys)

    @property
    def rotated(self):
        return int(self.head_dim * self.keys.get("partial_rotary_factor", 1))

    def factor(self, key):
        return self.keys.get(key, 1)


FAMILIES = {
    "llama": Family("llama", "LlamaForCausalLM", {"attention_bias": False, "rope_scaling": {
        "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64}}, theta=500000.0),
    "mistral": Family("mistral", "MistralForCausalLM", {"sliding_window": 16}, heads=4, kv_heads=4, head_dim=64),
    "qwen2": Family("qwen2", "Qwen2ForCausalLM", {"tie_word_embeddings": True, "use_sliding_window": False, "sliding_window": 8},
                    bias=True, epsilon=1e-6),
    "qwen3": Family("qwen3", "Qwen3ForCausalLM", {"tie_word_embeddings": True}, norms=True, head_dim=64, epsilon=1e-6),
    "gemma": Family("gemma", "GemmaForCausalLM", gemma=True, epsilon=1e-6),
    "gemma2": Family("gemma2", "Gemma2ForCausalLM", {"query_pre_attn_scalar": 40, "attn_logit_softcapping": 2.0,
                                                     "final_logit_softcapping": 30.0, "sliding_window": 20, "tie_word_embeddings": False,
                                                     "layer_types": ["sliding_attention", "full_attention"]},
                     gemma=True, post=True, epsilon=1e-6),
    "gemma3": Family("gemma3", "Gemma3ForCausalLM", {"query_pre_attn_scalar": 24, "rope_local_base_freq": 100.0,
                                                     "sliding_window_pattern": 2, "sliding_window": 12,
                                                     "tie_word_embeddings": False,
                                                     "rope_scaling": {"rope_type": "linear", "factor": 8.0}},
                     norms=True, gemma=True, post=True, epsilon=1e-6, theta=1000.0),
    "gemma_wide": Family("gemma_wide", "GemmaForCausalLM", gemma=True, epsilon=1e-6, heads=2, kv_heads=1, head_dim=256),
    "gemma2_wide": Family("gemma2_wide", "Gemma2ForCausalLM",
                          {"query_pre_attn_scalar": 256, "attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0,
                           "sliding_window": 20, "tie_word_embeddings": False},
                          gemma=True, post=True, epsilon=1e-6, heads=4, kv_heads=2, head_dim=256),
    "gemma3_wide": Family("gemma3_wide", "Gemma3ForCausalLM",
                          {"query_pre_attn_scalar": 256, "rope_local_base_freq": 100.0, "sliding_window_pattern": 2, "sliding_window": 12,
                           "tie_word_embeddings": False, "rope_scaling": {"rope_type": "linear", "factor": 8.0}},
                          norms=True, gemma=True, post=True, epsilon=1e-6, theta=1000.0, heads=4, kv_heads=2, head_dim=256),
    "granite": Family("granite", "GraniteForCausalLM", {"embedding_multiplier": 12.0, "attention_multiplier": 0.25, "residual_multiplier": 0.6,
                                                        "logits_scaling": 4.0}),
    "smollm3": Family("smollm3", "SmolLM3ForCausalLM", {"no_rope_layer_interval": 2, "no_rope_layers": [1, 0], "tie_word_embeddings": False},
                      unrotated=2),
    "exaone4": Family("exaone4", "Exaone4ForCausalLM", {"sliding_window": 12, "sliding_window_pattern": "LG", "tie_word_embeddings": False},
                      norms=True, post=True, pre=False, unrotated=2),
    "olmo2": Family("olmo2", "Olmo2ForCausalLM", {"tie_word_embeddings": False}, joint=True, post=True, pre=False),
    "stablelm": Family("stablelm", "StableLmForCausalLM", {"use_qkv_bias": True, "partial_rotary_factor": 0.5, "tie_word_embeddings": False},
                       bias=True, layer_norm=True),
    "starcoder2": Family("starcoder2", "Starcoder2ForCausalLM", {"use_bias": True, "sliding_window": 16, "tie_word_embeddings": False},
                         bias=True, layer_norm=True, gated=False, biases=True),
    "yarn": Family("yarn", "Qwen2ForCausalLM", {"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}},
                   bias=True),
    "phi3": Family("phi3", "Phi3ForCausalLM", {"partial_rotary_factor": 1.0}, fused=True, kv_heads=8),
}


def random_weights(family, seed):
    """Tensors by the names of a checkpoint, float32 values that bf16 holds exactly."""
    generator = torch.Generator().manual_seed(seed)

    def matrix(outputs, inputs):
        return torch.randn(outputs, inputs, generator=generator) / math.sqrt(inputs)

    def vector(size, middle):
        return middle + torch.randn(size, generator=generator) / 4

    q, kv, gain = family.heads * family.head_dim, family.kv_heads * family.head_dim, 0 if family.gemma else 1
    size = 1 / math.sqrt(family.hidden) if family.gemma else 1  # so that embedded tokens do not outweigh the layers
    weights = {"model.embed_tokens.weight": size * torch.randn(family.vocabulary, family.hidden, generator=generator),
               "model.norm.weight": vector(family.hidden, gain)}
    if family.layer_norm:
        weights["model.norm.bias"] = vector(family.hidden, 0)
    if not family.tied:  # a random successor for each token, so that the largest logit has a margin
        successor = torch.randperm(family.vocabulary, generator=generator)
        weights["lm_head.weight"] = (matrix(family.vocabulary, family.hidden)
                                     + weights["model.embed_tokens.weight"][successor] / (size * math.sqrt(family.hidden)))
    for layer in range(family.layers):
        at = f"model.layers.{layer}."
        down = "mlp.down_proj" if family.gated else "mlp.c_proj"
        parts = {"input_layernorm.weight": vector(family.hidden, gain), "post_attention_layernorm.weight": vector(family.hidden, gain),
                 "self_attn.o_proj.weight": matrix(family.hidden, q), down + ".weight": matrix(family.hidden, family.ffn)}
        if family.layer_norm:
            for name in ("input_layernorm", "post_attention_layernorm"):
                parts[name + ".bias"] = vector(family.hidden, 0)
        if family.biases:
            parts |= {"self_attn.o_proj.bias": vector(family.hidden, 0), "mlp.c_fc.bias": vector(family.ffn, 0),
                      "mlp.c_proj.bias": vector(family.hidden, 0)}
        if family.fused:
            parts["self_attn.qkv_proj.weight"] = matrix(q + 2 * kv, family.hidden)
            parts["mlp.gate_up_proj.weight"] = matrix(2 * family.ffn, family.hidden)
        else:
            for name, rows in (("q", q), ("k", kv), ("v", kv)):
                parts[f"self_attn.{name}_proj.weight"] = matrix(rows, family.hidden)
                if family.bias:
                    parts[f"self_attn.{name}_proj.bias"] = vector(rows, 0)
            for name in ("mlp.gate_proj", "mlp.up_proj") if family.gated else ("mlp.c_fc",):
                parts[name + ".weight"] = matrix(family.ffn, family.hidden)
        if family.norms:
            for name in ("q", "k"):
                parts[f"self_attn.{name}_norm.weight"] = vector(family.head_dim, gain)
        if family.joint:
            parts |= {"self_attn.q_norm.weight": vector(q, gain), "self_attn.k_norm.weight": vector(kv, gain)}
        if family.post:
            for name in ("pre", "post") if family.pre else ("post",):
                parts[f"{name}_feedforward_layernorm.weight"] = vector(family.hidden, gain)
        weights.update({at + name: tensor for name, tensor in parts.items()})
    return {name: tensor.to(torch.bfloat16).to(torch.float32) for name, tensor in weights.items()}


def write_safetensors(path, tensors):
    """In bf16: the length of the header, the header as JSON, the data."""
    header, data, at = {}, [], 0
    for name, tensor in tensors.items():
        raw = (tensor.numpy().astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).tobytes()
        header[name] = {"dtype": "BF16", "shape": list(tensor.shape), "data_offsets": [at, at + len(raw)]}
        data.append(raw)
        at += len(raw)
    text = json.dumps(header).encode()
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + b"".join(data))


def write_model(folder, family, weights, shards=1):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(family.config()))
    if shards == 1:
        write_safetensors(folder / "model.safetensors", weights)
        return
    names, index = sorted(weights), {}
    for shard in range(shards):
        file = f"model-{shard + 1:05}-of-{shards:05}.safetensors"
        write_safetensors(folder / file, {name: weights[name] for name in names[shard::shards]})
        index.update({name: file for name in names[shard::shards]})
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))


def rms_norm(x, gain, epsilon):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + epsilon) * gain


def layer_norm(x, gain, bias, epsilon):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], gain, bias, epsilon)


def yarn(family, plain, scaling):
    """Frequencies as the paper interpolates them, with whole numbers of pairs as ends."""
    half = len(plain)
    low, high = (half * math.log(scaling["original_max_position_embeddings"] / (turns * 2 * math.pi)) / math.log(family.theta)
                 for turns in (32.0, 1.0))
    low, high = max(math.floor(low), 0), min(math.ceil(high), 2 * half - 1)
    ramp = ((torch.arange(half, dtype=torch.float64) - low) / max(high - low, 0.001)).clamp(0, 1)
    return plain / scaling["factor"] * ramp + plain * (1 - ramp)


def attention_factor(family):
    """Of cosines and sines."""
    scaling = family.keys.get("rope_scaling")
    return 0.1 * math.log(scaling["factor"]) + 1 if scaling and scaling["rope_type"] == "yarn" else 1


def frequencies(family, layer):
    half = family.rotated // 2
    every = family.keys.get("sliding_window_pattern") if "rope_local_base_freq" in family.keys else None
    if every and (layer + 1) % every != 0:  # a local layer
        return family.keys["rope_local_base_freq"] ** (-torch.arange(half, dtype=torch.float64) / half)
    plain = family.theta ** (-torch.arange(half, dtype=torch.float64) / half)
    scaling = family.keys.get("rope_scaling")
    if not scaling:
        return plain
    if scaling["rope_type"] == "yarn":
        return yarn(family, plain, scaling)
    if scaling["rope_type"] == "linear":
        return plain / scaling["factor"]
    result = []
    for frequency in plain.tolist():
        wavelength = 2 * math.pi / frequency
        long = scaling["original_max_position_embeddings"] / scaling["low_freq_factor"]
        short = scaling["original_max_position_embeddings"] / scaling["high_freq_factor"]
        if wavelength > long:
            result.append(frequency / scaling["factor"])
        elif wavelength < short:
            result.append(frequency)
        else:
            smooth = (scaling["original_max_position_embeddings"] / wavelength - scaling["low_freq_factor"]) / (
                scaling["high_freq_factor"] - scaling["low_freq_factor"])
            result.append((1 - smooth) * frequency / scaling["factor"] + smooth * frequency)
    return torch.tensor(result, dtype=torch.float64)


def hidden_keys(family, layer, tokens):
    """-inf where a query does not see a key: a later one, or in a local layer one before its window."""
    distance = torch.arange(tokens)[:, None] - torch.arange(tokens)[None, :]
    window, every = family.keys.get("sliding_window"), family.keys.get("sliding_window_pattern", 2 if family.post else 0)
    every = len(every) if isinstance(every, str) else every
    local = family.keys.get("use_sliding_window", True) and window is not None and (not every or (layer + 1) % every != 0)
    unseen = (distance < 0) | (distance >= window) if local else distance < 0
    return torch.zeros(tokens, tokens, dtype=torch.float64).masked_fill(unseen, -math.inf)


def gelu_tanh(x):
    return torch.nn.functional.gelu(x, approximate="tanh")


def rotate(x, angles, factor=1):
    """[tokens, heads, head_dim], halves of the first features."""
    turned, rest = x[..., : 2 * angles.shape[-1]], x[..., 2 * angles.shape[-1]:]
    first, second = turned.chunk(2, dim=-1)
    cos, sin = factor * angles.cos()[:, None, :], factor * angles.sin()[:, None, :]
    return torch.cat([first * cos - second * sin, second * cos + first * sin, rest], dim=-1)


def logits(family, weights, ids):
    """Of every token of the sequence: [tokens, vocabulary]."""
    w = {name: tensor.to(torch.float64) for name, tensor in weights.items()}
    tokens, q, kv = len(ids), family.heads * family.head_dim, family.kv_heads * family.head_dim
    gain, scalar = 1 if family.gemma else 0, family.keys.get("query_pre_attn_scalar", family.head_dim)

    if "attention_multiplier" in family.keys:
        scalar = family.keys["attention_multiplier"] ** -2

    def norm(x, name):
        if family.layer_norm and name.replace("weight", "bias") in w:
            return layer_norm(x, w[name], w[name.replace("weight", "bias")], family.epsilon)
        return rms_norm(x, gain + w[name], family.epsilon)

    def bounded(x, cap):
        return x if cap is None else cap * torch.tanh(x / cap)

    x = w["model.embed_tokens.weight"][torch.tensor(ids)] * family.factor("embedding_multiplier")
    if family.gemma:  # the factor has the type of the weights
        x = x * torch.tensor(family.hidden**0.5, dtype=torch.bfloat16).to(torch.float64)
    for layer in range(family.layers):
        at = f"model.layers.{layer}."
        angles = torch.arange(tokens, dtype=torch.float64)[:, None] * frequencies(family, layer)
        a = norm(x, at + "input_layernorm.weight") if family.pre else x
        if family.fused:
            parts = (a @ w[at + "self_attn.qkv_proj.weight"].T).split([q, kv, kv], dim=-1)
        else:
            parts = [a @ w[f"{at}self_attn.{name}_proj.weight"].T
                     + (w[f"{at}self_attn.{name}_proj.bias"] if family.bias else 0) for name in "qkv"]
        if family.joint:
            parts = [norm(parts[0], at + "self_attn.q_norm.weight"), norm(parts[1], at + "self_attn.k_norm.weight"), parts[2]]
        query, key, value = [part.reshape(tokens, -1, family.head_dim) for part in parts]
        if family.norms:
            query, key = norm(query, at + "self_attn.q_norm.weight"), norm(key, at + "self_attn.k_norm.weight")
        if not family.unrotated or (layer + 1) % family.unrotated != 0:
            query, key = [rotate(part, angles, attention_factor(family)) for part in (query, key)]
        key, value = [part.repeat_interleave(family.heads // family.kv_heads, dim=1) for part in (key, value)]
        scores = torch.einsum("qhd,khd->hqk", query, key) / math.sqrt(scalar)
        scores = bounded(scores, family.keys.get("attn_logit_softcapping")) + hidden_keys(family, layer, tokens)
        attended = torch.einsum("hqk,khd->qhd", scores.softmax(-1), value).reshape(tokens, q)
        made = attended @ w[at + "self_attn.o_proj.weight"].T + (w[at + "self_attn.o_proj.bias"] if family.biases else 0)
        x = x + family.factor("residual_multiplier") * (norm(made, at + "post_attention_layernorm.weight") if family.post else made)
        b = norm(x, at + ("pre_feedforward" if family.post else "post_attention") + "_layernorm.weight") if family.pre else x
        if not family.gated:
            hidden = gelu_tanh(b @ w[at + "mlp.c_fc.weight"].T + w[at + "mlp.c_fc.bias"])
            x = x + hidden @ w[at + "mlp.c_proj.weight"].T + w[at + "mlp.c_proj.bias"]
            continue
        if family.fused:
            gate, up = (b @ w[at + "mlp.gate_up_proj.weight"].T).chunk(2, dim=-1)
        else:
            gate, up = b @ w[at + "mlp.gate_proj.weight"].T, b @ w[at + "mlp.up_proj.weight"].T
        act = gelu_tanh(gate) if family.gemma else torch.nn.functional.silu(gate)
        made = (act * up) @ w[at + "mlp.down_proj.weight"].T
        x = x + family.factor("residual_multiplier") * (norm(made, at + "post_feedforward_layernorm.weight") if family.post else made)
    head = w["model.embed_tokens.weight" if family.tied else "lm_head.weight"]
    made = norm(x, "model.norm.weight") @ head.T / family.factor("logits_scaling")
    return bounded(made, family.keys.get("final_logit_softcapping"))


def greedy(family, weights, prompt, count):
    """The tokens, the margin of each between the two largest logits, and the logits of the last one."""
    ids, margins, last = list(prompt), [], None
    for _ in range(count):
        last = logits(family, weights, ids)[-1]
        best = torch.topk(last, 2)
        margins.append(float(best.values[0] - best.values[1]))
        ids.append(int(best.indices[0]))
    return ids[len(prompt):], margins, last
