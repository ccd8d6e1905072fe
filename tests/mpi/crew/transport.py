#!/usr/bin/env python3
"""Runs the example `ring` of `topoloom-mpi` under every MPI library that is here, and checks what it says.

    cargo build -p topoloom-mpi --examples
    tests/mpi/crew/transport.py target/debug/examples/ring
    tests/mpi/crew/transport.py target/debug/examples/ring --mpi mpich-5.0.2 --only two_hosts

The program checks what it receives. Exit code 1 if anything failed. What cannot run here is skipped by name.
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "order")]

import flavours
import hosts
import verify
from job import Job

# The share of a CPU, in percent, that all idle processes together may use. Processes that poll without a pause use all of the
# cores, however many they are. A limit for each process would depend on what else the machine does.
MOST_WHILE_IDLE = 100
# What the example exits with if it cannot join, and if an operation fails.
CANNOT_JOIN, FAILS = 3, 4
PANICS = 101


def alone(ring):
    """One process joins nothing."""
    done = ring.run(1)
    return expect(done, done.code == 0 and done.lines == ["alone"])


def everything(ring, ranks, launch=None, nodes=1):
    """Messages, bytes for all, shared memory, and almost no work while idle."""
    done = ring.run(ranks, launch=launch)
    finished = set(re.findall(r"^process (\d+) of \d+ has finished$", done.out, re.MULTILINE))
    copies = re.findall(r"^one copy for the node of process (\d+) (?:r--s \S+ \d+|private)$", done.out, re.MULTILINE)
    idle = [float(share) for share in re.findall(r"idle: ([\d.]+) %", done.out)]
    found = expect(done, done.code == 0 and len(finished) == ranks)
    if len(copies) != 2 * nodes:
        found.append(f"{len(copies)} copies of two shared blocks on {nodes} nodes")
    if len(idle) != ranks or sum(idle) > MOST_WHILE_IDLE:
        found.append(f"while idle: {idle} % of a CPU")
    ring.note(f"{ranks} processes, {nodes} nodes: " + ", ".join(speeds(done.out)) + f", idle {max(idle, default=0)} %")
    return found


def speeds(text):
    """What was measured. Nothing is judged: other programs share the cores."""
    large = re.findall(r"ring of 40000000 bytes: right, ([\d.]+ MB/s)", text)
    small = re.findall(r"everybody to everybody: right, ([\d.]+ s)", text)
    return [*large, *(f"all to all {seconds}" for seconds in small)]


def two(ring):
    return everything(ring, 2)


def three(ring):
    return everything(ring, 3)


def eight(ring):
    return everything(ring, 8)


def two_hosts(ring):
    """This machine under two names. MPICH of PyPI then takes libfabric's "sockets", which is the hardest case."""
    ring.environment.update(verify.SEVERAL_HOSTS)
    return everything(ring, 4, launch=hosts.launch(ring.job(4, []), 4), nodes=2)


def apart(ring):
    """Each process has its own /dev/shm, as in separate containers: nothing can be shared."""
    if not ring.flavour.is_open_mpi:
        raise flavours.Missing("MPICH itself needs files that its processes share")
    apart = ["unshare", "--mount", "sh", "-c", "mount -t tmpfs none /dev/shm && exec \"$@\"", "sh"]
    if subprocess.run([*apart, "true"], capture_output=True).returncode:
        raise flavours.Missing("no right to mount")
    ring.environment["OMPI_MCA_btl"] = "self,tcp"
    done = ring.run(3, program=[*apart, ring.program, "apart"])
    return expect(done, done.code == 0 and done.out.count("has finished") == 3)


def long(ring):
    """A message of more than 2 GiB."""
    done = ring.run(2, "long")
    return expect(done, done.code == 0 and "bytes at once: right" in done.out)


def abort(ring):
    done = ring.run(3, "abort")
    return expect(done, done.code == 7 and "finished" not in done.out)


def leave(ring):
    """No process waits forever for one that has dropped its office."""
    done = ring.run(3, "leave")
    seen = re.findall(r"^(\d) sees: process 1 left the job before its end$", done.out, re.MULTILINE)
    return expect(done, done.code not in (0, None) and sorted(seen) == ["0", "2"])


def panic(ring):
    done = ring.run(3, "panic")
    found = expect(done, done.code == PANICS and "as wanted" in done.err + done.out)
    if found and done.code == PANICS:
        # On a busy machine MPICH's launcher may end before it has read what the ranks have said.
        done = ring.run(3, "panic")
        found = expect(done, done.code == PANICS and "as wanted" in done.err + done.out)
    return found


def late(ring):
    """Nothing of what is sent after the end stays in the library, which would complain."""
    done = ring.run(4, "late")
    return expect(done, done.code == 0 and done.out.count("has finished") == 4 and not done.err)


def script(ring):
    """With a script between the launcher and the program, the user has to say what is wanted."""
    program = ["sh", "-c", f"{ring.program}; exit $?"]
    done = ring.run(2, program=program)
    found = expect(done, done.code == CANNOT_JOIN and "sh started it" in done.err and "TOPOLOOM_MPI=on" in done.err)
    ring.environment["TOPOLOOM_MPI"] = "on"
    done = ring.run(2, program=program)
    found += expect(done, done.code == 0 and done.out.count("has finished") == 2)
    ring.environment["TOPOLOOM_MPI"] = "off"
    done = ring.run(2, program=program)
    return found + expect(done, done.code == 0 and done.lines == ["alone"] * 2)


def inside(ring):
    """An MPI program starts it: that program is the rank."""
    if ring.flavour.python is None:
        raise flavours.Missing(ring.flavour.no_python)
    code = (
        "import subprocess, sys; from mpi4py import MPI; MPI.COMM_WORLD.Barrier();"
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE); MPI.COMM_WORLD.Barrier();"
        "sys.stdout.buffer.write(done.stdout)")
    done = ring.run(2, program=[ring.flavour.python, "-c", code, ring.program])
    return expect(done, done.code == 0 and done.lines == ["alone"] * 2)


def no_library(ring):
    ring.environment["TOPOLOOM_MPI_LIBRARY"] = "/nowhere/libmpi.so"
    done = ring.run(2)
    wanted = ("2 processes", "/nowhere/libmpi.so", "TOPOLOOM_MPI_LIBRARY")
    return expect(done, done.code == CANNOT_JOIN and all(words in done.err for words in wanted))


def other_library(ring):
    """The library of another launcher finds one process."""
    name = "libmpich.so.12" if ring.flavour.is_open_mpi else "libmpi.so.40"
    listed = flavours.run(["/sbin/ldconfig", "-p"])
    if name not in listed:
        raise flavours.Missing(f"{name} is not there")
    ring.environment["TOPOLOOM_MPI_LIBRARY"] = name
    done = ring.run(2)
    return expect(done, done.code == CANNOT_JOIN and "1 process in the job" in done.err)


CASES = {
    case.__name__: case
    for case in (
        alone, two, three, eight, two_hosts, apart, abort, leave, panic, late, script, inside, no_library, other_library, long)}
# Takes seven gigabytes of memory.
EXTRA = {"long"}


def expect(done, is_right):
    return [] if is_right else done.told()


class Ring:
    """The program with one library."""

    def __init__(self, flavour, program, folder):
        self.flavour, self.program, self.folder = flavour, program, folder
        self.environment = {"RUST_BACKTRACE": "0"}
        if flavour.name.endswith("-abi"):
            library = pathlib.Path(flavour.mpirun).parent.parent / "lib" / "libmpi_abi.so.1"
            self.environment["TOPOLOOM_MPI_LIBRARY"] = str(library)

    def job(self, ranks, program):
        return Job("ring", self.flavour, "", self.folder, program, ranks)

    def run(self, ranks, *words, program=None, launch=None):
        job = self.job(ranks, list(program or [self.program, *words]))
        # The program has to find the library by itself. Python's mpi4py cannot.
        hide = [] if program else ["env", "-u", "LD_LIBRARY_PATH"]
        return job.run([*hide, *(launch + job.program if launch else job.mpirun())], environment=self.environment)

    def note(self, text):
        print(f"    {self.flavour.name}: {text}", flush=True)


def run_case(case, flavour, program, folder):
    """Runs it, and once more if the launcher is known to hang or crash now and then by itself."""
    for is_last in (not flavour.is_shaky, True):
        try:
            found = case(Ring(flavour, program, folder))
        except flavours.Missing as reason:
            return "skipped", [str(reason)]
        if not found or is_last:
            return ("failed" if found else "ok"), found
        print(f"tried again: {case.__name__} with {flavour.name}, after: {found[0]}", flush=True)


def prepared(name):
    """The library, or None if it is not here."""
    try:
        return flavours.prepare(name, flavours.ROOT / "target" / "mpi")
    except (flavours.Missing, subprocess.TimeoutExpired) as reason:
        print(f"== SKIPPED: {name}: {reason}", flush=True)
        return None


def run_flavour(flavour, program, cases):
    """Runs the cases with one library. Returns how each ended."""
    if flavour is None:
        return ["skipped"]
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="topoloom-crew-") as folder:
        for case in cases:
            outcome, why = run_case(CASES[case], flavour, program, pathlib.Path(folder))
            outcomes.append(outcome)
            print(f"{outcome:8}{flavour.name:18}{case}" + "".join(f"\n      {line}" for line in why), flush=True)
    return outcomes


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the example ring")
    parser.add_argument("--only", metavar="NAME", action="append", choices=CASES, help="only this case (repeatable)")
    parser.add_argument(
        "--mpi", metavar="NAME", action="append", choices=flavours.FLAVOURS, help="only this library (repeatable)")
    parser.add_argument(
        "--turns", action="store_true", help="each case with an Open MPI and one of the others, in turn")
    return parser.parse_args()


def main():
    options = arguments()
    program = str(pathlib.Path(options.program).resolve())
    started = time.monotonic()
    names = options.mpi or [name for name in flavours.FLAVOURS if name not in flavours.EXTRA]
    cases = options.only or [case for case in CASES if case not in EXTRA]
    # Some libraries are two names for one installation, so they are prepared one after the other. Launchers mostly wait: two at
    # a time take little longer than one.
    libraries = [prepared(name) for name in names]
    present = [flavour.name for flavour in libraries if flavour]

    def cases_of(flavour):
        return [
            case for number, case in enumerate(cases)
            if flavour and (not options.turns or flavour.name in flavours.with_turns(number, present))]

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda flavour: run_flavour(flavour, program, cases_of(flavour)), libraries)
        outcomes = [outcome for result in results for outcome in result]
    passed, failed, skipped = (outcomes.count(word) for word in ("ok", "failed", "skipped"))
    print(f"in {time.monotonic() - started:.0f} s\n{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
