# SPDX-License-Identifier: Apache-2.0
"""Recurrent networks, transformers with parts of their own, and detectors, as in architectures.py: NAME -> (full, batch) -> (module, inputs)."""

import math

import torch
from torch import nn
from torch.nn import functional as F


class Tagger(nn.Module):
    """A bidirectional LSTM over embedded words."""

    def __init__(self, words, width, layers):
        super().__init__()
        self.words, self.out = nn.Embedding(words, width), nn.Linear(2 * width, 12)
        self.steps = nn.LSTM(width, width, layers, batch_first=True, bidirectional=True)

    def forward(self, ids):
        return self.out(self.steps(self.words(ids))[0])


class Keywords(nn.Module):
    """A GRU behind a convolution, its last state classified."""

    def __init__(self, bands, width):
        super().__init__()
        self.front, self.steps, self.out = nn.Conv1d(bands, width, 5, 2), nn.GRU(width, width), nn.Linear(width, 10)

    def forward(self, x):
        return self.out(self.steps(F.relu(self.front(x)).permute(2, 0, 1))[1][0])


class EinsumAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.project, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        q, k, v = (p.reshape(*x.shape[:2], self.heads, -1) for p in self.project(x).chunk(3, -1))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
        return self.out(torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v).flatten(2))


class SwinBlock(nn.Module):
    """Attention in shifted windows, with a bias for each relative position."""

    def __init__(self, width, heads, side, window):
        super().__init__()
        self.side, self.window, self.heads = side, window, heads
        self.norm, self.project, self.out = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.table = nn.Parameter(torch.randn((2 * window - 1) ** 2, heads))
        at = torch.stack(torch.meshgrid(torch.arange(window), torch.arange(window), indexing="ij")).flatten(1)
        apart = at[:, :, None] - at[:, None] + window - 1
        self.register_buffer("places", apart[0] * (2 * window - 1) + apart[1])

    def forward(self, x):
        b, _, width = x.shape
        s, w = self.side, self.window
        y = torch.roll(self.norm(x).view(b, s, s, width), (-w // 2, -w // 2), (1, 2))
        y = y.view(b, s // w, w, s // w, w, width).permute(0, 1, 3, 2, 4, 5).reshape(-1, w * w, width)
        q, k, v = self.project(y).view(-1, w * w, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        bias = self.table[self.places.view(-1)].view(w * w, w * w, self.heads).permute(2, 0, 1)
        y = ((q @ k.transpose(-2, -1) / (width // self.heads) ** 0.5 + bias).softmax(-1) @ v).transpose(1, 2).reshape(-1, w * w, width)
        y = self.out(y).view(b, s // w, s // w, w, w, width).permute(0, 1, 3, 2, 4, 5).reshape(b, s, s, width)
        return x + torch.roll(y, (w // 2, w // 2), (1, 2)).view(b, s * s, width)


class T5Layer(nn.Module):
    """RMS norms without a bias, buckets of relative positions, a gated feed-forward part."""

    def __init__(self, width, heads, hidden, tokens):
        super().__init__()
        self.heads, self.gain = heads, nn.Parameter(torch.rand(2, width))
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 2 * hidden, bias=False), nn.Linear(hidden, width, bias=False)
        self.bias = nn.Embedding(32, heads)
        apart = torch.arange(tokens)[None] - torch.arange(tokens)[:, None]
        far = 8 + (torch.log(apart.abs().clamp(min=1) / 8.0) / math.log(16) * 8).long().clamp(max=7)
        self.register_buffer("buckets", torch.where(apart.abs() < 8, apart.abs(), far) + 16 * (apart > 0))

    def norm(self, x, n):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.gain[n]

    def forward(self, x):
        q, k, v = (p.reshape(*x.shape[:2], self.heads, -1).transpose(1, 2) for p in self.qkv(self.norm(x, 0)).chunk(3, -1))
        scores = q @ k.transpose(-2, -1) + self.bias(self.buckets).permute(2, 0, 1)
        x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
        gate, up = self.up(self.norm(x, 1)).chunk(2, -1)
        return x + self.down(F.gelu(gate, approximate="tanh") * up)


class Wav2Vec(nn.Module):
    """Convolutions with group norm, a convolution over positions, one transformer layer."""

    def __init__(self, width, heads):
        super().__init__()
        self.front = nn.Sequential(nn.Conv1d(1, width, 10, 5), nn.GroupNorm(width, width), nn.GELU(), nn.Conv1d(width, width, 3, 2), nn.GELU())
        self.places = nn.Conv1d(width, width, 8, padding=4, groups=4)
        self.layer = nn.TransformerEncoderLayer(width, heads, 2 * width, activation="gelu", batch_first=True)

    def forward(self, x):
        x = self.front(x)
        return self.layer((x + F.gelu(self.places(x)[..., :-1])).transpose(1, 2))


class Detector(nn.Module):
    """Learned queries over the features of an image, boxes by sigmoid."""

    def __init__(self, width, heads, queries):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, width, 4, 4), nn.BatchNorm2d(width), nn.ReLU(), nn.Conv2d(width, width, 2, 2))
        self.queries = nn.Parameter(torch.randn(1, queries, width))
        self.decode = nn.TransformerDecoderLayer(width, heads, 2 * width, batch_first=True)
        self.boxes = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 4))

    def forward(self, x):
        memory = self.features(x).flatten(2).transpose(1, 2)
        return self.boxes(self.decode(self.queries.expand(x.shape[0], -1, -1), memory)).sigmoid()


class Yolo(nn.Module):
    """Two scales with an upsampling between, anchors, and the best boxes by their score."""

    def __init__(self, width, best):
        super().__init__()
        self.best = best
        self.fine = nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), nn.SiLU(), nn.Conv2d(width, width, 3, 2, 1), nn.SiLU())
        self.coarse = nn.Sequential(nn.Conv2d(width, 2 * width, 3, 2, 1), nn.SiLU())
        self.merge, self.head = nn.Conv2d(3 * width, width, 1), nn.Conv2d(width, 3 * 5, 1)

    def forward(self, x):
        fine = self.fine(x)
        coarse = F.interpolate(self.coarse(fine), scale_factor=2.0, mode="nearest")
        y = self.head(F.silu(self.merge(torch.cat([fine, coarse], 1))))
        rows = y.view(y.shape[0], 3, 5, -1).permute(0, 1, 3, 2).flatten(1, 2)
        scores = rows[..., 4].sigmoid().topk(self.best)[0]
        return torch.cat([rows[..., :4].sigmoid().mean(1), scores], 1)


class Mamba(nn.Module):
    """The selective scan as a loop over the tokens of an exported graph."""

    def __init__(self, width, state):
        super().__init__()
        self.enter, self.leave = nn.Linear(width, 2 * width), nn.Linear(width, width)
        self.mix = nn.Conv1d(width, width, 4, padding=3, groups=width)
        self.select, self.delta = nn.Linear(width, 2 * state + width), nn.Parameter(torch.rand(width))
        self.decay, self.skip = nn.Parameter(-torch.rand(width, state) - 0.5), nn.Parameter(torch.rand(width))
        self.state = state

    def forward(self, x):
        u, gate = self.enter(x).chunk(2, -1)
        u = F.silu(self.mix(u.transpose(1, 2))[..., : x.shape[1]].transpose(1, 2))
        b, c, step = self.select(u).split([self.state, self.state, u.shape[-1]], -1)
        step = F.softplus(step + self.delta)
        h, out = torch.zeros(x.shape[0], u.shape[-1], self.state), []
        for t in range(x.shape[1]):
            h = torch.exp(step[:, t, :, None] * self.decay) * h + (step[:, t] * u[:, t])[..., None] * b[:, t, None]
            out.append((h * c[:, t, None]).sum(-1))
        return self.leave((torch.stack(out, 1) + self.skip * u) * F.silu(gate))


class JointBlock(nn.Module):
    """SD3's block: text and image attend together, each with weights of its own, modulated by a condition."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(2))
        self.out = nn.ModuleList(nn.Linear(width, width) for _ in range(2))
        self.condition = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(2))
        self.norm = nn.LayerNorm(width, elementwise_affine=False)

    def forward(self, image, text, condition):
        parts, gates = [], []
        for x, qkv, modulate in zip((image, text), self.qkv, self.condition):
            shift, scale, gate = modulate(F.silu(condition))[:, None].chunk(3, -1)
            parts.append(qkv(self.norm(x) * (1 + scale) + shift).reshape(*x.shape[:2], 3, self.heads, -1))
            gates.append(gate)
        q, k, v = torch.cat(parts, 1).permute(2, 0, 3, 1, 4)
        y = ((q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1) @ v).transpose(1, 2).flatten(2)
        n = image.shape[1]
        return torch.cat([image + gates[0] * self.out[0](y[:, :n]), text + gates[1] * self.out[1](y[:, n:])], 1)


class Experts(nn.Module):
    """Every expert computes every token; the two best by the router count."""

    def __init__(self, width, experts):
        super().__init__()
        self.router = nn.Linear(width, experts, bias=False)
        self.up, self.down = nn.Parameter(torch.randn(experts, width, 2 * width) / 8), nn.Parameter(torch.randn(experts, 2 * width, width) / 8)

    def forward(self, x):
        scores, chosen = self.router(x).softmax(-1).topk(2, -1)
        share = (F.one_hot(chosen, self.up.shape[0]).to(x.dtype) * scores[..., None]).sum(-2)
        y = torch.einsum("teh,ehd->ted", F.silu(torch.einsum("td,edh->teh", x, self.up)), self.down)
        return (y * share[..., None]).sum(-2)


class Graphs(nn.Module):
    """Graph convolutions over a dense adjacency matrix, and an attention over neighbours."""

    def __init__(self, width):
        super().__init__()
        self.one, self.two, self.side = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(2 * width, 1)

    def forward(self, x, edges):
        degree = edges.sum(-1, keepdim=True).clamp(min=1)
        h = F.relu(self.one(edges @ x / degree))
        n = h.shape[1]
        pairs = torch.cat([h[:, :, None].expand(-1, -1, n, -1), h[:, None].expand(-1, n, -1, -1)], -1)
        scores = F.leaky_relu(self.side(pairs).squeeze(-1)).masked_fill(edges == 0, -1e9)
        return self.two(scores.softmax(-1) @ h).amax(1)


class WaveNet(nn.Module):
    """Causal dilated convolutions with gates."""

    def __init__(self, width, layers):
        super().__init__()
        self.front, self.out = nn.Conv1d(1, width, 1), nn.Conv1d(width, 16, 1)
        self.layers = nn.ModuleList(nn.Conv1d(width, 2 * width, 2, dilation=1 << n) for n in range(layers))

    def forward(self, x):
        x, total = self.front(x), 0
        for n, layer in enumerate(self.layers):
            a, b = layer(F.pad(x, (1 << n, 0))).chunk(2, 1)
            y = torch.tanh(a) * torch.sigmoid(b)
            x, total = x + y, total + y
        return self.out(F.relu(total))


class TwoTowers(nn.Module):
    """CLIP: both embeddings normalised, their products scaled."""

    def __init__(self, width, words):
        super().__init__()
        self.image = nn.Sequential(nn.Conv2d(3, width, 8, 8), nn.GELU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, width))
        self.words, self.text, self.scale = nn.Embedding(words, width), nn.Linear(width, width), nn.Parameter(torch.tensor(2.0))

    def forward(self, image, ids):
        last = torch.arange(ids.shape[1]) == ids.shape[1] - 1
        i, t = self.image(image), self.text((self.words(ids) * last[:, None]).sum(1))
        return self.scale.exp() * F.normalize(i, dim=-1) @ F.normalize(t, dim=-1).t()


class AlexNet(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, width, 5, 2), nn.ReLU(), nn.LocalResponseNorm(5), nn.MaxPool2d(3, 2), nn.Conv2d(width, 2 * width, 3, groups=2),
                                  nn.ReLU(), nn.LocalResponseNorm(5), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2 * width, 10))

    def forward(self, x):
        return self.body(x)


class ShuffleBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        half = width // 2
        self.body = nn.Sequential(nn.Conv2d(half, half, 1), nn.ReLU(), nn.Conv2d(half, half, 3, padding=1, groups=half), nn.Conv2d(half, half, 1))

    def forward(self, x):
        a, b = x.chunk(2, 1)
        x = torch.cat([a, self.body(b)], 1)
        n, width, *image = x.shape
        return x.reshape(n, 2, width // 2, *image).transpose(1, 2).reshape(x.shape)


class DenseBlock(nn.Module):
    def __init__(self, width, growth, layers):
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(nn.BatchNorm2d(width + n * growth), nn.ReLU(), nn.Conv2d(width + n * growth, growth, 3, padding=1))
                                    for n in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = torch.cat([x, layer(x)], 1)
        return F.avg_pool2d(x, 2)


class Segmenter(nn.Module):
    """A pyramid of features, upsampled and summed."""

    def __init__(self, width):
        super().__init__()
        self.downs = nn.ModuleList([nn.Conv2d(3, width, 3, 2, 1), nn.Conv2d(width, width, 3, 2, 1), nn.Conv2d(width, width, 3, 2, 1)])
        self.sides, self.out = nn.ModuleList(nn.Conv2d(width, width, 1) for _ in range(3)), nn.Conv2d(width, 5, 1)

    def forward(self, x):
        maps = []
        for down in self.downs:
            x = F.relu(down(x))
            maps.append(x)
        total = self.sides[2](maps[2])
        for n in (1, 0):
            total = self.sides[n](maps[n]) + F.interpolate(total, scale_factor=2.0, mode="bilinear", align_corners=False)
        return self.out(total).softmax(1)


class Autoencoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(3, width, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(width, 2 * width, 4, 2, 1), nn.InstanceNorm2d(2 * width, affine=True))
        self.up = nn.Sequential(nn.ConvTranspose2d(2 * width, width, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(width, 3, 4, 2, 1), nn.Tanh())

    def forward(self, x):
        return self.up(self.down(x))


class Video(nn.Module):
    """A residual block of R3D: convolutions over time and space."""

    def __init__(self, width):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv3d(3, width, (3, 7, 7), (1, 2, 2), (1, 3, 3)), nn.BatchNorm3d(width), nn.ReLU(), nn.MaxPool3d(2))
        self.body = nn.Sequential(nn.Conv3d(width, width, 3, padding=1, groups=2), nn.ReLU(), nn.Conv3d(width, width, 3, padding=1))
        self.out = nn.Sequential(nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(width, 10))

    def forward(self, x):
        x = self.stem(x)
        return self.out(F.relu(x + self.body(x)))


def image(n, side):
    return torch.randn(n, 3, side, side)


def words(n, tokens):
    return torch.randint(0, 50, (n, tokens))


SEQUENCES = {
    "lstm_tagger": lambda full, n: (Tagger(10000, 512, 2) if full else Tagger(50, 24, 2), (words(n, 64 if full else 9),)),
    "gru_keywords": lambda full, n: (Keywords(80, 256) if full else Keywords(12, 20), (torch.randn(n, 80 if full else 12, 200 if full else 25),)),
    "einsum_attention": lambda full, n: (EinsumAttention(768, 12) if full else EinsumAttention(48, 4), (torch.randn(n, 512 if full else 10, 768 if full else 48),)),
    "swin_block": lambda full, n: (SwinBlock(96, 3, 56, 7) if full else SwinBlock(24, 3, 8, 4), (torch.randn(n, 3136 if full else 64, 96 if full else 24),)),
    "t5_layer": lambda full, n: (T5Layer(512, 8, 1024, 512) if full else T5Layer(32, 4, 48, 14), (torch.randn(n, 512 if full else 14, 512 if full else 32),)),
    "wav2vec": lambda full, n: (Wav2Vec(512, 8) if full else Wav2Vec(32, 4), (torch.randn(n, 1, 16000 if full else 200),)),
    "detr": lambda full, n: (Detector(256, 8, 100) if full else Detector(32, 4, 6), (image(n, 256 if full else 32),)),
    "yolo": lambda full, n: (Yolo(64, 100) if full else Yolo(8, 5), (image(n, 256 if full else 16),)),
    "mamba": lambda full, n: (Mamba(512, 16) if full else Mamba(24, 8), (torch.randn(n, 64 if full else 7, 512 if full else 24),)),
    "sd3_block": lambda full, n: (JointBlock(1536, 24) if full else JointBlock(48, 4),
                                  (torch.randn(n, 1024 if full else 16, 1536 if full else 48), torch.randn(n, 154 if full else 6, 1536 if full else 48),
                                   torch.randn(n, 1536 if full else 48))),
    "experts": lambda full, n: (Experts(512, 8) if full else Experts(24, 4), (torch.randn(128 * n if full else 5 * n, 512 if full else 24),)),
    "graph_attention": lambda full, n: (Graphs(128) if full else Graphs(16), (torch.randn(n, 64 if full else 9, 128 if full else 16),
                                                                              (torch.rand(n, 64 if full else 9, 64 if full else 9) > 0.6).float())),
    "wavenet": lambda full, n: (WaveNet(128, 8) if full else WaveNet(12, 4), (torch.randn(n, 1, 8000 if full else 60),)),
    "clip": lambda full, n: (TwoTowers(512, 40000) if full else TwoTowers(24, 50), (image(n, 224 if full else 16), words(n, 77 if full else 7))),
    "alexnet": lambda full, n: (AlexNet(64 if full else 8), (image(n, 224 if full else 24),)),
    "shufflenet_block": lambda full, n: (ShuffleBlock(128 if full else 12), (torch.randn(n, 128 if full else 12, 28 if full else 6, 28 if full else 6),)),
    "densenet_block": lambda full, n: (DenseBlock(64, 32, 6) if full else DenseBlock(8, 4, 3), (torch.randn(n, 64 if full else 8, 56 if full else 8, 56 if full else 8),)),
    "fpn_segmenter": lambda full, n: (Segmenter(128 if full else 8), (image(n, 256 if full else 16),)),
    "video": lambda full, n: (Video(64 if full else 8), (torch.randn(n, 3, 16 if full else 4, 112 if full else 16, 112 if full else 16),)),
    "autoencoder": lambda full, n: (Autoencoder(64 if full else 8), (image(n, 128 if full else 16),)),
}
