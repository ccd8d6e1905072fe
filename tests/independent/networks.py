#!/usr/bin/env python3
"""Routes of described networks, checked against a walk along the tables in a few lines of Python.

    tests/independent/networks.py PROGRAM

For each network and each file of forwarding tables in networks/, the walk finds all routes between
adapters. `machine routes` has to report the same busiest link, links in use and lengths of routes, and the same busiest
link of shifts (every host sends to the host s places after it). `machine show` has to find the cables that a real
cluster lacks, and those that are taken from a whole one. Where OpenSM and ibsim are installed (Debian: opensm,
ibsim-utils, infiniband-diags), fat trees of random shapes get real tables. On those of full bandwidth, D-mod-K has
to be OpenSM's ftree.
"""

import collections
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "networks")
DGX = os.path.join(HERE, "..", "..", "crates", "topoloom-io", "tests", "machines", "ib", "topograph-ibnetdiscover-example.out")
passed = failed = 0


def check(name, found, expected):
    global passed, failed
    if found == expected:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {name}: found {found}, expected {expected}")


def text_of(path):
    opened = gzip.open(path, "rt", errors="replace") if path.endswith(".gz") else open(path, errors="replace")
    with opened as file:
        return file.read()


class Network:
    """Cables by (device, port), addresses and names of adapters."""

    def __init__(self, text):
        self.cable, self.address, self.name, device = {}, {}, {}, None
        for line in text.splitlines():
            head = re.match(r'(Switch|Ca|Rt)\s+\d+\s+"([^"]+)"\s*#\s*"(.*)"', line)
            port = re.match(r'\[(\d+)\](?:\(\w+\))?\s+"([^"]+)"\[(\d+)\](?:\(\w+\))?\s*#\s*(.*)', line)
            if head:
                device = head.group(2)
                self.name[device] = head.group(3)
            elif port and device:
                own, other = (device, int(port.group(1))), (port.group(2), int(port.group(3)))
                self.cable[own], self.cable[other] = other, own
                comment = port.group(4)
                if device.startswith("H"):
                    self.address[own] = int(re.match(r"lid (\d+)", comment).group(1))
                elif other[0].startswith("H"):
                    after = comment[comment.rindex('"') + 1:]
                    self.address.setdefault(other, int(re.search(r"lid (\d+)", after).group(1)))
                    self.name.setdefault(other[0], re.match(r'"(.*)"', comment).group(1))
        helpers = {end for end in self.address if "Aggregation Node" in self.name.get(end[0], "")}
        self.adapters = [end for end in self.address if end not in helpers and end in self.cable]


def tables_of(text):
    """Port by (GUID of a switch, address)."""
    tables, guid = {}, None
    for line in text.splitlines():
        head = re.search(r"(?:guid |Switch )0x([0-9a-f]+)", line) if "nicast lids" in line or "Switch 0x" in line else None
        entry = re.match(r"0x([0-9a-fA-F]+)\s*:?\s*(\d+)", line)
        if head:
            guid = int(head.group(1), 16)
        elif entry:
            tables[guid, int(entry.group(1), 16)] = int(entry.group(2))
    return tables


def route(network, tables, sender, receiver):
    """The switches and ports that a message leaves by; None if it does not arrive."""
    at, hops = network.cable[sender], []
    while at[0].startswith("S"):
        port = tables.get((int(at[0][2:], 16), network.address[receiver]))
        if port is None or (at[0], port) not in network.cable or len(hops) > 1000:
            return None
        hops.append((at[0], port))
        at = network.cable[at[0], port]
    return hops if at == receiver else None


def loads_of(network, tables, pairs):
    loads, lengths, missing = collections.Counter(), collections.Counter(), 0
    for sender, receiver in pairs:
        hops = route(network, tables, sender, receiver)
        if hops is None:
            missing += 1
            continue
        lengths[str(len(hops))] += 1
        # The last hop leads to the adapter, the others from switch to switch.
        loads.update(hops[:-1])
    return loads, dict(lengths), missing


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)}: {done.stderr}")
    return json.loads(done.stdout)


def engines(name):
    for file in sorted(os.listdir(FOLDER)):
        found = re.match(re.escape(name) + r"\.([\w-]+)\.(lfts\.dump|dump_fts-n\.out)\.gz$", file)
        if found:
            yield found.group(1), os.path.join(FOLDER, file)


def check_stored(program, folder):
    names = ["ft8", "ft16-parallel", "ft64", "torus444", "dragonfly72", "psmn-x5", "dgx"]
    for name in names:
        cables = DGX if name == "dgx" else os.path.join(FOLDER, f"{name}.ibnetdiscover.out.gz")
        network = Network(text_of(cables))
        pairs = [(a, b) for a in network.adapters for b in network.adapters if a != b]
        for engine, file in engines(name):
            loads, lengths, missing = loads_of(network, tables_of(text_of(file)), pairs)
            machine = os.path.join(folder, f"{name}.{engine}.json")
            run(program, "machine", "import", cables, file, "--place", "node", "--json", "-o", machine)
            found = run(program, "machine", "routes", machine, "--json")
            own = found["routings"][0]
            where = os.path.basename(file)
            check(f"{where}: adapters", found["adapters"], len(network.adapters))
            check(f"{where}: routing", own["routing"], "table")
            check(f"{where}: unrouted pairs", found["unrouted_pairs"], missing)
            if missing:
                continue
            check(f"{where}: links used", own["links_used"], len(loads))
            check(f"{where}: total", own["total_load"], sum(loads.values()))
            found_lengths = {str(l["switches"]): l["flows"] for l in own["switches_on_routes"]}
            check(f"{where}: lengths", found_lengths, lengths)
            if name != "psmn-x5":  # Its links differ: the busiest is that of the largest load by bandwidth.
                check(f"{where}: busiest", own["busiest_load"], max(loads.values()))
            if own["busiest_relative_load"] < found["least_relative_load"] - 1e-9:
                check(f"{where}: bound", own["busiest_relative_load"], found["least_relative_load"])
            if name in ("ft8", "ft16-parallel", "dragonfly72"):
                check_shifts(program, network, tables_of(text_of(file)), machine, where, folder)


def check_shifts(program, network, tables, machine, where, folder):
    shown = run(program, "machine", "show", machine, "--json")["host_names"]
    by_name = {network.name[end[0]].split()[0]: end for end in network.adapters}
    order, mapped = [by_name[host] for host in shown], os.path.join(folder, "shift.csv")
    for shift in (1, 2, 3, len(order) // 2, len(order) - 1):
        ends = [(order[i], order[(i + shift) % len(order)]) for i in range(len(order))]
        loads, _, _ = loads_of(network, tables, ends)
        with open(mapped, "w") as file:
            file.write("from,to,bytes\n")
            file.writelines(f"{i},{(i + shift) % len(order)},1\n" for i in range(len(order)))
        # Hosts are places here, and a rank runs on the place of its number.
        score = run(program, "score", "--traffic", mapped, "--machine", machine, "--mapping", "in-order", "--json")
        check(f"{where}: shift by {shift}", score["max_switch_link_load"], max(loads.values(), default=0))


def random_fat_tree(rng, full):
    """An XGFT of two or three levels as ibnetdiscover prints it, of full bandwidth or of any."""
    levels = rng.choice([2, 3])
    m = [rng.randint(2, 4) for _ in range(levels)]
    w = [1] + (m[:-1] if full else [rng.randint(2, 3) for _ in range(levels - 1)])
    lines, ports = [], collections.Counter()
    cables = collections.defaultdict(list)

    def nodes(level):
        for a in _digits(m[level:]):
            for b in _digits(w[:level]):
                yield b, a

    def name(level, digits):
        number = sorted(nodes(level)).index(digits)
        return ("H-" if level == 0 else "S-") + f"b8{level:02x}{number:012x}"

    for level in range(levels):
        for b, a in sorted(nodes(level)):
            for up in range(w[level]):
                parent = (b + (up,), a[1:])
                one, other = name(level, (b, a)), name(level + 1, parent)
                ports[one] += 1
                ports[other] += 1
                cables[one].append((ports[one], other, ports[other]))
                cables[other].append((ports[other], one, ports[one]))
    for device in sorted(cables, reverse=True):
        kind = "Ca" if device.startswith("H") else "Switch"
        label = "n" + str(int(device[4:], 16)) + " mlx5_0" if kind == "Ca" else "sw" + device[2:]
        guid = device[2:]
        lines.append(f"{'ca' if kind == 'Ca' else 'switch'}guid=0x{guid}")
        lines.append(f'{kind}\t{len(cables[device])} "{device}"\t\t# "{label}"')
        for own, other, at in sorted(cables[device]):
            shown = f"[{own}]({guid}) " if kind == "Ca" else f"[{own}]"
            lines.append(f'{shown}\t"{other}"[{at}]\t\t# "x" lid 0 4xHDR')
        lines.append("")
    return "\n".join(lines)


def _digits(bases):
    if not bases:
        yield ()
        return
    for rest in _digits(bases[1:]):
        for digit in range(bases[0]):
            yield (digit,) + rest


def check_opensm(program, folder, rounds=4):
    tools = ["opensm", "ibsim", "ibsim-run", "ibnetdiscover", "dump_fts"]
    environment = dict(os.environ, PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if any(shutil.which(tool, path=environment["PATH"]) is None for tool in tools):
        print("== SKIPPED: tables of OpenSM (needs opensm, ibsim-utils and infiniband-diags)")
        return
    rng = random.Random(1)
    for number in range(rounds):
        home = os.path.join(folder, f"opensm{number}")
        os.makedirs(home)
        drawn = os.path.join(home, "net")
        with open(drawn, "w") as file:
            # On trees of less than full bandwidth OpenSM balances what it has assigned so far instead.
            full = number % 2 == 0
            file.write(random_fat_tree(rng, full))
        environment.update(OSM_TMP_DIR=home, OSM_CACHE_DIR=home)
        simulator = subprocess.Popen(["ibsim", "-s", "-n", drawn], env=environment, cwd=home,
                                     stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(1)
            manager = ["ibsim-run", "opensm", "-o", "-D", "0x43", "-f", os.path.join(home, "log"), "-R", "ftree"]
            subprocess.run(manager, env=environment, cwd=home, capture_output=True, timeout=60)
            discover = ["ibsim-run", "ibnetdiscover"]
            cables = subprocess.run(discover, env=environment, cwd=home, capture_output=True, text=True, timeout=60).stdout
        finally:
            simulator.kill()
            simulator.wait()
        tables, order = os.path.join(home, "opensm-lfts.dump"), os.path.join(home, "opensm-ftree-ca-order.dump")
        if not cables or not os.path.exists(tables) or not os.path.exists(order):
            print(f"== SKIPPED: tables of OpenSM, network {number} (OpenSM made none by ftree here)")
            continue
        found = os.path.join(home, "cables.out")
        with open(found, "w") as file:
            file.write(cables)
        with open(order) as file:
            hosts = ",".join(line.split()[1] for line in file if line.strip())
        machine = os.path.join(home, "machine.json")
        run(program, "machine", "import", found, tables, "--hosts", hosts, "--place", "node", "--json", "-o", machine)
        shown = run(program, "machine", "routes", machine, "--json")
        table, rule = (next(r for r in shown["routings"] if r["routing"] == name) for name in ("table", "d-mod-k"))
        for field in ("busiest_load", "links_used", "total_load", "switches_on_routes") if full else ():
            check(f"OpenSM {number}: {field}", rule[field], table[field])
        network = Network(cables)
        pairs = [(a, b) for a in network.adapters for b in network.adapters if a != b]
        loads, _, missing = loads_of(network, tables_of(text_of(tables)), pairs)
        check(f"OpenSM {number}: busiest of the walk", (table["busiest_load"], missing), (max(loads.values()), 0))


def switch_name(network, device):
    return re.sub(r"^MF0;(.*?):.*$", r"\1", network.name[device])


def check_faults(program, folder, rounds=8):
    """What `machine show` says about missing cables and crossed rails. On a real cluster, the names of its switches
    give the answer; the program does not look at them. On a whole tree, cables are taken away."""
    network = Network(text_of(DGX))
    count = collections.Counter()
    for (device, _), (other, _) in network.cable.items():
        if device.startswith("S") and other.startswith("S") and "LEAF" in network.name[device]:
            count[switch_name(network, device), switch_name(network, other)] += 1
    named = {switch_name(network, device) for device in network.name if device.startswith("S")}
    pairs = {(a, b) for a in named for b in named if "LEAF" in a and "SPINE" in b}
    fabric = run(program, "machine", "show", DGX, "--json")["fabric"]
    check("dgx: pairs", fabric["leaf_spine_pairs"], len(pairs))
    check("dgx: uncabled", {(p["leaf"], p["spine"]) for p in fabric["uncabled_pairs"]}, pairs - set(count))
    check("dgx: thin", {(p["leaf"], p["spine"]) for p in fabric["thin_pairs"]}, {p for p in count if count[p] == 1})
    check("dgx: crossed", [host["host"] for host in fabric["crossed_hosts"]], ["b08-p1-dgx-08-c01"])
    rng = random.Random(1)
    whole = text_of(os.path.join(FOLDER, "ft64.ibnetdiscover.out.gz"))
    network = Network(whole)
    between = sorted((a, b) for a, b in network.cable.items() if a < b and a[0][0] == b[0][0] == "S")
    for number in range(rounds):
        lines, device, taken = [], None, rng.choice(between)
        for line in whole.splitlines():
            head = re.match(r'(?:Switch|Ca)\s+\d+\s+"([^"]+)"', line)
            port = re.match(r"\[(\d+)\]", line)
            device = head.group(1) if head else device
            if not (port and (device, int(port.group(1))) in taken):
                lines.append(line)
        file = os.path.join(folder, f"cut{number}.out")
        with open(file, "w") as cut:
            cut.write("\n".join(lines) + "\n")
        fabric = run(program, "machine", "show", file, "--json")["fabric"]
        found = [{p["leaf"], p["spine"]} for p in fabric["uncabled_pairs"]]
        check(f"ft64 without a cable, {number}", found, [{switch_name(network, end[0]) for end in taken}])


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        check_stored(program, folder)
        check_faults(program, folder)
        check_opensm(program, folder)
    print(f"networks: {passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
