#!/usr/bin/env python3
"""Writes a cluster of pods and leaves, and a random allocation of it. Names of hosts are unrelated to
pods and leaves, or follow them with --ordered.

usage: pods.py FOLDER [--ordered] [--pods 8] [--leaves 24] [--hosts 16] [--used 2048] [--seed 1]
"""

import argparse
import random
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("--pods", type=int, default=8)
parser.add_argument("--leaves", type=int, default=24, help="leaves of a pod")
parser.add_argument("--hosts", type=int, default=16, help="hosts of a leaf")
parser.add_argument("--used", type=int, default=2048, help="hosts of the allocation")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--ordered", action="store_true", help="names follow pods and leaves")
arguments = parser.parse_args()

random.seed(arguments.seed)
count = arguments.pods * arguments.leaves * arguments.hosts
names = [f"n{number:04d}" for number in range(count)]
if not arguments.ordered:
    random.shuffle(names)
unused = iter(names)
lines = []
for pod in range(arguments.pods):
    leaves = [f"p{pod}l{leaf}" for leaf in range(arguments.leaves)]
    for leaf in leaves:
        hosts = [next(unused) for _ in range(arguments.hosts)]
        lines.append(f"SwitchName={leaf} Nodes={','.join(hosts)}")
    lines.append(f"SwitchName=pod{pod} Switches={','.join(leaves)}")
lines.append("SwitchName=core Switches=" + ",".join(f"pod{pod}" for pod in range(arguments.pods)))
arguments.folder.mkdir(parents=True, exist_ok=True)
(arguments.folder / "topology.conf").write_text("\n".join(lines) + "\n")
chosen = sorted(random.sample(names, arguments.used))
(arguments.folder / "hosts").write_text("".join(f"{host} slots=8\n" for host in chosen))
