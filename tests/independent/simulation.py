#!/usr/bin/env python3
"""Checks `topoloom simulate` against its models, written down from their definitions.

    tests/independent/simulation.py PROGRAM

It checks halo exchanges on tori, under random mappings, against `bench/simgrid/maxmin.py`, in which no message waits
for another; random programs with send queues of every kind against `flow_model.py`; and relays of packets on a line
against a formula. None of them uses code of Topoloom.
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

import flow_model  # noqa: E402
import maxmin  # noqa: E402
import torus  # noqa: E402

# Grid of ranks and torus of nodes.
CASES = (("4x4", "4x4"), ("3x4", "3x2x2"), ("6x5", "5x6"), ("4x8", "4x4x2"))
# Of `simulate` and of the definition: a message that is not eager waits for both ends.
PROTOCOLS = (("rendezvous", "eager=0"), ("eager", "eager=1000000000"))
TOLERANCE = 1e-5

# Of random programs: torus of nodes, ranks on each, messages, the largest of them.
BOXES = (("4", 1, 60, 20000), ("3x3", 1, 120, 100000), ("4x2", 2, 120, 3000), ("3x2", 3, 150, 300))
# Bytes per second and seconds of copies inside a node.
MEMORY = (1e9, 200e-9)
QUEUES = ("pair", "1", "2", "3", "none")
SEEDS = 3


def simulated(program, trace, machine, mapping, model):
    command = [program, "simulate", *trace, "--machine", machine, "--mapping", mapping, "--model", model, "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)


def halos(program, folder, draw):
    """Yields what was compared, our seconds and theirs."""
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
            trace = ["--traffic", "stencil:%s,bytes=%d" % (grid, size * iterations),
                     "--replay", "rounds=%d" % iterations]
            model = "flow:queues=none,sharing=%s,%s" % (weights, eager)
            ours = simulated(program, trace, "torus:%s,latency=%g" % (box, latency), mapping, model)
            yield (grid, box, protocol, weights, size, latency), [ours["seconds"]], [theirs]


def drawn_programs(draw, ranks, messages, largest):
    """Programs that cannot get stuck: both ends of all messages come in one order. After every wait a rank computes for
    its own time, so no two ranks continue at the same moment."""
    programs = [[("c", draw.randrange(1, 5000))] for _ in range(ranks)]
    # The first two ranks share a node if any do.
    pairs = [[0, 1]] + [draw.sample(range(ranks), 2) for _ in range(2)]

    def pause(rank):
        programs[rank].append(("c", draw.randrange(1, 1999)))

    for number in range(messages):
        # Some pairs send often, so their queues are long.
        source, target = draw.choice(pairs) if draw.random() < 0.6 else draw.choices(range(ranks), k=2)
        size = draw.choice((0, draw.randrange(100), draw.randrange(largest), draw.randrange(largest)))
        tag = draw.randrange(3)
        if draw.random() < 0.3 and source != target:
            programs[target].append(("r", source, tag))
            pause(target)
        else:
            programs[target].append(("R", 2 * number, source, tag))
        if draw.random() < 0.3 and source != target:
            programs[source].append(("s", target, size, tag))
            pause(source)
        else:
            programs[source].append(("S", 2 * number + 1, target, size, tag))
        for rank in range(ranks):
            if draw.random() < 0.05:
                programs[rank].append(("W",))
                pause(rank)
    for program in programs:
        program.append(("W",))
    return programs


def random_programs(program, folder, draw):
    trace = os.path.join(folder, "drawn.trace")
    for (box, slots, messages, largest), seed in itertools.product(BOXES, range(SEEDS)):
        lengths = torus.lengths_of(box)
        ranks = slots * math.prod(lengths)
        programs = drawn_programs(draw, ranks, messages, largest)
        write_trace(trace, programs)
        for queues in QUEUES:
            eager = draw.choice((0, largest // 4, 10 * largest))
            weights, latency = draw.choice(maxmin.WEIGHTS), draw.choice((0.0, 1e-7, 2e-6))
            theirs = flow_model.Simulation(programs, [rank // slots for rank in range(ranks)], lengths, 1e10, latency,
                                           eager, queues, weights, MEMORY).finish_times()
            model = "flow:queues=%s,eager=%d,sharing=%s,memory-bandwidth=%g,memory-latency=%g" % (
                queues, eager, weights, *MEMORY)
            machine = "torus:%s,slots=%d,latency=%g" % (box, slots, latency)
            ours = simulated(program, ["--trace", trace], machine, "in-order", model)["finished_seconds"]
            yield (box, slots, seed, queues, eager, weights, latency), ours, theirs


def write_trace(path, programs):
    with open(path, "w") as file:
        file.write("topoloom-trace 1\nranks %d\n" % len(programs))
        for rank, events in enumerate(programs):
            file.write("rank %d\n" % rank)
            file.writelines(" ".join(map(str, event)) + "\n" for event in events)


def relays_of_packets(program, folder, draw):
    """Rank 0 sends messages to rank 1, which passes one on as soon as it has it: messages of a pair follow each other.

    Nothing else is on the line. So a message arrives after the flits of all messages before it, its own flits, the
    latency of every link, and one cycle in every router.
    """
    trace, mapping = os.path.join(folder, "relay.trace"), os.path.join(folder, "relay.txt")
    for packet, hops, latency in itertools.product((64, 512, 65536), (1, 2, 3), (0.0, 1e-7)):
        sizes = [draw.randrange(1, draw.choice((100, 20000))) for _ in range(draw.randrange(2, 40))]
        passed_on = draw.randrange(len(sizes))
        size = draw.randrange(1, 20000)
        receives = [("r", 0, 0) for _ in sizes]
        receives.insert(passed_on + 1, ("s", 2, size, 0))
        sends = [("S", number, 1, sent, 0) for number, sent in enumerate(sizes)]
        write_trace(trace, [[*sends, ("W",)], receives, [("r", 1, 0)]])
        with open(mapping, "w") as file:
            file.writelines("%d\n" % (hops * rank) for rank in range(3))

        def flits(bytes_sent):
            whole, rest = divmod(bytes_sent, packet)
            return whole * (packet // 16) + math.ceil(rest / 16)

        cycle = 16 / 1e10
        way = hops * math.ceil(latency / cycle - 1e-9) + hops + 1
        there = sum(map(flits, sizes[:passed_on + 1])) + way
        theirs = [(sum(map(flits, sizes)) + way) * cycle, (there + flits(size) + way) * cycle]
        machine = "mesh:%d,latency=%g" % (2 * hops + 1, latency)
        model = "packet:packet=%d,eager=1000000000,buffers=64" % packet
        ours = simulated(program, ["--trace", trace], machine, mapping, model)["finished_seconds"][1:]
        yield (packet, hops, latency, sizes, passed_on, size), ours, theirs


def main():
    program = sys.argv[1]
    draw = random.Random(1)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, cases in (
            ("halo exchanges", halos),
            ("random programs with send queues", random_programs),
            ("relays of packets", relays_of_packets),
        ):
            passed, failed = 0, []
            for case, ours, theirs in cases(program, folder, draw):
                if all(abs(a - b) <= TOLERANCE * b for a, b in zip(ours, theirs, strict=True)):
                    passed += 1
                else:
                    failed.append((*case, ours, theirs))
            for case in failed[:20]:
                print("FAILED", *case)
            print("%s: %d simulations passed, %d failed" % (name, passed, len(failed)))
            wrong += len(failed)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
