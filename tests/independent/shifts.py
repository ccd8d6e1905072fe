#!/usr/bin/env python3
"""Shifts on networks with forwarding tables, timed by SimGrid and by `topoloom simulate`.

    tests/independent/shifts.py PROGRAM

Every host sends to the host s places after it. `machine export` writes the platform of a network with the tables of
one of OpenSM's engines, `apply` the host file, and shift.c runs under smpirun. Its time has to be the one that SimGrid
gave for a platform of the same routes that was made without Topoloom (networks/simgrid-shifts.json): the busiest link's
messages x 1,000 us. `simulate` has to give the same time. Machines of every other kind are exported too, and a shift takes as long
under SimGrid as in `simulate`. Without SimGrid (Debian: libsimgrid-dev), all of it is skipped with a message.
"""
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "networks")
# The cables are 4xHDR, 25 GB/s, and one message should take 1,000 us.
BYTES = 25_000_000
CLOSE = 0.01
TABLES = {"ft8": {"ftree": "ftree.lfts.dump", "minhop": "minhop.lfts.dump"},
          "ft64": {engine: f"{engine}.dump_fts-n.out" for engine in ("minhop", "ftree", "dfsssp")}}
# Machine, routing, ranks: links of every kind, several ranks on a node, parallel links, drawn paths, hosts with parts.
OTHERS = [("torus:4x4x2", None, 32), ("torus:2x2,double-links,slots=2", None, 8), ("mesh:3x5", "minimal-adaptive", 15),
          ("hypercube:4", None, 16), ("haec:2x2x2", None, 8), ("fat-tree:k=4", "d-mod-k", 16), ("fat-tree:k=4", None, 16),
          ("dragonfly:groups=5,routers=4,nodes=2", None, 40)]
passed = failed = 0


def check(name, found, expected):
    global passed, failed
    if abs(found - expected) <= CLOSE * expected:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {name}: found {found:.3f} us, expected {expected:.3f} us")


def called(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def unpacked(folder, name):
    path = os.path.join(folder, name)
    with gzip.open(os.path.join(FOLDER, name + ".gz")) as packed, open(path, "wb") as out:
        out.write(packed.read())
    return path


class Job:
    """Ranks in order on a machine, as SimGrid and as Topoloom sees it."""

    def __init__(self, program, shift, folder, machine, routing, ranks, options):
        self.program, self.shift, self.folder, self.ranks, self.options = program, shift, folder, ranks, options
        self.machine = ["--machine", machine, *(["--routing", routing] if routing else [])]
        self.platform, self.hosts, self.mapping = (os.path.join(folder, name) for name in ("platform.xml", "hosts", "mapping.json"))
        called([program, "machine", "export", machine, "--format", "simgrid", "--output", self.platform, *self.machine[2:]])
        called([program, "map", "--traffic", f"ring:{ranks}", *self.machine, "--strategy", "in-order", "--output", self.mapping])
        called([program, "apply", "--mapping", self.mapping, "--format", "smpi-hostfile", "--output", self.hosts])

    def simgrid(self, size, shift):
        settings = [f"--cfg={option}" for option in self.options]
        text = called(["smpirun", "-np", str(self.ranks), "-platform", self.platform, "-hostfile", self.hosts, *settings,
                       "--log=root.thres:warning", self.shift, str(size), str(shift)])
        return float(text.split("microseconds ")[1].split()[0])

    def flow(self, size, shift):
        traffic = os.path.join(self.folder, "shift.csv")
        with open(traffic, "w") as file:
            file.writelines(f"{rank},{(rank + shift) % self.ranks},{size}\n" for rank in range(self.ranks))
        text = called([self.program, "simulate", "--traffic", traffic, "--replay", "burst", *self.machine, "--mapping", self.mapping,
                       "--model", "flow:sharing=latency", "--json"])
        return 1e6 * json.loads(text)["seconds"]


def main():
    if not shutil.which("smpirun") or not shutil.which("smpicc"):
        print("== SKIPPED: shifts under SimGrid (needs smpirun and smpicc of libsimgrid-dev)")
        return
    program = os.path.abspath(sys.argv[1])
    with open(os.path.join(FOLDER, "simgrid-shifts.json")) as file:
        expected = json.load(file)
    options = expected["options"]
    with tempfile.TemporaryDirectory() as folder:
        shift = os.path.join(folder, "shift")
        called(["smpicc", "-O1", "-o", shift, os.path.join(HERE, "shift.c")])
        for network, engines in TABLES.items():
            cables = unpacked(folder, f"{network}.ibnetdiscover.out")
            for engine, tables in engines.items():
                machine = os.path.join(folder, f"{network}.{engine}.json")
                ranks = int(network[2:])
                called([program, "machine", "import", cables, unpacked(folder, f"{network}.{tables}"), "--place", "node",
                        "--hosts", f"n[001-{ranks:03}]", "--output", machine])
                job = Job(program, shift, folder, machine, None, ranks, options)
                for distance, microseconds in expected[network][engine].items():
                    name = f"{network}, {engine}, shift by {distance}"
                    check(f"{name}, SimGrid", job.simgrid(BYTES, distance), microseconds)
                    check(f"{name}, simulate", job.flow(BYTES, int(distance)), microseconds)
        # Four ranks per host share its adapter: four messages leave one host at once.
        machine = os.path.join(folder, "shared.json")
        called([program, "machine", "import", os.path.join(folder, "ft8.ibnetdiscover.out"),
                os.path.join(folder, "ft8.ftree.lfts.dump"), "--slots", "4", "--output", machine])
        job = Job(program, shift, folder, machine, None, 32, options)
        check("four ranks per host, shift by 4, SimGrid", job.simgrid(BYTES, 4), 4000)
        check("four ranks per host, shift by 4, simulate", job.flow(BYTES, 4), 4000)
        for machine, routing, ranks in OTHERS:
            job = Job(program, shift, folder, machine, routing, ranks, options)
            for size in (1_000_000, 10_000_000):
                name = f"{machine} {routing or ''}, shift by half of the ranks, {size} bytes"
                found, expected_here = job.simgrid(size, ranks // 2), job.flow(size, ranks // 2)
                # Where paths are drawn, a link may carry more messages than with an even spread, but not fewer.
                is_drawn = routing == "minimal-adaptive" or (machine.startswith("fat-tree") and routing is None)
                check(name, found, max(found, expected_here) if is_drawn else expected_here)
    print(f"shifts: {passed} checks passed, {failed} failed")
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
