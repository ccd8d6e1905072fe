#!/usr/bin/env python3
"""Places published layouts of Llama 3 on random allocations, beside hosts in the order of their names.

3,000 hosts of 8 GPUs in 4 pods of 50 leaves; the uplinks of a pod carry a seventh of what its hosts
can send. Of these, the hosts that the job needs are drawn at random. One thread, effort eco, seed 1.

usage: run.py TOPOLOOM [--seeds 3] [--ordered]
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LAYOUTS = [
    ("8,192 GPUs", "llm:model=llama3-405b,tp=8,pp=16,dp=64,order=tp-cp-pp-dp,micro-batches=32", 1024),
    ("16,384 GPUs", "llm:model=llama3-405b,tp=8,pp=16,dp=128,order=tp-cp-pp-dp,micro-batches=16", 2048),
    (
        "16,384 GPUs, 128K",
        "llm:model=llama3-405b,tp=8,cp=16,pp=16,dp=8,order=tp-cp-pp-dp,sequence=131072,micro-batches=16",
        2048,
    ),
]

parser = argparse.ArgumentParser()
parser.add_argument("topoloom")
parser.add_argument("--seeds", type=int, default=3)
parser.add_argument("--ordered", action="store_true", help="names of hosts follow pods and leaves")
arguments = parser.parse_args()
ordered = ["--ordered"] if arguments.ordered else []
pods = Path(__file__).resolve().parent / "pods.py"


def run(*words):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{words}: {done.stderr}")
    return done.stdout


def between_pods(groups):
    return sum(kind["levels"][-1]["bytes"] for kind in groups)


print("| layout | allocation | between pods, by name | placed | share | seconds |")
print("| --- | --- | --- | --- | --- | --- |")
for name, traffic, hosts in LAYOUTS:
    for seed in range(1, arguments.seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            run(sys.executable, pods, folder, *ordered, "--pods", 4, "--leaves", 50, "--hosts", 15,
                "--used", hosts, "--seed", seed)
            machine = folder / "machine.json"
            # Adapters of 8 x 50 GB/s; 15 hosts below a leaf, 750 in a pod.
            run(arguments.topoloom, "machine", "import", folder / "topology.conf", folder / "hosts",
                "--bandwidth", "switch1=400e9", "--bandwidth", f"switch2={15 * 400e9}",
                "--bandwidth", f"switch3={750 * 400e9 / 7}", "--output", machine)
            begin = time.time()
            record = json.loads(run(arguments.topoloom, "map", "--traffic", traffic, "--machine", machine,
                                    "--threads", 1, "--json"))
            seconds = time.time() - begin
            before = between_pods(record.get("baseline_groups", record["groups"]))
            after = between_pods(record["groups"])
            print(f"| {name} | {seed} | {before / 1e12:.1f} TB | {after / 1e12:.1f} TB | "
                  f"{after / before:.3f} | {seconds:.1f} |", flush=True)
