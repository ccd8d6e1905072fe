#!/usr/bin/env python3
"""Checks what `topoloom generate` reads of recorded profiles against other readers.

    tests/independent/profiles.py PROGRAM

Open MPI's monitoring and SimGrid's traces are read here from scratch, OTF2 archives by `otf2-print` of OTF2
itself; without it they are skipped with a message. Uses nothing of Topoloom except the program's output.
"""
import collections
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "..", "crates", "topoloom-io", "tests", "data")


def read_by_program(program, sample, folder):
    """What the program finds: by pair, bytes and messages."""
    output = os.path.join(folder, "traffic.csv")
    subprocess.run([program, "generate", sample, "--output", output], check=True, capture_output=True)
    found = {}
    with open(output) as file:
        for line in file:
            if line[0].isdigit():
                sender, receiver, size, messages = line.split(",")
                found[int(sender), int(receiver)] = (int(size), int(messages))
    return found


def counted(messages):
    """By pair, bytes and messages of (from, to, bytes, messages)."""
    totals = collections.defaultdict(lambda: (0, 0))
    for sender, receiver, size, number in messages:
        so_far = totals[sender, receiver]
        totals[sender, receiver] = (so_far[0] + size, so_far[1] + number)
    return dict(totals)


def monitoring(folder):
    """The program's own messages of a folder of Open MPI's monitoring."""
    line_of_pair = re.compile(r"([ESR])\t(\d+)\t(\d+)\t(\d+) bytes\t(\d+) msgs sent")
    for name in glob.glob(os.path.join(folder, "*.prof")):
        with open(name) as file:
            for match in filter(None, map(line_of_pair.match, file)):
                kind = match.group(1)
                rank, partner, size, number = map(int, match.groups()[1:])
                yield (partner, rank, size, number) if kind == "R" else (rank, partner, size, number)


# Sizes of SimGrid's datatypes in the sample; a program's own types have no number.
SIZES = {-1: 1, 0: 8, 1: 4, 2: 1, 3: 2, 4: 8, 5: 4, 6: 1, 11: 4, 12: 8, 14: 16, 20: 8}


def time_independent(folder):
    """The messages of SimGrid's trace, except those of persistent requests."""
    for name in glob.glob(os.path.join(folder, "*_files", "*.txt")):
        with open(name) as file:
            for line in file:
                words = line.split()
                if words[1].lower() in ("send", "ssend", "isend", "issend") and int(words[2]) >= 0:
                    yield int(words[0]), int(words[2]), int(words[4]) * SIZES[int(words[5])], 1
                if words[1].lower() == "sendrecv" and int(words[3]) >= 0:
                    yield int(words[0]), int(words[3]), int(words[2]) * SIZES[int(words[6])], 1


def printed_by_otf2(anchor):
    """The messages that otf2-print shows, and the ranks of locations as it shows them."""
    text = subprocess.run(["otf2-print", anchor], check=True, capture_output=True, text=True).stdout
    definitions = subprocess.run(["otf2-print", "-G", anchor], check=True, capture_output=True, text=True).stdout
    members = re.search(r'Type: COMM_LOCATIONS, Paradigm: "?MPI"?[ ,].*Members: (.*)', definitions).group(1)
    rank_of = {location: rank for rank, location in enumerate(re.findall(r"<(\d+)>", members))}
    line_of_send = re.compile(r'MPI_I?SEND +(\d+) .*Receiver: \d+ \(".*" <(\d+)>\), Communicator: .*Length: (\d+)')
    for match in filter(None, map(line_of_send.match, text.splitlines())):
        yield rank_of[match.group(1)], rank_of[match.group(2)], int(match.group(3)), 1


def main():
    program = sys.argv[1]
    cases = [
        ("openmpi-monitoring-lu.S.16", "", monitoring),
        ("openmpi-monitoring-one-sided", "", monitoring),
        ("simgrid-ti", "", time_independent),
    ]
    archives = [os.path.relpath(anchor, DATA) for anchor in sorted(glob.glob(os.path.join(DATA, "*", "*.otf2")))]
    assert archives, "the samples of OTF2 are missing"
    if shutil.which("otf2-print"):
        cases += [(os.path.dirname(archive), os.path.basename(archive), printed_by_otf2) for archive in archives]
    else:
        print("SKIPPED: %d archives of OTF2 (needs otf2-print: apt-get install otf2-tools)" % len(archives))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for sample, file, reader in cases:
            path = os.path.join(DATA, sample, file)
            ours, theirs = read_by_program(program, path, folder), counted(reader(path))
            if ours == theirs and theirs:
                print("%s: %d pairs agree" % (sample, len(theirs)))
            else:
                failed += 1
                pairs = [pair for pair in sorted({*ours, *theirs}) if ours.get(pair) != theirs.get(pair)]
                for pair in pairs[:20]:
                    print("FAILED", sample, pair, "ours", ours.get(pair), "theirs", theirs.get(pair))
    print("%d profiles passed, %d failed" % (len(cases) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
