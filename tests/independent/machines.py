#!/usr/bin/env python3
"""Checks what `topoloom machine` reads of machines against other readers.

    tests/independent/machines.py PROGRAM

hwloc's XML is counted here by regular expressions and by `lstopo` of hwloc itself (skipped with a message without
`lstopo`, and for format 3 if this `lstopo` cannot read it); Slurm's topologies and output of ibnetdiscover by regular
expressions. Uses nothing of Topoloom except the program's output.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.join(HERE, "..", "..", "crates", "topoloom-io", "tests", "machines")

# Kinds of objects as hwloc calls them.
PARTS = {"packages": "Package", "numa": "NUMANode", "cores": "Core", "threads": "PU"}


def json_of(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError("%s: %s" % (" ".join(command), done.stderr.strip()))
    return json.loads(done.stdout)


def text_of(path):
    with open(path) as file:
        return file.read()


def accelerators(text):
    """PCI devices that CUDA, NVML, ROCm or Level Zero know, counted from hwloc's XML."""
    root = xml.etree.ElementTree.fromstring(re.sub(r"<!DOCTYPE[^>]*>", "", text))
    known = re.compile(r"(cuda|nvml|rsmi|ze|opencl)\d")
    devices = [device for device in root.iter("object") if device.get("type") == "PCIDev"]
    names = [[inner.get("name", "") for inner in device.iter("object")] for device in devices]
    return sum(any(map(known.match, found)) for found in names)


def counted_in_xml(text):
    """The contents of hwloc's XML, by the words in it."""
    counts = {ours: len(re.findall('<object type="%s"' % theirs, text)) for ours, theirs in PARTS.items()}
    return {**counts, "gpus": accelerators(text)}


def counted_by_lstopo(path):
    """What hwloc itself finds in it; none if this hwloc does not read it."""
    counts = {}
    for ours, theirs in PARTS.items():
        command = ["hwloc-calc", "--if", "xml", "--input", path, "--number-of", theirs, "machine:0"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0 or not done.stdout.strip().isdigit():
            return None
        counts[ours] = int(done.stdout)
    return counts


def names_in(pattern):
    """The names that a[1-3,5],b stands for."""
    names = []
    for item in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", pattern):
        expanded = [""]
        for plain, ranges in re.findall(r"([^\[\]]+)|\[([^\]]*)\]", item):
            endings = [plain] if plain else []
            for part in ranges.split(",") if ranges else []:
                low, _, high = part.partition("-")
                endings += ["%0*d" % (len(low), n) for n in range(int(low), int(high or low) + 1)]
            expanded = [name + ending for name in expanded for ending in endings]
        names += expanded
    return names


def slurm(path):
    """Switches, cables and nodes of a topology.conf."""
    text = text_of(path)
    nodes, cables = set(), set()
    for line in re.sub(r"#.*", "", text).splitlines():
        switch = re.search(r"SwitchName=(\S+)", line)
        for value in re.findall(r"\bNodes=(\S+)", line):
            nodes.update(names_in(value))
        for value in re.findall(r"\bSwitches=(\S+)", line):
            cables.update(frozenset((switch.group(1), name)) for name in names_in(value))
    switches = len(re.findall(r"^\s*SwitchName=", text, re.MULTILINE))
    links = len(cables) + len(nodes) if switches else 0
    return {"hosts": len(nodes), "switches": switches, "links": links}


def ibnetdiscover(path):
    """Switches, cables and hosts that ibnetdiscover printed."""
    switches, hosts, cables, helpers = set(), {}, set(), set()
    at = None
    for line in text_of(path).splitlines():
        device = re.match(r'(Switch|Ca)\s+\d+\s+"([^"]+)"\s+#\s+"([^"]*)"', line)
        port = re.match(r'\[(\d+)\]\S*\s+"([^"]+)"\[(\d+)\]', line)
        if device:
            kind, at, description = device.groups()
            if kind == "Switch":
                switches.add(at)
            elif "Aggregation Node" in description:
                helpers.add(at)
            else:
                nameless = "ConnectX" in description or description.startswith("localhost ")
                hosts[at] = at if nameless else description.split()[0]
        elif port:
            cables.add(frozenset([(at, port.group(1)), (port.group(2), port.group(3))]))
    links = [cable for cable in cables if not any(end in helpers for end, _ in cable)]
    return {"hosts": len(set(hosts.values())), "switches": len(switches), "links": len(links)}


class Comparison:
    def __init__(self, program):
        self.program = program
        self.passed = self.failed = self.skipped = 0

    def compare(self, what, ours, theirs):
        wrong = {key: (ours.get(key), value) for key, value in theirs.items() if ours.get(key) != value}
        if wrong:
            self.failed += 1
            for key, (found, expected) in sorted(wrong.items()):
                print("FAILED %s: %s: ours %s, theirs %s" % (what, key, found, expected))
        else:
            self.passed += 1
            print("%s: %s" % (what, ", ".join("%s %d" % pair for pair in sorted(theirs.items()))))

    def skip(self, what):
        self.skipped += 1
        print("SKIPPED: " + what)

    def imported(self, path):
        return json_of([self.program, "machine", "import", path, "--json"])

    def hwloc(self, path, has_lstopo):
        name = os.path.basename(path)
        ours = self.imported(path)
        self.compare(name + " by its words", ours, counted_in_xml(text_of(path)))
        theirs = counted_by_lstopo(path) if has_lstopo else None
        if theirs:
            self.compare(name + " by hwloc", ours, theirs)
        else:
            self.skip("%s by hwloc (needs hwloc-calc that reads its format)" % name)

    def running_machine(self):
        """What lstopo shows of this machine. In some virtual machines it finds no packages."""
        lstopo = shutil.which("lstopo-no-graphics") or "lstopo"
        done = subprocess.run([lstopo, "--of", "xml", "-"], check=True, capture_output=True, text=True)
        theirs = counted_in_xml(done.stdout)
        theirs = {key: theirs[key] for key in PARTS if key != "packages" or theirs[key] > 0}
        self.compare("this machine by hwloc", json_of([self.program, "machine", "detect", "--json"]), theirs)


def main():
    comparison = Comparison(sys.argv[1])
    has_lstopo = bool(shutil.which("hwloc-calc") and shutil.which("lstopo"))
    for kind, endings, reader in [
        ("hwloc", ["*.xml"], None),
        ("slurm", ["*.txt", "*.conf"], slurm),
        ("ib", ["*.out"], ibnetdiscover),
    ]:
        paths = [path for ending in endings for path in glob.glob(os.path.join(SAMPLES, kind, ending))]
        assert paths, "the samples of %s are missing" % kind
        for path in sorted(paths):
            if reader:
                comparison.compare(os.path.basename(path), comparison.imported(path), reader(path))
            else:
                comparison.hwloc(path, has_lstopo)
    if has_lstopo:
        comparison.running_machine()
    else:
        comparison.skip("this machine by hwloc (needs lstopo: apt-get install hwloc)")
    counts = (comparison.passed, comparison.failed, comparison.skipped)
    print("%d comparisons passed, %d failed, %d skipped" % counts)
    return 1 if comparison.failed else 0


if __name__ == "__main__":
    sys.exit(main())
