"""Maps a graph with TreeMatch, as it is built into Open MPI. A separate process, because it loads Open MPI's component.

    treematch.py COMPONENT GRAPH MACHINE RESULT

COMPONENT is mca_topo_treematch.so, which exports TreeMatch's functions. GRAPH is a METIS file. RESULT gets one node per line.
TreeMatch needs the whole matrix, so its memory grows with the square of the number of ranks.
"""
import ctypes
import sys

from packages import levels


class Solution(ctypes.Structure):
    """The beginning of tm_solution_t: the core of each process."""
    _fields_ = [("sigma", ctypes.POINTER(ctypes.c_int)), ("sigma_length", ctypes.c_size_t)]


def functions(component):
    """TreeMatch's functions with their types (treematch.h of Open MPI 4.1)."""
    ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
    library = ctypes.CDLL(component)
    pointer, number = ctypes.c_void_p, ctypes.c_int
    types = {
        "tm_set_verbose_level": (None, [number]),
        "tm_build_synthetic_topology": (pointer, [pointer, pointer, number, pointer, number]),
        "tm_build_affinity_mat": (pointer, [pointer, number]),
        "tm_build_tree_from_topology": (pointer, [pointer] * 4),
        "tm_compute_mapping": (ctypes.POINTER(Solution), [pointer] * 2),
    }
    for name, (result, arguments) in types.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def rows_of(path):
    """The matrix of a METIS file, as rows of doubles: each line lists the neighbours of a vertex with their weights."""
    with open(path) as f:
        header, *lines = [line.split() for line in f if not line.startswith("%")]
    n, weighted = int(header[0]), len(header) > 2 and header[2].endswith("1")
    rows = [(ctypes.c_double * n)() for _ in range(n)]
    for row, line in zip(rows, lines):
        neighbours, weights = (line[::2], line[1::2]) if weighted else (line, ["1"] * len(line))
        for neighbour, weight in zip(neighbours, weights):
            row[int(neighbour) - 1] += float(weight)
    return rows


def cores(component, rows, lengths, distances):
    """The core of each rank. Lengths and distances come with the lowest level first."""
    tm = functions(component)
    tm.tm_set_verbose_level(0)
    depth, n, leaves = len(lengths) + 1, len(rows), 1
    for length in lengths:
        leaves *= length
    # From the root down. Its costs are those of one link each: they are added up from below.
    arity = (ctypes.c_int * depth)(*lengths[::-1], 0)
    steps = [far - near for near, far in zip([0, *distances], distances)]
    costs = (ctypes.c_double * depth)(*steps[::-1], 0.0)
    numbering = (ctypes.c_int * leaves)(*range(leaves))
    topology = tm.tm_build_synthetic_topology(arity, costs, depth, numbering, leaves)
    matrix = (ctypes.c_void_p * n)(*map(ctypes.addressof, rows))
    tree = tm.tm_build_tree_from_topology(topology, tm.tm_build_affinity_mat(matrix, n), None, None)
    return tm.tm_compute_mapping(topology, tree).contents.sigma[:n]


def main():
    component, graph, machine, result = sys.argv[1:]
    found = cores(component, rows_of(graph), *levels(machine))
    with open(result, "w") as f:
        f.writelines(f"{core}\n" for core in found)


if __name__ == "__main__":
    main()
