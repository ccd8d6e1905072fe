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
numpy.savetxt("traffic_edges_savetxt.txt", edges.to_numpy())
graph = networkx.from_numpy_array(whole, create_using=networkx.DiGraph)
networkx.write_graphml(graph, "traffic.graphml")
networkx.write_weighted_edgelist(graph, "traffic_weighted.edgelist")

symmetric = whole + whole.T
scipy.io.mmwrite("symmetric.mtx", scipy.sparse.coo_array(symmetric))
networkx.write_graphml(networkx.from_numpy_array(symmetric), "symmetric.graphml")
