#!/usr/bin/env python3
"""Runs programs of known traffic under `topoloom record`, with several MPI libraries, and checks every number.

    tests/mpi/run.py target/release/topoloom      record and compare
    tests/mpi/run.py --plain                      only run the programs, without a recorder
    tests/mpi/run.py --monitoring BINARY          check the expected numbers against Open MPI's own monitoring

Exit code 1 if anything failed. What cannot run here is skipped by name.
"""

import argparse
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import cases
import context
import flavours
import monitoring
import recording as rec

PROGRAMS = flavours.HERE / "programs"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="?", help="the topoloom to test")
    parser.add_argument("--plain", action="store_true", help="run the programs without a recorder")
    parser.add_argument("--monitoring", action="store_true", help="let Open MPI count, not topoloom")
    parser.add_argument("--only", metavar="NAME", action="append", help="only this program (may be repeated)")
    parser.add_argument("--mpi", metavar="NAME", action="append", help="only this library (may be repeated)")
    parser.add_argument(
        "--turns", action="store_true", help="each program with an Open MPI and one of the others, in turn")
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time (default: 2)")
    parser.add_argument("--keep", metavar="FOLDER", help="keep recordings and outputs here")
    parser.add_argument("--list", action="store_true", help="names of programs and libraries")
    options = parser.parse_args()
    if options.list:
        print("programs:", *(case.name for case in cases.CASES))
        print("libraries:", *flavours.FLAVOURS)
        sys.exit()
    if options.binary is None and not options.plain:
        parser.error("give the topoloom to test, or --plain")
    if options.binary:
        options.binary = str(pathlib.Path(options.binary).resolve())
    for name in options.only or []:
        if name not in {case.name for case in cases.CASES}:
            parser.error(f"unknown program {name}; --list shows all")
    for name in options.mpi or []:
        if name not in flavours.FLAVOURS:
            parser.error(f"unknown library {name}; known: {', '.join(flavours.FLAVOURS)}")
    return options


def run_case(case, flavour, options, scratch):
    """Runs one program with one library, and once more if that is known to fail by itself now and then."""
    outcome, why = run_once(case, flavour, options, scratch)
    # When launchers are killed or their ranks die, they do not always do the same. And where the machine is crowded,
    # the rank that should wait for the late one may come late itself.
    is_late = "did not end within" in why
    if outcome == "failed" and (flavour.is_shaky or is_late or case.name.startswith(("ends_", "late", "times_"))):
        print(f"tried again: {case.name} with {flavour.name}, after: {why.splitlines()[0]}")
        outcome, why = run_once(case, flavour, options, scratch)
    return outcome, why


def run_once(case, flavour, options, scratch):
    """Runs one program with one library; returns ("ok" or "failed" or "skipped", why)."""
    try:
        reason = case.skip(flavour)
        if reason:
            raise flavours.Missing(reason)
        program = [*flavour.build(PROGRAMS / case.source), *case.arguments]
    except flavours.Missing as reason:
        failed_to_compile = "error" in str(reason) and flavour.no_python != str(reason)
        return ("failed" if failed_to_compile else "skipped"), str(reason)
    folder = scratch / flavour.name
    folder.mkdir(parents=True, exist_ok=True)
    run = context.Context(case, flavour, program, options.binary, folder)
    try:
        if options.plain:
            found = run.run_plain()
        elif options.monitoring:
            if not flavour.is_open_mpi or case.expected is None or not case.monitored:
                return "skipped", "no monitoring of this"
            found = monitoring.check(run)
        else:
            found = case.check(run)
    except subprocess.TimeoutExpired as late:
        found = [f"did not end within {late.timeout} seconds"]
    except flavours.Missing as reason:
        return "skipped", str(reason)
    except rec.Malformed as wrong:
        found = [f"malformed recording: {wrong}"]
    except Exception as wrong:  # A check that breaks is a failure of its case, and the other cases still run.
        found = [f"{type(wrong).__name__}: {wrong}"]
    return ("failed", "\n".join(found)) if found else ("ok", "")


def main():
    options = arguments()
    started = time.monotonic()
    mpi_folder = flavours.ROOT / "target" / "mpi"
    names = options.mpi or [name for name in flavours.FLAVOURS if name not in flavours.EXTRA]
    wanted = [case for case in cases.CASES if not options.only or case.name in options.only]
    scratch = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="topoloom-mpi-"))
    available, results = {}, {}
    for name in names:
        try:
            available[name] = flavours.prepare(name, mpi_folder)
        except (flavours.Missing, subprocess.TimeoutExpired) as reason:
            print(f"== SKIPPED: {name}: {reason}", flush=True)
            for case in wanted:
                results[case.name, name] = "skipped", "the library is not there"
    for case in wanted:
        for name in names:
            if name not in case.flavours:
                results[case.name, name] = "-", "runs with other libraries"
    work = []
    for number, case in enumerate(wanted):
        usable = [name for name, flavour in available.items() if name in case.flavours]
        if options.turns:
            able = [name for name in usable if not case.skip(available[name]) and not available[name].lacks(case.source)]
            chosen = flavours.with_turns(number, able)
            results.update({(case.name, name): ("-", "another library has its turn") for name in able if name not in chosen})
            usable = [name for name in usable if name in chosen or name not in able]
        work.extend((case, available[name]) for name in usable)
    # Long ones come first, so nothing runs alone at the end.
    work.sort(key=lambda pair: -pair[0].ranks)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(run_case, case, flavour, options, scratch): (case, flavour) for case, flavour in work}
        for future in concurrent.futures.as_completed(futures):
            case, flavour = futures[future]
            results[case.name, flavour.name] = outcome = future.result()
            if outcome[0] == "failed":
                text = "\n      ".join(outcome[1].splitlines()[:12])
                print(f"FAILED {case.name} with {flavour.name}:\n      {text}", flush=True)
    if not options.keep:
        shutil.rmtree(scratch, ignore_errors=True)
    print_table(wanted, names, results)
    for case in wanted:
        for name in names:
            if results[case.name, name][0] == "skipped" and name in available and not options.monitoring:
                print(f"skipped: {case.name} with {name}: {results[case.name, name][1].splitlines()[0]}")
    outcomes = [outcome for outcome, _ in results.values()]
    passed, failed, skipped = (outcomes.count(word) for word in ("ok", "failed", "skipped"))
    print(f"in {time.monotonic() - started:.0f} s")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not passed else 0)


def print_table(wanted, names, results):
    width = max(len(case.name) for case in wanted) + 2
    print("\n" + "".ljust(width) + "  ".join(names))
    for case in wanted:
        cells = (results[case.name, name][0].ljust(max(len(name), 7)) for name in names)
        print(case.name.ljust(width) + "  ".join(cells))
    print()


if __name__ == "__main__":
    main()
