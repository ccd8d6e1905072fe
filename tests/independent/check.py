#!/usr/bin/env python3
"""Checks what topoloom reports against independent programs: check.py PATH-OF-TOPOLOOM

The judge knows distances on all machines, and loads on meshes and tori. Trees have no loads. This script computes the
loads of HAEC and of hypercubes, those of equal splits at each hop, and everything that is not a sum of distances. It
also builds networks from files, and fat trees, dragonflies and tori whose links differ, a second time, and computes
their loads.
"""
import itertools, json, os, random, subprocess, sys, tempfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import judge

TRAFFIC = ["lu:class=S,ranks=16", "cg:class=S,ranks=16", "bt:class=S,ranks=9", "sp:class=S,ranks=16",
           "mg:class=S,ranks=12", "is:class=S,ranks=8", "stencil:3x5", "stencil:2x2x4,periodic,moore",
           "ring:7", "all-to-all:6", "random:ranks=16,degree=5,seed=3,bytes=12"]
MACHINES = ["mesh:4x2x2", "mesh:16", "torus:4x4", "torus:5x4", "torus:2x3x3", "torus:2x2x2x2", "torus:3x1x3,slots=2",
            "mesh:3x2,slots=3", "hypercube:4", "haec:4x4x1", "haec:2x2x4", "haec:3x3x3", "haec:1x2x4,slots=2",
            "tree:2:2:4,distances=1:10:100", "tree:3:1:6,distances=2:5:1000000", "tree:2:3:2,distances=0:3:3,slots=2"]
STRATEGIES = ["in-order", "random", "hilbert", "scan", "minmd"]
# Curves need a box.
ON_TREES = ["in-order", "random", "minmd", "auto"]
SHARED = [("stencil:9x11", "tree:2:2:4,distances=1:10:100", 0.03), ("stencil:9x11", "torus:3x2", 0.5),
          ("random:ranks=200,degree=6,seed=2", "tree:4:8,distances=1:7", 0.1), ("random:ranks=50,degree=3", "mesh:3x3,slots=2", 0.0),
          ("lu:class=C,ranks=64", "haec:2x2x2", 0.25), ("ring:5", "mesh:4x4", 2.5)]


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def generate(program, traffic, matrix, *options):
    """the traffic as the commands count it, with its collectives as messages"""
    run(program, "generate", traffic, "--collectives", "algorithm", *options, "--output", matrix)


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


def closer(spec, machine, at, to):
    """the links that lead one hop closer, as (end, which of several)"""
    here, there, found = machine.coord(at), machine.coord(to), []
    if spec.startswith("haec") and here[2] != there[2]:
        z = here[2] + (1 if there[2] > here[2] else -1)
        if z == there[2]:
            return [(to, 0)]
        return [(machine.node([x, y, z]), 0) for x in range(machine.dims[0]) for y in range(machine.dims[1])]
    for axis, (x, y, length) in enumerate(zip(here, there, machine.dims)):
        ring = machine.kind == "torus" or spec.startswith("haec") and axis < 2
        for sign, count in machine.steps(x, y, length, ring):
            if count:
                c = here[:]; c[axis] = (x + sign) % length
                found.append((machine.node(c), sign if length == 2 and machine.double else 0))
    return sorted(set(found))


def spread_loads(spec, machine, flows, by_route, closer=closer):
    """every shortest route in equal shares, or an equal split at each hop"""
    load = {}
    for (a, b), weight in flows.items():
        routes = {}
        def count(at):
            if at not in routes:
                routes[at] = 1 if at == b else sum(count(end) for end, _ in closer(spec, machine, at, b))
            return routes[at]
        share = {a: weight}
        while list(share) != [b]:
            passed_on = {}
            for at, amount in share.items():
                links = closer(spec, machine, at, b)
                for end, which in links:
                    part = amount * count(end) / count(at) if by_route else amount / len(links)
                    load[at, end, which] = load.get((at, end, which), 0) + part
                    passed_on[end] = passed_on.get(end, 0) + part
            share = passed_on
    return load


def loads(spec, machine, flows, routing):
    if spec.startswith("tree"):
        return None
    if routing != "dimension-order":
        # The judge, where it can; both ways are tried on meshes and tori.
        by_route = routing == "minimal-adaptive"
        found = spread_loads(spec, machine, flows, by_route)
        if by_route and machine.kind in ("mesh", "torus"):
            known = machine.loads(flows, routing)
            if sorted(round(x, 6) for x in known.values()) != sorted(round(x, 6) for x in found.values()):
                raise SystemExit(f"{spec}: the judge and the checker differ")
        return found
    if not spec.startswith(("haec", "hypercube")):
        return machine.loads(flows, "dimension-order")
    route, load = haec_route if spec.startswith("haec") else hypercube_route, {}
    for (a, b), weight in flows.items():
        for link in route(machine, a, b):
            load[link] = load.get(link, 0) + weight
    return load


def expected(traffic_file, spec, mapping_file, routing="dimension-order"):
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
    load = loads(spec, machine, flows, routing)
    # Empty messages, such as those of a barrier, make no rank a partner if bytes count.
    pairs = {(min(p), max(p)) for p, weight in traffic.items() if p[0] != p[1] and weight}
    by_pair = {pair: sum(traffic.get(p, 0) for p in (pair, pair[::-1])) for pair in pairs}
    by_nodes = {}
    for (a, b), weight in by_pair.items():
        if node[a] != node[b]:
            ends = min(node[a], node[b]), max(node[a], node[b])
            by_nodes[ends] = by_nodes.get(ends, 0) + weight
    return {
        "inter_process_logical": summary(by_pair.values()), "inter_node_logical": summary(by_nodes.values()),
        "intra_node_logical": summary(weight for (a, b), weight in by_pair.items() if node[a] == node[b]),
        "ranks": ranks, "nodes": machine.nodes, "hop_bytes": judged["hop_bytes"],
        "max_dilation": max((distance(a, b) for a, b in pairs), default=0),
        "total_weight": total, "intra_node_weight": intra, "inter_node_weight": total - intra,
        "average_dilation": judged["hop_bytes"] / total if total else 0,
        "cardinality": sum(distance(a, b) <= 1 for a, b in pairs),
        **link_fields(load),
    }


def summary(values):
    """a statistic of the HAEC thesis; without values, all numbers are 0"""
    values = list(values)
    return {"count": len(values), "total": sum(values), "average": sum(values) / len(values) if values else 0,
            "minimum": min(values, default=0), "maximum": max(values, default=0)}


def link_fields(load):
    """null on machines without links"""
    names = ("max_link_load", "min_link_load", "links_used", "average_link_load")
    if load is None:
        return dict.fromkeys((*names, "congestion", "inter_node_physical"))
    loads = list(load.values())
    return dict(zip(names, (max(loads, default=0), min(loads, default=0), len(loads), sum(loads) / len(loads) if loads else 0)))


def differing(ours, theirs):
    """the names of values that topoloom reports differently; statistics of the thesis are in their own field"""
    ours = {**ours["statistics"], **ours}
    return [name for name, value in theirs.items() if differs(ours[name], value)]


def differs(ours, theirs):
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return any(differs(ours[name], value) for name, value in theirs.items())
    if ours is None or theirs is None:
        return ours is not theirs
    return abs(ours - theirs) > 1e-9 * max(1, abs(theirs))


def brute_force(traffic_file, spec):
    """the least hop-bytes of all placements"""
    ranks, traffic = judge.traffic(traffic_file)
    machine = judge.Machine(spec)
    slots = machine.nodes * machine.slots
    return min(
        sum(w * machine.distance(p[a] // machine.slots, p[b] // machine.slots) for (a, b), w in traffic.items())
        for p in itertools.permutations(range(slots), ranks))


def brute_force_shared(traffic_file, spec, imbalance):
    """the least hop-bytes of all placements of several ranks per slot"""
    ranks, traffic = judge.traffic(traffic_file)
    machine = judge.Machine(spec)
    slots = machine.nodes * machine.slots
    most = int((1 + imbalance) * -(-ranks // slots))
    allowed = (p for p in itertools.product(range(slots), repeat=ranks) if max(map(p.count, set(p))) <= most)
    return min(sum(w * machine.distance(p[a] // machine.slots, p[b] // machine.slots) for (a, b), w in traffic.items()) for p in allowed)


def shared(program, folder):
    """ranks that share slots within an imbalance: (passed, failed cases)"""
    passed, failed = 0, []
    matrix, mapping = os.path.join(folder, "t.mtx"), os.path.join(folder, "m.json")
    for traffic, machine, imbalance in SHARED:
        generate(program, traffic, matrix)
        curves = [] if machine.startswith("tree") else ["hilbert", "scan"]
        for strategy in ["in-order", "random", "auto", *curves]:
            problem = ["--traffic", traffic, "--machine", machine]
            run(program, "map", *problem, "--imbalance", str(imbalance), "--strategy", strategy, "--output", mapping)
            ours = json.loads(run(program, "score", *problem, "--mapping", mapping, "--json"))
            # The judge reads the imbalance from the file too, and refuses what does not keep to it.
            theirs = expected(matrix, machine, mapping)
            wrong = differing(ours, theirs)
            if not ours["lower_bound"] <= ours["hop_bytes"]:
                wrong.append("lower_bound")
            run(program, "check", *problem, "--mapping", mapping)
            # All ranks in one slot exceed its capacity.
            document = json.load(open(mapping))
            if ours["ranks"] > (1 + imbalance) * -(-ours["ranks"] // (judge.Machine(machine).nodes * judge.Machine(machine).slots)):
                document["slot_of_rank"] = document["node_of_rank"] = [0] * ours["ranks"]
                json.dump(document, open(mapping, "w"))
                done = subprocess.run([program, "check", *problem, "--mapping", mapping], capture_output=True, text=True)
                if done.returncode != 1 or "slot 0 holds" not in done.stdout:
                    wrong.append("check of an overfull slot")
            passed += not wrong
            failed += [(traffic, machine, imbalance, strategy, k, ours.get(k), theirs.get(k)) for k in wrong]
    for traffic, machine, imbalance in (("random:ranks=7,degree=4,seed=4", "tree:2:2,distances=3:10", 0.0), ("all-to-all:6", "mesh:3", 0.0),
                                        ("ring:7", "torus:3", 0.4), ("stencil:2x3", "mesh:1x2,slots=2", 0.5)):
        generate(program, traffic, matrix)
        bound = json.loads(run(program, "score", "--traffic", traffic, "--machine", machine, "--imbalance", str(imbalance),
                               "--mapping", "in-order", "--json"))["lower_bound"]
        least = brute_force_shared(matrix, machine, imbalance)
        passed += bound <= least
        if bound > least:
            failed.append((traffic, machine, imbalance, "lower bound", bound, least))
    return passed, failed


def routed(program, folder):
    """loads under routings that spread traffic: (passed, failed cases)"""
    passed, failed = 0, []
    matrix, mapping = os.path.join(folder, "t.mtx"), os.path.join(folder, "m.json")
    machines = [machine for machine in MACHINES if not machine.startswith("tree")]
    for traffic in ("cg:class=S,ranks=16", "stencil:3x5", "random:ranks=16,degree=5,seed=3,bytes=12"):
        generate(program, traffic, matrix)
        ranks = judge.traffic(matrix)[0]
        for machine, routing in itertools.product(machines + ["torus:4x2x2,double-links"], ("minimal-adaptive", "ecmp")):
            m = judge.Machine(machine)
            if ranks > m.nodes * m.slots:
                continue
            problem = ["--traffic", traffic, "--machine", machine, "--routing", routing]
            run(program, "map", *problem, "--strategy", "random", "--output", mapping)
            ours = json.loads(run(program, "score", *problem, "--mapping", mapping, "--json"))
            theirs = expected(matrix, machine, mapping, routing)
            wrong = differing(ours, theirs)
            passed += not wrong
            failed += [(traffic, machine, routing, k, ours.get(k), theirs.get(k)) for k in wrong]
    return passed, failed


class Network:
    """nodes 0 to nodes-1, then switches, and cables (a, b, bandwidth): a link each way"""
    def __init__(self, nodes, cables):
        self.nodes, self.cables = nodes, cables
        self.bandwidth, self.out = {}, {}
        for which, (a, b, bandwidth) in enumerate(cables):
            for x, y in ((a, b), (b, a)):
                self.bandwidth[x, y, which] = bandwidth
                self.out.setdefault(x, []).append((y, which))
        self.hops = {v: self.search(v) for v in self.out}
    def search(self, to):
        hops, queue = {to: 0}, [to]
        for at in queue:
            for end, _ in self.out[at]:
                if end not in hops:
                    hops[end] = hops[at] + 1; queue.append(end)
        return hops
    def closer(self, spec, machine, at, to):
        return [(end, which) for end, which in self.out[at] if self.hops[to][end] + 1 == self.hops[to][at]]
    def write(self, file, choose):
        with open(file, "w") as f:
            f.write(f"# drawn by check.py\nnodes {self.nodes}\n")
            for a, b, bandwidth in self.cables:
                f.write(choose.choice((f"{a} {b} {bandwidth}\n", f"{b},{a},{bandwidth},1e-7\n", f"\t{a}\t{b}  {bandwidth} 0 0 # cable\n")))


def drawn_networks():
    """(specification or None for a file, network)"""
    for seed in range(6):
        choose = random.Random(seed)
        nodes, switches = choose.randint(16, 24), choose.randint(0, 9)
        vertices = list(range(nodes + switches))
        # A random tree, then cables anywhere, some of them twice.
        pairs = [(v, choose.choice(vertices[:v])) for v in vertices[1:]]
        pairs += [tuple(choose.sample(vertices, 2)) for _ in range(choose.randint(0, 40))]
        pairs += choose.choices(pairs, k=5)
        choose.shuffle(pairs)
        yield None, Network(nodes, [(a, b, choose.choice((1e9, 2.5e9, 1e10))) for a, b in pairs])
    # Two levels: 4 switches of 4 nodes below 3, 4 times slower at the top.
    cables = [(n, 16 + n // 4, 8e9) for n in range(16)] + [(16 + s, 20 + t, 2e9) for s in range(4) for t in range(3)]
    yield "fat-tree:levels=2,down=4:4,up=3,bandwidth=8e9:2e9", Network(16, cables)
    # 2 groups of 3 routers of 3 nodes, joined at their first routers: no second way between groups, which would not be taken.
    cables = [(n, 18 + n // 3, 4e9) for n in range(18)] + [(18, 21, 1e9)]
    cables += [(18 + 3 * g + a, 18 + 3 * g + b, 3e9) for g in range(2) for a, b in ((0, 1), (0, 2), (1, 2))]
    yield "dragonfly:groups=2,routers=3,nodes=3,bandwidth=4e9,local-bandwidth=3e9,global-bandwidth=1e9", Network(18, cables)
    cables = [(x + 4 * y, (x + 1) % 4 + 4 * y, 2e9) for x in range(4) for y in range(5)]
    cables += [(x + 4 * y, x + 4 * ((y + 1) % 5), 5e8) for x in range(4) for y in range(5)]
    yield "torus:4x5,bandwidth=2e9:5e8", Network(20, cables)


def networks(program, folder):
    """loads by bandwidth on networks from files and on uneven machines: (passed, failed cases)"""
    passed, failed = 0, []
    matrix, mapping, file = (os.path.join(folder, name) for name in ("t.mtx", "m.json", "net-1.0.txt"))
    for traffic, (machine, network) in itertools.product(("cg:class=S,ranks=16", "random:ranks=16,degree=5,seed=3,bytes=12"), drawn_networks()):
        generate(program, traffic, matrix)
        ranks, flows = judge.traffic(matrix)
        if machine is None:
            network.write(file, random.Random(1))
            machine = "graph:" + file
        for routing, strategy in itertools.product(("minimal-adaptive", "ecmp"), ("random", "auto")):
            problem = ["--traffic", traffic, "--machine", machine, "--routing", routing]
            run(program, "map", *problem, "--strategy", strategy, "--output", mapping)
            run(program, "check", *problem, "--mapping", mapping)
            ours = json.loads(run(program, "score", *problem, "--mapping", mapping, "--json"))
            node = json.load(open(mapping))["node_of_rank"]
            between = {}
            for (a, b), weight in flows.items():
                if node[a] != node[b]:
                    between[node[a], node[b]] = between.get((node[a], node[b]), 0) + weight
            distance = lambda a, b: network.hops[node[b]][node[a]]
            load = spread_loads(machine, network, between, routing == "minimal-adaptive", network.closer)
            fastest = max(network.bandwidth.values())
            theirs = {
                "nodes": network.nodes, "ranks": ranks, "hop_bytes": sum(w * distance(a, b) for (a, b), w in flows.items()),
                "max_dilation": max(distance(a, b) for a, b in flows),
                "cardinality": sum(distance(a, b) <= 1 for a, b in {(min(p), max(p)) for p in flows if p[0] != p[1]}),
                "max_relative_load": max(x * fastest / network.bandwidth[end, to, which] for (end, to, which), x in load.items()),
                **link_fields(load),
            }
            wrong = differing(ours, theirs)
            if not ours["lower_bound"] <= ours["hop_bytes"]:
                wrong.append("lower_bound")
            passed += not wrong
            failed += [(traffic, machine, routing, strategy, k, ours.get(k), theirs.get(k)) for k in wrong]
    return passed, failed


def hops_by_dimension(spec, machine, a, b):
    straight = [(abs(p - q), length) for p, q, length in zip(machine.coord(a), machine.coord(b), machine.dims)]
    return [min(hops, length - hops) if spec.startswith("torus") else hops for hops, length in straight]


def criterion(name, spec, machine, costs, a, b):
    """What a byte from node a to node b costs under an objective that is a sum over pairs."""
    if name == "cost-matrix":
        return costs[a][b]
    if spec.startswith("haec"):
        (x, y, z), (tx, ty, tz) = machine.coord(a), machine.coord(b)
        if z != tz:
            return abs(z - tz) * 160e-12
        return (ring_steps(x, tx, machine.dims[0])[1] + ring_steps(y, ty, machine.dims[1])[1]) * 40e-12
    hops = hops_by_dimension(spec, machine, a, b)
    if name == "energy":
        return sum(hops) * 80e-12
    uneven = sum(abs(p - q) for p, q in itertools.combinations(hops, 2))
    return sum(hops) + (uneven if name == "traffic-distribution" else 0)


def criteria(program, folder):
    """Objectives that are sums over pairs, of ranks placed one after the other."""
    passed, failed = 0, []
    matrix, file = os.path.join(folder, "criteria.mtx"), os.path.join(folder, "costs.csv")
    machines = ["mesh:4x4", "mesh:4x2x2", "torus:5x4", "torus:2x3x3", "mesh:3x3,slots=2", "haec:2x4x2", "haec:3x3x2"]
    names = ["distance", "traffic-distribution", "energy", "cost-matrix"]
    for traffic, spec, name in itertools.product(TRAFFIC, machines, names):
        if spec.startswith("haec") and name in ("distance", "traffic-distribution"):
            continue
        generate(program, traffic, matrix)
        ranks, flows = judge.traffic(matrix)[:2]
        machine = judge.Machine(spec)
        if ranks > machine.nodes * machine.slots:
            continue
        costs = [[random.Random(f"{a} {b}").randrange(10) for b in range(machine.nodes)] for a in range(machine.nodes)]
        with open(file, "w") as out:
            out.writelines(",".join(map(str, row)) + "\n" for row in costs)
        objective = f"{name}:{file}" if name == "cost-matrix" else name
        ours = json.loads(run(program, "compare", "--traffic", traffic, "--machine", spec, "--objective", objective,
                              "--strategy", "consecutive", "--repeat", "2", "--json"))[0]["mean"]
        theirs = sum(weight * criterion(name, spec, machine, costs, a // machine.slots, b // machine.slots)
                     for (a, b), weight in flows.items())
        right = abs(ours - theirs) <= 1e-9 * abs(theirs)
        passed += right
        if not right:
            failed.append((traffic, spec, name, ours, theirs))
    return passed, failed


def chosen(traffic, weight):
    """Machines and strategies. With bytes, each machine meets each strategy; with messages, the strategies take
    turns."""
    for number, machine in enumerate(MACHINES, TRAFFIC.index(traffic)):
        strategies = ON_TREES if machine.startswith("tree") else STRATEGIES
        if weight == "messages":
            strategies = [strategies[number % len(strategies)]]
        yield from ((machine, strategy) for strategy in strategies)


def main():
    program, passed, failed = sys.argv[1], 0, []
    with tempfile.TemporaryDirectory() as folder:
        matrix, mapping = os.path.join(folder, "t.mtx"), os.path.join(folder, "m.json")
        for traffic, weight in itertools.product(TRAFFIC, ("bytes", "messages")):
            generate(program, traffic, matrix, "--weight", weight)
            ranks = judge.traffic(matrix)[0]
            for machine, strategy in chosen(traffic, weight):
                m = judge.Machine(machine)
                if ranks > m.nodes * m.slots:
                    continue
                problem = ["--traffic", traffic, "--machine", machine, "--weight", weight]
                run(program, "map", *problem, "--strategy", strategy, "--output", mapping)
                ours = json.loads(run(program, "score", *problem, "--mapping", mapping, "--json"))
                theirs = expected(matrix, machine, mapping)
                wrong = differing(ours, theirs)
                if not ours["lower_bound"] <= ours["hop_bytes"]:
                    wrong.append("lower_bound")
                run(program, "check", *problem, "--mapping", mapping)
                passed += not wrong
                failed += [(traffic, weight, machine, strategy, k, ours.get(k), theirs.get(k)) for k in wrong]
        more_passed, more_failed = routed(program, folder)
        passed, failed = passed + more_passed, failed + more_failed
        for traffic, machine in (("random:ranks=6,degree=3,seed=4", "mesh:3x2"), ("ring:6", "haec:2x1x3"),
                                 ("lu:class=S,ranks=6", "torus:3,slots=2"), ("all-to-all:5", "mesh:6")):
            generate(program, traffic, matrix)
            best = json.loads(run(program, "map", "--traffic", traffic, "--machine", machine, "--strategy", "a-star", "--json"))
            least = brute_force(matrix, machine)
            right = best["hop_bytes"] == least and best["lower_bound"] <= least and best["complete"]
            passed += right
            if not right:
                failed.append((traffic, machine, "a-star", best["hop_bytes"], best["lower_bound"], least))
        for more in (networks, shared, criteria):
            more_passed, more_failed = more(program, folder)
            passed, failed = passed + more_passed, failed + more_failed
    for case in failed[:20]:
        print("FAILED", *case)
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
