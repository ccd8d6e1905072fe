#!/usr/bin/env python3
"""Lets every command that writes files fail in every way, and looks at what is left.

    tests/faults/run.py target/debug/topoloom

Needs Linux and strace. What else cannot be tried here (other users, namespaces, mounts need root) is
skipped by name.
"""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from writers import OLD, WRITERS, Place, Writer, is_whole

#: Calls by which files come to be.
CALLS = ["openat", "flock", "fchmod", "write", "fsync", "linkat", "rename", "unlink"]

#: A user that has no processes of its own.
NOBODY = 54321

TIMEOUT = 200
failures = []


def check(condition, message):
    if not condition:
        failures.append(message)
        print(f"FAILED: {message}")


def skip(what):
    print(f"== SKIPPED: {what}")


def traced(place, writer):
    """The calls of the first thread that have to do with outputs: (name, which one of that name)."""
    place.clear(writer)
    log = place.folder / "trace"
    command = ["strace", "-f", "-o", log, "-e", f"trace={','.join(CALLS)}",
               *writer.command(place.binary, place.folder)]
    subprocess.run(command, check=True, capture_output=True, timeout=TIMEOUT)
    counts, found, first, seen = {}, [], None, False
    for line in log.read_text().splitlines():
        process, _, call = line.partition(" ")
        first = first or process
        name = re.match(r"\s*(\w+)\(", call)
        if process != first or not name:
            continue
        name = name[1]
        counts[name] = counts.get(name, 0) + 1
        here = str(place.out) in call
        seen = seen or here
        # Files that are read, and text that is printed, are not outputs.
        if seen and (here or name != "openat") and not re.match(r"\s*write\([12],", call):
            found.append((name, counts[name]))
    return found


def injected(place, writer, call, number, what, environment=None):
    """Runs a command in which a system call goes wrong."""
    place.clear(writer)
    command = ["strace", "-f", "-o", "/dev/null", "-e", f"inject={call}:{what}:when={number}",
               *writer.command(place.binary, place.folder)]
    return subprocess.run(command, capture_output=True, timeout=TIMEOUT, env=environment)


def whole(place, writer, expected, how, interrupted=False):
    for name, content in place.contents(writer).items():
        check(is_whole(writer, content, expected[name], interrupted),
              f"{writer.name}, {how}: {name} is neither the old one nor whole")


def works_again(place, writer, expected, how):
    """Whatever has happened, the next run works and cleans up."""
    done = subprocess.run(writer.command(place.binary, place.folder), capture_output=True)
    check(done.returncode == 0, f"{writer.name}, after {how}: {done.stderr.decode()}")
    contents = place.contents(writer)
    check(not writer.same or contents == expected, f"{writer.name}, after {how}: other content")
    check(not place.strays(writer), f"{writer.name}, after {how}: {place.strays(writer)} stays")


def try_writer(writer, binary):
    """Kills a command at every call, and lets every call fail."""
    runs = 0
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder, binary)
        expected = place.expected(writer)
        rescued = pathlib.Path(folder) / "rescued"
        rescued.mkdir()
        environment = dict(os.environ, TMPDIR=str(rescued))
        for call, number in traced(place, writer):
            how = f"killed at {call} {number}"
            injected(place, writer, call, number, "signal=KILL")
            whole(place, writer, expected, how)
            works_again(place, writer, expected, how)
            error = {"openat": "EACCES", "rename": "EACCES", "flock": "ENOLCK",
                     "linkat": "EPERM"}.get(call, "ENOSPC")
            how = f"{error} at {call} {number}"
            done = injected(place, writer, call, number, f"error={error}", environment)
            said = done.stderr.decode()
            whole(place, writer, expected, how)
            check(done.returncode in (0, 2), f"{writer.name}, {how}: exit code {done.returncode}")
            check("panicked" not in said, f"{writer.name}, {how}: {said}")
            # A file that cannot be removed stays.
            check(call == "unlink" or not place.strays(writer),
                  f"{writer.name}, {how}: {place.strays(writer)} stays")
            contents = place.contents(writer)
            if done.returncode == 2:
                check("error: " in said, f"{writer.name}, {how}: no message")
                check(set(contents.values()) == {OLD},
                      f"{writer.name}, {how}: failed, and some files are new")
            how = f"SIGTERM at {call} {number}"
            done = injected(place, writer, call, number, "signal=TERM")
            whole(place, writer, expected, how, interrupted=True)
            check(done.returncode in (0, 130), f"{writer.name}, {how}: exit code {done.returncode}")
            check(not place.strays(writer), f"{writer.name}, {how}: {place.strays(writer)} stays")
            runs += 4
    return runs


#: Options that name outputs, and commands that write them but cannot be tried without an MPI library or
#: write a folder of pages. `reproduce --figures` computes for seconds before it writes, by what writes the
#: three files of `arrange`.
OUTPUT_OPTIONS = ("output", "html", "links", "plot", "svg")
NOT_HERE = {("record", "output"), ("machine measure", "output")}


def every_writer_is_here(binary):
    """Every command with an option for an output is among the writers."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([binary, "man", "--directory", folder], check=True)
        known = {(writer.words, option) for writer in WRITERS for option in OUTPUT_OPTIONS
                 if f" --{option} " in writer.words}
        for page in sorted(pathlib.Path(folder).iterdir()):
            command = page.stem.removeprefix("topoloom").removeprefix("-").replace("-", " ")
            text = page.read_text().replace("\\-", "-")
            for option in OUTPUT_OPTIONS:
                # Subcommands have pages of their own.
                if not re.search(rf"^\\fB.*--{option}\\fR", text, re.MULTILINE):
                    continue
                found = any(words.startswith(f"{command} ") and name == option
                            for words, name in known)
                # One writer of traffic stands for those that share its code.
                shared = re.fullmatch(r"traffic (merge|filter|symmetrize|coarsen)", command)
                check(found or shared or (command, option) in NOT_HERE,
                      f"{command} --{option} is not in writers.py")


def no_space(binary):
    """A disk that is really full: a small file system if one can be made, and /dev/full."""
    mapped = [binary, *"map --traffic ring:8 --machine mesh:8 --strategy in-order".split()]
    # An output that cannot be written is kept in the folder for temporary files, which is removed with it.
    with tempfile.TemporaryDirectory() as rescued:
        done = subprocess.run([*mapped, "--output", "/dev/full"], capture_output=True,
                              env=dict(os.environ, TMPDIR=rescued))
    check(done.returncode == 2 and b"No space left" in done.stderr,
          f"/dev/full: {done.returncode} {done.stderr.decode()}")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(mapped, stdout=full, stderr=subprocess.PIPE)
    check(done.returncode == 2 and b"standard output: cannot write: No space left" in done.stderr,
          f"full standard output: {done.returncode} {done.stderr.decode()}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        small = folder / "small"
        small.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(small)]
        if subprocess.run(mount, capture_output=True).returncode != 0:
            skip("a file system that is full (mounting needs root)")
            return
        try:
            rescued = folder / "rescued"
            rescued.mkdir()
            output = small / "m.json"
            output.write_bytes(OLD)
            environment = dict(os.environ, TMPDIR=str(rescued))
            done = subprocess.run(
                [binary, "map", "--traffic", "ring:5000", "--machine", "mesh:5000", "--strategy",
                 "in-order", "--output", str(output)], capture_output=True, env=environment)
            said = done.stderr.decode()
            check(done.returncode == 2 and "No space left" in said, f"full disk: {said}")
            check(output.read_bytes() == OLD, "full disk: the old mapping is gone")
            check(os.listdir(small) == ["m.json"], f"full disk: {os.listdir(small)} stays")
            # The placement is not lost: the error says where it is.
            place = re.search(r"the placement is in the folder (\S+)", said)
            check(place is not None, f"full disk: the placement is lost: {said}")
            if place:
                kept = json.loads(pathlib.Path(place[1], "m.json").read_text())
                check(len(kept["node_of_rank"]) == 5000, "full disk: the placement is not whole")
        finally:
            subprocess.run(["umount", str(small)], check=True)


#: A search that keeps its state after the first generation.
EVOLVING = ("map --traffic stencil:16x16 --machine tree:4:4,distances=1:10 --imbalance 0.03 --effort extreme "
            "--generations 2 --threads 1").split()


def checkpoints(binary):
    """The state of a search is whole or not there, and the result is the same."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        output, kept = folder / "m.json", folder / "kept"
        kept.mkdir()
        state = kept / "state"
        plain = [binary, *EVOLVING, "--output", str(output)]
        command = [*plain, "--checkpoint", str(state)]
        subprocess.run(plain, check=True, capture_output=True, timeout=TIMEOUT)
        expected = output.read_bytes()
        for call in ("openat", "write", "fsync", "rename"):
            log = folder / "trace"
            state.unlink(missing_ok=True)
            subprocess.run(["strace", "-f", "-o", log, "-e", f"trace={call}", *command], check=True,
                           capture_output=True, timeout=TIMEOUT)
            # Temporary files have their own names: from the first call that names the folder on.
            lines = [line for line in log.read_text().splitlines() if f"{call}(" in line]
            named = [number for number, line in enumerate(lines, 1) if str(kept) in line]
            numbers = named or range(max(1, len(lines) - 4), len(lines) + 1)
            for number in numbers:
                for what in ("signal=KILL", "error=ENOSPC"):
                    state.unlink(missing_ok=True)
                    output.unlink(missing_ok=True)
                    inject = f"inject={call}:{what}:when={number}"
                    subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", inject, *command],
                                   capture_output=True, timeout=TIMEOUT)
                    done = subprocess.run(command, capture_output=True, timeout=TIMEOUT)
                    how = f"checkpoint, {what} at {call} {number}"
                    check(done.returncode == 0 and not done.stderr, f"{how}: {done.stderr.decode()}")
                    check(output.read_bytes() == expected, f"{how}: another placement")
                    check(os.listdir(kept) == ["state"], f"{how}: {os.listdir(kept)}")
        checkpoint_on_a_full_disk(command, kept, output, expected)


def checkpoint_on_a_full_disk(command, kept, output, expected):
    """The search goes on, says so, and leaves nothing half written."""
    for file in kept.iterdir():
        file.unlink()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", str(kept)]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        skip("a checkpoint on a full disk (mounting needs root)")
        return
    try:
        output.unlink()
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT)
        said = done.stderr.decode()
        check(done.returncode == 0 and "the search goes on without a new checkpoint" in said,
              f"checkpoint on a full disk: {done.returncode} {said}")
        check(output.read_bytes() == expected, "checkpoint on a full disk: another placement")
        check(not os.listdir(kept), f"checkpoint on a full disk: {os.listdir(kept)}")
    finally:
        subprocess.run(["umount", str(kept)], check=True)


def as_somebody_else(processes=None):
    """The first steps of a child: it gives up root, and limits its number of processes."""
    def first():
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        if processes is not None:
            resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
    return first


def refused_before_work(binary):
    """An output that cannot be written is refused before anything is read or run."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        place = Place(folder, binary)
        jobs = [Writer("record", "record --output OUT/x.rec -- touch OUT/started", ("x.rec",)),
                Writer("tune", "tune --prefix OUT/x --format openmpi-seq -- touch OUT/started",
                       ("x.rec",)),
                Writer("machine measure", "machine measure --output OUT/x.json -- touch "
                       "OUT/started", ("x.json",))]
        for writer in WRITERS + jobs:
            place.clear(writer)
            os.chmod(place.out, 0o555)
            # A missing input shows which of the two was checked first.
            words = writer.words.replace("IN/", "IN/no/")
            words = re.sub(r"--(traffic|trace) \S+", r"--\1 no/such.csv", words)
            words = re.sub(r"^(generate|traffic \w+) \S+", r"\1 no/such.csv", words)
            command = Writer(writer.name, words, writer.outputs).command(binary, place.folder)
            done = subprocess.run(command, capture_output=True, preexec_fn=as_somebody_else(),
                                  cwd=folder, timeout=TIMEOUT)
            said = done.stderr.decode()
            os.chmod(place.out, 0o755)
            check(done.returncode == 2, f"{writer.name}, no permission: {done.returncode} {said}")
            check("cannot write: Permission denied" in said and str(place.out) in said,
                  f"{writer.name}, no permission: {said}")
            check(place.contents(writer) == {name: OLD for name in writer.outputs}
                  and not place.strays(writer), f"{writer.name}, no permission: something changed")
        for writer in WRITERS:
            words = writer.words.replace("OUT/", "OUT/no/such/folder/")
            command = Writer(writer.name, words, writer.outputs).command(binary, place.folder)
            done = subprocess.run(command, capture_output=True, cwd=folder, timeout=TIMEOUT)
            check(done.returncode == 2 and b"there is no folder" in done.stderr,
                  f"{writer.name}, no folder: {done.stderr.decode()}")


def no_threads(binary):
    """Everything works where no thread can be started, and gives the same."""
    commands = {
        "map": "map --traffic stencil:8x8 --machine mesh:8x8 --effort fast --output OUT",
        "multilevel": "map --traffic stencil:8x8 --machine mesh:8x8 --strategy multilevel "
                      "--output OUT",
        "threads that were asked for": "map --traffic ring:8 --machine mesh:8 --threads 4 "
                                       "--effort fast --output OUT",
        "generate": "generate is:class=S,ranks=4 --output OUT.csv",
        "compare": "compare --traffic ring:8 --machine mesh:8 --strategy bokhari,random --csv",
        "simulate": "simulate --traffic ring:8 --machine mesh:8 --mapping in-order",
        "check": "check --traffic ring:2 --machine IN/net --mapping IN/two.txt",
    }
    for name, words in commands.items():
        written = []
        for processes in (None, 1):
            with tempfile.TemporaryDirectory() as folder:
                os.chmod(folder, 0o777)
                pathlib.Path(folder, "two.txt").write_text("0\n1\n")
                pathlib.Path(folder, "net").write_text("mesh:2\n")
                replaced = words.replace("IN/", f"{folder}/").replace("OUT", f"{folder}/out")
                done = subprocess.run([binary, *replaced.split()], capture_output=True,
                                      preexec_fn=as_somebody_else(processes), timeout=TIMEOUT)
                said = done.stderr.decode()
                check(done.returncode == 0, f"no threads, {name}: {done.returncode} {said}")
                if processes is not None:
                    check("no further thread could be started" in said,
                          f"no threads, {name}: no warning: {said}")
                files = sorted(file for file in os.listdir(folder) if file.startswith("out"))
                written.append([pathlib.Path(folder, file).read_bytes() for file in files])
        check(written[0] == written[1], f"no threads, {name}: another result")
    done = subprocess.run([binary, "machine", "measure", "--rounds", "1"], capture_output=True,
                          preexec_fn=as_somebody_else(1), timeout=TIMEOUT)
    check(done.returncode in (0, 2) and b"panicked" not in done.stderr,
          f"no threads, machine measure: {done.stderr.decode()}")


def same_process_number(binary):
    """Containers: each run is process 1."""
    alone = ["unshare", "--pid", "--fork", "--kill-child"]
    if subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
        skip("processes of the same number (namespaces need root)")
        return
    writer = WRITERS[0]
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder, binary)
        expected = place.expected(writer)
        place.clear(writer)
        command = [*alone, *writer.command(binary, place.folder)]
        # The first run, as process 1, is killed while it writes. Then the next run is process 1.
        call = next(number for name, number in traced(place, writer) if name == "fsync")
        place.clear(writer)
        killed = [*alone, "strace", "-f", "-o", "/dev/null", "-e",
                  f"inject=fsync:signal=KILL:when={call}", *writer.command(binary, place.folder)]
        subprocess.run(killed, capture_output=True, timeout=TIMEOUT)
        check(len(place.strays(writer)) == 1, f"the same number: {place.strays(writer)}")
        (place.out / ".m.json.1-0.tmp").write_text("of an older version")
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT)
        check(done.returncode == 0, f"the same number: {done.stderr.decode()}")
        check(place.strays(writer) == [".m.json.1-0.tmp"], f"the same number: what is not ours "
              f"stays, the rest goes: {place.strays(writer)}")
        (place.out / ".m.json.1-0.tmp").unlink()
        # Many at once.
        running = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                   for _ in range(12)]
        for process in running:
            said = process.communicate(timeout=TIMEOUT)[1].decode()
            check(process.returncode == 0, f"many at once: {said}")
        check(place.contents(writer) == expected, "many at once: another content")
        check(not place.strays(writer), f"many at once: {place.strays(writer)} stays")


def interrupted_while_writing(binary):
    """SIGINT and SIGTERM in the middle of a large file."""
    for sent in (signal.SIGINT, signal.SIGTERM):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder) / "t.csv"
            output.write_bytes(OLD)
            process = subprocess.Popen([binary, "generate", "all-to-all:1500", "--output",
                                        str(output)], stderr=subprocess.PIPE)
            deadline = time.monotonic() + TIMEOUT
            size = 0
            while size == 0 and process.poll() is None and time.monotonic() < deadline:
                temporaries = pathlib.Path(folder).glob(".topoloom-*.tmp")
                try:
                    size = max((file.stat().st_size for file in temporaries), default=0)
                except FileNotFoundError:
                    size = 0
            process.send_signal(sent)
            process.communicate(timeout=TIMEOUT)
            check(process.returncode == 130, f"{sent.name}: exit code {process.returncode}")
            check(output.read_bytes() == OLD, f"{sent.name}: the old file is gone")
            check(os.listdir(folder) == ["t.csv"], f"{sent.name}: {os.listdir(folder)} stays")


def main():
    binary = os.path.abspath(sys.argv[1])
    begin = time.monotonic()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = list(pool.map(lambda writer: try_writer(writer, binary), WRITERS))
    print(f"{len(WRITERS)} writers, {sum(runs)} runs killed, refused or interrupted at a call")
    for part in (every_writer_is_here, no_space, checkpoints, refused_before_work, no_threads, same_process_number,
                 interrupted_while_writing):
        part(binary)
        print(f"{part.__doc__.splitlines()[0]} (after {time.monotonic() - begin:.0f} s)")
    if failures:
        sys.exit(f"{len(failures)} failures")
    print("nothing is half written or lost")


if __name__ == "__main__":
    main()
