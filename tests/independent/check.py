#!/usr/bin/env python3
"""Holds what topoloom reports against independent programs: check.py PATH-OF-TOPOLOOM

The judge knows distances everywhere and loads on meshes and tori; the loads of HAEC and of
hypercubes, and everything that is not a sum of distances, are computed here.
"""
import itertools, json, os, subprocess, sys, tempfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import judge

TRAFFIC = ["lu:class=S,ranks=16", "cg:class=S,ranks=16", "bt:class=S,ranks=9", "sp:class=S,ranks=16",
           "mg:class=S,ranks=12", "is:class=S,ranks=8", "stencil:3x5", "stencil:2x2x4,periodic,moore",
           "ring:7", "all-to-all:6", "random:ranks=16,degree=5,seed=3,bytes=12"]
MACHINES = ["mesh:4x2x2", "mesh:16", "torus:4x4", "torus:5x4", "torus:2x3x3", "torus:2x2x2x2", "torus:3x1x3,slots=2",
            "mesh:3x2,slots=3", "hypercube:4", "haec:4x4x1", "haec:2x2x4", "haec:3x3x3", "haec:1x2x4,slots=2"]
STRATEGIES = ["in-order", "random", "hilbert", "scan", "minmd"]


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def ring_steps(a, b, length):
    """(direction, number) of the shorter way round; ties go upwards"""
    up = (b - a) % length
    return (1, up) if up <= length - up else (-1, length - up)


def haec_route(machine, a, b):
    (x, y, z), (tx, ty, tz) = machine.coord(a), machine.coord(b)
    X, Y, _ = machine.dims
    at, route = a, []
    if z != tz:
        while abs(z - tz) > 1:
            z += 1 if tz > z else -1
            nxt = machine.node([x, y, z]); route.append((at, nxt)); at = nxt
        return route + [(at, b)]
    for here, there, length, axis in ((x, tx, X, 0), (y, ty, Y, 1)):
        direction, number = ring_steps(here, there, length)
        for _ in range(number):
            c = machine.coord(at); c[axis] = (c[axis] + direction) % length
            nxt = machine.node(c); route.append((at, nxt)); at = nxt
    return route


def hypercube_route(machine, a, b):
    route = []
    for bit in range(len(machine.dims)):
        if (a ^ b) >> bit & 1:
            route.append((a, a ^ 1 << bit)); a ^= 1 << bit
    return route


def loads(spec, machine, flows):
    if not spec.startswith(("haec", "hypercube")):
        return machine.loads(flows, "dimension-order")
    route, load = haec_route if spec.startswith("haec") else hypercube_route, {}
    for (a, b), weight in flows.items():
        for link in route(machine, a, b):
            load[link] = load.get(link, 0) + weight
    return load


def expected(traffic_file, spec, mapping_file):
    ranks, traffic = judge.traffic(traffic_file)
    machine = judge.Machine(spec)
    node = json.load(open(mapping_file))["node_of_rank"]
    judged = judge.score(traffic_file, spec, mapping_file)
    distance = lambda a, b: machine.distance(node[a], node[b])
    flows, intra = {}, 0
    for (a, b), weight in traffic.items():
        if node[a] == node[b]:
            intra += weight
        else:
            flows[node[a], node[b]] = flows.get((node[a], node[b]), 0) + weight
    total = sum(traffic.values())
    load = loads(spec, machine, flows)
    pairs = {(min(p), max(p)) for p in traffic if p[0] != p[1]}
    return {
        "ranks": ranks, "nodes": machine.nodes, "hop_bytes": judged["hop_bytes"], "max_dilation": judged["max_dilation"],
        "total_weight": total, "intra_node_weight": intra, "inter_node_weight": total - intra,
        "average_dilation": judged["hop_bytes"] / total if total else 0,
        "cardinality": sum(distance(a, b) <= 1 for a, b in pairs),
        "max_link_load": max(load.values(), default=0), "min_link_load": min(load.values(), default=0),
        "links_used": len(load), "average_link_load": sum(load.values()) / len(load) if load else 0,
    }


def brute_force(traffic_file, spec):
    """the least hop-bytes of all placements"""
    ranks, traffic = judge.traffic(traffic_file)
    machine = judge.Machine(spec)
    slots = machine.nodes * machine.slots
    return min(
        sum(w * machine.distance(p[a] // machine.slots, p[b] // machine.slots) for (a, b), w in traffic.items())
        for p in itertools.permutations(range(slots), ranks))


def main():
    program, passed, failed = sys.argv[1], 0, []
    with tempfile.TemporaryDirectory() as folder:
        matrix, mapping = os.path.join(folder, "t.mtx"), os.path.join(folder, "m.json")
        for traffic, weight in itertools.product(TRAFFIC, ("bytes", "messages")):
            run(program, "generate", traffic, "--weight", weight, "--output", matrix)
            ranks = judge.traffic(matrix)[0]
            for machine, strategy in itertools.product(MACHINES, STRATEGIES):
                m = judge.Machine(machine)
                if ranks > m.nodes * m.slots:
                    continue
                problem = ["--traffic", traffic, "--machine", machine, "--weight", weight]
                run(program, "map", *problem, "--strategy", strategy, "--output", mapping)
                ours = json.loads(run(program, "score", *problem, "--mapping", mapping, "--json"))
                theirs = expected(matrix, machine, mapping)
                wrong = [k for k, v in theirs.items() if abs(ours[k] - v) > 1e-9 * max(1, abs(v))]
                if not ours["lower_bound"] <= ours["hop_bytes"]:
                    wrong.append("lower_bound")
                run(program, "check", *problem, "--mapping", mapping)
                passed += not wrong
                failed += [(traffic, weight, machine, strategy, k, ours.get(k), theirs.get(k)) for k in wrong]
        for traffic, machine in (("random:ranks=6,degree=3,seed=4", "mesh:3x2"), ("ring:6", "haec:2x1x3"),
                                 ("lu:class=S,ranks=6", "torus:3,slots=2"), ("all-to-all:5", "mesh:6")):
            run(program, "generate", traffic, "--output", matrix)
            best = json.loads(run(program, "map", "--traffic", traffic, "--machine", machine, "--strategy", "a-star", "--json"))
            least = brute_force(matrix, machine)
            right = best["hop_bytes"] == least and best["lower_bound"] <= least and best["complete"]
            passed += right
            if not right:
                failed.append((traffic, machine, "a-star", best["hop_bytes"], best["lower_bound"], least))
    for case in failed[:20]:
        print("FAILED", *case)
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
