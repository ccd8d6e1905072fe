#!/usr/bin/env python3
"""Runs programs with the recorder preloaded under valgrind's memcheck, and looks for faults of the recorder.

    tests/mpi/memcheck.py target/release/topoloom

MPI libraries have their own faults and leaks. A fault belongs to the code of its innermost frame outside the C library
and valgrind. Exit code 1 if that is the recorder's code.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import flavours
from context import end_session

TIMEOUT = 300
RECORDER = "recorder.so"
# Libraries whose functions all others call: allocation, copying, the system.
PASSED = re.compile(r"/(vgpreload_[^/]*|libc[.-][^/]*|ld-[^/]*|libpthread[^/]*|libdl[^/]*)$")
# Both kinds of messages, requests, and all that is recorded.
PROGRAMS = (("blocking.c", 4), ("nonblocking.c", 4))
LIBRARIES = ("debian-openmpi", "debian-mpich")
VALGRIND = [
    "valgrind", "--quiet", "--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite",
    "--num-callers=30", "--xml=yes"]


def faults(report):
    """The errors of a report that are the recorder's, each in a line."""
    found = []
    for error in ElementTree.fromstring(report).iter("error"):
        frames = [frame.findtext("obj") or "" for frame in error.find("stack").iter("frame")]
        own = [frame for frame in frames if not PASSED.search(frame)]
        if own and own[0].endswith(RECORDER):
            what = error.findtext("what") or error.findtext("xwhat/text") or ""
            places = (f'{frame.findtext("fn") or frame.findtext("ip")}' for frame in error.find("stack").iter("frame"))
            found.append(f"{error.findtext('kind')}: {what}: " + " < ".join(list(places)[:8]))
    return found


def check_the_judge():
    """Distinguishes a leak of the recorder from a leak of the library that it calls."""
    def report(*objects):
        frames = "".join(f"<frame><ip>0x1</ip><obj>{name}</obj></frame>" for name in objects)
        return f"<v><error><kind>Leak_DefinitelyLost</kind><what>lost</what><stack>{frames}</stack></error></v>"

    allocator, libc = "/usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so", "/lib/x86_64-linux-gnu/libc.so.6"
    recorder, mpi = "/x/.topoloom-record-1/recorder.so", "/lib/libmpich.so.12"
    assert faults(report(allocator, libc, recorder, "/x/app"))
    assert not faults(report(allocator, mpi, recorder, "/x/app"))
    assert not faults(report(allocator, "/x/app"))


def run(binary, flavour, source, ranks, folder):
    program = flavour.build(flavours.HERE / "programs" / source)
    script = folder / "under_valgrind.sh"
    script.write_text(f'#!/bin/sh\nexec {" ".join(VALGRIND)} --xml-file={folder}/%p.xml "$@"\n')
    script.chmod(0o755)
    command = [
        binary, "record", "--trace", "--times", "--output", str(folder / "x.rec"), "--",
        flavour.mpirun, "-n", str(ranks), str(script), *program]
    with open(folder / "log", "wb") as output:
        process = subprocess.Popen(
            command, env=flavour.environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True)
        try:
            code = process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            end_session(process)
            return [f"did not end within {TIMEOUT} seconds"]
    text = (folder / "log").read_text(errors="replace")
    reports = sorted(folder.glob("*.xml"))
    if code or "done" not in text or len(reports) != ranks:
        return [f"exit code {code}, {len(reports)} reports: {text[-800:]}"]
    return [f"{path.name}: {fault}" for path in reports for fault in faults(path.read_text(errors="replace"))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="the topoloom to test")
    parser.add_argument("--mpi", metavar="NAME", action="append", help="only this library (may be repeated)")
    options = parser.parse_args()
    check_the_judge()
    passed = failed = 0
    for name in options.mpi or LIBRARIES:
        try:
            flavour = flavours.prepare(name, flavours.ROOT / "target" / "mpi")
        except flavours.Missing as reason:
            print(f"== SKIPPED: memory of the recorder with {name}: {reason}", flush=True)
            continue
        for source, ranks in PROGRAMS:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="topoloom-memcheck-"))
            # Each program is compiled when its turn comes.
            found = run(str(pathlib.Path(options.binary).resolve()), flavour, source, ranks, folder)
            shutil.rmtree(folder, ignore_errors=True)
            passed, failed = passed + (not found), failed + bool(found)
            for line in found:
                print(f"FAILED {source} with {name}: {line}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
