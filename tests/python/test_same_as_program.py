"""The same command gives the same result in Python and on the command line, bit for bit."""

import itertools
import json

import pytest

import topoloom

# Both sides call the same library, so problems need not be large.
TRAFFIC = ["lu:class=A,ranks=16", "stencil:4x4,bytes=1000", "ft:class=S,ranks=16", "random:ranks=16,degree=4,seed=3"]
MACHINES = [
    "torus:4x2x2",
    "mesh:4x4",
    "tree:2:4:2,distances=1:10:100",
    "fat-tree:k=4",
    "dragonfly:groups=5,routers=4,nodes=1",
]
STRATEGIES = ["auto", "hilbert", "in-order", "greedy | bokhari:runs=2", "multilevel", "random"]


@pytest.mark.parametrize("traffic, machine", list(itertools.product(TRAFFIC, MACHINES)))
def test_placements_and_scores(program, tmp_path, traffic, machine):
    # Seeds take turns, and one strategy shows that they count.
    seeds = [1, 7] if MACHINES.index(machine) % 2 else [7, 1]
    runs = [*zip(STRATEGIES, itertools.cycle(seeds)), ("random", 3)]
    for strategy, seed in runs:
        path = tmp_path / "mapping.json"
        path.unlink(missing_ok=True)
        code, printed, error = program(
            "map",
            "--traffic",
            traffic,
            "--machine",
            machine,
            "--strategy",
            strategy,
            "--seed",
            seed,
            "--effort",
            "fast",
            "--output",
            path,
            "--json",
        )
        if code != 0:
            with pytest.raises(topoloom.TopoloomError) as raised:
                topoloom.map(traffic, machine, strategy=strategy, seed=seed, effort="fast")
            assert error.strip() == f"error: {raised.value}"
            continue
        mapping = topoloom.map(traffic, machine, strategy=strategy, seed=seed, effort="fast")
        written = json.loads(path.read_text())
        assert mapping.nodes.tolist() == written["node_of_rank"]
        assert mapping.slots.tolist() == written["slot_of_rank"]
        assert without_times(mapping.record.to_dict()) == without_times(json.loads(printed))
        again = tmp_path / "again.json"
        mapping.save(again)
        assert again.read_bytes() == path.read_bytes()
    # Through objects in memory, everything but the name of the traffic stays.
    matrix = topoloom.Traffic(traffic).with_collectives().to_scipy()
    found = [topoloom.map(what, machine, strategy="multilevel", seed=3) for what in (matrix, traffic)]
    assert found[0].nodes.tolist() == found[1].nodes.tolist()


def without_times(value):
    """A record without what differs from run to run."""
    if isinstance(value, dict):
        return {key: without_times(inner) for key, inner in value.items() if key not in ("seconds", "evaluations")}
    if isinstance(value, list):
        return [without_times(inner) for inner in value]
    return value


COMMANDS = [
    (
        ["score", "--traffic", "ring:16", "--machine", "mesh:4x4", "--mapping", "hilbert", "--json"],
        lambda: topoloom.score("ring:16", "mesh:4x4", "hilbert").to_dict(),
    ),
    (
        ["compare", "--traffic", "ring:16", "--machine", "mesh:4x4", "--strategy", "auto,scan,peano", "--json"],
        lambda: topoloom.compare("ring:16", "mesh:4x4", ["auto", "scan", "peano"]).rows,
    ),
    (
        [
            "compare",
            "--traffic",
            "ring:16",
            "--machine",
            "mesh:4x4",
            "--strategy",
            "random,genetic",
            "--repeat",
            "3",
            "--json",
        ],
        lambda: topoloom.compare("ring:16", "mesh:4x4", ["random", "genetic"], repeat=3).rows,
    ),
    (
        [
            "simulate",
            "--traffic",
            "lu:class=S,ranks=16",
            "--machine",
            "mesh:4x4",
            "--mapping",
            "scan",
            "--model",
            "packet",
            "--json",
        ],
        lambda: topoloom.simulate("lu:class=S,ranks=16", "mesh:4x4", "scan", model="packet").to_dict(),
    ),
    (
        ["advise", "--traffic", "bt:class=S,ranks=16", "--shapes", "mesh:4x4,torus:4x4", "--json"],
        lambda: topoloom.advise("bt:class=S,ranks=16", shapes=["mesh:4x4", "torus:4x4"]).to_dict(),
    ),
    (
        ["arrange", "--platform", "example:thesis-3.9", "--json"],
        lambda: topoloom.arrange("example:thesis-3.9").to_dict(),
    ),
    (
        ["arrange", "platform", "example:thesis-3.9", "--json"],
        lambda: topoloom.arrange_platform("example:thesis-3.9").to_dict(),
    ),
    (
        ["schedule", "--machine", "mesh:4x4", "--load", "0.8", "--workload", "lublin:jobs=20", "--json"],
        lambda: topoloom.schedule("mesh:4x4", load=0.8, workload="lublin:jobs=20"),
    ),
    (
        ["traffic", "show", "lu:class=S,ranks=16", "--json"],
        lambda: topoloom.Traffic("lu:class=S,ranks=16").summary().to_dict(),
    ),
    (
        ["traffic", "groups", "llm:model=llama3-70b,tp=4,pp=2,dp=2", "--json"],
        lambda: topoloom.Traffic("llm:model=llama3-70b,tp=4,pp=2,dp=2").groups(),
    ),
    (["machine", "show", "torus:4x4x4", "--json"], lambda: topoloom.Machine("torus:4x4x4").summary().to_dict()),
    (["list", "strategies", "--json"], lambda: topoloom.list("strategies")),
    (["list", "--json"], lambda: topoloom.list().to_dict()),
    (["reproduce", "multicore", "--json"], lambda: topoloom.reproduce("multicore")),
]


@pytest.mark.parametrize("words, function", COMMANDS, ids=[" ".join(words[:3]) for words, _ in COMMANDS])
def test_what_commands_report(program, words, function):
    code, printed, error = program(*words)
    if code != 0:
        with pytest.raises(topoloom.TopoloomError) as raised:
            function()
        pytest.fail(f"the program refuses its own example: {error} / {raised.value}")
    found = function()
    found = found.to_dict() if isinstance(found, topoloom.Record) else found
    assert without_times(found) == without_times(json.loads(printed))


def test_pictures_and_pages(program, tmp_path):
    page = tmp_path / "report.html"
    code, _, error = program("report", "--traffic=ring:16", "--machine=mesh:4x4", "--reproducible", f"--output={page}")
    assert code == 0, error
    ours = topoloom.report("ring:16", "mesh:4x4", reproducible=True)
    assert ours.html == page.read_text().replace(f" --output={page}", "").replace(f" &quot;--output={page}&quot;", "")
    for kind, more in [
        ("matrix", {}),
        ("machine", {"machine": "mesh:4x4"}),
        ("curve", {"machine": "mesh:4x4", "strategy": "hilbert"}),
    ]:
        given = {**({} if kind == "curve" else {"traffic": "ring:16"}), **more}
        words = [word for name, value in given.items() for word in (f"--{name}", value)]
        picture = topoloom.plot(kind, **given)
        for ending, content in [("svg", picture.svg.encode()), ("png", picture.png)]:
            path = tmp_path / f"picture.{ending}"
            assert program("plot", kind, *words, "--output", path)[0] == 0
            assert path.read_bytes() == content


def test_files_and_edits(program, tmp_path, examples):
    matrix = examples / "lulesh-64.mtx"
    edits = [
        (["scale", "--factor", "2"], lambda traffic: traffic.scale(factor=2)),
        (["filter", "--ranks", "0-15"], lambda traffic: traffic.filter(ranks="0-15")),
        (["filter", "--top", "3"], lambda traffic: traffic.filter(top=3)),
        (["symmetrize", "--sum"], lambda traffic: traffic.symmetrize(sum=True)),
        (["coarsen", "--by", "8"], lambda traffic: traffic.coarsen(by=8)),
    ]
    for number, (words, function) in enumerate(edits):
        theirs, ours = tmp_path / f"theirs{number}.csv", tmp_path / f"ours{number}.csv"
        code, _, error = program("traffic", words[0], matrix, *words[1:], "--output", theirs)
        assert code == 0, error
        function(topoloom.Traffic(matrix)).save(ours)
        assert ours.read_text() == theirs.read_text()


def test_a_described_cluster(program, tmp_path, examples):
    files = [examples / "node.xml", examples / "topology.conf"]
    path = tmp_path / "machine.json"
    code, _, error = program("machine", "import", *files, "--output", path)
    assert code == 0, error
    machine = topoloom.Machine.from_files(*files)
    again = tmp_path / "again.json"
    machine.save(again)
    assert again.read_text() == path.read_text()
    assert machine.hosts == topoloom.Machine(path).hosts
    written = tmp_path / "mapping.json"
    traffic = examples / "halo.rec"
    code, printed, error = program(
        "map", "--traffic", traffic, "--machine", path, "--output", written, "--json", "--effort", "fast"
    )
    assert code == 0, error
    mapping = topoloom.map(traffic, path, effort="fast")
    assert mapping.hosts is not None
    assert mapping == topoloom.Mapping(written)
    assert topoloom.map(traffic, machine, effort="fast").nodes.tolist() == mapping.nodes.tolist()
    launch = tmp_path / "ranks"
    code, printed, error = program("apply", "--mapping", written, "--format", "openmpi5-rankfile", "--output", launch)
    assert code == 0, error
    file = mapping.apply("openmpi5-rankfile", tmp_path / "ours")
    assert file.content == launch.read_text()
    assert file.command.replace("ours", "ranks") == printed.strip()
