"""The graphs and the machines they run on.

A graph is kept in three files that hold the same: .graph (METIS) or .mtx for Topoloom, .graph for KaHIP,
.grf for Scotch. Code that needs the edges reads them from these files.
"""
import functools
import glob
import gzip
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
JUDGE = os.path.join(HERE, "..", "tests", "independent", "judge.py")
NPB = os.path.join(HERE, "..", "crates", "topoloom-core", "tests", "data", "apps64")
EXAMPLES = os.path.join(HERE, "..", "examples")
TREE = "tree:4:8:8,distances=1:10:100"

# Machines of the same graph follow each other, so the graph is made once.
once = functools.lru_cache(maxsize=1)

# Tools add up weights in 32 bits.
LARGEST_SUM = 1 << 30


class Graph:
    """n vertices and {(u, v): weight} with u < v; `ours` is what Topoloom reads."""

    def __init__(self, name, n, edges, ours):
        self.name, self.n, self.edges, self.ours = name, n, edges, ours

    def scaled(self):
        """Whole weights whose sum fits in 32 bits."""
        total = sum(self.edges.values())
        factor = 1 if total < LARGEST_SUM else LARGEST_SUM / total
        return {pair: max(1, round(weight * factor)) for pair, weight in self.edges.items()}

    def rows(self):
        rows = [[] for _ in range(self.n)]
        for (u, v), weight in self.scaled().items():
            rows[u].append((v, weight))
            rows[v].append((u, weight))
        for row in rows:
            row.sort()
        return rows

    def write_metis(self, path):
        if os.path.exists(path):
            return
        plain = set(self.edges.values()) <= {1}
        with open(path + ".part", "w") as f:
            f.write(f"{self.n} {len(self.edges)}{'' if plain else ' 001'}\n")
            for row in self.rows():
                f.write(" ".join(f"{v + 1}" if plain else f"{v + 1} {w}" for v, w in row) + "\n")
        os.rename(path + ".part", path)

    def write_scotch(self, path):
        if os.path.exists(path):
            return
        plain = set(self.edges.values()) <= {1}
        with open(path + ".part", "w") as f:
            f.write(f"0\n{self.n} {2 * len(self.edges)}\n0 {'000' if plain else '010'}\n")
            for row in self.rows():
                f.write(f"{len(row)} " + " ".join(f"{v}" if plain else f"{w} {v}" for v, w in row) + "\n")
        os.rename(path + ".part", path)


def read_metis(path):
    """Unweighted, as all graphs here are."""
    with open(path) as f:
        n = int(f.readline().split()[0])
        return n, {(u, int(v) - 1): 1 for u in range(n) for v in f.readline().split() if int(v) - 1 > u}


def read_matrix(path):
    edges = {}
    with open(path) as f:
        lines = (line for line in f if not line.startswith("%"))
        n = int(next(lines).split()[0])
        for line in lines:
            u, v, weight = line.split()
            u, v = int(u) - 1, int(v) - 1
            if u != v:
                pair = (min(u, v), max(u, v))
                edges[pair] = edges.get(pair, 0) + int(weight)
    return n, edges


@once
def grid(work, shape, shuffle=None, drop=None):
    name = f"grid-{shape}" + ("-shuffled" if shuffle else "") + (f"-drop{drop}" if drop else "")
    path = os.path.join(work, name + ".mtx")
    if not os.path.exists(path):
        options = (["--shuffle", str(shuffle)] if shuffle else []) + (["--drop", str(drop)] if drop else [])
        subprocess.run([sys.executable, JUDGE, "grid", shape, path, *options], check=True, stdout=subprocess.DEVNULL)
    n, edges = read_matrix(path)
    # The file has both directions of an edge.
    return Graph(name, n, {pair: weight // 2 for pair, weight in edges.items()}, path)


@once
def geometric(work, power, seed):
    path = os.path.join(work, f"rgg{power}-{seed}.graph")
    if not os.path.exists(path):
        subprocess.run([sys.executable, JUDGE, "rgg", str(power), str(seed), path], check=True, stdout=subprocess.DEVNULL)
    return Graph(f"rgg{power}-{seed}", *read_metis(path), path)


def made(work, name, n, edges):
    path = os.path.join(work, name + ".graph")
    graph = Graph(name, n, {pair: 1 for pair in edges}, path)
    graph.write_metis(path)
    return graph


@once
def triangles(work, width, height, seed):
    """Like a Delaunay triangulation: a grid of points, each cell cut along a random diagonal, in random order."""
    rng = random.Random(seed)
    number = list(range(width * height))
    rng.shuffle(number)
    at = lambda x, y: number[y * width + x]
    edges = set()
    for y in range(height):
        for x in range(width):
            ends = [(at(x, y), at(x + 1, y))] if x + 1 < width else []
            ends += [(at(x, y), at(x, y + 1))] if y + 1 < height else []
            if x + 1 < width and y + 1 < height:
                ends.append((at(x, y), at(x + 1, y + 1)) if rng.random() < 0.5 else (at(x + 1, y), at(x, y + 1)))
            edges.update((min(pair), max(pair)) for pair in ends)
    return made(work, f"triangles-{width}x{height}", width * height, edges)


@once
def power_law(work, power, degree, seed):
    """R-MAT with (0.57, 0.19, 0.19, 0.05), vertices in random order."""
    rng = random.Random(seed)
    n = 1 << power
    number = list(range(n))
    rng.shuffle(number)
    edges = set()
    while len(edges) < n * degree // 2:
        u = v = 0
        for _ in range(power):
            p = rng.random()
            u, v = 2 * u + (p >= 0.76), 2 * v + (0.57 <= p < 0.76 or p >= 0.95)
        if u != v:
            edges.add((min(number[u], number[v]), max(number[u], number[v])))
    return made(work, f"rmat{power}", n, edges)


@once
def regular(work, program, ranks, degree):
    name = f"random-{ranks}-{degree}"
    path = os.path.join(work, name + ".graph")
    if not os.path.exists(path):
        pattern = f"random:ranks={ranks},degree={degree}"
        matrix = path[:-len(".graph")] + ".mtx"
        subprocess.run([program, "generate", pattern, "--output", matrix], check=True, stdout=subprocess.DEVNULL)
        n, edges = read_matrix(matrix)
        Graph(name, n, {pair: 1 for pair in edges}, path).write_metis(path)
    return Graph(name, *read_metis(path), path)


@once
def application(name):
    is_example = name.startswith("lulesh")
    path = os.path.join(EXAMPLES, name + ".mtx") if is_example else os.path.join(NPB, name + ".bytes.mtx")
    return Graph(name, *read_matrix(path), path)


@once
def archived(work, path):
    """A graph of Walshaw's archive, which may be packed. Weights, if it has any, are dropped."""
    name = os.path.basename(path).removesuffix(".gz").removesuffix(".graph")
    open_text = lambda: gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    with open_text() as f:
        lines = (line.split() for line in f if not line.startswith("%"))
        header = next(lines)
        n, kinds = int(header[0]), (header[2] if len(header) > 2 else "0").zfill(3)
        first = (kinds[0] == "1") + (int(header[3]) if len(header) > 3 else 1) * (kinds[1] == "1")
        step = 1 + (kinds[2] == "1")
        edges = {(u, int(v) - 1) for u, row in zip(range(n), lines) for v in row[first::step] if int(v) - 1 > u}
    return made(work, name, n, edges)


def walshaw(work, folder):
    paths = sorted(glob.glob(os.path.join(folder, "*.graph")) + glob.glob(os.path.join(folder, "*.graph.gz")))
    if not paths:
        raise SystemExit(f"{folder}: no files .graph or .graph.gz")
    return [(lambda path=path: archived(work, path), TREE, 0.03) for path in paths]


def groups(work, program):
    """{group: [(how to make the graph, machine, imbalance)]}; graphs are made when their turn comes."""
    boxes = [("8x8", "4x4x4"), ("16x32", "8x8x8"), ("64x64", "16x16x16")]
    kinds = ("mesh", "torus", "haec")
    apps = ["lulesh-64", "npb-bt-c-64", "npb-cg-c-64", "npb-lu-c-64", "npb-mg-c-64"]
    targets = (TREE, "torus:8x8x4")
    return {
        "thesis": [(lambda shape=shape: grid(work, shape), f"{kind}:{box}", None) for shape, box in boxes for kind in kinds],
        "shuffled": [(lambda shape=shape, drop=drop: grid(work, shape, 1, drop), f"{kind}:{box}", None)
                     for shape, box in boxes[1:] for drop in (None, 2) for kind in kinds],
        "apps": [(lambda app=app: application(app), machine, None) for app in apps
                 for machine in ("mesh:4x4x4", "torus:4x4x4", "tree:4:4:4,distances=1:10:100")],
        "rgg15": [(lambda seed=seed: geometric(work, 15, seed), machine, 0.03) for seed in (1, 2, 3) for machine in targets],
        "rgg18": [(lambda seed=seed: geometric(work, 18, seed), machine, 0.03) for seed in (1, 2, 3) for machine in targets],
        "irregular": [(make, machine, 0.03) for make in (lambda: triangles(work, 256, 128, 1), lambda: power_law(work, 15, 8, 1))
                      for machine in targets],
        "million": [(lambda: grid(work, "1024x1024", 1), "torus:128x128x64", None),
                    (lambda: regular(work, program, 1048576, 8), "torus:128x128x64", None)],
    }
