#!/usr/bin/env python3
"""Checks what `topoloom arrange platform` reads and writes of platforms against SimGrid itself.

    tests/independent/platforms.py PROGRAM [PLATFORM.xml ...]

A small program, simgrid_routes.cpp, asks SimGrid for the hosts of a platform, their speeds, and the
links between every two of them. The checks cover XML that Topoloom writes of its examples and of platforms made up
here, platforms of SimGrid written by hand, XML made up here, and the files named after PROGRAM (such as those in
SimGrid's own sources). Links are compared, not simulated times, because SimGrid's models apply their own factors to
times. Without SimGrid (Debian: libsimgrid-dev) and a compiler for C++, all of it is skipped with a message.
"""
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

from xml.sax.saxutils import quoteattr

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
SAMPLES = os.path.join(ROOT, "crates", "topoloom-io", "tests", "data", "platforms")
EXAMPLES = ["thesis-3.3", "thesis-3.9", "thesis-3.11", "thesis-4.1", "grisou", "grid5000-sites"]
MADE_UP = 40

# Adding the same latencies in another order may change the last digits.
CLOSE = 1e-9


def compiled(folder):
    """The program that asks SimGrid, or none where it cannot be built."""
    program = os.path.join(folder, "simgrid_routes")
    command = ["g++", "-O1", "-o", program, os.path.join(HERE, "simgrid_routes.cpp"), "-lsimgrid"]
    if shutil.which("g++") is None:
        return None
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        if "simgrid" in done.stderr and ("No such file" in done.stderr or "cannot find" in done.stderr):
            return None
        raise SystemExit(done.stderr)
    return program


class SimGrid:
    """A platform as SimGrid reads it."""

    def __init__(self, asker, path):
        command = [asker, path, "--cfg=network/model:CM02", "--log=root.threshold:error"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError("SimGrid refuses %s:\n%s" % (path, done.stderr.strip()))
        self.speeds, self.routes, names = {}, {}, []
        for line in done.stdout.splitlines():
            kind, *fields = line.split("\t")
            if kind == "host":
                names.append(fields[0])
                self.speeds[fields[0]] = float(fields[1])
            else:
                pair = (names[int(fields[0])], names[int(fields[1])])
                self.routes[pair] = (float(fields[2]), float(fields[3]))


def json_of(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError("%s: %s" % (" ".join(command), done.stderr.strip()))
    return json.loads(done.stdout)


def close(one, other):
    return abs(one - other) <= CLOSE * max(abs(one), abs(other)) + 1e-18


def compare(what, ours, theirs):
    """Every host and every pair of clusters: the worst route between their hosts counts."""
    hosts = {host for cluster in ours["clusters"] for host in cluster["hosts"]}
    assert hosts == set(theirs.speeds), "%s: different hosts: %s" % (what, hosts ^ set(theirs.speeds))
    for cluster in ours["clusters"]:
        for host, speed in zip(cluster["hosts"], cluster["speeds"]):
            assert close(speed, theirs.speeds[host]), "%s: speed of %s" % (what, host)
    unit = ours["unit_bytes_per_second"]
    for row, source in enumerate(ours["clusters"]):
        for column, target in enumerate(ours["clusters"]):
            pairs = [(a, b) for a in source["hosts"] for b in target["hosts"] if a != b]
            if not pairs:
                continue
            bandwidth = min(theirs.routes[pair][0] for pair in pairs)
            latency = max(theirs.routes[pair][1] for pair in pairs)
            table = ours["latency_seconds"]
            found = (ours["bandwidth"][row][column] * unit, table[row][column] if table else 0.0)
            same = close(found[0], bandwidth) and close(found[1], latency)
            assert same, "%s: %s to %s: %s, but SimGrid has %s" % (
                what, source["name"], target["name"], found, (bandwidth, latency))


def written_for_simgrid(program, asker, folder, name):
    """SimGrid sees the written platform as the one that was read, and Topoloom reads it as SimGrid does."""
    path = os.path.join(folder, "written.xml")
    ours = json_of([program, "arrange", "platform", name, "--json", "--output", path])
    theirs = SimGrid(asker, path)
    compare("%s, written" % name, ours, theirs)
    compare("%s, read again" % name, json_of([program, "arrange", "platform", path, "--json"]), theirs)


def made_up_toml(random):
    """A platform: tables that differ each way, odd names, units and speeds."""
    count = random.randint(1, 6)
    text = 'name = "made up"\nunit = "%s"\n' % random.choice(["B/s", "kB/s", "MB/s", "GB/s", "Gbit/s", "MiB/s"])
    sizes = [random.choice([1, 1, 2, 3, 5, 8]) for _ in range(count)]
    groups = random.random() < 0.3
    for cluster, size in enumerate(sizes):
        text += '[[cluster]]\nname = %s\n' % json.dumps(random.choice(["c%d", "C %d", "<&'%d>"]) % cluster)
        if groups:
            text += 'groups = ["site & %d"]\n' % random.randint(0, 1)
        hosts = random.randint(0, 2)
        if hosts == 0:
            text += "nodes = %d\n" % size
        elif hosts == 1:
            text += 'hosts = "n%d-[%d-%d].x"\n' % (cluster, 9, 9 + size - 1)
        else:
            text += 'hosts = "m%d-[%03d-%03d]"\n' % (cluster, 1, size)
        if random.random() < 0.5:
            text += "speed = %r\n" % random.uniform(0.1, 50.0)
        else:
            text += "speeds = %r\n" % [random.uniform(0.1, 50.0) for _ in range(size)]
    table = [[random.uniform(1.0, 1000.0) for _ in range(count)] for _ in range(count)]
    latency = [[random.choice([0.0, random.uniform(1e-7, 1e-4)]) for _ in range(count)] for _ in range(count)]
    # Routes between clusters take the links of hosts at both ends.
    for row in range(count):
        for column in range(count):
            if row != column:
                latency[row][column] += (latency[row][row] + latency[column][column]) / 2
    if random.random() < 0.3:
        for row in range(count):
            for column in range(row):
                table[row][column], latency[row][column] = table[column][row], latency[column][row]
    text += "[bandwidth]\nmatrix = %r\n" % table
    kind = random.randint(0, 2)
    if kind == 1:
        text += "latency = %r\n" % random.choice([0.0, 2.5e-6])
    elif kind == 2:
        text += "latency = %r\n" % latency
    return text


class MadeUpXml:
    """Zones in zones, with every kind of routing that is read and gateways wherever they may be."""

    def __init__(self, random):
        self.random, self.ids, self.lines = random, 0, []
        self.lines.append("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">")
        self.lines.append('<platform version="4.1">')
        self.zone(0)
        self.lines.append("</platform>")

    def text(self):
        return "\n".join(self.lines) + "\n"

    def name(self, kind):
        self.ids += 1
        return "%s%d" % (kind, self.ids)

    def add(self, tag, inside=None, **attributes):
        words = "".join(" %s=%s" % (key, quoteattr(str(value))) for key, value in attributes.items())
        self.lines.append("<%s%s/>" % (tag, words) if inside is None else "<%s%s>%s</%s>" % (tag, words, inside, tag))

    def bandwidth(self):
        return "%.3f%s" % (self.random.uniform(1, 900), self.random.choice(["MBps", "kBps", "Mbps", "MiBps", "e5"]))

    def latency(self):
        return "%.3f%s" % (self.random.uniform(0, 900), self.random.choice(["us", "ns", "ms", "e-6"]))

    def speed(self):
        return "%.3f%s" % (self.random.uniform(1, 90), self.random.choice(["Gf", "Mf", "e6", "kf"]))

    def policy(self):
        return self.random.choice(["SHARED", "SPLITDUPLEX", "FATPIPE"])

    def link(self):
        """A link, and how routes name it."""
        name, policy = self.name("l"), self.policy()
        self.add("link", id=name, bandwidth=self.bandwidth(), latency=self.latency(), sharing_policy=policy)
        return name, policy

    def contents(self, links):
        text = ""
        for name, policy in links:
            way = ' direction="%s"' % self.random.choice(["UP", "DOWN"]) if policy == "SPLITDUPLEX" else ""
            text += '<link_ctn id="%s"%s/>' % (name, way)
        return text

    def zone(self, depth):
        """A zone; its name and the points in it that may be gateways."""
        if depth >= 3 or (depth > 0 and self.random.random() < 0.6):
            return self.random.choice([self.cluster, self.star, self.hosts])()
        return self.zones(depth)

    def cluster(self):
        name, prefix, suffix = self.name("z"), self.name("p") + "-", self.random.choice(["", ".org"])
        ranges = self.random.choice(["0-0", "1-3", "0-1,4", "7,5,9-10"])
        attributes = dict(id=name, prefix=prefix, suffix=suffix, radical=ranges, speed=self.speed(),
                          bw=self.bandwidth(), lat=self.latency())
        if self.random.random() < 0.5:
            attributes.update(bb_bw=self.bandwidth(), bb_lat=self.latency())
            if self.random.random() < 0.5:
                attributes.update(bb_sharing_policy=self.random.choice(["SHARED", "FATPIPE"]))
        if self.random.random() < 0.3:
            attributes.update(limiter_link=self.bandwidth())
        if self.random.random() < 0.3:
            attributes.update(loopback_bw=self.bandwidth(), loopback_lat=self.latency())
        if self.random.random() < 0.5:
            attributes.update(sharing_policy=self.policy())
        if self.random.random() < 0.3:
            attributes.update(core=self.random.randint(1, 8))
        router = "%s%s_router%s" % (prefix, name, suffix)
        if self.random.random() < 0.3:
            router = self.name("r")
            attributes.update(router_id=router)
        self.add("cluster", **attributes)
        return name, [router]

    def new_hosts(self):
        hosts = [self.name("h") for _ in range(self.random.randint(1, 4))]
        for host in hosts:
            self.add("host", id=host, speed=self.speed(), core=self.random.randint(1, 3))
        return hosts

    def star(self):
        name = self.name("z")
        self.lines.append('<zone id="%s" routing="Cluster">' % name)
        hosts, router = self.new_hosts(), self.name("r")
        self.add("router", id=router)
        links = [self.link() for _ in hosts]
        for at, host in enumerate(hosts):
            # Now and then one link for several hosts.
            link, policy = links[at] if self.random.random() < 0.8 else self.random.choice(links)
            split = policy == "SPLITDUPLEX"
            self.add("host_link", id=host, up=link + "_UP" * split, down=link + "_DOWN" * split)
        if self.random.random() < 0.5:
            self.add("backbone", id=self.name("b"), bandwidth=self.bandwidth(), latency=self.latency())
        self.lines.append("</zone>")
        return name, [router]

    def hosts(self):
        """Hosts and routers with their own routes."""
        name = self.name("z")
        routing = self.random.choice(["Full", "Floyd", "Dijkstra", "DijkstraCache"])
        self.lines.append('<zone id="%s" routing="%s">' % (name, routing))
        points = self.new_hosts()
        routers = [self.name("r") for _ in range(self.random.randint(0, 2))]
        for router in routers:
            self.add("router", id=router)
        points += routers
        links = [self.link() for _ in range(len(points) + 2)]
        self.lines.extend(self.routes("route", [(point, [point]) for point in points], links, routing))
        self.lines.append("</zone>")
        return name, points

    def zones(self, depth):
        name = self.name("z")
        # Not Dijkstra: SimGrid 3.32 crashes where routes between zones meet at different gateways.
        routing = self.random.choice(["Full", "Floyd"])
        self.lines.append('<zone id="%s" routing="%s">' % (name, routing))
        inner = [self.zone(depth + 1) for _ in range(self.random.randint(2, 4))]
        links = [self.link() for _ in range(len(inner) + 2)]
        self.lines.extend(self.routes("zoneRoute", inner, links, routing))
        self.lines.append("</zone>")
        return name, [point for _, points in inner for point in points]

    def routes(self, tag, ends, links, routing):
        """Routes between all pairs, or along a line where the routing finds its way."""
        pairs = [(a, b) for a in range(len(ends)) for b in range(a)]
        if routing != "Full":
            # A line has only one way, because nothing says which of several equally short ways is taken.
            pairs = [(a, b) for a, b in pairs if a == b + 1]
        for a, b in pairs:
            both = self.random.random() < 0.5
            for source, target in [(a, b)] if both else [(a, b), (b, a)]:
                words = dict(src=ends[source][0], dst=ends[target][0], symmetrical="YES" if both else "NO")
                if tag == "zoneRoute":
                    words.update(gw_src=self.random.choice(ends[source][1]), gw_dst=self.random.choice(ends[target][1]))
                chosen = self.random.sample(links, self.random.randint(1, 3))
                words = "".join(' %s="%s"' % item for item in words.items())
                yield "<%s%s>%s</%s>" % (tag, words, self.contents(chosen), tag)


def as_simgrid_has_it_now(path, folder):
    """The file, or a copy of it in today's names where it is of version 3."""
    with open(path) as file:
        text = file.read()
    if 'version="3"' not in text:
        return path
    if shutil.which("simgrid_update_xml") is None:
        print("SKIPPED: %s (needs simgrid_update_xml)" % os.path.basename(path))
        return None
    copy = os.path.join(folder, os.path.basename(path))
    shutil.copy(path, copy)
    subprocess.run(["simgrid_update_xml", copy], capture_output=True, check=True)
    return copy


def main(program, files):
    with tempfile.TemporaryDirectory() as folder:
        asker = compiled(folder)
        if asker is None:
            print("SKIPPED: platforms against SimGrid (needs libsimgrid-dev and g++)")
            return
        for name in EXAMPLES:
            written_for_simgrid(program, asker, folder, "example:" + name)
        print("platforms: %d examples are to SimGrid what they are to us" % len(EXAMPLES))
        for seed in range(MADE_UP):
            path = os.path.join(folder, "made-up-%d.toml" % seed)
            with open(path, "w") as file:
                file.write(made_up_toml(random.Random(seed)))
            written_for_simgrid(program, asker, folder, path)
        print("platforms: %d made up in TOML are to SimGrid what they are to us" % MADE_UP)
        written = glob.glob(os.path.join(SAMPLES, "*.xml")) + glob.glob(os.path.join(ROOT, "examples", "platforms", "*.xml"))
        for path in sorted(written) + files:
            theirs = as_simgrid_has_it_now(path, folder)
            if theirs is not None:
                ours = json_of([program, "arrange", "platform", path, "--json"])
                compare(path, ours, SimGrid(asker, theirs))
        print("platforms: %d files of SimGrid are read as SimGrid reads them" % len(written + files))
        for seed in range(MADE_UP * 5):
            path = os.path.join(folder, "made-up-%d.xml" % seed)
            with open(path, "w") as file:
                file.write(MadeUpXml(random.Random(seed)).text())
            compare(path, json_of([program, "arrange", "platform", path, "--json"]), SimGrid(asker, path))
        print("platforms: %d made up in XML are read as SimGrid reads them" % (MADE_UP * 5))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(sys.argv[1], sys.argv[2:])
