"""Traffic, machines and mappings: from and to what users have."""

import json

import numpy as np
import pytest

import topoloom
from topoloom import Machine, Mapping, Traffic

MATRIX = np.array([[0, 5, 0], [7, 0, 1], [0, 0, 0]])


@pytest.mark.parametrize(
    "kind",
    [
        np.float64,
        np.float32,
        np.int64,
        np.int32,
        np.int16,
        np.int8,
        np.uint64,
        np.uint32,
        np.uint16,
        np.uint8,
        np.float16,
    ],
)
def test_arrays_of_every_kind(kind):
    traffic = Traffic(MATRIX.astype(kind))
    assert (traffic.ranks, traffic.flows, traffic.bytes, traffic.messages) == (3, 3, 13.0, 3.0)
    assert (traffic.to_numpy() == MATRIX).all()


def test_arrays_in_any_order():
    large = np.zeros((6, 6))
    large[::2, ::2] = MATRIX
    for array in (
        MATRIX,
        np.asfortranarray(MATRIX),
        MATRIX.T.copy().T,
        large[::2, ::2],
        MATRIX.astype(">i4"),
        MATRIX.tolist(),
    ):
        assert Traffic(array) == Traffic(MATRIX)
    assert Traffic(MATRIX > 0).bytes == 3
    assert Traffic(np.zeros((4, 4))).flows == 0


def test_messages_beside_bytes():
    traffic = Traffic(MATRIX, messages=np.eye(3))
    assert (traffic.bytes, traffic.messages, traffic.flows) == (13.0, 3.0, 6)
    assert (traffic.to_numpy("messages") == np.eye(3)).all()


def test_sparse_matrices():
    sparse = pytest.importorskip("scipy.sparse")
    for form in ("csr", "csc", "coo", "lil", "dok", "bsr"):
        assert Traffic(sparse.coo_array(MATRIX).asformat(form)) == Traffic(MATRIX)
    # Unsorted, with entries for the same pair and zeros; the matrix of the user stays as it is.
    unsorted = sparse.csr_array(
        (np.array([1.0, 2, 0, 4]), np.array([2, 1, 0, 2]), np.array([0, 4, 4, 4])), shape=(3, 3)
    )
    before = unsorted.indices.copy()
    traffic = Traffic(unsorted)
    assert traffic.to_numpy()[0].tolist() == [0, 2, 5]
    assert (unsorted.indices == before).all()
    assert (traffic.to_scipy().toarray() == traffic.to_numpy()).all()
    for indices in (np.int32, np.int64):
        matrix = sparse.csr_array(MATRIX)
        matrix.indices, matrix.indptr = matrix.indices.astype(indices), matrix.indptr.astype(indices)
        assert Traffic(matrix) == Traffic(MATRIX)


def test_tables():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"source": [0, 1, 1], "target": [1, 0, 2], "bytes": [5, 7, 1]})
    assert Traffic.from_pandas(table, ranks=3) == Traffic(MATRIX)
    assert Traffic(table).ranks == 3
    renamed = table.rename(columns={"source": "a", "target": "b", "bytes": "c"})
    assert Traffic.from_pandas(renamed, senders="a", receivers="b", bytes="c") == Traffic(MATRIX)
    assert Traffic(pandas.DataFrame(MATRIX)) == Traffic(MATRIX)
    assert Traffic(Traffic(MATRIX, messages=MATRIX * 2).to_pandas()) == Traffic(MATRIX, messages=MATRIX * 2)


def test_graphs():
    networkx = pytest.importorskip("networkx")
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(3))
    graph.add_edge(0, 1, bytes=5)
    graph.add_edge(1, 0, bytes=7)
    graph.add_edge(1, 2, bytes=1)
    assert Traffic(graph) == Traffic(MATRIX)
    assert Traffic(Traffic(MATRIX).to_networkx()) == Traffic(MATRIX)
    path = networkx.Graph([("a", "b"), ("b", "c")])
    traffic = Traffic(path)
    assert traffic.labels == ["a", "b", "c"]
    assert traffic.to_numpy().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert list(traffic.to_networkx().nodes) == ["a", "b", "c"]


def test_patterns_files_and_collectives(tmp_path):
    traffic = Traffic("ft:class=S,ranks=8")
    assert (traffic.flows, traffic.collectives > 0) == (0, True)
    assert traffic.with_collectives("direct").flows == 8 * 7
    plain = Traffic("stencil:4x4,bytes=8")
    for name in ("x.mtx", "x.csv", "x.tsv", "x.graph", "x.rec"):
        plain.save(tmp_path / name)
        assert Traffic(tmp_path / name).to_numpy().sum() == plain.bytes


def test_edits():
    traffic = Traffic("stencil:4x4,bytes=1000")
    assert traffic.scale(factor=2).bytes == 2 * traffic.bytes
    assert traffic.scale(factor=3, what="messages").messages == 3 * traffic.messages
    assert traffic.filter(ranks="0-3").ranks == 4
    assert traffic.merge(traffic).bytes == 2 * traffic.bytes
    assert traffic.merge(traffic, side_by_side=True).ranks == 32
    by_number, by_array = traffic.coarsen(by=4), traffic.coarsen(groups=np.arange(16) // 4)
    assert by_number == by_array and by_number.ranks == 4
    assert Traffic(MATRIX).symmetrize(sum=True).to_numpy()[0, 1] == 12
    # Edited traffic can be edited again, also with traffic of the same name.
    assert traffic.scale(factor=2).merge(traffic.scale(factor=3)).bytes == 5 * traffic.bytes


def test_machines(tmp_path, examples):
    machine = Machine("torus:4x4x4")
    assert (machine.nodes, machine.slots, machine.distance(0, 21)) == (64, 64, 3)
    assert machine.distance([0, 0], [1, 21]).tolist() == [1, 3]
    everywhere = machine.distance(np.arange(64)[:, None], np.arange(64)[None, :])
    assert everywhere.shape == (64, 64) and (everywhere == everywhere.T).all() and everywhere.max() == 6
    hosts = Machine.from_hosts("n[1-4]", slots=8)
    assert hosts.hosts == ["n1", "n2", "n3", "n4"] and hosts.slots == 32
    assert Machine.from_hosts(["a", "b"], slots=2).slots == 4
    inside = Machine.from_hosts(["a", "b"], node=examples / "node.xml")
    assert inside.hosts == ["a", "b"] and inside.slots > 2
    for one in (machine, hosts):
        one.save(tmp_path / "machine")
        again = Machine(tmp_path / "machine")
        assert (again.nodes, again.hosts) == (one.nodes, one.hosts)
    assert Machine.detect().slots >= 1
    assert "zone" in machine.export("simgrid").lower()
    assert hosts.summary()["hosts"]


def test_mappings(tmp_path):
    mapping = topoloom.map("ring:16", "mesh:4x4")
    assert len(mapping) == 16 and sorted(mapping.nodes) == list(range(16))
    assert mapping.hosts is None and mapping.complete and mapping.seed == 1
    assert mapping.cost == topoloom.score("ring:16", "mesh:4x4", mapping).hop_bytes == 32
    assert topoloom.lower_bound("ring:16", "mesh:4x4") <= 32
    assert np.asarray(mapping).tolist() == mapping.nodes.tolist()
    mapping.save(tmp_path / "m.json")
    assert Mapping(tmp_path / "m.json") == mapping
    mapping.save(tmp_path / "m.txt")
    assert (tmp_path / "m.txt").read_text().split() == [str(node) for node in mapping.nodes]
    for same in (
        mapping,
        mapping.nodes,
        mapping.nodes.tolist(),
        str(tmp_path / "m.json"),
        tmp_path / "m.txt",
        Mapping(mapping.slots, slots=True, machine="mesh:4x4"),
    ):
        assert topoloom.score("ring:16", "mesh:4x4", same).hop_bytes == 32
    assert topoloom.check("ring:16", "mesh:4x4", mapping)
    wrong = topoloom.check("ring:16", "mesh:4x4", np.zeros(16, dtype=int))
    assert not wrong and "not valid" in repr(wrong)
    assert mapping.simulate().seconds > 0


def test_several_slots_on_a_node():
    machine = Machine("mesh:4x2,slots=2")
    mapping = topoloom.map("ring:16", machine)
    assert (mapping.slots // 2 == mapping.nodes).all()
    assert (
        topoloom.score("ring:16", machine, Mapping(mapping.slots, slots=True, machine=machine)).hop_bytes
        == mapping.cost
    )


def test_comparisons_and_tables():
    pandas = pytest.importorskip("pandas")
    own = Mapping(np.arange(16)[::-1].copy(), name="mine")
    comparison = topoloom.compare("ring:16", "mesh:4x4", ["auto", "scan", own])
    assert [row["strategy"] for row in comparison][0] == "auto" and len(comparison) == 3
    assert "mine" in {row["strategy"] for row in comparison}
    assert len(pandas.DataFrame(comparison)) == len(comparison.to_pandas()) == 3
    assert "statistics.inter_node_logical.total" in comparison.to_pandas()
    assert comparison.best["hop_bytes"] == 32


def test_two_arrays_of_the_same_size_are_two():
    first, second = Traffic(np.eye(4)[::-1]), Traffic(np.ones((4, 4)))
    assert first.name == second.name
    assert first.merge(second).bytes == 4 + 16


def test_a_cost_matrix_of_ones_own():
    nodes = np.arange(16)
    costs = np.abs(nodes[:, None] - nodes[None, :]).astype(float)
    mapping = topoloom.map("ring:16", "mesh:4x4", objective=costs, strategy="multilevel")
    ring = Traffic("ring:16").to_numpy()

    def cost(places):
        return (ring * costs[np.ix_(places, places)]).sum()

    assert mapping.cost == cost(mapping.nodes)
    assert mapping.cost <= cost(nodes)


def test_refinement_with_a_cost_in_python():
    machine, traffic = Machine("mesh:4x4"), Traffic("stencil:4x4")
    flows, calls = traffic.to_numpy(), []

    def cost(nodes):
        calls.append(1)
        return (flows * machine.distance(nodes[:, None], nodes[None, :])).sum()

    start = Mapping(np.random.default_rng(1).permutation(16), traffic=traffic, machine=machine)
    refined = topoloom.refine(start, cost)
    assert sorted(refined.nodes) == list(range(16)) and cost(refined.nodes) < cost(start.nodes)
    assert topoloom.refine(start, cost).nodes.tolist() == refined.nodes.tolist()
    few = len(calls)

    def swap(nodes, a, b):
        after = nodes.copy()
        after[[a, b]] = after[[b, a]]
        return (
            flows
            * (
                machine.distance(after[:, None], after[None, :]).astype(int)
                - machine.distance(nodes[:, None], nodes[None, :])
            )
        ).sum()

    assert cost(topoloom.refine(start, cost, swap=swap).nodes) < cost(start.nodes)
    assert len(calls) < few + 5
    searched = topoloom.map(traffic, machine, strategy="random")
    assert topoloom.refine(searched, cost).slots.tolist() == topoloom.refine(searched, cost).nodes.tolist()


def test_launch_files(tmp_path):
    mapping = topoloom.map("ring:16", Machine.from_hosts("n[1-4]", slots=4))
    file = mapping.apply("openmpi5-rankfile")
    assert len(str(file).split("\n")) >= 16 and "mpirun" in file.command
    written = mapping.apply("openmpi5-rankfile", tmp_path / "ranks", command="./app -x")
    assert written.content == (tmp_path / "ranks").read_text() == str(file)
    assert "./app -x" in written.command


def test_records_have_fields_as_attributes():
    score = topoloom.score("ring:4", "mesh:4", "in-order")
    assert score.hop_bytes == score["hop_bytes"] == json.loads(json.dumps(score.to_dict()))["hop_bytes"]
    assert score.statistics.inter_node_logical.count == 4
    assert "hop_bytes" in dir(score)
    with pytest.raises(AttributeError, match="hop_bites.*hop_bytes"):
        score.hop_bites
