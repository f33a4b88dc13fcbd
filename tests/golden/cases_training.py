# SPDX-License-Identifier: Apache-2.0
"""Training steps of a small model compared with PyTorch's own: its autograd, its cross-entropy, its AdamW, all in double."""
import math

import numpy as np
import torch

from cases_transformer import D, FFN, HEADS, HIDDEN, KV_HEADS, LAYERS, layer, norm
from golden_case import GoldenCase, rounded

random = np.random.default_rng(8)
VOCABULARY, RATE, EPSILON, DECAY = 512, 0.01, 0.05, 0.1
LAYER_WEIGHTS = ("attention_gain", "q", "k", "v", "o", "mlp_gain", "gate", "up", "down")
WEIGHTS = (*LAYER_WEIGHTS, "final_gain", "head")


def step(t, sequences, tokens):
    """Losses of the rows, gradients, and weights after one step of AdamW, whose moments begin with zero."""
    weights = {n: t[n].clone().requires_grad_() for n in WEIGHTS}
    empty = torch.zeros(0, KV_HEADS, D, dtype=torch.float64)
    streams = []
    for s in range(sequences):
        x = t["x"][s * tokens:(s + 1) * tokens]
        for l in range(LAYERS):
            x = layer(x, {n: weights[n][l] for n in LAYER_WEIGHTS}, (empty, empty))
        streams.append(x)
    logits = norm(torch.cat(streams), weights["final_gain"]) @ weights["head"]
    losses = torch.nn.functional.cross_entropy(logits, t["labels"].flatten(), reduction="none")
    losses.mean().backward()
    optimizer = torch.optim.AdamW(weights.values(), lr=RATE, eps=EPSILON, weight_decay=DECAY)
    optimizer.step()
    return ({"loss": losses} | {f"gradient_{n}": w.grad for n, w in weights.items()} | {f"new_{n}": w for n, w in weights.items()})


def case(name, sequences, tokens, **settings):
    def weights(rows, columns):
        return "bf16", random.uniform(-1, 1, (LAYERS, rows, columns)) * math.sqrt(3 / rows)

    rows = sequences * tokens
    inputs = {"x": ("bf16", random.uniform(-1, 1, (rows, HIDDEN))), "labels": ("int32", random.integers(0, VOCABULARY, (rows, 1)))}
    for gain in ("attention_gain", "mlp_gain"):
        inputs[gain] = ("fp32", random.uniform(0.5, 1.5, (LAYERS, 1, HIDDEN)))
    inputs["final_gain"] = ("fp32", random.uniform(0.5, 1.5, (1, HIDDEN)))
    inputs |= {"q": weights(HIDDEN, HEADS * D), "k": weights(HIDDEN, KV_HEADS * D), "v": weights(HIDDEN, KV_HEADS * D),
               "o": weights(HEADS * D, HIDDEN), "gate": weights(HIDDEN, FFN), "up": weights(HIDDEN, FFN), "down": weights(FFN, HIDDEN)}
    inputs["head"] = ("bf16", random.uniform(-1, 1, (HIDDEN, VOCABULARY)) * math.sqrt(3 / HIDDEN))

    # A gradient passes through two layers forward and backward: eight parts of some ten roundings to bf16
    # each, of which those of two factors count twice. The tolerance is six deviations of 2^-9 / sqrt(3) times
    # the root of 160, relative to a tensor's own size, plus half as much for some features and tokens (gains
    # of 1.5, few keys), and relative to an element's size where few tokens contribute. The run's own
    # reference knows each element's deviation and is several times as strict.
    share = 1.5 * 6 * 2**-9 / math.sqrt(3) * math.sqrt(160)
    exact = {n: torch.from_numpy(array if dtype == "int32" else rounded(array, dtype).astype(np.float64)) for n, (dtype, array) in inputs.items()}
    want = step(exact, sequences, tokens)
    why = "roundings of activations to bf16"
    tolerance = {"loss": (share / 2, 0, why)}  # for logits of about 1, forward only
    for n in WEIGHTS:
        size = float(want[f"gradient_{n}"].pow(2).mean().sqrt())
        tolerance[f"gradient_{n}"] = (share * size, share, why)
        tolerance[f"new_{n}"] = (RATE * share * (size / EPSILON + 1 / 4), 2**-22, "the gradient's, at the steepest slope of the step")
    settings = {"model.hidden": HIDDEN, "model.heads": HEADS, "model.kv_heads": KV_HEADS, "model.head_dim": D, "model.ffn": FFN,
                "model.vocabulary": VOCABULARY, "layers": LAYERS, "model.layers": LAYERS, "batch": sequences, "tokens": tokens,
                "optimizer.rate": RATE, "optimizer.epsilon": EPSILON, "optimizer.decay": DECAY, **settings}
    set_ = {f"workload.{k}" if not k.startswith("machine.") else k: v for k, v in settings.items()}
    return GoldenCase(name, "transformer/training_tiny.yaml", inputs, lambda t: step(t, sequences, tokens), tolerance, set_)


CASES = [
    case("training step on a core", 2, 64),
    case("training step on two replicas of two ranks", 4, 32, **{"parallel.tensor": 2, "parallel.data": 2}),
    case("training step on four replicas of pairs of cores, layers made again", 4, 64,
         **{"parallel.data": 4, "machine.chip.lnc": 2, "recompute": "layer"}),
]
