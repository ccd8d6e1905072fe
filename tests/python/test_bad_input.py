"""Bad input is an exception that names the argument and what was expected, and the process goes on."""

import datetime
import decimal
import random

import numpy as np
import pytest

import topoloom
from topoloom import Machine, Mapping, TopoloomError, Traffic

SQUARE = np.ones((4, 4))
LINE = "mesh:4"


def twice(array):
    array = array.astype(float)
    array[1, 2] = np.nan
    return array


WRONG = [
    (lambda: topoloom.map(np.ones((3, 4)), LINE), "traffic: expected a square matrix, found 3 x 4"),
    (lambda: topoloom.map(np.ones(4), LINE), "traffic: expected a square matrix, found an array of shape"),
    (lambda: topoloom.map(np.ones((2, 2, 2)), LINE), "traffic: expected a square matrix"),
    (lambda: topoloom.map(-SQUARE, LINE), "at least 0, found -1 from rank 0 to rank 0"),
    (lambda: topoloom.map(twice(SQUARE), LINE), "found NaN from rank 1 to rank 2"),
    (lambda: topoloom.map(SQUARE * np.inf, LINE), "found inf from rank 0"),
    (lambda: topoloom.map(SQUARE.astype(str), LINE), "traffic: expected numbers"),
    (lambda: topoloom.map(SQUARE.astype(object), LINE), "traffic: expected numbers"),
    (lambda: topoloom.map(SQUARE.astype(complex), LINE), "traffic: expected numbers"),
    (lambda: topoloom.map([[1, 2], [3]], LINE), "traffic: expected numbers"),
    (lambda: topoloom.map([], LINE), "traffic: expected a square matrix"),
    (lambda: topoloom.map(np.zeros((0, 0)), LINE), "no ranks"),
    (lambda: topoloom.map(None, LINE), "traffic"),
    (lambda: topoloom.map(7, LINE), "traffic: expected a pattern.*found int"),
    (lambda: topoloom.map(SQUARE, 7), "machine: expected.*found int"),
    (lambda: topoloom.map(SQUARE, "mesh:2"), "4 ranks do not fit 2 slots"),
    (lambda: topoloom.map(SQUARE, "mush:2"), 'unknown topology "mush"'),
    (lambda: topoloom.map(SQUARE, "no/such/file.json"), "no/such/file.json: cannot read"),
    (lambda: topoloom.map("no/such/file.mtx", LINE), "no/such/file.mtx: cannot read"),
    (lambda: topoloom.map("lu:class=Q,ranks=4", LINE), "class"),
    (lambda: topoloom.map(SQUARE), "machine"),
    (lambda: topoloom.map(SQUARE, LINE, strategy="hilbrt"), "did you mean hilbert"),
    (lambda: topoloom.map(SQUARE, LINE, objective="hop-bites"), "hop-bites"),
    (lambda: topoloom.map(SQUARE, LINE, objective=np.ones((3, 4))), "objective"),
    (lambda: topoloom.map(SQUARE, LINE, objective=-np.ones((4, 4))), "objective"),
    (lambda: topoloom.map(SQUARE, LINE, objective=np.ones(4)), "objective: expected a square array"),
    (lambda: topoloom.map(SQUARE, LINE, effort="lots"), "effort"),
    (lambda: topoloom.map(SQUARE, LINE, seed="one"), "seed"),
    (lambda: topoloom.map(SQUARE, LINE, seed=-1), "seed"),
    (lambda: topoloom.map(SQUARE, LINE, seed=1.5), "seed"),
    (lambda: topoloom.map(SQUARE, LINE, seed=True), "seed: expected a value"),
    (lambda: topoloom.map(SQUARE, LINE, threads=0), "threads"),
    (lambda: topoloom.map(SQUARE, LINE, time_limit="soon"), "time"),
    (lambda: topoloom.map(SQUARE, LINE, time_limit=-1), "time"),
    (lambda: topoloom.map(SQUARE, LINE, weight={}), "weight: expected a text or a number, found dict"),
    (lambda: topoloom.map(SQUARE, LINE, progress=3), "progress: expected True"),
    (lambda: topoloom.compare(SQUARE, LINE, json=1), None),
    (lambda: topoloom.score(SQUARE, LINE, [0, 1]), "2 ranks in the mapping, 4 ranks in the traffic"),
    (lambda: topoloom.score(SQUARE, LINE, [0, 1, 2, 9]), "mapping"),
    (lambda: topoloom.score(SQUARE, LINE, [0, 0, 1, 2]), "node 0 holds more ranks"),
    (lambda: topoloom.score(SQUARE, LINE, [0, -1, 1, 2]), "slot|node"),
    (lambda: topoloom.score(SQUARE, LINE, [0.5, 1, 2, 3]), "mapping: expected the node of each rank"),
    (lambda: topoloom.score(SQUARE, LINE, "nothing"), "nothing"),
    (lambda: topoloom.score(SQUARE, LINE), "mapping"),
    (lambda: Machine(LINE).distance(0, 4), "expected a node from 0 to 3, found 4"),
    (lambda: Machine(LINE).distance(-1, 0), "a: expected the number of a node"),
    (lambda: Machine(LINE).distance("a", 0), "a: expected the number of a node"),
    (lambda: Machine(LINE).distance([0, 1], [0, 1, 2]), "distance"),
    (lambda: Machine(LINE).distance([0.5], [0]), "expected a node from 0 to 3, found 0.5"),
    (lambda: Machine.from_hosts([]), "host"),
    (lambda: Mapping("no/such/file.json"), "no/such/file.json: cannot read"),
    (lambda: Mapping([0, 1], slots=True), "machine"),
    (lambda: Mapping([0, 1]).plot(), "traffic: this mapping does not know it"),
    (lambda: Mapping([0, 1]).save("no/such/folder/m.json"), "no/such/folder"),
    (lambda: Traffic(SQUARE).save("x.nothing"), "x.nothing"),
    (lambda: Traffic(SQUARE, messages=np.ones((3, 3))), "messages: expected a matrix of 4 x 4"),
    (lambda: Traffic(SQUARE, messages=-SQUARE), "messages: expected numbers of at least 0"),
    (lambda: Traffic.from_flows([0, 1], [1], [1, 1]), "receivers: expected 2 numbers like senders, found 1"),
    (lambda: Traffic.from_flows([0, -1], [1, 0]), "senders: expected the number of a rank, found -1"),
    (lambda: Traffic.from_flows([0, 9], [1, 0], ranks=4), "senders: expected a rank from 0 to 3, found 9"),
    (lambda: Traffic.from_flows([0.5], [1]), "senders: expected the number of a rank, found 0.5"),
    (lambda: Traffic(SQUARE).filter(ranks="0-9"), "no rank 9"),
    (lambda: Traffic(SQUARE).coarsen(groups=[0, 1]), "group"),
    (lambda: Traffic(SQUARE).with_collectives("all"), "all"),
    (lambda: Traffic(SQUARE).to_numpy("bites"), "bites"),
    (lambda: topoloom.plot("matrix"), "traffic"),
    (lambda: topoloom.plot("portrait", traffic=SQUARE), "portrait"),
    (lambda: topoloom.list("things"), "things"),
    (lambda: topoloom.record("mpirun -n 4 ./app"), "command: expected a list"),
    (lambda: topoloom.refine([0, 1], lambda nodes: "much"), "cost: expected a function that gives a number"),
    (lambda: topoloom.map(SQUARE, LINE).apply("nothing"), "nothing"),
]


@pytest.mark.parametrize("function, text", WRONG, ids=range(len(WRONG)))
def test_wrong_values(function, text):
    if text is None:
        with pytest.raises(TypeError):
            function()
        return
    with pytest.raises(TopoloomError, match=text) as raised:
        function()
    assert isinstance(raised.value, ValueError)


@pytest.mark.parametrize(
    "name, nearest", [("sed", "seed"), ("strategi", "strategy"), ("timelimit", "time_limit"), ("objectiv", "objective")]
)
def test_misspelt_names(name, nearest):
    with pytest.raises(TypeError, match=f"map.. has no argument '{name}'; did you mean '{nearest}'"):
        topoloom.map(SQUARE, LINE, **{name: 1})


def test_sparse_matrices_that_are_broken():
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_array(SQUARE)
    for change in ("indptr", "indices"):
        broken = matrix.copy()
        getattr(broken, change)[1] = 99
        with pytest.raises(TopoloomError, match=change):
            Traffic(broken)
    with pytest.raises(TopoloomError, match="3 x 4"):
        Traffic(sparse.csr_array(np.ones((3, 4))))
    with pytest.raises(TopoloomError, match="expected numbers"):
        Traffic(sparse.csr_array(SQUARE.astype(complex)))


def test_tables_that_are_not_traffic():
    pandas = pytest.importorskip("pandas")
    for table, text in [
        (pandas.DataFrame({"x": [1, 2], "y": [3, 4], "z": [0, 0]}), "columns from and to"),
        (pandas.DataFrame({"from": ["a"], "to": ["b"]}), "senders: expected numbers"),
        (pandas.DataFrame({"from": [0], "to": [np.nan]}), "receivers: expected"),
    ]:
        with pytest.raises(TopoloomError, match=text):
            Traffic(table)
    with pytest.raises(TopoloomError, match="no column 'size'"):
        Traffic.from_pandas(pandas.DataFrame({"from": [0], "to": [1]}), bytes="size")


ANYTHING = [
    None,
    True,
    0,
    -1,
    1 << 70,
    1.5,
    float("nan"),
    float("inf"),
    "",
    "x",
    "torus:4x4",
    "ring:4",
    "a\nb\x00",
    "é" * 300,
    b"bytes",
    [],
    [1],
    [[1]],
    [[1, 2], [3, 4]],
    {},
    {"a": 1},
    (),
    object(),
    int,
    lambda: 1,
    np.float64(2),
    np.arange(4),
    np.ones((2, 2)),
    np.array("x"),
    np.array([[None]]),
    decimal.Decimal(1),
    datetime.timedelta(seconds=1),
    ["auto", None],
    range(3),
    3 + 4j,
]
FUNCTIONS = [
    topoloom.map,
    topoloom.score,
    topoloom.compare,
    topoloom.simulate,
    topoloom.advise,
    topoloom.check,
    topoloom.report,
    Traffic,
    Machine,
    Mapping,
    Traffic.from_flows,
    Traffic.from_scipy,
    Machine.from_files,
    Machine.from_hosts,
]
NAMES = [
    "strategy",
    "seed",
    "weight",
    "objective",
    "time_limit",
    "effort",
    "collectives",
    "routing",
    "imbalance",
    "threads",
    "progress",
    "json",
]


def test_nothing_that_is_thrown_at_it_breaks_it():
    """Random values in random places: exceptions that users can catch, never a panic and never an abort."""
    choose = random.Random(1)
    for _ in range(1500):
        function = choose.choice(FUNCTIONS)
        arguments = [choose.choice(ANYTHING) for _ in range(choose.randint(0, 3))]
        given = {choose.choice(NAMES): choose.choice(ANYTHING) for _ in range(choose.randint(0, 2))}
        if given.get("time_limit") is None and function not in (Traffic, Machine, Mapping):
            given["time_limit"] = 1
        try:
            function(*arguments, **given)
        except topoloom.InternalError as fault:
            pytest.fail(f"{function} {arguments} {given}: {fault}")
        except (TypeError, ValueError, AttributeError, OverflowError):
            pass
