"""Maps a graph with a partitioner that is a Python package. A separate process, run by the Python that has the package.

    packages.py sharedmap|mtkahypar GRAPH MACHINE IMBALANCE VARIANT SEED RESULT

GRAPH is a METIS file. RESULT gets one node per line.
"""
import sys


def levels(machine):
    """Lengths and distances of tree:4:8:8,distances=1:10:100, lowest level first."""
    lengths, distances = machine.removeprefix("tree:").split(",distances=")
    return [int(length) for length in lengths.split(":")], [int(distance) for distance in distances.split(":")]


def distance(a, b, lengths, distances):
    """The distance of two leaves: the distance of the smallest group that holds both."""
    leaves = 1
    for length, found in zip(lengths, distances):
        leaves *= length
        if a // leaves == b // leaves:
            return found
    raise ValueError(f"no group holds {a} and {b}")


def sharedmap(graph, machine, imbalance, variant, seed):
    from chszlablib import Decomposition, Graph
    lengths, distances = levels(machine)
    read = Graph.from_metis(graph)
    return Decomposition.process_map(read, lengths, distances, mode=variant, imbalance=imbalance, threads=1, seed=seed).assignment


def target_edges(machine):
    """The number of nodes, and the weight of each edge of the target graph: every pair of leaves, since a tree has no links."""
    lengths, distances = levels(machine)
    nodes = 1
    for length in lengths:
        nodes *= length
    return nodes, {(a, b): distance(a, b, lengths, distances) for a in range(nodes) for b in range(a + 1, nodes)}


def mtkahypar(graph, machine, imbalance, variant, seed):
    import mtkahypar
    library = mtkahypar.initialize(1)
    mtkahypar.set_seed(seed)
    context = library.context_from_preset(getattr(mtkahypar.PresetType, variant.upper()))
    nodes, edges = target_edges(machine)
    context.set_mapping_parameters(nodes, imbalance)
    context.logging = False
    target = library.create_target_graph(context, nodes, len(edges), list(edges), list(edges.values()))
    return library.graph_from_file(graph, context).map_onto_graph(target, context).get_partition()


def main():
    package, graph, machine, imbalance, variant, seed, result = sys.argv[1:]
    call = {"sharedmap": sharedmap, "mtkahypar": mtkahypar}[package]
    nodes = call(graph, machine, float(imbalance), variant, int(seed))
    with open(result, "w") as f:
        f.writelines(f"{int(node)}\n" for node in nodes)


if __name__ == "__main__":
    main()
