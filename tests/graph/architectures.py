# SPDX-License-Identifier: Apache-2.0
"""Public architectures as PyTorch modules with random weights: NAME -> (module, example inputs) at two sizes.

    /usr/bin/python3 tests/graph/architectures.py NAME FILE.onnx [--full] [--batch N]

exports one. Small sizes keep the structure and are for values; full ones are the published sizes, for times.
"""

import argparse
import warnings

import torch
from torch import nn
from torch.nn import functional as F

from sequence_architectures import SEQUENCES


def conv_norm(inputs, outputs, filter_size, stride=1, groups=1, act=nn.ReLU):
    layers = [nn.Conv2d(inputs, outputs, filter_size, stride, filter_size // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, act()) if act else nn.Sequential(*layers)


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride, groups=1, base=1):
        super().__init__()
        middle = width * base
        self.body = nn.Sequential(conv_norm(inputs, middle, 1), conv_norm(middle, middle, 3, stride, groups),
                                  conv_norm(middle, 4 * width, 1, act=None))
        self.side = conv_norm(inputs, 4 * width, 1, stride, act=None) if stride > 1 or inputs != 4 * width else nn.Identity()

    def forward(self, x):
        return F.relu(self.body(x) + self.side(x))


def resnet(blocks, width, groups=1, base=1):
    layers, inputs = [conv_norm(3, width, 7, 2), nn.MaxPool2d(3, 2, 1)], width
    for stage, count in enumerate(blocks):
        for block in range(count):
            layers.append(Bottleneck(inputs, width << stage, 2 if stage and not block else 1, groups, base))
            inputs = 4 * (width << stage)
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 1000 if width == 64 else 10))


class SqueezeExcite(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, channels // 4, 1), nn.ReLU(),
                                  nn.Conv2d(channels // 4, channels, 1), nn.Hardsigmoid())

    def forward(self, x):
        return x * self.gate(x)


class Inverted(nn.Module):
    """MobileNetV3's and EfficientNet's block."""

    def __init__(self, inputs, outputs, expand, filter_size, stride, act, gate):
        super().__init__()
        middle = inputs * expand
        self.body = nn.Sequential(conv_norm(inputs, middle, 1, act=act), conv_norm(middle, middle, filter_size, stride, middle, act),
                                  SqueezeExcite(middle) if gate else nn.Identity(), conv_norm(middle, outputs, 1, act=None))
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.body(x) if self.adds else self.body(x)


def inverted_net(rows, stem, act):
    layers, inputs = [conv_norm(3, stem, 3, 2, act=act)], stem
    for outputs, expand, filter_size, stride, gate in rows:
        layers.append(Inverted(inputs, outputs, expand, filter_size, stride, act, gate))
        inputs = outputs
    return nn.Sequential(*layers, conv_norm(inputs, 6 * inputs, 1, act=act), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(6 * inputs, 10))


MOBILE = [(16, 1, 3, 2, True), (24, 4, 3, 2, False), (24, 3, 3, 1, False), (40, 4, 5, 2, True), (40, 6, 5, 1, True), (48, 3, 5, 1, True),
          (96, 6, 5, 2, True), (96, 6, 5, 1, True)]
EFFICIENT = [(16, 1, 3, 1, True), (24, 6, 3, 2, True), (24, 6, 3, 1, True), (40, 6, 5, 2, True), (40, 6, 5, 1, True), (80, 6, 3, 2, True),
             (112, 6, 5, 1, True), (192, 6, 5, 2, True), (320, 6, 3, 1, True)]


class ConvNextBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.depth, self.norm = nn.Conv2d(width, width, 7, padding=3, groups=width), nn.LayerNorm(width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.scale = nn.Parameter(torch.rand(width))

    def forward(self, x):
        y = self.norm(self.depth(x).permute(0, 2, 3, 1))
        return x + (self.scale * self.narrow(F.gelu(self.wide(y)))).permute(0, 3, 1, 2)


def convnext(blocks, widths):
    layers = [nn.Conv2d(3, widths[0], 4, 4)]
    for stage, (count, width) in enumerate(zip(blocks, widths)):
        if stage:
            layers.append(nn.Conv2d(widths[stage - 1], width, 2, 2))
        layers += [ConvNextBlock(width) for _ in range(count)]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(widths[-1], 10))


class Attention(nn.Module):
    def __init__(self, width, heads, causal=False):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x, memory=None):
        memory = x if memory is None else memory
        n, t, c = x.shape
        q, k, v = (p(y).reshape(n, -1, self.heads, c // self.heads).transpose(1, 2)
                   for p, y in ((self.q, x), (self.k, memory), (self.v, memory)))
        scores = q @ k.transpose(-2, -1) / (c // self.heads) ** 0.5
        if self.causal:
            scores = scores + torch.triu(torch.full((t, t), float("-inf")), 1)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(n, t, c))


class Block(nn.Module):
    def __init__(self, width, heads, causal=False, before=True, act=F.gelu):
        super().__init__()
        self.attention, self.one, self.two = Attention(width, heads, causal), nn.LayerNorm(width), nn.LayerNorm(width)
        self.wide, self.narrow, self.before, self.act = nn.Linear(width, 4 * width), nn.Linear(4 * width, width), before, act

    def forward(self, x):
        if self.before:
            x = x + self.attention(self.one(x))
            return x + self.narrow(self.act(self.wide(self.two(x))))
        x = self.one(x + self.attention(x))
        return self.two(x + self.narrow(self.act(self.wide(x))))


class Words(nn.Module):
    """BERT with a head for classes, or GPT-2 with logits."""

    def __init__(self, layers, width, heads, words, tokens, causal):
        super().__init__()
        self.words, self.places, self.norm = nn.Embedding(words, width), nn.Embedding(tokens, width), nn.LayerNorm(width)
        act = (lambda x: F.gelu(x)) if not causal else (lambda x: 0.5 * x * (1 + torch.tanh(0.7978845608 * (x + 0.044715 * x ** 3))))
        self.blocks = nn.Sequential(*[Block(width, heads, causal, causal, act) for _ in range(layers)])
        self.head, self.causal = nn.Linear(width, words if causal else 2), causal

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1]))
        if not self.causal:
            x = self.norm(x)
        x = self.blocks(x)
        return self.head(self.norm(x)) if self.causal else self.head(x[:, 0].tanh())


class ViT(nn.Module):
    def __init__(self, layers, width, heads, image, patch):
        super().__init__()
        self.patch = nn.Conv2d(3, width, patch, patch)
        self.first, self.places = nn.Parameter(torch.randn(1, 1, width)), nn.Parameter(torch.randn(1, (image // patch) ** 2 + 1, width))
        self.blocks, self.norm, self.head = nn.Sequential(*[Block(width, heads) for _ in range(layers)]), nn.LayerNorm(width), nn.Linear(width, 10)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(x.shape[0], -1, -1), x], 1) + self.places
        return self.head(self.norm(self.blocks(x))[:, 0])


class UNet(nn.Module):
    def __init__(self, width):
        super().__init__()
        def two(inputs, outputs):
            return nn.Sequential(conv_norm(inputs, outputs, 3), conv_norm(outputs, outputs, 3))
        self.down = nn.ModuleList([two(3, width), two(width, 2 * width), two(2 * width, 4 * width)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(4 * width, 2 * width, 2, 2), nn.ConvTranspose2d(2 * width, width, 2, 2)])
        self.join, self.out = nn.ModuleList([two(4 * width, 2 * width), two(2 * width, width)]), nn.Conv2d(width, 2, 1)

    def forward(self, x):
        a = self.down[0](x)
        b = self.down[1](F.max_pool2d(a, 2))
        x = self.down[2](F.max_pool2d(b, 2))
        x = self.join[0](torch.cat([self.up[0](x), b], 1))
        return self.out(self.join[1](torch.cat([self.up[1](x), a], 1)))


class Recommender(nn.Module):
    """DLRM: dense features, tables, pairwise products."""

    def __init__(self, tables, rows, width):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding(rows, width) for _ in range(tables)])
        self.dense = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, width), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(width + (tables + 1) ** 2, 64), nn.ReLU(), nn.Linear(64, 1), nn.Sigmoid())

    def forward(self, dense, *ids):
        x = self.dense(dense)
        all_of = torch.stack([x] + [table(of) for table, of in zip(self.tables, ids)], 1)
        return self.top(torch.cat([x, (all_of @ all_of.transpose(1, 2)).flatten(1)], 1))


class PointNet(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.points = nn.Sequential(nn.Conv1d(3, width, 1), nn.BatchNorm1d(width), nn.ReLU(), nn.Conv1d(width, 4 * width, 1), nn.ReLU())
        self.head = nn.Sequential(nn.Linear(4 * width, width), nn.ReLU(), nn.Linear(width, 10), nn.LogSoftmax(-1))

    def forward(self, x):
        return self.head(self.points(x).max(-1)[0])


class DiTBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention, self.modulate = Attention(width, heads), nn.Sequential(nn.SiLU(), nn.Linear(width, 6 * width))
        self.norm, self.mlp = nn.LayerNorm(width, elementwise_affine=False), nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x, c):
        s1, g1, b1, s2, g2, b2 = self.modulate(c).unsqueeze(1).chunk(6, -1)
        x = x + g1 * self.attention(self.norm(x) * (1 + s1) + b1)
        return x + g2 * self.mlp(self.norm(x) * (1 + s2) + b2)


class DiffusionBlock(nn.Module):
    """A residual block of a diffusion U-Net with group norms, and attention over pixels."""

    def __init__(self, width):
        super().__init__()
        self.one, self.two = nn.GroupNorm(4, width), nn.GroupNorm(4, width)
        self.first, self.second = nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.time, self.attention = nn.Linear(32, width), Attention(width, 4)

    def forward(self, x, t):
        y = self.first(F.silu(self.one(x))) + self.time(F.silu(t))[:, :, None, None]
        x = x + self.second(F.silu(self.two(y)))
        n, c, h, w = x.shape
        return x + self.attention(x.flatten(2).transpose(1, 2)).transpose(1, 2).reshape(n, c, h, w)


class Speech(nn.Module):
    """Convolutions over time, then a transformer: wav2vec 2 and Whisper's encoder."""

    def __init__(self, width, heads, layers):
        super().__init__()
        self.features = nn.Sequential(nn.Conv1d(1, width, 10, 5), nn.GELU(), nn.Conv1d(width, width, 3, 2), nn.GELU(), nn.Conv1d(width, width, 3, 2), nn.GELU())
        self.places, self.blocks = nn.Conv1d(width, width, 15, padding=7, groups=4), nn.Sequential(*[Block(width, heads) for _ in range(layers)])

    def forward(self, x):
        x = self.features(x)
        return self.blocks((x + F.gelu(self.places(x))).transpose(1, 2))


class Llama(nn.Module):
    """RMS norms, rotary positions, grouped queries, a gated MLP."""

    def __init__(self, width, heads, groups, ffn):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.gain = nn.Parameter(torch.rand(width))
        self.q, self.kv, self.out = nn.Linear(width, width, False), nn.Linear(width, 2 * groups * self.size, False), nn.Linear(width, width, False)
        self.gate, self.up, self.down = nn.Linear(width, ffn, False), nn.Linear(width, ffn, False), nn.Linear(ffn, width, False)

    def norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.gain

    def rotated(self, x):
        t, half = x.shape[2], self.size // 2
        angles = torch.arange(t)[:, None] / 10000 ** (torch.arange(half) / half)
        cos, sin = angles.cos(), angles.sin()
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

    def forward(self, x):
        n, t, c = x.shape
        y = self.norm(x)
        q = self.rotated(self.q(y).reshape(n, t, self.heads, self.size).transpose(1, 2))
        k, v = self.kv(y).reshape(n, t, 2 * self.groups, self.size).transpose(1, 2).chunk(2, 1)
        k, v = (z[:, :, None].expand(-1, -1, self.heads // self.groups, -1, -1).reshape(n, self.heads, t, self.size) for z in (self.rotated(k), v))
        scores = q @ k.transpose(-2, -1) / self.size ** 0.5 + torch.triu(torch.full((t, t), float("-inf")), 1)
        x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(n, t, c))
        y = self.norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Encdec(nn.Module):
    """T5's and Whisper's decoder layer: attention to itself and to an encoder's outputs."""

    def __init__(self, width, heads):
        super().__init__()
        self.own, self.other, self.block = Attention(width, heads, True), Attention(width, heads), Block(width, heads)

    def forward(self, x, memory):
        memory = self.block(memory)
        x = x + self.own(x)
        return x + self.other(x, memory)


def image(batch, side):
    return torch.randn(batch, 3, side, side)


# name: small, full; each (module, inputs)
ARCHITECTURES = {
    "resnet50": lambda full, n: (resnet([3, 4, 6, 3], 64) if full else resnet([1, 2, 1, 1], 16), (image(n, 224 if full else 32),)),
    "resnext": lambda full, n: (resnet([3, 4, 6, 3], 64, 32, 2) if full else resnet([1, 1, 1, 1], 16, 8, 2), (image(n, 224 if full else 32),)),
    "mobilenet_v3": lambda full, n: (inverted_net(MOBILE, 16, nn.Hardswish), (image(n, 224 if full else 32),)),
    "efficientnet": lambda full, n: (inverted_net(EFFICIENT if full else EFFICIENT[:4], 32, nn.SiLU), (image(n, 224 if full else 32),)),
    "convnext": lambda full, n: (convnext([3, 3, 9, 3], [96, 192, 384, 768]) if full else convnext([1, 1, 2, 1], [24, 48, 96, 192]), (image(n, 224 if full else 64),)),
    "vit": lambda full, n: (ViT(12, 768, 12, 224, 16) if full else ViT(2, 64, 4, 32, 8), (image(n, 224 if full else 32),)),
    "unet": lambda full, n: (UNet(64 if full else 8), (image(n, 256 if full else 32),)),
    "bert": lambda full, n: (Words(12, 768, 12, 30522, 512, False) if full else Words(2, 64, 4, 100, 32, False), (torch.randint(0, 100, (n, 384 if full else 24)),)),
    "gpt2": lambda full, n: (Words(12, 768, 12, 50257, 1024, True) if full else Words(2, 64, 4, 100, 32, True), (torch.randint(0, 100, (n, 1024 if full else 24)),)),
    "llama_layer": lambda full, n: (Llama(4096, 32, 8, 14336) if full else Llama(64, 8, 2, 172), (torch.randn(n, 512 if full else 20, 4096 if full else 64),)),
    "encoder_decoder": lambda full, n: (Encdec(512, 8) if full else Encdec(64, 4), (torch.randn(n, 128 if full else 12, 512 if full else 64), torch.randn(n, 256 if full else 20, 512 if full else 64))),
    "dlrm": lambda full, n: (Recommender(26 if full else 4, 10000 if full else 50, 64 if full else 16), (torch.randn(n, 13), *(torch.randint(0, 50, (n,)) for _ in range(26 if full else 4)))),
    "pointnet": lambda full, n: (PointNet(64 if full else 16), (torch.randn(n, 3, 1024 if full else 40),)),
    "dit_block": lambda full, n: (DiTBlock(1152, 16) if full else DiTBlock(64, 4), (torch.randn(n, 256 if full else 16, 1152 if full else 64), torch.randn(n, 1152 if full else 64))),
    "diffusion_block": lambda full, n: (DiffusionBlock(320 if full else 16), (torch.randn(n, 320 if full else 16, 32 if full else 8, 32 if full else 8), torch.randn(n, 32))),
    "speech": lambda full, n: (Speech(512, 8, 4) if full else Speech(32, 4, 1), (torch.randn(n, 1, 16000 if full else 400),)),
    "mlp_mixer": lambda full, n: (Mixer(512, 196) if full else Mixer(32, 16), (torch.randn(n, 196 if full else 16, 512 if full else 32),)),
    **SEQUENCES,
}


class Mixer(nn.Module):
    def __init__(self, width, tokens):
        super().__init__()
        self.one, self.two = nn.LayerNorm(width), nn.LayerNorm(width)
        self.across = nn.Sequential(nn.Linear(tokens, 2 * tokens), nn.GELU(), nn.Linear(2 * tokens, tokens))
        self.along = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        x = x + self.across(self.one(x).transpose(1, 2)).transpose(1, 2)
        return x + self.along(self.two(x))


def export(name, file, full=False, batch=1):
    """The module and its inputs; the file has them as in0, in1, ..."""
    torch.manual_seed(1)
    module, inputs = ARCHITECTURES[name](full, batch)
    for layer in module.modules():
        if isinstance(layer, (nn.BatchNorm1d, nn.BatchNorm2d)):
            layer.running_mean.uniform_(-0.1, 0.1)
            layer.running_var.uniform_(0.5, 2)
    module.eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, inputs, file, input_names=[f"in{i}" for i in range(len(inputs))], output_names=["out"])
    return module, inputs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(ARCHITECTURES))
    parser.add_argument("file")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--batch", type=int, default=1)
    arguments = parser.parse_args()
    export(arguments.name, arguments.file, arguments.full, arguments.batch)


if __name__ == "__main__":
    main()
