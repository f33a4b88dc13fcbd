# SPDX-License-Identifier: Apache-2.0
"""A step of AdamW compared with PyTorch's optimizer."""
import numpy as np
import torch

from golden_case import GoldenCase

random = np.random.default_rng(42)


def definition(step, decay):
    def expected(t):
        p = t["p"].clone().requires_grad_()
        p.grad = t["g"].clone()
        adam = torch.optim.AdamW([p], lr=1e-2, betas=(0.9, 0.99), eps=1e-6, weight_decay=decay)
        adam.state[p] = {"step": torch.tensor(float(step - 1)), "exp_avg": t["m"].clone(), "exp_avg_sq": t["v"].clone()}
        adam.step()
        state = adam.state[p]
        return {"p_next": p.detach(), "p_copy": p.detach(), "m_next": state["exp_avg"], "v_next": state["exp_avg_sq"]}

    return expected


def case(name, rows, columns, gradient, step, decay):
    shape = (rows, columns)
    return GoldenCase(
        name=name, yaml="optimizer/adam.yaml",
        set={"workload.rows": rows, "workload.columns": columns, "workload.gradient": gradient, "workload.cores": 2,
             "workload.rate": 1e-2, "workload.beta2": 0.99, "workload.epsilon": 1e-6, "workload.decay": decay,
             "workload.step": step},
        inputs={"p": ("fp32", random.standard_normal(shape)), "g": (gradient, random.standard_normal(shape)),
                "m": ("fp32", random.standard_normal(shape)), "v": ("fp32", random.uniform(0, 1, shape))},
        expected=definition(step, decay),
        tolerance={"p_next": (3e-7, 1e-6, "a dozen roundings to fp32 of a step of about 0.1"),
                   "p_copy": (3e-7, 2**-8, "and one to bf16"),
                   "m_next": (1e-6, 0, "four roundings to fp32 of terms below 4"),
                   "v_next": (0, 1e-6, "seven roundings to fp32")})


CASES = [case("adamw bf16 gradients", 300, 77, "bf16", 5, 0.1), case("adam fp32, first step", 129, 2100, "fp32", 1, 0.0)]
