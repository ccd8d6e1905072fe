#!/usr/bin/env python3
"""Reads what `topoloom apply` writes with its own readers: launch.py PATH-OF-TOPOLOOM

A cluster of 64 hosts with mixed slots and random mappings on it are made up here. Each launch format is read back, with
its command if that names the cores. Host, core and CPUs of every rank are checked against the mapping. Machines without
hosts are checked too. Wrong hosts must end with exit code 2 and leave nothing behind.

Random jobs have their ranks exchanged among their seats: bound to cores, to several, to threads, to shared ones, or not
at all. The written files must have the same seats as the job had, each as often.
"""
import itertools, json, os, random, re, shlex, subprocess, sys, tempfile

HOSTS = 64


def apply(program, *arguments):
    return subprocess.run([program, "apply", *arguments], capture_output=True, text=True)


def lines_of(path):
    with open(path) as file:
        return file.read().split("\n")[:-1]


def cpus_of(text):
    """The CPUs of `0-2,8`, of `0+8` or of a mask `0x105`."""
    if text.startswith("0x"):
        mask = int(text, 16)
        return frozenset(bit for bit in range(mask.bit_length()) if mask >> bit & 1)
    found = set()
    for part in re.split("[,+]", text):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


def bound(command, place_of_line, local, path):
    """The CPUs of each rank, as the command binds them: by a file with one line per process, or by a list that each
    host goes through; `local` gives for each rank its number on its host, `place_of_line` its line in the file."""
    words = shlex.split(command)
    if "taskset" in command:
        assert path + ".bind" in words, command
        lines = lines_of(path + ".bind")
        assert len(lines) == len(local), command
        return [cpus_of(lines[place_of_line[rank]]) for rank in range(len(local))]
    for start, separator in (("--cpu-bind=map_cpu:", ","), ("--cpu-bind=mask_cpu:", ","), ("user:", ","),
                             ("cpu-affinity=map:", ";")):
        for word in words:
            if word.startswith(start):
                entries = word[len(start):].split(separator)
                return [cpus_of(entries[number % len(entries)]) for number in local]
    return None


def numbers_on_hosts(hosts):
    """The number of each rank among those of its host."""
    seen, local = {}, []
    for host in hosts:
        local.append(seen.get(host, 0))
        seen[host] = local[-1] + 1
    return local


def rankfile(path, command, ranks):
    places = {}
    for text in lines_of(path):
        rank, host, slots = re.fullmatch(r"rank (\d+)=(\S+) slot=([\d,-]+)", text).groups()
        assert int(rank) not in places
        places[int(rank)] = (host, cpus_of(slots))
    hosts, cores = zip(*(places[rank] for rank in range(ranks)))
    cpus = bound(command, range(ranks), [0] * ranks, path) if "taskset" in command else None
    return list(hosts), list(cores), cpus


def line_a_rank(path, command, ranks):
    hosts = lines_of(path)
    assert len(hosts) == ranks
    return hosts, None, bound(command, range(ranks), numbers_on_hosts(hosts), path)


def mpich(path, command, ranks):
    hosts, runs = [], set()
    for text in lines_of(path):
        host, count = text.split(":")
        if "-bind-to" in command:
            assert host not in runs, "Hydra begins a list again in each run of a host"
        runs.add(host)
        hosts += [host] * int(count)
    assert len(hosts) == ranks
    return hosts, None, bound(command, range(ranks), numbers_on_hosts(hosts), path)


def cray(path, command, ranks, all_hosts):
    order = [[int(rank) for rank in text.split(",")] for text in lines_of(path)]
    flat = list(itertools.chain(*order))
    assert sorted(flat) == list(range(ranks))
    each = re.search(r"--ntasks-per-node=(\d+)", command)
    assert each is None or all(len(line) == int(each.group(1)) for line in order)
    position = {rank: at for at, rank in enumerate(flat)}
    local = {rank: at for line in order for at, rank in enumerate(line)}
    # Slurm fills the nodes of the allocation in their order.
    host_of = {rank: host for host, line in zip(all_hosts, order) for rank in line}
    every = range(ranks)
    return [host_of[rank] for rank in every], None, bound(
        command, [position[rank] for rank in every], [local[rank] for rank in every], path)


def flux(path, command, ranks, all_hosts):
    with open(path) as file:
        blocks = json.load(file)
    nodes = []
    for node, count, tasks, times in blocks:
        for _ in range(times):
            for at in range(node, node + count):
                nodes += [at] * tasks
    assert len(nodes) == ranks and f"-N {max(nodes) + 1} " in command
    assert f'--taskmap=manual:"$(cat {shlex.quote(path)})"' in command
    hosts = [all_hosts[node] for node in nodes]
    return hosts, None, bound(command, range(ranks), numbers_on_hosts(hosts), path)


def read(name, path, command, mapping):
    """The hosts, the cores and the CPUs of all ranks, as a launcher would find them; None if the files do not say."""
    ranks = len(mapping["host_of_rank"])
    used = [host for number, host in enumerate(mapping["hosts"]) if number in mapping["host_of_rank"]]
    if name.endswith("rankfile"):
        if name.startswith("openmpi5"):
            slots = dict(word.split(":") for word in shlex.split(command)[4].split(","))
            assert sorted(slots) == sorted(used)
        return rankfile(path, command, ranks)
    if name == "mpich-hosts":
        return mpich(path, command, ranks)
    if name == "cray-rank-order":
        return cray(path, command, ranks, used)
    if name == "flux-taskmap":
        return flux(path, command, ranks, used)
    return line_a_rank(path, command, ranks)


def random_mapping(random_numbers, even, threads, in_blocks):
    """A mapping on 64 hosts with 4 to 16 cores of `threads` threads, whose CPUs are numbered as many systems do: all
    first threads, then all second ones."""
    cores = [8 if even else random_numbers.choice([4, 8, 16]) for _ in range(HOSTS)]
    places = [(host, core) for host in range(HOSTS) for core in range(cores[host])]
    if even:
        take = random_numbers.sample(range(8), 6)
        places = [(host, core) for host in range(HOSTS) for core in take]
    else:
        places = random_numbers.sample(places, len(places) * 3 // 4)
    random_numbers.shuffle(places)
    if in_blocks:
        order = random_numbers.sample(range(HOSTS), HOSTS)
        places = [(host, core) for host in order for core in random_numbers.sample(range(cores[host]), 4)]
    cpus = [[core + cores[host] * thread for thread in range(threads)] for host, core in places]
    return {"format": "topoloom-mapping", "version": 1, "ranks": len(places),
            "node_of_rank": [sum(cores[:host]) + core for host, core in places],
            "slot_of_rank": [sum(cores[:host]) + core for host, core in places],
            "hosts": [f"node{host:03}" for host in range(HOSTS)], "slots_of_host": cores,
            "host_of_rank": [host for host, _ in places], "core_of_rank": [core for _, core in places],
            "cpus_of_rank": [",".join(map(str, sorted(one))) for one in cpus]}


def check_seated(program, folder, mapping, says_no=()):
    path, output = os.path.join(folder, "mapping.json"), os.path.join(folder, "out")
    with open(path, "w") as file:
        json.dump(mapping, file)
    checked = 0
    for name in ("openmpi4-rankfile", "openmpi5-rankfile", "openmpi-seq", "mpich-hosts", "slurm-hostfile",
                 "cray-rank-order", "flux-taskmap", "hostlist"):
        done = apply(program, "--mapping", path, "--format", name, "--output", output)
        if name in says_no:
            assert done.returncode == 2 and "cannot express this" in done.stderr, (name, done)
            assert os.listdir(folder) == ["mapping.json"]
            continue
        assert done.returncode == 0, (name, done.stderr)
        hosts, cores, cpus = read_command(name, output, done.stdout, mapping)
        assert hosts == [mapping["hosts"][host] for host in mapping["host_of_rank"]], name
        if cores is not None and cpus is None:
            assert cores == [frozenset([core]) for core in mapping["core_of_rank"]], name
        elif "torchrun" not in done.stdout:
            assert cpus == [cpus_of(one) for one in mapping["cpus_of_rank"]], name
        for left in ("out", "out.bind"):
            if os.path.exists(os.path.join(folder, left)):
                os.remove(os.path.join(folder, left))
        checked += 1
    return checked


def read_command(name, output, command, mapping):
    if name == "hostlist" and "paste" in command:
        # Files side by side: hosts and CPUs.
        hosts, lines = lines_of(output), lines_of(output + ".bind")
        return hosts, None, [cpus_of(text.split()[0]) for text in lines]
    return read(name, output, command, mapping)


def random_job(random_numbers):
    """Hosts of some cores with some threads each, and the seats of a job there: a host, and the CPUs or None."""
    hosts = []
    for _ in range(random_numbers.randint(1, 5)):
        cores, threads = random_numbers.randint(2, 12), random_numbers.choice([1, 1, 2])
        hosts.append([[core + cores * thread for thread in range(threads)] for core in range(cores)])
    kind = random_numbers.choice(["cores", "several", "threads", "free", "shared", "mixed"])
    seats = []
    for host, cores in enumerate(hosts):
        order = random_numbers.sample(range(len(cores)), len(cores))
        size = random_numbers.randint(2, 3) if kind == "several" else 1
        for start in range(0, len(order) - size + 1, size):
            cpus = sorted(cpu for core in order[start:start + size] for cpu in cores[core])
            if kind == "threads":
                cpus = cpus[:1]
            free = kind == "free" or (kind == "mixed" and random_numbers.random() < 0.5)
            seats += [(host, None if free else cpus)] * (random_numbers.randint(1, 3) if kind == "shared" else 1)
    return hosts, seats


def seated_mapping(hosts, seats):
    """A mapping file of ranks in these seats."""
    all_cpus = [sorted(cpu for core in host for cpu in core) for host in hosts]
    core_of, cores_of, cpus_of_rank = [], [], []
    for host, cpus in seats:
        touched = sorted({core for core, of in enumerate(hosts[host]) for cpu in of if cpu in (cpus or [])})
        whole = cpus is not None and sorted(cpu for core in touched for cpu in hosts[host][core]) == cpus
        core_of.append(touched[0] if cpus is not None else None)
        cores = range(len(hosts[host])) if cpus is None else (touched if whole else [])
        cores_of.append(",".join(map(str, cores)))
        cpus_of_rank.append(",".join(map(str, all_cpus[host] if cpus is None else cpus)))
    return {"format": "topoloom-mapping", "version": 1, "machine": "cluster:job.json", "ranks": len(seats),
            "node_of_rank": list(range(len(seats))), "hosts": [f"n{number}" for number in range(len(hosts))],
            "slots_of_host": [sum(1 for host, _ in seats if host == number) for number in range(len(hosts))],
            "host_of_rank": [host for host, _ in seats], "core_of_rank": core_of, "cores_of_rank": cores_of,
            "cpus_of_rank": cpus_of_rank}


def check_seats(program, folder, random_numbers):
    """Ranks exchange their seats. With every format, the job keeps the seats that it had, each as often."""
    hosts, before = random_job(random_numbers)
    mapping = seated_mapping(hosts, random_numbers.sample(before, len(before)))
    every = {number: frozenset(cpu for core in host for cpu in core) for number, host in enumerate(hosts)}
    wanted = sorted((host, sorted(every[host] if cpus is None else cpus)) for host, cpus in before)
    path, output = os.path.join(folder, "mapping.json"), os.path.join(folder, "out")
    with open(path, "w") as file:
        json.dump(mapping, file)
    checked = 0
    for name in ("openmpi4-rankfile", "openmpi5-rankfile", "openmpi-seq", "mpich-hosts", "slurm-hostfile",
                 "cray-rank-order", "flux-taskmap", "hostlist"):
        done = apply(program, "--mapping", path, "--format", name, "--output", output)
        if done.returncode == 2:
            # Only what is documented, with the format that can say it.
            assert name in ("cray-rank-order", "flux-taskmap") and "cannot express this" in done.stderr, (name, done.stderr)
            continue
        assert done.returncode == 0, (name, done.stderr)
        found_hosts, cores, cpus = read_command(name, output, done.stdout, mapping)
        numbers = [mapping["hosts"].index(host) for host in found_hosts]
        if cpus is None and cores is not None and "--bind-to none" not in done.stdout:
            cpus = [frozenset(cpu for core in of for cpu in hosts[host][core]) for host, of in zip(numbers, cores)]
        elif cpus is None and "torchrun" in done.stdout:
            # It binds no rank, and says so if the job did.
            assert all(of is None for _, of in before) or "does not bind" in done.stderr, done
            cpus = [frozenset(map(int, of.split(","))) for of in mapping["cpus_of_rank"]]
        elif cpus is None:
            cpus = [every[host] for host in numbers]
        found = sorted((host, sorted(of)) for host, of in zip(numbers, cpus))
        assert found == wanted, (name, done.stdout, found, wanted)
        crowded = any(
            sum(1 for host, of in before if (host, of) == seat) > len(every[seat[0]] if seat[1] is None else seat[1])
            for seat in before)
        if name.startswith("openmpi") and crowded:
            assert "--mca mpi_yield_when_idle 1" in done.stdout, done.stdout
        for left in ("out", "out.bind"):
            if os.path.exists(os.path.join(folder, left)):
                os.remove(os.path.join(folder, left))
        checked += 1
    return checked


def check_machine(program, folder, random_numbers, machine, nodes, slots, hosts, nodes_of_a_host):
    """A mapping with a machine alone: hosts by its nodes, or by groups of nodes that follow each other."""
    places = random_numbers.sample(range(nodes * slots), nodes * slots * 2 // 3)
    mapping = {"format": "topoloom-mapping", "version": 1, "machine": machine, "ranks": len(places),
               "node_of_rank": [slot // slots for slot in places], "slot_of_rank": places}
    path, output = os.path.join(folder, "mapping.json"), os.path.join(folder, "out")
    with open(path, "w") as file:
        json.dump(mapping, file)
    of_host = nodes_of_a_host * slots
    names = [f"h{number}" for number in range(hosts)]
    done = apply(program, "--mapping", path, "--format", "openmpi4-rankfile", "--output", output,
                 "--hosts", f"h[0-{hosts - 1}]")
    assert done.returncode == 0, done.stderr
    found_hosts, cores, _ = rankfile(output, done.stdout, len(places))
    assert found_hosts == [names[slot // of_host] for slot in places], machine
    assert cores == [frozenset([slot % of_host]) for slot in places], machine
    os.remove(output)
    # One more host than there can be, and one too few slots.
    for wrong in (f"h[0-{hosts}],x", f"h[0-{hosts - 2}]"):
        refused = apply(program, "--mapping", path, "--format", "openmpi4-rankfile", "--output", output, "--hosts", wrong)
        assert refused.returncode == 2 and str(nodes) in refused.stderr, refused
        assert os.listdir(folder) == ["mapping.json"]


def check_blue_gene(program, folder, random_numbers):
    lengths, slots = (4, 2, 3, 2, 2), 16
    nodes = 4 * 2 * 3 * 2 * 2
    places = random_numbers.sample(range(nodes * slots), 500)
    path, output = os.path.join(folder, "mapping.json"), os.path.join(folder, "out")
    with open(path, "w") as file:
        json.dump({"format": "topoloom-mapping", "version": 1, "machine": "torus:4x2x3x2x2,slots=16", "ranks": 500,
                   "node_of_rank": [slot // slots for slot in places], "slot_of_rank": places}, file)
    done = apply(program, "--mapping", path, "--format", "bgq-mapfile", "--output", output)
    assert done.returncode == 0, done.stderr
    assert "--np 500 --ranks-per-node 16 :" in done.stdout
    for text, slot in zip(lines_of(output), places, strict=True):
        *at, thread = map(int, text.split())
        node, stride = 0, 1
        for coordinate, length in zip(at, lengths, strict=True):
            assert 0 <= coordinate < length
            node, stride = node + coordinate * stride, stride * length
        assert node * slots + thread == slot
    os.remove(output)


def check_wrong_hosts(program, folder, mapping):
    path, output = os.path.join(folder, "mapping.json"), os.path.join(folder, "out")
    with open(path, "w") as file:
        json.dump(mapping, file)
    last, ranks_on_last = mapping["hosts"][-1], mapping["host_of_rank"].count(HOSTS - 1)
    assert ranks_on_last > 1
    wrong = {"node[000-062]": last, "node[000-063],other": "other", f"node[000-062],{last}:{ranks_on_last - 1}": last,
             "node[000-063],node000": "node000", "node[000-063": "node[000-063", "no/such/file": "no/such/file"}
    for hosts, named in wrong.items():
        for name in ("openmpi4-rankfile", "mpich-hosts", "flux-taskmap", "hostlist"):
            done = apply(program, "--mapping", path, "--format", name, "--output", output, "--hosts", hosts)
            assert done.returncode == 2 and named in done.stderr and done.stdout == "", (hosts, done)
            assert os.listdir(folder) == ["mapping.json"]
    # The same hosts by another order, with full names and in a file.
    names = [f"node{number:03}.cluster.org" for number in reversed(range(HOSTS))]
    with open(os.path.join(folder, "hosts"), "w") as file:
        file.write("# hosts\n" + "".join(f"{name} slots=16\n" for name in names))
    done = apply(program, "--mapping", path, "--format", "hostlist", "--hosts", os.path.join(folder, "hosts"))
    expected = [mapping["hosts"][host] + ".cluster.org" for host in mapping["host_of_rank"]]
    assert done.stdout.split() == expected, done
    os.remove(os.path.join(folder, "hosts"))


def main():
    program, random_numbers, checked = os.path.abspath(sys.argv[1]), random.Random(1), 0
    with tempfile.TemporaryDirectory() as folder:
        for threads, in_blocks in itertools.product((1, 2), (False, True)):
            for even in (False, True):
                mapping = random_mapping(random_numbers, even, threads, in_blocks)
                uneven = not even and not in_blocks
                checked += check_seated(program, folder, mapping, ["cray-rank-order"] if uneven else [])
        check_wrong_hosts(program, folder, random_mapping(random_numbers, False, 2, False))
        for machine, nodes, slots, hosts, of_host in (
                ("torus:4x4,slots=2", 16, 2, 16, 1), ("mesh:3x5x2", 30, 1, 30, 1), ("fat-tree:k=4,slots=3", 16, 3, 16, 1),
                ("tree:2:2:4,distances=1:10:100", 16, 1, 4, 4), ("tree:2:2:4,distances=1:10:100", 16, 1, 8, 2),
                ("tree:2:2:4,distances=1:10:100", 16, 1, 16, 1), ("tree:4:3:5,distances=1:2:3,slots=2", 60, 2, 5, 12)):
            check_machine(program, folder, random_numbers, machine, nodes, slots, hosts, of_host)
            checked += 1
        check_blue_gene(program, folder, random_numbers)
        for _ in range(60):
            checked += check_seats(program, folder, random_numbers)
    print(f"launch files: {checked + 1} read back, hosts and cores as in the mappings")


if __name__ == "__main__":
    main()
