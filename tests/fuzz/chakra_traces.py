# SPDX-License-Identifier: Apache-2.0
"""Random execution traces in the Chakra schema whose ranks agree, so that a replay must end: every collective and message stands in
the same order in the traces of all its ranks."""

COMPUTE, SEND, RECEIVE, COLLECTIVE = 4, 5, 6, 7
COLLECTIVES = [0, 2, 6, 7]  # all_reduce, all_gather, all_to_all, reduce_scatter


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    """An attribute: int64, string or bool by the type of the value."""
    number = 27 if isinstance(value, bool) else 9 if isinstance(value, int) else 29
    return field(10, field(1, name.encode()) + field(number, int(value) if isinstance(value, int) else value.encode()))


def trace_bytes(nodes):
    """nodes: (id, kind, dependences, microseconds, {attribute: value})"""
    body = field(1, b"0.0.4")
    out = [varint(len(body)), body]
    for number, kind, after, micros, attributes in nodes:
        body = field(1, number) + field(2, f"node{number}".encode()) + field(3, kind)
        body += b"".join(field(5, other) for other in after) + field(7, micros)
        body += b"".join(attribute(name, value) for name, value in attributes.items())
        out += [varint(len(body)), body]
    return b"".join(out)


class Ranks:
    """The nodes of all ranks, grown in one global order, which is an order in which a replay can perform them."""

    def __init__(self, rng, count):
        self.rng, self.nodes = rng, [[] for _ in range(count)]

    def add(self, rank, kind, micros, attributes):
        mine = self.nodes[rank]
        # After the one before, or after any earlier ones. Numbers have gaps.
        others = [node[0] for node in mine]
        last = others[-1:]
        after = last if self.rng.random() < 0.7 else self.rng.sample(others, min(len(others), self.rng.randint(0, 2)))
        mine.append((len(mine) * 3 + 1, kind, after, micros, attributes))

    def compute(self):
        rank = self.rng.randrange(len(self.nodes))
        self.add(rank, COMPUTE, self.rng.choice([0, 1, 17, 400]), {"is_cpu_op": self.rng.random() < 0.2, "num_ops":
                 self.rng.choice([0, 10**6, 10**9]), "tensor_size": self.rng.choice([0, 64, 10**6])})

    def collective(self):
        kind, size = self.rng.choice(COLLECTIVES), self.rng.choice([1, 64, 1000, 65536, 1 << 20])
        for rank in range(len(self.nodes)):
            self.add(rank, COLLECTIVE, 0, {"comm_type": kind, "comm_size": size})

    def message(self):
        if len(self.nodes) < 2:
            return
        source, target = self.rng.sample(range(len(self.nodes)), 2)
        size, tag = self.rng.choice([1, 64, 4096, 1 << 18]), self.rng.randint(0, 2)
        self.add(source, SEND, 0, {"comm_src": source, "comm_dst": target, "comm_size": size, "comm_tag": tag})
        self.add(target, RECEIVE, 0, {"comm_src": source, "comm_dst": target, "comm_size": size, "comm_tag": tag})


def write(rng, folder):
    """Writes random traces into a folder; returns the prefix, the number of ranks, and the recorded microseconds of each rank's
    computations, on its host or on its device, whichever has more."""
    ranks = Ranks(rng, rng.choice([1, 2, 2, 4, 8]))
    for _ in range(rng.randint(1, 30)):
        rng.choice([ranks.compute, ranks.compute, ranks.collective, ranks.message])()
    for number, nodes in enumerate(ranks.nodes):
        (folder / f"trace.{number}.et").write_bytes(trace_bytes(nodes))
    # Host and device work beside each other.
    recorded = [max(sum(node[3] for node in nodes if node[1] == COMPUTE and node[4]["is_cpu_op"] == on_host)
                    for on_host in (False, True)) for nodes in ranks.nodes]
    return folder / "trace", len(ranks.nodes), recorded
