#!/usr/bin/env python3
"""Training jobs, counted again: groups, bytes, and what crosses which level under a placement.

Nothing here is shared with the program. Groups are made by loops over coordinates, bytes by the
formulas of the papers, and rings by walking through the members of a group.

usage: training.py TOPOLOOM
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

passed = failed = 0


def check(name, found, expected):
    global passed, failed
    if isinstance(expected, float):
        same = abs(found - expected) <= 1e-6 * max(abs(expected), 1.0)
    else:
        same = found == expected
    if same:
        passed += 1
    else:
        failed += 1
        print(f"{name}: expected {expected}, found {found}")


def run(*words):
    done = subprocess.run([TOPOLOOM, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{words}: {done.stderr}")
    return done.stdout


def ranks_by_coordinates(job):
    """Rank -> (tp, cp, dp, pp), in the default order of Megatron."""
    place = {}
    rank = 0
    for pp in range(job["pp"]):
        for dp in range(job["dp"]):
            for cp in range(job["cp"]):
                for tp in range(job["tp"]):
                    place[rank] = (tp, cp, dp, pp)
                    rank += 1
    return place


def groups_along(job, axes):
    """Groups of ranks that differ along some of (tp, cp, dp, pp) alone, by their smallest ranks."""
    found = {}
    for rank, place in ranks_by_coordinates(job).items():
        key = tuple(value for axis, value in enumerate(place) if axis not in axes)
        found.setdefault(key, []).append(rank)
    return sorted(found.values())


def expert_groups(job):
    """Experts are consecutive ranks of a stage, because each rank has whole experts (etp=1)."""
    ranks = len(ranks_by_coordinates(job))
    return [list(range(first, first + job["ep"])) for first in range(0, ranks, job["ep"])]


def per_rank(job):
    """What a rank of a middle stage sends to others in a step, by kind; no stage is first or last
    for weights, because the vocabulary is empty."""
    tokens = job["sequence"] / job["cp"]
    h, layers, m = job["hidden"], job["layers"] / job["pp"], job["micro"]
    t, c, n = job["tp"], job["cp"], job["dp"] * job["cp"]
    sent = {}
    half = 0.5 if job["ep"] > 1 else 1.0
    moe = job["layers"] if job["ep"] > 1 else 0
    parts = 10 * half if moe else 10
    sent["tp"] = parts * (t - 1) / t * 2 * tokens * h * layers * m
    kv = h
    sent["cp"] = 3 * (c - 1) * (2 * 2 * tokens * kv / t) * layers * m if c > 1 else 0.0
    attention = 4 * h * h
    inner = 3 * h * 4 * h
    dense = attention if moe else attention + inner
    parameters = dense * job["layers"] / (job["pp"] * t)
    sent["dp-cp"] = (n - 1) / n * 6 * parameters
    if moe:
        e = job["ep"]
        sent["ep"] = 4 * (e - 1) / e * (tokens / t) * 2 * h * 2 * layers * m
        copies = job["tp"] * job["cp"] * job["dp"] // e
        expert = 6 * inner * job["experts"] / e * layers
        sent["expert-dp"] = (copies - 1) / copies * expert
    return sent


def ring(members, domain):
    """The members in the order of a ring: domains in the order of their first members."""
    order = []
    for member in members:
        if domain(member) not in order:
            order.append(domain(member))
    return [member for place in order for member in members if domain(member) == place]


def main():
    random.seed(7)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(24):
            one_case(Path(folder), number)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def one_case(folder, number):
    gpus = random.choice([2, 4])
    job = {
        "tp": random.choice([1, 2, gpus]),
        "cp": random.choice([1, 1, 2]),
        "pp": random.choice([1, 2, 4]),
        "dp": random.choice([2, 4, 8]),
        "layers": 8,
        "hidden": 256,
        "sequence": random.choice([64, 128]),
        "micro": random.choice([1, 3]),
        "ep": 1,
        "experts": 0,
    }
    stage = job["tp"] * job["cp"] * job["dp"]
    if number % 3 == 0 and stage % 4 == 0:
        job.update(ep=4, experts=8)
    spec = (
        f"llm:tp={job['tp']},cp={job['cp']},pp={job['pp']},dp={job['dp']},layers={job['layers']},"
        f"hidden={job['hidden']},heads=4,sequence={job['sequence']},micro-batches={job['micro']},"
        f"gpus-per-node={gpus}"
    )
    if job["ep"] > 1:
        spec += f",ep={job['ep']},etp=1,experts={job['experts']},top-k=2"
    groups = json.loads(run("traffic", "groups", spec, "--json"))
    name = f"case {number} {spec}"
    wanted = {
        "tp": groups_along(job, {0}),
        "cp": groups_along(job, {1}),
        "dp": groups_along(job, {2}),
        "pp": groups_along(job, {3}),
        "dp-cp": groups_along(job, {1, 2}),
    }
    if job["ep"] > 1:
        wanted["ep"] = expert_groups(job)
    for kind, expected in wanted.items():
        check(f"{name} {kind}", sorted(groups[kind]), expected)

    # Hosts on leaves, leaves on pods; every second case joins the hosts of a leaf by NVLink.
    ranks = len(ranks_by_coordinates(job))
    needed = -(-ranks // gpus)
    hosts = [f"h{i:03d}" for i in range(needed + random.choice([0, 3]))]
    random.shuffle(hosts)
    leaf_size = random.choice([2, 3, 4])
    leaf_of = {host: i // leaf_size for i, host in enumerate(hosts)}
    pod_of = {host: leaf // 2 for host, leaf in leaf_of.items()}
    leaves = max(leaf_of.values()) + 1
    nvlink = number % 2 == 1
    conf = folder / f"topology-{number}.conf"
    lines = [
        f"SwitchName=leaf{leaf} Nodes={','.join(h for h in hosts if leaf_of[h] == leaf)}"
        for leaf in range(leaves)
    ]
    for pod in range((leaves + 1) // 2):
        below = [f"leaf{leaf}" for leaf in (2 * pod, 2 * pod + 1) if leaf < leaves]
        lines.append(f"SwitchName=pod{pod} Switches={','.join(below)}")
    lines.append(f"SwitchName=core Switches={','.join(f'pod{p}' for p in range((leaves + 1) // 2))}")
    conf.write_text("\n".join(lines) + "\n")
    listed = folder / f"hosts-{number}"
    listed.write_text("".join(f"{host} slots={gpus}\n" for host in sorted(hosts)))
    files = [conf, listed]
    if nvlink:
        fabric = folder / f"fabric-{number}.csv"
        uuid = "9fd1a2b3-0000-4000-8000-00000000000"
        fabric.write_text("".join(f"{h}: {uuid}{leaf_of[h] % 10}, {1 + leaf_of[h]}\n" for h in hosts))
        files.append(fabric)
    machine = folder / f"machine-{number}.json"
    run("machine", "import", *files, "--output", machine)
    mapping = folder / f"mapping-{number}.json"
    strategy = random.choice(["auto", "block", "random", "node-order"])
    run("map", "--traffic", spec, "--machine", machine, "--strategy", strategy, "--seed", number, "-o", mapping)
    placed = json.loads(mapping.read_text())
    host_of = [placed["hosts"][host] for host in placed["host_of_rank"]]
    slot_of = placed["slot_of_rank"]
    check(f"{name} one rank per slot", len(set(slot_of)), ranks)
    alone = {leaf for leaf in range(leaves) if sum(leaf_of[h] == leaf for h in hosts) < 2}

    def domain(rank):
        host = host_of[rank]
        return leaf_of[host] if nvlink and leaf_of[host] not in alone else host

    def level(a, b):
        x, y = host_of[a], host_of[b]
        if x == y:
            return "node"
        if leaf_of[x] == leaf_of[y]:
            return "nvlink" if nvlink else "switch1"
        return "switch2" if pod_of[x] == pod_of[y] else "switch3"

    score = json.loads(run("score", "--traffic", spec, "--machine", machine, "--mapping", mapping, "--json"))
    shown = {kind["name"]: kind for kind in score["groups"]}
    per = per_rank(job)
    for kind, amount in per.items():
        size = len(groups[kind][0])
        if size < 2 or amount == 0:
            check(f"{name} {kind} silent", kind in shown, False)
            continue
        expected = {}
        for members in groups[kind]:
            middle = amount
            if kind == "tp":
                # The first stage adds up embeddings, the last one the loss.
                stage_of = ranks_by_coordinates(job)[members[0]][3]
                factor = (job["tp"] - 1) / job["tp"] * job["micro"]
                tokens = job["sequence"] / job["cp"]
                if stage_of == 0:
                    middle = middle + factor * 2 * 2 * tokens * job["hidden"]
                if stage_of == job["pp"] - 1:
                    middle = middle + factor * 2 * 3 * 4 * tokens
            if kind == "ep":
                for a in members:
                    for b in members:
                        if a != b:
                            key = level(a, b)
                            expected[key] = expected.get(key, 0.0) + middle / (size - 1)
                continue
            order = members if kind == "cp" else ring(members, domain)
            for a, b in zip(order, order[1:] + order[:1]):
                expected[level(a, b)] = expected.get(level(a, b), 0.0) + middle
        found = {entry["name"]: entry["bytes"] for entry in shown[kind]["levels"] if entry["bytes"] > 0}
        check(f"{name} {strategy} {kind} levels", set(found), set(expected))
        for key in expected:
            check(f"{name} {strategy} {kind} {key}", found.get(key, 0.0), expected[key])


TOPOLOOM = sys.argv[1]
main()
