#!/usr/bin/env python3
"""Runs commands that all processes of an MPI job carry out together, under every MPI library that is here.

    tests/mpi/crew/commands.py target/debug/topoloom
    tests/mpi/crew/commands.py target/debug/topoloom --mpi debian-mpich --only helper_is_killed

Results must not depend on the number of processes. Exit code 1 if anything failed. What cannot run here is skipped by name.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "order")]

import flavours
import hosts
import verify
from context import end_session
from job import Done, Job

# Others are close to these; `--mpi` runs them.
USUAL = ("debian-openmpi", "debian-mpich", "openmpi-5.0.11", "mpich-5.0.2")
SIZES = (1, 2, 3, 8)
TIMEOUT = 60
# How long a job may take to end after a signal. Launchers wait for their ranks for some seconds.
LONGEST_END = 10
# How long a launcher may take with a program that only reads.
LONGEST_PLAIN = 5
# How much later than its limit a job may end: it has to start, and to judge the placement.
LONGEST_AFTER_LIMIT = 8
# CPU time of a process that has come to its search.
SECONDS_AT_WORK = 0.4
UNREADABLE = 2
# Every process of a case has this variable.
MARK = "TOPOLOOM_TEST_MARK"
RANKS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK")

ONE_EACH = ["--traffic", "random:ranks=60,degree=4", "--machine", "torus:4x4x4", "--effort", "fast"]
SHARED_SLOTS = [
    "--traffic", "stencil:9x9", "--machine", "tree:2:4:4,distances=1:10:100", "--imbalance", "0.03", "--effort", "strong",
    "--strategy", "multilevel"]
SMALL = ["--traffic", "random:ranks=14,degree=3", "--machine", "torus:4x4"]
BLOCKS = ["--traffic", "stencil:16x16", "--machine", "torus:8x8x4", "--strategy", "rahtm"]
LARGE = ["--traffic", "stencil:240x240", "--machine", "torus:240x240", "--effort", "fast"]
# Takes half a minute if nobody stops it.
LONG = ["--traffic", "random:ranks=500,degree=6", "--machine", "torus:8x8x8"]
STRONG = [*LONG, "--effort", "strong"]


def one_rank_per_slot(crew):
    return same_mapping(crew, ONE_EACH)


def shared_slots(crew):
    return same_mapping(crew, SHARED_SLOTS, sizes=(2, 8))


def threads(crew):
    """Processes with several threads each, and more processes than pieces of work."""
    return same_mapping(crew, [*SMALL, "--threads", "4"], sizes=(2, 8))


def blocks(crew):
    """Blocks that are merged level by level."""
    return same_mapping(crew, BLOCKS, sizes=(3,))


def large(crew):
    """A problem that is kept once per node."""
    return same_mapping(crew, LARGE, sizes=(3,))


def file(crew):
    return same_mapping(crew, ["--traffic", crew.traffic_file(), *ONE_EACH[2:]], sizes=(3,))


def standard_input(crew):
    """Only the first process has a standard input."""
    given = pathlib.Path(crew.traffic_file()).read_bytes()
    command = crew.job(1, ["cat"]).mpirun()
    try:
        subprocess.run(
            command, env=crew.flavour.environment, input=given, capture_output=True, timeout=LONGEST_PLAIN,
            start_new_session=True)
    except subprocess.TimeoutExpired as reason:
        raise flavours.Missing("the launcher passes no standard input on, with other programs too") from reason
    return same_mapping(crew, ["--traffic", "-", *ONE_EACH[2:]], sizes=(3,), given=given)


def hidden_file(crew):
    """The helpers do not see the input file."""
    only_leader = crew.folder / "only-leader"
    only_leader.mkdir(exist_ok=True)
    file = only_leader / "traffic.mtx"
    file.write_bytes(pathlib.Path(crew.traffic_file()).read_bytes())
    hide = (
        f'case "${{{RANKS[0]}:-${RANKS[1]}}}" in 0) exec "$@";; esac;'
        f'exec unshare --mount sh -c \'mount -t tmpfs none "{only_leader}" && exec "$@"\' sh "$@"')
    if subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "none", only_leader], capture_output=True).returncode:
        raise flavours.Missing("no right to mount")
    arguments = ["--traffic", str(file), *ONE_EACH[2:]]
    crew.environment["TOPOLOOM_MPI"] = "on"
    return same_mapping(crew, arguments, sizes=(3,), wrapper=["sh", "-c", hide, "sh"])


def compare(crew):
    """Several strategies three times each."""
    found = []
    words = ["compare", *SMALL, "--strategy", "auto,bokhari,greedy,random", "--repeat", "3", "--json"]
    wanted = without_times(json.loads(alone(crew, words).out))
    for ranks in (3, 8):
        done = crew.run(ranks, words)
        if done.code != 0 or done.err or without_times(json.loads(done.out or "0")) != wanted:
            found += [f"{ranks} processes: differs", *done.told()]
    return found


def without_times(value):
    if isinstance(value, dict):
        return {name: without_times(part) for name, part in value.items() if not name.endswith("seconds")}
    return [without_times(part) for part in value] if isinstance(value, list) else value


def reproduce(crew):
    """A folder for figures is made by one process."""
    figures = crew.folder / "figures"
    done = crew.run(2, ["reproduce", "multicore", "--figures", str(figures)])
    return expect(done, done.code == 0 and len(list(figures.glob("*"))) == 2)


def missing_file(crew):
    done = crew.run(3, ["map", "--traffic", "nowhere.mtx", "--machine", "torus:4x4x4"])
    return expect(done, done.code == UNREADABLE and errors(done) == 1 and done.err.count("nowhere.mtx") == 1)


def wrong_arguments(crew):
    """Arguments are read before the processes know of each other."""
    done = crew.run(3, ["map", "--traffik", "x"])
    return expect(done, done.code == UNREADABLE and "--traffik" in done.err and not done.out)


def output_cannot_be_written(crew):
    """It is refused before the work, which would take half a minute. Several times, because all end at the same moment."""
    found = []
    for _ in range(2):
        started = time.monotonic()
        done = crew.run(3, ["map", *STRONG, "-o", "/nowhere/x.map"])
        told = done.err.count("there is no folder /nowhere") == 1 and errors(done) == 1
        in_time = time.monotonic() - started < LONGEST_END
        found += expect(done, done.code == UNREADABLE and told and in_time and not done.out)
    return found


def time_limit(crew):
    started = time.monotonic()
    done = crew.run(3, ["map", *STRONG, "--time-limit", "2s", "-o", "limited.map"])
    seconds = time.monotonic() - started
    found = expect(done, done.code == 0 and errors(done) == 0 and done.out.count("written to") == 1)
    if not 2 <= seconds < 2 + LONGEST_AFTER_LIMIT:
        found.append(f"ended after {seconds:.1f} s")
    return found + crew.judge_map("limited.map")


def launcher_is_asked_to_end(crew):
    """Launchers pass the signal on. Some of them print nothing after it."""
    started = crew.start(3, ["map", *STRONG, "-o", "asked.map"])
    started.wait_for_work()
    started.launcher.send_signal(signal.SIGTERM)
    return started.end() + crew.judge_map("asked.map")


def helper_is_asked_to_end(crew):
    """A batch system sends the signal to all processes, and perhaps to the leader last."""
    started = crew.start(3, ["map", *STRONG, "-o", "helped.map"])
    processes = started.wait_for_work()
    os.kill(processes[1], signal.SIGTERM)
    time.sleep(0.2)
    with contextlib.suppress(ProcessLookupError):
        os.kill(processes[0], signal.SIGTERM)
    found = started.end()
    done = started.done
    found += expect(done, done.code == 0 and errors(done) == 0 and done.out.count("written to") == 1)
    return found + crew.judge_map("helped.map")


def comparison_is_asked_to_end(crew):
    """What was found so far is shown."""
    started = crew.start(3, ["compare", *STRONG, "--strategy", "auto,multilevel", "--repeat", "6"])
    os.kill(started.wait_for_work()[1], signal.SIGTERM)
    found = started.end()
    done = started.done
    return found + expect(done, done.code == 0 and errors(done) == 0 and "  auto" in done.out)


def helper_is_killed(crew):
    """The launcher ends the others. Those that are asked first may still write the best so far; no part of it is left."""
    started = crew.start(3, ["map", *STRONG, "-o", "killed.map"])
    os.kill(started.wait_for_work()[1], signal.SIGKILL)
    found = started.end()
    if started.done.code == 0:
        found.append("exit code 0")
    return found + crew.judge_map("killed.map", is_needed=False)


def recorded(crew):
    """The recorder sees what the processes send, and changes nothing."""
    recording = crew.folder / "run.rec"
    job = crew.job(3, [crew.program, "map", *ONE_EACH, "-o", str(crew.folder / "same.map")])
    words = [crew.program, "record", "-o", str(recording), "--", *job.mpirun()]
    environment = {**(crew.flavour.environment or os.environ), **crew.environment}
    done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT, env=environment, start_new_session=True)
    shown = subprocess.run([crew.program, "traffic", "show", str(recording), "--json"], capture_output=True, text=True)
    messages = json.loads(shown.stdout or "{}").get("messages", 0)
    alone(crew, ["map", *ONE_EACH, "-o", "alone.map"])
    same = (crew.folder / "same.map").read_bytes() == (crew.folder / "alone.map").read_bytes()
    is_right = done.returncode == 0 and messages > 5 and same and "MPI_Finalize" not in done.stderr
    return [] if is_right else [f"{messages} messages, same placement: {same}", *done.stderr.splitlines()]


def helper_fails(crew):
    """A helper that cannot load what the leader can: the job ends with its reason, and does not hang."""
    few = f'case "${{{RANKS[0]}:-${RANKS[1]}}}" in 0) exec "$@";; esac; TOPOLOOM_MEMORY=1MiB exec "$@"'
    crew.environment["TOPOLOOM_MPI"] = "on"
    started = time.monotonic()
    done = crew.run(3, ["map", *LARGE, "-o", "same.map"], wrapper=["sh", "-c", few, "sh"])
    told = "of the job cannot do what the first one does" in done.err and "TOPOLOOM_MEMORY" in done.err
    return expect(done, done.code == UNREADABLE and told and time.monotonic() - started < TIMEOUT / 2)


def two_hosts(crew):
    """This machine under two names."""
    crew.environment.update(verify.SEVERAL_HOSTS)
    launch = hosts.launch(crew.job(4, []), 4)
    return same_mapping(crew, ONE_EACH, sizes=(4,), launch=launch)


def not_shared(crew):
    """Commands that are not shared run once per process."""
    mapping = crew.folder / "score.map"
    found = expect(alone(crew, ["map", *SMALL, "-o", str(mapping)]), mapping.exists())
    for words in (["list", "objectives"], ["score", *SMALL, "--mapping", str(mapping)]):
        wanted = alone(crew, words).lines
        done = crew.run(3, words)
        found += expect(done, done.code == 0 and sorted(done.lines) == sorted(wanted * 3))
    return found


def switched_off(crew):
    crew.environment["TOPOLOOM_MPI"] = "off"
    done = crew.run(3, ["map", *SMALL])
    wanted = untimed(alone(crew, ["map", *SMALL]).out)
    return expect(done, done.code == 0 and sorted(untimed(done.out)) == sorted(wanted * 3))


CASES = {
    case.__name__: case
    for case in (
        one_rank_per_slot, shared_slots, threads, blocks, large, file, standard_input, hidden_file, compare, reproduce, missing_file,
        wrong_arguments, output_cannot_be_written, time_limit, launcher_is_asked_to_end, helper_is_asked_to_end,
        comparison_is_asked_to_end, helper_is_killed, helper_fails, recorded, two_hosts, not_shared, switched_off)}


def same_mapping(crew, arguments, sizes=SIZES, given=None, **how):
    """The same file and the same text as without a launcher."""
    found = []
    words = ["map", *arguments, "-o", "same.map"]
    path = crew.folder / "same.map"
    reference = alone(crew, words, given)
    wanted = untimed(reference.out)
    if reference.code != 0 or not wanted:
        return reference.told()
    content = path.read_bytes()
    for ranks in sizes:
        path.unlink(missing_ok=True)
        done = crew.run(ranks, words, given=given, **how)
        if done.code != 0 or errors(done) or untimed(done.out) != wanted:
            found += [f"{ranks} processes: another text", *done.told()]
        if not path.exists() or path.read_bytes() != content:
            found.append(f"{ranks} processes: another mapping")
    return found


def alone(crew, words, given=None):
    """What one process says without a launcher."""
    done = subprocess.run([crew.program, *words], input=given or b"", capture_output=True, cwd=crew.folder)
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def untimed(text):
    """The lines without those that say how long something took."""
    return [line for line in text.splitlines() if not re.match(r"\s*time\s", line)]


def errors(done):
    return len(re.findall(r"^error: ", done.err, re.MULTILINE)) + done.err.count("panicked")


def expect(done, is_right):
    return [] if is_right else done.told()


class Crew:
    """The program with one library."""

    def __init__(self, flavour, program, folder, name):
        self.flavour, self.program, self.folder, self.name = flavour, program, folder, name
        self.environment = {"RUST_BACKTRACE": "0", MARK: str(folder)}
        if flavour.name.endswith("-abi"):
            library = pathlib.Path(flavour.mpirun).parent.parent / "lib" / "libmpi_abi.so.1"
            self.environment["TOPOLOOM_MPI_LIBRARY"] = str(library)

    def job(self, ranks, program):
        return Job(self.name, self.flavour, self.program, self.folder, program, ranks)

    def start(self, ranks, words, given=None, launch=None, wrapper=()):
        job = self.job(ranks, [*wrapper, self.program, *words])
        # The program has to find the library by itself.
        command = ["env", "-u", "LD_LIBRARY_PATH", *(launch + job.program if launch else job.mpirun())]
        return Started(self, ranks, command, given)

    def run(self, *arguments, **how):
        started = self.start(*arguments, **how)
        left = started.end(TIMEOUT)
        if left:
            started.done.err += "\n" + "\n".join(left)
            started.done.code = started.done.code or None
        return started.done

    def traffic_file(self):
        path = self.folder / "traffic.mtx"
        if not path.exists():
            subprocess.run([self.program, "generate", ONE_EACH[1], "-o", path], check=True, capture_output=True)
        return str(path)

    def judge_map(self, name, is_needed=True):
        """A whole file with a valid placement, and nothing that was half written."""
        expected = {name, *(f"{self.name}.{end}" for end in ("out", "err", "in"))}
        found = [f"left behind: {other}" for other in sorted(set(os.listdir(self.folder)) - expected)]
        if (self.folder / name).exists():
            done = alone(self, ["check", *LONG, "--mapping", name])
            found += expect(done, done.code == 0)
        elif is_needed:
            found.append(f"no {name}")
        return found


class Started:
    """A job that runs."""

    def __init__(self, crew, ranks, command, given):
        self.crew, self.ranks, self.done = crew, ranks, None
        self.out, self.err = (crew.folder / f"{crew.name}.{end}" for end in ("out", "err"))
        environment = {**crew.flavour.environment, **crew.environment}
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.launcher = subprocess.Popen(
                list(map(str, command)), env=environment, cwd=crew.folder, stdout=out, stderr=err, start_new_session=True,
                stdin=subprocess.DEVNULL if given is None else subprocess.PIPE)
        if given is not None:
            with self.launcher.stdin as pipe:
                pipe.write(given)

    def wait_for_work(self):
        """Waits until all processes are at work; returns the processes by rank."""
        until = time.monotonic() + TIMEOUT
        while time.monotonic() < until and self.launcher.poll() is None:
            ranks = self.processes()
            if len(ranks) == self.ranks and seconds_of(ranks[0]) > SECONDS_AT_WORK:
                return ranks
            time.sleep(0.05)
        self.end(0)
        raise Failed(["does not come to work", *self.done.told()])

    def processes(self):
        """The processes of the program by rank. A process that only waits to be collected does not count."""
        found = {}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (folder / "comm").read_text().strip() != pathlib.Path(self.crew.program).name[:15]:
                    continue
                entries = (folder / "environ").read_bytes().decode(errors="replace").split("\0")
                environment = dict(entry.split("=", 1) for entry in entries if "=" in entry)
                # This cannot be read of a process that has ended.
                if environment.get(MARK) == str(self.crew.folder):
                    rank = next((environment[name] for name in RANKS if name in environment), "0")
                    found[int(rank)] = int(folder.name)
            except (OSError, ValueError):
                continue
        return found

    def end(self, limit=LONGEST_END):
        """Waits for the end; returns what is wrong with it."""
        try:
            code = self.launcher.wait(limit)
        except subprocess.TimeoutExpired:
            code = None
        found = [] if code is not None else [f"did not end in {limit} s"]
        until = time.monotonic() + 2
        while code is not None and self.processes() and time.monotonic() < until:
            time.sleep(0.05)
        left = self.processes()
        if code is not None and left:
            found.append(f"still running after the launcher: ranks {sorted(left)}")
        if code is None:
            end_session(self.launcher)
        for process in self.processes().values():
            os.kill(process, signal.SIGKILL)
        self.done = Done(code, self.out.read_text(errors="replace"), self.err.read_text(errors="replace"))
        return found


class Failed(Exception):
    """What is wrong, if a case cannot go on."""


def seconds_of(process):
    """The CPU time of a process."""
    try:
        fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run_case(name, flavour, program):
    """Runs it, and once more if the launcher is known to hang or crash now and then by itself."""
    for is_last in (not flavour.is_shaky, True):
        with tempfile.TemporaryDirectory(prefix="topoloom-crew-") as folder:
            try:
                found = CASES[name](Crew(flavour, program, pathlib.Path(folder), name))
            except flavours.Missing as reason:
                return "skipped", [str(reason)]
            except Failed as failed:
                found = failed.args[0]
        if not found or is_last:
            return ("failed" if found else "ok"), found
        say(f"tried again: {name} with {flavour.name}, after: {found[0]}")


def run_flavour(name, program, cases):
    try:
        flavour = flavours.prepare(name, flavours.ROOT / "target" / "mpi")
    except (flavours.Missing, subprocess.TimeoutExpired) as reason:
        say(f"== SKIPPED: {name}: {reason}")
        return ["skipped"]
    outcomes = []
    for case in cases:
        started = time.monotonic()
        outcome, why = run_case(case, flavour, program)
        outcomes.append(outcome)
        seconds = f"{time.monotonic() - started:.1f} s"
        say(f"{outcome:8}{name:18}{case:26}{seconds:>7}" + "".join(f"\n      {line}" for line in why))
    return outcomes


_saying = threading.Lock()


def say(text):
    with _saying:
        print(text, flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="topoloom")
    parser.add_argument("--only", metavar="NAME", action="append", choices=CASES, help="only this case (repeatable)")
    parser.add_argument(
        "--mpi", metavar="NAME", action="append", choices=flavours.FLAVOURS, help="only this library (repeatable)")
    parser.add_argument("--turns", action="store_true", help="each case with an Open MPI and one of the others, in turn")
    return parser.parse_args()


def main():
    options = arguments()
    program = str(pathlib.Path(options.program).resolve())
    started = time.monotonic()
    libraries = options.mpi or USUAL

    def cases_of(library):
        wanted = enumerate(options.only or CASES)
        return [case for number, case in wanted if not options.turns or library in flavours.with_turns(number, libraries)]

    # Launchers mostly wait: two at a time take little longer than one.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda name: run_flavour(name, program, cases_of(name)), libraries)
        outcomes = [outcome for result in results for outcome in result]
    passed, failed, skipped = (outcomes.count(word) for word in ("ok", "failed", "skipped"))
    print(f"in {time.monotonic() - started:.0f} s\n{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
