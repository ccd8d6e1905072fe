"""Computes the cost of a placement and checks whether it is valid. Uses no code of Topoloom, and only the distances of
the judge."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "independent"))
import judge

# Up to this many nodes a table of all distances is quicker than computing each.
TABLE = 1024


def distances(machine):
    """A function of two nodes."""
    n = machine.nodes
    if n <= TABLE:
        table = [machine.distance(a, b) for a in range(n) for b in range(n)]
        return lambda a, b: table[a * n + b]
    place = [machine.coord(node) for node in range(n)]
    if machine.kind == "haec":
        return machine.distance
    wraps = machine.kind == "torus"
    lengths = machine.dims

    def distance(a, b):
        hops = 0
        for x, y, length in zip(place[a], place[b], lengths):
            step = abs(x - y)
            hops += min(step, length - step) if wraps else step
        return hops
    return distance


def cost(graph, spec, node_of):
    """The sum over edges of weight times distance."""
    distance = distances(judge.Machine(spec))
    return sum(weight * distance(node_of[u], node_of[v]) for (u, v), weight in graph.edges.items())


def violation(graph, spec, node_of, imbalance):
    """What is wrong, in a few words; None if nothing is."""
    machine = judge.Machine(spec)
    if len(node_of) != graph.n:
        return f"{len(node_of)} places for {graph.n} ranks"
    held = [0] * machine.nodes
    for node in node_of:
        if not 0 <= node < machine.nodes:
            return f"no node {node}"
        held[node] += 1
    slots = machine.nodes * machine.slots
    most = machine.slots * (1 if imbalance is None else int((1 + imbalance) * -(-graph.n // slots)))
    return f"{max(held)} on a node, {most} allowed" if max(held) > most else None


def read_ours(path):
    with open(path) as f:
        return json.load(f)["node_of_rank"]


def read_scotch(path):
    """The number of lines, then vertex and target."""
    with open(path) as f:
        pairs = [tuple(map(int, line.split())) for line in list(f)[1:]]
    return [target for _, target in sorted(pairs)]


def read_list(path):
    with open(path) as f:
        return [int(line) for line in f]
