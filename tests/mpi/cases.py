"""Which programs run, with how many ranks, and what is checked of each recording."""

import dataclasses
import json
import subprocess
import typing

import ends
import expected as expect
import flavours
import recording as rec
import seats
import times
import traffic
from context import TIMEOUT

# One library of each kind. Long cases run with these alone.
MAIN_FLAVOURS = ("debian-openmpi", "mpich-5.0.2")


def compare(context):
    """Records with and without events; both must hold exactly what the program sends.

    Once with events is enough where the same code has been tried without them.
    """
    found = []
    both = context.flavour.name in MAIN_FLAVOURS and context.case.ranks <= 8
    for options in ((), ("--trace",)) if both else (("--trace",),):
        code, output, path = context.record(*options)
        if "skip:" in output:
            raise flavours.Missing(output.split("skip:")[1].splitlines()[0].strip())
        if code != 0 or "done" not in output:
            return [f"{' '.join(options)} exit code {code}", *output.splitlines()[-8:]]
        if not path.exists():
            return [f"no file {path.name}", *output.splitlines()[-8:]]
        recording = rec.Recording(path)
        wanted = context.case.expected(context)
        found += [f"{' '.join(options)} {line}" for line in traffic.differences(wanted, recording)]
        if options:
            found += [f"trace: {line}" for line in traffic.trace_differences(recording)]
            if context.case.replayable:
                found += simulate(context, path)
    return found


def simulate(context, path):
    """The trace must run to its end."""
    command = [
        context.binary, "simulate", "--trace", str(path), "--machine", f"mesh:{context.case.ranks}",
        "--mapping", "in-order", "--json",
    ]
    done = subprocess.run(command, timeout=TIMEOUT, capture_output=True, text=True)
    if done.returncode:
        return [f"simulate: exit code {done.returncode}: {done.stderr.strip()[-400:]}"]
    json.loads(done.stdout)
    return []


@dataclasses.dataclass
class Case:
    """One program: its source, ranks, and what should be in its recording."""

    name: str
    source: str
    ranks: int
    expected: typing.Callable | None
    arguments: tuple = ()
    check: typing.Callable = compare
    skip: typing.Callable = lambda flavour: None
    fails_plainly: bool = False
    flavours: tuple = tuple(flavours.FLAVOURS)
    monitored: bool = True
    # Threads of a rank wait for each other in ways that one sequence of events cannot show.
    replayable: bool = True


def recorded_or_refused(context):
    """Either all of it is recorded, or nothing is and a message says so. A part never looks complete."""
    code, output, path = context.record()
    if code == 2 and not path.exists() and "nothing was recorded" in output:
        return []
    return compare(context)


def without_mpi_4_calls(flavour):
    return None if flavour.has_mpi_4_calls else "the library has no such calls"


def without_persistent_collectives(flavour):
    return "MPICH 4.0 itself fails in them" if flavour.name == "debian-mpich" else without_mpi_4_calls(flavour)


def without_hydra(flavour):
    return "not MPICH's launcher" if flavour.is_open_mpi else None


def kernels(ranks, halos, wavefront, transpose, **options):
    """The same three kernels on `ranks` ranks, checked against the patterns of Topoloom."""
    made = []
    for sizes, form in halos:
        pattern = f"stencil:{sizes},bytes=1000" + (",periodic" if form == "periodic" else "")
        made.append(Case(
            f"halo_{sizes}_{form}", "halo.c", ranks, expect.of_pattern(pattern, ranks), (sizes, form, "1000"), **options))
    npb_class, points, iterations = wavefront
    made.append(Case(
        f"wavefront_{ranks}", "wavefront.c", ranks,
        expect.of_pattern(f"lu:class={npb_class},ranks={ranks},iterations={iterations}", ranks, expect.LU_COLLECTIVES),
        (str(points), str(iterations)), **options))
    npb_class, rows, iterations = transpose
    made.append(Case(
        f"transpose_{ranks}", "transpose.c", ranks,
        expect.of_pattern(f"cg:class={npb_class},ranks={ranks},iterations={iterations}", ranks, expect.CG_COLLECTIVES),
        (str(rows), str(iterations)), **options))
    return made


CASES = [
    Case("blocking", "blocking.c", 4, expect.blocking),
    Case("nonblocking", "nonblocking.c", 4, expect.nonblocking),
    Case("persistent", "persistent.c", 4, expect.persistent),
    Case("datatypes", "datatypes.c", 4, expect.datatypes),
    Case("neighbourhood", "neighbourhood.c", 6, expect.neighbourhood, monitored=False),
    Case("onesided", "onesided.c", 4, expect.onesided),
    Case("collectives", "collectives.c", 5, expect.collectives(1), ("blocking",), monitored=False),
    Case("icollectives", "collectives.c", 5, expect.collectives(1, overlapping=True), ("nonblocking",)),
    Case("collectives_init", "collectives.c", 5, expect.collectives(2), ("persistent",), skip=without_persistent_collectives),
    Case("communicators", "communicators.c", 6, expect.communicators, monitored=False),
    Case("large", "large.c", 2, expect.large),
    Case("threads", "threads.c", 4, expect.threads, replayable=False),
    Case("oddities", "oddities.c", 4, expect.oddities),
    Case("sessions", "sessions.c", 4, expect.sessions, check=recorded_or_refused, skip=without_mpi_4_calls, monitored=False),
    Case("fortran_mpi", "fortran_mpi.f90", 4, expect.fortran_mpi),
    Case("fortran_mpifh", "fortran_mpifh.f90", 4, expect.fortran_mpifh, monitored=False),
    Case("fortran_f08", "fortran_f08.f90", 4, expect.fortran_f08, monitored=False),
    Case("python_buffers", "python_buffers.py", 4, expect.python_buffers, monitored=False),
    Case("python_objects", "python_objects.py", 4, expect.python_objects),
    Case("ends_kill", "ends.c", 4, None, ("kill",), ends.dies([2]), fails_plainly=True),
    Case("ends_crash", "ends.c", 4, None, ("crash",), ends.dies([2]), fails_plainly=True),
    Case("ends_exit", "ends.c", 4, None, ("exit",), ends.dies([2]), fails_plainly=True),
    Case("ends_all_exit", "ends.c", 4, None, ("all-exit",), ends.dies([0, 1, 2, 3]), fails_plainly=True),
    Case("ends_abort", "ends.c", 4, None, ("abort",), ends.dies([2]), fails_plainly=True),
    Case("ends_fails", "ends.c", 4, None, ("fails",), ends.fails, fails_plainly=True),
    Case("ends_interrupt", "ends.c", 4, None, ("interrupt",), ends.interrupt, fails_plainly=True),
    Case("no_mpi", "no_mpi.c", 2, None, (), ends.no_mpi, fails_plainly=True),
    Case(
        "late", "late.c", 2, None, ("late.data",), times.times_of(times.CALLS_OF_LATE, times.SLEEPS_OF_LATE)),
    Case(
        "late_fortran", "late_fortran.f90", 2, None, (),
        times.times_of(times.CALLS_OF_LATE_FORTRAN, times.SLEEPS_OF_LATE_FORTRAN)),
    Case("times_kill", "ends.c", 4, None, ("kill",), times.dies, fails_plainly=True),
    Case("seats", "seats.c", 2, None, ("3",), seats.check),
    Case("two_names", "seats.c", 4, None, ("1",), seats.two_names, skip=without_hydra),
    *kernels(8, [("2x2x2", "open")], ("S", 12, 3), ("S", 1400, 1)),
    *kernels(
        64, [("8x8", "open"), ("4x4x4", "open"), ("4x4x4", "periodic")], ("W", 33, 1), ("S", 1400, 1),
        flavours=MAIN_FLAVOURS),
]
