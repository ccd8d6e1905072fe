#!/usr/bin/env python3
"""Judges what `topoloom schedule` does with its own schedulers: schedule.py PATH-OF-TOPOLOOM

Hundreds of random streams of jobs are made up here. For each, start times under first come first served, EASY and
conservative backfilling on any nodes are those of the schedulers below, which plan by the numbers of nodes alone.
Partitions of every policy do not overlap, have the form that the policy promises, and are the ones that a search over
all possibilities finds. Node seconds add up.
"""
import csv, itertools, json, os, random, subprocess, sys, tempfile


def run(program, *arguments):
    result = subprocess.run([program, "schedule", *arguments], capture_output=True, text=True)
    assert result.returncode == 0, f"{arguments}: {result.stderr}"
    return result.stdout


class Job:
    def __init__(self, number, submit, nodes, time, estimate):
        self.number, self.submit, self.nodes, self.time, self.estimate = number, submit, nodes, time, estimate
        self.start = None

    def line(self):
        return f"{self.number} {self.submit} -1 {self.time} -1 -1 -1 {self.nodes} {self.estimate} " + " ".join(["-1"] * 9)


def stream(rng, nodes, count, exact):
    jobs, submit = [], 0
    for number in range(1, count + 1):
        submit += rng.choice([0, 0, 1, 3, 10, 30])
        time = rng.randint(1, 60)
        estimate = time if exact else time * rng.choice([1, 1, 2, 5]) + rng.choice([0, 7])
        size = rng.choice([1, 2, rng.randint(1, nodes), rng.randint(1, max(1, nodes // 3))])
        jobs.append(Job(number, submit, size, time, estimate))
    return jobs


def write(jobs, path):
    with open(path, "w") as file:
        file.write("; made up\n")
        file.writelines(job.line() + "\n" for job in jobs)


# ---- schedulers that know numbers of nodes alone -------------------------------------------------------------------


def simulate(jobs, nodes, decide):
    """Calls `decide` at every moment at which something happens; it returns the jobs to start, and when to be asked
    again at the latest."""
    waiting, running, coming, now, again = [], [], list(jobs), 0, None
    while waiting or running or coming:
        moments = [job.start + job.time for job in running] + [job.submit for job in coming[:1]]
        if again is not None:
            moments.append(again)
        now = min(moments)
        ended = [job for job in running if job.start + job.time == now]
        running = [job for job in running if job.start + job.time > now]
        while coming and coming[0].submit == now:
            waiting.append(coming.pop(0))
        early = any(job.start + job.estimate > now for job in ended)
        started, again = decide(now, waiting, running, nodes, early)
        for job in started:
            job.start = now
            waiting.remove(job)
            running.append(job)
        assert sum(job.nodes for job in running) <= nodes


def first_come(now, waiting, running, nodes, _early):
    free, started = nodes - sum(job.nodes for job in running), []
    for job in waiting:
        if job.nodes > free:
            break
        free -= job.nodes
        started.append(job)
    return started, None


def easy(now, waiting, running, nodes, early):
    started, _ = first_come(now, waiting, running, nodes, early)
    left = waiting[len(started):]
    if not left:
        return started, None
    active = [(job.start + job.estimate, job.nodes) for job in running] + [(now + job.estimate, job.nodes) for job in started]
    free = nodes - sum(size for _, size in active)
    head, reach = left[0], free
    for shadow in sorted({end for end, _ in active}):
        reach += sum(size for end, size in active if end == shadow)
        if reach >= head.nodes:
            break
    extra = reach - head.nodes
    for job in left[1:]:
        if job.nodes > free:
            continue
        if now + job.estimate > shadow:
            if job.nodes > extra:
                continue
            extra -= job.nodes
        free -= job.nodes
        started.append(job)
    return started, None


class Conservative:
    """Every job has a reservation. When a job ends early, each in turn is moved to the earliest time that is possible
    with all the others where they are."""

    def __init__(self):
        self.planned = {}

    @staticmethod
    def earliest(job, now, others, nodes):
        moments = sorted({now} | {end for _, end, _ in others if end > now})
        for start in moments:
            end = start + job.estimate
            checks = [start] + [begin for begin, _, _ in others if start < begin < end]
            used = lambda moment: sum(size for begin, finish, size in others if begin <= moment < finish)
            if all(used(moment) + job.nodes <= nodes for moment in checks):
                return start

    def __call__(self, now, waiting, running, nodes, early):
        fixed = [(job.start, job.start + job.estimate, job.nodes) for job in running]
        plans = lambda besides: [
            (start, start + job.estimate, job.nodes) for job, start in self.planned.items() if job is not besides
        ]
        if early:
            for job in waiting:
                if job in self.planned:
                    self.planned[job] = self.earliest(job, now, fixed + plans(job), nodes)
        for job in waiting:
            if job not in self.planned:
                self.planned[job] = self.earliest(job, now, fixed + plans(None), nodes)
        started = [job for job in waiting if self.planned[job] == now]
        for job in started:
            del self.planned[job]
        return started, min(self.planned.values(), default=None)


QUEUES = {"first-come": lambda: first_come, "easy": lambda: easy, "conservative": Conservative}


# ---- what the program says -----------------------------------------------------------------------------------------


def schedule(program, folder, machine, queue, partition):
    out = os.path.join(folder, "out.csv")
    text = run(program, "--machine", machine, "--jobs", os.path.join(folder, "jobs.swf"), "--queue", queue,
               "--partition", partition, "--communication", "0", "--output", out, "--json")
    with open(out) as file:
        rows = [dict(row, nodes=[int(node) for node in row["nodes"].split()]) for row in csv.DictReader(file)]
    for row in rows:
        for key in ("submit", "start", "end"):
            row[key] = float(row[key])
        row["ranks"] = int(row["ranks"])
    return rows, json.loads(text)


def check_starts(program, folder, streams):
    for number in range(streams):
        rng = random.Random(number)
        nodes = rng.choice([4, 10, 16, 33])
        jobs = stream(rng, nodes, rng.randint(1, 40), exact=number % 3 == 0)
        write(jobs, os.path.join(folder, "jobs.swf"))
        queue = list(QUEUES)[number % len(QUEUES)]
        simulate(jobs, nodes, QUEUES[queue]())
        rows, summary = schedule(program, folder, f"mesh:{nodes}", queue, "any-nodes")
        found = {int(row["job"]): row["start"] for row in rows}
        expected = {job.number: job.start for job in jobs}
        assert found == expected, f"stream {number}, {queue}: {found} {expected}"
        check_overlaps(rows)
        check_summary(rows, summary["policies"][0], nodes)
    print(f"{streams} streams: starts are those of first-come, easy and conservative by themselves")


def check_overlaps(rows):
    for one, other in itertools.combinations(rows, 2):
        if one["start"] < other["end"] and other["start"] < one["end"]:
            assert not set(one["nodes"]) & set(other["nodes"]), f"{one} {other}"


def check_summary(rows, policy, nodes):
    """What is printed, from the rows alone."""
    mean = lambda name: policy[name]["mean"]
    near = lambda a, b: abs(a - b) <= 1e-9 * max(1, abs(b))
    makespan = max(row["end"] for row in rows) - min(row["submit"] for row in rows)
    assert near(mean("makespan_seconds"), makespan)
    assert near(mean("wait_seconds"), sum(row["start"] - row["submit"] for row in rows) / len(rows))
    assert near(mean("response_seconds"), sum(row["end"] - row["submit"] for row in rows) / len(rows))
    slowdown = [max(1, (row["end"] - row["submit"]) / max(10, row["end"] - row["start"])) for row in rows]
    assert near(mean("bounded_slowdown"), sum(slowdown) / len(rows))
    busy = sum(row["ranks"] * (row["end"] - row["start"]) for row in rows)
    beyond = sum((len(row["nodes"]) - row["ranks"]) * (row["end"] - row["start"]) for row in rows)
    assert near(mean("utilisation") * nodes * makespan, busy)
    assert near(mean("internal_fragmentation") * nodes * makespan, beyond)
    assert near(mean("external_fragmentation") * nodes * makespan, scattered(rows, nodes))


def scattered(rows, nodes):
    """Idle node seconds while the first waiting job asks for no more nodes than are idle."""
    moments = sorted({row[key] for row in rows for key in ("submit", "start", "end")})
    total = 0
    for begin, end in zip(moments, moments[1:]):
        idle = nodes - sum(len(row["nodes"]) for row in rows if row["start"] <= begin < row["end"])
        waiting = [row for row in rows if row["submit"] <= begin < row["start"]]
        if waiting and waiting[0]["ranks"] <= idle:
            total += idle * (end - begin)
    return total


# ---- partitions ----------------------------------------------------------------------------------------------------


def replay(rows, nodes):
    """The free nodes that each job found, under first come first served: jobs start in their order."""
    for at, row in enumerate(rows):
        taken = {node for other in rows[:at] if other["start"] <= row["start"] < other["end"] for node in other["nodes"]}
        yield row, set(range(nodes)) - taken


class Torus:
    def __init__(self, lengths, wraps=True):
        self.lengths, self.wraps = lengths, wraps
        self.nodes = 1
        for length in lengths:
            self.nodes *= length

    def coordinates(self, node):
        result = []
        for length in self.lengths:
            result.append(node % length)
            node //= length
        return result

    def distance(self, a, b):
        total = 0
        for x, y, length in zip(self.coordinates(a), self.coordinates(b), self.lengths):
            total += min(abs(x - y), length - abs(x - y)) if self.wraps else abs(x - y)
        return total

    def boxes(self, sides):
        """The nodes of every box of these sides, as sets."""
        ranges = [range(length) if self.wraps else range(length - side + 1) for length, side in zip(self.lengths, sides)]
        for corner in itertools.product(*ranges):
            nodes = set()
            for offset in itertools.product(*(range(side) for side in sides)):
                node, stride = 0, 1
                for x, o, length in zip(corner, offset, self.lengths):
                    node += stride * ((x + o) % length)
                    stride *= length
                nodes.add(node)
            yield nodes


def minimal_sides(nodes, lengths):
    """Boxes that hold this many nodes and of which no side could be shorter."""
    volume = lambda sides: __import__("math").prod(sides)
    for sides in itertools.product(*(range(1, length + 1) for length in lengths)):
        shorter = (sides[:at] + (side - 1,) + sides[at + 1:] for at, side in enumerate(sides))
        if volume(sides) >= nodes and all(volume(other) < nodes for other in shorter):
            yield sides


def check_boxes(row, free, torus, shape):
    sides = tuple(int(side) for side in row["box"].split("x"))
    assert set(row["nodes"]) <= free and set(row["nodes"]) in list(torus.boxes(sides)), row
    possible = list(minimal_sides(row["ranks"], torus.lengths))
    assert sides in possible, row
    dimensions = lambda sides: sum(side > 1 for side in sides)
    if shape == "2d" and any(dimensions(other) <= 2 for other in possible):
        possible = [other for other in possible if dimensions(other) <= 2]
    if shape == "3d" and any(dimensions(other) == 3 for other in possible):
        possible = [other for other in possible if dimensions(other) == 3]
    if shape == "any":
        # Nothing more compact was free.
        possible = [other for other in possible if any(nodes <= free for nodes in torus.boxes(other))]
    assert sum(sides) == min(sum(other) for other in possible), (row, possible)


def check_compact(row, free, torus):
    def spread(centre):
        return sum(sorted(torus.distance(centre, node) for node in free)[: row["ranks"]])

    best = min(spread(centre) for centre in free)
    found = min(sum(torus.distance(centre, node) for node in row["nodes"]) for centre in row["nodes"])
    assert len(row["nodes"]) == row["ranks"] and set(row["nodes"]) <= free
    assert found == best, (row, best)


def check_fixed(row, free, torus):
    sides = [int(side) for side in row["box"].split("x")]
    size = 1
    while size < row["ranks"]:
        size *= 2
    assert len(row["nodes"]) >= size and len(row["nodes"]).bit_count() == 1, row
    assert all(x % side == 0 for x, side in zip(torus.coordinates(row["nodes"][0]), sides)), row
    assert set(row["nodes"]) in list(torus.boxes(sides)) and set(row["nodes"]) <= free


def check_switches(row, free, below):
    """A tree of two levels: as few switches as possible, and of single ones the fullest that has room."""
    left = {}
    for node in free:
        left[node // below] = left.get(node // below, 0) + 1
    used = {node // below for node in row["nodes"]}
    assert set(row["nodes"]) <= free and len(row["nodes"]) == row["ranks"]
    room, fewest = 0, 0
    for count in sorted(left.values(), reverse=True):
        if room >= row["ranks"]:
            break
        room, fewest = room + count, fewest + 1
    assert len(used) == fewest, (row, left)
    if fewest == 1:
        fitting = min(count for count in left.values() if count >= row["ranks"])
        assert left[used.pop()] == fitting, (row, left)


def check_partitions(program, folder, streams):
    for number in range(streams):
        rng = random.Random(1000 + number)
        torus = Torus((4, 4, 4)) if number // 8 % 2 else Torus((4, 2, 4), wraps=False)
        machine = ("torus:" if torus.wraps else "mesh:") + "x".join(map(str, torus.lengths))
        cases = [(machine, torus.nodes, f"free-box:shape={shape}", lambda row, free, shape=shape: check_boxes(row, free, torus, shape))
                 for shape in ("any", "cube", "2d", "3d")]
        cases += [(machine, torus.nodes, "compact", lambda row, free: check_compact(row, free, torus)),
                  (machine, torus.nodes, "fixed", lambda row, free: check_fixed(row, free, torus)),
                  ("tree:6:5,distances=1:10", 30, "switches", lambda row, free: check_switches(row, free, 6)),
                  (machine, torus.nodes, "any-nodes", lambda row, free: sorted(free)[: row["ranks"]] == row["nodes"])]
        name, nodes, partition, check = cases[number % len(cases)]
        jobs = stream(rng, nodes, 25, exact=True)
        write(jobs, os.path.join(folder, "jobs.swf"))
        for queue in QUEUES:
            rows, summary = schedule(program, folder, name, queue, partition)
            assert len(rows) == len(jobs), f"{partition}: {summary['left_out']} left out"
            check_overlaps(rows)
            check_summary(rows, summary["policies"][0], nodes)
            if queue == "first-come":
                for row, free in replay(rows, nodes):
                    assert check(row, free) is not False, (partition, row)
    print(f"{streams} streams: partitions are what their policies say, and do not overlap")


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        check_starts(program, folder, 300)
        check_partitions(program, folder, 48)


if __name__ == "__main__":
    main()
