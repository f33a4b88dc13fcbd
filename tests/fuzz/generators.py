# SPDX-License-Identifier: Apache-2.0
"""Random parameters of every kind of workload: legal sizes, but for combinations that a kernel refuses."""

# Kinds whose programs the user writes, or whose cases are files.
WITHOUT_SIZES = {"colocated", "graph", "nki", "program"}
FLOATS = ["bf16", "fp16", "fp32"]


def size(rng, most, least=1):
    """A size of any magnitude up to `most`, often one beside a power of two or a multiple of a tile."""
    edge = rng.choice([16, 32, 64, 128, 256, 512]) + rng.choice([-1, 0, 0, 1])
    return max(least, min(most, rng.choice([edge, rng.randint(least, most), rng.randint(least, max(least, most // 8))])))


def rows_columns(rng, columns=600):
    return {"rows": size(rng, 400), "columns": size(rng, columns), "dtype": rng.choice(FLOATS), "cores": rng.choice([1, 1, 2, 3])}


def normalising(rng):
    return rows_columns(rng)


def gemm(rng):
    return {"m": size(rng, 300), "n": size(rng, 600), "k": size(rng, 400), "dtype": rng.choice([*FLOATS, "fp8_e4m3"]),
            "a_layout": rng.choice(["columns", "columns", "rows"]), "epilogue.bias": rng.choice(["none", "rows", "columns"]),
            "epilogue.activation": rng.choice(["none", "relu", "gelu", "silu", "tanh"]),
            "epilogue.residual": rng.choice(["true", "false"])}


def heads(rng):
    kv = rng.choice([1, 1, 2, 3])
    return {"heads": kv * rng.choice([1, 1, 2]), "kv_heads": kv}


def attention(rng):
    kv_len = size(rng, 700)
    causal = rng.random() < 0.4
    return {"q_len": size(rng, kv_len if causal else 400), "kv_len": kv_len, "d": rng.choice([2, 8, 32, 64, 80, 128, 129, 256]),
            **heads(rng), "causal": str(causal).lower(), "dtype": rng.choice(FLOATS),
            "window": rng.choice([0, 0, size(rng, 200)]) if causal else 0}


def attention_forward(rng):
    return {**attention(rng), "lse": rng.choice(["true", "false"]), "layout": rng.choice(["heads", "tokens"])}


def decode(rng):
    case = {"batch": rng.randint(1, 6), "context": size(rng, 500), "kv_heads": rng.choice([1, 2]), "group": rng.choice([1, 2, 5, 8]),
            "d": rng.choice([16, 64, 128, 200, 256]), "page_size": rng.choice([0, 0, 16, 64]), "dtype": rng.choice(FLOATS)}
    return {**case, "d": rng.choice([48, 160, 576]), "latent": rng.choice([32, 48])} if rng.random() < 0.25 else case


def model(rng):
    kv = rng.choice([1, 2, 4])
    return {"model.hidden": 64 * rng.randint(1, 5), "model.heads": kv * rng.choice([1, 2]), "model.kv_heads": kv,
            "model.head_dim": rng.choice([32, 32, 64, 192, 256]), "model.ffn": size(rng, 600, 16), "model.layers": 2}


def transformer(rng):
    phase = rng.choice(["prefill", "prefill", "decode"])
    case = {**model(rng), "phase": phase, "layers": rng.choice([1, 2]), "batch": rng.randint(1, 4)}
    case.update({"tokens": size(rng, 200)} if phase == "prefill" else {"context": size(rng, 200)})
    if rng.random() < 0.3:
        case.update({"model.window": size(rng, 200), "model.global_every": rng.randint(0, 2)})
    elif rng.random() < 0.3:
        case.update(latent(rng, case["model.heads"]))
    if rng.random() < 0.4:
        return {**case, **mixture(rng)}
    shares = phase == "prefill" and "model.latent.kv_rank" not in case and rng.random() < 0.3
    return {**case, **shared_sequences(rng)} if shares else case


def shared_sequences(rng):
    groups = rng.choice([2, 4])
    return {"parallel.sequence": groups, "tokens": 32 * groups * rng.randint(1, 3), "logits": rng.choice(["true", "false"]),
            "model.vocabulary": rng.randint(1, 400)}


def latent(rng, heads):
    nope, rope = rng.choice([32, 64, 128]), rng.choice([16, 32, 64])
    return {"model.kv_heads": heads, "model.head_dim": nope + rope, "model.latent.kv_rank": rng.choice([32, 128, 512]),
            "model.latent.q_rank": rng.choice([0, 0, 96]), "model.latent.nope": nope, "model.latent.rope": rope,
            "model.latent.values": rng.choice([32, 128]), "model.rope.scaling": rng.choice(["none", "yarn"])}


def mixture(rng):
    experts = rng.randint(2, 12)
    shared = {"model.shared_ffn": 2 * rng.randint(8, 100), "model.shared_gated": rng.choice(["true", "false"])}
    return {"model.experts": experts, "model.experts_per_token": rng.randint(1, min(4, experts)),
            "model.normalised_gates": rng.choice(["true", "false"]), "routing": rng.choice(["balanced", "skewed"]),
            **(shared if rng.random() < 0.5 else {}),
            **({"model.dense_layers": 1, "model.dense_ffn": 2 * rng.randint(8, 200)} if rng.random() < 0.3 else {})}


def training(rng):
    return {**model(rng), "layers": rng.choice([1, 2]), "model.vocabulary": 32 * rng.randint(1, 8), "batch": rng.randint(1, 3),
            "tokens": 16 * rng.randint(1, 6), "optimizer.epsilon": 1e-3, "recompute": "none"}


def collective(rng):
    ranks = rng.randint(1, 8)
    first = rng.randint(0, 8 - ranks)
    operation = rng.choice(["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "gather", "scatter",
                            "send_recv", "permute", "barrier"])
    case = {"operation": operation, "ranks": "cores", "over": f"{first}-{first + ranks - 1}" if ranks > 1 else str(first),
            "bytes": f"{rng.choice([1, 2, 3, 4, 60, 64, 100, 4096, 50000])} B", "dtype": rng.choice([*FLOATS, "int8", "int32"]),
            "algorithm": rng.choice(["best", "auto"]), "reduction": rng.choice(["sum", "max"]), "shift": rng.randint(0, 9)}
    if operation == "all_to_all" and rng.random() < 0.5:
        case["counts"] = "random"
    return case


def conv2d(rng):
    filter_size = rng.choice([1, 3, 5])
    return {"images": rng.randint(1, 2), "in_channels": size(rng, 140), "out_channels": size(rng, 140),
            "height": rng.randint(filter_size, 20), "width": rng.randint(filter_size, 20), "filter": filter_size,
            "stride": rng.choice([1, 1, 2]), "padding": rng.randint(0, filter_size // 2), "dtype": rng.choice(FLOATS),
            "relu": rng.choice(["true", "false"])}


def convolution(rng):
    return {"in_channels": 128 * rng.randint(1, 2), "out_channels": 128 * rng.randint(1, 2), "height": 8 * rng.randint(1, 3),
            "width": 16, "filter": rng.choice([1, 3]), "dtype": rng.choice(["fp16", "bf16"])}


def mlp(rng):
    return {"tokens": size(rng, 200), "features": size(rng, 300), "hidden": size(rng, 300), "dtype": rng.choice(FLOATS),
            "activation": rng.choice(["silu", "gelu", "relu"]), "gated": rng.choice(["true", "false"])}


def adam(rng):
    return {"rows": size(rng, 300), "columns": size(rng, 600), "gradient": rng.choice(["bf16", "fp32"]),
            "copy": rng.choice(["true", "false"]), "step": rng.randint(1, 1000), "cores": rng.choice([1, 2])}


def transpose(rng):
    return {"rows": size(rng, 400), "columns": size(rng, 400), "dtype": rng.choice([*FLOATS, "int16", "int32"]),
            "by": rng.choice(["tensor", "dma"]), "cores": rng.choice([1, 2])}


def reduction(rng):
    return {**rows_columns(rng), "op": rng.choice(["sum", "mean", "max", "min"]), "over": rng.choice(["columns", "rows"])}


def quantise(rng):
    group = rng.choice(["row", "block"])
    columns = size(rng, 600) if group == "row" else 128 * rng.randint(1, 4)
    return {**rows_columns(rng), "columns": columns, "fp8": rng.choice(["fp8_e4m3", "fp8_e5m2", "fp8_e3m4"]), "group": group}


def rope(rng):
    return {"tokens": size(rng, 300), "heads": rng.randint(1, 6), "d": 2 * rng.randint(1, 128),
            "pairs": rng.choice(["halves", "interleaved"]), "dtype": rng.choice(FLOATS), "cores": rng.choice([1, 2])}


def embedding(rng):
    return {"tokens": size(rng, 400), "vocabulary": size(rng, 2000), "columns": size(rng, 500), "dtype": rng.choice(FLOATS)}


def cross_entropy(rng):
    return {"rows": size(rng, 200), "columns": size(rng, 3000, 2), "dtype": rng.choice(FLOATS), "cores": rng.choice([1, 2])}


def moe_routing(rng):
    experts = size(rng, 128, 2)
    return {"tokens": size(rng, 300), "experts": experts, "top_k": rng.randint(1, min(8, experts)),
            "normalised": rng.choice(["true", "false"])}


def moe_router(rng):
    return {**moe_routing(rng), "hidden": size(rng, 300), "dtype": rng.choice(FLOATS)}


def vector_add(rng):
    columns = size(rng, 400)
    return {"elements": columns * 128 * rng.randint(1, 4), "columns": columns, "dtype": rng.choice(FLOATS)}


KINDS = {"gemm": gemm, "attention": attention_forward, "attention_backward": attention, "decode": decode,
         "transformer": transformer, "training": training, "collective": collective, "conv2d": conv2d, "convolution": convolution,
         "mlp": mlp, "rms_norm": normalising, "rms_norm_backward": normalising, "layer_norm": normalising,
         "layer_norm_backward": normalising, "softmax": normalising, "softmax_backward": normalising, "adam": adam,
         "transpose": transpose, "reduction": reduction, "quantise": quantise, "dequantise": quantise, "rope": rope,
         "embedding": embedding, "cross_entropy": cross_entropy, "moe_router": moe_router, "moe_routing": moe_routing,
         "vector_add": vector_add}
