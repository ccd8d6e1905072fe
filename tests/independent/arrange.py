#!/usr/bin/env python3
"""Judges the results of `topoloom arrange` with its own code: arrange.py PATH-OF-TOPOLOOM

Random platforms are made up here. For every arrangement the checks are: the rectangles tile the matrix, the columns
still hold what the partition gave them, and the costs are those of the equations, counted block by block.
Partitions of few processors are checked against all column-based partitions, and traffic against a multiplication that
goes from pivot to pivot. On small cases, the published heuristics and `auto` are checked against every order.
`exhaustive` is checked against every placement of a few processors, with equal rectangles exchanged across columns. For
parts in proportion to speeds, it is checked against every way to share out the processors among columns.
"""
import csv, itertools, json, math, os, random, subprocess, sys, tempfile


def run(program, *arguments):
    result = subprocess.run([program, *arguments], capture_output=True, text=True)
    assert result.returncode == 0, f"{arguments}: {result.stderr}"
    return result.stdout


class Platform:
    """Clusters of nodes of different speed, in groups, with bandwidths both ways."""

    def __init__(self, rng, clusters, most_nodes, depth=0, vertical=False, speeds=None):
        self.nodes = [rng.randint(1, most_nodes) for _ in range(clusters)]
        speed = lambda: rng.choice(speeds) if speeds else round(rng.uniform(0.5, 8), 3)
        self.speeds = [[speed() for _ in range(nodes)] for nodes in self.nodes]
        self.groups = [[f"g{level}-{rng.randrange(2)}" for level in range(depth)] for _ in range(clusters)]
        self.bandwidth = self.table(rng, clusters)
        self.vertical = self.table(rng, clusters) if vertical else None
        self.cluster_of = [cluster for cluster, nodes in enumerate(self.nodes) for _ in range(nodes)]

    @staticmethod
    def table(rng, clusters):
        table = [[0.0] * clusters for _ in range(clusters)]
        for a in range(clusters):
            for b in range(a, clusters):
                table[a][b] = table[b][a] = round(rng.uniform(500, 1000) if a == b else rng.uniform(20, 300), 2)
        return table

    def write(self, path):
        with open(path, "w") as file:
            file.write('name = "made up"\nunit = "MB/s"\n')
            for cluster, speeds in enumerate(self.speeds):
                file.write(f'\n[[cluster]]\nname = "c{cluster}"\nnodes = {len(speeds)}\nspeeds = {speeds}\n')
                if self.groups[cluster]:
                    file.write(f"groups = {json.dumps(self.groups[cluster])}\n")
            file.write(f"\n[bandwidth]\nmatrix = {self.bandwidth}\n")
            if self.vertical:
                file.write(f"vertical = {self.vertical}\n")

    def hops(self, a, b):
        if a == b:
            return 0
        one, other = self.groups[a], self.groups[b]
        common = 0
        while common < len(one) and one[: common + 1] == other[: common + 1]:
            common += 1
        return len(one) - common + 1


def ring(members, link, kind):
    """What goes around a ring: all links, all but the cheapest, or all but the last."""
    if len(members) < 2:
        return 0.0
    links = [link(members[i], members[(i + 1) % len(members)]) for i in range(len(members))]
    return {"closed": sum(links), "worst beginning": sum(links) - min(links), "open": sum(links[:-1])}[kind]


def costs(platform, columns):
    """The three measures, block by block."""
    height = sum(h for _, h in columns[0]["rectangles"])
    rows = [[] for _ in range(height)]
    for column in columns:
        y = 0
        for processor, h in column["rectangles"]:
            for _ in range(h):
                rows[y].append(platform.cluster_of[processor])
                y += 1
    members = [[platform.cluster_of[p] for p, _ in column["rectangles"]] for column in columns]
    widths = [column["width"] for column in columns]
    vertical = platform.vertical or platform.bandwidth
    plain = lambda a, b: 512 / platform.bandwidth[a][b]
    result = {}
    for name, along, across, kind in (
        ("hops", platform.hops, platform.hops, "worst beginning"),
        ("bandwidth", plain, plain, "closed"),
        ("asymmetric", lambda a, b: 1 / platform.bandwidth[a][b], lambda a, b: 1 / vertical[a][b], "open"),
        ("asymmetric:wrap", lambda a, b: 1 / platform.bandwidth[a][b], lambda a, b: 1 / vertical[a][b], "closed"),
    ):
        horizontal = sum(ring(row, along, kind) for row in rows)
        result[name] = (horizontal, sum(w * ring(m, across, kind) for w, m in zip(widths, members)))
    return result


def close(a, b):
    return abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))


def judge(platform, record, name):
    """Checks all arrangements of a record; returns the costs of each strategy under the first measure."""
    shape = None
    found = {}
    for arrangement in record["arrangements"]:
        columns = arrangement["columns"]
        heights = {sum(h for _, h in column["rectangles"]) for column in columns}
        assert len(heights) == 1, f"{name}: columns of different height"
        processors = sorted(p for column in columns for p, _ in column["rectangles"])
        assert processors == list(range(len(platform.cluster_of))), f"{name}: not every processor once"
        if record["application"] == "summa":
            assert heights == {record["blocks"]} and sum(c["width"] for c in columns) == record["blocks"], name
            # A rectangle keeps its size; processors of rectangles of one size may be exchanged.
            sizes = sorted((c["width"], h) for c in columns for _, h in c["rectangles"])
            shape = shape or sizes
            assert sizes == shape, f"{name}: {arrangement['strategy']} changed the rectangles"
            areas = {p: c["width"] * h for c in columns for p, h in c["rectangles"]}
            if arrangement["strategy"] == "none":
                first = areas
            assert areas == first, f"{name}: {arrangement['strategy']} changed the load"
        true = costs(platform, columns)
        for cost in arrangement["costs"]:
            kind = cost["measure"].split(":")[0]
            kind += ":wrap" if cost["measure"].endswith("wrap") else ""
            names = ("cost_H", "cost_V") if kind.startswith("asymmetric") else ("cost_A", "cost_B")
            for ours, theirs in zip(true[kind], (cost[names[0]], cost[names[1]])):
                assert close(ours, theirs), f"{name}: {arrangement['strategy']} {kind}: {theirs}, counted {ours}"
            assert close(sum(true[kind]), cost["total"]), name
        found[arrangement["strategy"]] = {c["measure"].split(":")[0]: c["total"] for c in arrangement["costs"]}
    return found


def every_order(columns):
    """Every order of rectangles in columns and of columns; a ring of columns may begin anywhere."""
    inside = [list(itertools.permutations(column["rectangles"])) for column in columns]
    for rest in itertools.permutations(range(1, len(columns))):
        order = (0,) + rest
        for choice in itertools.product(*(inside[c] for c in order)):
            yield [{"width": columns[c]["width"], "rectangles": r} for c, r in zip(order, choice)]


def every_placement(columns):
    """Every order of columns and of heights in them, with processors wherever a rectangle has their size."""
    holders = {}
    for column in columns:
        for processor, height in column["rectangles"]:
            holders.setdefault((column["width"], height), []).append(processor)
    deals = [
        dict(zip(holders, choice)) for choice in itertools.product(*(itertools.permutations(p) for p in holders.values()))
    ]
    inside = [sorted(set(itertools.permutations(h for _, h in column["rectangles"]))) for column in columns]
    for order in itertools.permutations(range(len(columns))):
        for heights in itertools.product(*(inside[c] for c in order)):
            for deal in deals:
                left = {size: iter(processors) for size, processors in deal.items()}
                yield [
                    {"width": columns[c]["width"], "rectangles": [(next(left[columns[c]["width"], h]), h) for h in column]}
                    for c, column in zip(order, heights)
                ]


def exhaustive_cases(program, rng, path, number):
    """`exhaustive` and `auto` against every placement; returns how many cases were looked at."""
    looked_at = 0
    for case in range(number):
        platform = Platform(rng, rng.randint(2, 4), 2, vertical=True, speeds=[1, 1, 2])
        if len(platform.cluster_of) > 6:
            continue
        platform.write(path)
        measure = ["hops", "bandwidth", "asymmetric", "asymmetric:wrap"][case % 4]
        best = None
        for strategy in ("exhaustive", "auto"):
            arguments = ["--platform", path, "--blocks", "12", "--strategy", strategy, "--measure", measure, "--json"]
            record = json.loads(run(program, "arrange", *arguments))
            judge(platform, record, f"exhaustive {case}")
            if best is None:
                placements = every_placement(record["arrangements"][0]["columns"])
                best = min(sum(costs(platform, columns)[measure]) for columns in placements)
            cost = sum(costs(platform, record["arrangements"][-1]["columns"])[measure])
            assert close(cost, best), f"{strategy} {case}, {measure}: {cost}, but the least is {best}"
        looked_at += 1
    return looked_at


def asymmetric_cost(platform, columns):
    """The cost along rows and columns of parts whose sides need not be whole numbers, without a way back."""
    edges = []
    for _, rectangles in columns:
        edges.append([0.0])
        for _, height in rectangles:
            edges[-1].append(edges[-1][-1] + height)
    total = 0.0
    for left in range(len(columns) - 1):
        for i, (one, _) in enumerate(columns[left][1]):
            for j, (other, _) in enumerate(columns[left + 1][1]):
                top = max(edges[left][i], edges[left + 1][j])
                overlap = min(edges[left][i + 1], edges[left + 1][j + 1]) - top
                if overlap > 0:
                    total += overlap / platform.bandwidth[platform.cluster_of[one]][platform.cluster_of[other]]
    for width, rectangles in columns:
        for (one, _), (other, _) in zip(rectangles, rectangles[1:]):
            total += width / platform.vertical[platform.cluster_of[one]][platform.cluster_of[other]]
    return total


def best_parts(platform, speeds, height, width):
    """The least cost over every way to share processors out among columns, and every order."""
    total, best = sum(speeds), math.inf
    for partition in set_partitions(list(range(len(speeds)))):
        for order in itertools.permutations(partition):
            for members in itertools.product(*(itertools.permutations(column) for column in order)):
                columns = []
                for column in members:
                    share = sum(speeds[p] for p in column)
                    heights = [(p, height * speeds[p] / share) for p in column]
                    columns.append((width * share / total, heights))
                best = min(best, asymmetric_cost(platform, columns))
    return best


def halos(columns, layers, halo):
    """Bytes that neighbours exchange: bars where they touch to the sides, slices up and down."""
    rank, ranks = 0, {}
    for row in range(max(len(column["rectangles"]) for column in columns)):
        for column in columns:
            if row < len(column["rectangles"]):
                ranks[column["rectangles"][row][0]] = rank
                rank += 1
    sent = {}
    holders = [[ranks[p] for p, h in column["rectangles"] for _ in range(h)] for column in columns]
    for left, right in zip(holders, holders[1:]):
        for one, other in zip(left, right):
            for pair in ((one, other), (other, one)):
                sent[pair] = sent.get(pair, 0) + halo * layers * 8
    for column in columns:
        members = [ranks[p] for p, _ in column["rectangles"]]
        for one, other in zip(members, members[1:]):
            for pair in ((one, other), (other, one)):
                sent[pair] = sent.get(pair, 0) + halo * (column["width"] + 2 * halo) * layers * 8
    return sent


def parts_cases(program, rng, path, folder, number):
    """Algorithm 3 on processors of unequal speed: sizes, least cost and traffic."""
    arranged, traffic = os.path.join(folder, "parts.json"), os.path.join(folder, "parts.csv")
    for case in range(number):
        platform = Platform(rng, rng.randint(2, 3), 2, vertical=True)
        platform.write(path)
        speeds = [speed for cluster in platform.speeds for speed in cluster]
        arguments = ["--platform", path, "--application", "mpdata", "--parts", "by-speed", "--domain", "3000x2000x1"]
        found = {}
        for strategy in ("asymmetric", "exhaustive", "auto"):
            record = json.loads(run(program, "arrange", *arguments, "--strategy", strategy, "--json"))
            found.update(judge(platform, record, f"parts {case}"))
            for arrangement in record["arrangements"]:
                columns = arrangement["columns"]
                assert sum(column["width"] for column in columns) == 2000, case
                assert sum(height for _, height in columns[0]["rectangles"]) == 3000, case
                for column in columns:
                    for processor, height in column["rectangles"]:
                        share = column["width"] * height / 6e6
                        assert abs(share / (speeds[processor] / sum(speeds)) - 1) < 0.02, (case, processor)
        best = best_parts(platform, speeds, 3000, 2000)
        cost = {strategy: costs["asymmetric"] for strategy, costs in found.items()}
        # Whole numbers of rows and columns change a cost by little.
        for strategy in ("exhaustive", "auto"):
            assert abs(cost[strategy] / best - 1) < 0.01, (case, strategy, cost[strategy], best)
        assert cost["asymmetric"] > 0.99 * best and cost["auto"] <= cost["asymmetric"] * (1 + 1e-12), case
        small = arguments[:-1] + ["40x30x2", "--halo", "1", "--output", arranged, "--json"]
        record = json.loads(run(program, "arrange", *small))
        run(program, "generate", arranged, "--output", traffic)
        with open(traffic) as file:
            rows = [row for row in csv.reader(file) if row and row[0].strip().isdigit()]
        seen = {(int(row[0]), int(row[1])): float(row[2]) for row in rows}
        assert seen == halos(record["arrangements"][-1]["columns"], 2, 1), case
    return number


def set_partitions(items):
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for partition in set_partitions(rest):
        for i, part in enumerate(partition):
            yield partition[:i] + [[first] + part] + partition[i + 1 :]
        yield [[first]] + partition


def best_half_perimeters(areas):
    """Over all column-based partitions of the unit square."""
    total = sum(areas)
    share = [area / total for area in areas]
    return min(
        sum(len(column) * sum(share[i] for i in column) + 1 for column in partition)
        for partition in set_partitions(list(range(len(areas))))
    )


def summa(columns, blocks, flow):
    """Bytes between processors, pivot by pivot."""
    block = 64 * 64 * 8
    sent = {}

    def send(a, b, blocks):
        sent[a, b] = sent.get((a, b), 0) + blocks * block

    where = []  # processor of each column at each row
    for column in columns:
        where.append([p for p, h in column["rectangles"] for _ in range(h)])
    column_at = [c for c, column in enumerate(columns) for _ in range(column["width"])]
    for pivot in range(blocks):
        holder = column_at[pivot]
        for y in range(blocks):  # the pivot column, block by block
            if flow == "ring":
                for step in range(len(columns) - 1):
                    a, b = (holder + step) % len(columns), (holder + step + 1) % len(columns)
                    send(where[a][y], where[b][y], 1)
            else:
                for c in range(len(columns)):
                    if c != holder:
                        send(where[holder][y], where[c][y], 1)
        for c, column in enumerate(columns):  # the pivot row
            members = [p for p, _ in column["rectangles"]]
            at = members.index(where[c][pivot])
            for step in range(len(members) - 1):
                a = members[(at + step) % len(members)] if flow == "ring" else members[at]
                send(a, members[(at + step + 1) % len(members)], column["width"])
    return sent


def main():
    program = sys.argv[1]
    rng = random.Random(8)
    checked = {"arrangements": 0, "partitions": 0, "traffic": 0, "every order": 0}
    worst = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "platform.toml")
        for number in range(60):
            platform = Platform(rng, rng.randint(1, 6), 6, depth=rng.randrange(3), vertical=rng.random() < 0.3)
            platform.write(path)
            application = ["summa", "mpdata"][rng.random() < 0.25]
            arguments = ["--application", application, "--compare", "--effort", "fast", "--json"]
            if application == "summa":
                arguments += ["--blocks", str(rng.randint(30, 90)), "--measure", rng.choice(["hops", "bandwidth"])]
            record = json.loads(run(program, "arrange", "--platform", path, *arguments))
            found = judge(platform, record, f"platform {number}")
            measure = record["measure"].split(":")[0]
            for strategy, cost in found.items():
                assert found["auto"][measure] <= cost[measure] * (1 + 1e-12), (number, strategy)
            checked["arrangements"] += len(record["arrangements"])
        # Partitions of few processors on many blocks: rounding is small there.
        for number in range(20):
            platform = Platform(rng, rng.randint(1, 3), 2)
            platform.write(path)
            speeds = [speed for cluster in platform.speeds for speed in cluster]
            record = json.loads(
                run(program, "arrange", "--platform", path, "--blocks", "5000", "--strategy", "none", "--json")
            )
            best = best_half_perimeters(speeds)
            assert abs(record["half_perimeters"] / 5000 - best) < 2e-3 * best, (number, record["half_perimeters"], best)
            for column in record["arrangements"][0]["columns"]:
                for processor, height in column["rectangles"]:
                    share = column["width"] * height / 5000**2
                    assert abs(share / (speeds[processor] / sum(speeds)) - 1) < 0.01, (number, processor)
            checked["partitions"] += 1
        # Traffic, as every other command reads it.
        for number in range(12):
            platform = Platform(rng, rng.randint(1, 4), 4)
            platform.write(path)
            blocks, flow = rng.randint(12, 30), ["ring", "one-to-all"][number % 2]
            arranged, traffic = os.path.join(folder, "arranged.json"), os.path.join(folder, "traffic.csv")
            arguments = ["--platform", path, "--blocks", str(blocks), "--flow", flow, "--output", arranged, "--json"]
            record = json.loads(run(program, "arrange", *arguments))
            run(program, "generate", arranged, "--output", traffic)
            expected = summa(record["arrangements"][-1]["columns"], blocks, flow)
            seen = {}
            with open(traffic) as file:
                for row in csv.reader(file):
                    if row and row[0].strip().isdigit():
                        seen[int(row[0]), int(row[1])] = float(row[2])
            assert seen == expected, f"traffic {number}"
            checked["traffic"] += 1
        # Small cases against every possible order.
        ratios = {"hop-count": [], "bandwidth": [], "auto": []}
        for number in range(25):
            platform = Platform(rng, rng.randint(2, 4), 2)
            platform.write(path)
            for strategy, measure in (("hop-count", "hops"), ("bandwidth", "bandwidth"), ("auto", "bandwidth")):
                arguments = ["--platform", path, "--blocks", "40", "--strategy", strategy, "--measure", measure, "--json"]
                record = json.loads(run(program, "arrange", *arguments))
                first, last = record["arrangements"][0], record["arrangements"][-1]
                orders = math.prod(math.factorial(len(c["rectangles"])) for c in first["columns"])
                if orders * math.factorial(len(first["columns"]) - 1) > 1500:
                    continue
                best = min(sum(costs(platform, columns)[measure]) for columns in every_order(first["columns"]))
                cost = sum(costs(platform, last["columns"])[measure])
                areas = [c["width"] * h for c in first["columns"] for _, h in c["rectangles"]]
                # Exchanges of processors of one size between columns go beyond the orders.
                if strategy != "auto" or len(set(areas)) == len(areas):
                    assert cost >= best * (1 - 1e-9), f"{strategy} {number}: {cost} below the least, {best}"
                ratios[strategy].append(cost / best if best else 1.0)
                checked["every order"] += 1
        checked["every placement"] = exhaustive_cases(program, rng, path, 40)
        checked["parts by speed"] = parts_cases(program, rng, path, folder, 8)
        for strategy, values in ratios.items():
            values.sort()
            worst[strategy] = (values[len(values) // 2], values[-1])
    counts = ", ".join(f"{count} {what}" for what, count in checked.items())
    above = ", ".join(f"{name} {100 * m - 100:.1f} % (at most {100 * w - 100:.1f} %)" for name, (m, w) in worst.items())
    print(f"arrangements judged independently: {counts}; above every order, median: {above}")


if __name__ == "__main__":
    main()
