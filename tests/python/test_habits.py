"""What people expect of a Python package: interrupts, threads, processes, pickles, progress, notebooks."""

import concurrent.futures
import inspect
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import topoloom
from topoloom import Machine, Mapping, Traffic

# A search that takes minutes.
LONG = ("random:ranks=4096,degree=16", "torus:16x16x16")


def test_an_interrupt_keeps_the_best_so_far():
    timers = []

    def told(*news):
        # The search has begun. The signal comes a little later, as from a terminal.
        if not timers:
            timers.append(threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)))
            timers[0].start()

    # A shell that starts the tests in the background makes them ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.warns(topoloom.InterruptedWarning):
            mapping = topoloom.map(*LONG, effort="strong", progress=told)
    finally:
        signal.signal(signal.SIGINT, before)
    timers[0].join()
    assert not mapping.complete and len(mapping) == 4096
    assert topoloom.check(*LONG, mapping)
    assert "cut short" in repr(mapping)


def test_an_interrupt_elsewhere_is_one():
    code = textwrap.dedent("""
        import os, signal, threading, topoloom
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            topoloom.Traffic("all-to-all:6000").summary()
            topoloom.Traffic("all-to-all:6000").summary()
            topoloom.Traffic("all-to-all:6000").summary()
        except KeyboardInterrupt:
            print("interrupted")
    """)
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert ended.stdout == "interrupted\n", ended


def test_a_time_limit_is_kept():
    started = time.monotonic()
    with pytest.warns(topoloom.TopoloomWarning, match="cut the search short"):
        mapping = topoloom.map(*LONG, effort="strong", time_limit=1)
    assert not mapping.complete and time.monotonic() - started < 30


def test_other_threads_run_meanwhile():
    ticks = []

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.01)

    done = threading.Event()
    thread = threading.Thread(target=tick)
    thread.start()
    with pytest.warns(topoloom.TopoloomWarning):
        topoloom.map(*LONG, time_limit=1)
    done.set()
    thread.join()
    assert len(ticks) > 20


def test_several_searches_in_threads_give_the_same():
    machines = ["torus:4x4x2", "mesh:8x4", "hypercube:5", "tree:4:4:2,distances=1:10:100"]
    one_by_one = [topoloom.map("lu:class=A,ranks=32", machine).nodes.tolist() for machine in machines] * 2
    machines *= 2
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        at_once = list(pool.map(lambda machine: topoloom.map("lu:class=A,ranks=32", machine).nodes.tolist(), machines))
    assert at_once == one_by_one
    assert topoloom.map("lu:class=A,ranks=32", "torus:4x4x2", threads=1).nodes.tolist() == one_by_one[0]


def place(problem):
    traffic, machine = problem
    return topoloom.map(traffic, machine, effort="fast")


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_several_processes_give_the_same(method):
    # The parent has used its threads before: a forked child has none of them.
    here = topoloom.map("ring:16", "mesh:4x4", effort="fast")
    problems = [(Traffic("ring:16").to_numpy(), Machine("mesh:4x4")), (Traffic("ring:16"), Machine("torus:4x4"))]
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map_async(place, problems).get(120)
    assert found[0].nodes.tolist() == here.nodes.tolist()
    assert isinstance(found[1], Mapping) and found[1].traffic == Traffic("ring:16")


def test_pickles(tmp_path, examples):
    matrix = np.arange(16.0).reshape(4, 4)
    for traffic in [
        Traffic("lu:class=S,ranks=16"),
        Traffic("ft:class=S,ranks=8"),
        Traffic("is:class=S,ranks=8"),
        Traffic(matrix),
        Traffic(matrix, messages=matrix + 1),
        Traffic("ft:class=S,ranks=8").scale(factor=2),
        Traffic(examples / "halo.rec"),
        Traffic("llm:model=llama3-70b,tp=4,pp=2,dp=2"),
    ]:
        again = pickle.loads(pickle.dumps(traffic))
        assert again == traffic and again.name == traffic.name and repr(again) == repr(traffic)
    # A file need not exist where the pickle is read.
    path = tmp_path / "traffic.csv"
    path.write_text("0,1,5\n1,0,7\n")
    pickled = pickle.dumps(Traffic(path))
    machine = tmp_path / "machine.json"
    Machine.from_hosts("n[1-4]", slots=4).save(machine)
    pickled_machine = pickle.dumps(Machine(machine))
    pickled_mapping = pickle.dumps(topoloom.map("ring:16", machine))
    path.unlink()
    machine.unlink()
    assert pickle.loads(pickled).bytes == 12
    assert topoloom.map(pickle.loads(pickled), "mesh:2").cost == 12
    again = pickle.loads(pickled_machine)
    assert again.hosts == ["n1", "n2", "n3", "n4"]
    mapping = pickle.loads(pickled_mapping)
    assert len(mapping.hosts) == 16 and topoloom.check("ring:16", again, mapping)
    assert mapping.record.objective_cost == mapping.cost
    for machine in (Machine("torus:4x4"), Machine.from_hosts("n[1-4]", slots=4)):
        assert pickle.loads(pickle.dumps(machine)) == machine


def test_progress():
    told = []
    with pytest.warns(topoloom.TopoloomWarning):
        topoloom.map(*LONG, time_limit=1, progress=lambda *news: told.append(news))
    task, done, total, best = told[-1]
    assert isinstance(task, str) and done <= total and (best is None or best > 0)


def test_progress_as_tqdm_shows_it():
    pytest.importorskip("tqdm")
    code = f"import topoloom; topoloom.map(*{LONG!r}, time_limit=1, progress=True)"
    ended = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0 and "auto" in ended.stderr and "it/s" in ended.stderr, ended.stderr
    assert ended.stdout == ""


def test_a_listener_that_fails_ends_the_search():
    def fail(*news):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        topoloom.map(*LONG, progress=fail)


def test_reprs_are_one_line_and_say_what_a_thing_is():
    mapping = topoloom.map("ring:16", "mesh:4x4")
    shown = [
        Traffic("ring:16"),
        Machine("mesh:4x4"),
        mapping,
        mapping.record,
        topoloom.compare("ring:16", "mesh:4x4", ["scan"]),
        mapping.simulate(),
        mapping.plot(),
        mapping.report(),
        mapping.apply("openmpi5-rankfile", hosts="n[1-16]"),
        topoloom.check("ring:16", "mesh:4x4", mapping),
    ]
    for one in shown:
        text = repr(one)
        assert "\n" not in text and 10 < len(text) < 250 and " at 0x" not in text, text
    assert "16 ranks" in repr(mapping) and "mesh:4x4" in repr(mapping) and "46.7% below in-order" in repr(mapping)


def test_notebooks_show_pictures_tables_and_pages():
    mapping = topoloom.map("ring:16", "mesh:4x4")
    for one in (mapping, Traffic("ring:16"), Machine("mesh:4x4"), mapping.plot("loads")):
        assert one._repr_png_().startswith(b"\x89PNG")
    assert Mapping([0, 1])._repr_png_() is None
    table = topoloom.compare("ring:16", "mesh:4x4", ["scan", "auto", "bipartition"])._repr_html_()
    assert "<table" in table and "auto" in table
    page = mapping.report()._repr_html_()
    assert page.startswith("<iframe srcdoc=") and "http" not in page.split("srcdoc")[0]
    assert "hop_bytes" in mapping.record._repr_html_()


def test_signatures_and_help():
    parameters = inspect.signature(topoloom.map).parameters
    assert {"traffic", "machine", "strategy", "objective", "effort", "seed", "time_limit", "progress"} <= set(
        parameters
    )
    assert not {"output", "json"} & set(parameters)
    assert "strategy: The strategy, optionally followed by refiners" in topoloom.map.__doc__
    assert "collectives" in inspect.signature(Traffic("ring:4").save).parameters
    assert all(inspect.getdoc(getattr(topoloom, name)) for name in topoloom.__all__ if name != "__version__")


def test_import_is_quick_and_needs_only_numpy():
    code = textwrap.dedent("""
        import sys, topoloom
        print(sorted({name.split(".")[0] for name in sys.modules} & {"numpy", "scipy", "pandas", "networkx", "tqdm"}))
    """)
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_the_program_is_there(program):
    ended = subprocess.run([sys.executable, "-m", "topoloom", "--version"], capture_output=True, text=True)
    assert ended.stdout == f"topoloom {topoloom.__version__}\n" == program("--version")[1]
    refused = subprocess.run([sys.executable, "-m", "topoloom", "map"], capture_output=True, text=True)
    assert refused.returncode == 2 and "--traffic" in refused.stderr
