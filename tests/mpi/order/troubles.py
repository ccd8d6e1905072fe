"""Jobs that end badly, read standard input, lack the library, or are asked for an impossible order."""

import re
import time

import flavours
import orders
import verify

# The value of `--limit`, and how long the job may then take, including its start and end.
LIMIT, LATEST = "3s", 60


def aborts(job):
    """The exit code of the job is passed on, and the message names the program's rank.

    MPICH gives the code in every run only if the communicator is its own world.
    """
    plain = job.run(job.mpirun())
    found = []
    for order in orders.all_orders(job.ranks, job.folder):
        done = job.run([*job.under(order), *job.mpirun()])
        if done.code != plain.code:
            found += [f"{order.name}: exit code {done.code}, without topoloom {plain.code}", *done.told()]
        # A message may be lost when its rank is killed.
        text = done.out + done.err
        if re.search(r"abort", text, re.IGNORECASE) and not re.search(r"rank 1\b", text):
            found += [f"{order.name}: the message does not name rank 1", *done.told()]
    if plain.code != 7:
        found.append(f"without topoloom the exit code is {plain.code}")
    return found


# MPICH's launcher now and then says so instead of the code, if an error is fatal on any communicator but its world.
KILLED = 9


def fatal(job):
    return fails(job, () if job.flavour.is_open_mpi else (KILLED,))


def fails(job, others=()):
    """The exit code is the same as without topoloom, or one of the others."""
    plain = job.run(job.mpirun())
    found = [] if plain.code else ["the job does not fail without topoloom"]
    for order in orders.all_orders(job.ranks, job.folder):
        done = job.run([*job.under(order), *job.mpirun()])
        if done.code != plain.code and done.code not in others:
            found += [f"{order.name}: exit code {done.code}, without topoloom {plain.code}", *done.told()]
    return found


def standard_input(job):
    """If rank 0 stays, it reads the same as without topoloom. If it moves, there is a warning.

    MPICH's launcher then leaves rank 0 without an end of its input: the program may wait for ever.
    """
    plain = job.run(job.mpirun(), text="hello\n", timeout=30)
    if "rank 0 read 6 bytes" not in plain.out:
        raise flavours.Missing(f"the launcher hands nothing on: {' | '.join(plain.told())}")
    kept = orders.of_file(job.folder, "kept", [0, 2, 3, 1])
    done = job.run([*job.under(kept), *job.mpirun()], text="hello\n")
    found = []
    if done.code != 0 or "rank 0 read 6 bytes" not in done.out:
        found += ["rank 0 kept:", *done.told()]
    if "input" in done.err:
        found += ["rank 0 kept, and a warning:", *done.told()]
    done = job.run([*job.under("rotate:1"), *job.mpirun()], text="hello\n", timeout=6)
    if "input" not in done.err:
        found += ["rank 0 moved, and no warning:", *done.told()]
    # Its input is empty, so no warning is printed.
    if job.flavour.is_open_mpi:
        done = job.run([*job.under("rotate:1"), *job.mpirun()])
        if "input" in done.err or done.code != 0:
            found += ["no input, and a warning:", *done.told()]
    return found


def one_without(job):
    """One process does not have the library: a message in time, and the job goes on in the launcher's order."""
    wrapper = job.folder / "one_without.sh"
    wrapper.write_text(
        "#!/bin/sh\n"
        'if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ]; then exec env -u LD_PRELOAD "$@"; fi\n'
        'exec "$@"\n')
    wrapper.chmod(0o755)
    job.program = [str(wrapper), *job.program]
    plain = job.run(job.mpirun())
    found = []
    for order in ("rotate:1",) if orders.QUICK else ("reverse", "rotate:1"):
        started = time.monotonic()
        done = job.run([*job.under(order, "--limit", LIMIT), *job.mpirun()], timeout=LATEST)
        seconds = time.monotonic() - started
        if done.code is None:
            found += [f"{order}: did not end within {LATEST} s", *done.told()]
            continue
        if not re.search(r"\b1\b", done.err) or "rank" not in done.err:
            found += [f"{order}: no message that names rank 1", *done.told()]
        if done.code != plain.code:
            found += [f"{order}: exit code {done.code}, without topoloom {plain.code}", *done.told()]
        places = re.findall(r"rank (\d+) launched (\d+)", done.out)
        if len(places) != job.ranks or any(rank != process for rank, process in places):
            found += [f"{order}: not the launcher's order after {seconds:.0f} s:", *done.told()]
    return found


def wrong_orders(job):
    """Exit code 2, a message with the file and its fault, and the program did not run."""
    files = {
        "twice": "0 1 1 2\n", "short": "0 1 2\n", "long": "0 1 2 3 4\n", "letter": "0 1 x 3\n", "large": "1 2 3 4\n",
        "negative": "0 -1 2 3\n", "empty": "",
    }
    found = []
    for name, text in files.items():
        path = job.folder / f"{name}.order"
        path.write_text(text)
        done = job.run([*job.under(str(path)), *job.mpirun()])
        if done.code != 2 or path.name not in done.err or "rank 0" in done.out:
            found += [f"{name}:", *done.told()]
    for specification in ("no-such-file", "rotate:x", "random:", "rotate"):
        done = job.run([*job.under(specification), *job.mpirun()])
        if done.code != 2 or specification not in done.err or "rank 0" in done.out:
            found += [f"{specification}:", *done.told()]
    return found


def good_files(job):
    """Files with several lines and spaces are read; a command without MPI runs as it does alone."""
    path = job.folder / "lines.order"
    path.write_text("  3 1\n\n2\t0  \n")
    done = job.run([*job.under(str(path)), *job.mpirun()])
    found = [] if done.code == 0 else ["lines:", *done.told()]
    places = {int(rank): int(process) for rank, process in re.findall(r"rank (\d+) launched (\d+)", done.out)}
    found += orders.differences(orders.Order("lines", "", [3, 1, 2, 0]), 4, places)
    done = job.run([*job.under("reverse"), "sh", "-c", "echo here; exit 9"])
    if done.code != 9 or done.lines != ["here"]:
        found += ["without MPI:", *done.told()]
    return found


def connects(job):
    """Two jobs meet, each in its own order."""
    def both(first, second):
        port = job.folder / "port"
        port.unlink(missing_ok=True)
        program = job.program
        commands = []
        for before, role in ((first, "accept"), (second, "connect")):
            job.program = [*program, role, str(port)]
            commands.append(" ".join([*before, *job.mpirun()]))
        job.program = program
        script = f"{commands[0]} & first=$!; {commands[1]}; code=$?; wait $first && exit $code"
        return job.run(["sh", "-c", script], timeout=40, environment=verify.SEVERAL_HOSTS)
    plain = both([], [])
    if plain.code != 0:
        raise flavours.Missing(f"two jobs do not meet without topoloom: {' | '.join(plain.told()[:4])}")
    found = []
    for first, second in (("reverse", "rotate:1"), ("random:7", "reverse")):
        done = both(job.under(first), job.under(second))
        if done.code != 0 or sorted(done.lines) != sorted(plain.lines):
            found += [f"{first} and {second}:", *done.told()]
    return found
