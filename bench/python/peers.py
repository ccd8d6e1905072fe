"""The same placements with the Python interfaces of Topoloom, KaHIP and Mt-KaHyPar: lines of code, seconds and cost.

    python bench/python/peers.py [--seeds 3] [--limit 200] [--tasks NAME,...] [--tools NAME,...]

It prints a Markdown table, and what it does on standard error. It needs topoloom, numpy, scipy, and the packages to
compare: pip install kahip mtkahypar. README.md says what is compared, and how.
"""

import argparse
import ast
import importlib
import inspect
import json
import os
import statistics
import subprocess
import sys
import textwrap
import time
from dataclasses import dataclass

import numpy
import scipy.io
import scipy.sparse
import scipy.spatial

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


# What a user writes. The body of each function counts as the lines of a tool, without blank lines and comments.

def topoloom_map(matrix, machine, imbalance, setting, seed):
    import topoloom

    mapping = topoloom.map(
        matrix, machine.specification, imbalance=imbalance, effort=setting, seed=seed, threads=1)
    return mapping.nodes


def kahip_blocks(matrix, machine, imbalance, setting, seed):
    import kahip

    both = (matrix + matrix.T).tocsr()
    # Weights are 32-bit integers. Large ones make it slow.
    weight = numpy.maximum(1, numpy.rint(both.data * 2**22 / both.sum())).astype(int)
    # Block i is put on node i.
    cut, block = kahip.kaffpa(
        [1] * matrix.shape[0], both.indptr, weight, both.indices, machine.nodes, imbalance, True, seed,
        getattr(kahip, setting))
    return block


def kahip_levels(matrix, machine, imbalance, setting, seed):
    import kahip

    both = (matrix + matrix.T).tocsr()
    both.data = numpy.maximum(1, numpy.rint(both.data * 2**22 / both.sum())).astype(int)
    parts, room = [numpy.arange(matrix.shape[0])], (1 + imbalance) * matrix.shape[0]
    # The outermost level first: each part is cut into the groups of the next level, and `room` is the capacity of a
    # group.
    for groups in reversed(machine.groups):
        smaller, room = [], room / groups
        for ranks in parts:
            inside = both[ranks][:, ranks]
            spare = max(0, room / numpy.ceil(len(ranks) / groups) - 1 - 1e-9)
            cut, block = kahip.kaffpa(
                [1] * len(ranks), inside.indptr, inside.data, inside.indices, groups, spare, True, seed,
                getattr(kahip, setting))
            smaller += [ranks[numpy.equal(block, number)] for number in range(groups)]
        parts = smaller
    node = numpy.empty(matrix.shape[0], dtype=int)
    for number, ranks in enumerate(parts):
        node[ranks] = number
    return node


def mtkahypar_map(matrix, machine, imbalance, setting, seed):
    import mtkahypar

    library = mtkahypar.initialize(1)
    mtkahypar.set_seed(seed)
    context = library.context_from_preset(getattr(mtkahypar.PresetType, setting))
    context.set_mapping_parameters(machine.nodes, imbalance)
    upper = scipy.sparse.triu(matrix + matrix.T, 1).tocoo()
    # Weights are 32-bit integers, and the sum of weights times distances should fit in 32 bits too.
    weight = numpy.maximum(1, numpy.rint(upper.data * 2**30 / (upper.sum() * machine.farthest))).astype(int)
    graph = library.create_graph(
        context, matrix.shape[0], upper.nnz, list(zip(upper.row, upper.col)), [1] * matrix.shape[0], weight)
    target = library.create_target_graph(
        context, machine.nodes, len(machine.links), machine.links, machine.lengths)
    return graph.map_onto_graph(target, context).get_partition()


@dataclass
class Tool:
    title: str
    module: str
    function: object
    settings: list
    trees_only: bool = False


TOOLS = {
    "topoloom": Tool("Topoloom", "topoloom", topoloom_map, ["fast", "eco", "strong"]),
    "kahip-blocks": Tool("KaHIP, partition only", "kahip", kahip_blocks, ["ECO", "STRONG"]),
    "kahip-levels": Tool("KaHIP, a cut per level", "kahip", kahip_levels, ["ECO", "STRONG"], trees_only=True),
    "mtkahypar": Tool("Mt-KaHyPar", "mtkahypar", mtkahypar_map, ["DEFAULT", "QUALITY", "HIGHEST_QUALITY"]),
}


# What is placed, and where.

@dataclass
class Machine:
    """A machine, with everything prepared that a tool may need. These lines do not count for any tool."""

    specification: str
    distance: numpy.ndarray
    links: list
    groups: list

    @property
    def nodes(self):
        return len(self.distance)

    @property
    def farthest(self):
        return int(self.distance.max())

    @property
    def lengths(self):
        return [int(self.distance[a, b]) for a, b in self.links]


def torus(*lengths):
    place = numpy.indices(lengths).reshape(len(lengths), -1)
    distance = numpy.zeros((place.shape[1],) * 2, dtype=numpy.int32)
    for coordinate, length in zip(place, lengths):
        apart = abs(coordinate[:, None] - coordinate)
        distance += numpy.minimum(apart, length - apart).astype(numpy.int32)
    links = numpy.argwhere(numpy.triu(distance == 1)).tolist()
    return Machine("torus:" + "x".join(map(str, lengths)), distance, links, [])


def tree(groups, distances):
    """Groups in groups, the innermost first. As a graph, it is complete: no way over a third node is shorter."""
    node = numpy.arange(numpy.prod(groups))
    distance, size = numpy.zeros((len(node),) * 2, dtype=numpy.int32), 1
    for count, apart in zip(groups, distances):
        distance[node[:, None] // size != node // size] = apart
        size *= count
    links = numpy.argwhere(numpy.triu(distance)).tolist()
    words = [":".join(map(str, numbers)) for numbers in (groups, distances)]
    return Machine("tree:{},distances={}".format(*words), distance, links, list(groups))


def lulesh():
    return scipy.sparse.csr_matrix(scipy.io.mmread(os.path.join(ROOT, "examples", "lulesh-64.mtx")), dtype=float)


def geometric():
    """4,096 points of a square. Those nearer than a radius exchange 1 to 100 kB; numbers say nothing about places."""
    random = numpy.random.default_rng(1)
    points = random.random((4096, 2))
    pairs = scipy.spatial.cKDTree(points).query_pairs(0.55 * numpy.sqrt(numpy.log(4096) / 4096), output_type="ndarray")
    size = 1000.0 * random.integers(1, 101, len(pairs))
    one_way = scipy.sparse.coo_matrix((size, (pairs[:, 0], pairs[:, 1])), shape=(4096, 4096))
    return (one_way + one_way.T).tocsr()


@dataclass
class Task:
    title: str
    matrix: object
    machine: object
    most: int

    def load(self):
        """The matrix, the machine, and the imbalance that lets a node take one rank more than its share, if shared."""
        matrix, machine = self.matrix(), self.machine()
        return matrix, machine, self.most * machine.nodes / matrix.shape[0] - 1


TASKS = {
    "lulesh-torus": Task("LULESH, 64 ranks, torus 4x4x4", lulesh, lambda: torus(4, 4, 4), 1),
    "lulesh-tree": Task("LULESH, 64 ranks, tree 4:4:4", lulesh, lambda: tree([4, 4, 4], [1, 10, 100]), 1),
    "geometric-tree": Task(
        "geometric, 4,096 ranks, tree 4:8:8", geometric, lambda: tree([4, 8, 8], [1, 10, 100]), 17),
    "geometric-torus": Task("geometric, 4,096 ranks, torus 16x16x16", geometric, lambda: torus(16, 16, 16), 1),
}


# Measuring and judging.

def cost_of(matrix, machine, node):
    """The sum over pairs of bytes times distance."""
    flow = matrix.tocoo()
    return float((flow.data * machine.distance[node[flow.row], node[flow.col]]).sum())


def lines_of(function):
    """How many lines the body of a function has, without blank lines and comments."""
    lines = textwrap.dedent(inspect.getsource(function)).splitlines()
    first = ast.parse("\n".join(lines)).body[0].body[0].lineno
    return sum(1 for line in lines[first - 1:] if line.strip() and not line.strip().startswith("#"))


def run_one(task, tool, setting, seed):
    """One run of one tool, in a separate process. Prints CPU seconds without imports, and the nodes."""
    matrix, machine, imbalance = TASKS[task].load()
    importlib.import_module(TOOLS[tool].module)
    start = time.process_time()
    node = TOOLS[tool].function(matrix, machine, imbalance, setting, seed)
    print(json.dumps({"seconds": time.process_time() - start, "node": [int(one) for one in node]}))


def measure(task, tool, setting, seeds, limit):
    """The runs with several seeds, or why there are none."""
    found = []
    for seed in range(1, seeds + 1):
        words = [sys.executable, os.path.abspath(__file__), "--one", task, tool, setting, str(seed)]
        try:
            ended = subprocess.run(words, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return None, f"no answer in {limit:g} s"
        if ended.returncode != 0:
            said = (ended.stderr.strip() or f"exit code {ended.returncode}").splitlines()[-1]
            return None, f"error: {said[:100]}"
        found.append(json.loads(ended.stdout.splitlines()[-1]))
    return found, None


def rows_of(name, tools, seeds, limit):
    task = TASKS[name]
    matrix, machine, _ = task.load()
    in_order = numpy.arange(matrix.shape[0]) * machine.nodes // matrix.shape[0]
    rows = [["ranks in order", "", "", "", cost_of(matrix, machine, in_order), ""]]
    for tool in tools:
        about = TOOLS[tool]
        for setting in about.settings:
            head = [about.title, setting.lower(), str(lines_of(about.function))]
            if about.trees_only and not machine.groups:
                rows.append([*head[:1], "", "", "", None, "cannot: a torus has no levels"])
                break
            print(f"{name}: {about.title}, {setting}", file=sys.stderr, flush=True)
            found, reason = measure(name, tool, setting, seeds, limit)
            if found is None:
                rows.append([*head, "", None, reason])
                continue
            nodes = [numpy.array(run["node"]) for run in found]
            if any(len(node) != matrix.shape[0] or node.min() < 0 or node.max() >= machine.nodes for node in nodes):
                rows.append([*head, "", None, "not a placement"])
                continue
            fullest = max(int(numpy.bincount(node).max()) for node in nodes)
            note = f"{fullest}" if fullest <= task.most else f"{fullest}: too full, not valid"
            cost = statistics.median(cost_of(matrix, machine, node) for node in nodes)
            rows.append([*head, f"{statistics.median(run['seconds'] for run in found):.2f}", cost, note])
    return rows


def table(task, rows):
    best = min(row[4] for row in rows if row[4] is not None and "not valid" not in row[5])
    print(f"\n**{task.title}**, ranks per node: at most {task.most}\n")
    print("| tool | setting | lines | CPU seconds | bytes x distance | above best | ranks on the fullest node |")
    print("| --- | --- | ---: | ---: | ---: | ---: | --- |")
    for tool, setting, lines, seconds, cost, note in rows:
        judged = ["", ""] if cost is None else [f"{cost:.4g}", f"{cost / best - 1:.1%}"]
        print("| " + " | ".join([tool, setting, lines, seconds, *judged, note]) + " |")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3, help="runs of each tool; the table has medians")
    parser.add_argument("--limit", type=float, default=200, help="seconds that a run may take")
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--one", nargs=4, metavar=("TASK", "TOOL", "SETTING", "SEED"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        run_one(*given.one[:3], int(given.one[3]))
        return
    for name in given.tasks.split(","):
        table(TASKS[name], rows_of(name, given.tools.split(","), given.seeds, given.limit))


if __name__ == "__main__":
    main()
