#!/usr/bin/env python3
"""Every function with a communicator, as each library's `mpi.h` has it: is it in the preloaded library under both
names, and does it answer in the program's ranks?

    tests/mpi/order/conformance.py target/release/topoloom
    tests/mpi/order/conformance.py --plain               only try the checks, in the launcher's order
    tests/mpi/order/conformance.py --list                functions, and which of them no check calls

A check that fails without topoloom too is a fault of the library, and is left out by name. Exit code 1 if anything
else failed.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import checks
import flavours
from context import end_session

RANKS = 4
# No rank keeps its number, so a function that was forgotten shows.
ORDERS = ("reverse", "rotate:1")
TIMEOUT = 240
# How many checks of one library may end the job before it is given up.
MOST_STUCK = 40


def functions(flavour):
    """{name: arguments} of the header's functions with an `MPI_Comm` by value, MPI_ and MPIX_ names."""
    source = flavour.folder / "header.c"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text("#include <mpi.h>\n")
    text = flavours.run([flavour.cc, "-E", "-P", str(source)], flavour.environment)
    return parse(text)


def parse(text):
    text = re.sub(r"\s+", " ", _without_attributes(text))
    found = {}
    for statement in text.split(";"):
        match = re.search(r"\b(MPIX?_\w+) ?\((.*)\) ?$", statement)
        if match and not re.search(r"\btypedef\b|QMPI_|[{}]", statement):
            arguments = [argument.strip() for argument in match[2].split(",")]
            if any(re.match(r"(const )?MPI_Comm( \w+)?$", argument) for argument in arguments):
                found[match[1]] = arguments
    return found


def _without_attributes(text):
    """The text without `__attribute__((...))`, whose brackets may be nested."""
    kept, at = [], 0
    while (start := text.find("__attribute__", at)) >= 0:
        kept.append(text[at:start])
        depth, at = 0, text.index("(", start)
        while True:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
            if depth == 0:
                break
    return "".join(kept) + text[at:]


def code_of(name, bodies):
    """The C code for a function of the header, or nothing."""
    plain = name.removeprefix("MPI_")
    large = plain.endswith("_c") and plain[:-2] in bodies
    body = bodies.get(plain[:-2] if large else plain)
    return body and body.replace("~", "_c" if large else "")


def generate(header):
    """The C program for these functions, and the names of those without a check."""
    bodies, uncalled, text, table = checks.bodies(), [], [], []
    for name in sorted(header):
        if checks.is_exempt(name):
            continue
        body = code_of(name, bodies)
        if body is None:
            uncalled.append(name)
            continue
        calls = {name: name, f"P{name}": f"P{name}"}
        if name.removeprefix("MPI_") in checks.MIXED:
            calls[f"{name}+P{name}"] = f"(rank % 2 ? {name} : P{name})"
        for shown, call in calls.items():
            identifier = re.sub(r"\W", "_and_", shown)
            text.append(f"static int check_{identifier}(void) {{\n        {body.strip().replace('@', call)}\n}}\n")
            table.append(f'    {{"{shown}", check_{identifier}}},')
    head = "#define HAVE_LARGE_COUNTS 1\n" if "MPI_Send_c" in header else ""
    rows = "\n".join([*table, "    {NULL, NULL},"])
    main = "int main(int argc, char **argv) { return run_checks(checks, argc, argv); }"
    program = f"{''.join(text)}\nstatic const Check checks[] = {{\n{rows}\n}};\n\n{main}\n"
    return f'{head}#include "conformance.h"\n\n{program}', uncalled


def build(flavour, header):
    """Compiles the program; returns its path and the functions without a check."""
    text, uncalled = generate(header)
    source = flavour.folder / "programs" / "conformance.c"
    source.parent.mkdir(parents=True, exist_ok=True)
    if not source.exists() or source.read_text() != text:
        source.write_text(text)
    binary = source.with_suffix("")
    newest = max(path.stat().st_mtime for path in (source, HERE / "conformance.h"))
    if not binary.exists() or binary.stat().st_mtime < newest:
        # Open MPI's header refuses names that MPI 3 removed, and warns of old ones.
        command = [flavour.cc, "-O1", "-g", "-Wall", "-Wno-unused", "-Wno-deprecated-declarations", f"-I{HERE}"]
        flavours.run([*command, str(source), "-o", str(binary)], flavour.environment)
    return binary, uncalled


def run(flavour, folder, before, binary, left_out):
    """Runs the checks, again without the one that ended the job; returns {name: "ok" or what went wrong} and what
    else there is to say."""
    results, left_out = {}, list(left_out)
    for _ in range(MOST_STUCK):
        command = [*before, flavour.mpirun, "-n", str(RANKS), str(binary), *left_out]
        code, text = run_command(command, flavour.environment, folder)
        for word, name in re.findall(r"^(ok|NOT) (\S+)$", text, re.MULTILINE):
            results[name] = "ok" if word == "ok" else "the answer is wrong"
        if code == 0 and "done:" in text:
            return results, []
        stuck = sorted(set(re.findall(r"STUCK (\S+)", text))) or guess(text, binary, left_out)
        stuck = [name for name in stuck if name not in left_out]
        if not stuck:
            return results, [f"exit code {code}", *text.splitlines()[-8:]]
        reason = "waits for ever" if "STUCK" in text else f"ends the job, code {code}: {last_words(text)}"
        results.update((name, reason) for name in stuck)
        left_out += [name for name in results if name not in left_out]
    return results, [f"more than {MOST_STUCK} checks end the job"]


def last_words(text):
    lines = [line for line in text.splitlines() if not line.startswith(("ok ", "NOT "))]
    return " | ".join(lines[:3])


def guess(text, binary, left_out):
    """The check after the last one that was reported: it ended the job."""
    names = re.findall(r'^    \{"(\S+)", ', binary.with_suffix(".c").read_text(), re.MULTILINE)
    names = [name for name in names if name not in left_out]
    told = re.findall(r"^(?:ok|NOT) (\S+)$", text, re.MULTILINE)
    if not told:
        return names[:1] if "MPI_Init" not in text else []
    after = names.index(told[-1]) + 1
    return names[after:after + 1]


def run_command(command, environment, folder):
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True)
        try:
            code = process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            end_session(process)
            code = None
        output.seek(0)
        return code, output.read().decode(errors="replace")


def exported(binary, folder):
    """Names that the preloaded library defines."""
    copy = folder / "preloaded.so"
    done = subprocess.run(
        [binary, "run", "--order", "reverse", "--", "sh", "-c", f'cp "${{LD_PRELOAD%%:*}}" {copy}'],
        capture_output=True, text=True, timeout=60)
    if done.returncode or not copy.exists():
        raise flavours.Missing(f"no preloaded library: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    listed = subprocess.run(["nm", "-D", "--defined-only", str(copy)], capture_output=True, text=True, check=True)
    return {line.split()[-1] for line in listed.stdout.splitlines()}


def not_exported(header, names):
    """Functions of the header that the preloaded library does not have under both names."""
    wanted = (name for name in header if name not in ("MPI_Comm_c2f", "MPI_Comm_toint"))
    return sorted(name for wanted_name in wanted for name in (wanted_name, f"P{wanted_name}") if name not in names)


def check(flavour, binary, folder, orders=ORDERS):
    """All of it with one library: (lines that say what is wrong, lines that are good to know, number of checks)."""
    header = functions(flavour)
    program, uncalled = build(flavour, header)
    wrong = [f"no check calls {name}" for name in uncalled]
    plain, trouble = run(flavour, folder, [], program, [])
    faults = {name: why for name, why in plain.items() if why != "ok"}
    notes = [f"without topoloom too: {name}: {why}" for name, why in faults.items()] + trouble
    if binary:
        try:
            missing = not_exported(header, exported(binary, folder))
            wrong += [f"{name} is not in the preloaded library" for name in missing if "MPIX_" not in name]
            notes += [f"extension {name} is not in the preloaded library" for name in missing if "MPIX_" in name]
        except flavours.Missing as reason:
            wrong.append(str(reason))
        for order in orders:
            results, trouble = run(flavour, folder, [binary, "run", "--order", order, "--"], program, faults)
            wrong += [f"{order}: {line}" for line in trouble]
            wrong += [f"{order}: {name}: {why}" for name, why in results.items() if why != "ok"]
            missing = [name for name in plain if name not in results and name not in faults]
            wrong += [f"{order}: {len(missing)} checks did not run: {' '.join(missing[:5])} ..."] if missing else []
    return wrong, notes, len(plain)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="?", help="the topoloom to test")
    parser.add_argument("--plain", action="store_true", help="run the checks in the launcher's order alone")
    parser.add_argument("--list", action="store_true", help="show the functions of each header")
    parser.add_argument("--mpi", metavar="NAME", action="append", help="only this library (may be repeated)")
    options = parser.parse_args()
    if not (options.binary or options.plain or options.list):
        parser.error("give the topoloom to test, or --plain, or --list")
    binary = str(pathlib.Path(options.binary).resolve()) if options.binary and not options.plain else None
    failed = 0
    for name in options.mpi or [name for name in flavours.FLAVOURS if name not in flavours.EXTRA]:
        try:
            flavour = flavours.prepare(name, flavours.ROOT / "target" / "mpi")
        except (flavours.Missing, subprocess.TimeoutExpired) as reason:
            print(f"== SKIPPED: {name}: {reason}", flush=True)
            continue
        if options.list:
            show(flavour)
            continue
        with tempfile.TemporaryDirectory(prefix="topoloom-conformance-") as folder:
            wrong, notes, number = check(flavour, binary, pathlib.Path(folder))
        print(f"{name}: {number} checks, {len(wrong)} failures, {len(notes)} notes", *notes, sep="\n    ", flush=True)
        for line in wrong:
            print(f"FAILED {name}: {line}", flush=True)
        failed += len(wrong)
    sys.exit(1 if failed else 0)


def show(flavour):
    header = functions(flavour)
    bodies = checks.bodies()
    large = sum(name.endswith("_c") for name in header)
    extensions = sum(name.startswith("MPIX_") for name in header)
    print(f"{flavour.name}: {len(header)} functions, {large} with large counts, {extensions} extensions")
    for name in sorted(header):
        reason = checks.is_exempt(name) or ("" if code_of(name, bodies) else "NO CHECK")
        if reason:
            print(f"    {name}: {reason}")


if __name__ == "__main__":
    main()
