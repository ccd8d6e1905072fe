#!/usr/bin/env python3
"""Runs programs under `topoloom run --order` with several MPI libraries, and checks that they mean the new ranks.

    tests/mpi/order/order.py target/release/topoloom
    tests/mpi/order/order.py target/release/topoloom --only world --mpi mpich-5.0.2
    tests/mpi/order/order.py target/release/topoloom --only record       all programs of the recorder's tests
    tests/mpi/order/order.py target/release/topoloom --quick             one order each, fewer cases, and libraries in turn

Each program runs plainly first: faults of a library are not counted against topoloom. Exit code 1 if anything failed.
What cannot run here is skipped by name.
"""

import argparse
import concurrent.futures
import dataclasses
import functools
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import typing

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import applications
import conformance
import flavours
import hosts
import job as jobs
import known
import orders
import recording as rec
import recordings
import troubles


@dataclasses.dataclass
class Case:
    """One program: its source, ranks, and what is checked."""

    name: str
    source: str | None
    check: typing.Callable
    ranks: int = 4
    arguments: tuple = ()
    needs_mpi_4: bool = False
    # Long ones run with these alone.
    flavours: tuple = tuple(flavours.FLAVOURS)
    # The program of a case that builds it by itself.
    recorded: str | None = None


def conforms(job):
    asked = ("rotate:1",) if orders.QUICK else conformance.ORDERS
    wrong, notes, number = conformance.check(job.flavour, job.binary, job.folder, asked)
    for note in notes:
        print(f"note: conformance with {job.flavour.name}: {note}", flush=True)
    return wrong + ([] if number else ["no check ran"])


def deepbind(job):
    """Two copies of the plugin, and the library that the program was linked with."""
    plugin = pathlib.Path(jobs.build(job.flavour, "plugin.c")[0])
    other = plugin.with_name("plugin-copy.so")
    shutil.copy(plugin, other)
    listed = subprocess.run(
        ["ldd", job.program[0]], capture_output=True, text=True, env=job.flavour.environment).stdout.splitlines()
    names = (line.split()[0] for line in listed)
    library = [name for name in names if name.startswith(("libmpi.", "libmpich.", "libmpi_abi."))]
    if not library:
        raise flavours.Missing("the program is not linked with a library of MPI")
    job.program += [str(plugin), str(other), library[0]]
    return known.deepbind(job)


CASES = [
    Case("where", "where.c", known.placed),
    Case("where_7", "where.c", known.placed, 7),
    Case("fwhere", "fwhere.f90", known.placed),
    Case("cxx", "cxx.cc", known.placed),
    Case("python", "where.py", known.placed),
    Case("world_2", "world.c", known.alike, 2),
    Case("world_3", "world.c", known.alike, 3),
    Case("world_4", "world.c", known.alike, 4),
    Case("world_5", "world.c", known.alike, 5),
    Case("f77", "f77.f90", known.alike),
    Case("fmod", "fmod.f90", known.alike),
    Case("f08", "f08.f90", known.alike),
    Case("windows", "windows.c", known.alike),
    Case("files", "files.c", known.alike),
    Case("intercomm", "intercomm.c", known.alike, 5),
    Case("errors", "errors.c", known.alike),
    Case("attributes", "attributes.c", known.alike),
    Case("fattributes", "fattributes.f90", known.alike),
    Case("last_words", "last_words.c", known.alike),
    Case("threads", "threads.c", known.alike, 3),
    Case("sessions", "sessions.c", known.placed, arguments=("alone",), needs_mpi_4=True),
    Case("sessions_world", "sessions.c", known.alike, arguments=("world",), needs_mpi_4=True),
    Case("local", "local.c", known.local),
    Case("variables", None, known.variables),
    Case("deepbind", "deepbind.c", deepbind),
    Case("spawn", "spawn.c", known.families),
    Case("spawn_multiple", "spawn.c", known.families, arguments=("multiple",)),
    Case("connect", "connect.c", troubles.connects, 3),
    Case("abort", "abort.c", troubles.aborts),
    Case("fatal", "fatal.c", troubles.fatal),
    Case("code", "code.c", troubles.fails),
    Case("stdin", "stdin.c", troubles.standard_input),
    Case("one_without", "code.c", troubles.one_without),
    Case("wrong_orders", "where.c", troubles.wrong_orders),
    Case("good_files", "where.c", troubles.good_files),
    Case("reorder", "reorder.c", hosts.reorder_on_one_host),
    Case("two_hosts_where", "where.c", hosts.places),
    Case("two_hosts_world", "world.c", hosts.across, arguments=("two",)),
    Case("two_hosts_reorder", "reorder.c", hosts.reorder),
    Case("conformance", None, conforms),
    Case("lammps", None, applications.lammps, flavours=("debian-openmpi",)),
    Case("hpcc", None, applications.hpcc, flavours=("debian-openmpi",)),
    Case("cost", "cost.c", applications.cost, 2),
    *(
        Case(
            f"record_{case.name}", None, functools.partial(recordings.check, case=case), case.ranks,
            flavours=case.flavours, recorded=case.source)
        for case in recordings.CASES),
]


# What `--quick` leaves out: other numbers of ranks, jobs that wait for each other, measurements, and most recordings.
SLOW = ("where_7", "world_2", "world_3", "world_5", "spawn_multiple", "connect", "lammps", "hpcc", "cost")
QUICK_RECORDINGS = (
    "record_collectives", "record_communicators", "record_fortran_f08", "record_python_buffers", "record_threads")


# And libraries that are nearly the same as others.
LIKE_OTHERS = ("mpich-5.0.2", "mpich-4.3.2")


def is_quick(case):
    return case.name in QUICK_RECORDINGS or not case.name.startswith("record") and case.name not in SLOW


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="?", help="the topoloom to test")
    parser.add_argument("--only", metavar="NAME", action="append", help="only cases that begin so (may be repeated)")
    parser.add_argument("--mpi", metavar="NAME", action="append", help="only this library (may be repeated)")
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time (default: 2)")
    parser.add_argument("--quick", action="store_true", help="one order for each program, fewer cases, and libraries in turn")
    parser.add_argument("--keep", metavar="FOLDER", help="keep outputs here")
    parser.add_argument("--list", action="store_true", help="names of cases and libraries")
    options = parser.parse_args()
    if options.list:
        print("cases:", *(case.name for case in CASES))
        print("libraries:", *flavours.FLAVOURS)
        sys.exit()
    if options.binary is None:
        parser.error("give the topoloom to test")
    options.binary = str(pathlib.Path(options.binary).resolve())
    for name in options.only or []:
        if not any(case.name.startswith(name) for case in CASES):
            parser.error(f"unknown case {name}; --list shows all")
    for name in options.mpi or []:
        if name not in flavours.FLAVOURS:
            parser.error(f"unknown library {name}; known: {', '.join(flavours.FLAVOURS)}")
    orders.QUICK = options.quick
    return options


def run_case(case, flavour, options, scratch):
    """Runs one case with one library, and once more where launchers are known to fail by themselves now and then."""
    outcome, why = run_once(case, flavour, options, scratch)
    is_shaky = flavour.is_shaky or case.name.startswith(("two_hosts", "record"))
    if outcome == "failed" and (is_shaky or "did not end" in why):
        print(f"tried again: {case.name} with {flavour.name}, after: {why.splitlines()[0]}", flush=True)
        outcome, why = run_once(case, flavour, options, scratch)
    return outcome, why


def run_once(case, flavour, options, scratch):
    """("ok" or "failed" or "skipped", why)."""
    folder = scratch / flavour.name / case.name
    folder.mkdir(parents=True, exist_ok=True)
    try:
        if case.needs_mpi_4 and not flavour.has_mpi_4_calls:
            raise flavours.Missing("the library has no such calls")
        program = [*jobs.build(flavour, case.source), *case.arguments] if case.source else []
        found = case.check(jobs.Job(case.name, flavour, options.binary, folder, program, case.ranks))
    except flavours.Missing as reason:
        return ("failed" if str(reason).startswith("error") else "skipped"), str(reason)
    except subprocess.TimeoutExpired as late:
        found = [f"did not end within {late.timeout} seconds"]
    except rec.Malformed as wrong:
        found = [f"malformed recording: {wrong}"]
    except Exception as wrong:  # A check that breaks is a failure of its case, and the other cases still run.
        found = [f"{type(wrong).__name__}: {wrong}"]
    return ("failed", "\n".join(found)) if found else ("ok", "")


def main():
    options = arguments()
    started = time.monotonic()
    left_out = (*flavours.EXTRA, *(LIKE_OTHERS if options.quick else ()))
    names = options.mpi or [name for name in flavours.FLAVOURS if name not in left_out]
    wanted = [
        case for case in CASES
        if not options.only and (not options.quick or is_quick(case))
        or any(case.name.startswith(name) for name in options.only or [])]
    scratch = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="topoloom-order-")).resolve()
    available, results = {}, {}
    for name in names:
        try:
            available[name] = flavours.prepare(name, flavours.ROOT / "target" / "mpi")
        except (flavours.Missing, subprocess.TimeoutExpired) as reason:
            print(f"== SKIPPED: {name}: {reason}", flush=True)
            results.update({(case.name, name): ("skipped", "the library is not there") for case in wanted})
    work = []
    for number, case in enumerate(wanted):
        usable = [name for name in available if name in case.flavours]
        # Of Debian's libraries, only MPICH has the calls of MPI 4.
        if options.quick and not case.needs_mpi_4:
            source = case.source or case.recorded
            able = [name for name in usable if not source or not available[name].lacks(source)]
            chosen = flavours.with_turns(number, able)
            usable = [name for name in usable if name in chosen or name not in able]
        work.extend((case, available[name]) for name in usable)
        results.update({(case.name, name): ("-", "") for name in names if name not in usable and (name in available or name not in case.flavours)})
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(run_case, case, flavour, options, scratch): (case, flavour) for case, flavour in work}
        for future in concurrent.futures.as_completed(futures):
            case, flavour = futures[future]
            results[case.name, flavour.name] = outcome, why = future.result()
            if outcome == "failed":
                text = "\n      ".join(why.splitlines()[:25])
                print(f"FAILED {case.name} with {flavour.name}:\n      {text}", flush=True)
    if not options.keep:
        shutil.rmtree(scratch, ignore_errors=True)
    report(wanted, names, available, results)
    print(f"in {time.monotonic() - started:.0f} s")
    outcomes = [outcome for outcome, _ in results.values()]
    passed, failed, skipped = (outcomes.count(word) for word in ("ok", "failed", "skipped"))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not passed else 0)


def report(wanted, names, available, results):
    """A table, and the reasons for what was skipped."""
    width = max(len(case.name) for case in wanted) + 2
    print("\n" + "".ljust(width) + "  ".join(names))
    for case in wanted:
        cells = (results[case.name, name][0].ljust(max(len(name), 7)) for name in names)
        print(case.name.ljust(width) + "  ".join(cells))
    print()
    for case in wanted:
        for name in names:
            outcome, why = results[case.name, name]
            if outcome == "skipped" and name in available:
                print(f"skipped: {case.name} with {name}: {why.splitlines()[0][:200]}")


if __name__ == "__main__":
    main()
