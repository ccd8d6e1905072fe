#!/usr/bin/env python3
"""Holds `topoloom simulate --model flow` against the model written down from its definition.

    tests/independent/simulation.py PROGRAM

Halo exchanges on tori, under random mappings: `bench/simgrid/maxmin.py` uses nothing of Topoloom's.
"""
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "bench", "simgrid"))

import maxmin  # noqa: E402
import torus  # noqa: E402

# Grid of ranks and torus of nodes.
CASES = (("4x4", "4x4"), ("3x4", "3x2x2"), ("6x5", "5x6"), ("4x8", "4x4x2"))
# Of `simulate` and of the definition: a message that is not eager waits for both ends.
PROTOCOLS = (("rendezvous", "eager=0"), ("eager", "eager=1000000000"))
TOLERANCE = 1e-5


def main():
    program = sys.argv[1]
    passed, failed = 0, []
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        mapping = os.path.join(folder, "nodes.txt")
        for (grid, box), (protocol, eager), weights in itertools.product(CASES, PROTOCOLS, maxmin.WEIGHTS):
            lengths = torus.lengths_of(box)
            shape = torus.lengths_of(grid)
            for size, latency, iterations in ((1000, 1e-7, 3), (200000, 1e-7, 2), (50000, 3e-6, 4)):
                nodes = list(range(math.prod(lengths)))
                draw.shuffle(nodes)
                nodes = nodes[:math.prod(shape)]
                with open(mapping, "w") as file:
                    file.writelines("%d\n" % node for node in nodes)
                theirs = maxmin.simulate(nodes, size, iterations, lengths, 1e10, latency, weights, protocol,
                                         "topoloom", shape)
                command = [program, "simulate", "--traffic", "stencil:%s,bytes=%d" % (grid, size * iterations),
                           "--replay", "rounds=%d" % iterations, "--machine", "torus:%s,latency=%g" % (box, latency),
                           "--mapping", mapping, "--model", "flow:sharing=%s,%s" % (weights, eager), "--json"]
                answer = subprocess.run(command, capture_output=True, text=True, check=True)
                ours = json.loads(answer.stdout)["seconds"]
                if abs(ours - theirs) <= TOLERANCE * theirs:
                    passed += 1
                else:
                    failed.append((grid, box, protocol, weights, size, latency, ours, theirs))
    for case in failed[:20]:
        print("FAILED", *case)
    print("%d simulations passed, %d failed" % (passed, len(failed)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
