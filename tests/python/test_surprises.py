"""Behaviour that once surprised users: each case was wrong, silent or unhelpful before."""

import copy
import datetime
import decimal
import os
import pickle
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import topoloom
from topoloom import Machine, Mapping, TopoloomError, Traffic

SQUARE = np.arange(16).reshape(4, 4)


def test_objects_are_what_their_files_were(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("0,1,5\n1,0,7\n")
    traffic = Traffic(path)
    path.write_text("0,1,500\n1,0,700\n")
    for same in (traffic, copy.deepcopy(traffic), pickle.loads(pickle.dumps(traffic))):
        assert same.bytes == 12 and topoloom.map(same, "mesh:2").cost == 12
    machine_path = tmp_path / "m.json"
    Machine.from_hosts("n[1-4]").save(machine_path)
    machine = Machine(machine_path)
    Machine.from_hosts("n[1-8]").save(machine_path)
    assert machine != Machine(machine_path)
    machine.save(tmp_path / "again.json")
    assert Machine(tmp_path / "again.json").hosts == machine.hosts == ["n1", "n2", "n3", "n4"]
    path.unlink()
    machine_path.unlink()
    monkeypatch.chdir("/")
    assert machine == machine and pickle.loads(pickle.dumps(machine)) == machine
    assert pickle.loads(pickle.dumps(traffic)) == traffic


def test_a_mapping_does_not_take_the_name_of_a_strategy():
    mine = Mapping([3, 1, 0, 2], name="greedy")
    rows = topoloom.compare(SQUARE, "mesh:4", ["greedy", mine])
    alone = topoloom.compare(SQUARE, "mesh:4", ["greedy"]).best.hop_bytes
    assert {row["strategy"]: row["hop_bytes"] for row in rows}["greedy"] == alone
    assert {row["strategy"] for row in rows} == {"greedy", "mapping greedy"}


def test_two_imported_machines_are_two():
    advice = topoloom.advise("ring:4", shapes=[Machine.from_hosts("n[1-4]"), Machine.from_hosts("m[1-8]", slots=2)])
    assert sorted(shape["nodes"] for shape in advice["shapes"]) == [4, 16]


def test_arrays_that_are_not_aligned():
    raw = np.frombuffer(bytearray(33), np.uint8, 32, 1).view(np.int64)
    raw[:] = [3, 2, 1, 0]
    assert Mapping(raw).nodes.tolist() == [3, 2, 1, 0]
    assert Machine("mesh:4").distance(raw, raw[::-1]).tolist() == [3, 1, 1, 3]
    assert Traffic.from_flows(raw, raw[::-1], raw + 1).bytes == 10
    packed = np.zeros(4, dtype=[("p", "u1"), ("s", "<i8"), ("b", "<f8")])
    packed["s"], packed["b"] = [0, 1, 2, 3], 1
    assert Traffic.from_flows(packed["s"], packed["s"], packed["b"]).ranks == 4
    costs = np.frombuffer(bytearray(129), np.uint8, 128, 1).view(float).reshape(4, 4)
    assert topoloom.map("ring:4", "mesh:4", objective=costs).cost == 0


def test_one_wrong_rank_does_not_take_all_memory():
    code = textwrap.dedent("""
        import topoloom
        for wrong in (lambda: topoloom.Traffic.from_flows([0], [2**28], [1]),
                      lambda: topoloom.Traffic.from_flows([0], [1], [1], ranks=2**31)):
            try:
                wrong()
            except topoloom.TopoloomError as error:
                print("memory" in str(error) or "MiB" in str(error))
    """)
    environment = {**os.environ, "TOPOLOOM_MEMORY": "100MiB"}
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=60)
    assert ended.stdout == "True\nTrue\n", ended


def test_masked_entries_are_not_there():
    assert Traffic(np.ma.masked_equal([[0, 5], [7, 999]], 999)).bytes == 12


def test_nothing_is_ignored():
    sparse = pytest.importorskip("scipy.sparse")
    networkx = pytest.importorskip("networkx")
    pandas = pytest.importorskip("pandas")
    both = Traffic(sparse.csr_array(SQUARE), messages=sparse.eye_array(4))
    assert (both.bytes, both.messages) == (SQUARE.sum(), 4)
    graph = networkx.path_graph(3)
    table = pandas.DataFrame({"from": [0, 1], "to": [1, 0], "nbytes": [5, 6]})
    square = pandas.DataFrame({"src_rank": [0, 1, 2], "dst_rank": [1, 2, 0], "nbytes": [10, 20, 30]})
    for wrong in (
        lambda: Traffic("ring:4", messages=SQUARE),
        lambda: Traffic("ring:4", name="x"),
        lambda: Traffic(graph, messages=SQUARE),
        lambda: Traffic.from_networkx(graph, bytes="volum"),
        lambda: Traffic(table),
        lambda: Traffic(square),
        lambda: Machine.from_hosts(["n1", "n1"]),
        lambda: Machine.from_hosts([1, 2]),
        lambda: Traffic(SQUARE, name=5),
    ):
        with pytest.raises(TopoloomError):
            wrong()
    with pytest.raises(TypeError):
        topoloom.lower_bound("ring:4", "mesh:4", objective="max-link-load")
    assert Traffic(Traffic("ring:4"), name="mine").name == "mine"
    assert Traffic.from_pandas(table, bytes="nbytes").bytes == 11


def test_slots_of_hosts_with_an_inside(examples):
    machine = Machine.from_hosts(["a", "b"], node=examples / "node.xml", slots=3)
    assert machine.slots == 6
    with pytest.raises(TypeError, match="from_hosts.. has no argument 'slot'; did you mean 'slots'"):
        Machine.from_hosts(["a"], slot=3)


def test_a_listener_that_fails_leaves_no_search_behind():
    def fail(*news):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError):
        topoloom.map("random:ranks=4096,degree=16", "torus:16x16x16", effort="strong", progress=fail)
    time.sleep(2)
    before = time.process_time()
    time.sleep(1)
    assert time.process_time() - before < 0.5


def test_an_interrupt_in_a_listener_keeps_the_best_so_far():
    sent = []

    def interrupt(*news):
        if not sent:
            sent.append(news)
            time.sleep(1)
            raise KeyboardInterrupt

    with pytest.warns(topoloom.InterruptedWarning):
        mapping = topoloom.map("random:ranks=4096,degree=16", "torus:16x16x16", effort="strong", progress=interrupt)
    assert len(mapping) == 4096 and not mapping.complete


def test_arrays_and_ranges_in_lists():
    rows = topoloom.compare(SQUARE, "mesh:4", ["auto", np.array([0, 1, 2, 3]), [3, 2, 1, 0]])
    assert len(rows) == 3
    assert len(topoloom.compare(SQUARE, "mesh:4", np.array(["auto", "in-order"]))) == 2
    assert (
        topoloom.score(SQUARE, "mesh:4", range(4)).hop_bytes == topoloom.score(SQUARE, "mesh:4", "in-order").hop_bytes
    )
    assert Traffic(SQUARE).filter(ranks=range(2)) == Traffic(SQUARE).filter(ranks=np.array([0, 1]))


def test_times_and_numbers_of_any_kind():
    for limit in (1e-9, 1e6, 5, decimal.Decimal("0.5"), np.float32(0.5), datetime.timedelta(microseconds=10), "2m"):
        assert len(topoloom.map("ring:4", "mesh:4", time_limit=limit)) == 4
    assert topoloom.map("ring:4", "mesh:4", seed=np.int64(3)).seed == 3


def test_mappings_of_arrays_know_their_hosts():
    machine = Machine.from_hosts(["a", "b"], slots=2)
    mapping = Mapping([0, 2, 1, 3], machine=machine, traffic="ring:4")
    assert mapping.hosts == ["a", "b", "a", "b"]
    assert "rank 3=b" in str(mapping.apply("openmpi5-rankfile"))
    refined = topoloom.refine(mapping, lambda nodes: float(sum(nodes * np.arange(4))))
    assert refined.hosts is not None and refined.cost == float(sum(refined.nodes * np.arange(4)))
    with pytest.raises(TopoloomError, match="rank 1 has the node 99, but the last is 3"):
        Mapping([0, 99], machine=machine)
    again = Mapping(mapping)
    assert again.machine == machine and again == mapping


def test_refinement_that_is_cut_short_says_so():
    def slow(nodes):
        time.sleep(0.05)
        return -time.monotonic()

    refined = topoloom.refine(Mapping(np.arange(8)), slow, time_limit=0.2)
    assert not refined.complete and "cut short" in repr(refined)
    for wrong in ({"time_limit": "soon"}, {"rounds": "a"}, {"seed": "x"}, {"swap": 3}):
        with pytest.raises(TopoloomError):
            topoloom.refine(Mapping(np.arange(8)), slow, **wrong)


def test_names_that_begin_with_a_dash(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-dash.csv").write_text("0,1,5\n")
    assert Traffic("-dash.csv").summary().bytes == 5
    assert Traffic(SQUARE, name="--help").summary().ranks == 4


def test_a_star_import_leaves_the_names_of_python():
    names = {}
    exec("from topoloom import *", names)
    assert "map" not in names and "list" not in names and "Traffic" in names


class Own(Traffic):
    """A kind of traffic that a user has made."""


def test_small_habits():
    mapping = topoloom.map("ring:4", "mesh:4")
    assert mapping.score().hop_bytes == mapping.cost and mapping.check()
    assert [*mapping] == mapping.nodes.tolist() and mapping[0] == mapping.nodes[0]
    with pytest.raises(ValueError):
        mapping.nodes[0] = 99
    mapping.record.to_dict()["ranks"] = 99
    assert mapping.record.ranks == 4
    assert repr(Traffic([[0]])).startswith("Traffic of 1 rank: 0 flows")
    assert len(repr(topoloom.list())) > 10 and len(repr(topoloom.list("strategies"))) < 250
    assert "<table" in topoloom.list("strategies")._repr_html_()
    assert "figcaption" in mapping._repr_html_()
    assert type(pickle.loads(pickle.dumps(Own._wrap(Traffic(SQUARE)._inner)))) is Own
