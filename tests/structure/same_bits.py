#!/usr/bin/env python3
"""Runs the program over its registries and writes one line per run: exit code, hash of the output, command.

Two builds whose lines are the same give the same bits. Take the lines before a change of structure, and compare after it:

    tests/structure/same_bits.py OLD_PROGRAM > before.txt
    tests/structure/same_bits.py NEW_PROGRAM > after.txt
    diff before.txt after.txt

Times are taken out of the output; nothing else is.
"""

import hashlib
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = str(Path(sys.argv[1]).resolve())
TIMES = re.compile(r'("[a-z_]*(?:seconds|_ms)"\s*:\s*)[-0-9.eE+]+|\b\d+(?:\.\d+)? (?:s|ms|us|min)\b')
SEARCH = re.compile(rb'("search": \{[^{}]*"seconds": )[-0-9.eE+]+')
WHEN_SIMULATED = ("simulate", "report", "schedule", "reproduce")

PROBLEMS = [
    ("stencil:4x4x4", "torus:4x4x4"),
    ("lu:class=A,ranks=16", "haec:2x2x4"),
    ("random:ranks=24,degree=3,seed=5", "torus:4x6"),
    ("cg:class=S,ranks=16", "tree:2:8"),
    ("cg:class=S,ranks=8", "dragonfly:groups=3,routers=2,nodes=2"),
    ("ring:6", "mesh:2x3"),
]


def run(folder, *arguments, stdin=None):
    done = subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, input=stdin, timeout=600)
    output = done.stdout
    if arguments[0] in WHEN_SIMULATED:
        # Their seconds are results, except those that the search took.
        output = SEARCH.sub(rb"\1T", output)
    else:
        output = TIMES.sub(r"\1T", output.decode("utf-8", "replace")).encode()
    digest = hashlib.sha256(output)
    # A run that failed says why on standard error.
    if done.returncode:
        digest.update(done.stderr)
    print(f"{done.returncode} {digest.hexdigest()[:16]} {' '.join(arguments)}", flush=True)
    return done


def file(folder, name):
    path = Path(folder) / name
    content = path.read_bytes() if path.is_file() else b"none"
    print(f"  {hashlib.sha256(content).hexdigest()[:16]} {name}", flush=True)


def names(registry, kind):
    return [entry["name"] for entry in registry[kind]]


def main():
    registry = json.loads(subprocess.run([PROGRAM, "list", "--json"], capture_output=True, check=True).stdout)
    with tempfile.TemporaryDirectory() as folder:
        run(folder, "list", "--json")
        for traffic, machine in PROBLEMS:
            problem = ("--traffic", traffic, "--machine", machine)
            for strategy in names(registry, "strategies"):
                run(folder, "map", *problem, "--strategy", strategy, "--effort", "fast", "--json", "--seed", "3")
            for refiner in names(registry, "refiners"):
                run(folder, "map", *problem, "--strategy", f"in-order | {refiner}", "--effort", "fast", "--json")
            for objective in names(registry, "objectives"):
                run(folder, "map", *problem, "--objective", objective, "--effort", "fast", "--json")
            for routing in names(registry, "routings"):
                run(folder, "score", *problem, "--mapping", "in-order", "--routing", routing, "--json")
            for mode in names(registry, "collectives"):
                run(folder, "score", *problem, "--mapping", "in-order", "--collectives", mode, "--json")
            for model in names(registry, "models"):
                run(folder, "simulate", *problem, "--mapping", "in-order", "--model", model, "--json")
            run(folder, "compare", *problem, "--json", "--effort", "fast")
            run(folder, "report", *problem, "--reproducible", "--effort", "fast", "-o", "report.html")
            file(folder, "report.html")
        for entry in registry["topologies"]:
            run(folder, "machine", "show", entry["example"], "--json")
            run(folder, "score", "--traffic", "ring:4", "--machine", entry["example"], "--mapping", "in-order", "--json")
        for entry in registry["traffic"]:
            run(folder, "traffic", "show", entry["example"], "--json")
        run(folder, "generate", "lu:class=S,ranks=8", "-o", "traffic.csv")
        for entry in registry["formats"] + registry["traces"]:
            for ending in re.findall(r"\.(\w+)", entry["example"] + " " + entry["summary"])[:3]:
                run(folder, "generate", "lu:class=S,ranks=8", "-o", f"converted.{ending}")
                file(folder, f"converted.{ending}")
        run(folder, "map", "--traffic", "stencil:4x4", "--machine", "tree:2:8", "-o", "mapping.json")
        file(folder, "mapping.json")
        for entry in registry["launch"]:
            run(folder, "apply", "--mapping", "mapping.json", "--format", entry["name"], "--hosts", "n[01-02]", "-o", "launch")
            file(folder, "launch")
        examples = ROOT / "examples"
        for machine in ("node.xml", "topology.conf"):
            run(folder, "machine", "show", str(examples / machine), "--json")
        run(folder, "traffic", "show", str(examples / "halo.rec"), "--json")
        run(folder, "score", "--traffic", str(examples / "lulesh-64.mtx"), "--machine", "torus:4x4x4",
            "--mapping", "in-order", "--json")
        for platform in sorted((examples / "platforms").glob("*.toml")):
            for measure in names(registry, "measures"):
                run(folder, "arrange", "--platform", str(platform), "--measure", measure, "--json")
        for queue in names(registry, "queues"):
            for partition in names(registry, "partitions"):
                run(folder, "schedule", "--machine", "torus:4x4x4", "--queue", queue, "--partition", partition,
                    "--workload", "lublin:jobs=30", "--json")
        for paper in ("multicore", "haec"):
            run(folder, "reproduce", paper, "--json")
        run(folder, "plot", "matrix", "--traffic", "stencil:4x4", "-o", "matrix.svg")
        file(folder, "matrix.svg")
        run(folder, "plot", "machine", "--traffic", "stencil:4x4", "--machine", "torus:4x4", "-o", "machine.svg")
        file(folder, "machine.svg")
        # Every help text.
        commands = re.findall(r"^  ([a-z]+) ", run(folder, "--help").stdout.decode(), re.M)
        for command in commands:
            if command != "help":
                inner = run(folder, command, "--help").stdout.decode()
                part = inner.split("Commands:")[1].split("\n\n")[0] if "Commands:" in inner else ""
                for deeper in re.findall(r"^  ([a-z]+) ", part, re.M):
                    if deeper != "help":
                        run(folder, command, deeper, "--help")


main()
