"""Makes the files of this folder: the same traffic as each library writes it."""

import numpy, networkx, pandas, scipy.sparse, scipy.io

ranks = 6
matrix = numpy.zeros((ranks, ranks))
for rank in range(ranks):
    matrix[rank, (rank + 1) % ranks] = 10 + rank
    matrix[rank, (rank + 2) % ranks] = 100 * rank
whole = matrix.astype(int)

scipy.io.mmwrite("traffic.mtx", scipy.sparse.coo_array(whole))
for kind in ["<f4", "<f8", ">f8", ">i2", "<i4", "<i8", "<u2", ">u4", "<u8"]:
    numpy.save("traffic_" + kind.replace("<", "little_").replace(">", "big_") + ".npy", matrix.astype(kind))
numpy.save("traffic_fortran.npy", numpy.asfortranarray(matrix))
with open("traffic_version2.npy", "wb") as file:
    numpy.lib.format.write_array(file, matrix, version=(2, 0))
with open("traffic_version3.npy", "wb") as file:
    numpy.lib.format.write_array(file, matrix, version=(3, 0))
numpy.savez("traffic_stored.npz", matrix)
numpy.savez_compressed("traffic_deflated.npz", traffic=matrix)
for kind in ["csr", "csc", "coo"]:
    sparse = scipy.sparse.coo_array(matrix).asformat(kind)
    scipy.sparse.save_npz(f"traffic_{kind}.npz", sparse)
scipy.sparse.save_npz("traffic_csr_stored.npz", scipy.sparse.csr_matrix(whole), compressed=False)

frame = pandas.DataFrame(whole)
frame.to_csv("traffic_index_and_header.csv")
frame.to_csv("traffic_header.csv", index=False)
frame.to_csv("traffic_semicolons.csv", sep=";")
frame.to_csv("traffic_packed.csv.gz")
frame.to_csv("traffic_packed.csv.zst")
names = [f"node{letter}" for letter in "fedcba"]
pandas.DataFrame(whole, index=names, columns=names).to_csv("traffic_names.csv")
with open("traffic_blanks.txt", "w") as file:
    file.write(frame.to_string())
numpy.savetxt("traffic_savetxt.txt", matrix)
rows, columns = matrix.nonzero()
edges = pandas.DataFrame({"source": rows, "target": columns, "weight": whole[rows, columns]})
edges.to_csv("traffic_edges_with_index.csv")
edges.to_csv("traffic_edges.csv", index=False)
edges.pivot(index="source", columns="target", values="weight").to_csv("traffic_pivot.csv")
numpy.savetxt("traffic_edges_savetxt.txt", edges.to_numpy())
graph = networkx.from_numpy_array(whole, create_using=networkx.DiGraph)
networkx.write_graphml(graph, "traffic.graphml")
networkx.write_weighted_edgelist(graph, "traffic_weighted.edgelist")
networkx.write_edgelist(graph, "traffic_data.edgelist")

symmetric = whole + whole.T
scipy.io.mmwrite("symmetric.mtx", scipy.sparse.coo_array(symmetric))
networkx.write_graphml(networkx.from_numpy_array(symmetric), "symmetric.graphml")


def scotch(name, labels, base, fmt):
    """Writes a graph as the user's guide of Scotch describes it, vertices in the order of `labels`, which may be none."""
    order = range(len(symmetric)) if labels is None else sorted(range(len(symmetric)), key=lambda rank: -labels[rank])
    lines = []
    for rank in order:
        neighbours = [other for other in range(len(symmetric)) if symmetric[rank][other]]
        named = [other + base if labels is None else labels[other] for other in neighbours]
        pairs = [word for other, name in zip(neighbours, named) for word in (symmetric[rank][other], name)]
        lines.append(([] if labels is None else [labels[rank]]) + [len(neighbours)] + pairs)
    ends = sum(1 for row in symmetric for value in row if value)
    with open(name, "w") as file:
        file.write(f"0\n{len(symmetric)}\t{ends}\n{base}\t{fmt}\n")
        file.writelines("\t".join(str(word) for word in line) + "\n" for line in lines)


scotch("symmetric.grf", None, 1, "010")
scotch("symmetric_labels.grf", [0, 10, 20, 30, 40, 50], 0, "110")
